"""The types people annotate parameters with, one by one: what the model is told, and what the function gets."""

import collections
import datetime as dt
import functools
import re
import uuid
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field
from decimal import Decimal
from enum import Enum, IntEnum, IntFlag, StrEnum
from pathlib import Path
from typing import (
    Annotated,
    Any,
    Literal,
    LiteralString,
    NamedTuple,
    NewType,
    NotRequired,
    Optional,
    Required,
    TypedDict,
    TypeVar,
    Union,
)

import pytest
from pydantic import BaseModel, ConfigDict, Field

from runner.tools.annotations import UnreadableSignatureError
from runner.tools.arguments import WrongArgumentsError
from runner.tools.signature import read_signature

UserId = NewType("UserId", int)
T = TypeVar("T")
Number = TypeVar("Number", bound=int)
Pair = collections.namedtuple("Pair", "left right")  # noqa: PYI024 - people write it


class Mixed(Enum):
    ONE = 1
    TEXT = "text"


class Level(IntEnum):
    LOW = 1
    HIGH = 2


class Mode(StrEnum):
    FAST = "fast"
    DEEP = "deep"


class Flags(IntFlag):
    READ = 1
    WRITE = 2


class Loose(TypedDict, total=False):
    city: Required[str]
    zip: int


class Strict(TypedDict):
    where: Loose
    note: NotRequired[str]


class Point(NamedTuple):
    x: int
    label: str = "p"


@dataclass(frozen=True, slots=True)
class Item:
    name: str
    _: KW_ONLY
    tags: list[str] = field(default_factory=list)


@dataclass
class Basket:
    items: list[Item]
    owner: Item | None = None


class Span(BaseModel):
    model_config = ConfigDict(populate_by_name=True)
    start: int = Field(alias="from", description="First line.")


class Cat(BaseModel):
    kind: Literal["cat"]
    lives: int = 9


class Dog(BaseModel):
    kind: Literal["dog"]
    name: str


class Report(BaseModel):
    span: Span
    pet: Annotated[Cat | Dog, Field(discriminator="kind")]


ITEM = {
    "type": "object",
    "properties": {"name": {"type": "string"}, "tags": {"type": "array", "items": {"type": "string"}}},
    "required": ["name"],
    "additionalProperties": False,
}
LOOSE = {
    "type": "object",
    "properties": {"city": {"type": "string"}, "zip": {"type": "integer"}},
    "required": ["city"],
    "additionalProperties": False,
}
CASES: list[tuple[Any, Any, Any, Any]] = [
    (Optional[int], {"anyOf": [{"type": "integer"}, {"type": "null"}]}, None, None),  # noqa: UP045 - people write it
    (Union[int, str], {"anyOf": [{"type": "integer"}, {"type": "string"}]}, "1", "1"),  # noqa: UP007 - as above
    (int | list[int], {"anyOf": [{"type": "integer"}, {"items": {"type": "integer"}, "type": "array"}]}, "[1]", [1]),
    (Literal["x", 2] | None, {"anyOf": [{"enum": ["x", 2]}, {"type": "null"}]}, "2", 2),
    (Literal["only"], {"const": "only", "type": "string"}, "ONLY", "only"),
    (Mixed, {"enum": [1, "text"]}, "1", Mixed.ONE),
    (Level, {"enum": [1, 2], "type": "integer"}, "2", Level.HIGH),
    (Mode, {"enum": ["fast", "deep"], "type": "string"}, "Deep", Mode.DEEP),
    (Flags, {"enum": [1, 2], "type": "integer"}, 3, Flags.READ | Flags.WRITE),
    (list, {"items": {}, "type": "array"}, [1, "a"], [1, "a"]),
    (list[Mode], {"items": {"enum": ["fast", "deep"], "type": "string"}, "type": "array"}, '["FAST"]', [Mode.FAST]),
    (dict, {"additionalProperties": True, "type": "object"}, '{"a": 1}', {"a": 1}),
    (dict[str, int], {"additionalProperties": {"type": "integer"}, "type": "object"}, {"a": "1"}, {"a": 1}),
    (dict[int, str], {"additionalProperties": {"type": "string"}, "type": "object"}, {"1": "x"}, {1: "x"}),
    (Mapping[str, Any], {"additionalProperties": True, "type": "object"}, {"a": []}, {"a": []}),
    (set[int], {"items": {"type": "integer"}, "type": "array", "uniqueItems": True}, [1, "1"], {1}),
    (
        frozenset[str],
        {"items": {"type": "string"}, "type": "array", "uniqueItems": True},
        ["a"],
        frozenset({"a"}),
    ),
    (tuple[int, ...], {"items": {"type": "integer"}, "type": "array"}, ["1"], (1,)),
    (
        tuple[int, str],
        {"maxItems": 2, "minItems": 2, "prefixItems": [{"type": "integer"}, {"type": "string"}], "type": "array"},
        ["1", "1"],
        (1, "1"),
    ),
    (Sequence[int], {"items": {"type": "integer"}, "type": "array"}, [1], [1]),
    (deque[int], {"items": {"type": "integer"}, "type": "array"}, [1], deque([1])),
    (Loose, LOOSE, '{"city": "Rome", "zip": "1"}', {"city": "Rome", "zip": 1}),
    (
        Strict,
        {
            "type": "object",
            "properties": {"where": LOOSE, "note": {"type": "string"}},
            "required": ["where"],
            "additionalProperties": False,
        },
        {"where": {"city": "Rome"}},
        {"where": {"city": "Rome"}},
    ),
    (
        Point,
        {
            "type": "object",
            "properties": {"x": {"type": "integer"}, "label": {"type": "string", "default": "p"}},
            "required": ["x"],
            "additionalProperties": False,
        },
        {"x": "1"},
        Point(1),
    ),
    (
        Pair,
        {
            "type": "object",
            "properties": {"left": {}, "right": {}},
            "required": ["left", "right"],
            "additionalProperties": False,
        },
        [1, 2],
        Pair(1, 2),
    ),
    (Item, ITEM, {"name": "a"}, Item("a")),
    (
        Basket,
        {
            "type": "object",
            "properties": {
                "items": {"type": "array", "items": ITEM},
                "owner": {"anyOf": [ITEM, {"type": "null"}], "default": None},
            },
            "required": ["items"],
            "additionalProperties": False,
        },
        {"items": [{"name": "a", "tags": '["x"]'}]},
        Basket([Item("a", tags=["x"])]),
    ),
    (
        Span,
        {
            "type": "object",
            "properties": {"from": {"description": "First line.", "type": "integer"}},
            "required": ["from"],
        },
        {"from": "3"},
        Span.model_validate({"from": 3}),
    ),
    (Annotated[int, Field(ge=1, le=5, description="Of five.")],
     {"type": "integer", "minimum": 1, "maximum": 5, "description": "Of five."}, "3", 3),
    (dt.datetime, {"format": "date-time", "type": "string"}, "2024-01-02T03:04", dt.datetime(2024, 1, 2, 3, 4)),  # noqa: DTZ001 - a local time
    (dt.date, {"format": "date", "type": "string"}, "2024-01-02", dt.date(2024, 1, 2)),
    (dt.time, {"format": "time", "type": "string"}, "10:30", dt.time(10, 30)),
    (dt.timedelta, {"format": "duration", "type": "string"}, "PT90M", dt.timedelta(minutes=90)),
    (Decimal, {"anyOf": [{"type": "number"}, {"type": "string"}]}, "1.10", Decimal("1.10")),
    (uuid.UUID, {"format": "uuid", "type": "string"}, str(uuid.UUID(int=1)), uuid.UUID(int=1)),
    (Path, {"format": "path", "type": "string"}, "a/b", Path("a/b")),
    (bytes, {"format": "binary", "type": "string"}, "é", "é".encode()),
    (re.Pattern[str], {"format": "regex", "type": "string"}, "a+", re.compile("a+")),
    (LiteralString, {"type": "string"}, "x", "x"),
    (UserId, {"type": "integer"}, "3", 3),
    (T, {}, "3", "3"),
    (Number, {"type": "integer"}, "3", 3),
    (list["Mode"], {"items": {"enum": ["fast", "deep"], "type": "string"}, "type": "array"}, ["fast"], [Mode.FAST]),
    (object, {}, [1], [1]),
    (None, {"type": "null"}, None, None),
    (bool, {"type": "boolean"}, "false", False),  # field bug B44
    (float, {"type": "number"}, "1.5", 1.5),
]  # fmt: skip


def taking(hint: Any) -> Callable[..., object]:
    def use(value: Any) -> object:
        return value

    use.__annotations__ = {"value": hint}
    return use


@pytest.mark.parametrize(("hint", "told", "given", "got"), CASES, ids=[str(case[0]) for case in CASES])
def test_a_type_is_told_and_its_values_are_made(hint: Any, told: Any, given: Any, got: Any) -> None:
    signature = read_signature(taking(hint), {})
    value = signature.bind({"value": given}).by_name["value"]

    assert signature.schema["properties"]["value"] == told
    assert value == got
    assert type(value) is type(got)


def test_the_branch_of_a_union_is_found_by_its_discriminator() -> None:
    report = {"span": {"from": 1}, "pet": '{"kind": "dog", "name": "Rex"}'}

    bound = read_signature(taking(Report), {}).bind({"value": report})

    assert bound.by_name["value"] == Report(span=Span.model_validate({"from": 1}), pet=Dog(kind="dog", name="Rex"))


@pytest.mark.parametrize("hint", [Callable[[int], int], Callable, type, type[int], re.Match, Exception, range])
def test_a_type_that_json_has_no_values_for_is_an_error_that_names_it(hint: Any) -> None:
    with pytest.raises(UnreadableSignatureError, match=r"^parameter 'value' has a type that JSON has no values for, "):
        read_signature(taking(hint), {})


@pytest.mark.parametrize(
    ("hint", "given", "told"),
    [
        (Point, {"x": 1, "y": 2}, "value.y: "),
        (tuple[int, str], [1], "value[1]: missing"),
        (Annotated[int, Field(le=5)], 9, "value: expected less than or equal to 5, found 9"),
        (re.Pattern, "(", 'value: expected a valid regular expression, found "("'),
        (uuid.UUID, "x", "value: expected a valid UUID"),
        (bool, "maybe", 'value: expected a valid boolean, unable to interpret input, found "maybe"'),
        (Mode, "slow", 'value: expected \'fast\' or \'deep\', found "slow"'),
        (set[int], ["a"], 'value[0]: expected a valid integer, found "a"'),
    ],
)  # fmt: skip
def test_a_value_that_does_not_fit_is_told_with_what_was_expected(hint: Any, given: Any, told: str) -> None:
    with pytest.raises(WrongArgumentsError, match=re.escape(told)):
        read_signature(taking(hint), {}).bind({"value": given})


def test_defaults_of_any_kind_are_told_where_json_can_and_kept_where_it_cannot() -> None:
    marker = object()

    def use(  # noqa: PLR0917 - one of each kind
        a: Mode = Mode.FAST,
        b: dt.date = dt.date(2024, 1, 2),
        c: tuple[int, ...] = (1, 2),
        d: Point = Point(1),  # noqa: B008 - people write this
        e: set[int] = {3},  # noqa: B006 - as above
        f: Any = marker,
        g: Annotated[list[int], Field(default_factory=lambda: [7])] = Field(default_factory=list),  # noqa: B008 - as above
        h: int = Field(4, ge=1),
        *,
        i: Decimal = Decimal("1.10"),
    ) -> tuple[object, ...]:
        return a, b, c, d, e, f, g, h, i

    function: Callable[..., Any] = use
    signature = read_signature(use, {})
    bound = signature.bind({})

    told = {name: part["default"] for name, part in signature.schema["properties"].items() if "default" in part}
    assert told.pop("d") in ([1, "p"], {"x": 1, "label": "p"})
    assert told == {"a": "fast", "b": "2024-01-02", "c": [1, 2], "e": [3], "h": 4, "i": "1.10"}
    assert "required" not in signature.schema
    assert function(**bound.by_name)[5] is marker
    assert function(**bound.by_name)[6:] == ([], 4, Decimal("1.10"))


def test_a_required_parameter_after_an_optional_one_is_still_required() -> None:
    def use(a: int = 1, *, b: str) -> tuple[int, str]:
        return a, b

    assert read_signature(use, {}).schema["required"] == ["b"]


def test_what_is_left_out_before_a_positional_parameter_shifts_nothing() -> None:
    def use(clock: Callable[[], int] = lambda: 7, n: int = 1, /, **more: int) -> tuple[int, int, object]:
        return clock(), n, more

    function: Callable[..., Any] = use
    bound = read_signature(use, {}).bind({"n": "2", "x": 3})

    assert function(*bound.positional, **bound.by_name) == (7, 2, {"x": 3})


def test_what_is_left_out_cannot_be_given_through_other_arguments() -> None:
    def use(q: str, clock: Callable[[], int] = lambda: 7, **more: int) -> None: ...

    with pytest.raises(WrongArgumentsError, match="clock: there is no such argument"):
        read_signature(use, {}).bind({"q": "x", "clock": 5})


@functools.lru_cache
def cached(n: int) -> int:
    return n


def test_a_cached_function_is_seen_through() -> None:
    assert read_signature(cached, {}).schema["properties"] == {"n": {"type": "integer"}}
