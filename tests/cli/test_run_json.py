import json
from dataclasses import fields
from pathlib import Path
from typing import get_args

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

from runner.engine.events import EXIT_CODES, Event, RunFinished, Source, Status, ToolCalled
from runner.engine.outcome import LIMITS
from runner.engine.ports import Usage
from runner.report.json_text import dumped
from runner.report.phrases import UNSAFE
from runner.report.run_json import event_json, result_json
from runner.spec import Json

SCHEMAS = Path(__file__).parents[2] / "schemas"
EVENT = json.loads((SCHEMAS / "event.schema.json").read_text(encoding="utf-8"))
RESULT = json.loads((SCHEMAS / "result.schema.json").read_text(encoding="utf-8"))
KINDS = {kind.__name__: kind for kind in get_args(Event)}


def errors(schema: Json, value: Json) -> list[str]:
    return [error.message for error in jsonschema.Draft202012Validator(schema).iter_errors(value)]


@pytest.mark.parametrize("schema", [EVENT, RESULT])
def test_the_schemas_are_schemas(schema: Json) -> None:
    jsonschema.Draft202012Validator.check_schema(schema)


def test_every_event_fits_its_schema(every_event: list[Event]) -> None:
    for event in every_event:
        assert errors(EVENT, event_json(event)) == []
    assert {event_json(event)["type"] for event in every_event} == KINDS.keys()


def test_every_outcome_fits_the_result_schema(every_event: list[Event]) -> None:
    for event in every_event:
        if isinstance(event, RunFinished):
            assert errors(RESULT, result_json(event)) == []


def test_the_schema_of_events_refuses_what_is_no_event(clock_run: list[Event]) -> None:
    started = event_json(clock_run[0])
    assert errors(EVENT, {**started, "more": 1})
    assert errors(EVENT, {**started, "type": "Started"})
    assert errors(EVENT, {key: value for key, value in started.items() if key != "model"})


@pytest.mark.parametrize("name", KINDS)
def test_schema_and_dataclass_of_an_event_have_the_same_fields(name: str) -> None:
    described = EVENT["$defs"][name]
    assert list(described["properties"]) == ["type", *(field.name for field in fields(KINDS[name]))]
    assert described["required"] == list(described["properties"])


def test_the_schema_knows_no_other_events() -> None:
    assert {branch["$ref"] for branch in EVENT["oneOf"]} == {f"#/$defs/{name}" for name in KINDS}
    assert len(EVENT["oneOf"]) == len(KINDS)
    assert EVENT["$defs"].keys() == KINDS.keys() | {"usage", "source"}


def test_the_result_is_the_outcome_and_a_version() -> None:
    assert list(RESULT["properties"]) == ["version", *(field.name for field in fields(RunFinished))]
    assert RESULT["required"] == list(RESULT["properties"])
    outcome = {**EVENT["$defs"]["RunFinished"]["properties"]}
    del outcome["type"]
    assert {**RESULT["properties"], "version": None} == {"version": None, **outcome}
    assert RESULT["$defs"] == {name: EVENT["$defs"][name] for name in ("usage", "source")}


@pytest.mark.parametrize(("name", "kind"), [("usage", Usage), ("source", Source)])
def test_parts_of_events_have_the_fields_of_their_dataclass(name: str, kind: type[Usage | Source]) -> None:
    assert list(EVENT["$defs"][name]["properties"]) == [field.name for field in fields(kind)]


def test_the_schema_lists_every_status_with_its_exit_code() -> None:
    status = RESULT["properties"]["status"]
    assert tuple(status["enum"]) == get_args(Status) == tuple(EXIT_CODES)
    assert set(EVENT["$defs"]["LimitReached"]["properties"]["limit"]["enum"]) == LIMITS
    for code in EXIT_CODES.values():
        assert str(code) in status["description"]


def test_everything_in_the_schemas_is_described() -> None:
    def silent(schema: Json, path: str) -> list[str]:
        found = [] if "description" in schema else [path]
        for group in ("properties", "$defs"):
            for name, inner in schema.get(group, {}).items():
                found += silent(inner, f"{path}/{name}")
        return found

    assert silent(EVENT, "event") + silent(RESULT, "result") == []


def test_text_of_any_script_stays_readable_and_on_one_line() -> None:
    line = dumped(event_json(ToolCalled(step=1, id="a", name="f", arguments={"city": "北京\n"})))
    assert line == '{"type": "ToolCalled", "step": 1, "id": "a", "name": "f", "arguments": {"city": "北京\\n"}}'


@given(st.dictionaries(st.text(), st.floats() | st.lists(st.floats()), max_size=3))
def test_no_number_that_json_lacks_gets_out(arguments: dict[str, Json]) -> None:
    line = dumped(event_json(ToolCalled(step=1, id="a", name="f", arguments=arguments)))
    assert json.loads(line, parse_constant=pytest.fail)["arguments"].keys() == arguments.keys()


def test_what_is_beyond_the_first_plane_is_escaped_as_json_does_it() -> None:
    assert dumped({"text": "a\U000e0041"}) == r'{"text": "a\udb40\udc41"}'


@given(st.text(st.characters(codec=None)))
def test_any_text_reads_back_the_same_and_is_safe_on_a_terminal(text: str) -> None:
    line = dumped({"text": text})
    assert json.loads(line) == {"text": text}
    assert not UNSAFE.search(line)
    line.encode("utf-8")
