"""What people read when a provider fails: one line, the cause, what to do, and no key."""

from typing import Any

import pytest

from runner.engine.ports import ModelError
from runner.environment import Secrets
from runner.models.quoting import quote
from tests.models.asking import ask, opened
from tests.servers import Drop, Failure, Json, OpenAIServer, Raw, Stream

NO_SECRETS = Secrets()
PAGE = b"<!DOCTYPE html><html><head><title>Sign\nin</title></head><body>" + b"x" * 200_000 + b"</body></html>"
BODY = '{"error": {"message": "it\'s bad"}}'
OVERFLOW = {
    "code": 400,
    "message": "request (9031 tokens) exceeds the available context size (8192 tokens), try increasing it",
    "type": "exceed_context_size_error",
}


@pytest.fixture(params=["openai/m", "hosted_vllm/m"])
def name(request: pytest.FixtureRequest) -> str:
    return str(request.param)


async def failure(entry: Any, **settings: Any) -> str:
    """The message of a call that fails."""
    return str(await failed(entry, **settings))


async def failed(entry: Any, *, name: str, requests: int = 1, **settings: Any) -> ModelError:
    """The error of a call that fails; its message must be one line and come from one request (field bug B59)."""
    stream = settings.pop("stream", False)
    with OpenAIServer([entry]) as server:
        with pytest.raises(ModelError) as caught:
            async with opened(name=name, **{"api_base": server.url, **settings}) as model:
                await ask(model, stream=stream)
        assert len(server.requests) == requests
    message = str(caught.value)
    assert "\n" not in message
    assert "Traceback" not in message
    assert "litellm" not in message
    assert len(message) < 600
    assert name in message
    return caught.value


@pytest.mark.parametrize(
    ("entry", "expected"),
    [
        (Failure(400, "`top_x` is not known"), ["refused the request (400 Bad Request): `top_x` is not known"]),
        (Failure(403, "not in your country"), ["403 Forbidden", "not in your country"]),
        (Failure(404, "no model m"), ["was not found (404 Not Found): no model m", "check the model's name"]),
        (Failure(413, "too big"), ["413", "too big"]),
        (Failure(422, "wrong"), ["422", "wrong"]),
        (Failure(429, "slow down", {"Retry-After": "1"}), ["429 Too Many Requests", "slow down", "wait"]),
        (Failure(500, "boom"), ["provider's side (500 Internal Server Error): boom", "try again later"]),
        (Failure(502, "bad"), ["502 Bad Gateway"]),
        (Failure(503, "overloaded"), ["503 Service Unavailable", "overloaded"]),
        (Failure(529, "overloaded"), ["529", "overloaded"]),
        (Failure(408, "slow upload"), ["could not take the request just now (408 Request Timeout): slow upload"]),
        (Failure(501, "no"), ["provider's side (501 Not Implemented): no"]),
        (Json({"error": OVERFLOW}, status=400), ["too long for", "9031 tokens", "8192 tokens", "set `context:`"]),
        (
            Failure(400, "This model's maximum context length is 10 tokens. However, your messages have 20 tokens."),
            ["too long for", "10 tokens", "20 tokens"],
        ),
        (Json({"error": {"message": "inner", "code": 500}}), ["inner"]),
        (Json({"error": {"message": "inner", "code": "server_error"}}), ["sent an error instead of a reply: inner"]),
        (Json({"choices": [{"message": 5}]}), ["could not be translated", "not of the provider's form"]),
        (Drop(), ["broke off the connection before", "127.0.0.1"]),
    ],
    ids=repr,
)
async def test_a_failure_says_what_happened_and_what_to_do(name: str, entry: Any, expected: list[str]) -> None:
    message = await failure(entry, name=name)

    for words in expected:
        assert words in message


async def test_a_status_without_words_is_said_once(name: str) -> None:
    message = await failure(Json({}, status=502), name=name)

    assert message.count("502") == 1
    assert "(502 Bad Gateway)" in message


@pytest.mark.parametrize("status", [200, 404, 502])
async def test_a_web_page_is_not_repeated(name: str, status: int) -> None:
    message = await failure(Raw(PAGE, status), name=name)

    assert "<" not in message
    assert "xxx" not in message


async def test_a_web_page_instead_of_a_reply_points_at_the_address(name: str) -> None:
    message = await failure(Raw(b"<html><title>Sign in</title></html>"), name=name)

    assert "answered" in message
    assert "titled 'Sign in' instead of JSON; check `api_base`" in message


@pytest.mark.parametrize("body", [b'{"choices": [{"mess', b""])
async def test_half_a_response_is_named_as_such(name: str, body: bytes) -> None:
    assert "not whole JSON" in await failure(Raw(body, content_type="application/json"), name=name)


async def test_an_error_in_the_middle_of_a_stream_is_told(name: str) -> None:
    broken = Stream([{"content": "hi"}, 'data: {"error": {"message": "overloaded", "code": 503}}\n\n'], done=False)

    assert "overloaded" in await failure(broken, name=name, stream=True)


async def test_a_server_that_is_not_there_is_named_with_its_address(name: str) -> None:
    message = await failure("never sent", name=name, api_base="http://127.0.0.1:9/v1", requests=0)

    assert "cannot connect to 127.0.0.1:9" in message
    assert "Connection refused" in message
    assert "api_base" in message
    assert "500" not in message, "the status is LiteLLM's invention"


async def test_a_refused_key_of_the_agent_points_at_the_agent(name: str) -> None:
    message = await failure(Failure(401, "wrong key"), name=name, api_key="my-own-key")

    assert "refused the API key (401 Unauthorized): wrong key; check `api_key` in `model`" in message


async def test_a_server_that_wants_a_key_is_told_to_get_one() -> None:
    message = await failure(Failure(401, "wrong key"), name="openai/m")

    assert "no key was sent" in message
    assert "add `api_key: ${OPENAI_API_KEY}`" in message


async def test_keys_are_never_repeated(name: str) -> None:  # field bug B119
    said = "my-own-key is wrong, so are sk-proj-12345678, Bearer abc.def and ?key=AIzaSy1234567890"
    message = await failure(Failure(401, said), name=name, api_key="my-own-key")

    for secret in ("my-own-key", "12345678", "abc.def", "AIzaSy"):
        assert secret not in message
    assert "*** is wrong, so are ***" in message


async def test_a_key_of_the_environment_is_never_repeated(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "of-the-environment")

    assert "of-the-environment" not in await failure(Failure(401, "not of-the-environment"), name="openai/m")


async def test_a_secure_connection_to_a_plain_server_says_so(name: str) -> None:
    with OpenAIServer() as server:
        error = await failed("never sent", name=name, api_base=server.url.replace("http:", "https:"), requests=0)

    assert "cannot make a secure connection to 127.0.0.1" in str(error)
    assert "http:// or https://" in str(error)
    assert not error.transient, "it will be no more secure the next time"


async def test_an_unsupported_parameter_is_a_matter_of_configuration() -> None:
    with OpenAIServer() as server:
        with pytest.raises(ModelError, match="temperature") as caught:
            async with opened(name="openai/gpt-5-mini", api_base=server.url, temperature=0.5) as model:
                await ask(model)
        server.assert_complete()

    assert caught.value.configuration
    assert "drop_params" in str(caught.value)


@pytest.mark.parametrize(
    ("text", "quoted"),
    [
        ("litellm.RateLimitError: RateLimitError: OpenAIException - slow down", "slow down"),
        ('litellm.BadRequestError: Hosted_vllmException - {"error": {"message": "bad", "code": null}}', "bad"),
        ('litellm.NotFoundError: X_Exception - {"message": "gone", "detail": "x"}', "gone"),
        ("OpenAIException - Error code: 400 - {'error': 1}", "{'error': 1}"),
        ("litellm.BadGatewayError: BadGatewayError: OpenAIException - Error code: 502", ""),
        ("OpenAIException - the worker said Error code: 502", "the worker said Error code: 502"),
        ("APIConnectionError: it broke\nTraceback (most recent call last):\n  File x", "it broke"),
        (
            "Error: is a word, and so is Exception - in the middle",
            "Error: is a word, and so is Exception - in the middle",
        ),
        ("it takes {curly} braces", "it takes {curly} braces"),
        ("a\n  b\tc", "a b c"),
        ("AnthropicException - " + repr(BODY.encode()), "it's bad"),
        ("X_Exception - litellm.types.Thing() argument", "Thing() argument"),
        ("OpenAIException - gone. Handle with `litellm.InternalServerError`.", "gone"),
        ("", ""),
    ],
)
def test_the_providers_own_words_are_found(text: str, quoted: str) -> None:
    assert quote(text, NO_SECRETS) == quoted


def test_long_words_are_cut() -> None:
    assert len(quote("word " * 1000, NO_SECRETS)) <= 300
