"""Renders one template with the values of a run: once, and the values are never read as templates."""

from collections.abc import Mapping
from pathlib import Path

from jinja2 import TemplateSyntaxError

from runner.origins import further
from runner.prompts.sandbox import MAIN, Sandbox
from runner.prompts.texts import PromptError, plain
from runner.spec import Json, Text

_PHRASES = {
    ". Jinja was looking for the following tags: ": ", expected ",
    ". The innermost block that needs to be closed is ": "; the innermost open block is ",
    ". You probably made a nesting mistake. Jinja is expecting this tag, but currently looking for ": "; expected ",
}


def render(text: Text, variables: Mapping[str, Json], *, folder: Path | None = None) -> str:
    """`render` of `on_demand`, of a text that is a template."""
    sandbox = Sandbox(folder=folder, names=variables)
    try:
        template = sandbox.template(text.value, MAIN)
        return "".join(template.generate(plain(variables)))
    except TemplateSyntaxError as error:
        raise PromptError(located(text, error.name or MAIN, error.lineno, syntax_message(error))) from error
    except RecursionError as error:
        raise PromptError(f"{text.origin}: includes or macros of this template call themselves without end") from error
    except (
        Exception
    ) as error:  # whatever an expression of the author raises (1/0, 'a' + 1) is a mistake in the template
        raise PromptError(located(text, *place_of(error, sandbox.loaded), reason_of(error))) from error


def syntax_message(error: TemplateSyntaxError) -> str:
    """Jinja's message as one sentence."""
    message = str(error.message).rstrip(".")
    for found, written in _PHRASES.items():
        message = message.replace(found, written)
    return message[:1].lower() + message[1:]


def place_of(error: Exception, names: set[str]) -> tuple[str, int]:
    """The template and line that raised: Jinja puts frames with the template's own lines into the traceback."""
    place = (MAIN, 1)
    trace = error.__traceback__
    while trace is not None:
        name = trace.tb_frame.f_code.co_filename
        if name in names:
            place = (name, trace.tb_lineno)
        trace = trace.tb_next
    return place


def located(text: Text, name: str, line: int, reason: str) -> str:
    """A message with its place, `file:line: reason`; `line` counts in the template called `name`."""
    if name == MAIN:
        return f"{further(text.origin, line - 1)}: {reason}"
    return f"{name}:{line}: {reason}"


def reason_of(error: Exception) -> str:
    """What an exception says, on one line."""
    return " ".join(str(error).split()) or type(error).__name__
