"""`runner validate`: tell everything that is wrong with the files of a project."""

import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import click

from runner.cli.arguments import NAME_CHARACTERS, here
from runner.cli.errors import USAGE, complain
from runner.cli.streams import colours
from runner.language.imports import Opened, Opening
from runner.language.validation import ValidationReport, validate_paths
from runner.report.phrases import counted, shortened
from runner.report.text import render_text

# What a report looks like: (report, seconds it took, whether colours are wanted) -> text.
Reporter = Callable[[ValidationReport, float, bool], str]


def _text(report: ValidationReport, seconds: float, colour: bool) -> str:  # noqa: FBT001 - a Reporter
    if report.nothing_matched:
        return ""
    return f"{render_text(report.diagnostics, colour=colour)}{_summary(report)} ({seconds:.2f} s)\n"


def _summary(report: ValidationReport) -> str:
    if not report.diagnostics:
        return f"{counted(report.files, 'file')}, no problems"
    counts = [
        counted(number, noun) for number, noun in ((report.errors, "error"), (report.warnings, "warning")) if number
    ]
    files = len({diagnostic.location.file for diagnostic in report.diagnostics})
    return f"{' and '.join(counts)} in {files} of {counted(report.files, 'file')}"


def _open_apart(openings: Sequence[Opening]) -> Sequence[Opened]:
    # It needs much that a validation without it does not.
    from runner.tools.probe.process import open_apart  # noqa: PLC0415 - see above

    return open_apart(openings)


REPORTERS: dict[str, Reporter] = {"text": _text}


@click.command(
    name="validate",
    epilog="""\b
Examples:
  runner validate                    the whole project: agents.d, tools.d and runner.yaml
  runner validate agents.d/a.yaml    these files
  runner validate services/          the agents and toolsets in a folder
  runner validate --import           the whole project, and import the Python of its tools

\b
Exit codes:
  0 no errors (there may be warnings) · 1 errors · 2 nothing to check · 3 internal error""",
)
@click.argument("paths", metavar="[PATH]...", nargs=-1, type=click.Path(path_type=Path))
@click.option(
    "--format",
    "form",
    type=click.Choice(list(REPORTERS)),
    default="text",
    show_default=True,
    help="Form of the report.",
)
@click.option(
    "--import",
    "imports",
    is_flag=True,
    help="Also import the Python tools, in processes of their own: this runs your code.",
)
def command(*, paths: tuple[Path, ...], form: str, imports: bool) -> int:
    """Check files, folders, or (without a PATH) the project around the current folder.

    Offline and without keys; no code of yours is run, unless you ask with --import. Every problem is reported at once.
    """
    if not all(path.is_absolute() for path in paths or (Path(),)):
        here()
    started = time.perf_counter()
    report = validate_paths(paths, open_tools=_open_apart if imports else None)
    seconds = time.perf_counter() - started
    click.echo(REPORTERS[form](report, seconds, colours(sys.stdout)), nl=False, color=True)
    if report.missing:
        missing = ", ".join(shortened(path, NAME_CHARACTERS) for path in report.missing)
        complain(f"there is no file or folder {missing}")
        return USAGE
    if report.nothing_matched:
        complain("nothing to check: no agents, toolsets or runner.yaml here", hint="runner init writes a first project")
        return USAGE
    return 1 if report.errors else 0
