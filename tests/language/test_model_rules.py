"""What is known of models is told, and nothing else; messages are in the golden cases `model-facts`, `model-slips`."""

import json
from pathlib import Path
from typing import Any

import pytest

from runner.language import known_models
from runner.language.compiler import compile_agent
from runner.language.known_models import is_known, known_model, known_providers
from runner.language.rules.model_params import RESERVED
from runner.language.rules.model_providers import COMMON
from runner.models import sending
from runner.models.providers import ADDRESS_VARIABLES, KEY_VARIABLES

TAIL = "prompt: hi\n"


def codes(root: Path, text: str) -> list[str]:
    (root / "a.yaml").write_text(f"name: a\n{text}{TAIL}", encoding="utf-8")
    return [each.code for each in compile_agent(root / "a.yaml").diagnostics]


def test_the_parameters_of_the_runner_are_those_that_the_adapter_refuses() -> None:
    assert RESERVED == sending.RESERVED


def test_the_common_providers_exist_and_so_do_those_with_variables() -> None:
    known = known_providers() | {"local"}
    assert known >= COMMON
    assert KEY_VARIABLES.keys() | ADDRESS_VARIABLES.keys() <= known


def test_the_tables_say_something() -> None:
    known = known_model("openai/gpt-4o-mini")
    assert known is not None
    assert known.window == 128_000
    assert not known.calls_no_tools
    assert is_known("deepseek/deepseek-reasoner")


@pytest.mark.parametrize("layout", [None, {"indent": 2}, {"separators": (",", ":")}])
def test_every_model_of_a_table_is_found_in_its_text(layout: dict[str, Any] | None) -> None:
    table = json.loads(known_models._table())
    text = known_models._table() if layout is None else json.dumps(table, **layout)
    names = [*[name for name in table if name != "fallback_generalizations"][::20], "claude-haiku-5-5"]

    assert len(names) > 100
    assert [name for name in names if known_models._found(text, name) != table.get(name)] == []


def test_only_models_are_found_there() -> None:
    others = ["search_context_cost_per_query", "litellm_provider", "metadata", "", "no-such-model"]
    assert [name for name in others if is_known(name)] == []


@pytest.mark.parametrize("name", ["", "/", "x", "nobody/knows", "anthropic/gpt-4o-mini", "ollama/llama3", "local/x"])
def test_nothing_is_said_of_other_models(name: str) -> None:
    assert known_model(name) is None


@pytest.mark.parametrize("name", ["nebius/x", "cohere/x", "azure_ai/x", "zai/x", "scaleway/x", "${P}/x", "o${P}/x"])
def test_a_provider_that_exists_or_is_not_known_yet_is_no_slip(tmp_path: Path, name: str) -> None:
    assert codes(tmp_path, f"model: '{name}'\n") == []


@pytest.mark.parametrize(
    "model",
    [
        "{name: openai/x, fallbacks: [openai/y, anthropic/x]}",
        "{name: openai/x, fallbacks: [{name: openai/x, params: {service_tier: flex}}]}",
        "{name: openai/x, params: {seed: 1}, fallbacks: [{name: openai/x}]}",
        "{name: openai/x, api_key: '${A}', fallbacks: [{name: openai/x, api_key: '${B}'}]}",
        "{name: openai/x, api_base: 'http://localhost:1', api_key: none, fallbacks: [openai/x]}",
    ],
)
def test_the_same_name_elsewhere_is_another_model(tmp_path: Path, model: str) -> None:
    assert codes(tmp_path, f"model: {model}\n") == []


@pytest.mark.parametrize(
    "model",
    [
        "{name: openai/x, fallbacks: [openai/x]}",
        "{name: openai/x, params: {seed: 1}, fallbacks: [openai/x]}",
        "{name: openai/x, fallbacks: [{name: openai/x, temperature: 1}]}",
        "{name: openai/x, fallbacks: [openai/y, {name: openai/y}]}",
    ],
)
def test_a_model_that_is_asked_twice_is_told(tmp_path: Path, model: str) -> None:
    assert codes(tmp_path, f"model: {model}\n") == ["RUN602"]


@pytest.mark.parametrize(
    ("key", "expected"),
    [
        ("none", []),
        ("EMPTY", []),
        ("'${KEY}'", []),
        ("'Bearer ${KEY} x'", []),
        ("sk-0123456789abcdef", ["RUN803"]),
    ],
)
def test_a_key_is_a_secret_when_it_looks_like_one(tmp_path: Path, key: str, expected: list[str]) -> None:
    assert codes(tmp_path, f"model: {{name: openai/x, api_key: {key}}}\n") == expected


@pytest.mark.parametrize("fallbacks", ["3", "[3]", "[[x]]", "{a: b}", "[{}]", "[null]"])
def test_fallbacks_that_are_none_are_told_by_the_schema_alone(tmp_path: Path, fallbacks: str) -> None:
    found = codes(tmp_path, f"model: {{name: openai/x, params: 3, fallbacks: {fallbacks}}}\n")
    assert found
    assert all(code.startswith("RUN2") for code in found)
