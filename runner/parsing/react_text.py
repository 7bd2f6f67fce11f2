"""Splits a ReAct reply into its labelled sections, tolerant of how models write labels."""

import re
from dataclasses import dataclass
from functools import cache

from runner.parsing.json_span import span_end
from runner.parsing.react_labels import Labels, Section

# Each broken input costs up to the rest of the reply; nobody makes this many honest attempts in one.
MAX_BROKEN_INPUTS = 20
# A reply with more sections is a model going round in circles.
MAX_PARTS = 1000

# `Action 1:`, as in the paper, and the colon of Chinese keyboards (field bug B14).
_END = r"(?:[ \t]?\d{1,3})?[ \t]{0,2}[:：]"  # noqa: RUF001 - see above
# Quotes, items of lists and headings; then the emphasis that may stand around a label.
_PREFIX = r"[ \t]{0,8}(?:>[ \t]?){0,2}(?:(?:[-+*•]|\d{1,2}[.)])[ \t]{1,3})?(?:#{1,6}[ \t]{0,2})?"
_MARK = "[*_`]{1,3}"
# Where JSON may begin in a section: labels do not count inside of it.
_FENCED = r"""(?:`{3}[\w+#.-]{0,20}\s{0,20})?(?=[{\["])"""
_JSON_OPENINGS: dict[Section, re.Pattern[str]] = {
    "input": re.compile(rf"\s{{0,100}}{_FENCED}"),
    "action": re.compile(rf"""\s{{0,100}}[^\s({{\["]{{0,80}}\s{{0,20}}[(\[]?\s{{0,20}}{_FENCED}"""),
}
_FENCE = re.compile(r"\s{0,100}`{3}")


@dataclass(frozen=True, kw_only=True, slots=True)
class Part:
    """One section: its text without the space around it, and where its label begins in the reply."""

    section: Section
    text: str
    start: int


@dataclass(frozen=True, kw_only=True, slots=True)
class Split:
    """A reply up to the first observation, which only the runner may write, and its sections.

    `endless` says that it has more sections than are read.
    """

    kept: str
    parts: tuple[Part, ...]
    endless: bool = False


def split(text: str, labels: Labels) -> Split:
    """Find the sections of a reply, in linear time.

    A label counts at the start of a line, outside the JSON or the code fence of an input. In the middle of a line only
    what cannot be meant otherwise does: an action with its input behind it, a final answer that begins a sentence, and
    what follows an input. Behind a final answer only a plain observation is still a label: an answer may well speak of
    actions.
    """
    patterns = _patterns(labels)
    parts: list[Part] = []
    broken = fences = counted = 0
    found = patterns.inside["thought"].search(text)
    last_action = _last_action(text, patterns)
    while found is not None and len(parts) < MAX_PARTS:
        label = _label(found, text, patterns)
        if label.section == "answer" and found.groupdict().get("inline") and label.start < last_action:
            # A thought that speaks of the final answer and then acts has not answered.
            found = patterns.inside["thought"].search(text, label.end)
            continue
        if label.section == "observation":
            return Split(kept=text[: label.start].rstrip(), parts=tuple(parts))
        fences, counted = fences + text.count("```", counted, label.start), label.start
        opaque = _opaque_end(text, label, patterns) if broken < MAX_BROKEN_INPUTS else label.end
        broken += opaque is None
        skip = opaque or label.end
        following = patterns.behind_json.match(text, skip) if skip > label.end else None
        found = following or patterns.inside[label.section].search(text, skip)
        end = _label(found, text, patterns).start if found else len(text)
        tidy = _tidy(text[label.end : end], label.mark, in_fence=fences % 2 == 1)
        parts.append(Part(section=label.section, text=tidy, start=label.start))
    return Split(kept=text, parts=tuple(parts), endless=found is not None)


def observation_start(answer: str, labels: Labels) -> int | None:
    """Where an observation begins that ends an answer; None when there is none."""
    found = _patterns(labels).inside["answer"].search(answer)
    return found.start() if found else None


@dataclass(frozen=True, kw_only=True, slots=True)
class _Label:
    """A label in a reply, and the emphasis that began before it and did not end with it (`**Final Answer: 42**`)."""

    section: Section
    start: int
    end: int
    mark: str


@dataclass(frozen=True, kw_only=True, slots=True)
class _Patterns:
    """The labels that count inside each section, those right behind a JSON value, and what each section is called."""

    inside: dict[Section, re.Pattern[str]]
    behind_json: re.Pattern[str]
    words: dict[Section, re.Pattern[str]]


def _last_action(text: str, patterns: _Patterns) -> int:
    """Where the last action stands that begins a line; -1 when none does."""
    places = (
        found.start()
        for found in patterns.inside["input"].finditer(text)
        if not found.groupdict().get("inline") and _label(found, text, patterns).section == "action"
    )
    return max(places, default=-1)


def _label(found: re.Match[str], text: str, patterns: _Patterns) -> _Label:
    groups = found.groupdict("")
    inline = groups.get("inline", "")
    word = inline or groups.get("label") or groups["heading"]
    mark, end = groups.get("mark", ""), found.end()
    if mark and text.startswith(mark, end):
        mark, end = "", end + len(mark)
    elif mark in groups.get("closing", ""):
        mark = ""
    return _Label(
        section=next(section for section, pattern in patterns.words.items() if pattern.fullmatch(word)),
        start=found.start("inline") if inline else found.start(),
        end=end,
        mark=mark,
    )


def _tidy(text: str, mark: str, *, in_fence: bool) -> str:
    """The text of a section without the ends of emphasis and of a fence that began before its label."""
    text = text.strip()
    if mark:
        line, newline, rest = text.partition("\n")
        text = line.rstrip().removesuffix(mark) + newline + rest
    return text.removesuffix("```").rstrip() if in_fence and text.count("```") == 1 else text


def _opaque_end(text: str, label: _Label, patterns: _Patterns) -> int | None:
    """Where the JSON or fence that opens a section ends: the label's end when there is none, None if it is broken."""
    opening = _JSON_OPENINGS[label.section].match(text, label.end) if label.section in _JSON_OPENINGS else None
    if opening is not None and patterns.inside[label.section].search(text, label.end, opening.end()) is None:
        return span_end(text, opening.end())
    if label.section == "input" and (fence := _FENCE.match(text, label.end)) is not None:
        closing = text.find("\n```", fence.end())
        return closing + 4 if closing >= 0 else None
    return label.end


@cache
def _patterns(labels: Labels) -> _Patterns:
    words = {section: _spaced(word) for section, word in labels.words.items()}
    anything = "|".join(words.values())
    action, given, observed, answer = (words[section] for section in ("action", "input", "observation", "answer"))
    at_start = (
        rf"^(?i:{_PREFIX}(?P<mark>{_MARK})?(?P<label>{anything})"
        r"(?:[ \t]?\d{1,3})?(?P<closing>[ \t*_`]{0,4})[:：]"  # noqa: RUF001 - see _END
        # A heading on a line of its own needs no colon.
        rf"|[ \t]{{0,8}}(?:#{{1,6}}[ \t]{{0,2}}[*_`]{{0,3}}|{_MARK})(?P<heading>{anything})"
        r"[ \t\d]{0,4}[*_`]{0,3}[ \t]{0,4}$)"
    )
    sentence = rf"(?:(?<=[.!?][ \t])|(?<=[。！？])){answer}"  # noqa: RUF001 - the stops of Chinese sentences
    one_line = rf"(?<=\s){action}(?={_END}[^\n]{{1,200}}?(?:{given}|{observed}){_END})"
    inside: dict[Section, str] = {
        "thought": rf"{at_start}|(?P<inline>{sentence}|{one_line}){_END}",
        "action": rf"{at_start}|(?<=[\s)\]}}`*])(?P<inline>{given}|{observed}){_END}",
        "input": rf"{at_start}|(?<=\s)(?P<inline>{observed}){_END}",
        "answer": rf"^[ \t]{{0,3}}(?P<label>{observed}){_END}",
    }
    return _Patterns(
        inside={section: re.compile(pattern, re.MULTILINE) for section, pattern in inside.items()},
        behind_json=re.compile(rf"[\s`;.,)\]]{{0,100}}(?P<inline>{anything}){_END}"),
        words={section: re.compile(word, re.IGNORECASE) for section, word in words.items()},
    )


def _spaced(label: str) -> str:
    return r"[ \t_-]{0,2}".join(re.escape(word) for word in label.split())
