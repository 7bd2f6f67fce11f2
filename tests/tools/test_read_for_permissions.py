"""What permissions see of the arguments of a Python tool: what its types make of them counts as well."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from runner.engine.permissions import Permissions
from runner.engine.ports import Tool
from runner.spec import JsonObject, PermissionsSpec
from runner.tools.arguments import both
from tests.tools.conftest import open_in

MODULE = """
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from enum import Enum
from typing import Annotated

from pydantic import AfterValidator, AliasChoices, BaseModel, Field, StringConstraints

Lower = Annotated[str, StringConstraints(to_lower=True, strip_whitespace=True)]


class Header(BaseModel):
    sender: str = Field(alias="from")
    to: str = Field("nobody", validation_alias=AliasChoices("to", "rcpt"))


@dataclass
class Point:
    x: float


class Color(Enum):
    RED = "red"


def lower(to: Lower, /, *, cc: list[Lower] = ()): ...
def header(header: Header): ...
def pay(amount: Decimal, count: float = 0.0): ...
def paint(color: Color, at: Point, on: date): ...
def rest(**other: Lower): ...
def plain(to: str, number: int = 1, flags: list[bool] = ()): ...


def refused(value: str) -> str:
    raise SystemExit("validators are code")


def failing(to: Annotated[str, AfterValidator(refused)]): ...


class Opaque:
    def __init__(self, value): self.value = value


def opaque(to: Annotated[str, AfterValidator(Opaque)]): ...
"""


@pytest.fixture
def tool(write: Callable[..., Path]) -> Callable[[str], Tool]:
    root = write("a", reading_tools=MODULE)
    return lambda name: open_in(root, f"reading_tools:{name}")


def verdict(tool: Tool, arguments: JsonObject, *, deny: str = "", allow: str = "") -> str:
    spec = PermissionsSpec(deny=(f"sample:{deny}",) if deny else (), allow=(f"sample:{allow}",) if allow else ())
    return Permissions(spec).of("sample", (arguments, tool.mended(arguments)), "high").verdict


@pytest.mark.parametrize(
    ("name", "arguments", "pattern"),
    [
        ("lower", {"to": "EVE@Evil.com"}, "to=*@evil.com"),
        ("lower", {"to": " eve@evil.com "}, "to=*@evil.com"),
        ("lower", {"to": "a", "cc": ["ana@example.com", "EVE@EVIL.COM"]}, "cc=*@evil.com"),
        ("lower", {"to": "a", "cc": '["EVE@EVIL.COM"]'}, "cc=*@evil.com"),
        ("header", {"header": {"from": "ana", "rcpt": "eve"}}, "header.to=eve"),
        ("header", {"header": {"from": "ana", "rcpt": "eve"}}, "header.rcpt=eve"),
        ("header", {"header": {"from": "eve"}}, "header.from=eve"),
        ("header", {"header": {"from": "eve"}}, "header.sender=eve"),
        ("header", {"header": '{"from": "ana", "rcpt": "eve"}'}, "header.rcpt=eve"),
        ("header", {"header": '{"from": "ana", "rcpt": "eve"}'}, "header.to=eve"),
        ("pay", {"amount": "1e3"}, "amount=1000"),
        ("pay", {"amount": 1000.0}, "amount=1000"),
        ("pay", {"amount": 1, "count": "1e3"}, "count=1000"),
        ("paint", {"color": "RED", "at": {"x": "5e1"}, "on": "2026-05-31"}, "color=red"),
        ("paint", {"color": "RED", "at": {"x": "5e1"}, "on": "2026-05-31"}, "at.x=50"),
        ("rest", {"anything": "EVIL"}, "anything=evil"),
        ("plain", {"to": "eve", "number": "1e3"}, "number=1000"),
    ],
)
def test_what_is_denied_is_denied_however_the_types_read_it(
    tool: Callable[[str], Tool], name: str, arguments: JsonObject, pattern: str
) -> None:
    assert verdict(tool(name), arguments, deny=pattern) == "deny"


@pytest.mark.parametrize(
    ("name", "arguments", "pattern", "expected"),
    [
        ("lower", {"to": "ana@example.com"}, "to=*@example.com", "allow"),
        ("lower", {"to": "ANA@EXAMPLE.COM"}, "to=*@example.com", "ask"),
        ("lower", {"to": "ANA@EXAMPLE.COM"}, "to=*@EXAMPLE.COM", "ask"),
        ("header", {"header": {"from": "ana", "to": "bo"}}, "header.from=ana", "allow"),
        ("header", {"header": {"from": "ana", "to": "bo"}}, "header.to=bo", "allow"),
        # The first alias is the one that is read; the other one must not open the door.
        ("header", {"header": {"from": "ana", "to": "eve", "rcpt": "bo"}}, "header.rcpt=bo", "ask"),
        ("paint", {"color": "red", "at": {"x": 1}, "on": "2026-05-31"}, "color=red,on=2026-05-*", "allow"),
        ("plain", {"to": "bo", "number": 1, "flags": [True]}, "to=bo,number=1,flags=true", "allow"),
    ],
)
def test_allowed_is_what_fits_as_it_was_written_and_as_it_is_read(
    tool: Callable[[str], Tool], name: str, arguments: JsonObject, pattern: str, expected: str
) -> None:
    assert verdict(tool(name), arguments, allow=pattern) == expected


@pytest.mark.parametrize("name", ["failing", "opaque"])
def test_types_that_cannot_be_read_or_written_out_leave_the_arguments_as_they_are(
    tool: Callable[[str], Tool], name: str
) -> None:
    assert verdict(tool(name), {"to": "eve"}, deny="to=eve") == "deny"


@pytest.mark.parametrize("arguments", [{}, {"to": 5}, {"to": "bo", "unknown": "x"}])
def test_arguments_that_do_not_fit_are_left_as_they_are(tool: Callable[[str], Tool], arguments: JsonObject) -> None:
    assert tool("plain").mended(arguments) == arguments


def test_nothing_is_doubled_where_the_types_read_what_was_written(tool: Callable[[str], Tool]) -> None:
    given: JsonObject = {"to": "bo", "number": 3, "flags": [True, False]}

    assert tool("plain").mended(given) == given


def test_declared_parameters_are_read_with_the_types_of_the_function_too(write: Callable[..., Path]) -> None:
    declared = {"type": "object", "properties": {"to": {"type": "string"}}, "required": ["to"]}
    opened = open_in(write("a", reading_tools=MODULE), "reading_tools:lower", parameters=declared)

    assert verdict(opened, {"to": "EVIL"}, deny="to=evil") == "deny"


@pytest.mark.parametrize(
    ("first", "second", "together"),
    [
        (1, 1, 1),
        (1, True, [1, True]),
        ({"a": 1}, {"b": 2}, {"a": 1, "b": 2}),
        ({"a": 1}, {"a": 2}, {"a": [1, 2]}),
        ([1, {"a": 1}], [2, {"b": 1}], [[1, 2], {"a": 1, "b": 1}]),
        ([1], [1, 2], [[1], [1, 2]]),
    ],
)
def test_one_value_stands_for_two(first: Any, second: Any, together: Any) -> None:
    assert repr(both(first, second)) == repr(together)
