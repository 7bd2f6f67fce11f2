"""Reads what a docstring tells about a function: its summary and the description of each parameter.

Google, NumPy and reST (or Epytext) notation, told apart by their marks, even mixed. The parsers on offer each give up
on docstrings people do write: `docstring_parser` 0.18 raises, and so loses everything, when a docstring opens with
`Args:` or one entry has no colon; `griffe` wants an empty line before each section (field bug B41).
"""

import re
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

_SECTIONS = r"(?:args|arguments|params|parameters|keyword args|keyword arguments|other parameters)"
_GOOGLE_HEADER = re.compile(rf"{_SECTIONS}\s*:", re.IGNORECASE)
_NUMPY_HEADER = re.compile(_SECTIONS, re.IGNORECASE)
_UNDERLINE = re.compile(r"-{3,}|={3,}")
_ANY_HEADER = re.compile(r"[A-Z][A-Za-z ]*:")
_FIELD = re.compile(r"[:@]\w+.*?:")

# `name: text`, `name (type): text`, `*args : text`
_GOOGLE_ENTRY = re.compile(r"(?P<names>\\?\*{0,2}\w+)\s*(?:\(.*?\))?\s*:(?:\s+(?P<text>.*)|)")
# `name`, `name : type`, `x, y : type`
_NUMPY_ENTRY = re.compile(r"(?P<names>\*{0,2}\w+(?:\s*,\s*\*{0,2}\w+)*)\s*(?::.*)?(?P<text>)")
# `:param name: text`, `:param type name: text`, `@param name: text`
_REST_ENTRY = re.compile(
    r"[:@](?:param|parameter|arg|argument|key|keyword)\s+(?:[^:]*\s)?(?P<names>\\?\*{0,2}\w+)\s*:\s*(?P<text>.*)"
)


@dataclass(frozen=True, kw_only=True, slots=True)
class Docstring:
    """What a docstring tells.

    Attributes:
        summary: its first paragraph as one line; empty when there is none.
        parameters: description by parameter name, line breaks and lists kept. The names need not exist.
    """

    summary: str
    parameters: Mapping[str, str]


def read_docstring(text: str | None) -> Docstring:
    """Read any text; what cannot be understood is left out."""
    lines = _dedented(text or "")
    return Docstring(summary=_summary(lines), parameters=dict(_entries(lines)))


def _dedented(text: str) -> list[str]:
    """The lines without their common indentation, which the first line, after the quotes, does not show.

    A docstring that opens with `Args:` has nothing else at that section's level, so the rest is kept one level deeper.
    """
    first, _, rest = text.expandtabs().partition("\n")
    rest = textwrap.dedent(rest)
    if _GOOGLE_HEADER.fullmatch(first.strip()) and not any(map(_ANY_HEADER.fullmatch, rest.splitlines())):
        rest = textwrap.indent(rest, "    ")
    return [first.strip(), *(line.rstrip() for line in rest.splitlines())]


def _summary(lines: Sequence[str]) -> str:
    paragraph: list[str] = []
    for line in map(str.strip, lines):
        if (not line and paragraph) or _ANY_HEADER.fullmatch(line) or _FIELD.match(line):
            break
        if _UNDERLINE.fullmatch(line):  # what stood above it was a header
            return ""
        if line:
            paragraph.append(line)
    return " ".join(paragraph)


def _entries(lines: Sequence[str]) -> Iterator[tuple[str, str]]:
    for number, line in enumerate(lines):
        text = line.strip()
        if _GOOGLE_HEADER.fullmatch(text):
            section = _deeper(lines[number + 1 :], than=_indent(line))
            yield from _section(section, _GOOGLE_ENTRY)
        elif _NUMPY_HEADER.fullmatch(text) and _UNDERLINE.fullmatch("".join(lines[number + 1 : number + 2]).strip()):
            yield from _section(_until_underlined(lines[number + 2 :]), _NUMPY_ENTRY)
        elif entry := _REST_ENTRY.fullmatch(text):
            yield from _described(entry, _deeper(lines[number + 1 :], than=_indent(line)))


def _section(lines: Sequence[str], pattern: re.Pattern[str]) -> Iterator[tuple[str, str]]:
    """The entries that begin at the indentation of the section's first line."""
    level = next((_indent(line) for line in lines if line), 0)
    entry: re.Match[str] | None = None
    body: list[str] = []
    for line in lines:
        begins = pattern.fullmatch(line.strip()) if _indent(line) <= level else None
        if begins is None:
            body.append(line)
            continue
        if entry:
            yield from _described(entry, body)
        entry, body = begins, []
    if entry:
        yield from _described(entry, body)


def _described(entry: re.Match[str], body: Sequence[str]) -> Iterator[tuple[str, str]]:
    text = "\n".join([entry["text"] or "", textwrap.dedent("\n".join(body))]).strip()
    for name in entry["names"].split(","):
        yield name.strip().lstrip("\\*"), text


def _deeper(lines: Sequence[str], *, than: int) -> list[str]:
    """The lines up to the first one that is indented no deeper."""
    taken: list[str] = []
    for line in lines:
        if line and _indent(line) <= than:
            break
        taken.append(line)
    return taken


def _until_underlined(lines: Sequence[str]) -> Sequence[str]:
    """The lines up to the next header, which is known by the underline after it."""
    for number, line in enumerate(lines):
        if _UNDERLINE.fullmatch(line.strip()):
            return lines[: max(number - 1, 0)]
    return lines


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())
