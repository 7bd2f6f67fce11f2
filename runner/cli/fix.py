"""`runner fix`: repair what can be repaired without asking anybody."""

import difflib
import io
import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import click

from runner.cli.arguments import NAME_CHARACTERS, here
from runner.cli.errors import USAGE, complain
from runner.cli.streams import colours
from runner.language.fixing.files import RepairedFile, repair_paths, write_back
from runner.report.phrases import counted, shortened, visible

_COLOURS = {"-": "red", "+": "green", "@": "cyan"}


@click.command(
    name="fix",
    epilog="""\b
Examples:
  runner fix                     show what would change in the whole project
  runner fix --write             change it
  runner fix agents.d/a.yaml     show it for these files

\b
Exit codes:
  0 nothing to repair, or it is written · 1 there is something to repair · 2 nothing to check · 3 internal error""",
)
@click.argument("paths", metavar="[PATH]...", nargs=-1, type=click.Path(path_type=Path))
@click.option("--write", is_flag=True, help="Write the repaired files.")
@click.option("--diff", is_flag=True, help="Show what changes; on unless there is --write.")
def command(*, paths: tuple[Path, ...], write: bool, diff: bool) -> int:
    """Repair files, folders, or (without a PATH) the project around the current folder.

    Words of other tools, slips in keys, values in the wrong type: what `runner validate` is sure about. All other text
    stays as it is. Nothing is written without --write.
    """
    if not all(path.is_absolute() for path in paths or (Path(),)):
        here()
    report = repair_paths(paths)
    if report.validation.missing:
        missing = ", ".join(shortened(path, NAME_CHARACTERS) for path in report.validation.missing)
        complain(f"there is no file or folder {missing}")
        return USAGE
    if report.validation.nothing_matched:
        complain("nothing to check: no agents, toolsets or runner.yaml here", hint="runner init writes a first project")
        return USAGE
    if diff or not write:
        click.echo("".join(_diffs(report.files, colour=colours(sys.stdout))), nl=False, color=True)
    if write:
        return _write(report.files)
    click.echo(_summary(report.files, "can be repaired; --write does it"), err=True)
    return 1 if report.files else 0


def _write(files: Sequence[RepairedFile]) -> int:
    for repaired in files:
        try:
            write_back(repaired)
        except OSError as error:
            complain(f"cannot write {visible(repaired.file)}: {error.strerror}")
            return USAGE
        for fix in repaired.repair.fixes:
            click.echo(f"{visible(repaired.file)}: {visible(fix.what)}", err=True)
    click.echo(_summary(files, "repaired"), err=True)
    return 0


def _summary(files: Sequence[RepairedFile], done: str) -> str:
    mistakes = sum(len(repaired.repair.fixes) for repaired in files)
    if not mistakes:
        return "nothing to repair"
    return f"{counted(mistakes, 'mistake')} in {counted(len(files), 'file')} {done}"


def _diffs(files: Iterable[RepairedFile], *, colour: bool) -> Iterator[str]:
    for repaired in files:
        name = visible(repaired.file)
        for line in _unified(repaired, name):
            shown = visible(line, keep="\t") + "\n"
            yield click.style(shown, fg=_COLOURS.get(line[:1])) if colour else shown


def _unified(repaired: RepairedFile, name: str) -> Iterator[str]:
    before, after = (_lines(text) for text in (repaired.repair.before, repaired.repair.after))
    for line in difflib.unified_diff(before, after, f"a/{name}", f"b/{name}"):
        yield line.rstrip("\r\n")
        if not line.endswith(("\n", "\r")):
            yield r"\ No newline at end of file"


def _lines(text: str) -> list[str]:
    """The lines with their ends; `splitlines` would also split at characters which stand inside a line of YAML."""
    return io.StringIO(text, newline="").readlines()
