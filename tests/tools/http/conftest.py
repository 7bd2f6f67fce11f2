"""Opens HTTP tools and calls them against a real local server."""

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import pytest

from runner.engine.holding import Held
from runner.engine.messages import ToolResult
from runner.engine.ports import CallContext
from runner.spec import ProjectSpec, ToolSpec
from runner.tools.http import HttpTool, open_http_tool
from tests.servers.misbehaving import Misbehaving


async def unknown(host: str, port: int) -> Sequence[str]:
    """The resolver of tests that need none: nothing leaves this machine."""
    raise OSError(f"{host}:{port} was looked up")


def opened(
    url: str,
    *,
    environ: Mapping[str, str] | None = None,
    http_hosts: tuple[str, ...] = (),
    max_result_chars: int = 20_000,
    resolve: Any = unknown,
    required: Sequence[str] = (),
    properties: Mapping[str, Any] | None = None,
    retries: int = 0,
    idempotent: bool = False,
    **settings: Any,
) -> HttpTool:
    """An HTTP tool; without `properties`, any argument is taken."""
    schema: dict[str, Any] = {"type": "object", "properties": properties or {}, "required": list(required)}
    spec = ToolSpec(
        name="sample",
        type="http",
        description="A sample.",
        parameters=schema if properties is not None else {**schema, "additionalProperties": True},
        settings={"url": url, **settings},
        retries=retries,
        idempotent=idempotent,
        origin="tools.d/x.yaml:3",
    )
    tool = open_http_tool(
        spec,
        ProjectSpec(root="/project", tools_folder="/project/tools.d", http_hosts=http_hosts),
        max_result_chars=max_result_chars,
        environ={} if environ is None else environ,
        resolve=resolve,
    )
    retries_at_once = replace(tool.sender.retries, pause=0.01)
    return replace(tool, sender=replace(tool.sender, retries=retries_at_once))


class Caller:
    """Calls tools as one run does, and keeps what they tell."""

    def __init__(self, held: Held) -> None:
        self.told: list[str] = []
        self._held = held

    async def __call__(self, tool: HttpTool, *, seconds: float = 30, **arguments: Any) -> ToolResult:
        deadline = asyncio.get_running_loop().time() + seconds
        context = CallContext(
            id="call_1", session=None, deadline=deadline, log=lambda _, text: self.told.append(text), held=self._held
        )
        return await tool.call(arguments, context)

    async def ok(self, tool: HttpTool, **arguments: Any) -> str:
        result = await self(tool, **arguments)
        assert not result.is_error, result.content
        return result.content

    async def failed(self, tool: HttpTool, **arguments: Any) -> str:
        result = await self(tool, **arguments)
        assert result.is_error, result.content
        return result.content


@pytest.fixture
async def call() -> AsyncIterator[Caller]:
    held = Held()
    yield Caller(held)
    await held.aclose()


@pytest.fixture
async def server(no_proxy: None) -> AsyncIterator[Misbehaving]:
    async with Misbehaving() as running:
        yield running


@pytest.fixture
def no_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    """The machine's own proxies stay out of the tests."""
    for name in ("http_proxy", "https_proxy", "all_proxy", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)
