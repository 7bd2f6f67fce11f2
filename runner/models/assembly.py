"""Puts a reply together, from a whole response or from the chunks of a stream; both come to the same reply."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from runner.engine.ports import ModelReply, RawToolCall
from runner.models.fragments import CallFragments, arguments_text, own_fields
from runner.spec import Json, JsonObject

# Fields of a message that providers want back with the next request (field bug B46).
RETURNED = ("reasoning_content", "thinking_blocks", "reasoning_items", "provider_specific_fields")

# Some servers leave the model's thinking in its text. LiteLLM moves it to `reasoning_content` in whole responses, by
# this very pattern, but not in streams.
_TAGS = ("think", "thinking", "budget:thinking")
_OPENING = re.compile(rf"<(?:{'|'.join(_TAGS)})>")
_CLOSING = re.compile(rf"</(?:{'|'.join(_TAGS)})>")
_LONGEST_CLOSING = max(len(f"</{tag}>") for tag in _TAGS)


class NoChoicesError(ValueError):
    """The provider answered, but with no reply in it (field bug B50)."""


def whole_reply(response: JsonObject) -> ModelReply:
    """The reply in a response of the OpenAI chat API; without usage and cost.

    Raises:
        NoChoicesError: `choices` is empty.
    """
    choice = _first_choice(response)
    if choice is None:
        raise NoChoicesError
    message = choice.get("message") or {}
    calls = [
        RawToolCall(
            id=call.get("id"),
            name=(call.get("function") or {}).get("name"),
            arguments=arguments_text((call.get("function") or {}).get("arguments")),
            extra=own_fields(call),
        )
        for call in message.get("tool_calls") or ()
    ]
    spoken = _Spoken()
    text = spoken.add(_text(message.get("content"))) + spoken.rest()
    return ModelReply(
        text=text,
        tool_calls=tuple(calls),
        finish_reason=choice.get("finish_reason"),
        extra=_returned({**message, "reasoning_content": message.get("reasoning_content") or spoken.thought}),
    )


def _returned(message: JsonObject) -> JsonObject:
    fields = {
        name: value for name, value in (message.get("provider_specific_fields") or {}).items() if value is not None
    }
    if message.get("thinking_blocks"):
        fields.pop("thinking_blocks", None)  # LiteLLM repeats the blocks here, in streams only the last piece of them
    values = {**message, "provider_specific_fields": fields}
    return {name: values[name] for name in RETURNED if values.get(name)}


class StreamedReply:
    """A reply that arrives in chunks of the OpenAI chat API."""

    def __init__(self) -> None:
        self._spoken = _Spoken()
        self._text: list[str] = []
        self._reasoning: list[str] = []
        self._items: list[Json] = []
        self._fields: dict[str, Json] = {}
        self._calls = CallFragments()
        self._finish_reason: str | None = None
        self._empty = True
        self.thinking = False

    def add(self, chunk: JsonObject) -> str:
        """Take in a chunk, and return the text it makes visible.

        `thinking` is True from the first chunk with a piece of a signed thinking block on: those have to be put
        together by LiteLLM, which knows how each provider cuts them up, and given to `finish`.
        """
        choice = _first_choice(chunk)
        if choice is None:
            return ""
        self._finish_reason = choice.get("finish_reason") or self._finish_reason
        delta = choice.get("delta") or {}
        # LiteLLM ends any stream with a chunk of its own, also that of a server that sent no events but an HTML page.
        self._empty = self._empty and not delta and self._finish_reason in (None, "stop")
        self._reasoning.append(_text(delta.get("reasoning_content")))
        self._items += delta.get("reasoning_items") or ()
        self._fields.update(delta.get("provider_specific_fields") or {})
        self.thinking = self.thinking or bool(delta.get("thinking_blocks"))
        for fragment in delta.get("tool_calls") or ():
            self._calls.add(fragment)
        return self._say(self._spoken.add(_text(delta.get("content"))))

    def rest(self) -> str:
        """The text that was held back because it could have been thinking, when the stream has ended."""
        return self._say(self._spoken.rest())

    def _say(self, text: str) -> str:
        self._text.append(text)
        return text

    def finish(self, *, thinking_blocks: Json = None) -> ModelReply:
        """The reply; without usage and cost.

        Raises:
            NoChoicesError: no chunk had anything in it.
        """
        if self._empty:
            raise NoChoicesError
        self.rest()
        return ModelReply(
            text="".join(self._text),
            tool_calls=self._calls.whole(),
            finish_reason=self._finish_reason,
            extra=_returned(
                {
                    "reasoning_content": "".join(self._reasoning) or self._spoken.thought,
                    "thinking_blocks": thinking_blocks,
                    "reasoning_items": self._items,
                    "provider_specific_fields": self._fields,
                }
            ),
        )


@dataclass(slots=True)
class _Spoken:
    """Tells a model's thinking, in a tag at the very start of its text, from what it says."""

    thought: str = ""
    _held: str = ""
    _searched: int = 0
    _speaking: bool = False

    def add(self, piece: str) -> str:
        """The part of the text so far that is certainly no thinking, and was not returned before."""
        if self._speaking:
            return piece
        self._held += piece
        opening = _OPENING.match(self._held)
        if opening is None:
            undecided = any(f"<{tag}>".startswith(self._held) for tag in _TAGS)
            return "" if undecided else self.rest()
        closing = _CLOSING.search(self._held, max(opening.end(), self._searched - _LONGEST_CLOSING))
        self._searched = len(self._held)
        if closing is None:
            return ""
        self.thought = self._held[opening.end() : closing.start()]
        self._held = self._held[closing.end() :]
        return self.rest()

    def rest(self) -> str:
        """What was held back: from now on all is speech."""
        self._speaking = True
        held, self._held = self._held, ""
        return held


def _first_choice(body: JsonObject) -> Mapping[str, Json] | None:
    choices = body.get("choices")
    return choices[0] if choices else None


def _text(content: Json) -> str:
    return content if isinstance(content, str) else ""
