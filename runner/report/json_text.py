"""JSON text that is safe to show on a terminal."""

import json
import re

from runner.report.phrases import UNSAFE
from runner.spec import Json


def dumped(value: Json, *, indent: int | None = None) -> str:
    r"""JSON text that keeps non-ASCII characters as they are; with no `indent` it is a single line.

    Only what could drive a terminal, split a line or not be encoded is written as `\u009b`, which reads back the same.
    """
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, indent=indent)
    return UNSAFE.sub(_escaped, text)


def _escaped(match: re.Match[str]) -> str:
    character = match.group()
    return character if character == "\n" else json.dumps(character)[1:-1]  # the line breaks are those of `indent`
