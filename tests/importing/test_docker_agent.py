"""Models, servers and tools of docker-agent files."""

import pytest

from runner.spec import Json
from tests.importing.conftest import Import
from tests.importing.looks import data, notes

AGENT = "agents:\n  root:\n    instruction: Hi\n    model: {model}\n"


def model_of(imported: Import, model: str, more: str = "") -> Json:
    plan = imported(AGENT.format(model=model) + more)
    return data(plan)[0].get("model")


@pytest.mark.parametrize(
    ("model", "ours"),
    [
        ("openai/gpt-5", "openai/gpt-5"),
        ("google/gemini-2.5-flash", "gemini/gemini-2.5-flash"),
        ("dmr/ai/qwen3", "docker_model_runner/ai/qwen3"),
        ("auto", None),
        ("'openai/gpt-5, anthropic/claude-sonnet-4-5'", "openai/gpt-5"),
    ],
)
def test_a_model_goes_by_our_name(imported: Import, model: str, ours: Json) -> None:
    assert model_of(imported, model) == ours


@pytest.mark.parametrize("model", ["auto", "a/b,c/d"])
def test_models_in_turn_and_automatic_ones_are_told(imported: Import, model: str) -> None:
    assert notes(imported(AGENT.format(model=model))) == [
        "some file.yaml:4:5: agents.root.model: write one model; alternating and automatic ones do not exist here"
    ]


@pytest.mark.parametrize(
    ("named", "ours"),
    [
        ("{provider: openai, model: gpt-5}", "openai/gpt-5"),
        ("{provider: openai, model: x, top_p: 0.5}", {"name": "openai/x", "params": {"top_p": 0.5}}),
        ("{provider: openai, model: x, temperature: 0}", {"name": "openai/x", "temperature": 0}),
        (
            "{provider: openai, model: x, base_url: 'http://h.example.com/v1', token_key: KEY}",
            {"name": "openai/x", "api_base": "http://h.example.com/v1", "api_key": "${KEY}"},
        ),
        (
            "{provider: anthropic, model: x, thinking_budget: low}",
            {"name": "anthropic/x", "params": {"reasoning_effort": "low"}},
        ),
        ("{provider: gateway, model: x}", {"name": "openai/x", "api_base": "http://g.example.com"}),
    ],
)
def test_a_named_model_brings_its_parameters(imported: Import, named: str, ours: Json) -> None:
    providers = "providers:\n  gateway: {api_type: openai_chatcompletions, base_url: 'http://g.example.com'}\n"

    assert model_of(imported, "m", f"models:\n  m: {named}\n{providers}") == ours


def test_a_budget_in_tokens_is_told(imported: Import) -> None:
    plan = imported(AGENT.format(model="m") + "models:\n  m: {provider: a, model: b, thinking_budget: 1024}\n")

    assert data(plan)[0]["model"] == "a/b"
    assert notes(plan) == ["some file.yaml:6:30: models.m.thinking_budget: write model.params as the provider wants it"]


TOOL = AGENT.format(model="a/b") + "    toolsets:\n      - type: api\n        api_config: {{name: t, {more}}}\n"


@pytest.mark.parametrize(
    ("more", "ours"),
    [
        ("endpoint: 'http://h.example.com/x'", {"method": "GET", "url": "http://h.example.com/x"}),
        (
            (
                "method: post, endpoint: 'http://h.example.com/${id}', "
                "args: {id: {type: string}, n: {type: integer}}, required: [id]"
            ),
            {
                "method": "POST",
                "url": "http://h.example.com/{{ id }}",
                "body": {"json": {"n": "{{ n }}"}},
                "parameters": {
                    "type": "object",
                    "properties": {"id": {"type": "string"}, "n": {"type": "integer"}},
                    "required": ["id"],
                },
            },
        ),
        (
            "endpoint: 'http://${env.HOST}/x', headers: {X-Key: '${env.KEY}', X-N: 1}",
            {"method": "GET", "url": "http://${HOST}/x", "headers": {"X-Key": "${KEY}", "X-N": "1"}},
        ),
    ],
)
def test_a_call_of_an_api_is_an_http_tool(imported: Import, more: str, ours: dict[str, Json]) -> None:
    plan = imported(TOOL.format(more=more))

    assert data(plan)[0]["tools"] == [{"name": "t", "type": "http", **ours}]
    assert plan.is_valid


def test_the_shape_of_a_response_is_told(imported: Import) -> None:
    plan = imported(TOOL.format(more="endpoint: 'http://h.example.com', output_schema: {type: object}"))

    (note,) = notes(plan)
    assert note.endswith("api_config.output_schema: the model sees the response as it is")
