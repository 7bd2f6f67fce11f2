"""Jinja's filters with their amounts bounded, and a `tojson` for prompts instead of web pages."""

import functools
import json
from collections.abc import Callable, ItemsView, Iterable, Iterator, KeysView, ValuesView
from typing import TYPE_CHECKING, Any

from jinja2 import Undefined, pass_environment, pass_eval_context
from jinja2.filters import FILTERS as JINJA_FILTERS
from jinja2.nodes import EvalContext

from runner.prompts import cost
from runner.spec import Json

if TYPE_CHECKING:
    from runner.prompts.sandbox import Sandbox

Filter = Callable[..., Any]

# The names of the two filters that the sandbox puts around loops and `~`.
COUNT = "_count"
CONCATENATE = "_concatenate"


def _tojson(value: Json, indent: int | None = None) -> str:
    """JSON to be read by a model: every character as it is, keys in their order, no NaN."""
    cost.size_of(value)
    cost.check_width(indent)
    return json.dumps(value, ensure_ascii=False, allow_nan=False, indent=indent, default=_as_json)


def _as_json(value: object) -> Json:
    if isinstance(value, Undefined):
        str(value)  # raises, and says which name it is
    if isinstance(value, (KeysView, ValuesView, ItemsView)):
        return list(value)
    raise TypeError(f"{type(value).__name__} cannot be written as JSON")


@pass_environment
def _count(environment: "Sandbox", iterable: Iterable[Any], chars: int) -> Iterator[Any]:
    for item in iterable:
        environment.budget.step(chars)
        yield item


def _concatenate(parts: tuple[Json, ...]) -> str:
    cost.check_chars(sum(cost.size_of(part) for part in parts))
    return "".join(map(str, parts))


def _check_amounts(_value: Json, *args: Json, **kwargs: Json) -> None:
    for amount in (*args, *kwargs.values()):
        cost.check_width(amount)


def _check_indent(text: str, width: int | str = 4, *_args: Json, **_kwargs: Json) -> None:
    cost.check_width(width)
    each = width if isinstance(width, int) else len(width)
    cost.check_chars(len(text) + (text.count("\n") + 1) * each)


def _check_replace(_context: object, text: str, old: str, new: str, *_args: Json, **_kwargs: Json) -> None:
    cost.check_chars(len(str(text)) + str(text).count(str(old)) * len(str(new)))


def _check_format(pattern: Json, *_args: Json, **_kwargs: Json) -> None:
    cost.check_format(pattern)


def _check_text(value: Json, *_args: Json, **_kwargs: Json) -> None:
    cost.size_of(value)


@pass_eval_context
def _join(context: EvalContext, value: Iterable[Json], d: str = "", attribute: str | int | None = None) -> str:
    items = list(value)
    cost.check_chars(cost.size_of(items) + len(str(d)) * len(items))
    return str(JINJA_FILTERS["join"](context, items, d, attribute))


def _checked(name: str, check: Filter) -> Filter:
    original = JINJA_FILTERS[name]

    @functools.wraps(original)
    def checked(*args: Any, **kwargs: Any) -> Any:
        check(*args, **kwargs)
        return original(*args, **kwargs)

    return checked


_CHECKS: dict[str, Filter] = {
    "batch": _check_amounts,
    "center": _check_amounts,
    "format": _check_format,
    "indent": _check_indent,
    "pprint": _check_text,
    "replace": _check_replace,
    "round": _check_amounts,
    "slice": _check_amounts,
    "string": _check_text,
}
FILTERS: dict[str, Filter] = {
    **JINJA_FILTERS,
    **{name: _checked(name, check) for name, check in _CHECKS.items()},
    "join": _join,
    "tojson": _tojson,
    COUNT: _count,
    CONCATENATE: _concatenate,
}
