"""What LiteLLM does not have to work out, and that nothing is lost by it."""

import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from runner.models import library
from runner.spec import Price
from tests.models.asking import HELLO, ask, opened
from tests.servers import Entry, Json, OpenAIServer, Raw

USAGE = {"prompt_tokens": 1000, "completion_tokens": 50, "total_tokens": 1050}
UNKNOWN = "openai/a-model-of-next-year"
KNOWN_IN_REPLY = "gpt-4o"


@pytest.fixture(params=[False, True], ids=["whole", "streamed"])
def stream(request: pytest.FixtureRequest) -> bool:
    return bool(request.param)


def said_by(model: str, more: dict[str, Any], *, stream: bool) -> Entry:
    """A reply that says which model made it, and more in its usage."""
    body = {"id": "x", "created": 1, "model": model, "usage": {**USAGE, **more}}
    if not stream:
        choice = {"index": 0, "message": {"role": "assistant", "content": "hi"}, "finish_reason": "stop"}
        return Json({**body, "object": "chat.completion", "choices": [choice]})
    chunk = {"index": 0, "delta": {"role": "assistant", "content": "hi"}, "finish_reason": "stop"}
    lines = [
        {**body, "object": "chat.completion.chunk", "choices": [chunk], "usage": None},
        {**body, "object": "chat.completion.chunk", "choices": []},
    ]
    return Raw(
        "".join(f"data: {json.dumps(line)}\n\n" for line in lines).encode() + b"data: [DONE]\n\n",
        content_type="text/event-stream",
    )


async def ours(name: str, entries: Sequence[Entry], *, stream: bool = False, **settings: Any) -> list[float | None]:
    """What the replies to one model have cost."""
    with OpenAIServer(entries) as server:
        async with opened(name=name, api_base=server.url, api_key="k", **settings) as model:
            return [(await ask(model, stream=stream))[1].cost for _ in entries]


async def by_litellm(name: str, entry: Entry, *, stream: bool = False, **params: Any) -> float | None:
    """The cost of the reply when LiteLLM is asked by somebody else in this process."""
    with OpenAIServer([entry]) as server:
        messages = [dict(message) for message in HELLO]
        given = {"model": name, "messages": messages, "api_base": server.url, "api_key": "k", **params}
        if not stream:
            response = await library.load().acompletion(**given)
        else:
            chunks = await library.load().acompletion(**given, stream=True, stream_options={"include_usage": True})
            *_, response = [chunk async for chunk in chunks]
    figure = response._hidden_params.get("response_cost")
    return float(figure) if figure else None


@pytest.fixture
def worked_out(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The models whose replies LiteLLM has worked out the cost of."""
    litellm = library.load()
    models: list[str] = []
    calculate = litellm.response_cost_calculator

    def noted(**given: Any) -> Any:
        models.append(given["model"])
        return calculate(**given)

    monkeypatch.setattr(litellm, "response_cost_calculator", noted)
    return models


@pytest.mark.parametrize(
    ("name", "model", "more"),
    [
        ("openai/gpt-4o", "gpt-4o-2024-08-06", {}),
        ("openai/my-alias", KNOWN_IN_REPLY, {}),
        ("openai/my-alias", "my-alias", {}),
        ("azure/my-deployment", "gpt-4o-2024-08-06", {}),
        ("hosted_vllm/m", KNOWN_IN_REPLY, {}),
        ("mistral/mistral-small-latest", "mistral-small-latest", {}),
        ("dashscope/qwen3-max", "qwen3-max", {}),  # priced by tiers
        ("together_ai/foo/bar-70b-chat", "foo/bar-70b-chat", {}),  # priced by the size in its name
        ("litellm_proxy/x", KNOWN_IN_REPLY, {}),
        ("openrouter/a/b", "a/b", {"cost": 0.0123}),
        ("perplexity/zzz", "zzz", {"cost": {"total_cost": 0.25}}),
        ("xai/zzz", "zzz", {"cost_in_usd_ticks": 12345}),
        (UNKNOWN, "a-model-of-next-year", {}),
    ],
)
async def test_a_cost_is_the_one_that_litellm_tells(name: str, model: str, more: dict[str, Any], stream: bool) -> None:
    params = {"api_version": "2025-01-01"} if name.startswith("azure/") else {}
    entry = said_by(model, more, stream=stream)
    before = said_by("something-else", {}, stream=stream)

    expected = await by_litellm(name, entry, stream=stream, **params)

    assert (await ours(name, [entry], stream=stream, params=params)) == [expected]
    assert (await ours(name, [before, entry, entry], stream=stream, params=params))[1:] == [expected] * 2


async def test_a_cost_that_only_some_replies_tell_is_not_lost() -> None:
    silent, telling = (said_by("a/b", more, stream=False) for more in ({}, {"cost": 0.0123}))

    assert await ours("openrouter/a/b", [silent, telling, silent, telling]) == [None, 0.0123, None, 0.0123]


async def test_a_price_given_among_the_params_is_used() -> None:
    params = {"input_cost_per_token": 0.001, "output_cost_per_token": 0.01}
    entry = said_by("a-model-of-next-year", {}, stream=False)

    assert await ours(UNKNOWN, [entry] * 2, params=params) == pytest.approx([1.5, 1.5])


async def test_what_cannot_be_worked_out_is_not_tried_again(worked_out: list[str]) -> None:
    entry = said_by("a-model-of-next-year", {}, stream=False)

    assert await ours(UNKNOWN, [entry] * 5) == [None] * 5
    assert len(worked_out) == 1


async def test_nothing_is_worked_out_where_the_price_is_given(worked_out: list[str]) -> None:
    entry = said_by("a-model-of-next-year", {}, stream=False)

    assert await ours(UNKNOWN, [entry], price=Price(input=1, output=2)) == [(1000 + 2 * 50) / 1e6]
    assert worked_out == []


async def test_others_who_ask_litellm_in_this_process_notice_nothing(worked_out: list[str]) -> None:
    entry = said_by("a-model-of-next-year", {}, stream=False)
    await ours(UNKNOWN, [entry] * 3)
    worked_out.clear()
    for _ in range(3):
        await by_litellm(UNKNOWN, entry)

    assert len(worked_out) == 3


def after_a_call(code: str) -> None:
    """Run code in a process of its own, in which a model has been asked; `loaded` tells whether modules were imported.

    Only there: what this process has imported is of no help.
    """
    before = (
        "import asyncio, sys\n"
        "from runner.models import library\n"
        "from tests.models.asking import TOOL, reply_of\n"
        "from tests.servers import OpenAIServer\n"
        "litellm = library.load()\n"
        "def loaded(name): return any(each.startswith(name) for each in sys.modules)\n"
        "def ask(**request):\n"
        "    with OpenAIServer(['hi']) as server:\n"
        "        asyncio.run(reply_of(server, **request))\n"
        "        return server.requests[0].body['messages']\n"
        "ask(tools=[TOOL])\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", before + code],
        cwd=Path(__file__).parents[2],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_the_tokenizer_is_loaded_when_somebody_uses_it() -> None:
    after_a_call(
        "assert not loaded('tiktoken_ext.')\n"
        "late = litellm.main._get_encoding()\n"
        "assert late.decode(late.encode('Grüße')) == 'Grüße'\n"
        "assert loaded('tiktoken_ext.')\n"
        "import tiktoken\n"
        "assert type(litellm.encoding) is tiktoken.Encoding\n"
    )


def test_files_are_looked_for_where_there_can_be_one() -> None:
    after_a_call(
        "assert not loaded('litellm.proxy._types')\n"
        "file = {'type': 'file', 'file': {'file_id': 'file-1', 'format': 'pdf'}}\n"
        "sent = ask(messages=[{'role': 'user', 'content': [file]}])\n"
        "assert sent[0]['content'][0]['file']['file_id'] == 'file-1'\n"
        "assert loaded('litellm.proxy._types')\n"
    )
