"""Puts streamed tool calls together, also where servers number them wrongly or not at all (field bug B25)."""

import json
from dataclasses import dataclass, field

from runner.engine.ports import RawToolCall
from runner.spec import Json, JsonObject

_STANDARD = frozenset({"index", "id", "type", "function"})


def arguments_text(arguments: Json) -> str:
    """Arguments as JSON text; some servers send the object itself, or null."""
    if arguments is None:
        return ""
    return arguments if isinstance(arguments, str) else json.dumps(arguments, ensure_ascii=False)


def own_fields(call: JsonObject) -> JsonObject:
    """The fields of a tool call that only its provider understands (a thought signature)."""
    return {name: value for name, value in call.items() if name not in _STANDARD and value is not None}


@dataclass(frozen=True, kw_only=True, slots=True)
class _Fragment:
    id: str | None
    name: str | None
    arguments: str


@dataclass(kw_only=True, slots=True)
class _Call:
    index: int
    id: str | None = None
    name: str | None = None
    arguments: list[str] = field(default_factory=list)
    extra: dict[str, Json] = field(default_factory=dict)

    def is_over_at(self, fragment: _Fragment) -> bool:
        """Whether the fragment belongs to a later call, though it has the same index."""
        if fragment.id and self.id and fragment.id != self.id:
            return True
        if fragment.name is None or self.name is None:
            return False
        if fragment.name != self.name:
            return True
        # The same name again: servers that repeat it in every fragment never add to complete arguments.
        adds = bool(fragment.arguments.strip()) or bool(fragment.id and not self.id)
        return adds and self._has_complete_arguments()

    def _has_complete_arguments(self) -> bool:
        try:
            json.loads("".join(self.arguments))
        except ValueError:
            return False
        return True


class CallFragments:
    """The tool calls of one streamed reply.

    Fragments belong together by `index`. Where the index is missing, or the same for all (LiteLLM writes 0 for a
    missing one), a new id begins a new call, and so does a name after complete arguments.
    """

    def __init__(self) -> None:
        self._calls: list[_Call] = []

    def add(self, piece: JsonObject) -> None:
        """Take in an entry of a chunk's `tool_calls`."""
        function = piece.get("function") or {}
        fragment = _Fragment(
            id=piece.get("id") or None,
            name=function.get("name") or None,
            arguments=arguments_text(function.get("arguments")),
        )
        call = self._call_of(piece.get("index") or 0, fragment)
        call.id = call.id or fragment.id
        call.name = call.name or fragment.name
        call.arguments.append(fragment.arguments)
        call.extra.update(own_fields(piece))

    def _call_of(self, index: int, fragment: _Fragment) -> _Call:
        same_index = [call for call in reversed(self._calls) if call.index == index]
        for call in same_index:
            # Not only the latest: a server may interleave calls that it tells apart by id alone.
            if (call is same_index[0] or call.id == fragment.id) and not call.is_over_at(fragment):
                return call
        call = _Call(index=index)
        self._calls.append(call)
        return call

    def whole(self) -> tuple[RawToolCall, ...]:
        """The calls by index, those of one index in the order they began."""
        return tuple(
            RawToolCall(id=call.id, name=call.name, arguments="".join(call.arguments), extra=dict(call.extra))
            for call in sorted(self._calls, key=lambda call: call.index)
        )
