"""The messages between a command and the warm process: JSON objects, each after its length in four bytes."""

import json
from typing import Any

Message = dict[str, Any]

# Of the protocol: both ends must have the same.
VERSION = 2
# Arguments and variables are at most 6 MB on Linux, and may be six times as long as JSON.
MOST_BYTES = 40 * 2**20
_HEAD = 4


class ProtocolError(Exception):
    """The other end sent something that is no message."""


def encoded(message: Message) -> bytes:
    """A message as bytes."""
    body = json.dumps(message).encode()  # lone surrogates, Python's form of bytes that are no UTF-8, become escapes
    return len(body).to_bytes(_HEAD, "big") + body


class Frames:
    """Puts messages together from the pieces they arrive in.

    Args:
        most: bytes that a message may have.
    """

    def __init__(self, *, most: int = MOST_BYTES) -> None:
        self._most = most
        self._data = bytearray()

    def feed(self, data: bytes) -> None:
        """Take what has arrived.

        Raises:
            ProtocolError: a message is too long.
        """
        self._data += data
        if self._length() > self._most:
            raise ProtocolError("the message is too long")

    def next(self) -> Message | None:
        """The next message that is complete, else None.

        Raises:
            ProtocolError: it is no JSON object.
        """
        end = _HEAD + self._length()
        if len(self._data) < max(end, _HEAD):
            return None
        body = bytes(self._data[_HEAD:end])
        del self._data[:end]
        try:
            message = json.loads(body)
        except (ValueError, RecursionError):
            message = None
        if not isinstance(message, dict):
            raise ProtocolError("expected a JSON object")
        return message

    def _length(self) -> int:
        return int.from_bytes(self._data[:_HEAD], "big") if len(self._data) >= _HEAD else 0
