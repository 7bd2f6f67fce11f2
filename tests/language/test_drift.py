"""The schemas and the dataclasses say the same, in both directions; what differs on purpose is listed here."""

import dataclasses
import json
import re
from typing import Any, get_args

import pytest

from runner.engine.ports import Capabilities
from runner.language.durations import seconds
from runner.language.expansions import EXPANSIONS
from runner.language.project import STATE_FOLDER
from runner.language.schema_files import schema_text
from runner.parsing.modes import MODES
from runner.parsing.react_labels import LANGUAGES, Labels
from runner.parsing.text_protocol import ArgumentStyle
from runner.spec import (
    AgentSpec,
    ContextSpec,
    ExampleCall,
    ExampleSpec,
    FeedbackSpec,
    LimitPolicy,
    Limits,
    ModelSpec,
    ParsingSpec,
    PermissionsSpec,
    Price,
    ProjectSpec,
    Risk,
    ToolChoice,
    ToolSpec,
)
from runner.tools import TOOL_TYPES

AGENT, TOOLSET, PROJECT = (json.loads(schema_text(kind)) for kind in ("agent", "toolset", "project"))

# Per dataclass: its schema, keys that are gone once an agent is compiled, and fields that no document gives.
PAIRS = {
    AgentSpec: (AGENT, {"version", "kind", "extends", "instructions_file", "prompt_file"}, {"file", "project"}),
    ModelSpec: (AGENT["$defs"]["model"], set(), {"origin"}),
    Capabilities: (AGENT["$defs"]["model"]["properties"]["capabilities"], set(), {"window", "most_output", "price"}),
    Price: (AGENT["$defs"]["model"]["properties"]["price"], set(), set()),
    ContextSpec: (AGENT["properties"]["context"], set(), set()),
    LimitPolicy: (PROJECT["properties"]["limits"], set(), set()),
    Limits: (AGENT["$defs"]["limits"], set(), set()),
    ParsingSpec: (AGENT["properties"]["parsing"], set(), set()),
    PermissionsSpec: (AGENT["properties"]["permissions"], set(), set()),
    FeedbackSpec: (AGENT["properties"]["feedback"], set(), set()),
    Labels: (AGENT["properties"]["parsing"]["properties"]["labels"], set(), {"form"}),
    ToolChoice: (AGENT["properties"]["tool_choice"], set(), set()),
    ExampleSpec: (AGENT["$defs"]["example"], set(), set()),
    ExampleCall: (AGENT["$defs"]["example"]["properties"]["calls"]["items"], set(), set()),
    ToolSpec: (
        AGENT["$defs"]["pythonTool"],
        {"function", "config", "env", "isolation"},
        {"settings", "folder", "origin"},
    ),
    ProjectSpec: (PROJECT, {"version", "defaults"}, {"root", "tools_folder"}),
}

# Defaults of documents that the compiler makes something else of.
COMPILED = {"state_dir"}


@pytest.mark.parametrize("spec", PAIRS, ids=lambda spec: spec.__name__)
def test_every_key_is_a_field_and_every_field_a_key(spec: type) -> None:
    schema, keys_only, fields_only = PAIRS[spec]
    fields = {field.name for field in dataclasses.fields(spec)}

    assert schema["properties"].keys() - keys_only == fields - fields_only
    assert keys_only <= schema["properties"].keys()
    assert fields_only <= fields


@pytest.mark.parametrize("spec", PAIRS, ids=lambda spec: spec.__name__)
def test_the_defaults_that_the_schema_tells_are_those_that_hold(spec: type) -> None:
    schema, keys_only, fields_only = PAIRS[spec]
    for field in dataclasses.fields(spec):
        told = schema["properties"].get(field.name, {}).get("default")
        if field.name in fields_only | COMPILED or told is None or dataclasses.MISSING is field.default:
            continue
        held = field.default
        assert (seconds(told) if isinstance(held, float) else told) == held, field.name
    assert "function" not in keys_only or "default" not in schema["properties"]["function"]


def test_the_folder_for_sessions_is_the_one_the_schema_tells() -> None:
    assert PROJECT["properties"]["state_dir"]["default"] == STATE_FOLDER


def test_the_risks_that_a_permission_may_name_are_those_of_tools() -> None:
    permissions = AGENT["properties"]["permissions"]["properties"]
    (pattern,) = {each["items"]["pattern"] for each in permissions.values()}

    assert [risk for risk in (*get_args(Risk), "hihg", "") if re.search(pattern, f"risk={risk}")] == [*get_args(Risk)]


def test_the_parsing_modes_of_the_schema_are_those_that_exist() -> None:
    modes = {"auto", *MODES}

    assert set(AGENT["properties"]["parsing"]["properties"]["mode"]["enum"]) == modes
    assert set(AGENT["properties"]["parsing"]["then"]["enum"]) == modes


def test_every_key_of_parsing_belongs_to_all_modes_or_is_refused_where_it_belongs_to_another() -> None:
    parsing = AGENT["properties"]["parsing"]
    refused: dict[str, set[str]] = {}
    for part in parsing["allOf"]:
        for key, schema in part["then"]["properties"].items():
            refused[key] = set(part["if"]["properties"]["mode"]["enum"])
            assert f"'{key}' belongs to mode" in schema["errorMessage"]

    assert refused.keys() | {"mode", "max_retries"} == parsing["properties"].keys()
    for key, modes in refused.items():
        assert {"auto", *MODES} - modes == ({"react"} if key == "labels" else {"text"})


def test_the_words_for_labels_and_arguments_are_those_that_exist() -> None:
    parsing = AGENT["properties"]["parsing"]["properties"]

    assert set(parsing["labels"]["then"]["enum"]) == LANGUAGES.keys()
    assert set(parsing["labels"]["required"]) == parsing["labels"]["properties"].keys()
    assert set(parsing["arguments"]["enum"]) == set(get_args(ArgumentStyle))


@pytest.mark.parametrize("schema", [AGENT, TOOLSET], ids=["agent", "toolset"])
def test_the_tool_types_of_the_schema_are_those_that_exist(schema: dict[str, Any]) -> None:
    tool = schema["$defs"]["tool"]

    assert set(tool["properties"]["type"]["enum"]) == {*TOOL_TYPES, *EXPANSIONS}
    assert {branch["if"]["properties"]["type"]["const"] for branch in tool["allOf"]} == {*TOOL_TYPES, *EXPANSIONS}
    assert set(schema["$defs"]["pythonTool"]["properties"]["risk"]["enum"]) == set(get_args(Risk))


def test_a_type_of_tool_is_run_or_stands_for_others_and_not_both() -> None:
    assert TOOL_TYPES.keys().isdisjoint(EXPANSIONS)


def test_what_a_declaration_of_operations_shares_with_its_tools_is_what_an_http_tool_has() -> None:
    openapi, http = TOOLSET["$defs"]["openapiTool"]["properties"], TOOLSET["$defs"]["httpTool"]["properties"]

    shared = openapi.keys() - {"type", "spec", "operations", "server"}

    assert shared <= http.keys()
    assert {key: openapi[key] for key in shared - {"name"}} == {key: http[key] for key in shared - {"name"}}


def test_the_project_gives_defaults_for_keys_of_an_agent() -> None:
    defaults = PROJECT["properties"]["defaults"]["properties"]

    assert defaults.keys() <= AGENT["properties"].keys()
    for key in defaults:
        assert PROJECT["$defs"][key] == AGENT["$defs"][key]
