import pytest

from tests.engine.voices import VOICES, Voice


@pytest.fixture(params=VOICES)
def voice(request: pytest.FixtureRequest) -> Voice:
    """Every test that uses it runs once in each parsing mode."""
    return VOICES[request.param]


@pytest.fixture(params=[name for name, voice in VOICES.items() if voice.parallel])
def parallel_voice(request: pytest.FixtureRequest) -> Voice:
    """The parsing modes in which calls of one reply run at the same time."""
    return VOICES[request.param]


@pytest.fixture(params=[name for name, voice in VOICES.items() if not voice.parallel])
def ordered_voice(request: pytest.FixtureRequest) -> Voice:
    """The parsing modes in which calls of one reply run one after the other."""
    return VOICES[request.param]
