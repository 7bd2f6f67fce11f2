"""Fetches one file from the web over the connections that HTTP tools use, with their rules."""

from dataclasses import replace

from runner.tools.http.exchange import Client
from runner.tools.http.failures import FailedExchangeError, RefusedAddressError
from runner.tools.http.prepared import PreparedRequest

_MOST_REDIRECTS = 5
_SHOWN_CHARS = 300
_HEADERS = (("Accept", "application/json, application/yaml, */*;q=0.5"), ("User-Agent", "yaml-agent-runner"))


class DownloadError(Exception):
    """The file cannot be had; the message is one line."""


async def download(url: str, client: Client, *, max_bytes: int, seconds: float) -> tuple[bytes, str]:
    """The content behind an address, and the address it was found at in the end.

    Args:
        url: the address; somebody typed it, so it may be one of their own network.
        client: the connections; they are left open.
        max_bytes: the most that is read.
        seconds: how long each wait for the server may take.

    Raises:
        DownloadError: there is nothing to be had.
    """
    request = PreparedRequest(method="GET", url=url, headers=_HEADERS)
    for _ in range(_MOST_REDIRECTS + 1):
        try:
            reply = await client.exchange(request, seconds=seconds, max_bytes=max_bytes)
        except (FailedExchangeError, RefusedAddressError) as error:
            raise DownloadError(f"cannot fetch {url}: {error}") from error
        if reply.redirect is not None:
            if not reply.redirect.url.startswith(("https://", "http://")):
                raise DownloadError(
                    f"{request.url} leads to {reply.redirect.url[:_SHOWN_CHARS]}, which is not of the web"
                )
            if request.url.startswith("https:") and not reply.redirect.url.startswith("https:"):
                raise DownloadError(f"{request.url} leads to an address without encryption")
            # Where a server sends us is not what somebody typed.
            sent_on = request.host_given or not reply.redirect.same_origin
            request = replace(request, url=reply.redirect.url, host_given=sent_on)
            continue
        if not 200 <= reply.status < 300:
            raise DownloadError(f"cannot fetch {request.url}: the server said {reply.line}")
        if reply.packed is not None:
            raise DownloadError(f"{request.url} is packed as '{reply.packed}', which was not asked for")
        if not reply.complete:
            raise DownloadError(f"{request.url} is larger than {max_bytes // 1_000_000} MB")
        return reply.body, request.url
    raise DownloadError(f"{url} leads from one address to the next without end")
