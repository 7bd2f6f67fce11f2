"""A tree of nodes -> plain data, with a diagnostic for everything that JSON has no word for."""

import math
import re
import sys

from runner.diagnostics import Diagnostic, Span
from runner.language.source import Source
from runner.language.wording import clip
from runner.language.yaml12.aliases import AliasCheck, AliasError
from runner.language.yaml12.core import CONSTANTS, plain
from runner.language.yaml12.nodes import COLLECTION, PLAIN, QUOTED, MappingNode, Node, ScalarNode, SequenceNode
from runner.language.yaml12.slip import write_quoted
from runner.spec import Json

MERGE = "<<"
# Unquoted keys that are not simply text.
_SPECIAL_KEYS = frozenset([MERGE, *(text for text, value in CONSTANTS.items() if value is None)])

_TAG = re.compile(r"!<[^>]*>|![^\s,\[\]{}]*")
_CORE_PREFIX = "tag:yaml.org,2002:"
# Core tag of a scalar -> the Python types its text may come out as, and what to call them.
_SCALAR_TAGS: dict[str, tuple[tuple[type, ...], str]] = {
    "null": ((type(None),), "null"),
    "bool": ((bool,), "true or false"),
    "int": ((int,), "a whole number"),
    "float": ((int, float), "a number"),
}
_COLLECTION_TAGS: dict[str, type[Node]] = {"map": MappingNode, "seq": SequenceNode}


def build(root: Node, source: Source) -> tuple[dict[str, Json] | None, list[Diagnostic]]:
    """The data of a document, None when it is not a mapping or cannot be expanded, and every problem found in it.

    With problems the data is still good to look for more: the first of two equal keys counts, a tag that is not
    allowed is ignored, and a number that is too large is the largest there is.
    """
    builder = _Builder(source)
    if not isinstance(root, MappingNode):
        return None, [builder.problem("RUN106", f"the top level must be a mapping, found {_what(root)}", root)]
    if "&" in source.text and "*" in source.text:
        try:
            AliasCheck(source).measure(root)
        except AliasError as error:
            return None, [error.diagnostic]
    data = builder.value(root)
    problems = list(dict.fromkeys(builder.problems))  # an aliased value is built, and found wrong, more than once
    return (data if isinstance(data, dict) else None), problems


class _Builder:
    def __init__(self, source: Source) -> None:
        self._source = source
        self.problems: list[Diagnostic] = []

    def value(self, node: Node) -> Json:
        """The value of a node. This and `_mapping` run for every value of every file: they are written for speed."""
        tag = node.tag
        if tag is PLAIN:
            value = plain(node.value)
            return self._finite(value, node) if type(value) is float else value
        if tag is QUOTED:
            return node.value
        if tag is COLLECTION:
            return self._collection(node)
        return self._tagged(node)

    def problem(self, code: str, message: str, node: Node, *, suggestion: str | None = None) -> Diagnostic:
        """Note a problem at the first line of a node."""
        diagnostic = self._source.diagnostic(code, message, self._first_line(node), suggestion=suggestion)
        self.problems.append(diagnostic)
        return diagnostic

    def _collection(self, node: Node) -> Json:
        if isinstance(node, MappingNode):
            return self._mapping(node)
        return [self.value(item) for item in node.value]

    def _mapping(self, node: MappingNode) -> Json:
        result: dict[str, Json] = {}
        merged: list[Node] = []
        repeated: list[Node] = []
        for key_node, value_node in node.value:
            key = key_node.value
            tag = key_node.tag
            if tag is not QUOTED and (tag is not PLAIN or key in _SPECIAL_KEYS):
                if is_template(node, key_node, self._source.text):
                    return self._unquoted_template(node)
                if is_merge(key_node) and not merged:
                    merged.append(value_node)
                    continue
                if not is_merge(key_node) and not self._is_text(key_node):
                    self.value(value_node)  # for its problems
                    continue
            if key in result or (merged and is_merge(key_node)):
                repeated.append(key_node)
                self.value(value_node)
            else:
                result[key] = self.value(value_node)
        if repeated:
            self._report_repeated(node, repeated)
        return self._merge(merged[0], result) if merged else result

    def _merge(self, value_node: Node, own: dict[str, Json]) -> dict[str, Json]:
        """`own` wins over what is merged in, and of that the earlier over the later."""
        sources = merge_sources(value_node)
        if sources is None:
            self.problem("RUN118", f"'<<' takes a mapping or a list of mappings, found {_what(value_node)}", value_node)
            return own
        result: dict[str, Json] = {}
        for node in reversed(sources):
            content = self.value(node)
            if isinstance(content, dict):
                result.update(content)
        result.update(own)
        return result

    def _is_text(self, key_node: Node) -> bool:
        if not isinstance(key_node, ScalarNode):
            self.problem("RUN116", f"a key must be text, found {_what(key_node)}", key_node)
            return False
        if key_node.tag is PLAIN:
            found = f"'{key_node.value}', which is null" if key_node.value else "nothing"
            hint = f'write "{key_node.value}"' if key_node.value else None
            self.problem("RUN116", f"a key must be text, found {found}", key_node, suggestion=hint)
            return False
        self.value(key_node)  # for the problem of its tag
        return True

    def _report_repeated(self, mapping: MappingNode, repeated: list[Node]) -> None:
        firsts = {
            key_node.value: key_node for key_node, _ in reversed(mapping.value) if isinstance(key_node, ScalarNode)
        }
        for key_node in repeated:
            first = self._first_line(firsts[key_node.value])
            self.problems.append(
                self._source.diagnostic(
                    "RUN110",
                    f"duplicate key '{clip(key_node.value)}', first on line {first.line}",
                    self._first_line(key_node),
                    related=(self._source.related("first", first),),
                )
            )

    def _unquoted_template(self, node: Node) -> str:
        text = self._source.text[node.start_mark.index : node.end_mark.index]
        message = "quote values that start with {{: unquoted they are a YAML mapping"
        self.problem("RUN109", message, node, suggestion=write_quoted(text))
        return text

    def _finite(self, value: float, node: Node) -> float:
        if math.isfinite(value):
            return value
        self.problem("RUN117", f"'{clip(node.value)}' is not a number that JSON can hold", node)
        return 0.0 if math.isnan(value) else math.copysign(sys.float_info.max, value)

    def _tagged(self, node: Node) -> Json:
        name = node.tag.removeprefix(_CORE_PREFIX)
        is_scalar = isinstance(node, ScalarNode)
        if is_scalar and name == "str":
            return node.value
        if is_scalar and name in _SCALAR_TAGS:
            types, expected = _SCALAR_TAGS[name]
            value = plain(node.value)
            if type(value) not in types:
                self.problem("RUN111", f"!!{name} expects {expected}, found '{clip(node.value)}'", node)
            if name == "float" and isinstance(value, int):
                value = float(value)
            return self._finite(value, node) if isinstance(value, float) else value
        if name not in _COLLECTION_TAGS or not isinstance(node, _COLLECTION_TAGS[name]):
            self._refuse_tag(node)
        if not isinstance(node, ScalarNode):
            return self._collection(node)
        value = node.value if node.style else plain(node.value)
        return self._finite(value, node) if isinstance(value, float) else value

    def _refuse_tag(self, node: Node) -> None:
        start = node.start_mark.index
        found = _TAG.search(self._source.text, start)
        span = self._source.span(*found.span()) if found else self._first_line(node)
        shown = found[0] if found else node.tag
        self.problems.append(
            self._source.diagnostic(
                "RUN111", f"tag '{clip(shown)}' is not allowed; documents are plain YAML data", span
            )
        )

    def _first_line(self, node: Node) -> Span:
        start = node.start_mark.index
        _, end = self._source.line_bounds(start)
        return self._source.span(start, max(start, min(end, node.end_mark.index)))


def is_merge(key_node: Node) -> bool:
    """Whether a key is `<<`, unquoted."""
    return key_node.tag is PLAIN and key_node.value == MERGE


def merge_sources(value_node: Node) -> list[MappingNode] | None:
    """The mappings that `<<: value` takes keys from, the first wins; None when the value is no such thing."""
    nodes = value_node.value if isinstance(value_node, SequenceNode) else [value_node]
    mappings = [node for node in nodes if isinstance(node, MappingNode)]
    return mappings if len(mappings) == len(nodes) else None


def is_template(node: MappingNode, key_node: Node, text: str) -> bool:
    """Whether a mapping is really an unquoted `{{ name }}`."""
    return isinstance(key_node, MappingNode) and text.startswith("{{", node.start_mark.index)


def _what(node: Node) -> str:
    if isinstance(node, MappingNode):
        return "a mapping"
    if isinstance(node, SequenceNode):
        return "a list"
    value = plain(node.value) if node.tag is PLAIN else node.value
    if value is None:
        return "nothing"
    return f"the text '{clip(node.value)}'" if isinstance(value, str) else clip(node.value)
