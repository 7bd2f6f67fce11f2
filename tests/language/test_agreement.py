"""Schema, `run` and `validate` agree about every document: what one refuses the others refuse too."""

import copy
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from runner.language.compiler import compile_agent
from runner.language.document import parse_document
from runner.language.schema import CODES as OF_SCHEMA
from runner.language.schema.acceptance import Acceptance
from runner.language.schema.authored import KEYWORDS, check_authored
from runner.language.schema.library import META_SCHEMA, Checker, inlined
from runner.language.schema_files import schema_text
from runner.language.validation import validate_paths
from runner.spec import Json, JsonObject
from tests.benchmarks.mutants.corpus import Case, copy_projects, make_cases

AGENT: JsonObject = json.loads(schema_text("agent"))
# As an editor would hold it against a document: the published text, and none of our own code.
PUBLISHED = Draft202012Validator(AGENT)
# JSON Schemas that people write are held against the metaschema, which the published schema leaves to us.
OF_AUTHORED = {"RUN210", "RUN211", "RUN212"}
EXAMPLES: dict[str, JsonObject] = {
    "small": {"name": "a", "model": "openai/x", "prompt": "hi"},
    "full": {
        "version": "1",
        "kind": "agent",
        "name": "full",
        "description": "d",
        "metadata": {"tags": ["a"]},
        "model": {
            "name": "openai/x",
            "temperature": 0.5,
            "max_tokens": 10,
            "timeout": "30s",
            "retries": 2,
            "api_base": "http://127.0.0.1:1/v1",
            "api_key": "${KEY}",
            "capabilities": {"function_calling": True, "stop": False},
            "price": {"input": 1, "output": 2.5},
            "params": {"seed": 7},
            "fallbacks": ["anthropic/y", {"name": "openai/z", "temperature": 1}],
        },
        "inputs": {"city": {"type": "string", "default": "Oslo"}},
        "instructions": "In {{ city }}.",
        "prompt": "{{ input }}",
        "examples": [
            {
                "user": "u",
                "answer": "a",
                "calls": [{"tool": "calculator", "arguments": {"expression": "1"}, "result": "1"}],
            }
        ],
        "tools": ["calculator", "current_time"],
        "tool_choice": {"mode": "auto", "keep": False},
        "parsing": {"mode": "json", "max_retries": 1},
        "output_schema": {},
        "limits": {"max_steps": 3, "timeout": 60, "tool_timeout": "5s", "max_cost": 0.5, "max_total_tokens": 1000},
        "on_limit": "answer",
        "context": {"max_tokens": 1000, "strategy": "summarize", "keep_last": 2, "model": "openai/x"},
    },
    "text": {
        "name": "t",
        "model": "openai/x",
        "prompt": "hi",
        "parsing": {
            "mode": "text",
            "instructions": "{{ tools }}",
            "call": "^C (?P<name>\\w+) (?P<arguments>.*)$",
            "answer": "^A (?P<answer>.*)",
            "stop": ["\nR"],
        },
    },
}
VALUES: list[Json] = [
    None, True, 0, 1, -1, 2.5, 1e9, "", "x", "10s", "yes", "auto", "text", "none", "a b", "é", "x\n",
    [], ["x"], [1], {}, {"x": 1}, {"mode": "text"}, {"name": "m/n"},
]  # fmt: skip
KEYS = [
    "x",
    "x-note",
    "name",
    "mode",
    "model",
    "tools",
    "timeout",
    "extends",
    "max_steps",
    "prompt_file",
    "kind",
    "labels",
]


def places(value: Json, path: tuple[str | int, ...] = ()) -> list[tuple[str | int, ...]]:
    """The path of a value and of everything inside it."""
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [path, *(each for step, part in inner for each in places(part, (*path, step)))]


@st.composite
def documents(draw: st.DrawFn) -> JsonObject:
    """An agent with up to three values changed, taken away or added; most are wrong somewhere, some are right."""
    document: Any = copy.deepcopy(draw(st.sampled_from(list(EXAMPLES.values()))))
    for _ in range(draw(st.integers(0, 3))):
        path = draw(st.sampled_from(places(document)))
        if not path:
            continue
        holder = document
        for step in path[:-1]:
            holder = holder[step]
        match draw(st.sampled_from(("change", "remove", "add", "rename"))):
            case "change":
                holder[path[-1]] = copy.deepcopy(draw(st.sampled_from(VALUES)))
            case "remove":
                del holder[path[-1]]
            case "add" if isinstance(holder, dict):
                holder[draw(st.sampled_from(KEYS))] = copy.deepcopy(draw(st.sampled_from(VALUES)))
            case "rename" if isinstance(holder, dict):
                holder[draw(st.sampled_from(KEYS))] = holder.pop(path[-1])
            case _:
                pass
    return dict(document)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("agreement")
    (root / "agents.d").mkdir()
    return root / "agents.d"


def written(folder: Path, text: str | bytes) -> Path:
    path = folder / "a.yaml"
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


# The folder is the same for all examples: each writes its own file anew.
ONE_FOLDER = settings(deadline=None, max_examples=300, suppress_health_check=[HealthCheck.function_scoped_fixture])


@ONE_FOLDER
@given(document=documents())
def test_what_the_published_schema_refuses_run_refuses_and_what_it_takes_run_takes_for_well_formed(
    folder: Path, document: JsonObject
) -> None:
    compiled = compile_agent(written(folder, json.dumps(document, ensure_ascii=False)))

    about_form = {each.code for each in compiled.diagnostics if each.severity == "error"} & OF_SCHEMA.keys()
    if PUBLISHED.is_valid(document) or ("kind" in document and document["kind"] == "toolset"):
        assert about_form <= OF_AUTHORED
    else:
        assert about_form
        assert compiled.spec is None


@settings(deadline=None, max_examples=500)
@given(document=documents(), partial=st.booleans())
def test_the_fast_check_and_the_telling_one_say_the_same(document: JsonObject, *, partial: bool) -> None:
    schema = {key: value for key, value in AGENT.items() if not partial or key not in ("if", "then")}

    assert Acceptance(schema).accepts(document) == (not Checker(inlined(schema)).mismatches(document, most=1))


@pytest.mark.parametrize("number", [10**400, -(10**400), 1e308, 2**63, 1.0, 0.1 + 0.2])
@pytest.mark.parametrize("key", ["max_steps", "max_cost", "timeout"])
def test_the_fast_check_and_the_telling_one_say_the_same_of_numbers(number: float, key: str) -> None:
    document = {"name": "a", "prompt": "hi", "limits": {key: number}}

    assert Acceptance(AGENT).accepts(document) == (not Checker(inlined(AGENT)).mismatches(document, most=1))


METASCHEMA = Checker(META_SCHEMA, formats=("regex",))
KEYWORD_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-2, 3) | st.floats() | st.sampled_from(["string", "(", "#/$defs/a", "a"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(sorted(KEYWORDS)), inner, max_size=3),
    max_leaves=8,
)


@settings(deadline=None, max_examples=500)
@given(schema=st.dictionaries(st.sampled_from(sorted(KEYWORDS)), KEYWORD_VALUES, max_size=4))
def test_the_fast_check_and_the_telling_one_say_the_same_of_json_schemas(schema: JsonObject) -> None:
    told = any(finding.text.endswith("(in a JSON Schema)") for finding in check_authored(schema))

    assert told == bool(METASCHEMA.mismatches(json.loads(json.dumps(schema)), most=1))


@ONE_FOLDER
@given(document=documents())
def test_validate_and_run_agree_on_documents(folder: Path, document: JsonObject) -> None:
    agree(written(folder, json.dumps(document, ensure_ascii=False)))


@ONE_FOLDER
@given(
    text=st.text(max_size=80)
    | st.binary(max_size=80)
    | st.text(alphabet="ab:-[]{}\"'#&*!|>%@`,\n \t{{%}$", max_size=80).map(
        lambda rest: f"name: a\nmodel: m/n\nprompt: {rest}"
    )
)
def test_any_text_gives_diagnostics_and_validate_and_run_agree_on_it(folder: Path, text: str | bytes) -> None:
    data = text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text

    agree(written(folder, data))


@pytest.fixture(scope="module")
def cases(tmp_path_factory: pytest.TempPathFactory) -> list[Case]:
    return make_cases(copy_projects(tmp_path_factory.mktemp("mutants") / "corpus"), seed=11, most=2)


def test_validate_and_run_agree_on_mutants(cases: list[Case]) -> None:
    agents = [case for case in cases if case.subject.kind == "agent" and not case.subject.partial]
    assert len(agents) > 50
    for case in agents:
        path = case.subject.project / case.subject.file
        path.write_text(case.mutant.text, encoding="utf-8")
        agree(path)
        path.write_text(case.subject.text, encoding="utf-8")


def test_the_fast_check_and_the_telling_one_say_the_same_of_mutants(cases: list[Case]) -> None:
    refused = 0
    for case in cases:
        document, _ = parse_document(case.mutant.text.encode(), display="f.yaml")
        schema = json.loads(schema_text(case.subject.kind))
        if document is not None:
            accepted = Acceptance(schema).accepts(document.data)
            assert accepted == (not Checker(inlined(schema)).mismatches(document.data, most=1)), case.mutant.what
            refused += not accepted
    assert refused > 30


def agree(path: Path) -> None:
    compiled = compile_agent(path)
    report = validate_paths([path])

    errors = [each for each in report.diagnostics if each.severity == "error"]
    assert (compiled.spec is None) == bool(errors)
    assert {each.code for each in errors} == {each.code for each in compiled.diagnostics if each.severity == "error"}
