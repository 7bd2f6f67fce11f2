"""What LiteLLM does not have to work out, and that nothing is lost by it."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from runner.engine.ports import ModelReply
from runner.models import library
from runner.spec import Price
from tests.models.asking import HELLO, ask, opened
from tests.servers import Entry, Json, OpenAIServer

USAGE = {"prompt_tokens": 1000, "completion_tokens": 50, "total_tokens": 1050}
UNKNOWN = ("openai/a-model-of-next-year", "a-model-of-next-year")


def said_by(model: str, **more: float) -> Entry:
    """A reply that says which model made it."""
    choice = {"index": 0, "message": {"role": "assistant", "content": "hi"}, "finish_reason": "stop"}
    body = {"id": "x", "object": "chat.completion", "created": 1, "model": model, "choices": [choice]}
    return Json({**body, "usage": {**USAGE, **more}})


async def ours(name: str, entry: Entry, **settings: Any) -> ModelReply:
    with OpenAIServer([entry]) as server:
        async with opened(name=name, api_base=server.url, api_key="k", **settings) as model:
            return (await ask(model))[1]


async def by_litellm(name: str, entry: Entry, **params: Any) -> float | None:
    """The cost of the reply when LiteLLM is asked by somebody else in this process."""
    with OpenAIServer([entry]) as server:
        response = await library.load().acompletion(
            model=name, messages=[dict(message) for message in HELLO], api_base=server.url, api_key="k", **params
        )
    figure = response._hidden_params["response_cost"]
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
        ("openai/my-alias", "gpt-4o", {}),
        ("openai/my-alias", "my-alias", {}),
        ("azure/my-deployment", "gpt-4o-2024-08-06", {}),
        ("hosted_vllm/m", "gpt-4o", {}),
        ("mistral/mistral-small-latest", "mistral-small-latest", {}),
        ("openrouter/a/b", "a/b", {"cost": 0.0123}),
        (*UNKNOWN, {}),
    ],
)
async def test_a_cost_is_the_one_that_litellm_tells(name: str, model: str, more: dict[str, float]) -> None:
    params = {"api_version": "2025-01-01"} if name.startswith("azure/") else {}

    expected = await by_litellm(name, said_by(model, **more), **params)

    assert (await ours(name, said_by(model, **more), params=params)).cost == expected
    assert ("cost" in more) <= (expected == 0.0123)


async def test_a_price_given_among_the_params_is_used() -> None:
    params = {"input_cost_per_token": 0.001, "output_cost_per_token": 0.01}

    assert (await ours(UNKNOWN[0], said_by(UNKNOWN[1]), params=params)).cost == pytest.approx(1.5)


@pytest.mark.parametrize("price", [None, Price(input=1, output=2)])
async def test_nothing_is_worked_out_where_there_is_no_price_or_we_have_it(
    worked_out: list[str], price: Price | None
) -> None:
    assert (await ours(UNKNOWN[0], said_by(UNKNOWN[1]), price=price)).cost == (price and (1000 + 2 * 50) / 1e6)
    assert worked_out == []


async def test_others_who_ask_litellm_in_this_process_notice_nothing(worked_out: list[str]) -> None:
    await ours(UNKNOWN[0], said_by(UNKNOWN[1]))
    await by_litellm(UNKNOWN[0], said_by(UNKNOWN[1]))

    assert len(worked_out) == 1


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
        "assert litellm.encoding.decode(litellm.main._get_encoding().encode('Grüße')) == 'Grüße'\n"
        "assert loaded('tiktoken_ext.')\n"
        "assert litellm.main.encoding is litellm.main._get_encoding()\n"
        "assert litellm.main.encoding.name == 'cl100k_base'\n"
    )


def test_files_are_looked_for_where_there_can_be_one() -> None:
    after_a_call(
        "assert not loaded('litellm.proxy._types')\n"
        "file = {'type': 'file', 'file': {'file_id': 'file-1', 'format': 'pdf'}}\n"
        "sent = ask(messages=[{'role': 'user', 'content': [file]}])\n"
        "assert sent[0]['content'][0]['file']['file_id'] == 'file-1'\n"
        "assert loaded('litellm.proxy._types')\n"
    )
