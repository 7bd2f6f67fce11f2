"""`runner tools`: bring tools into a project."""

import asyncio
import sys
from collections.abc import Mapping
from pathlib import Path

import click

from runner.cli.arguments import here
from runner.cli.errors import complain
from runner.cli.streams import colours
from runner.diagnostics import in_order
from runner.language.openapi.importing import Import, ImportOrder, plan_import
from runner.language.openapi.reading import MAX_BYTES, SpecError, SpecTextError
from runner.language.openapi.references import ReferenceProblem
from runner.language.paths import shown
from runner.language.project import TOOLS_FOLDER, find_root
from runner.report.phrases import counted
from runner.report.text import render_text

_SECONDS = 30.0
_MOST_LISTED = 5


@click.group(
    name="tools",
    epilog="""\b
Example:
  runner tools import https://api.example.com/openapi.json --name shop""",
)
def command() -> None:
    """Bring tools into the project around the current folder."""


@command.command(
    name="import",
    epilog="""\b
Examples:
  runner tools import https://api.example.com/openapi.json --name shop
  runner tools import api.yaml --operations 'get*' --operations createOrder

\b
Exit codes:
  0 written · 1 the document is wrong or cannot be had, nothing is written · 2 the command is wrong""",
)
@click.argument("source", metavar="URL|FILE")
@click.option("--to", type=click.Path(path_type=Path), help="The toolset to write; else PREFIX.yaml or TITLE.yaml.")
@click.option("--name", metavar="PREFIX", help="A prefix for the names of the tools.")
@click.option("--operations", metavar="PATTERN", multiple=True, help="Which operations; may be given several times.")
@click.option("--server", metavar="URL", help="Address of the server, if the document does not say.")
def import_(*, source: str, to: Path | None, name: str | None, operations: tuple[str, ...], server: str | None) -> int:
    """Make operations of an OpenAPI document tools.

    The document (3.0 or 3.1) is saved as it is, with a toolset beside it that names it. Nothing that exists is
    overwritten.
    """
    root = find_root(here())
    if to is not None and to.suffix not in (".yaml", ".yml"):
        raise click.UsageError(f"a toolset is a YAML file: write --to {to.with_suffix('.yaml')}")
    found = _document(source)
    if found is None:
        return 1
    text, place = found
    order = ImportOrder(
        source=place, folder=root / TOOLS_FOLDER, root=root, to=to, name=name, operations=operations, server=server
    )
    try:
        plan = plan_import(text, order)
    except SpecError as error:
        complain(error.message, hint=error.suggestion)
        return 1
    except (SpecTextError, ReferenceProblem) as error:
        click.echo(render_text(error.problems, colour=colours(sys.stderr)), nl=False, err=True, color=True)
        return 1
    if plan.diagnostics:
        click.echo(render_text(in_order(plan.diagnostics), colour=colours(sys.stderr)), nl=False, err=True, color=True)
    if not plan.files:
        lacks_server = any(each.code == "RUN525" for each in plan.diagnostics)
        complain("nothing written", hint="give its address with --server" if lacks_server else None)
        return 1
    _write(plan.files)
    click.echo(_next_steps(plan))
    return 0


def _document(source: str) -> tuple[bytes, str] | None:
    """The bytes of a document and where they are from in the end; None when they cannot be had, which is told."""
    if source.startswith(("http://", "https://")):
        return _downloaded(source)
    try:
        with Path(source).open("rb") as stream:
            return stream.read(MAX_BYTES + 1), source
    except (OSError, ValueError) as error:  # ValueError: a NUL in the name
        reason = (isinstance(error, OSError) and error.strerror) or str(error)
        complain(f"cannot read {source}: {reason.lower()}")
        return None


def _downloaded(url: str) -> tuple[bytes, str] | None:
    from runner.tools.download import DownloadError, download  # noqa: PLC0415 - needs a slow library
    from runner.tools.http.addresses import Hosts  # noqa: PLC0415 - as above
    from runner.tools.http.exchange import ClientOf  # noqa: PLC0415 - as above

    async def fetched() -> tuple[bytes, str]:
        client = ClientOf(hosts=Hosts())()
        try:
            return await download(url, client, max_bytes=MAX_BYTES, seconds=_SECONDS)
        finally:
            await client.aclose()

    try:
        return asyncio.run(fetched())
    except DownloadError as error:
        complain(str(error))
        return None


def _write(files: Mapping[Path, bytes]) -> None:
    existing = [shown(path) for path in files if path.exists() or path.is_symlink()]
    if existing:
        raise click.UsageError(f"nothing written, these exist: {', '.join(existing)}; name another file with --to")
    written: list[Path] = []
    for path, content in files.items():
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            with path.open("xb") as stream:
                written.append(path)
                stream.write(content)
        except OSError as error:
            for each in written:  # all or nothing
                each.unlink(missing_ok=True)
            raise click.UsageError(f"cannot write {shown(path)}: {error.strerror}") from None


def _next_steps(plan: Import) -> str:
    names = ", ".join(plan.tools[:_MOST_LISTED])
    more = f" and {len(plan.tools) - _MOST_LISTED} more" if len(plan.tools) > _MOST_LISTED else ""
    return "\n".join(
        [
            f"wrote {counted(len(plan.tools), 'tool')}:",
            *(f"  {shown(path)}" for path in plan.files),
            "next:",
            *(f"  export {name}=…" for name in plan.variables),
            "  runner list --tools",
            f"  name those that an agent needs under its tools: {names}{more}",
        ]
    )
