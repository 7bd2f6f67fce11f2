"""Signatures as people write them: what the model is told, and what the function gets."""

import datetime as dt
import functools
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from decimal import Decimal
from enum import Enum, IntEnum
from typing import Annotated, Any, Literal, NamedTuple, NotRequired, TypedDict, Unpack

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, BeforeValidator, Field, model_validator

from runner.tools.annotations import UnreadableSignatureError
from runner.tools.arguments import WrongArgumentsError
from runner.tools.signature import Signature, read_signature


class Color(Enum):
    RED = "red"
    BLUE = "blue"


class Level(IntEnum):
    LOW = 1
    HIGH = 2


class Place(TypedDict):
    city: str
    country: NotRequired[str]


@dataclass
class Point:
    x: int
    y: int = 0


@dataclass
class Tree:
    name: str
    children: list["Tree"] = field(default_factory=list)


class Price(BaseModel):
    """What something costs."""

    amount: float
    currency: Literal["EUR", "USD"] = "EUR"


class Order(BaseModel):
    item: str
    price: Price
    on: dt.date

    @model_validator(mode="before")
    @classmethod
    def from_legacy(cls, data: Any) -> Any:
        return data


def properties(function: Callable[..., object], **descriptions: str) -> Any:
    return read_signature(function, descriptions).schema["properties"]


def called(function: Callable[..., Any], arguments: dict[str, Any]) -> Any:
    bound = read_signature(function, {}).bind(arguments)
    return function(*bound.positional, **bound.by_name)


def problems(function: Callable[..., object], arguments: dict[str, Any]) -> list[str]:
    with pytest.raises(WrongArgumentsError) as raised:
        read_signature(function, {}).bind(arguments)
    return sorted(raised.value.problems)


def many(
    a: Literal["x", "y"],
    b: int | None = None,
    c: Color = Color.RED,
    d: list[int] = [],  # noqa: B006 - people write this
    e: str | list[str] = "z",
    *,
    g: float = 1,
) -> tuple[object, ...]:
    return a, b, c, d, e, g


def test_unions_choices_enums_and_defaults_reach_the_model() -> None:  # field bug B38
    assert read_signature(many, {}).schema == {
        "type": "object",
        "properties": {
            "a": {"enum": ["x", "y"], "type": "string"},
            "b": {"anyOf": [{"type": "integer"}, {"type": "null"}], "default": None},
            "c": {"enum": ["red", "blue"], "type": "string", "default": "red"},
            "d": {"items": {"type": "integer"}, "type": "array", "default": []},
            "e": {"anyOf": [{"type": "string"}, {"items": {"type": "string"}, "type": "array"}], "default": "z"},
            "g": {"type": "number", "default": 1},
        },
        "required": ["a"],
        "additionalProperties": False,
    }


def test_the_function_gets_the_types_it_asks_for_and_its_own_defaults() -> None:
    assert called(many, {"a": "x", "c": "red"}) == ("x", None, Color.RED, [], "z", 1)


def test_star_arguments_are_no_parameters() -> None:  # field bug B39
    def search(q: str, *args: str, **kw: Any) -> tuple[object, ...]:
        return q, args, kw

    def closed(q: str, *args: str) -> None: ...

    schema = read_signature(search, {}).schema

    assert (list(schema["properties"]), schema["required"], schema["additionalProperties"]) == (["q"], ["q"], True)
    assert read_signature(closed, {}).schema["additionalProperties"] is False
    assert called(search, {"q": "x", "limit": 3}) == ("x", (), {"limit": 3})


def test_the_type_of_star_arguments_holds_for_each() -> None:
    def count(**kw: int) -> dict[str, int]:
        return kw

    def plan(q: str, **days: dt.date) -> dict[str, dt.date]:
        return days

    assert read_signature(count, {}).schema == {
        "type": "object",
        "properties": {},
        "additionalProperties": {"type": "integer"},
    }
    assert called(count, {"a": 1, "b": "2"}) == {"a": 1, "b": 2}
    assert problems(count, {"a": "x"}) == ['a: expected a valid integer, found "x"']
    assert called(plan, {"q": "x", "monday": "2026-05-04"}) == {"monday": dt.date(2026, 5, 4)}
    assert problems(plan, {"monday": 3}) == [
        "monday: expected a date such as 2026-05-31, found 3",
        "q: missing, expected a string",
    ]


class Options(TypedDict):
    limit: int
    color: NotRequired[Color]


def test_the_keys_of_unpacked_star_arguments_are_parameters() -> None:
    def search(q: str, **kw: Unpack[Options]) -> tuple[str, Any]:
        return q, kw

    schema = read_signature(search, {}).schema

    assert (list(schema["properties"]), schema["required"]) == (["q", "limit", "color"], ["q", "limit"])
    assert (schema["additionalProperties"], "default" in schema["properties"]["color"]) == (False, False)
    assert called(search, {"q": "x", "limit": "3"}) == ("x", {"limit": 3})
    assert called(search, {"q": "x", "limit": 3, "color": "RED"}) == ("x", {"limit": 3, "color": Color.RED})
    assert problems(search, {"q": "x", "lmit": 3}) == [
        "limit: missing, expected an integer",
        "lmit: there is no such argument, did you mean 'limit'?",
    ]


def test_annotations_may_be_text() -> None:
    def later(color: "Color", points: "list[Point]", maybe: "int | None" = None) -> tuple[object, ...]:
        return color, points, maybe

    assert called(later, {"color": "blue", "points": [{"x": 1}]}) == (Color.BLUE, [Point(1)], None)


def test_a_name_known_only_to_the_type_checker_is_an_error_that_names_the_parameter() -> None:
    def unknown(x: "Missing") -> None: ...  # type: ignore[name-defined] # noqa: F821 - what the test is about

    with pytest.raises(UnreadableSignatureError, match=r"parameter 'x'.*'Missing'.*TYPE_CHECKING"):
        read_signature(unknown, {})


def test_a_return_annotation_nobody_can_evaluate_does_not_matter() -> None:
    def fine(x: int) -> "Missing": ...  # type: ignore[name-defined] # noqa: F821 - what the test is about

    assert list(properties(fine)) == ["x"]


def test_parameters_without_annotations_take_any_value() -> None:
    def plain(a, b=5):  # type: ignore[no-untyped-def]
        return a, b

    assert properties(plain) == {"a": {}, "b": {"default": 5}}
    assert called(plain, {"a": {"k": [1, "x", None]}}) == ({"k": [1, "x", None]}, 5)


def test_positional_only_parameters_are_passed_by_position() -> None:
    def positional(a: int, b: int = 2, /, c: int = 3) -> tuple[int, ...]:
        return a, b, c

    assert called(positional, {"a": "1", "c": 9}) == (1, 2, 9)


def test_a_default_of_none_allows_null_whatever_the_annotation_says() -> None:
    def find(city: str = None) -> str | None:  # type: ignore[assignment] # noqa: RUF013 - people write this
        return city

    assert properties(find)["city"]["anyOf"] == [{"type": "string"}, {"type": "null"}]
    assert called(find, {"city": None}) is None


def test_structured_types_are_built_from_objects() -> None:
    def place(point: Point, where: Place, order: Order, pair: tuple[int, str], tags: set[str]) -> tuple[object, ...]:
        return point, where, order, pair, tags

    arguments = {
        "point": {"x": 1},
        "where": {"city": "Rome"},
        "order": {"item": "tea", "price": {"amount": 2.5}, "on": "2024-05-31"},
        "pair": [1, "a"],
        "tags": ["b", "b"],
    }

    assert called(place, arguments) == (
        Point(1),
        {"city": "Rome"},
        Order(item="tea", price=Price(amount=2.5), on=dt.date(2024, 5, 31)),
        (1, "a"),
        {"b"},
    )


def test_dates_decimals_and_numbered_enums_are_converted() -> None:
    def book(day: dt.date, at: dt.datetime, price: Decimal, level: Level) -> tuple[object, ...]:
        return day, at, price, level

    given = {"day": "2024-05-31", "at": "2024-05-31T00:00Z", "price": "1.10", "level": "2"}

    assert called(book, given) == (
        dt.date(2024, 5, 31),
        dt.datetime(2024, 5, 31, tzinfo=dt.UTC),
        Decimal("1.10"),
        Level.HIGH,
    )


def test_a_day_is_midnight_of_that_day_but_a_number_is_no_date() -> None:
    def use(at: dt.datetime) -> str:
        return at.isoformat()

    assert called(use, {"at": "2024-05-31"}) == "2024-05-31T00:00:00"
    assert problems(use, {"at": "2024"}) == [
        'at: expected a date and time such as 2026-05-31T09:00:00, found "2024"',
    ]


def test_an_iterable_is_checked_before_the_call_and_can_be_read_twice() -> None:
    def total(numbers: Iterable[int]) -> tuple[int, int]:
        return sum(numbers), sum(numbers)

    assert called(total, {"numbers": [1, 2]}) == (3, 3)
    assert problems(total, {"numbers": ["x"]}) == ['numbers[0]: expected a valid integer, found "x"']


def test_definitions_are_written_in_place_unless_they_are_recursive() -> None:
    def use(price: Price, first: Color, second: Color, tree: Tree) -> None: ...

    schema = read_signature(use, {}).schema
    price = schema["properties"]["price"]

    assert price["properties"]["currency"] == {"enum": ["EUR", "USD"], "type": "string", "default": "EUR"}
    assert price["description"] == "What something costs."
    assert schema["properties"]["second"] == {"enum": ["red", "blue"], "type": "string"}
    assert list(schema["$defs"]) == ["Tree"]


def test_a_definition_made_of_others_is_not_written_twice() -> None:
    def use(first: Order, second: Order) -> None: ...

    schema = read_signature(use, {}).schema

    assert list(schema["$defs"]) == ["Order"]
    assert schema["properties"]["first"] == schema["properties"]["second"] == {"$ref": "#/$defs/Order"}
    assert schema["$defs"]["Order"]["properties"]["price"]["type"] == "object"
    assert problems(use, {"first": {"item": "tea", "price": {"amount": "NaN"}, "on": "5"}, "second": "{}"}) == [
        'first.on: expected a date such as 2026-05-31, found "5"',
        'first.price.amount: expected a number, found "NaN"',
        "second.item: missing, expected a string",
        "second.on: missing, expected a string",
        "second.price: missing, expected an object",
    ]


def test_a_recursive_value_is_read_all_the_way_down() -> None:
    def use(tree: Tree) -> Tree:
        return tree

    assert called(use, {"tree": '{"name": "a", "children": [{"name": "b"}]}'}) == Tree("a", [Tree("b")])
    assert problems(use, {"tree": {"name": "a", "children": [{}]}}) == [
        "tree.children[0].name: missing, expected a string"
    ]


def test_nothing_of_the_schema_is_a_generated_title_but_a_parameter_may_be_called_title() -> None:
    def use(title: str, price: Price) -> None: ...

    schema = read_signature(use, {}).schema

    assert schema["properties"]["title"] == {"type": "string"}
    assert "title" not in schema["properties"]["price"]
    assert "title" not in schema["properties"]["price"]["properties"]["amount"]


def test_names_that_pydantic_keeps_for_itself_are_free_for_parameters() -> None:
    def use(schema: str, copy: int, model_config: str, _x: int, self: int) -> tuple[object, ...]:
        return schema, copy, model_config, _x, self

    given = {"schema": "s", "copy": 1, "model_config": "m", "_x": 2, "self": 3}

    assert list(properties(use)) == list(given)
    assert called(use, given) == ("s", 1, "m", 2, 3)


def test_descriptions_come_from_the_docstring_unless_the_field_has_its_own() -> None:
    def use(
        a: int, b: Annotated[int, Field(description="Own.", ge=1)], c: int = Field(3, description="Own.")
    ) -> object:
        return a, b, c

    found = properties(use, a="Told.", b="Told.", c="Told.", d="Of a parameter that does not exist.")

    assert [found[name]["description"] for name in "abc"] == ["Told.", "Own.", "Own."]
    assert called(use, {"a": 1, "b": 1}) == (1, 1, 3)


def test_a_field_can_give_a_parameter_another_name() -> None:
    def use(from_: Annotated[str, Field(alias="from")]) -> str:
        return from_

    assert list(properties(use)) == ["from"]
    assert called(use, {"from": "Oslo"}) == "Oslo"


def test_a_default_json_cannot_hold_is_not_shown() -> None:
    def use(a: Any = object(), b: float = float("nan")) -> None: ...  # noqa: B008 - what the test is about

    assert properties(use) == {"a": {}, "b": {"type": "number"}}


def test_a_parameter_json_has_no_values_for_is_left_out_if_it_has_a_default() -> None:
    def use(q: str, clock: Callable[[], float] = lambda: 0.0) -> tuple[str, float]:
        return q, clock()

    assert list(properties(use)) == ["q"]
    assert called(use, {"q": "x"}) == ("x", 0.0)


def test_a_parameter_json_has_no_values_for_is_an_error_without_a_default() -> None:
    def use(q: str, clock: Callable[[], float]) -> None: ...

    with pytest.raises(UnreadableSignatureError, match="parameter 'clock' has a type that JSON has no values for"):
        read_signature(use, {})


def test_a_constraint_that_makes_no_sense_is_an_error_even_with_a_default() -> None:
    def use(q: Annotated[str, Field(pattern="(")] = "x") -> None: ...

    with pytest.raises(UnreadableSignatureError, match="parameter 'q'"):
        read_signature(use, {})


def test_decorated_functions_and_partials_are_seen_through() -> None:
    def decorator(function: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(function)
        def wrapper(*args: Any, **kwargs: Any) -> Any:
            return function(*args, **kwargs)

        return wrapper

    @decorator
    def use(color: "Color", times: int = 1) -> tuple[object, ...]:
        return color, times

    assert list(properties(use)) == ["color", "times"]
    assert called(functools.partial(use, times=2), {"color": "RED"}) == (Color.RED, 2)


def test_a_class_is_called_with_the_parameters_of_its_constructor() -> None:
    assert properties(Point) == {"x": {"type": "integer"}, "y": {"type": "integer", "default": 0}}
    assert called(Point, {"x": "4"}) == Point(4)


def test_every_problem_is_told_at_once() -> None:
    def use(city: str, days: int, unit: Literal["c", "f"] = "c", **kw: int) -> None: ...

    def closed(city: str, days: int, unit: Literal["c", "f"] = "c") -> None: ...

    assert problems(use, {"unit": "k"}) == [
        "city: missing, expected a string",
        "days: missing, expected an integer",
        "unit: expected 'c' or 'f', found \"k\"",
    ]
    assert problems(closed, {"ctiy": "Rome", "days": "many", "zzz": 1}) == [
        "city: missing, expected a string",
        "ctiy: there is no such argument, did you mean 'city'?",
        'days: expected a valid integer, found "many"',
        "zzz: there is no such argument",
    ]


def test_the_branches_of_a_union_are_one_problem() -> None:
    def use(x: int | list[int] | Price) -> None: ...

    assert problems(use, {"x": "q"}) == ['x: expected a valid integer or a valid array or an object, found "q"']


def test_unknown_keys_inside_a_value_are_named() -> None:
    def use(where: Place, point: Point) -> None: ...

    assert problems(use, {"where": {"city": "Rome", "zip": 1}, "point": {"x": 1, "z": 2}}) == [
        "point.z: there is no such key",
        "where.zip: there is no such key",
    ]


def test_a_validator_of_the_author_speaks_in_its_own_words() -> None:
    def even(value: int) -> int:
        if value % 2:
            raise ValueError("odd numbers are not served")
        return value

    def use(n: Annotated[int, BeforeValidator(even)]) -> None: ...

    assert problems(use, {"n": 3}) == ["n: odd numbers are not served, found 3"]


JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=True) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=8,
)


def everything(  # noqa: PLR0917 - one parameter of each kind
    n: int, f: float, b: bool, s: str, items: list[int], tree: Tree, c: Color, when: dt.datetime, u: int | Place
) -> None: ...


EVERYTHING: Signature = read_signature(everything, {})


PLAUSIBLE: dict[str, st.SearchStrategy[Any]] = {
    "n": st.integers() | st.integers().map(str),
    "f": st.floats() | st.integers(),
    "b": st.sampled_from([True, "false", "True"]),
    "s": st.text(max_size=3),
    "items": st.lists(st.integers() | st.just("7"), max_size=3) | st.just("[1]"),
    "tree": st.just({"name": "a", "children": [{"name": "b"}]}),
    "c": st.sampled_from(["red", "BLUE"]),
    "when": st.sampled_from(["2024-05-31T10:00:00", "2024"]),
    "u": st.sampled_from([3, "3", {"city": "Rome"}]),
}


@given(st.fixed_dictionaries(PLAUSIBLE), st.dictionaries(st.sampled_from([*PLAUSIBLE, "zzz"]), JSON_VALUES, max_size=2))
def test_any_arguments_are_either_of_the_annotated_types_or_refused(
    plausible: dict[str, Any], odd: dict[str, Any]
) -> None:
    try:
        bound = EVERYTHING.bind({**plausible, **odd}).by_name
    except WrongArgumentsError:
        return
    types = (int, float, bool, str, list, Tree, Color, dt.datetime)
    assert [type(bound[name]) for name in list(PLAUSIBLE)[:8]] == list(types)


@given(st.integers(), st.booleans(), st.lists(st.integers(), max_size=4), st.text())
def test_right_arguments_reach_the_function_unchanged(n: int, b: bool, items: list[int], s: str) -> None:
    def use(n: int, b: bool, items: list[int], s: str, anything: Any) -> tuple[object, ...]:
        return n, b, items, s, anything

    given = {"n": n, "b": b, "items": items, "s": s.encode("utf-8", "replace").decode(), "anything": {"k": items}}

    assert called(use, given) == tuple(given.values())


class Span(NamedTuple):
    start: int
    end: int = 0


def test_the_default_of_a_named_tuple_fits_its_schema() -> None:
    def cut(span: Span = Span(1, 2)) -> Span:  # noqa: B008 - people write this
        return span

    assert properties(cut)["span"]["default"] == {"start": 1, "end": 2}
    assert called(cut, {}) == Span(1, 2)


def test_what_is_missing_inside_an_argument_says_what_is_expected() -> None:
    def place(order: Order, trees: list[Tree], either: Point | None = None) -> None: ...

    assert problems(place, {"order": {"item": "x", "price": {}}, "trees": [{}], "either": {"y": 1}}) == [
        "either.x: missing, expected an integer",
        "order.on: missing, expected a string",
        "order.price.amount: missing, expected a number",
        "trees[0].name: missing, expected a string",
    ]


@pytest.mark.parametrize("value", ["5", 5, "soon", "5 minutes"])
def test_a_duration_is_asked_for_in_our_words(value: object) -> None:
    def wait(pause: dt.timedelta) -> None: ...

    (problem,) = problems(wait, {"pause": value})

    assert problem.startswith("pause: expected a duration such as PT1H30M, found ")
