"""`runner explain`: tell what the codes of diagnostics mean."""

import json
import shutil
import sys
import textwrap
from collections.abc import Callable, Iterable, Iterator, Sequence

import click

from runner.cli.arguments import NAME_CHARACTERS
from runner.cli.errors import USAGE, complain
from runner.cli.streams import colours
from runner.language.explanations import FAMILIES, Example, Explanation, explained_codes, explanation_of, title_of
from runner.report.phrases import shortened
from runner.suggest import did_you_mean

_WIDEST = 100
_INDENT = "    "

# Text and what it is -> the text with the colours of that.
Paint = Callable[[str, str], str]


@click.command(
    name="explain",
    epilog="""\b
Examples:
  runner explain RUN301            what it means, why it matters, a bad and a good example
  runner explain RUN301 RUN402     several
  runner explain RUN3              the codes that begin so, RUN3xx too
  runner explain                   all codes, by family

\b
Exit codes:
  0 explained · 2 there is no such code""",
)
@click.argument("codes", metavar="[CODE]...", nargs=-1)
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "json"]),
    default="text",
    show_default=True,
    help="Form of the output.",
)
def command(*, codes: tuple[str, ...], form: str) -> int:
    """Explain the codes that stand behind errors and warnings, or list them.

    Without a CODE it lists all; a CODE that is only the beginning of some, such as RUN3, lists these.
    """
    known = explained_codes()
    words = list(dict.fromkeys(code.upper() for code in codes))
    meant = {word: [word] if word in known else _family(word, known) for word in words}
    wanted = list(dict.fromkeys(code for found in meant.values() for code in found))
    unknown = [word for word, found in meant.items() if not found]
    for code in unknown:
        hint = did_you_mean(code, known)
        complain(f"there is no code {shortened(code, NAME_CHARACTERS)}", hint=hint or "runner explain lists all codes")
    if unknown:
        return USAGE
    if form == "json":
        explained = [_json(explanation_of(code)) for code in wanted or known]
        click.echo(json.dumps({"version": 1, "codes": explained}, ensure_ascii=False, indent=2))
    elif wanted and meant.keys() <= set(known):
        width = min(shutil.get_terminal_size().columns, _WIDEST)
        paint = _coloured if colours(sys.stdout) else _plain
        click.echo("\n\n".join(_text(explanation_of(code), width, paint) for code in wanted), color=True)
    else:
        click.echo(_list(wanted or known))
    return 0


def _family(word: str, known: Sequence[str]) -> list[str]:
    """The codes that begin so, as `--select` reads it."""
    prefix = word.rstrip("X")
    return [code for code in known if code.startswith(prefix)] if prefix.startswith("RUN") else []


def _list(codes: Sequence[str]) -> str:
    blocks = []
    for digit, family in FAMILIES.items():
        of_family = [f"  {code}  {title_of(code)}" for code in codes if code[3] == digit]
        if of_family:
            blocks.append("\n".join([family, *of_family]))
    return "\n\n".join(blocks)


def _plain(text: str, what: str) -> str:
    del what
    return text


def _coloured(text: str, what: str) -> str:
    return click.style(text, bold=True) if what == "title" else click.style(text, dim=True)


def _text(explanation: Explanation, width: int, paint: Paint) -> str:
    parts = [
        paint(_wrapped(f"{explanation.code}: {explanation.title}", width), "title"),
        _wrapped(explanation.what, width),
        paint("Why it matters", "title"),
        _wrapped(explanation.why, width),
    ]
    for title, examples in (("Bad", explanation.bad), ("Good", explanation.good)):
        parts += [paint(title, "title"), *_examples(examples, paint)]
    return "\n\n".join(parts)


def _wrapped(paragraphs: str, width: int) -> str:
    return "\n\n".join(
        textwrap.fill(paragraph, width, break_long_words=False, break_on_hyphens=False)
        for paragraph in paragraphs.split("\n\n")
    )


def _examples(examples: Iterable[Example], paint: Paint) -> Iterator[str]:
    for example in examples:
        head = f"{_INDENT}# {example.file}" if example.file else f"{_INDENT}# in a shell"
        lines = textwrap.indent(example.text, _INDENT).rstrip("\n")
        yield "\n".join([paint(head, "note"), *([lines] if lines else [])])


def _json(explanation: Explanation) -> dict[str, object]:
    return {
        "code": explanation.code,
        "family": explanation.family,
        "title": explanation.title,
        "what": explanation.what,
        "why": explanation.why,
        "bad": _files(explanation.bad),
        "good": _files(explanation.good),
    }


def _files(examples: Iterable[Example]) -> list[dict[str, object]]:
    return [{"file": each.file, "language": each.language, "text": each.text} for each in examples]
