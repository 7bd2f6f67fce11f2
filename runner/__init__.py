"""YAML agent runner: write an agent as one YAML file, check it, and run it against any model."""

__version__ = "0.1.0"
__all__ = ["Agent", "InputError", "InvalidAgent", "Preview", "RunFinished", "ToolContext", "__version__", "load_agent"]

# Not from `typing`, which takes most of the time that importing this package would take.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from runner.agent import Agent, InvalidAgent, load_agent
    from runner.engine.events import RunFinished
    from runner.inputs import InputError
    from runner.preview import Preview
    from runner.tools.context import ToolContext


def __getattr__(name: str) -> object:
    """Import the public names when they are first used: `runner --help` needs none of them."""
    from importlib import import_module  # noqa: PLC0415 - see above

    homes = {
        "Agent": "runner.agent",
        "InvalidAgent": "runner.agent",
        "load_agent": "runner.agent",
        "RunFinished": "runner.engine.events",
        "InputError": "runner.inputs",
        "Preview": "runner.preview",
        "ToolContext": "runner.tools.context",
    }
    if name not in homes:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(homes[name]), name)
