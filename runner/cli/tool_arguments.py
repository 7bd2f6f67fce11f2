"""The arguments of a tool call as the person typed them."""

import json
import os
import stat
import sys
from collections.abc import Iterable, Mapping
from typing import NoReturn

import click

from runner.cli.arguments import input_text, typed
from runner.report.phrases import shortened
from runner.spec import Json

_SHOWN_CHARACTERS = 60
_KINDS: Mapping[type, str] = {
    str: "text",
    int: "a number",
    float: "a number",
    bool: "true or false",
    list: "a list",
    type(None): "null",
}


def tool_arguments(text: str | None, assignments: Iterable[str]) -> dict[str, Json]:
    """The arguments of a call.

    Args:
        text: a JSON object, `-` for standard input, or None: standard input then if something is piped into it.
        assignments: `key=value`, which win; values are text, which the tool's schema mends as it does for a model.

    Raises:
        click.UsageError: it is no JSON, no object, or no assignment.
    """
    assignments = list(assignments)
    if text is None and not assignments and _is_piped():
        text = "-"
    given = input_text(text)
    values = {} if given is None or (text == "-" and not given.strip()) else json_object(given)
    for assignment in assignments:
        name, equals, value = typed(assignment).partition("=")
        if not equals or not name:
            raise click.UsageError(f"expected an argument as key=value, found {assignment!r}")
        values[name] = value
    return values


def _is_piped() -> bool:
    """Whether somebody gives us something: a pipe or a file; not a terminal, /dev/null or nothing at all."""
    try:
        mode = os.fstat(sys.stdin.fileno()).st_mode
    except (AttributeError, OSError, ValueError):  # it is closed, or a stand-in
        return False
    return stat.S_ISFIFO(mode) or stat.S_ISREG(mode)


def json_object(text: str) -> dict[str, Json]:
    """The arguments of a call, written as JSON.

    Raises:
        click.UsageError: it is no JSON, or no object.
    """
    try:
        value = json.loads(text, parse_constant=_no_number, object_pairs_hook=_unique)
    except json.JSONDecodeError as error:
        where = f"line {error.lineno}, column {error.colno}"
        rest = shortened(text[error.pos :], _SHOWN_CHARACTERS)
        found = f"found {rest}" if rest else "the text ends there"
        raise click.UsageError(f"the arguments are not JSON: {error.msg} at {where}, {found}") from None
    except (ValueError, RecursionError) as error:
        reason = "they are nested too deeply" if isinstance(error, RecursionError) else str(error)
        raise click.UsageError(f"the arguments are not JSON: {reason}") from None
    if not isinstance(value, dict):
        found = f"found {_KINDS[type(value)]}"
        raise click.UsageError(f'expected the arguments as a JSON object such as \'{{"city": "Oslo"}}\', {found}')
    return value


def _no_number(name: str) -> NoReturn:
    raise ValueError(f"{name} is no number that JSON has")


def _unique(pairs: list[tuple[str, Json]]) -> dict[str, Json]:
    """The object; a key that stands in it twice is a mistake, and JSON does not say which one counts."""
    found: dict[str, Json] = {}
    for name, value in pairs:
        if name in found:
            raise ValueError(f"the key {name!r} stands twice in one object")
        found[name] = value
    return found
