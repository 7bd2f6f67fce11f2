"""Whatever a tool returns becomes text for the model."""

import array
import base64
import datetime as dt
import functools
import itertools
import json
import types
import uuid
from collections import OrderedDict, deque
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from decimal import Decimal
from enum import Enum, StrEnum
from pathlib import PurePosixPath
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, Field
from pydantic.dataclasses import dataclass as pydantic_dataclass

from runner.tools.results import UnwritableResultError, as_text, collected, cut


class Color(Enum):
    RED = "red"


class Named(StrEnum):
    A = "a"


@dataclass
class Point:
    x: int
    when: dt.date
    data: bytes = b""


class Price(BaseModel):
    amount: Decimal = Field(serialization_alias="sum")
    data: bytes = b""
    note: Any = None


@pydantic_dataclass
class Parcel:
    weight: Decimal


class Opaque:
    pass


class Told:
    def __str__(self) -> str:
        return "told"


def text(value: object, max_chars: int = 20_000) -> str:
    return as_text(value, max_chars=max_chars)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("naïve 日本", "naïve 日本"),
        ("", ""),
        (None, "(no result)"),
        (True, "true"),
        (3, "3"),
        (1.0, "1.0"),
        (10**30, str(10**30)),
        ([], "[]"),
        ({}, "{}"),
        ([None, True, "é"], '[null,true,"é"]'),
        ({"a": {"b": [1, 2]}}, '{"a":{"b":[1,2]}}'),
        ((1, "a"), '[1,"a"]'),
        ({1}, "[1]"),
        (frozenset({1}), "[1]"),
        ({"b", "a", "c"}, '["a","b","c"]'),
        (frozenset({(2, "x"), (1, "y")}), '[[1,"y"],[2,"x"]]'),
        ({"b", 1, "a", None}, '[null,1,"a","b"]'),
        (deque([1, 2]), "[1,2]"),
        ({"all": (str(n) for n in range(2))}, '{"all":["0","1"]}'),
        ([(n for n in range(k)) for k in range(3)], "[[],[0],[0,1]]"),
        (ExceptionGroup("several", [ValueError("one")]), '"several (1 sub-exception)"'),
        (dt.time(1, 2), '"01:02:00"'),
        (range(3), "[0,1,2]"),
        ({"a": 1}.keys(), '["a"]'),
        (OrderedDict(a=1), '{"a":1}'),
        (types.MappingProxyType({"a": 1}), '{"a":1}'),
        ((n for n in range(3)), "[0,1,2]"),
        (map(str, [1]), '["1"]'),
        # field bug B32
        (dt.datetime(2024, 1, 2, 3, 4, tzinfo=dt.UTC), '"2024-01-02T03:04:00Z"'),
        (dt.date(2024, 1, 2), '"2024-01-02"'),
        (dt.timedelta(minutes=90), '"PT1H30M"'),
        (Decimal("1.10"), '"1.10"'),
        (uuid.UUID(int=1), '"00000000-0000-0000-0000-000000000001"'),
        (PurePosixPath("a/b"), '"a/b"'),
        (Color.RED, "red"),
        (Named.A, "a"),
        ([Color.RED, Named.A], '["red","a"]'),
        (b"text", "text"),
        (b"\xff", "/w=="),
        ([b"\xff", bytearray(b"a"), memoryview(b"b")], '["/w==","a","b"]'),
        (b"\xff" * 5000, "(5,000 bytes of binary data)"),
        ({("k", 1): 1, 2: "b", None: 3, Color.RED: 4}, '{"k,1":1,"2":"b","None":3,"red":4}'),
        ({dt.date(2024, 1, 2): 5}, '{"2024-01-02":5}'),
        (Point(1, dt.date(2024, 1, 2), b"\xff"), '{"x":1,"when":"2024-01-02","data":"/w=="}'),
        (Price(amount=Decimal("1.10")), '{"sum":"1.10","data":"","note":null}'),
        (Price(amount=Decimal(1), data=b"\xff", note="\ud800"), '{"sum":"1","data":"/w==","note":"�"}'),
        ([Parcel(Decimal("2.50"))], '[{"weight":"2.50"}]'),
        (float("nan"), '"NaN"'),
        ([float("inf"), -float("inf")], '["Infinity","-Infinity"]'),
        ("\ud800x\ud83d\ude00", "�x😀"),
        (["\ud800"], '["�"]'),
        ({"\ud800": 1}, '{"�":1}'),
        (array.array("i", [1, 2]), "[1,2]"),
        (Told(), '"told"'),
        ({"e": ValueError("bad")}, '{"e":"bad"}'),
    ],
)  # fmt: skip
def test_a_value_becomes_readable_text(value: object, expected: str) -> None:
    assert text(value) == expected


def test_a_value_that_contains_itself_is_a_clear_error() -> None:
    items: list[Any] = [1]
    items.append({"again": items})

    with pytest.raises(UnwritableResultError, match="contains itself"):
        text(items)


def test_a_model_that_contains_itself_is_a_clear_error() -> None:
    price = Price(amount=Decimal(1))
    price.note = [price]

    with pytest.raises(UnwritableResultError, match="contains itself"):
        text(price)


def test_the_same_value_twice_is_not_a_cycle() -> None:
    inner = [1]

    assert text([inner, inner]) == "[[1],[1]]"


def test_a_value_nested_without_end_is_a_clear_error() -> None:
    deep: list[Any] = []
    for _ in range(20_000):
        deep = [deep]

    with pytest.raises(UnwritableResultError, match="nested too deeply"):
        text(deep, max_chars=100_000)


@pytest.mark.parametrize("value", [Opaque(), [Opaque()], {"a": Opaque()}, {Opaque(): 1}, lambda: 1])
def test_an_object_with_nothing_but_an_address_is_an_error_that_names_its_type(value: object) -> None:  # field bug B34
    with pytest.raises(UnwritableResultError, match=r"(Opaque|function), which cannot be written as JSON"):
        text(value)


def test_an_opaque_object_inside_a_model_is_an_error_too() -> None:
    with pytest.raises(UnwritableResultError, match="Opaque"):
        text(Price(amount=Decimal(1), note=Opaque()))


def test_long_text_is_cut_and_says_how_long_it_was() -> None:  # field bug B33
    assert text("é" * 5_000_000, max_chars=20_000) == "é" * 20_000 + "… [cut: 20,000 of 5,000,000 characters shown]"
    assert text("é" * 10, max_chars=10) == "é" * 10


def test_text_is_cut_between_characters() -> None:
    assert cut("😀" * 3, max_chars=2) == "😀😀… [cut: 2 of 3 characters shown]"


UNKNOWN = " are shown, of a number that is not known"


@pytest.mark.parametrize(
    ("value", "size"),
    [
        (itertools.count(), UNKNOWN),
        ((str(n) for n in itertools.count()), UNKNOWN),
        (list(range(5_000_000)), " of a list of 5,000,000 items are shown"),
        (["x" * 50_000_000], " of a list of 1 item are shown"),
        ({"a": {"b": itertools.repeat("word")}}, " of an object of 1 key are shown"),
        (({"n": n} for n in itertools.count()), UNKNOWN),
        (set(range(300_000)), " of a list of 300,000 items are shown"),
        ([[]] * 5_000_000, " of a list of 5,000,000 items are shown"),
    ],
    ids=["count", "strings", "list", "long text", "nested", "objects", "set", "empty lists"],
)
def test_no_more_is_read_of_a_huge_value_than_is_shown(value: object, size: str) -> None:
    shown, _, note = text(value, max_chars=1000).partition("…")

    assert len(shown) == 1000
    assert note == f" [cut: the first 1,000 characters{size}]"


def test_reading_a_generator_stops_soon_after_the_cap() -> None:
    read = 0

    def numbers() -> Iterator[str]:
        nonlocal read
        for read in itertools.count():  # noqa: B007 - counts what was read
            yield "0123456789"

    text(numbers(), max_chars=100)

    assert read < 20


async def test_an_asynchronous_iterator_is_read_up_to_the_cap_and_closed() -> None:
    closed = []

    async def words() -> AsyncIterator[str]:
        try:
            while True:
                yield "word"
        finally:
            closed.append(True)

    taken = await collected(words(), max_chars=100)

    assert len(text(taken, max_chars=100)) > 100
    assert len(taken) < 50
    assert closed == [True]


async def test_an_iterator_that_has_no_close_is_read_as_well() -> None:
    class Few:
        def __init__(self) -> None:
            self._left = iter([1, 2])

        def __aiter__(self) -> "Few":
            return self

        async def __anext__(self) -> int:
            for value in self._left:
                return value
            raise StopAsyncIteration

    assert await collected(Few(), max_chars=100) == [1, 2]


ANYTHING = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=10)
    | st.binary(max_size=10)
    | st.decimals()
    | st.datetimes()
    | st.uuids()
    | st.just("\ud800"),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.text(max_size=4) | st.integers() | st.tuples(st.integers()), inner, max_size=4)
        | st.lists(inner, max_size=3).map(tuple)
    ),
    max_leaves=15,
)


@given(st.lists(ANYTHING, max_size=5))
def test_any_container_becomes_json_that_can_be_sent(value: list[Any]) -> None:
    written = text(value)

    json.loads(written, parse_constant=functools.partial(pytest.fail, "NaN is not JSON"))
    written.encode()


@given(ANYTHING, st.integers(min_value=1, max_value=50))
def test_the_text_is_never_longer_than_the_cap_and_its_note(value: object, cap: int) -> None:
    shown, _, note = text(value, max_chars=cap).partition("… [cut: ")

    assert len(shown) <= cap or (value is None and not note)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=10),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(max_size=4), inner),
    max_leaves=15,
)


@given(st.lists(JSON) | st.dictionaries(st.text(max_size=4), JSON))
def test_json_values_are_written_without_a_change(value: Any) -> None:
    assert json.loads(text(value)) == value


@given(st.binary(max_size=1000))
def test_bytes_are_their_text_or_base64(value: bytes) -> None:
    try:
        expected = value.decode()
    except UnicodeDecodeError:
        expected = base64.b64encode(value).decode()

    assert text(value) == expected
