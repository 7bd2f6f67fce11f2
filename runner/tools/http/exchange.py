"""What goes between a tool and the connections of a run."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Protocol

from runner.tools.http.addresses import Hosts
from runner.tools.http.prepared import PreparedRequest
from runner.tools.http.resolving import resolved

# Host and port -> IP addresses, best first; raises OSError.
Resolve = Callable[[str, int], Awaitable[Sequence[str]]]


@dataclass(frozen=True, kw_only=True, slots=True)
class Redirect:
    """Where a response sends its reader.

    Attributes:
        url: the complete address; it may be none of the web (`file:///…`).
        same_origin: whether scheme, host and port are those of the request.
    """

    url: str
    same_origin: bool


@dataclass(frozen=True, kw_only=True, slots=True)
class Reply:
    """A response, read up to the limit.

    Attributes:
        headers: by their names in lower case.
        body: unpacked.
        complete: whether `body` is all of it.
        size: bytes of all of it; None when the server did not say.
        packed: how the body is still packed, `br`, since nothing here unpacks that; None when it is not.
        address: of what was answered, without its query.
    """

    status: int
    address: str | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes = b""
    complete: bool = True
    size: int | None = None
    packed: str | None = None
    redirect: Redirect | None = None

    @property
    def line(self) -> str:
        """`404 Not Found`; the words are those of the standard, not the server's."""
        try:
            return f"{self.status} {HTTPStatus(self.status).phrase}"
        except ValueError:
            return str(self.status)


class Client(Protocol):
    """The connections of a run."""

    async def exchange(self, request: PreparedRequest, *, seconds: float, max_bytes: int) -> Reply:
        """Send a request and read the response; redirects are not followed.

        Args:
            request: what to send.
            seconds: how long each wait for the server may take.
            max_bytes: the most that is read of the unpacked body.

        Raises:
            RefusedAddressError: the address must not be reached.
            FailedExchangeError: there is no proper response.
        """

    async def aclose(self) -> None:
        """Close all connections."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ClientOf:
    """Makes the client that all calls of a run share: equal ones make the same.

    Attributes:
        hosts: the `http_hosts` of the project.
        resolve: looks names up.
    """

    hosts: Hosts
    resolve: Resolve = resolved

    def __call__(self) -> Client:
        """The client; its library takes a while to import, so only a call does it."""
        from runner.tools.http.client import HttpClient  # noqa: PLC0415 - see above

        return HttpClient(self.hosts, self.resolve)
