"""Cut a text into passages: paragraphs with the headings above them."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

LONGEST = 1_200  # characters; longer paragraphs are cut between lines, longer lines between words

_LONGEST_TITLE = 200

_FENCE = re.compile(r" {0,3}(```|~~~)")
_HEADING = re.compile(r" {0,3}(#{1,6})[ \t]+(\S.*)")
_UNDERLINE = re.compile(r"([=\-~^\"'*+`:._#])\1{2,}[ \t]*")  # Markdown and reStructuredText; alone it is a rule
_UNDERLINE_LEVELS = {"=": 1, "-": 2}


@dataclass(frozen=True, kw_only=True)
class Passage:
    """A paragraph, the headings above it, and the line of the file it begins at, from 1."""

    line: int
    heading: str
    text: str


def passages(text: str) -> Iterator[Passage]:
    """The passages of a Markdown, reStructuredText or plain text, in order; its lines end in a line feed."""
    cutter = _Cutter()
    for number, line in enumerate(text.split("\n"), start=1):
        yield from cutter.read(number, line)
    yield from cutter.end()


@dataclass(frozen=True, kw_only=True)
class _Heading:
    level: int
    line: int
    title: str


@dataclass(kw_only=True)
class _Cutter:
    headings: list[_Heading] = field(default_factory=list)
    block: list[tuple[int, str]] = field(default_factory=list)
    fence: str = ""
    bare: bool = False  # nothing was found below the last heading yet

    def read(self, number: int, line: str) -> Iterator[Passage]:
        """Take one line; yield the passages that it ends."""
        fence = _FENCE.match(line)
        if self.fence:
            self.block.append((number, line))
            if fence and fence[1] == self.fence:
                self.fence = ""
        elif fence:
            self.fence = fence[1]
            self.block.append((number, line))
        elif not line.strip():
            yield from self.end_block()
        elif heading := _HEADING.fullmatch(line):
            yield from self.end_block()
            yield from self.open(_Heading(level=len(heading[1]), line=number, title=_title(heading[2])))
        elif underline := _UNDERLINE.fullmatch(line):
            yield from self.underline(_UNDERLINE_LEVELS.get(underline[1], 3))
        else:
            self.block.append((number, line))

    def underline(self, level: int) -> Iterator[Passage]:
        if len(self.block) == 1:
            line, title = self.block.pop()
            yield from self.open(_Heading(level=level, line=line, title=_title(title)))
        else:
            yield from self.end_block()

    def open(self, heading: _Heading) -> Iterator[Passage]:
        yield from self.end_section(heading.level)
        self.headings = [*(above for above in self.headings if above.level < heading.level), heading]
        self.bare = True

    def end(self) -> Iterator[Passage]:
        """Yield what is left after the last line."""
        yield from self.end_block()
        yield from self.end_section(0)

    def end_section(self, level: int) -> Iterator[Passage]:
        """Yield a heading as a passage of its own when the section that ends had nothing else."""
        if self.bare and self.headings[-1].level >= level:
            *above, last = self.headings
            yield Passage(line=last.line, heading=" > ".join(heading.title for heading in above), text=last.title)

    def end_block(self) -> Iterator[Passage]:
        heading = " > ".join(heading.title for heading in self.headings)
        for line, text in _pieces(self.block):
            self.bare = False
            yield Passage(line=line, heading=heading, text=text)
        self.block = []


def _title(line: str) -> str:
    """A heading without the # signs that may close it; short, for it is repeated with every passage."""
    title = line.strip()
    bare = title.rstrip("#")
    return (bare if bare.endswith((" ", "\t")) else title).strip()[:_LONGEST_TITLE]


def _pieces(block: list[tuple[int, str]]) -> Iterator[tuple[int, str]]:
    """The lines of a block joined to texts of at most `LONGEST` characters, each with its first line."""
    first, lines, size = 0, list[str](), 0
    for number, line in block:
        for part in _parts(line.rstrip()):
            if lines and size + len(part) > LONGEST:
                yield first, "\n".join(lines)
                lines, size = [], 0
            if not lines:
                first = number
            lines.append(part)
            size += len(part) + 1
    if lines:
        yield first, "\n".join(lines)


def _parts(line: str) -> Iterator[str]:
    start = 0
    while len(line) - start > LONGEST:
        space = line.rfind(" ", start + 1, start + LONGEST)
        stop = space if space > 0 else start + LONGEST
        yield line[start:stop]
        start = stop
    yield line[start:]
