"""Any provider's model behind the engine's port, asked through LiteLLM."""

import asyncio
import os
from collections.abc import AsyncGenerator, Iterator, Mapping
from contextlib import aclosing, contextmanager
from dataclasses import replace
from math import isfinite
from typing import Any

from runner.engine.ports import Capabilities, Delta, ModelError, ModelReply, ModelRequest, Usage
from runner.models import catalogue, library, local, providers
from runner.models.assembly import NoChoicesError, StreamedReply, whole_reply
from runner.models.background import in_background
from runner.models.failure_wording import no_choices
from runner.models.failures import explain
from runner.models.origins import marked
from runner.models.prices import cost
from runner.models.providers import Route
from runner.models.sending import RESERVED, arguments
from runner.models.thrift import KnownToBeUnknown, not_asking
from runner.models.usage import counted, estimated
from runner.spec import Json, Price

# LiteLLM's own timer holds for each read, not for the whole reply, so ours decides; this one only backs it up. It is
# always one of these: for each other value LiteLLM makes another client, and that has to connect anew.
_TIMERS_SECONDS = (30.0, 120.0, 600.0, 3600.0, 24 * 3600.0)
# How often the event loop goes round until a connection that is no longer wanted is really closed; it takes one.
_ROUNDS_TO_HANG_UP = 3


class LiteLLMModel:
    """A model asked through LiteLLM, or a local one asked through it like any other.

    Args:
        name: `provider/model`, `local/…`, or with `api_base` any name the server there knows.
        temperature: None leaves the provider's default, and gives local models 0.
        max_tokens: cap of one reply, in tokens; None as for `temperature`.
        timeout: seconds one call may take.
        retries: further calls that the engine may make after one that failed for a passing reason.
        api_base: address of the server.
        api_key: key for it. Without one, `api_base` is sent no key at all.
        capabilities: what the model is declared to support, overruling LiteLLM's tables.
        price: what its tokens cost, overruling LiteLLM's table and what the provider says a reply cost.
        params: further arguments for LiteLLM; what the other arguments say wins over them.
    """

    def __init__(  # noqa: PLR0913 - one for each field of `model` in an agent, all by keyword
        self,
        *,
        name: str,
        temperature: float | None = None,
        max_tokens: int | None = None,
        timeout: float | None = None,
        retries: int = 0,
        api_base: str | None = None,
        api_key: str | None = None,
        capabilities: Mapping[str, bool] | None = None,
        price: Price | None = None,
        params: Mapping[str, Json] | None = None,
    ) -> None:
        self._name = name
        self._params = dict(params or {})
        # The same by another name, which must not get around what is said about keys and `api_base`.
        bases = (api_base, self._params.pop("api_base", None), self._params.pop("base_url", None))
        self._api_base = next(filter(None, bases), None)
        self._api_key = api_key or self._params.pop("api_key", None)
        if self._is_local:
            self._params = {"temperature": local.TEMPERATURE, "max_tokens": local.MAX_TOKENS, **self._params}
        settings = {"temperature": temperature, "max_tokens": max_tokens}
        self._params.update({name: value for name, value in settings.items() if value is not None})
        self.retries = retries
        self._timeout = timeout
        self._declared = dict(capabilities or {})
        self._price = price
        self._opened = 0
        self._asking = 0
        self._servers: list[local.LocalServer] = []
        self._library: library.Library = None
        self._route = Route(name=name, model=name, provider="")
        self._accepted: frozenset[str] = frozenset()
        self._capabilities = Capabilities()
        self._unknown_costs = KnownToBeUnknown(unused=price is not None or self._is_local)

    @property
    def name(self) -> str:
        """`provider/model`, as written in the agent."""
        return self._name

    @property
    def _is_local(self) -> bool:
        return self._name.startswith(local.PREFIX)

    async def open(self) -> Capabilities:
        """Load LiteLLM, and the weights of a local model beside it, and check that nothing is missing.

        Raises:
            ModelError: no request could succeed: an unknown provider, no key, a package or file that is not there.
        """
        library.enter()
        self._opened += 1
        if reserved := RESERVED & self._params.keys():
            names = ", ".join(sorted(reserved))
            raise ModelError(
                f"{self._name}: `params` cannot hold {names}, which the runner decides itself", configuration=True
            )
        self._route = await (self._open_local() if self._is_local else self._open_remote())
        self._accepted = catalogue.parameters(self._library, self._route)
        known = local.CAPABILITIES
        if not self._is_local:
            known = catalogue.capabilities(self._library, self._route, self._accepted)
        self._capabilities = replace(known, **dict[str, Any](self._declared), price=self._price or known.price)
        return self._capabilities

    async def _open_local(self) -> Route:
        path = local.find_weights(self._name)
        loading = in_background(library.load, name="load litellm")
        server = await local.loaded(path)
        self._servers.append(server)
        self._library = await asyncio.wrap_future(loading)
        model = f"hosted_vllm/{self._name.removeprefix(local.PREFIX)}"
        return Route(name=self._name, model=model, provider="hosted_vllm", api_base=server.url, api_key=server.key)

    async def _open_remote(self) -> Route:
        given = bool(self._api_key or self._api_base)
        # Known without loading anything, so that a missing key is said at once.
        providers.check_key(self._name.partition("/")[0], self._name, given=given, environ=os.environ)
        self._library = library.loaded() or await asyncio.wrap_future(in_background(library.load, name="load litellm"))
        route = providers.resolve(
            self._name,
            api_base=self._api_base,
            api_key=self._api_key,
            provider_of=lambda name: catalogue.provider_of(self._library, name),
        )
        providers.check(route, os.environ)
        return route

    async def close(self) -> None:
        """Close connections, and stop the server of a local model unless another agent uses it."""
        if not self._opened:
            return
        self._opened -= 1
        try:
            await library.leave()
        finally:
            if self._servers:
                await self._release(self._servers.pop())

    async def _release(self, server: local.LocalServer) -> None:
        for _ in range(_ROUNDS_TO_HANG_UP):
            await asyncio.sleep(0)
        if not self._asking:  # somebody dropped the iterator of `ask` without closing it: rather leave it running
            local.release(server)

    async def ask(self, request: ModelRequest) -> AsyncGenerator[Delta | ModelReply, None]:
        """Send one request; nothing is sent again when it fails.

        Raises:
            ModelError: with what happened and what to do about it.
        """
        seconds = self._seconds(request)
        deadline = None if seconds is None else asyncio.get_running_loop().time() + seconds
        self._asking += 1
        try:
            if not request.stream:
                yield await self._whole(request, seconds, deadline)
                return
            async with aclosing(self._stream(request, seconds, deadline)) as pieces:
                async for piece in pieces:
                    yield piece
        finally:
            self._asking -= 1

    async def _whole(self, request: ModelRequest, seconds: float | None, deadline: float | None) -> ModelReply:
        with self._explained(seconds):
            with not_asking(self._unknown_costs):
                async with asyncio.timeout_at(deadline):
                    response = await self._library.acompletion(**self._arguments(request, seconds))
            body = response.model_dump(exclude_none=True, warnings=False)
            return self._counted(request, whole_reply(body), response, counted(body.get("usage")))

    async def _stream(
        self, request: ModelRequest, seconds: float | None, deadline: float | None
    ) -> AsyncGenerator[Delta | ModelReply, None]:
        library.forget_shared_client()
        with self._explained(seconds):
            async with asyncio.timeout_at(deadline):
                stream = await self._library.acompletion(
                    **self._arguments(request, seconds), stream=True, stream_options={"include_usage": True}
                )
        assembled = StreamedReply()
        chunks = []
        try:
            while True:
                with self._explained(seconds):
                    async with asyncio.timeout_at(deadline):
                        chunk = await anext(stream, None)
                if chunk is None:
                    break
                chunks.append(chunk)
                if text := assembled.add(chunk.model_dump(exclude_none=True, warnings=False)):
                    yield Delta(text=text)
        finally:
            await stream.aclose()
        if text := assembled.rest():
            yield Delta(text=text)
        with self._explained(seconds):
            reply = assembled.finish(thinking_blocks=self._thinking_blocks(chunks) if assembled.thinking else None)
        # LiteLLM makes the numbers up when the provider gives none; only the chunks it keeps tell which it was.
        given = any(getattr(chunk, "usage", None) for chunk in stream.chunks)
        usage = counted(chunks[-1].model_dump(exclude_none=True, warnings=False).get("usage")) if given else None
        yield self._counted(request, reply, chunks[-1], usage)

    def _thinking_blocks(self, chunks: list[Any]) -> Json:
        message = self._library.stream_chunk_builder(chunks).choices[0].message
        return message.model_dump(exclude_none=True, warnings=False).get("thinking_blocks")

    def _counted(self, request: ModelRequest, reply: ModelReply, response: Any, usage: Usage | None) -> ModelReply:
        """The reply with its usage and cost."""
        reply = replace(reply, usage=usage or estimated(request, reply))
        return marked(replace(reply, cost=self._cost(reply.usage, response)), self._route.provider)

    def _cost(self, usage: Usage, response: Any) -> float | None:
        """LiteLLM's figure knows more than two prices do (writing to a cache, steps), but is of the real model only."""
        if self._price is None and not self._is_local and not usage.estimated:
            figure = response._hidden_params.get("response_cost")  # noqa: SLF001 - documented by LiteLLM
            if figure:
                return float(figure)
        return None if self._capabilities.price is None else cost(usage, self._capabilities.price)

    def _seconds(self, request: ModelRequest) -> float | None:
        limits = [limit for limit in (self._timeout, request.timeout) if limit is not None and isfinite(limit)]
        return min(limits, default=None)

    def _arguments(self, request: ModelRequest, seconds: float | None) -> dict[str, Any]:
        if self._capabilities.stop is False:
            request = replace(request, stop=())
        given = arguments(request, self._route, self._params, self._accepted)
        if seconds is None:
            return given
        return {**given, "timeout": next((timer for timer in _TIMERS_SECONDS if timer > seconds), _TIMERS_SECONDS[-1])}

    @contextmanager
    def _explained(self, seconds: float | None) -> Iterator[None]:
        try:
            yield
        except NoChoicesError:
            raise ModelError(no_choices(self._route)) from None
        except Exception as error:  # LiteLLM raises plain Exception, too, and any library below it may fail
            window = self._capabilities.window
            raise explain(error, self._route, seconds=seconds, window=window, environ=os.environ) from error
