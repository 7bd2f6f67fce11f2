"""What a model costs, how much it can read, and what a reply cost; unknown is never free."""

import pytest

from runner.engine.ports import Capabilities, ModelReply, Usage
from runner.models.prices import cost
from runner.spec import Price
from tests.models.asking import ask, opened
from tests.models.shapes import anthropic, gemini
from tests.servers import Entry, Json, OpenAIServer, Reply

DECLARED = Price(input=1, output=10, cached_input=0.1)
OPENAI = {
    "prompt_tokens": 1000,
    "completion_tokens": 50,
    "total_tokens": 1050,
    "prompt_tokens_details": {"cached_tokens": 600},
    "completion_tokens_details": {"reasoning_tokens": 20},
}
ANTHROPIC = {
    "input_tokens": 100,
    "cache_read_input_tokens": 600,
    "cache_creation_input_tokens": 300,
    "output_tokens": 50,
}
GEMINI = {
    "promptTokenCount": 1000,
    "cachedContentTokenCount": 600,
    "candidatesTokenCount": 30,
    "thoughtsTokenCount": 20,
    "totalTokenCount": 1050,
}


@pytest.fixture(params=[False, True], ids=["whole", "streamed"])
def stream(request: pytest.FixtureRequest) -> bool:
    return bool(request.param)


async def known(name: str, price: Price | None = None) -> Capabilities:
    async with opened(name=name, api_base="http://127.0.0.1:9/v1", price=price) as model:
        return await model.open()


async def reply(name: str, entry: Entry, *, stream: bool, price: Price | None = None) -> ModelReply:
    with OpenAIServer([entry]) as server:
        async with opened(name=name, api_base=server.url, api_key="k", price=price) as model:
            return (await ask(model, stream=stream))[1]


@pytest.mark.parametrize(
    ("usage", "price", "dollars"),
    [
        (Usage(input_tokens=1_000_000), Price(input=2, output=8), 2),
        (Usage(output_tokens=500_000, reasoning_tokens=400_000), Price(input=2, output=8), 4),
        (Usage(input_tokens=1_000_000, cached_tokens=400_000), Price(input=2, output=8, cached_input=0.5), 1.4),
        (Usage(input_tokens=1_000_000, cached_tokens=400_000), Price(input=2, output=8), 2),
        (Usage(input_tokens=1_000_000, cached_tokens=400_000), Price(input=2, output=8, cached_input=0), 1.2),
        (Usage(input_tokens=10, cached_tokens=99), Price(input=2, output=8, cached_input=1), 1e-5),
        (Usage(), Price(input=2, output=8), 0),
    ],
)
def test_tokens_are_multiplied_by_their_price(usage: Usage, price: Price, dollars: float) -> None:
    assert cost(usage, price) == pytest.approx(dollars)


@pytest.mark.parametrize(
    ("name", "window", "price"),
    [
        ("openai/gpt-4o", 128_000, Price(input=2.5, output=10, cached_input=1.25)),
        ("anthropic/claude-sonnet-4-5", 200_000, Price(input=3, output=15, cached_input=0.3)),
        ("gemini/gemini-2.5-flash", 1_048_576, Price(input=0.3, output=2.5, cached_input=0.03)),
        ("openai/a-model-of-next-year", None, None),
        ("my-own-model", None, None),
        ("gpt-4o", None, None),  # with `api_base`, so whose it is is not known
        ("ollama_chat/llama3", None, None),  # LiteLLM would ask a server at localhost:11434
        ("huggingface/openai/gpt-oss-20b", None, None),  # LiteLLM would ask the hub
    ],
)
async def test_window_and_price_come_from_litellms_table(name: str, window: int | None, price: Price | None) -> None:
    found = await known(name)

    assert (found.window, found.price) == (window, price)


async def test_a_price_of_nothing_in_the_table_is_an_unknown_price() -> None:
    found = await known("gemini/gemini-exp-1206")

    assert found.window is not None
    assert found.price is None


async def test_a_declared_price_wins() -> None:
    assert (await known("openai/gpt-4o", DECLARED)).price == DECLARED
    assert (await known("my-own-model", DECLARED)).price == DECLARED


def entry(name: str, *, stream: bool) -> Entry:
    """A reply with 1000 tokens in, 600 of them from the cache, and 50 out."""
    if name.startswith("anthropic/"):
        return anthropic("hi", ANTHROPIC, stream=stream)
    return gemini("hi", GEMINI, stream=stream) if name.startswith("gemini/") else Reply("hi", usage=OPENAI)


@pytest.mark.parametrize(
    ("name", "reasoning", "dollars"),
    [
        ("openai/gpt-4o", 20, (400 * 2.5 + 600 * 1.25 + 50 * 10) / 1e6),
        # Writing to the cache costs a quarter more than reading afresh, which two prices cannot say.
        ("anthropic/claude-sonnet-4-5", 0, (100 * 3 + 300 * 3.75 + 600 * 0.3 + 50 * 15) / 1e6),
        ("gemini/gemini-2.5-flash", 20, (400 * 0.3 + 600 * 0.03 + 50 * 2.5) / 1e6),
    ],
)
async def test_numbers_and_cost_are_right_for_every_kind_of_provider(
    name: str, reasoning: int, dollars: float, stream: bool
) -> None:
    by_table = await reply(name, entry(name, stream=stream), stream=stream)
    declared = await reply(name, entry(name, stream=stream), stream=stream, price=DECLARED)

    usage = Usage(input_tokens=1000, output_tokens=50, cached_tokens=600, reasoning_tokens=reasoning)
    assert by_table.usage == declared.usage == usage
    assert by_table.cost == pytest.approx(dollars)
    assert declared.cost == pytest.approx((400 * 1 + 600 * 0.1 + 50 * 10) / 1e6)


async def test_an_unknown_price_is_no_cost_and_a_declared_one_of_nothing_is_a_cost(stream: bool) -> None:
    assert (await reply("m", Reply("hi"), stream=stream)).cost is None
    assert (await reply("m", Reply("hi"), stream=stream, price=Price(input=0, output=0))).cost == 0


async def test_the_price_is_not_that_of_whatever_model_the_server_says_it_is() -> None:
    choice = {"index": 0, "message": {"role": "assistant", "content": "hi"}, "finish_reason": "stop"}
    body = {"id": "x", "object": "chat.completion", "created": 1, "model": "gpt-4o-mini", "choices": [choice]}

    assert (await reply("m", Json({**body, "usage": OPENAI}), stream=False)).cost is None


async def test_estimated_tokens_are_priced_and_marked(stream: bool) -> None:
    table = await reply("openai/gpt-4o", Reply("word " * 100, usage=None), stream=stream)
    declared = await reply("m", Reply("word " * 100, usage=None), stream=stream, price=DECLARED)
    unknown = await reply("m", Reply("word " * 100, usage=None), stream=stream)

    assert table.usage.estimated
    assert table.cost == pytest.approx(cost(table.usage, Price(input=2.5, output=10)))
    assert declared.cost == pytest.approx(cost(declared.usage, DECLARED))
    assert unknown.cost is None
