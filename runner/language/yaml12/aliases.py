"""Whether the aliases of a document can be expanded: no cycles, and not too much of it."""

import re

from runner.diagnostics import Diagnostic
from runner.language.source import Source
from runner.language.wording import clip
from runner.language.yaml12.nodes import MAX_DEPTH, MappingNode, Node, ScalarNode

# What aliases may add to a document: characters, with 16 for every value. It is some 60,000 values, or a text of 1 MB.
MAX_GROWTH = 1_000_000
_NODE_WEIGHT = 16
_ANCHOR = re.compile(r"[^\n]*?&([\w-]+)")


class AliasError(Exception):
    """A document cannot be expanded."""

    def __init__(self, diagnostic: Diagnostic) -> None:
        super().__init__(diagnostic.message)
        self.diagnostic = diagnostic


class AliasCheck:
    """Measures every node once, so that even a bomb costs no more than its own length."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._own_weight = 0
        # (expanded weight, depth) of each node by its id; None while it is being measured.
        self._measured: dict[int, tuple[int, int] | None] = {}

    def measure(self, node: Node) -> tuple[int, int]:
        """(expanded weight, depth) of a node.

        The recursion is as deep as the text is nested, never deeper: an alias names a node that came before it.

        Raises:
            AliasError: it contains itself, is too large, or is nested too deep.
        """
        known = self._measured.get(id(node), ())
        if known is None:
            raise AliasError(self._cycle(node))
        if known:
            return known
        self._measured[id(node)] = None
        weight, depth = _NODE_WEIGHT, 1
        if isinstance(node, ScalarNode):
            weight += len(node.value)
        self._own_weight += weight
        for child in _children(node):
            child_weight, child_depth = self.measure(child)
            weight += child_weight
            depth = max(depth, 1 + child_depth)
        if weight - self._own_weight > MAX_GROWTH:
            raise AliasError(
                self._at(node, "RUN114", "aliases make this too large: they repeat more than 1 MB of values")
            )
        if depth > MAX_DEPTH:
            raise AliasError(self._at(node, "RUN115", f"aliases nest values deeper than {MAX_DEPTH} levels"))
        self._measured[id(node)] = weight, depth
        return weight, depth

    def _cycle(self, node: Node) -> Diagnostic:
        """`node` holds an alias of itself; the tree does not tell where, the text does."""
        start = node.start_mark.index
        anchor = _ANCHOR.match(self._source.text, start)
        name = anchor[1] if anchor else ""
        alias = re.compile(rf"\*{re.escape(name)}(?![\w-])").search(self._source.text, start)
        if not anchor or not alias:
            return self._at(node, "RUN113", "an alias stands inside the value it names")
        return self._source.diagnostic(
            "RUN113",
            f"alias '*{clip(name)}' stands inside the value it names",
            self._source.span(*alias.span()),
            related=(self._source.related("the value begins", self._source.span(start, start + 1 + len(name))),),
        )

    def _at(self, node: Node, code: str, message: str) -> Diagnostic:
        start = node.start_mark.index
        _, end = self._source.line_bounds(start)
        return self._source.diagnostic(code, message, self._source.span(start, min(end, node.end_mark.index)))


def _children(node: Node) -> list[Node]:
    if isinstance(node, ScalarNode):
        return []
    if isinstance(node, MappingNode):
        return [child for pair in node.value for child in pair]
    return list(node.value)
