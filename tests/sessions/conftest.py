import pytest

from tests.engine.voices import VOICES, Voice


@pytest.fixture(params=VOICES)
def voice(request: pytest.FixtureRequest) -> Voice:
    """Every test that uses it runs once in each parsing mode."""
    return VOICES[request.param]
