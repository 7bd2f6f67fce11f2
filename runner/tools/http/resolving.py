"""Looks up the addresses of a name without holding up the event loop or the end of the process."""

import socket
from collections.abc import Sequence

from runner.tools.calling import in_thread


async def resolved(host: str, port: int) -> Sequence[str]:
    """The IP addresses of a host, in the order in which the system would try them.

    Raises:
        OSError: the name is not known, or cannot be looked up.
    """

    def look_up() -> list[str] | OSError:
        try:
            found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
        except OSError as error:
            return error
        except UnicodeError:  # a label that is too long for the codec that Python uses here
            return socket.gaierror(socket.EAI_NONAME, "not a host name")
        return list(dict.fromkeys(str(address[0]) for *_, address in found))

    # Not in the loop's own pool: asyncio waits for the threads of that at the end.
    answer = await in_thread(look_up, name="look up a host")
    if isinstance(answer, OSError):
        raise answer
    return answer
