"""A file is fetched with its redirects followed, and nothing but the file is ever given."""

from collections.abc import Sequence

import pytest

from runner.tools.download import DownloadError, download
from runner.tools.http.exchange import Redirect, Reply
from runner.tools.http.failures import RefusedAddressError
from runner.tools.http.prepared import PreparedRequest

URL = "https://example.com/api.json"


class Replies:
    """Connections on which the replies are known beforehand; keeps the requests."""

    def __init__(self, replies: Sequence[Reply | Exception]) -> None:
        self._replies = list(replies)
        self.requests: list[PreparedRequest] = []

    async def exchange(self, request: PreparedRequest, *, seconds: float, max_bytes: int) -> Reply:
        """Give the next reply."""
        assert (seconds, max_bytes) == (5.0, 1_000_000)
        self.requests.append(request)
        reply = self._replies.pop(0)
        if isinstance(reply, Exception):
            raise reply
        return reply

    async def aclose(self) -> None:
        """Nobody here closes what others opened."""
        raise AssertionError


def moved(url: str, *, same_origin: bool = False) -> Reply:
    return Reply(status=302, redirect=Redirect(url=url, same_origin=same_origin))


async def fetched(client: Replies) -> tuple[bytes, str]:
    return await download(URL, client, max_bytes=1_000_000, seconds=5.0)


async def test_the_content_comes_with_the_address_it_was_found_at() -> None:
    client = Replies([moved("https://example.com/v2.json", same_origin=True), Reply(status=200, body=b"{}")])

    assert await fetched(client) == (b"{}", "https://example.com/v2.json")
    assert [each.method for each in client.requests] == ["GET", "GET"]
    assert client.requests[0].headers == client.requests[1].headers


async def test_only_the_address_that_was_typed_may_be_in_a_network_of_ones_own() -> None:
    client = Replies([moved("https://other.example.com/"), Reply(status=200)])

    await fetched(client)

    assert [each.host_given for each in client.requests] == [False, True]


async def test_a_server_that_sends_us_back_cannot_make_its_host_one_that_was_typed() -> None:
    client = Replies([moved("https://inside/"), moved("https://inside/2", same_origin=True), Reply(status=200)])

    await fetched(client)

    assert [each.host_given for each in client.requests] == [False, True, True]


@pytest.mark.parametrize(
    ("replies", "message"),
    [
        ([moved("http://example.com/api.json")], "leads to an address without encryption"),
        ([moved("file:///etc/passwd")], "leads to file:///etc/passwd, which is not of the web"),
        ([Reply(status=200, body=b"x", packed="br")], "is packed as 'br', which was not asked for"),
        ([moved(URL)] * 6, "leads from one address to the next without end"),
        ([Reply(status=404)], "the server said 404 Not Found"),
        ([Reply(status=304)], "the server said 304 Not Modified"),
        ([Reply(status=200, body=b"x", complete=False)], "is larger than 1 MB"),
        ([RefusedAddressError("no answer")], f"cannot fetch {URL}: no answer"),
        ([moved("https://x/"), RefusedAddressError("not public")], f"cannot fetch {URL}: not public"),
    ],
)
async def test_what_cannot_be_had_is_told_in_one_line(replies: Sequence[Reply | Exception], message: str) -> None:
    with pytest.raises(DownloadError) as caught:
        await fetched(Replies(replies))

    assert message in str(caught.value)
    assert "\n" not in str(caught.value)
