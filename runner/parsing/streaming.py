"""Answer filters: which part of a reply may be shown as the answer while it is still being streamed."""

import json
import re


class Everything:
    """For replies that are the answer as they stand."""

    def feed(self, text: str) -> str:
        """All of it."""
        return text


class Nothing:
    """For replies whose answer is known only at their end."""

    def feed(self, text: str) -> str:
        """None of it."""
        del text
        return ""


class JsonAnswer:
    """The content of `{"type": "text", "content": "…"}`, decoded as it arrives.

    Only a reply that begins with exactly this is shown before its end: after anything else it may be no answer at all.
    """

    _BEGINNING = re.compile(r'\s*\{\s*"type"\s*:\s*"text"\s*,\s*"content"\s*:\s*"')
    # What `_BEGINNING` takes at most, with generous white space; a reply that has not begun so by then never will.
    _LONGEST_BEGINNING = 200
    _ENDED = re.compile(r'(?:[^"\\]|\\.)*"', re.DOTALL)
    # A piece of a JSON string that can be decoded by itself: no escape, and no pair of surrogates, is cut in two.
    _WHOLE = re.compile(
        r'(?:[^"\\]|\\u[dD][89abAB][0-9a-fA-F]{2}\\u[0-9a-fA-F]{4}|\\u(?![dD][89abAB])[0-9a-fA-F]{4}|\\["\\/bfnrt])*'
    )

    _BROKEN = re.compile(r'\\[^"\\/bfnrtu]|\\u[0-9a-fA-F]{0,3}[^0-9a-fA-F]')

    def __init__(self) -> None:
        self._pending = ""
        self._inside = False
        self._over = False

    def feed(self, text: str) -> str:
        """The characters of the answer that are now certain."""
        if self._over:
            return ""
        self._pending += text
        if not self._inside:
            beginning = self._BEGINNING.match(self._pending)
            if beginning is None:
                self._over = len(self._pending) > self._LONGEST_BEGINNING
                return ""
            self._inside = True
            self._pending = self._pending[beginning.end() :]
        whole = self._WHOLE.match(self._pending)
        end = whole.end() if whole else 0
        piece, self._pending = self._pending[:end], self._pending[end:]
        # The string has ended, or holds an escape that JSON does not know, so that the reply will not be read.
        self._over = self._pending.startswith('"') or self._BROKEN.match(self._pending) is not None
        return str(json.loads(f'"{piece}"', strict=False))
