"""Where the values of a document stand: paths -> spans, looked up only when somebody asks."""

from runner.diagnostics import Span
from runner.language.source import Path, Source
from runner.language.yaml12.nodes import MappingNode, Node, ScalarNode, SequenceNode
from runner.language.yaml12.scalars import content_start, locate
from runner.language.yaml12.values import is_merge, merge_sources


class Positions:
    """The tree of a document, asked by path."""

    def __init__(self, source: Source, root: Node) -> None:
        self.source = source
        self._root = root
        # Keys of the mappings that were asked for, by the mapping's id: a file may have a mistake in each of many keys.
        self._keys: dict[int, dict[str, tuple[Node, Node]]] = {}

    def span(self, path: Path, *, key: bool) -> Span:
        """The value's span or its key's; of a path that does not exist, the key of its nearest ancestor."""
        found, key_node, node = self._find(path)
        if found and not key and not self._is_empty(node):
            return self.source.span(*self._bounds(node))
        if key_node is not None:
            return self.source.span(*self._bounds(key_node))
        return self._first_token(node)

    def inside(self, path: Path, start: int, end: int) -> Span:
        """Where a stretch of a string value is written; the scalar's first line when that cannot be told."""
        found, _, node = self._find(path)
        if not found or not isinstance(node, ScalarNode) or self._is_empty(node):
            return self.span(path, key=False)
        bounds = self._bounds(node)
        place = locate(self.source.text, node.value, bounds, (start, end))
        if place is None:
            _, line_end = self.source.line_bounds(bounds[0])
            place = bounds[0], min(bounds[1], line_end)
        return self.source.span(*place)

    def _find(self, path: Path) -> tuple[bool, Node | None, Node]:
        """(whether the whole path exists, key node if there is one, value node) of the last step that exists."""
        key_node, node = None, self._root
        for step in path:
            if isinstance(node, MappingNode):
                pair = self._pairs(node).get(step) if isinstance(step, str) else None
                if pair is None:
                    return False, key_node, node
                key_node, node = pair
            elif isinstance(node, SequenceNode) and isinstance(step, int) and 0 <= step < len(node.value):
                key_node, node = None, node.value[step]
            else:
                return False, key_node, node
        return True, key_node, node

    def _pairs(self, mapping: MappingNode) -> dict[str, tuple[Node, Node]]:
        """Key -> its key and value nodes, followed into what is merged, as `values` builds the data."""
        known = self._keys.get(id(mapping))
        if known is not None:
            return known
        pairs: dict[str, tuple[Node, Node]] = {}
        merged: Node | None = None
        for key_node, value_node in mapping.value:
            if is_merge(key_node):
                merged = merged or value_node
            elif isinstance(key_node, ScalarNode):
                pairs.setdefault(key_node.value, (key_node, value_node))
        for source in merge_sources(merged) or [] if merged else []:
            pairs = {**self._pairs(source), **pairs}
        self._keys[id(mapping)] = pairs
        return pairs

    def _is_empty(self, node: Node) -> bool:
        start, end = self._bounds(node)
        return start == end

    def _bounds(self, node: Node) -> tuple[int, int]:
        """Start and end offset, without tag, anchor, and what follows the last character."""
        text = self.source.text
        end = node.end_mark.index
        start = min(content_start(text, node.start_mark.index), end)
        if isinstance(node, ScalarNode):
            return start, start + len(text[start:end].rstrip())
        if isinstance(node, MappingNode | SequenceNode) and node.flow_style:
            return start, end
        # A block ends where the next thing starts, so there may be comments in between.
        lines = text[start:end].rstrip().split("\n")
        while len(lines) > 1 and (not lines[-1].strip() or lines[-1].lstrip().startswith("#")):
            lines.pop()
        return start, start + len("\n".join(lines).rstrip())

    def _first_token(self, node: Node) -> Span:
        if isinstance(node, ScalarNode):
            return self.source.span(*self._bounds(node))
        if isinstance(node, MappingNode) and node.value and not node.flow_style:
            return self._first_token(node.value[0][0])
        start, _ = self._bounds(node)
        return self.source.span(start, min(start + 1, len(self.source.text)))
