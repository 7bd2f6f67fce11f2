"""HTML that cannot be broken by what stands in it: every text is escaped when it becomes markup."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from html import escape

from runner.report.phrases import visible

_EMPTY = frozenset({"meta", "input"})


@dataclass(frozen=True, slots=True)
class Markup:
    """HTML that is safe to put into a page as it is."""

    html: str


Child = Markup | str | None


def element(tag: str, *children: Child, **attributes: str | bool | None) -> Markup:
    """An element with its children, texts among them escaped; None is no child.

    An attribute is left out when it is None or False, and has no value when it is True. A `_` in its name stands for
    `-`, one at the end for nothing: `class_`, `aria_label`.
    """
    written = _attributes(attributes)
    if tag in _EMPTY:
        return Markup(f"<{tag}{written}>")
    return Markup(f"<{tag}{written}>{together(children).html}</{tag}>")


def within(
    tag: str, first: Iterable[Child], then: Iterable[Markup], **attributes: str | bool | None
) -> Iterator[Markup]:
    """An element as `element` gives it, in pieces: never more of it is in memory than one of its children."""
    yield Markup(f"<{tag}{_attributes(attributes)}>")
    yield together(first)
    yield from then
    yield Markup(f"</{tag}>")


def together(children: Iterable[Child]) -> Markup:
    """Children without an element around them."""
    return Markup("".join(_child(child) for child in children))


def _attributes(attributes: Mapping[str, str | bool | None]) -> str:
    return "".join(_attribute(name, value) for name, value in attributes.items())


def _attribute(name: str, value: str | bool | None) -> str:  # noqa: FBT001 - HTML has attributes without a value
    if value is None or value is False:
        return ""
    shown = name.rstrip("_").replace("_", "-")
    return f" {shown}" if value is True else f' {shown}="{_text(value)}"'


def _child(child: Child) -> str:
    if child is None:
        return ""
    return child.html if isinstance(child, Markup) else _text(child)


def _text(text: str) -> str:
    """Escaped; what could reorder a line, is no character of HTML or cannot be encoded is shown as an escape."""
    return escape(visible(text.replace("\r\n", "\n"), keep="\n\t"))
