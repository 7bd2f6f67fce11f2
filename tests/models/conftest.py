"""What tests with the real LiteLLM share."""

import warnings

import pytest

# LiteLLM, and our own library.py, ignore these warnings by filters that are installed with the import; pytest takes
# them away again for each test.
OWN_FILTERS = [
    ".*`ReadOnly` qualifier",
    ".*Accessing the.*attribute on the instance is deprecated",
    "Pydantic serializer",
]


@pytest.fixture(autouse=True)
def _litellm_filters() -> None:
    for message in OWN_FILTERS:
        warnings.filterwarnings("ignore", message=message)
