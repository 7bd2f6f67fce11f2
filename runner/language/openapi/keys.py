"""Which operations of a document get the keys that a declaration sends: those of the server that these are for.

A document is written by somebody else: that it names another server for one of its operations is no reason to trust it.
"""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field

from runner.language.openapi.operations import Operation
from runner.language.openapi.servers import is_same_origin, main_server
from runner.spec import JsonObject

_KEYS = ("auth", "headers")
_MOST_LISTED = 3


@dataclass(kw_only=True, slots=True)
class Keys:
    """What is sent to whom.

    Attributes:
        declaration: the `openapi` tool as declared.
        kept: the ids of the operations that get nothing, by their servers.
    """

    declaration: JsonObject
    kept: defaultdict[str, list[str]] = field(default_factory=lambda: defaultdict(list))

    def sent(self, operation: Operation, server: str) -> JsonObject:
        """The declaration as it holds for an operation at `server`."""
        declared = [key for key in _KEYS if key in self.declaration]
        if declared and not is_same_origin(server, main_server(operation, self.declaration)):
            self.kept[server].append(operation.id)
            return self._without(*declared)
        security = operation.node.get("security")
        return self._without("auth") if security is not None and security.value == [] else self.declaration

    def problems(self) -> Iterator[tuple[str, str]]:
        """(message, what to write) for each server that gets nothing."""
        what = " and ".join(key for key in _KEYS if key in self.declaration)
        for server, ids in self.kept.items():
            more = f" and {len(ids) - _MOST_LISTED} more" if len(ids) > _MOST_LISTED else ""
            names = ", ".join(ids[:_MOST_LISTED]) + more
            where = f"another server than the document's own ({server})"
            advice = f"if it may have them, declare these operations as a tool of their own with server: {server}"
            yield f"{names}: {what} not sent, this is {where}", advice

    def _without(self, *keys: str) -> JsonObject:
        return {key: value for key, value in self.declaration.items() if key not in keys}
