"""Mistakes in what other languages say inside a file: addresses, headers, JMESPath, regular expressions."""

import re
from collections.abc import Iterator
from random import Random

from tests.benchmarks.mutants.mutant import Mutant, edit
from tests.benchmarks.mutants.subject import Place, Subject


def bad_address(subject: Subject, random: Random) -> Iterator[Mutant]:
    """An address whose scheme is misspelt or missing."""
    for place in _keys(subject, "url"):
        text = subject.text[place.start : place.end]
        if text.startswith("http"):
            start, end = place.start, place.start + text.index("//") + 2
            yield edit(subject, start, end, random.choice(("htps://", "ftp://", "https:/", "")))


def bad_header(subject: Subject, random: Random) -> Iterator[Mutant]:
    """A header with a name that cannot be sent."""
    for place in subject.places:
        if place.key is not None and place.path[2:3] == ("headers",) and len(place.path) == 4:
            wrong = f'"{random.choice((place.name.replace("-", " ") + " x", place.name + ":"))}"'
            yield edit(subject, place.key_start, place.key_start + len(place.name), wrong)


def bad_selection(subject: Subject, random: Random) -> Iterator[Mutant]:
    """A selection that is no JMESPath."""
    for place in _keys(subject, "select"):
        text = subject.text[place.start : place.end]
        wrong = random.choice((text.replace("}", ""), text.replace("[]", "["), text.replace(": ", " ")))
        yield edit(subject, place.start, place.end, wrong)


def body_of_get(subject: Subject, random: Random) -> Iterator[Mutant]:
    """A request with a body and a method that has none."""
    del random
    for place in _keys(subject, "method"):
        body = subject.at(*place.path[:-1], "body")
        if body is not None and body.parent is not None:
            yield edit(subject, place.start, place.end, "GET", lines=[place.line, body.key_line])


def bad_pattern(subject: Subject, random: Random) -> Iterator[Mutant]:
    """A pattern of a text protocol that is no regular expression."""
    for name in ("call", "answer"):
        for place in _keys(subject, name):
            if place.path[0] == "parsing":
                closing = [each.start() for each in re.finditer(r"(?<!\\)\)", subject.text[place.start : place.end])]
                last, first = place.start + closing[-1], subject.text.index("(?P", place.start)
                yield random.choice((edit(subject, last, last + 1, ""), edit(subject, first, first + 3, "(?Q")))


def group_typo(subject: Subject, random: Random) -> Iterator[Mutant]:
    """A group of a pattern that goes by another name."""
    del random
    for name in ("call", "answer"):
        for place in _keys(subject, name):
            for match in re.finditer(r"\(\?P<(\w+)>", subject.text[place.start : place.end]):
                start = place.start + match.start(1)
                yield edit(subject, start, start + len(match[1]), match[1][:-1], warning=match[1] == "arguments")


def _keys(subject: Subject, name: str) -> Iterator[Place]:
    for place in subject.places:
        if place.name == name and place.is_scalar and place.path[0] in ("tools", "parsing"):
            yield place
