"""Where requests go, which key goes along, and what is said before anything is sent."""

import json
from contextlib import suppress
from dataclasses import replace
from importlib.util import find_spec
from typing import Any

import pytest

from runner.engine.ports import Capabilities, ModelError
from runner.models import open_model
from runner.models.providers import KEY_VARIABLES, Route, check, resolve
from runner.spec import ModelSpec, Text
from tests.models.asking import ask, opened
from tests.servers import OpenAIServer, Redirect

PROVIDERS = ("openai", "anthropic", "groq", "hosted_vllm")


def provider_of(name: str) -> str | None:
    """What LiteLLM says, in short: the prefix if it is a provider, and it knows some models by heart."""
    prefix = name.partition("/")[0]
    return prefix if prefix in PROVIDERS else {"gpt-4o": "openai"}.get(name)


def route(name: str, *, api_base: str | None = None, api_key: str | None = None) -> Route:
    return resolve(name, api_base=api_base, api_key=api_key, provider_of=provider_of)


async def problem(**settings: Any) -> str:
    """What opening the model is refused with."""
    with pytest.raises(ModelError) as caught:
        async with opened(**settings):
            pytest.fail("it opened")
    assert caught.value.configuration
    assert "\n" not in str(caught.value)
    return str(caught.value)


@pytest.mark.parametrize(
    ("name", "model", "provider"),
    [
        ("openai/gpt-4o", "openai/gpt-4o", "openai"),
        ("gpt-4o", "openai/gpt-4o", "openai"),
        ("anthropic/x", "anthropic/x", "anthropic"),
    ],
)
def test_the_provider_is_asked_with_its_own_key(name: str, model: str, provider: str) -> None:
    assert route(name) == Route(name=name, model=model, provider=provider)


@pytest.mark.parametrize(
    ("name", "model", "provider"),
    [
        ("openai/m", "openai/m", "openai"),
        ("my-model", "hosted_vllm/my-model", "hosted_vllm"),
        ("qwen/qwen3-30b", "hosted_vllm/qwen/qwen3-30b", "hosted_vllm"),
        ("gpt-4o", "hosted_vllm/gpt-4o", "hosted_vllm"),
    ],
)
def test_a_server_of_ones_own_gets_the_name_and_no_key(name: str, model: str, provider: str) -> None:
    # field bug B123
    assert route(name, api_base="http://h/v1") == Route(
        name=name, model=model, provider=provider, api_base="http://h/v1", api_key="none"
    )


def test_a_server_of_ones_own_gets_the_key_that_is_named_with_it() -> None:
    assert route("m", api_base="http://h/v1", api_key="k").api_key == "k"


@pytest.mark.parametrize(
    ("name", "advice"),
    [
        ("my-model", "it names no provider; write 'provider/model', such as 'openai/my-model'"),
        ("qwen/qwen3-30b", "there is no provider 'qwen'; write 'provider/model', such as 'openai/qwen/qwen3-30b'"),
        ("antropic/claude", "did you mean 'anthropic/claude'?"),
    ],
)
def test_a_name_without_a_provider_says_what_to_write(name: str, advice: str) -> None:
    with pytest.raises(ModelError) as caught:
        route(name)

    assert advice in str(caught.value)
    assert caught.value.configuration


@pytest.mark.parametrize("provider", sorted(KEY_VARIABLES))
def test_a_missing_key_is_named_and_any_of_its_variables_will_do(provider: str) -> None:
    wanted = Route(name=f"{provider}/m", model=f"{provider}/m", provider=provider)
    variables = KEY_VARIABLES[provider]

    for environ in ({}, {variables[0]: ""}):
        with pytest.raises(ModelError, match=f"{provider}/m needs an API key: set .* {variables[0]}"):
            check(wanted, environ)
    for variable in variables:
        check(wanted, {variable: "k"})


@pytest.mark.parametrize("provider", ["hosted_vllm", "azure", "lm_studio"])
def test_a_server_of_ones_own_needs_an_address(provider: str) -> None:
    with pytest.raises(ModelError, match="add `api_base`"):
        check(Route(name="x", model=f"{provider}/m", provider=provider), {})


async def test_a_missing_key_is_said_before_anything_is_loaded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)

    assert "set the environment variable OPENAI_API_KEY" in await problem(name="openai/gpt-4o")


async def test_litellm_knows_neither_name() -> None:  # field bugs B120 and B123
    assert "write 'provider/model'" in await problem(name="my-model")
    assert "write 'provider/model'" in await problem(name="qwen/qwen3-30b")


@pytest.mark.skipif(find_spec("google") is not None, reason="the package that must be missing is installed")
async def test_a_provider_whose_package_is_missing_says_how_to_install_it() -> None:
    assert "pip install google-auth" in await problem(name="vertex_ai/gemini-2.5-pro")


@pytest.mark.parametrize("name", ["my-model", "qwen/qwen3-30b", "openai/my-model"])
async def test_a_server_of_ones_own_is_asked_for_the_model(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    # field bug B123
    monkeypatch.setenv("OPENAI_API_KEY", "sk-of-the-environment")
    with OpenAIServer(["hi"]) as server:
        async with opened(name=name, api_base=server.url) as model:
            _, reply = await ask(model)
        server.assert_complete()

    assert reply.text == "hi"
    assert server.requests[0].body["model"] == name.removeprefix("openai/")
    assert server.requests[0].headers["authorization"] == "Bearer none"


@pytest.mark.parametrize(
    "settings",
    [{"api_base": "URL"}, {"params": {"api_base": "URL"}}, {"params": {"base_url": "URL"}}],
    ids=["api_base", "params.api_base", "params.base_url"],
)
@pytest.mark.parametrize(
    "name",
    [
        "openai/m",
        "anthropic/m",
        "gemini/m",
        "mistral/m",
        "groq/m",
        "deepseek/m",
        "openrouter/m",
        "xai/m",
        "m",
        "azure/m",
    ],
)
async def test_no_key_of_the_environment_goes_to_a_server_of_ones_own(
    name: str, settings: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    for variable in {
        "AZURE_API_KEY",
        "HOSTED_VLLM_API_KEY",
        *(each for all_ in KEY_VARIABLES.values() for each in all_),
    }:
        monkeypatch.setenv(variable, "sk-of-the-environment")
    monkeypatch.setenv("AZURE_API_VERSION", "2024-10-21")
    with OpenAIServer(then="hi") as server:
        filled = json.loads(json.dumps(settings).replace("URL", server.url))
        async with opened(name=name, **filled) as model:
            with suppress(ModelError):  # some clients want another kind of answer; what they sent is what matters
                await ask(model)

    sent = [(request.path, dict(request.headers), str(request.body)) for request in server.requests]
    assert sent
    assert "of-the-environment" not in str(sent)


@pytest.mark.parametrize("stream", [False, True], ids=["whole", "streamed"])
@pytest.mark.parametrize("status", [302, 307])
@pytest.mark.parametrize("name", ["openai/m", "anthropic/m", "gemini/m", "mistral/m", "azure/m", "ollama_chat/m", "m"])
async def test_nothing_goes_where_a_server_redirects_to(name: str, status: int, stream: bool) -> None:
    with OpenAIServer(then="stolen") as other, OpenAIServer([Redirect(f"{other.url}/x", status)]) as server:
        params = {"api_version": "2024-10-21"} if name == "azure/m" else {}
        with pytest.raises(ModelError) as caught:
            async with opened(name=name, api_base=server.url, api_key="the-key", params=params) as model:
                await ask(model, stream=stream)
        assert len(server.requests) == 1
        assert other.requests == []

    message = str(caught.value)
    assert f"sends requests for {name} on to {other.url.removesuffix('/v1')}, which is not followed" in message
    assert "`api_base`" in message
    assert not caught.value.transient


@pytest.mark.parametrize("base", ["htp://h/v1", "localhost:8000/v1", "/v1", "http://", "https://h:x/v1", "http://[/v1"])
async def test_an_address_that_is_none_is_said_before_anything_is_sent(base: str) -> None:
    assert "`api_base` of openai/m is no web address; write http://" in await problem(name="openai/m", api_base=base)


async def test_a_password_in_an_address_is_refused_and_not_shown() -> None:
    message = await problem(name="openai/m", api_base="http://me:my-password@127.0.0.1:9/v1")

    assert "write it as `api_key`" in message
    assert "my-password" not in message


async def test_the_key_of_the_agent_is_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-of-the-environment")
    with OpenAIServer(then="hi") as server:
        for settings in ({"api_key": "mine"}, {"params": {"api_key": "mine"}}):
            async with opened(name="openai/m", api_base=server.url, **settings) as model:
                await ask(model)

    assert [request.headers["authorization"] for request in server.requests] == ["Bearer mine"] * 2


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("openai/gpt-4o", Capabilities(function_calling=True, response_format=True, stop=True)),
        ("openai/gpt-5-mini", Capabilities(function_calling=True, response_format=True, stop=False)),
        ("deepseek/deepseek-reasoner", Capabilities(function_calling=False, response_format=True, stop=True)),
        ("perplexity/sonar", Capabilities(function_calling=False, response_format=False, stop=False)),
        ("openai/a-model-of-next-year", Capabilities(stop=True)),
        ("hosted_vllm/m", Capabilities(stop=True)),
        # Asking LiteLLM more about these would make it ask a server at localhost:11434.
        ("ollama_chat/llama3", Capabilities(stop=True)),
    ],
)
async def test_what_a_model_supports_is_unknown_unless_it_is_known(name: str, expected: Capabilities) -> None:
    model = open_model(ModelSpec(name=name, api_base=Text(value="http://127.0.0.1:9/v1", origin="a.yaml:1")))
    try:
        assert replace(await model.open(), window=None, most_output=None, price=None) == expected
    finally:
        await model.close()


async def test_declared_capabilities_overrule_the_tables() -> None:
    spec = ModelSpec(
        name="openai/gpt-4o",
        api_key=Text(value="k", origin="a.yaml:1"),
        capabilities={"function_calling": False, "response_format": False},
    )
    model = open_model(spec)
    try:
        known = await model.open()
        assert (known.function_calling, known.response_format, known.stop) == (False, False, True)
    finally:
        await model.close()
