import json
from datetime import date
from types import MappingProxyType
from typing import Any

import pytest
from hypothesis import given

from runner.engine.journal import Entry
from runner.sessions.codec import CodecError, entry_json, entry_of
from runner.sessions.rows import text_of
from tests.sessions.entries import began, call, entries, replied


@given(entry=entries)
def test_every_entry_comes_back_as_it_was(entry: Entry) -> None:
    text = text_of(entry)

    assert entry_of(json.loads(text.encode())) == entry


def test_the_order_of_arguments_is_kept() -> None:
    entry = replied(1, call("a", zebra=1, apple=2))

    assert '"arguments":{"zebra":1,"apple":2}' in text_of(entry)


def test_text_is_kept_readable() -> None:
    assert "Grüße, 東京" in text_of(began("Grüße, 東京"))


def test_inputs_that_are_no_json_are_kept_as_text() -> None:
    entry = began(inputs={"day": date(2026, 11, 30), "more": MappingProxyType({"a": 1})})

    assert json.loads(text_of(entry))["inputs"] == {"day": "2026-11-30", "more": {"a": 1}}


@pytest.mark.parametrize(
    "data",
    [
        {},
        {"type": "Thought"},
        {"type": "Began"},
        {"type": None},
        {**entry_json(began()), "mood": "of a later version"},
        {**entry_json(replied(1)), "message": None},
        {**entry_json(replied(1)), "message": {"calls": [3]}},
        {"type": "Finished", "finished": []},
        {"type": "CallEnded", "result": "text"},
    ],
    ids=str,
)
def test_what_is_no_entry_is_refused_in_one_line(data: dict[str, Any]) -> None:
    with pytest.raises(CodecError, match=r"^not an entry that this version can read[^\n]*$"):
        entry_of(data)
