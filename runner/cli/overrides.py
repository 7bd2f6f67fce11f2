"""The options that change an agent for one run, as overrides that messages call by their option."""

import json
import math
from collections.abc import Sequence
from typing import NoReturn

import click

from runner.cli.arguments import typed
from runner.language.durations import seconds
from runner.language.overrides import Override
from runner.language.yaml12.core import plain
from runner.report.phrases import shortened
from runner.spec import Json

# As deep as a document may be.
_DEEPEST = 100
_LABEL_CHARACTERS = 80
_JSON_STARTS = ("{", "[", '"')


class Duration(click.ParamType[str | float]):
    """A time as in YAML; kept as it was typed, which is how messages show it."""

    name = "time"

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str | float:
        """Refuse what is no time, or none at all."""
        written = plain(value)
        try:
            amount = seconds(value if written is None or isinstance(written, bool) else written)
        except ValueError as error:
            self.fail(str(error), param, ctx)
        if not 0 < amount < math.inf:
            self.fail(f"expected more than 0 seconds, found {value}", param, ctx)
        return value if isinstance(written, str) else float(written)


class Dollars(click.ParamType[float]):
    """An amount of money."""

    name = "dollars"

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """Refuse what is no amount of dollars."""
        amount = plain(value)
        if isinstance(amount, bool) or not isinstance(amount, int | float) or not 0 <= amount < math.inf:
            self.fail(f"expected dollars such as 0.10, found '{value}'", param, ctx)
        return amount


def overrides(
    *,
    assignments: Sequence[str],
    model: str | None,
    max_steps: int | None = None,
    timeout: str | float | None = None,
    max_cost: float | None = None,
) -> list[Override]:
    """What was asked for, in the order in which it wins: an option of its own before `--set`.

    Raises:
        click.UsageError: an assignment is malformed.
    """
    found = [assignment(typed(text)) for text in assignments]
    if model is not None:
        found.append(Override(option="--model", data={"model": typed(model)}))
    limits = {"--max-steps": max_steps, "--timeout": timeout, "--max-cost": max_cost}
    for option, value in limits.items():
        if value is not None:
            limit = option.removeprefix("--").replace("-", "_")
            found.append(Override(option=option, data={"limits": {limit: value}}))
    return found


def assignment(text: str) -> Override:
    """One `path=value` of `--set`; the path is keys with dots between them.

    Raises:
        click.UsageError: it has another form, or the value cannot be read.
    """
    path, equals, written = text.partition("=")
    keys = path.strip().split(".")
    if not equals or not all(keys):
        found = shortened(text, _LABEL_CHARACTERS)
        raise click.UsageError(f"--set: expected path=value, such as limits.max_steps=5, found '{found}'")
    option = f"--set {shortened(path, _LABEL_CHARACTERS)}"
    if len(keys) > _DEEPEST:
        raise click.UsageError(f"{option}: the path has more than {_DEEPEST} keys")
    data: Json = _value(written, option)
    for key in reversed(keys):
        data = {key: data}
    return Override(option=option, data=data)


def _value(text: str, option: str) -> Json:
    """JSON where it looks like it, else a YAML scalar."""
    stripped = text.strip()
    if stripped.startswith(_JSON_STARTS):
        return _json(stripped, option)
    if len(stripped) > 1 and stripped[0] == stripped[-1] == "'":
        return stripped[1:-1].replace("''", "'")
    value = plain(stripped)
    if isinstance(value, float) and not math.isfinite(value):
        raise click.UsageError(f"{option}: {stripped[:20]} is a number that JSON cannot hold")
    return text if isinstance(value, str) else value


def _json(text: str, option: str) -> Json:
    def refuse(number: str) -> NoReturn:
        raise ValueError(f"{number} is a number that JSON does not have")

    def finite(number: str) -> float:
        value = float(number)
        return value if math.isfinite(value) else refuse(number)

    try:
        value = json.loads(text, parse_constant=refuse, parse_float=finite)
    except (ValueError, RecursionError) as error:
        reason = "nested too deep" if isinstance(error, RecursionError) else str(error)
        hint = "text that starts like JSON needs quotes of its own"
        raise click.UsageError(f"{option}: the value is not JSON: {reason} ({hint})") from None
    if _depth(value) > _DEEPEST:
        raise click.UsageError(f"{option}: the value is nested deeper than {_DEEPEST} levels")
    return value


def _depth(value: Json) -> int:
    depth, level = 0, [value]
    while level:
        depth += 1
        inside = (each.values() if isinstance(each, dict) else each for each in level if isinstance(each, dict | list))
        level = [item for items in inside for item in items]
    return depth
