"""Where an agent names models: its own, the fallbacks, and the one that sums up a long conversation."""

from collections.abc import Iterator

from runner.language.document import Path
from runner.language.merge import Layered
from runner.spec import Json, JsonObject


def asked_in_turn(agent: Layered) -> Iterator[Path]:
    """The paths of its model and the fallbacks, in the order in which they are asked."""
    yield ("model",)
    fallbacks = agent.value("model", "fallbacks")
    for index in range(len(fallbacks) if isinstance(fallbacks, list) else 0):
        yield ("model", "fallbacks", index)


def all_models(agent: Layered) -> Iterator[Path]:
    """The paths of all of its models."""
    yield from asked_in_turn(agent)
    yield ("context", "model")


def settings_of(model: Json) -> JsonObject:
    """A model as the mapping it is short for; what is no model gives one without a name."""
    return model if isinstance(model, dict) else {"name": model}


def name_path(agent: Layered, path: Path) -> Path:
    """Where the name of the model at a path stands."""
    return path if isinstance(agent.value(*path), str) else (*path, "name")
