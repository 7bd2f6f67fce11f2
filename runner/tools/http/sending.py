"""Sends the request of one call: follows redirects inside the origin, and sends again what may be."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, replace

from runner.engine.ports import CallContext
from runner.environment import Secrets
from runner.tools.http.exchange import Client, Redirect, Reply
from runner.tools.http.failures import FailedExchangeError, RefusedRedirectError
from runner.tools.http.prepared import PreparedRequest
from runner.tools.http.retrying import Retries

_MAX_REDIRECTS = 5
_LEAST_SECONDS = 0.001
_MAX_SHOWN_CHARS = 300
_SEE_OTHER = 303
_SAME_REQUEST = (307, 308)


@dataclass(frozen=True, kw_only=True, slots=True)
class Sender:
    """How the requests of a tool are sent.

    Attributes:
        client: makes the client; equal ones share it within a run.
        max_bytes: the most that is read of a response.
        secrets: masked in addresses before these are cut, so that no half of one is left.
    """

    client: Callable[[], Client]
    retries: Retries
    max_bytes: int
    secrets: Secrets

    async def send(self, request: PreparedRequest, context: CallContext) -> Reply:
        """The last response there is.

        Raises:
            RefusedAddressError: an address must not be reached.
            FailedExchangeError: there is no response that could be used.
        """
        client = context.held.get(self.client)
        loop = asyncio.get_running_loop()
        attempt = 0
        outcome = await self._attempt(client, request, context)
        while attempt < self.retries.most and self.retries.applies(outcome):
            seconds = self.retries.seconds(attempt, outcome)
            if loop.time() + seconds >= context.deadline:
                break
            attempt += 1
            told = str(outcome) if isinstance(outcome, FailedExchangeError) else f"the answer was HTTP {outcome.line}"
            context.log("info", f"{told}; trying again in {seconds:.1f} s ({attempt} of {self.retries.most})")
            await asyncio.sleep(seconds)
            outcome = await self._attempt(client, request, context)
        if isinstance(outcome, FailedExchangeError):
            raise outcome
        return outcome

    async def _attempt(
        self, client: Client, request: PreparedRequest, context: CallContext
    ) -> Reply | FailedExchangeError:
        try:
            return await self._followed(client, request, context)
        except FailedExchangeError as error:
            return error

    async def _followed(self, client: Client, request: PreparedRequest, context: CallContext) -> Reply:
        redirects = 0
        while True:
            seconds = max(context.deadline - asyncio.get_running_loop().time(), _LEAST_SECONDS)
            reply = await client.exchange(request, seconds=seconds, max_bytes=self.max_bytes)
            if reply.redirect is None:
                return reply
            if redirects == _MAX_REDIRECTS:
                raise RefusedRedirectError(
                    f"more than {_MAX_REDIRECTS} redirects, the last to {self._shown(reply.redirect)}"
                )
            redirects += 1
            request = self._next(request, reply, reply.redirect)

    def _next(self, request: PreparedRequest, reply: Reply, redirect: Redirect) -> PreparedRequest:
        """The request that follows a redirect.

        Raises:
            RefusedRedirectError: it is not followed.
        """
        where = f"HTTP {reply.line}: it leads to {self._shown(redirect)}, which"
        if not redirect.url.startswith(("http://", "https://")):
            raise RefusedRedirectError(f"{where} is no address of the web and was not followed")
        if not redirect.same_origin:
            raise RefusedRedirectError(
                f"{where} is another origin and was not followed. Whoever declared the tool can write that address "
                "as its `url`"
            )
        if reply.status == _SEE_OTHER and request.method != "HEAD":
            return replace(request, method="GET", url=redirect.url, body=None, headers=_without_body(request))
        if request.method in ("GET", "HEAD"):
            return replace(request, url=redirect.url)
        if reply.status in _SAME_REQUEST and self.retries.repeatable:
            return replace(request, url=redirect.url)
        raise RefusedRedirectError(f"{where} was not followed, since {request.method} might then be done twice")

    def _shown(self, redirect: Redirect) -> str:
        return self.secrets.mask(redirect.url)[:_MAX_SHOWN_CHARS]


def _without_body(request: PreparedRequest) -> tuple[tuple[str, str], ...]:
    return tuple(header for header in request.headers if header[0].lower() != "content-type")
