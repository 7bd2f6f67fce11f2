"""Comments that hide problems: `# runner: ignore[RUN203]`."""

import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain

from runner.diagnostics import Diagnostic
from runner.language.code_choice import NEVER_HIDDEN, UNREADABLE, unknown_code
from runner.language.comments import Comment, LongScalar, marginalia
from runner.language.source import Source
from runner.suggest import closest

CODES = {
    "RUN901": "an ignore comment that cannot be followed",
    "RUN902": "an ignore comment that hides nothing",
}

_LINE, _FILE = "ignore", "ignore-file"
_DIRECTIVE = re.compile(r"#\s*runner:\s*(?P<word>[A-Za-z_-]+)[ \t]*(?P<list>\[(?P<codes>[^\]]*)(?P<end>\])?)?")
_CODE = re.compile(r"[^\s,]+")


@dataclass(frozen=True, kw_only=True, slots=True)
class Ignore:
    """One code of one comment.

    Attributes:
        line: the line whose problems it hides; None for those of the whole file.
        start: the offset of the code, for what is said about the comment itself.
    """

    code: str
    line: int | None
    start: int


class Ignores:
    """The ignore comments of one file."""

    def __init__(self, source: Source, known: Collection[str]) -> None:
        """Read them; `known` are the codes there are."""
        self.complaints: list[Diagnostic] = []
        self._source = source
        self._known = known
        self._used: set[Ignore] = set()
        self._long: tuple[LongScalar, ...] = ()
        self._all: dict[tuple[str, int | None], list[Ignore]] = defaultdict(list)
        if _DIRECTIVE.search(source.text):  # most files have none, and need not be read again
            margin = marginalia(source)
            self._long = margin.long_scalars
            for comment in margin.comments:
                for ignore in self._read(comment):
                    self._all[ignore.code, ignore.line].append(ignore)

    def hides(self, diagnostic: Diagnostic) -> bool:
        """Whether a comment hides this problem of the file."""
        span = diagnostic.location.span
        lines = {None} if span is None else {None, *self._lines(span.line)}
        hiding = [ignore for line in lines for ignore in self._all.get((diagnostic.code, line), ())]
        self._used.update(hiding)
        return bool(hiding)

    def unused(self, unsought: Collection[str] = ()) -> Iterator[Diagnostic]:
        """A warning for each code that has hidden nothing, those apart that nobody looked for."""
        for ignore in chain.from_iterable(self._all.values()):
            if ignore not in self._used and ignore.code not in unsought:
                where = "in this file" if ignore.line is None else f"on line {ignore.line}"
                yield self._warning(
                    "RUN902",
                    f"there is no {ignore.code} to ignore {where}",
                    (ignore.start, ignore.start + len(ignore.code)),
                    "take it out",
                )

    def _lines(self, line: int) -> Iterator[int]:
        """The lines where a comment about this one may stand: inside a text of several lines there is no room."""
        yield line
        after = bisect_right(self._long, line, key=lambda scalar: scalar.first)
        for scalar in self._long[max(0, after - 2) : after]:  # one may end where the next begins
            if line <= scalar.last:
                yield from (scalar.key, scalar.first)

    def _read(self, comment: Comment) -> Iterator[Ignore]:
        match = _DIRECTIVE.search(comment.text)
        if match is None:
            return
        word = match["word"]
        place = (comment.start + match.start(), comment.start + match.end())
        if word not in (_LINE, _FILE):
            # Prose after `runner:` is nobody's mistake; a list of codes is meant for us.
            if match["list"] and (near := closest(word, (_LINE, _FILE))):
                self._complain(f"there is no comment 'runner: {word}'", place, f"did you mean '{near}'?")
        elif not match["end"] or not _CODE.search(match["codes"]):
            self._complain("an ignore comment without a code would hide too much", place, f"write {word}[CODE]")
        elif word == _FILE and not comment.at_top:
            self._complain("a comment about the whole file stands above everything else in it", place, "move it up")
        else:
            yield from self._codes(match, comment, None if word == _FILE else comment.about)

    def _codes(self, match: re.Match[str], comment: Comment, line: int | None) -> Iterator[Ignore]:
        for found in _CODE.finditer(match["codes"]):
            code, start = found.group(), comment.start + match.start("codes") + found.start()
            if code.startswith(UNREADABLE):
                self._complain(NEVER_HIDDEN, (start, start + len(code)))
            elif code not in self._known:
                self._complain(unknown_code(code, self._known), (start, start + len(code)))
            elif code in CODES:
                self._complain(f"a comment cannot hide {code}, only --ignore can", (start, start + len(code)))
            else:
                yield Ignore(code=code, line=line, start=start)

    def _complain(self, message: str, place: tuple[int, int], suggestion: str | None = None) -> None:
        self.complaints.append(self._warning("RUN901", message, place, suggestion))

    def _warning(self, code: str, message: str, place: tuple[int, int], suggestion: str | None) -> Diagnostic:
        span = self._source.span(*place)
        return self._source.diagnostic(code, message, span, suggestion=suggestion, severity="warning")


def without_ignored(
    diagnostics: Iterable[Diagnostic],
    sources: Sequence[Source],
    *,
    known: Collection[str],
    checked: Collection[str],
    unsought: Collection[str] | None,
) -> Iterator[Diagnostic]:
    """The problems that no comment hides, and what is wrong with the comments.

    Args:
        diagnostics: all problems.
        sources: the YAML files they may be in.
        known: the codes there are.
        checked: the files that were asked for; the comments of others are followed and not judged.
        unsought: codes that this check could not find; None when it cannot tell at all what would be found.
    """
    ignores = {source.file: Ignores(source, known) for source in sources}
    for diagnostic in diagnostics:
        comments = ignores.get(diagnostic.location.file)
        if comments is None or not comments.hides(diagnostic):
            yield diagnostic
    for file, comments in ignores.items():
        if file in checked:
            yield from comments.complaints
            if unsought is not None:
                yield from comments.unused(unsought)
