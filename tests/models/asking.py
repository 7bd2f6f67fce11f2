"""Asking a model in a test, in as few words as possible."""

from collections.abc import AsyncIterator
from contextlib import aclosing, asynccontextmanager
from typing import Any

from runner.engine.ports import Delta, Model, ModelReply, ModelRequest
from runner.models.litellm_model import LiteLLMModel
from tests.servers import OpenAIServer

HELLO = ({"role": "user", "content": "Hello"},)
TOOL = {"type": "function", "function": {"name": "f", "description": "A tool.", "parameters": {"type": "object"}}}


@asynccontextmanager
async def opened(**settings: Any) -> AsyncIterator[LiteLLMModel]:
    model = LiteLLMModel(**settings)
    try:
        await model.open()
        yield model
    finally:
        await model.close()


async def ask(model: Model, **request: Any) -> tuple[str, ModelReply]:
    """The streamed text and the reply."""
    pieces: list[str] = []
    reply: ModelReply | None = None
    async with aclosing(model.ask(ModelRequest(**{"messages": HELLO, **request}))) as items:
        async for item in items:
            assert reply is None, "the reply was not the last item"
            if isinstance(item, Delta):
                pieces.append(item.text)
            else:
                reply = item
    assert reply is not None
    return "".join(pieces), reply


async def reply_of(server: OpenAIServer, *, name: str = "hosted_vllm/m", **request: Any) -> ModelReply:
    async with opened(name=name, api_base=server.url) as model:
        return (await ask(model, **request))[1]
