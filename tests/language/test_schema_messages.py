"""What a person is told where a mapping must have one of a few keys."""

import pytest

from runner.language.schema import problems
from runner.spec import Json

ONE = {
    "type": "object",
    "properties": {"bearer": {}, "basic": {}},
    "minProperties": 1,
    "maxProperties": 1,
    "additionalProperties": False,
}
OPEN = {**ONE, "additionalProperties": True}
TWO = {**ONE, "maxProperties": 2, "properties": {"a": {}, "b": {}, "c": {}}}


@pytest.mark.parametrize(
    ("value", "schema", "expected"),
    [
        ({"bearer": "x", "basic": "y"}, ONE, "must have only one of the keys bearer, basic; found bearer, basic"),
        ({}, ONE, "must have one of the keys bearer, basic"),
        ({"bearer": 1, "other": 2}, OPEN, "must have at most 1 key, found 2"),
        ({}, OPEN, "must not be empty"),
        ({"a": 1, "b": 2, "c": 3}, TWO, "must have at most 2 keys, found 3"),
    ],
)
def test_the_keys_to_choose_from_are_named_when_there_can_be_no_others(
    value: Json, schema: dict[str, Json], expected: str
) -> None:
    assert problems(value, schema) == [expected]
