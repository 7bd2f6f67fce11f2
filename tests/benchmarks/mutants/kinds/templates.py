"""Mistakes in templates and in `${…}`."""

import re
from collections.abc import Iterator
from random import Random

from tests.benchmarks.mutants.mutant import Mutant, edit
from tests.benchmarks.mutants.subject import Place, Subject
from tests.benchmarks.mutants.words import typo

_PROMPTS = (("instructions",), ("prompt",), ("parsing", "instructions"), ("parsing", "result"))
# What templates of the corpus name without declaring it.
_KNOWN = {
    "input",
    "loop",
    "if",
    "else",
    "is",
    "not",
    "defined",
    "for",
    "in",
    "label",
    "tool",
    "tools",
    "name",
    "result",
}


def undeclared_variable(subject: Subject, random: Random) -> Iterator[Mutant]:
    """A variable with a typing mistake."""
    declared = {place.name for place in subject.places if place.path[:1] == ("inputs",) and len(place.path) == 2}
    for match in _found(subject, r"\{\{ (?P<word>\w+)(?! \| default)\b"):
        yield from _misspelt(subject, match, random, declared | _KNOWN)


def unknown_filter(subject: Subject, random: Random) -> Iterator[Mutant]:
    """A filter with a typing mistake."""
    for match in _found(subject, r"\| (?P<word>\w+)"):
        yield from _misspelt(subject, match, random, {"lower", "upper"})


def unknown_test(subject: Subject, random: Random) -> Iterator[Mutant]:
    """A test with a typing mistake."""
    for match in _found(subject, r" is (?P<word>\w+) %"):
        yield from _misspelt(subject, match, random, ())


def unknown_attribute(subject: Subject, random: Random) -> Iterator[Mutant]:
    """A key of an input that its schema does not declare."""
    for match in _found(subject, r"customer\.(?P<word>\w+)(?! is defined)\b"):
        yield from _misspelt(subject, match, random, ())


def unknown_statement(subject: Subject, random: Random) -> Iterator[Mutant]:
    """A statement with a typing mistake."""
    del random
    for match in _found(subject, r"\{%-? (?P<word>if|for) "):
        wrong = {"if": "fi", "for": "fro"}[match["word"]]
        yield edit(subject, match.start("word"), match.end("word"), wrong)


def unclosed_expression(subject: Subject, random: Random) -> Iterator[Mutant]:
    """`{{ x }` with one bracket."""
    del random
    for match in _found(subject, r"\{\{[^{}]*(?P<word>\}\})"):
        yield edit(subject, match.start("word"), match.end("word"), "}")


def unclosed_block(subject: Subject, random: Random) -> Iterator[Mutant]:
    """`{% if %}` or `{% for %}` without its end; the opening is what is to be reported, or where the text ends."""
    del random
    for match in _found(subject, r"\n *\{%-? (?P<word>end(if|for)) -?%\}"):
        word = match["word"].removeprefix("end")
        opening = [each for each in _found(subject, rf"\{{%-? {word} ") if each.start() < match.start()]
        line = subject.line_of(opening[0].start())
        last = subject.line_of(match.endpos)
        mutant = edit(subject, match.start(), match.end(), "", lines=range(line, last + 1))
        yield mutant


def broken_variable(subject: Subject, random: Random) -> Iterator[Mutant]:
    """A `${…}` that is not closed, or whose name is none, where it is replaced."""
    for place in subject.places:
        if not place.is_scalar or not _is_expanded(place.path):
            continue
        text = subject.text[place.start : place.end]
        for match in re.finditer(r"\$\{(?P<name>\w+)(?P<rest>[^}]*)\}", text):
            wrong = random.choice(
                (f"${{{match['name']}{match['rest']}", f"${{9{match['name']}}}", f"${{{match['name']}:x}}", "${}")
            )
            if not wrong.endswith("}") and (place.is_flow or text[-1:] not in "\"'}"):
                continue  # the YAML would be broken, which is another mistake
            start = place.start + match.start()
            yield edit(subject, start, start + len(match[0]), wrong)


def _is_expanded(path: tuple[str | int, ...]) -> bool:
    return path[:1] == ("model",) or path[2:3] in (("auth",), ("env",), ("url",))


def _found(subject: Subject, pattern: str) -> Iterator[re.Match[str]]:
    for path in _PROMPTS:
        place = subject.at(*path)
        if place is not None:
            yield from re.compile(pattern).finditer(subject.text, place.start, _end(subject, place))


def _end(subject: Subject, place: Place) -> int:
    return min(place.end, len(subject.text))


def _misspelt(
    subject: Subject, match: re.Match[str], random: Random, taken: "set[str] | tuple[()]"
) -> Iterator[Mutant]:
    wrong = typo(match["word"], random, taken={*taken})
    if wrong:
        yield edit(subject, match.start("word"), match.end("word"), wrong, meant=match["word"])
