"""The work on templates. Jinja is slow to import, and is not imported for texts that are none."""

from collections.abc import Mapping
from pathlib import Path

from runner.prompts.pieces import Piece
from runner.prompts.readings import Reading
from runner.prompts.texts import is_template, plain
from runner.spec import Json, Text

# The prompt of most agents: the text of the run, as it is.
INPUT_ALONE = "{{ input }}"
# Jinja has a budget for longer ones.
_LONG = 1_000_000


def read_template(source: str) -> Reading:
    """Read a template. Any text gives a reading."""
    if not is_template(source):
        return Reading()
    from runner.prompts import reading  # noqa: PLC0415 - imports Jinja

    return reading.read_template(source)


def render(text: Text, variables: Mapping[str, Json], *, folder: Path | None = None) -> str:
    """The text with its expressions filled in.

    Args:
        text: the template and its place in a file.
        variables: JSON values; other objects are refused, so that templates can reach nothing else.
        folder: the agent's folder, whose files may be included; None allows no includes.

    Raises:
        PromptError: the template is wrong, uses something undefined, or would make too much.
    """
    if not is_template(text.value):
        return text.value
    given = variables.get("input")
    if text.value == INPUT_ALONE and type(given) is str and len(given) <= _LONG and _all_plain(variables):
        return given
    from runner.prompts import rendering  # noqa: PLC0415 - imports Jinja

    return rendering.render(text, variables, folder=folder)


def _all_plain(variables: Mapping[str, Json]) -> bool:
    try:
        plain(variables)
    except (TypeError, RecursionError):  # the renderer says so
        return False
    return True


def render_pieces(text: Text, variables: Mapping[str, Json]) -> tuple[Piece, ...]:
    """The text of a template in order: the author's own text as `str`, and what each expression wrote.

    A variable that is not there is falsy, `is defined` and `default()` work as usual, and writing it gives an
    `Absent`. When an expression does more with it (`{{ x | upper }}`), the whole text is that one `Absent`.

    Raises:
        PromptError: the template is wrong, or would make too much.
    """
    if not is_template(text.value):
        return (text.value,) if text.value else ()
    from runner.prompts import requests  # noqa: PLC0415 - imports Jinja

    return requests.render_pieces(text, variables)


def refusal(source: str) -> tuple[str, int] | None:
    """What a template has that a request cannot have, and its line; None when it has nothing of the kind."""
    if not is_template(source):
        return None
    from runner.prompts import requests  # noqa: PLC0415 - imports Jinja

    return requests.refusal(source)
