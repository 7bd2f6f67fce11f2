"""Which failures may pass, through every client that LiteLLM has, whole and streamed (field bug B59)."""

from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any

import pytest

from runner.engine.ports import ModelError
from runner.models.litellm_model import LiteLLMModel
from tests.models.asking import ask, opened
from tests.servers import Drop, Entry, Failure, Json, OpenAIServer, Raw, Reply, Stream

PAGE = b"<!DOCTYPE html><html><head><title>Sign in</title></head></html>"
HALF = b'{"choices": [{"message": {"role": "assist'
NEVER = 3600.0
GEMINI_MINUTE = {
    "error": {
        "code": 429,
        "message": "You exceeded your current quota, please check your plan and billing details.",
        "status": "RESOURCE_EXHAUSTED",
        "details": [{"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "34s"}],
    }
}


@pytest.fixture(params=["openai/m", "hosted_vllm/m", "anthropic/claude-sonnet-4-5", "gemini/gemini-2.5-flash"])
def name(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(params=[False, True], ids=["whole", "streamed"])
def stream(request: pytest.FixtureRequest) -> bool:
    return bool(request.param)


async def failed(entry: Entry, name: str, *, stream: bool = False, **settings: Any) -> ModelError:
    with OpenAIServer([entry]) as server:
        given = {"api_base": server.url, "api_key": "the-key-of-the-agent", **settings}
        with pytest.raises(ModelError) as caught:
            async with opened(name=name, **given) as model:
                await ask(model, stream=stream)
        assert len(server.requests) <= 1, "sent again"
    message = str(caught.value)
    assert message.isprintable(), "one line"
    assert "litellm" not in message
    assert "the-key-of-the-agent" not in message
    return caught.value


@pytest.mark.parametrize("status", [408, 409, 425, 429, 500, 502, 503, 504, 529])
async def test_what_may_pass_is_marked_so(name: str, stream: bool, status: int) -> None:
    error = await failed(Failure(status, "busy"), name, stream=stream)

    assert error.transient
    assert not error.configuration
    assert error.retry_after is None
    assert str(status) in str(error), "the status of the answer, not the one that LiteLLM maps it to"
    assert "busy" in str(error)


@pytest.mark.parametrize("status", [400, 401, 402, 403, 404, 405, 413, 422, 501, 505])
async def test_what_stays_wrong_is_not(name: str, stream: bool, status: int) -> None:
    error = await failed(Failure(status, "no", {"Retry-After": "1"}), name, stream=stream)

    assert not error.transient
    assert error.retry_after is None


@pytest.mark.parametrize(
    "entry",
    [
        Drop(),
        Drop(b"HTTP/1.1 200 OK\r\nContent-Length: 500\r\nContent-Type: application/json\r\n\r\n" + HALF),
        Raw(HALF + b" " * 500, content_type="application/json", cut_at=200),
        Stream([], done=False),
    ],
    ids=["nothing", "half a body", "half of the bytes", "half a stream"],
)
async def test_a_connection_that_breaks_may_hold_the_next_time(name: str, stream: bool, entry: Entry) -> None:
    error = await failed(entry, name, stream=stream)

    assert error.transient
    assert "broke off the connection" in str(error)


@pytest.mark.parametrize("base", ["http://127.0.0.1:9/v1", "http://no.such.host.invalid/v1"])
async def test_a_server_that_cannot_be_reached_may_come_back(name: str, stream: bool, base: str) -> None:
    error = await failed("never sent", name, stream=stream, api_base=base)

    assert error.transient
    assert "cannot connect to" in str(error)


async def test_a_silent_server_may_answer_the_next_time(name: str, stream: bool) -> None:
    error = await failed(Reply("late", delay=NEVER), name, stream=stream, timeout=0.3)

    assert error.transient
    assert "did not answer within 0.3 s" in str(error)


@pytest.mark.parametrize(
    "entry",
    [
        Raw(PAGE),
        Raw(HALF, content_type="application/json"),
        Raw(b"", content_type="application/json"),
        Raw(b"\xff\xfe\x00 garbage", content_type="application/json"),
        Json("only a text"),
        Json({"choices": []}),
        Json({"choices": [{"message": 5}]}),
        Json({"candidates": 5, "content": 7, "usage": "x"}),
    ],
    ids=["page", "half", "nothing", "garbage", "text", "no choices", "wrong choice", "wrong everything"],
)
async def test_a_reply_that_is_none_is_no_passing_trouble(name: str, stream: bool, entry: Entry) -> None:
    error = await failed(entry, name, stream=stream)

    assert not error.transient, str(error)


@pytest.mark.parametrize(
    "answer",
    [
        b"SSH-2.0-OpenSSH_9\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 5\r\n\r\nabcde",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
    ],
    ids=["no HTTP", "no gzip", "no chunks"],
)
async def test_what_is_not_http_is_said_without_the_address(name: str, stream: bool, answer: bytes) -> None:
    error = await failed(Drop(answer), name, stream=stream)

    assert "sent something for" in str(error)
    assert "not HTTP, or damaged; check `api_base`" in str(error)
    assert "http://" not in str(error)
    assert not error.transient


@pytest.mark.parametrize("form", ["seconds", "date"])
@pytest.mark.parametrize("status", [429, 503])
async def test_the_time_to_wait_is_found(name: str, stream: bool, status: int, form: str) -> None:
    date = format_datetime(datetime.now(UTC) + timedelta(seconds=90), usegmt=True)
    asked = "7" if form == "seconds" else date
    error = await failed(Failure(status, "busy", {"Retry-After": asked}), name, stream=stream)

    assert error.retry_after is not None
    assert error.retry_after == 7 if asked == "7" else 10 < error.retry_after <= 90


async def test_milliseconds_win(name: str) -> None:
    error = await failed(Failure(429, "busy", {"Retry-After": "7", "Retry-After-Ms": "6500"}), name)

    assert error.retry_after == 6.5


@pytest.mark.parametrize(
    "entry",
    [
        Failure(429, "You exceeded your current quota, please check your plan.", code="insufficient_quota"),
        Failure(429, "You exceeded your current quota, please check your plan and billing details."),
        Failure(429, "Your credit balance is too low to access the API."),
        Failure(429, "Request too large for m on tokens per min (TPM): Limit 30000, Requested 45000."),
    ],
    ids=["code", "words", "credit", "too large"],
)
async def test_a_quota_that_is_spent_does_not_come_back(name: str, stream: bool, entry: Entry) -> None:
    error = await failed(entry, name, stream=stream)

    assert not error.transient
    assert "a quota that waiting does not restore (429 Too Many Requests)" in str(error)


async def test_geminis_quota_of_a_minute_does(stream: bool) -> None:
    error = await failed(Json(GEMINI_MINUTE, status=429), "gemini/gemini-2.5-flash", stream=stream)

    assert (error.transient, error.retry_after) == (True, 34)


@pytest.mark.parametrize(
    ("text", "sizes"),
    [
        (
            "This model's maximum context length is 8192 tokens. However, you requested 9000 tokens",
            "it has 9000 tokens, the window 8192 tokens",
        ),
        ("prompt is too long: 210000 tokens > 200000 maximum", "it has 210000 tokens, the window 200000 tokens"),
        ("the input length exceeds the context length", "the input length exceeds the context length"),
    ],
)
async def test_a_request_that_is_too_long_is_its_own_kind(name: str, stream: bool, text: str, sizes: str) -> None:
    error = await failed(Failure(400, text), name, stream=stream)  # field bug B61

    assert (error.overflow, error.transient, error.configuration) == (True, False, False)
    assert f"the conversation is too long for {name}: {sizes}" in str(error)
    assert "set `context:` in the agent to have it shortened, or take a model with a larger window" in str(error)


async def test_the_window_is_told_where_the_provider_does_not() -> None:
    error = await failed(Failure(400, "the prompt is too long"), "openai/gpt-4o")

    assert "the prompt is too long, the window 128000 tokens;" in str(error)


def sent(kind: str, message: str) -> str:
    return f'event: error\ndata: {{"type": "error", "error": {{"type": "{kind}", "message": "{message}"}}}}\n\n'


@pytest.mark.parametrize(
    ("name", "event", "transient"),
    [
        ("hosted_vllm/m", 'data: {"error": {"message": "busy", "code": 503}}\n\n', True),
        ("hosted_vllm/m", 'data: {"error": {"message": "busy", "code": 400}}\n\n', False),
        ("openai/m", 'data: {"error": {"message": "busy", "code": 429}}\n\n', True),
        ("openai/m", 'data: {"error": {"message": "busy", "type": "server_error"}}\n\n', True),
        ("openai/m", 'data: {"error": {"message": "busy", "code": 400}}\n\n', False),
        ("openai/m", 'data: {"error": {"message": "busy", "type": "invalid_request_error"}}\n\n', False),
        ("anthropic/claude-sonnet-4-5", sent("overloaded_error", "busy"), True),
        (
            "gemini/gemini-2.5-flash",
            'data: {"error": {"code": 503, "message": "busy", "status": "UNAVAILABLE"}}\n\n',
            True,
        ),
    ],
)
async def test_an_error_inside_of_a_stream_is_the_providers_own(name: str, event: str, transient: bool) -> None:
    error = await failed(Stream([event]), name, stream=True)

    assert error.transient == transient
    assert "busy" in str(error)


async def test_a_stream_that_breaks_after_its_first_words_is_marked_like_any_other() -> None:
    pieces = []
    with OpenAIServer([Stream([{"content": "It is "}], done=False)]) as server, pytest.raises(ModelError) as caught:
        async with opened(name="hosted_vllm/m", api_base=server.url) as model:
            pieces.append(await ask(model, stream=True))

    assert caught.value.transient


async def test_a_failure_is_not_taken_for_the_one_before_it() -> None:
    # Python chains what is raised while another error is being handled, and a retry may well be made there.
    errors: list[ModelError] = []
    with OpenAIServer([Failure(503, "busy", {"Retry-After": "9"}), Failure(400, "bad")]) as server:
        async with opened(name="openai/m", api_base=server.url) as model:
            try:
                await ask(model)
            except ModelError:
                try:
                    await ask(model)
                except ModelError as error:
                    errors.append(error)

    assert "refused the request (400 Bad Request): bad" in str(errors[0])
    assert (errors[0].transient, errors[0].retry_after) == (False, None)


async def test_a_slip_of_our_own_is_not_blamed_on_the_provider() -> None:
    with OpenAIServer() as server, pytest.raises(ModelError) as caught:
        async with opened(name="openai/m", api_base=server.url) as model:
            await ask(model, tools=[{"type": "function", "function": {1, 2}}])

    assert not caught.value.transient
    assert "provider's side" not in str(caught.value)


@pytest.mark.parametrize("stream", [False, True], ids=["whole", "streamed"])
async def test_a_missing_key_is_no_passing_trouble(stream: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "set while opening")
    model = LiteLLMModel(name="openai/gpt-4o")
    await model.open()
    monkeypatch.delenv("OPENAI_API_KEY")
    with pytest.raises(ModelError, match="needs an API key") as caught:
        await ask(model, stream=stream)
    await model.close()

    assert (caught.value.configuration, caught.value.transient) == (True, False)
