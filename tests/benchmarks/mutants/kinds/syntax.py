"""Mistakes in the YAML itself. What another YAML reader still takes is not among them."""

from collections.abc import Iterable, Iterator
from random import Random

import yaml

from tests.benchmarks.mutants.mutant import Mutant, edit
from tests.benchmarks.mutants.subject import Place, Subject

_STARTS = ("@home", "%done", "`code`", "*nothing")


def tab(subject: Subject, random: Random) -> Iterator[Mutant]:
    """A tab for indentation."""
    del random
    for place in _lines(subject):
        start, _ = subject.line_bounds(place.key_line)
        indent = place.key_start - start
        if indent and not subject.text[start : place.key_start].strip():
            yield from _broken([edit(subject, start, place.key_start, "\t")])


def indented_more(subject: Subject, random: Random) -> Iterator[Mutant]:
    """A line that stands one column further right than those around it."""
    del random
    for place, before in _with_the_one_before(subject):
        if before.is_scalar or before.in_brackets:
            start, _ = subject.line_bounds(place.key_line)
            yield from _broken([edit(subject, start, start, " ")])


def indented_less(subject: Subject, random: Random) -> Iterator[Mutant]:
    """A line that stands one column further left than those around it."""
    del random
    for place, _ in _with_the_one_before(subject):
        start, _ = subject.line_bounds(place.key_line)
        if place.key_start - start > 1 and not subject.text[start : place.key_start].strip():
            yield from _broken([edit(subject, start, start + 1, "")])


def unclosed_quote(subject: Subject, random: Random) -> Iterator[Mutant]:
    """A quote that is not closed."""
    del random
    for place in _quoted(subject):
        yield from _broken([edit(subject, place.end - 1, place.end, "", lines=[place.line])])


def unclosed_bracket(subject: Subject, random: Random) -> Iterator[Mutant]:
    """A list or mapping in brackets that is not closed; the next line is where that shows."""
    del random
    for place in subject.places:
        outermost = place.parent is None or not place.parent.is_flow
        if place.in_brackets and outermost and place.start < place.end:
            yield from _broken([edit(subject, place.end - 1, place.end, "", lines=[place.line])])


def missing_colon(subject: Subject, random: Random) -> Iterator[Mutant]:
    """A key without its colon."""
    del random
    for place in _lines(subject):
        end = place.key_start + len(place.name)
        if subject.text[end : end + 1] == ":":
            yield from _broken([edit(subject, end, end + 1, "", lines=[place.key_line])])


def missing_space(subject: Subject, random: Random) -> Iterator[Mutant]:
    """A value right behind the colon."""
    del random
    for place in _lines(subject):
        end = place.key_start + len(place.name)
        if subject.text[end : end + 2] == ": " and place.is_scalar:
            yield from _broken([edit(subject, end, end + 2, ":", lines=[place.key_line])])


def colon_in_text(subject: Subject, random: Random) -> Iterator[Mutant]:
    """An unquoted text with a colon in it."""
    del random
    for place in _plain(subject):
        if place.name in ("description", "answer", "user", "result"):
            yield from _broken([edit(subject, place.start, place.start, "Note: ")])


def unquoted_start(subject: Subject, random: Random) -> Iterator[Mutant]:
    """An unquoted text that begins with a character YAML keeps for itself."""
    for place in _plain(subject):
        if place.name in ("description", "answer", "user", "name", "result"):
            yield from _broken([edit(subject, place.start, place.end, random.choice(_STARTS))])


def unquoted_template(subject: Subject, random: Random) -> Iterator[Mutant]:
    """A text that begins with `{{`, without quotes."""
    del random
    for place in _plain(subject):
        if place.name in ("description", "answer", "user", "result", "prompt"):
            # YAML reads a mapping whose key is a mapping, which only some readers refuse; the language does.
            yield edit(subject, place.start, place.end, "{{ input }}")


def bad_escape(subject: Subject, random: Random) -> Iterator[Mutant]:
    """A backslash in double quotes that escapes nothing."""
    for place in _quoted(subject):
        if subject.text[place.start] == '"':
            middle = place.start + 1
            yield from _broken([edit(subject, middle, middle, random.choice(("\\d", "\\w", "\\.", "\\q")))])


def python_tag(subject: Subject, random: Random) -> Iterator[Mutant]:
    """A tag that would make an object of Python."""
    for place in _plain(subject):
        name = random.choice(("python/name:os.system", "python/object:os.system", "env"))
        yield edit(subject, place.start, place.start, f"!!{name} " if name != "env" else "!env ")


def second_document(subject: Subject, random: Random) -> Iterator[Mutant]:
    """A `---` between two keys."""
    del random
    top = [place for place in subject.places if len(place.path) == 1 and place.key_line > 1][1:]
    for place in top:
        start, _ = subject.line_bounds(place.key_line)
        yield from _broken([edit(subject, start, start, "---\n")])


def _broken(mutants: Iterable[Mutant]) -> Iterator[Mutant]:
    """Those that a YAML reader other than ours refuses."""
    for mutant in mutants:
        try:
            yaml.compose(mutant.text, Loader=yaml.CSafeLoader)
        except yaml.YAMLError:
            yield mutant


def _lines(subject: Subject) -> Iterator[Place]:
    """Keys that begin a line."""
    for place in subject.places:
        if place.key is not None:
            start, _ = subject.line_bounds(place.key_line)
            if not subject.text[start : place.key_start].strip():
                yield place


def _with_the_one_before(subject: Subject) -> Iterator[tuple[Place, Place]]:
    """Keys that begin a line inside a mapping, each with the key before it."""
    for place in _lines(subject):
        if place.parent is None or not place.parent.path:
            continue
        siblings = subject.below(place.parent)
        index = next((number for number, each in enumerate(siblings) if each.path == place.path), 0)
        if index and siblings[index - 1].key_line == place.key_line - 1:
            yield place, siblings[index - 1]


def _quoted(subject: Subject) -> Iterator[Place]:
    for place in subject.places:
        quoted = isinstance(place.node, yaml.ScalarNode) and place.node.style in ("'", '"')
        if quoted and subject.text[place.start] in "'\"":  # neither an anchor nor a tag before it
            yield place


def _plain(subject: Subject) -> Iterator[Place]:
    for place in subject.places:
        plain = place.is_plain and place.key is not None and not place.is_flow and place.start < place.end
        if plain and subject.text[place.start] not in "&*":
            yield place
