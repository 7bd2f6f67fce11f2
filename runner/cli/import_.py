"""`runner import`: turn an agent of another tool into one of ours."""

import sys
from collections.abc import Mapping
from pathlib import Path

import click

from runner.cli.arguments import NAME_CHARACTERS, here
from runner.cli.errors import complain
from runner.cli.streams import colours
from runner.importing.formats import FORMATS, recognised
from runner.importing.plan import Plan, plan_import
from runner.importing.source import ForeignFile, UnreadableError, read_foreign
from runner.language.paths import shown
from runner.report.phrases import counted, shortened, visible
from runner.report.text import render_text

_AUTO = "auto"


@click.command(
    name="import",
    epilog="""\b
Examples:
  runner import recipe.yaml                             print the agent
  runner import recipe.yaml --to agents.d/review.yaml   write it
  runner import team.yaml --format docker-agent --to agents.d/team.yaml

\b
Exit codes:
  0 printed or written · 1 the file is wrong, or what came out is; nothing is written · 2 the command is wrong""",
)
@click.argument("source", metavar="FILE", type=click.Path(path_type=Path))
@click.option("--to", type=click.Path(path_type=Path), help="The file to write; several agents go beside it.")
@click.option(
    "--format", "form", type=click.Choice([_AUTO, *FORMATS]), default=_AUTO, show_default=True, help="What FILE is."
)
@click.option("--model", help="The model, if FILE names none.")
def command(*, source: Path, to: Path | None, form: str, model: str | None) -> int:
    """Turn an agent of another tool into one of ours: docker-agent, a goose recipe, prompty, or a pydantic-ai spec.

    What has no counterpart is told on stderr, with its place. What comes out is checked like any agent. Nothing that
    exists is overwritten.
    """
    here()
    if to is not None and to.suffix not in (".yaml", ".yml"):
        raise click.UsageError(f"an agent is a YAML file: write --to {to.with_suffix('.yaml')}")
    file = _read(source)
    if file is None:
        return 1
    found = FORMATS[form] if form != _AUTO else recognised(file)
    if found is None:
        looked = "; ".join(f"{each.title}: {each.signs}" for each in FORMATS.values())
        raise click.UsageError(f"{shown(source)} is none of the formats known ({looked}); say which with --format")
    plan = plan_import(file, found, to, model=model)
    _tell(plan)
    if not plan.files:
        complain(f"there is no agent in {shown(source)}")
        return 1
    if not plan.is_valid:
        lacks_model = any(each.code == "RUN311" and "'model'" in each.message for each in plan.diagnostics)
        complain("what came out is no valid agent", hint="give the model with --model" if lacks_model else None)
        return 1
    if to is None:
        click.echo(_printed(plan.files), nl=False)
    else:
        _write(plan.files)
        click.echo("\n".join(["wrote:", *(f"  {shown(path)}" for path in plan.files)]))
    return 0


def _read(source: Path) -> ForeignFile | None:
    name = shortened(str(source), NAME_CHARACTERS)
    try:
        return read_foreign(source)
    except FileNotFoundError:
        raise click.UsageError(f"there is no file {name}") from None
    except (OSError, ValueError) as error:  # ValueError: a NUL in the name
        reason = (isinstance(error, OSError) and error.strerror) or str(error)
        raise click.UsageError(f"cannot read {name}: {reason.lower()}") from None
    except UnreadableError as error:
        click.echo(render_text(error.diagnostics, colour=colours(sys.stderr)), nl=False, err=True, color=True)
        return None


def _tell(plan: Plan) -> None:
    if plan.notes:
        click.echo(f"not carried, or not as it was ({counted(len(plan.notes), 'place')}):", err=True)
    for note in plan.notes:
        click.echo(f"  {visible(str(note.location))}: {visible(note.message)}", err=True)
    click.echo(render_text(plan.diagnostics, colour=colours(sys.stderr)), nl=False, err=True, color=True)


def _printed(files: Mapping[Path, str]) -> str:
    if len(files) == 1:
        return next(iter(files.values()))
    return "---\n".join(f"# {shown(path)}\n{text}" for path, text in files.items())


def _write(files: Mapping[Path, str]) -> None:
    existing = [shown(path) for path in files if path.exists() or path.is_symlink()]
    if existing:
        raise click.UsageError(f"nothing written, these exist: {', '.join(existing)}; name another file with --to")
    written: list[Path] = []
    for path, text in files.items():
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            with path.open("x", encoding="utf-8", newline="\n") as stream:
                written.append(path)
                stream.write(text)
        except OSError as error:
            for each in written:  # all or nothing
                each.unlink(missing_ok=True)
            raise click.UsageError(f"cannot write {shown(path)}: {error.strerror}") from None
