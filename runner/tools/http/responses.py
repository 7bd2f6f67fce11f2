"""Turns a response into what the model gets to see of it."""

import json
import math
from dataclasses import dataclass

from runner.engine.messages import ToolResult
from runner.environment import Secrets
from runner.language.selection import Selection, SelectionError
from runner.spec import Json
from runner.tools.http.decoding import content_type, decoded
from runner.tools.http.exchange import Reply
from runner.tools.http.retrying import retry_after
from runner.tools.results import cut

_MAX_ERROR_CHARS = 500
_TOLD_OF_HEAD = ("content-type", "content-length", "last-modified", "etag", "allow")


@dataclass(frozen=True, kw_only=True, slots=True)
class Reader:
    """How the responses of a tool are read.

    Attributes:
        select: picks from JSON; None keeps all of it.
        max_chars: longest content given to the model; what is cut is noted.
        secrets: masked before the content is cut, so that no half of one is left.
    """

    select: Selection | None
    max_chars: int
    secrets: Secrets

    def result(self, reply: Reply, method: str) -> ToolResult:
        """The result of a call; of 4xx and 5xx an error with the status and the beginning of the body."""
        try:
            return self._result(reply, method)
        except Exception as error:  # noqa: BLE001 - what strangers send goes through four libraries
            told = f"HTTP {reply.line}, but the response cannot be read ({type(error).__name__})"
            return ToolResult(content=told, is_error=True)

    def _result(self, reply: Reply, method: str) -> ToolResult:
        if not 200 <= reply.status < 300:
            return ToolResult(content=self._cut(self._error(reply)), is_error=True)
        if method == "HEAD" or (method == "OPTIONS" and not reply.body):
            told = [f"{name}: {reply.headers[name]}" for name in _TOLD_OF_HEAD if name in reply.headers]
            return ToolResult(content=self._cut("\n".join([reply.line, *told])))
        if not reply.body:
            return ToolResult(content=f"{reply.status} (no content)")
        try:
            text, *notes = self._content(reply)
        except SelectionError as error:
            return ToolResult(content=self._cut(f"`select` cannot be used on the response: {error}"), is_error=True)
        if not reply.complete:
            size = f" of {reply.size:,}" if reply.size is not None else ""
            notes.append(f"[cut: only the first {len(reply.body):,}{size} bytes of the response were read]")
        return ToolResult(content="\n".join([self._cut(text), *notes]))

    def _cut(self, text: str) -> str:
        return cut(self.secrets.mask(text), max_chars=self.max_chars)

    def _content(self, reply: Reply) -> list[str]:
        """The text of the body, and notes about it."""
        kind = content_type(reply.headers)
        text = self._text(reply)
        if text is None:
            size = len(reply.body) if reply.complete else reply.size
            about = f"{kind.name or 'unknown type'}, {f'{size:,} bytes' if size else 'large'}"
            if reply.packed is not None:
                return [f"({about}: packed as '{reply.packed}', which was not asked for, so not shown)"]
            return [f"({about}: not text, so not shown)"]
        if kind.is_json or self.select is not None:
            return self._json(text, reply, is_json=kind.is_json)
        return [_page(text, reply) if kind.is_html else text]

    def _text(self, reply: Reply) -> str | None:
        if reply.packed is not None:
            return None
        text = decoded(reply.body, content_type(reply.headers), complete=reply.complete)
        # Half of a secret would not be known for one; `�` is what is left of a character that was cut.
        return text if text is None or reply.complete else self.secrets.ended(text.rstrip("�"))

    def _json(self, text: str, reply: Reply, *, is_json: bool) -> list[str]:
        unused = "; `select` was not used" if self.select is not None else ""
        if not reply.complete:
            return [text, f"[the JSON is not complete{unused}]"]
        try:
            value: Json = json.loads(text, parse_float=_number, parse_constant=_no_constant)
            whole = _compact(value)
        except (ValueError, RecursionError):
            page = _page(text, reply) if content_type(reply.headers).is_html else text
            said = "the response says that it is JSON, but it is not" if is_json else "the response is not JSON"
            return [page, f"[{said}{unused}]"]
        if self.select is None:
            return [whole]
        selected = self.select.search(value)
        if selected is None:
            return ["null", "[`select` found nothing in the response]"]
        try:
            return [selected if isinstance(selected, str) else _compact(selected)]
        except (ValueError, RecursionError) as error:
            raise SelectionError("it gives a value that JSON does not have") from error

    def _error(self, reply: Reply) -> str:
        text = self._text(reply) or ""
        text = _page(text, reply) if content_type(reply.headers).is_html else text
        text = self.secrets.mask(text.strip())
        seconds = retry_after(reply)
        wait = f"[the server asks to wait {math.ceil(seconds):,} s]" if seconds else ""
        lines = [f"HTTP {reply.line}", cut(text, max_chars=_MAX_ERROR_CHARS), wait]
        return "\n".join(filter(None, lines))


def _compact(value: Json) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))


def _number(text: str) -> Json:
    """A number; one that is too large for Python's (1e999) as it is written: `Infinity` is no JSON."""
    number = float(text)
    return number if math.isfinite(number) else text


def _no_constant(name: str) -> Json:
    raise ValueError(f"{name} is no JSON")


def _page(text: str, reply: Reply) -> str:
    # Its library is needed for few tools, and takes a while to import.
    from runner.tools.http.pages import readable  # noqa: PLC0415 - see above

    return readable(text, reply.address)
