"""What tests with the real LiteLLM share."""

import warnings

import pytest

# LiteLLM ignores these warnings about its own types by filters it installs when it is imported; pytest takes them away
# again for each test.
OWN_FILTERS = [".*`ReadOnly` qualifier", ".*Accessing the.*attribute on the instance is deprecated"]


@pytest.fixture(autouse=True)
def _litellm_filters() -> None:
    for message in OWN_FILTERS:
        warnings.filterwarnings("ignore", message=message)
