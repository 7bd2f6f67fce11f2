"""Finds the comments of a YAML document, and the lines that each scalar of several lines takes."""

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass

from runner.language.source import Source
from runner.language.yaml12.nodes import MappingNode, Node, ScalarNode, SequenceNode, Trouble, compose

_COMMENT = re.compile(r"(?:^|(?<=[ \t]))#[^\r\n]*", re.MULTILINE)


@dataclass(frozen=True, kw_only=True, slots=True)
class Comment:
    """A comment.

    Attributes:
        start: its offset in the text.
        text: from the `#` to the end of the line.
        about: the line it is about: its own, or the next with content when it stands alone.
        at_top: whether it comes before all content.
    """

    start: int
    text: str
    about: int
    at_top: bool


@dataclass(frozen=True, kw_only=True, slots=True)
class LongScalar:
    """A scalar of several lines: a block, or quoted or plain text that goes on.

    Attributes:
        key: the line of its key (its own first line for an item of a list).
        first: the line it begins on.
        last: its last line.
    """

    key: int
    first: int
    last: int


@dataclass(frozen=True, kw_only=True, slots=True)
class Marginalia:
    """What stands in a text beside its data, in the order of the text."""

    comments: tuple[Comment, ...] = ()
    long_scalars: tuple[LongScalar, ...] = ()


def marginalia(source: Source) -> Marginalia:
    """The comments and long scalars of a YAML text; nothing of one that has a mistake in its syntax."""
    root = compose(source.text)
    if root is None or isinstance(root, Trouble):
        return Marginalia()
    scalars = sorted(_scalars(root), key=lambda found: found[0].start_mark.index)
    long = (_long_scalar(node, key, source) for node, key in scalars)
    found = list(_comments(source, root, [_inside(node, source) for node, _ in scalars]))
    return Marginalia(comments=tuple(found), long_scalars=tuple(each for each in long if each.last > each.first))


def _scalars(root: Node) -> Iterator[tuple[ScalarNode, Node]]:
    """Each scalar once, with the key it is the value of (itself when there is none)."""
    pending: list[tuple[Node, Node]] = [(root, root)]
    seen: set[int] = set()  # an alias is the node it stands for: following all would take for ever in an alias bomb
    while pending:
        node, key = pending.pop()
        if id(node) in seen:
            continue
        seen.add(id(node))
        if isinstance(node, ScalarNode):
            yield node, key
        elif isinstance(node, SequenceNode):
            pending += [(item, item) for item in node.value]
        elif isinstance(node, MappingNode):
            pending += [pair for name, value in node.value for pair in ((name, name), (value, name))]


def _inside(node: ScalarNode, source: Source) -> tuple[int, int]:
    """Where `#` is text. The line that opens a block (`|`) may end with a comment."""
    start = node.start_mark.index
    if node.style in ("|", ">"):
        start = source.line_bounds(start)[1]
    return start, node.end_mark.index


def _long_scalar(node: ScalarNode, key: Node, source: Source) -> LongScalar:
    end_line, end_column = source.place(node.end_mark.index)
    return LongScalar(
        key=source.place(key.start_mark.index)[0],
        first=source.place(node.start_mark.index)[0],
        last=end_line if end_column > 1 else end_line - 1,  # a block ends where the next line begins
    )


def _comments(source: Source, root: Node, texts: list[tuple[int, int]]) -> Iterator[Comment]:
    starts = [start for start, _ in texts]
    content = _content_lines(source)
    position = 0
    while match := _COMMENT.search(source.text, position):
        start, position = match.span()
        before = bisect_right(starts, start) - 1
        if before >= 0 and start < texts[before][1]:
            position = max(texts[before][1], start + 1)
            continue
        line = source.place(start)[0]
        alone = not source.text[source.line_bounds(start)[0] : start].strip()
        following = bisect_right(content, line)
        about = content[following] if alone and following < len(content) else line
        yield Comment(start=start, text=match.group(), about=about, at_top=start < root.start_mark.index)


def _content_lines(source: Source) -> list[int]:
    last = source.place(len(source.text))[0]
    texts = ((number, source.line(number).strip()) for number in range(1, last + 1))
    return [number for number, text in texts if text and not text.startswith("#")]
