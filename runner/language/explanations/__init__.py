"""What each diagnostic code means, read from the Markdown file beside this module that has its name.

A file repeats the title that `runner.language.codes` gives the code, because importing all that finds problems takes
longer than explaining one; a test holds the two together, and runs every example.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

_FOLDER = Path(__file__).parent
_PARTS = re.compile(
    r"# (?P<code>RUN\d{3}): (?P<title>[^\n]+)\n\n(?P<what>.+?)\n"
    r"\n## Why it matters\n\n(?P<why>.+?)\n"
    r"\n## Bad\n\n(?P<bad>.+?)\n"
    r"\n## Good\n\n(?P<good>.+)",
    re.DOTALL,
)
_TITLE = re.compile(r"# RUN\d{3}: (.+)")
_FENCE = re.compile(r"^```(?P<language>\w+)\n(?P<text>.*?)^```\n?", re.DOTALL | re.MULTILINE)
_FILE = re.compile(r"# file: (\S+)\n")
_DEFAULT_FILE = "agents.d/example.yaml"

# The first digit of a code tells what it is about.
FAMILIES = {
    "1": "YAML text",
    "2": "structure",
    "3": "names and references",
    "4": "templates",
    "5": "tools",
    "6": "model and parsing",
    "7": "limits and policy",
    "8": "environment",
    "9": "comments that hide problems",
}


@dataclass(frozen=True, kw_only=True, slots=True)
class Example:
    """A file of a small project.

    Attributes:
        file: its path in the project. None for shell commands instead: they make what a page cannot show, or are the
            command that finds the problem when that is not `runner validate`.
        language: `yaml`, `python` or the like, as Markdown names it.
        text: its content.
    """

    file: str | None
    language: str
    text: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Explanation:
    """What people want to know about a code.

    Attributes:
        title: what is wrong, in a few words.
        what: what the code means and what to do, Markdown paragraphs.
        why: what goes wrong otherwise, Markdown paragraphs.
        bad: the files of a project that gets the code.
        good: the same ones put right.
    """

    code: str
    title: str
    what: str
    why: str
    bad: tuple[Example, ...]
    good: tuple[Example, ...]

    @property
    def family(self) -> str:
        """What codes with the same first digit are about."""
        return FAMILIES[self.code[3]]


@cache
def explained_codes() -> tuple[str, ...]:
    """All codes that have an explanation, in order."""
    return tuple(sorted(path.stem for path in _FOLDER.glob("RUN*.md")))


def title_of(code: str) -> str:
    """What is wrong, in a few words.

    Raises:
        KeyError: there is no such code.
    """
    match = _TITLE.match(_text(code))
    return match[1] if match else ""


def explanation_of(code: str) -> Explanation:
    """The explanation of a code such as `RUN301`.

    Raises:
        KeyError: there is no such code.
    """
    return read_explanation(code, _text(code))


def read_explanation(code: str, markdown: str) -> Explanation:
    """What the Markdown file of a code says.

    Raises:
        ValueError: it does not have the parts it should have; the message lists them.
    """
    match = _PARTS.fullmatch(markdown)
    if match is None or match["code"] != code:
        raise ValueError(f"{code}.md: expected '# {code}: title', text, and '## Why it matters', '## Bad', '## Good'")
    return Explanation(
        code=code,
        title=match["title"],
        what=match["what"],
        why=match["why"],
        bad=tuple(_examples(match["bad"])),
        good=tuple(_examples(match["good"])),
    )


def _text(code: str) -> str:
    if code not in explained_codes():  # also keeps anything else from being taken for a path
        raise KeyError(code)
    return (_FOLDER / f"{code}.md").read_text(encoding="utf-8")


def _examples(markdown: str) -> Iterator[Example]:
    for fence in _FENCE.finditer(markdown):
        language, text = fence["language"], fence["text"]
        named = _FILE.match(text)
        if named is not None:
            yield Example(file=named[1], language=language, text=text[named.end() :])
        else:
            yield Example(file=None if language == "sh" else _DEFAULT_FILE, language=language, text=text)
