"""`runner validate`: tell everything that is wrong with the files of a project."""

import os
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

import click

from runner.cli.arguments import NAME_CHARACTERS, here
from runner.cli.check_paths import asked
from runner.cli.errors import USAGE, complain
from runner.cli.repository import repository_root
from runner.cli.streams import colours
from runner.cli.whole_file import write_whole
from runner.language.baseline import Baseline, BaselineError, baseline_text, make_baseline, read_baseline
from runner.language.code_choice import CodeChoice, WrongCodeError, code_choice
from runner.language.codes import CODES
from runner.language.imports import Opened, Opening
from runner.language.unset_variables import CODES as ENVIRONMENT_CODES
from runner.language.validation import ValidationReport, validate_paths
from runner.report.diagnostics.formats import FORMATS
from runner.report.diagnostics.report import CheckReport, summary
from runner.report.phrases import counted, shortened


def _open_apart(openings: Sequence[Opening]) -> Sequence[Opened]:
    # It needs much that a validation without it does not.
    from runner.tools.probe.process import open_apart  # noqa: PLC0415 - see above

    return open_apart(openings)


@dataclass(frozen=True, kw_only=True, slots=True)
class _New:
    """What of a report is to be told; `known` and `notes` are what a `CheckReport` has under these names."""

    report: ValidationReport
    known: str = ""
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class _Known:
    """The problems that are not to be told again: a baseline to read, or one to be written now."""

    read: Path | None
    write: Path | None
    baseline: Baseline | None

    def without(self, report: ValidationReport, told: Callable[[str], bool]) -> "_New":
        """What is new in a report; `told` says whether problems with a code are told at all."""
        baseline, known = self.baseline, ""
        if self.write is not None and not _wrong_command(report):
            baseline = make_baseline(report.diagnostics, self.write.absolute().parent)
            write_whole(self.write, baseline_text(baseline))
            if total := baseline.known.total():
                known = f"{counted(total, 'known one')} in {self.write}"
        if baseline is None:
            return _New(report=report)
        compared = baseline.compare(report.diagnostics, checked=report.checked, takes=told)
        if compared.hidden and self.write is None:
            known = f"{counted(compared.hidden, 'known one')} in {self.read}"
        notes = []
        if compared.stale:
            were = "is" if compared.stale == 1 else "are"
            notes.append(
                f"{counted(compared.stale, 'problem')} in {self.read} {were} gone: --write-baseline writes it anew"
            )
        return _New(report=replace(report, diagnostics=compared.fresh), known=known, notes=tuple(notes))


@click.command(
    name="validate",
    epilog="""\b
Examples:
  runner validate                    the whole project: agents.d, tools.d and runner.yaml
  runner validate agents.d/a.yaml    these files; also patterns, as in 'agents.d/*.yaml'
  runner validate services/          the agents and toolsets in a folder
  runner validate --import           the whole project, and import the Python of its tools
  runner validate --env              the whole project, and the environment it will run in
  runner validate --format sarif --output runner.sarif
  runner validate --select RUN2,RUN3 --ignore RUN203

\b
Exit codes, the same for every format:
  0 no errors (there may be warnings) · 1 errors · 2 nothing to check · 3 internal error""",
)
@click.argument("paths", metavar="[PATH|-]...", nargs=-1, type=click.Path())
@click.option(
    "--format",
    "form",
    type=click.Choice(list(FORMATS)),
    help="Form of the report.  [default: text; github in GitHub Actions]",
)
@click.option("--output", type=click.Path(path_type=Path), metavar="FILE", help="Write the report to a file.")
@click.option("--strict", is_flag=True, help="Warnings count as errors.")
@click.option(
    "--select", multiple=True, metavar="CODE,...", help="Tell only these codes; RUN2 means all that begin so."
)
@click.option("--ignore", multiple=True, metavar="CODE,...", help="Do not tell these codes.")
@click.option("--baseline", type=click.Path(path_type=Path), metavar="FILE", help="Tell only what is not in this file.")
@click.option(
    "--write-baseline", type=click.Path(path_type=Path), metavar="FILE", help="Write all problems to this file."
)
@click.option("--stdin-filename", metavar="FILE", help="The file that the text on standard input (-) belongs to.")
@click.option(
    "--import",
    "imports",
    is_flag=True,
    help="Also import the Python tools, in processes of their own: this runs your code.",
)
@click.option("--env", "environment", is_flag=True, help="Also check that the environment variables of ${VAR} are set.")
def command(  # noqa: PLR0913 - one for each option
    *,
    paths: tuple[str, ...],
    form: str | None,
    output: Path | None,
    strict: bool,
    select: tuple[str, ...],
    ignore: tuple[str, ...],
    baseline: Path | None,
    write_baseline: Path | None,
    stdin_filename: str | None,
    imports: bool,
    environment: bool,
) -> int:
    """Check files, folders, or (without a PATH) the project around the current folder.

    Offline and without keys; no code of yours is run unless you ask with --import, nor the environment looked at unless
    you ask with --env. Every problem is reported at once.
    """
    folder = _folder(paths)
    choice = _choice(select, ignore)
    known = _Known(read=baseline or write_baseline, write=write_baseline, baseline=_baseline(baseline))
    what = asked(paths, stdin_filename)
    started = time.perf_counter()
    found = validate_paths(
        what.paths,
        open_tools=_open_apart if imports else None,
        environ=os.environ if environment else None,
        unsaved=what.unsaved,
    )
    seconds = time.perf_counter() - started
    found = replace(found, diagnostics=choice.of(found.diagnostics))
    new = known.without(found, lambda code: choice.takes(code) and (environment or code not in ENVIRONMENT_CODES))
    found = new.report
    code = _exit_code(found, strict=strict)
    report = CheckReport(
        diagnostics=found.diagnostics,
        checked=tuple(sorted(found.checked)),
        ok=code == 0,
        seconds=seconds,
        strict=strict,
        known=new.known,
        notes=new.notes,
        folder=folder,
        root=repository_root(folder),
    )
    _tell(report, form or _usual_format(output), output)
    _complain(found)
    return code


def _folder(paths: Sequence[str]) -> Path:
    """The current folder; absolute paths can also be checked where it is gone."""
    if not paths or not all(map(os.path.isabs, paths)):
        return here()
    with suppress(click.UsageError):
        return here()
    return Path(os.sep)


def _choice(select: Sequence[str], ignore: Sequence[str]) -> CodeChoice:
    try:
        return code_choice(select, ignore, CODES)
    except WrongCodeError as error:
        raise click.UsageError(str(error)) from None


def _baseline(file: Path | None) -> Baseline | None:
    try:
        return None if file is None else read_baseline(file)
    except BaselineError as error:
        raise click.UsageError(str(error)) from None


def _usual_format(output: Path | None) -> str:
    in_actions = os.environ.get("GITHUB_ACTIONS") == "true" and not sys.stdout.isatty()
    return "github" if in_actions and output is None else "text"


def _tell(report: CheckReport, form: str, output: Path | None) -> None:
    """Write the report; what a reader of the log misses in it goes to stderr."""
    text = FORMATS[form](report, output is None and colours(sys.stdout))
    if output is None:
        click.echo(text, nl=False, color=True)
    else:
        write_whole(output, text)
    if output is None and form == "text":
        return
    # The annotations of GitHub tell each problem in the log as well: the text of the report would repeat them.
    lines = [summary(report)] if report.checked and (output is not None or form == "github") else []
    for line in [*lines, *report.notes]:
        click.echo(shortened(line, NAME_CHARACTERS), err=True)


def _wrong_command(report: ValidationReport) -> bool:
    return report.nothing_matched or bool(report.missing)


def _exit_code(report: ValidationReport, *, strict: bool) -> int:
    if _wrong_command(report):
        return USAGE
    return 1 if report.errors or (strict and report.warnings) else 0


def _complain(report: ValidationReport) -> None:
    if report.missing:
        missing = ", ".join(shortened(path, NAME_CHARACTERS) for path in report.missing)
        complain(f"there is no file or folder {missing}")
    elif report.nothing_matched:
        complain("nothing to check: no agents, toolsets or runner.yaml here", hint="runner init writes a first project")
