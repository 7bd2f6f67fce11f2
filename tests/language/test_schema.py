"""Documents held against the schemas: one message for each mistake, at its place, with what to write instead."""

import json
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runner.diagnostics import Diagnostic
from runner.language import schema
from runner.language.document import parse_document
from runner.language.schema import Kind, check, problems
from runner.language.schema.library import Checker
from runner.language.schema_files import schema_text
from runner.spec import Json

KINDS: tuple[Kind, ...] = ("agent", "toolset", "project")
COMPLETE = "name: a\nprompt: x\n"


def checked(text: str, kind: Kind = "agent", *, partial: bool = False) -> list[Diagnostic]:
    found, mistakes = parse_document(text.encode(), display="f.yaml")
    assert mistakes == []
    assert found is not None
    return check(found, kind, partial=partial)


def told(diagnostics: list[Diagnostic]) -> list[tuple[str, str, str, str | None]]:
    """(line:column, code, message, suggestion) of each."""
    return [(str(one.location)[7:], one.code, one.message, one.suggestion) for one in diagnostics]


FULL_AGENT = """
version: "1"
kind: agent
name: weather
description: d
metadata: {anything: [1, {a: null}]}
extends: [./a.yaml, b.yaml]
model:
  name: openai/x
  temperature: 0
  max_tokens: 1
  timeout: 1h
  api_base: "${BASE:-}"
  api_key: ${KEY}
  capabilities: {function_calling: true, response_format: false, stop: true}
  params: {top_p: 0.5, extra_body: {since: 2024-01-01}}
inputs: {city: {type: string, default: Oslo, enum: [Oslo, no]}, on: {type: boolean}, 都市: {}}
instructions: a
prompt: b
examples: [{user: a, calls: [{tool: t, arguments: {a: 1}, result: r}, {tool: t, result: ''}], answer: b}]
tools:
  - calculator
  - {name: geo, type: python, function: "a.b:c", description: d, timeout: 500ms, risk: high,
     idempotent: true, return_direct: false,
     parameters: {type: object, properties: {x: {$ref: "#/$defs/y"}}, $defs: {y: {}}}}
tool_choice: {mode: calculator, keep: true}
parsing: {mode: json, max_retries: 0}
limits:
  {max_steps: 1, timeout: 0.5, tool_timeout: 2m, max_tool_calls: 1, max_parallel_tools: 1, max_tool_result_chars: 1}
x-notes: {free: [1]}
"""


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        (FULL_AGENT, "agent"),
        (COMPLETE, "agent"),
        ("name: a\ninstructions_file: x", "agent"),
        (
            "name: a\nprompt: x\nmodel: local/smollm2\nextends: b.yaml\ntool_choice: none\nparsing: auto\ntools: []",
            "agent",
        ),
        ("extends: base.yaml", "agent"),
        ("extends: base.yaml\nmodel: {temperature: 1}\ntool_choice: {keep: true}", "agent"),
        (
            "kind: toolset\nversion: '1'\ntools: [{name: a, type: python, function: 'b:c', x-note: 1}]\nx-a: 1",
            "toolset",
        ),
        (
            "defaults: {model: {temperature: 0}, limits: {timeout: 30s}}\npython_packages: [a.b]\nversion: '1'",
            "project",
        ),
        ("x-nothing: 1", "project"),
    ],
)
def test_a_right_document_has_no_diagnostics(text: str, kind: Kind) -> None:
    assert told(checked(text, kind)) == []


# -- keys -------------------------------------------------------------------------------------------------------------


# field bugs B94 and B128
@pytest.mark.parametrize(
    ("text", "place", "message", "suggestion"),
    [
        ("promt: y", "3:1", "unknown key 'promt'", "did you mean 'prompt'?"),
        ("limits: {max_step: 3}", "3:10", "limits: unknown key 'max_step'", "did you mean 'max_steps'?"),
        ("model: {name: a, temprature: 0}", "3:18", "model: unknown key 'temprature'", "did you mean 'temperature'?"),
        ("model: {name: a, max_token: 5}", "3:18", "model: unknown key 'max_token'", "did you mean 'max_tokens'?"),
        (
            "tools: [{name: b, type: python, function: 'a:b', descripton: x}]",
            "3:50",
            "tools[0]: unknown key 'descripton'",
            "did you mean 'description'?",
        ),
        ("zzz: 1", "3:1", "unknown key 'zzz'", None),
        (
            "examples: [{user: a, answer: b, calls: [{tool: c, result: d, arg: {}}]}]",
            "3:62",
            "examples[0].calls[0]: unknown key 'arg'",
            "did you mean 'arguments'?",
        ),
        (
            "parsing: {mode: json, max-retries: 3}",
            "3:23",
            "parsing: unknown key 'max-retries'",
            "did you mean 'max_retries'?",
        ),
    ],
)
def test_an_unknown_key_is_found_with_the_one_it_was_meant_to_be(
    text: str, place: str, message: str, suggestion: str | None
) -> None:
    assert told(checked(COMPLETE + text)) == [(place, "RUN201", message, suggestion)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("promt: x\nname: a", ("1:1", "RUN201", "unknown key 'promt'", "did you mean 'prompt'?")),
        ("nmae: a\nprompt: x", ("1:1", "RUN201", "unknown key 'nmae'", "did you mean 'name'?")),
        (
            "name: a\nsystem_prompt: x",
            ("2:1", "RUN201", "unknown key 'system_prompt': here it is called 'instructions'", None),
        ),
        (
            COMPLETE + "tools: [{name: b, typ: python, function: 'a:b'}]",
            ("3:19", "RUN202", "tools[0]: missing key 'type'", "is 'typ' meant as 'type'?"),
        ),
        (
            COMPLETE + "tools: [{name: b, type: python, import: 'a:b'}]",
            ("3:33", "RUN201", "tools[0]: unknown key 'import': here it is called 'function'", None),
        ),
    ],
)
def test_a_misspelt_key_that_must_be_there_is_one_mistake(
    text: str, expected: tuple[str, str, str, str | None]
) -> None:
    assert told(checked(text)) == [expected]


@pytest.mark.parametrize(
    ("key", "message"),
    [
        ("instruction", "unknown key 'instruction': here it is called 'instructions'"),
        ("system", "unknown key 'system': here it is called 'instructions'"),
        ("toolsets", "unknown key 'toolsets': here it is called 'tools'"),
        ("max_iterations", "unknown key 'max_iterations': here it is called 'limits.max_steps'"),
        ("max_turns", "unknown key 'max_turns': here it is called 'limits.max_steps'"),
        ("timeout", "unknown key 'timeout': here it is called 'limits.timeout'"),
        ("temperature", "unknown key 'temperature': here it is called 'model.temperature'"),
        ("variables", "unknown key 'variables': here it is called 'inputs'"),
        ("functions", "unknown key 'functions': here it is called 'tools'"),
        ("response_format", "unknown key 'response_format': here it is called 'output_schema'"),
        ("llm", "unknown key 'llm': here it is called 'model'"),
        ("provider", "unknown key 'provider': the provider is part of the model's name, 'provider/model'"),
        ("sub_agents", "unknown key 'sub_agents': a file declares one agent, and this version has no teams"),
    ],
)
def test_keys_of_other_tools_are_translated(key: str, message: str) -> None:
    assert told(checked(f"{COMPLETE}{key}: x")) == [("3:1", "RUN201", message, None)]


def of_tool(type_: str, written: str) -> str:
    needed = {"http": "name: t, url: 'https://a.b'", "openapi": "spec: a.yaml", "python": "name: t, function: 'm:f'"}
    return f"{COMPLETE}tools: [{{type: {type_}, {needed[type_]}, {written}}}]"


@pytest.mark.parametrize(
    ("written", "key", "ours"),
    [
        (of_tool("http", "verb: GET"), "tools[0]: unknown key 'verb'", "'method'"),
        (of_tool("http", "params: {}"), "tools[0]: unknown key 'params'", "'query'"),
        (of_tool("http", "payload: {}"), "tools[0]: unknown key 'payload'", "'body'"),
        (of_tool("http", "json: {}"), "tools[0]: unknown key 'json'", "'body.json'"),
        (of_tool("http", "token: x"), "tools[0]: unknown key 'token'", "'auth.bearer'"),
        (of_tool("http", "jq: x"), "tools[0]: unknown key 'jq'", "'response.select'"),
        (of_tool("http", "args: {}"), "tools[0]: unknown key 'args'", "'parameters'"),
        (of_tool("http", "max_retries: 1"), "tools[0]: unknown key 'max_retries'", "'retries'"),
        (of_tool("http", "auth: {token: x}"), "tools[0].auth: unknown key 'token'", "'bearer'"),
        (of_tool("http", "auth: {username: x}"), "tools[0].auth: unknown key 'username'", "'basic.username'"),
        (of_tool("http", "body: {data: {}}"), "tools[0].body: unknown key 'data'", "'form'"),
        (of_tool("http", "response: {jsonpath: x}"), "tools[0].response: unknown key 'jsonpath'", "'select'"),
        (of_tool("python", "path: x"), "tools[0]: unknown key 'path'", "'function'"),
        (
            of_tool("python", "isolation: {mode: process, memory: 1MB}"),
            "tools[0].isolation: unknown key 'memory'",
            "'max_memory'",
        ),
        (of_tool("openapi", "paths: [a]"), "tools[0]: unknown key 'paths'", "'operations'"),
        (of_tool("openapi", "base_url: x"), "tools[0]: unknown key 'base_url'", "'server'"),
        (f"{COMPLETE}limits: {{max_budget: 1}}", "limits: unknown key 'max_budget'", "'max_cost'"),
        (f"{COMPLETE}limits: {{token_budget: 1}}", "limits: unknown key 'token_budget'", "'max_total_tokens'"),
        (f"{COMPLETE}max_cost: 1", "unknown key 'max_cost'", "'limits.max_cost'"),
        (f"{COMPLETE}num_retries: 1", "unknown key 'num_retries'", "'model.retries'"),
        (f"{COMPLETE}on_max_steps: x", "unknown key 'on_max_steps'", "'on_limit'"),
        (f"{COMPLETE}context: {{window: 5}}", "context: unknown key 'window'", "'max_tokens'"),
        (f"{COMPLETE}context: {{model: {{id: m, name: m}}}}", "context.model: unknown key 'id'", "'name'"),
        (f"{COMPLETE}model: {{name: m, num_retries: 1}}", "model: unknown key 'num_retries'", "'retries'"),
        (f"{COMPLETE}model: {{name: m, cost: {{}}}}", "model: unknown key 'cost'", "'price'"),
        (
            f"{COMPLETE}model: {{name: m, fallbacks: [{{name: n, base_url: u}}]}}",
            "model.fallbacks[0]: unknown key 'base_url'",
            "'api_base'",
        ),
        (
            f"{COMPLETE}model: {{name: m, price: {{input: 1, output: 2, cached: 1}}}}",
            "model.price: unknown key 'cached'",
            "'cached_input'",
        ),
    ],
)
def test_words_of_other_tools_are_translated_wherever_they_stand(written: str, key: str, ours: str) -> None:
    (problem,) = checked(written)

    assert problem.message == f"{key}: here it is called {ours}"


@pytest.mark.parametrize("key", ["endpoint", "uri", "path"])
def test_a_foreign_word_stands_for_the_key_that_seems_to_be_missing(key: str) -> None:
    (problem,) = checked(f"{COMPLETE}tools: [{{type: http, name: t, {key}: x}}]")

    assert problem.message == f"tools[0]: unknown key '{key}': here it is called 'url'"


@pytest.mark.parametrize(
    ("written", "message"),
    [
        (of_tool("http", "verify: false"), "tools[0]: unknown key 'verify': the certificate of the server is always"),
        (of_tool("http", "auth: {type: bearer}"), "tools[0].auth: unknown key 'type': the way is the key itself"),
        (f"{COMPLETE}limits: {{retries: 1}}", "limits: unknown key 'retries': 'model.retries' are for calls"),
    ],
)
def test_words_without_a_counterpart_say_what_to_do_instead(written: str, message: str) -> None:
    (problem,) = checked(written)

    assert problem.message.startswith(message)


def test_limits_of_agents_right_in_the_policy_of_the_project_are_told_both_places() -> None:
    found = checked("limits: {max_steps: 5, maximum: {steps: 5}, require: [max_cost]}\nallowed_hosts: [a]", "project")

    assert [(str(one.location)[7:], one.message) for one in found] == [
        (
            "1:10",
            (
                "limits: unknown key 'max_steps': write it under 'defaults.limits' for what agents have when they do "
                "not say otherwise, or under 'limits.maximum' for the most they may have"
            ),
        ),
        ("1:34", "limits.maximum: unknown key 'steps': here it is called 'max_steps'"),
        ("1:45", "limits: unknown key 'require': here it is called 'required'"),
        ("2:1", "unknown key 'allowed_hosts': here it is called 'http_hosts'"),
    ]


def test_values_that_are_no_documents_of_ours_know_no_words_of_other_tools() -> None:
    shape: Json = {"properties": {"limits": {"properties": {"max_steps": {}}, "additionalProperties": False}}}

    assert problems({"limits": {"budget": 1}}, shape) == ["limits: unknown key 'budget'"]


def test_a_key_of_a_later_version_is_not_called_unknown() -> None:
    assert told(checked(f"{COMPLETE}on_limit: answer\nteam: []")) == [
        ("4:1", "RUN208", "'team' is not supported by this version", None)
    ]


def test_what_is_missing_is_told_at_the_key_of_its_mapping() -> None:
    assert told(checked("description: d")) == [
        ("1:1", "RUN202", "missing key 'name'", None),
        (
            "1:1",
            "RUN202",
            "missing key: one of 'instructions', 'instructions_file', 'prompt', 'prompt_file' is needed",
            None,
        ),
    ]
    assert told(checked(f"{COMPLETE}model:\n  temperature: 1\n")) == [
        ("3:1", "RUN202", "model: missing key 'name'", None)
    ]
    assert told(checked("tools: []", "toolset")) == [("1:1", "RUN202", "missing key 'kind'", None)]


def test_a_base_need_not_be_complete_but_must_be_right() -> None:
    text = "description: d\nmodel: {temperature: 1}\nlimits: {max_step: 1}"

    assert [one.code for one in checked(text, partial=True)] == ["RUN201"]
    assert [one.code for one in checked(text)] == ["RUN202", "RUN202", "RUN202", "RUN201"]


def test_keys_that_exclude_each_other_are_told_once_for_each_pair() -> None:
    found = checked("name: a\nprompt: x\nprompt_file: y\ninstructions_file: z\ninstructions: w")

    assert told(found) == [
        ("2:1", "RUN207", "'prompt' and 'prompt_file' exclude each other, write one of them", None),
        ("5:1", "RUN207", "'instructions' and 'instructions_file' exclude each other, write one of them", None),
    ]


# -- unions -----------------------------------------------------------------------------------------------------------


# field bug B95
def test_the_type_of_a_tool_decides_what_its_mistakes_are() -> None:
    found = checked(
        COMPLETE + "tools:\n"
        "  - {name: a, type: python, function: 'a:b', desciption: x}\n"
        "  - {name: b, type: pyhton, import: 'a:b'}\n"
        "  - {name: c, type: python}\n"
        "  - {name: d, type: http, ulr: x}\n"
        "  - {}\n"
        "  - 3\n"
        "  - {type: mcp}\n"
    )

    assert told(found) == [
        ("4:46", "RUN201", "tools[0]: unknown key 'desciption'", "did you mean 'description'?"),
        (
            "5:21",
            "RUN204",
            "tools[1].type: expected one of python, http, openapi; found 'pyhton'",
            "did you mean 'python'?",
        ),
        ("6:5", "RUN202", "tools[2]: missing key 'function'", None),
        ("7:27", "RUN201", "tools[3]: unknown key 'ulr'", "did you mean 'url'?"),
        ("8:5", "RUN202", "tools[4]: missing key 'type'", None),
        ("9:5", "RUN203", "tools[5]: expected text or a mapping, found the number 3", None),
        (
            "10:12",
            "RUN204",
            "tools[6].type: 'mcp' is not supported by this version; expected python, http, openapi",
            None,
        ),
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("model: 3", ("3:8", "RUN203", "model: expected text or a mapping, found the number 3", None)),
        ("model: ''", ("3:8", "RUN205", "model: must not be empty", None)),
        ("model:", ("3:1", "RUN203", "model: expected text or a mapping, found nothing", None)),
        ("extends: []", ("3:10", "RUN205", "extends: must not be empty", None)),
        (
            "extends: [a, 3]",
            ("3:14", "RUN203", "extends[1]: expected text, found the number 3", 'write "3", in quotes'),
        ),
        (
            "parsing: jsn",
            (
                "3:10",
                "RUN204",
                "parsing: expected one of auto, native, json, react, text; found 'jsn'",
                "did you mean 'json'?",
            ),
        ),
        (
            "parsing: text",
            (
                "3:10",
                "RUN206",
                (
                    "parsing: 'text' is not allowed: mode text needs the keys of its protocol, "
                    "write {mode: text, instructions: …, call: …, answer: …}"
                ),
                None,
            ),
        ),
        ("parsing: [json]", ("3:10", "RUN203", "parsing: expected text or a mapping, found a list", None)),
        ("tool_choice: {keep: true}", ("3:1", "RUN202", "tool_choice: missing key 'mode'", None)),
        (
            "tools: calculator",
            ("3:8", "RUN203", "tools: expected a list, found the text 'calculator'", "write [calculator]"),
        ),
    ],
)
def test_a_value_of_several_forms_is_judged_by_the_form_it_has(
    text: str, expected: tuple[str, str, str, str | None]
) -> None:
    assert told(checked(COMPLETE + text)) == [expected]


TEXT_PROTOCOL = "instructions: Write CALL name., call: (?P<name>a), answer: (?P<answer>b)"


@pytest.mark.parametrize(
    "written",
    [
        "react",
        "{mode: react, labels: zh}",
        "{mode: react, x-note: 1, labels: {thought: T, action: A, action_input: I, observation: O, final_answer: F}}",
        f"{{mode: text, {TEXT_PROTOCOL}}}",
        f"{{mode: text, max_retries: 0, {TEXT_PROTOCOL}, arguments: pairs, result: r, stop: s}}",
        f"{{mode: text, {TEXT_PROTOCOL}, stop: [s, t]}}",
    ],
)
def test_every_way_to_declare_how_replies_are_read_is_accepted(written: str) -> None:
    assert checked(f"{COMPLETE}parsing: {written}") == []


@pytest.mark.parametrize("mode", ["auto", "native", "json", "react", None])
@pytest.mark.parametrize("key", ["instructions", "call", "answer", "arguments", "result", "stop"])
def test_a_key_of_the_text_mode_is_refused_in_the_others(key: str, mode: str | None) -> None:
    value = "json" if key == "arguments" else "x"
    written = f"mode: {mode}, {key}: {value}" if mode else f"{key}: {value}"

    column = len(f"parsing: {{mode: {mode}, " if mode else "parsing: {") + 1
    message = f"parsing: '{key}' belongs to mode text, write 'mode: text' beside it"
    assert told(checked(f"{COMPLETE}parsing: {{{written}}}")) == [(f"3:{column}", "RUN207", message, None)]


@pytest.mark.parametrize(
    "written", ["labels: en", "mode: json, labels: en", f"mode: text, labels: en, {TEXT_PROTOCOL}"]
)
def test_labels_are_refused_outside_of_react(written: str) -> None:
    (problem,) = checked(f"{COMPLETE}parsing: {{{written}}}")

    assert problem.code == "RUN207"
    assert problem.message == "parsing: 'labels' belongs to mode react, write 'mode: react' beside it"


def test_a_misspelt_mode_is_one_mistake_whatever_keys_stand_beside_it() -> None:
    assert told(checked(f"{COMPLETE}parsing: {{mode: txt, {TEXT_PROTOCOL}, labels: en}}")) == [
        (
            "3:17",
            "RUN204",
            "parsing.mode: expected one of auto, native, json, react, text; found 'txt'",
            "did you mean 'text'?",
        )
    ]


@pytest.mark.parametrize(
    ("written", "lacking"),
    [
        ("{mode: text}", "keys 'instructions', 'call' and 'answer'"),
        ("{mode: text, call: c, arguments: json}", "keys 'instructions' and 'answer'"),
        ("{mode: text, instructions: i, answer: a, stop: s}", "key 'call'"),
    ],
)
def test_the_text_mode_needs_its_protocol_in_the_end_and_not_in_each_layer(written: str, lacking: str) -> None:
    text = f"{COMPLETE}parsing: {written}"

    assert told(checked(text)) == [("3:1", "RUN202", f"parsing: missing {lacking}", None)]
    assert checked(text, partial=True) == []


@pytest.mark.parametrize(
    ("written", "code", "message"),
    [
        ("labels: fr", "RUN204", "parsing.labels: expected one of en, zh; found 'fr'"),
        (
            "labels: {thought: T, action: A}",
            "RUN202",
            "parsing.labels: missing keys 'action_input', 'observation' and 'final_answer'",
        ),
        (
            "labels: {thought: '', action: A, action_input: I, observation: O, final_answer: F}",
            "RUN205",
            "parsing.labels.thought: must not be empty",
        ),
    ],
)
def test_labels_are_a_language_or_all_five_words(written: str, code: str, message: str) -> None:
    (problem,) = checked(f"{COMPLETE}parsing: {{mode: react, {written}}}")

    assert (problem.code, problem.message) == (code, message)


@pytest.mark.parametrize("stop", ["''", "[]", "[a, '']", "3"])
def test_stop_strings_hold_something(stop: str) -> None:
    (problem,) = checked(f"{COMPLETE}parsing: {{mode: text, {TEXT_PROTOCOL}, stop: {stop}}}")

    assert problem.message.startswith("parsing.stop")


@pytest.mark.parametrize(
    ("key", "ours"),
    [("regex", "call"), ("stop_sequences", "stop"), ("args", "arguments"), ("observation", "result")],
)
def test_the_words_of_other_tools_for_a_protocol_are_translated(key: str, ours: str) -> None:
    (problem,) = checked(f"{COMPLETE}parsing: {{mode: text, {TEXT_PROTOCOL}, {key}: x}}")

    assert problem.message == f"parsing: unknown key '{key}': here it is called '{ours}'"


# -- values -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "code", "message", "suggestion"),
    [
        (
            "limits: {max_steps: '3'}",
            "RUN203",
            "expected a whole number, found the text '3'",
            "write 3, without quotes",
        ),
        ("limits: {max_steps: 1.5}", "RUN203", "expected a whole number, found the number 1.5", None),
        ("limits: {max_steps: true}", "RUN203", "expected a whole number, found true", None),
        ("limits: {max_steps: 0}", "RUN205", "must be at least 1, found 0", None),
        ("limits: {timeout: 0}", "RUN205", "must be greater than 0, found 0", None),
        ("limits: {timeout: -1.5}", "RUN205", "must be greater than 0, found -1.5", None),
        ("limits: {timeout: 1e300}", "RUN205", "must be at most 31536000, found 1e+300", None),
        ("limits: 3", "RUN203", "expected a mapping, found the number 3", None),
        ("metadata: []", "RUN203", "expected a mapping, found a list", None),
        ("description: 3", "RUN203", "expected text, found the number 3", 'write "3", in quotes'),
        ("description: true", "RUN203", "expected text, found true", 'write "true", in quotes'),
        ("version: 1", "RUN204", "expected '1', found 1", 'write "1", in quotes'),
        ("version: 2025-06-01", "RUN204", "expected '1', found '2025-06-01'", None),
        ("kind: agnet", "RUN204", "expected 'agent', found 'agnet'", "did you mean 'agent'?"),
        ("model: {name: a, temperature: 3}", "RUN205", "must be at most 2, found 3", None),
        (
            "model: {name: a, max_tokens: '${N}'}",
            "RUN203",
            "found the text '${N}'",
            "environment variables are not replaced",
        ),
        # field bug B76
        (
            "model: {name: a, capabilities: {stop: yes}}",
            "RUN203",
            "expected true or false, found the text 'yes'",
            "write true or false",
        ),
        (
            "tool_choice: {mode: auto, keep: Off}",
            "RUN203",
            "expected true or false, found the text 'Off'",
            "write true or false",
        ),
        ("tools: [a b]", "RUN206", "'a b' is not allowed: a tool's name starts with a letter or _", None),
        ("tools: ['a\n\n  b']", "RUN206", "'a\\nb' is not allowed: a tool's name", None),
        (
            "tool_choice: a b",
            "RUN206",
            "'a b' is not allowed: expected auto, none, required, or the name of a tool",
            None,
        ),
        (
            "tools: [{name: a, type: python, function: a.b}]",
            "RUN206",
            "an import path is written package.module:function",
            None,
        ),
        (
            "tools: [{name: a, type: python, function: 'a:b', risk: High}]",
            "RUN204",
            "expected one of low, medium, high; found 'High'",
            "did you mean 'high'?",
        ),
        ("inputs: {input: {}}", "RUN206", "inputs: 'input' is not allowed: this name is taken", None),
        ("inputs: {not: {}}", "RUN206", "inputs: 'not' is not allowed: this name is taken", None),
        ("inputs: {1a: {}}", "RUN206", "inputs: '1a' is not allowed: an input's name is used in templates", None),
        ("inputs: {a-b: {}}", "RUN206", "inputs: 'a-b' is not allowed: an input's name is used in templates", None),
        ("inputs: {a: string}", "RUN203", "inputs.a: expected a mapping, found the text 'string'", None),
    ],
)
def test_a_wrong_value_is_told_with_what_was_expected_and_found(
    text: str, code: str, message: str, suggestion: str | None
) -> None:
    (problem,) = checked(COMPLETE + text)

    assert problem.code == code
    assert message in problem.message
    assert (problem.suggestion or "").startswith(suggestion or "")
    assert (problem.suggestion is None) == (suggestion is None)
    assert "\n" not in problem.message


def test_a_key_of_the_wrong_form_is_pointed_at_itself() -> None:
    (problem,) = checked(COMPLETE + "inputs:\n  city: {}\n  a-b: {}")

    assert str(problem.location) == "f.yaml:5:3"
    assert problem.location.span is not None
    assert problem.location.span.end_column == 6


@pytest.mark.parametrize("name", ["''", "A", "a b", "1a", "-a", "a" * 65, "é", '"a\\n"'])
def test_a_name_of_the_wrong_form_is_refused(name: str) -> None:
    assert [one.code for one in checked(f"prompt: x\nname: {name}")] == ["RUN206"]


# field bug B77
@pytest.mark.parametrize("time", ["30", "0.5", "1e3", "1e-1", "30s", "2m", "1h", "500ms", "1.5h", "'10s'"])
def test_a_duration_is_a_number_of_seconds_or_has_a_unit(time: str) -> None:
    assert told(checked(f"{COMPLETE}limits: {{timeout: {time}}}")) == []


@pytest.mark.parametrize(
    "time", ["0s", "0.0m", "'30'", "30 s", "5 minutes", "-1s", "1h30m", "s", "1.s", "'1s\\n'", "'1s\n\n  '", "1d"]
)
def test_other_times_are_refused(time: str) -> None:
    (problem,) = checked(f"{COMPLETE}limits: {{timeout: {time}}}")

    assert problem.message.endswith("a time is a number of seconds, or a number and its unit: 500ms, 30s, 2m, 1h")


def test_the_order_of_diagnostics_is_that_of_the_text() -> None:
    found = checked("zzz: 1\nlimits: {max_steps: x, yyy: 1}\nname: 3\nprompt: 4\n")

    lines = [one.location.span.line for one in found if one.location.span]
    assert len(lines) == 5
    assert lines == sorted(lines)


# -- any document -----------------------------------------------------------------------------------------------------

KEYS = st.sampled_from(
    ["name", "model", "tools", "type", "inputs", "limits", "prompt", "parameters", "$ref", "x-a", "é", ""]
)
TEXTS = ["", "python", "30s", "#/a", "string", "a:b"]
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-2, 99) | st.floats(-5, 5) | st.sampled_from(TEXTS),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=4),
    max_leaves=20,
)


@given(st.dictionaries(KEYS, JSON, min_size=1, max_size=6), st.sampled_from(KINDS))
def test_any_data_gives_diagnostics_and_the_schema_alone_decides_whether_there_are_any(
    data: dict[str, Json], kind: Kind
) -> None:
    found, _ = parse_document(json.dumps(data).encode(), display="f.yaml")
    assert found is not None

    diagnostics = check(found, kind)

    assert all(one.code in schema.CODES and "\n" not in one.message and one.location.span for one in diagnostics)
    by_the_schema = not Checker(json.loads(schema_text(kind))).mismatches(data)
    authored = {"RUN210", "RUN211", "RUN212"}
    assert by_the_schema == all(one.code in authored for one in diagnostics)


def test_a_document_with_many_mistakes_is_checked_fast() -> None:
    text = COMPLETE + "tools:\n" + "".join(f"  - {{name: t{n}, type: python, functoin: 'a:b'}}\n" for n in range(500))
    started = time.perf_counter()

    assert len(checked(text)) == 500
    assert time.perf_counter() - started < 5


@pytest.mark.timeout(30)  # what looks for it by trying takes longer than the universe has been there
def test_a_pattern_that_invites_endless_work_is_searched_in_linear_time() -> None:
    authored = {"type": "string", "pattern": "^(a+)+$"}

    assert problems("a" * 40, authored) == []
    assert len(problems("a" * 40 + "!", authored)) == 1
