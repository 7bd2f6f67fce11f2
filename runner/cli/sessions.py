"""`runner sessions`: what was kept of conversations, to read, check, give away or delete."""

import os
import shutil
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any, Literal, TypeVar

import click

from runner.cli import resume
from runner.cli.arguments import typed
from runner.cli.errors import complain
from runner.cli.list import table
from runner.cli.run_options import SessionId
from runner.cli.stores import require, with_store
from runner.cli.streams import colours
from runner.report.audit import audit_json, audit_text
from runner.report.json_text import dumped
from runner.report.phrases import counted, visible
from runner.report.timeline import timeline_text
from runner.sessions.codec import entry_json
from runner.sessions.ports import SessionError, SessionInfo, Store, Stored
from runner.sessions.trust import change_in
from runner.spec import Json

C = TypeVar("C", bound=Callable[..., Any])
_VERSION = 1
_FAILED = 1
_WIDTH = 120  # columns, where there is no terminal to ask

_project = click.option(
    "--project", metavar="DIR", help="The project of the sessions; by default that of the current folder."
)
_session = click.argument("session", metavar="ID", type=SessionId())


@click.group(
    name="sessions",
    epilog="""\b
Examples:
  runner run clock "What time is it in Tokyo?" --session trip
  runner sessions list
  runner sessions show trip
  runner sessions resume trip --approve

\b
Exit codes:
  0 done · 1 no such session, it is in use, or verify found a change · 2 the command is wrong
  3 the sessions cannot be read or written · those of runner run for resume""",
)
def command() -> None:
    """Kept conversations of the project around the current folder."""


command.add_command(resume.command)


@command.command(name="list")
@_project
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text", show_default=True)
def list_(*, project: str | None, form: str) -> int:
    """Show the sessions, the one changed last first."""

    def work(store: Store, folder: Path) -> int:
        found = store.list()
        if form == "json":
            click.echo(dumped({"version": _VERSION, "sessions": [_info(each) for each in found]}, indent=2))
        elif not found:
            click.echo(f"there are no sessions in {folder}; runner run FILE --session ID begins one", err=True)
        else:
            titles = ["ID", "AGENT", "STATUS", "CHANGED", "RUNS", "FIRST INPUT"]
            click.echo(table(titles, [_row(each) for each in found]))
        return 0

    return with_store(project, work)


def _row(info: SessionInfo) -> list[str]:
    if info.problem is not None:
        return [visible(info.id), "", "damaged", "", "", ""]
    changed = info.changed.astimezone().strftime("%Y-%m-%d %H:%M")
    # Whether a run is on or broke off, only its process knows.
    return [info.id, info.agent, info.status or "open", changed, str(info.runs), info.text or ""]


def _info(info: SessionInfo) -> Json:
    return {
        "id": info.id,
        "agent": info.agent,
        "file": info.file,
        "model": info.model,
        "text": info.text,
        "began": _time(info.began),
        "changed": _time(info.changed),
        "runs": info.runs,
        "entries": info.entries,
        "status": info.status,
        "problem": info.problem,
    }


def _time(moment: datetime) -> str:
    return moment.isoformat()


@command.command(name="show")
@_session
@_project
@click.option(
    "--audit", is_flag=True, help="Every tool call: who approved it, when, its arguments and the result's digest."
)
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text", show_default=True)
@click.option("--html", metavar="FILE", help="Write one self-contained page to look at in a browser instead.")
def show(*, session: str, project: str | None, audit: bool, form: str, html: str | None) -> int:
    """Show what happened in the session ID, step by step."""
    if html is not None and (audit or form == "json"):
        raise click.UsageError("--html writes a page of its own; leave out --audit and --format")

    def work(store: Store, folder: Path) -> int:
        reading = _entries(store, session, folder)
        if form == "json" and not audit:
            return _print(_document(session, reading))
        stored = tuple(reading)
        if html is not None:
            return _write_page(stored, session, typed(html))
        if form == "json":
            click.echo(audit_json(stored, session=session), nl=False)
            return 0
        click.echo(audit_text(stored) if audit else _timeline(stored), nl=False, color=True)
        return 0

    return with_store(project, work)


def _entries(store: Store, session: str, folder: Path) -> Iterator[Stored]:
    """The entries of a session; who reads them is warned when they are not what was written."""
    require(store, session, folder=folder)
    change = change_in(store, session)
    if change is not None:
        click.echo(f"warning: {visible(change)}", err=True)
    return store.read(session)


def _timeline(stored: Sequence[Stored]) -> str:
    width = shutil.get_terminal_size((_WIDTH, 0)).columns if sys.stdout.isatty() else _WIDTH
    return timeline_text(stored, colour=colours(sys.stdout), width=width)


def _write_page(stored: Sequence[Stored], session: str, file: str) -> int:
    from runner.report.session_html import session_html  # noqa: PLC0415 - only for this option

    try:
        # As the sessions themselves: nobody else may read it. A file that was there stays as open as it was.
        with open(file, "w", encoding="utf-8", opener=partial(os.open, mode=0o600)) as page:
            page.writelines(session_html(stored, session))
    except (OSError, ValueError) as error:  # ValueError: a NUL in the name
        complain(f"cannot write {file}: {(isinstance(error, OSError) and error.strerror) or error}")
        return _FAILED
    click.echo(f"wrote {file}", err=True)
    return 0


@command.command(name="export", short_help="Print all that was noted down.")
@_session
@_project
@click.option(
    "--format",
    "form",
    type=click.Choice(["json", "ndjson"]),
    default="json",
    show_default=True,
    help="One document, or one entry a line.",
)
def export(*, session: str, project: str | None, form: Literal["json", "ndjson"]) -> int:
    """Print everything that was noted down in the session ID."""

    def work(store: Store, folder: Path) -> int:
        stored = _entries(store, session, folder)
        lines = (f"{dumped(_entry(each))}\n" for each in stored)
        return _print(_document(session, stored) if form == "json" else lines)

    return with_store(project, work)


def _print(pieces: Iterable[str]) -> int:
    """Print a long text that is not in memory as a whole."""
    for piece in pieces:
        click.echo(piece, nl=False)
    return 0


def _document(session: str, stored: Iterable[Stored]) -> Iterator[str]:
    """`{"version": 1, "session": …, "entries": [ … ]}` in pieces, as it would be written at once."""
    start, end = dumped({"version": _VERSION, "session": session, "entries": []}, indent=2).rsplit("]", 1)
    yield start
    closing, between = "]", "\n"
    for each in stored:
        # No text in JSON has a line break of its own.
        yield between + "    " + dumped(_entry(each), indent=2).replace("\n", "\n    ")
        closing, between = "\n  ]", ",\n"
    yield f"{closing}{end}\n"


def _entry(stored: Stored) -> Json:
    return {
        "number": stored.number,
        "at": _time(stored.at),
        "digest": stored.digest,
        "entry": entry_json(stored.entry),
    }


@command.command(name="delete", short_help="Delete sessions.")
@click.argument("sessions", metavar="ID...", type=SessionId(), nargs=-1, required=True)
@_project
@click.option("-y", "--yes", is_flag=True, help="Do not ask.")
def delete(*, sessions: tuple[str, ...], project: str | None, yes: bool) -> int:
    """Delete sessions with everything that was noted down in them."""

    def work(store: Store, folder: Path) -> int:
        for session in sessions:
            require(store, session, folder=folder)
        if not yes and not _confirmed(sessions):
            click.echo("nothing was deleted", err=True)
            return 0
        for session in dict.fromkeys(sessions):
            store.delete(session)
            click.echo(f"deleted {session}", err=True)
        return 0

    return with_store(project, work)


def _confirmed(sessions: Sequence[str]) -> bool:
    """Whether the person at the terminal wants it.

    Raises:
        click.UsageError: there is none.
    """
    if not sys.stdin.isatty():
        raise click.UsageError("without a terminal nobody can be asked; --yes deletes them")
    return click.confirm(f"delete {', '.join(sessions)} for good?", err=True)


@command.command(name="verify", short_help="Check that nothing was changed afterwards.")
@click.argument("session", metavar="[ID]", type=SessionId(), required=False)
@_project
def verify(*, session: str | None, project: str | None) -> int:
    """Check that nothing in the session ID, or in any, was changed or taken away afterwards."""

    def work(store: Store, folder: Path) -> int:
        if session is not None:
            require(store, session, folder=folder)
        names = [session] if session is not None else [each.id for each in store.list()]
        results = [_verified(store, name) for name in names]
        if not names:
            click.echo(f"there are no sessions in {folder}", err=True)
        return 0 if all(results) else _FAILED

    return with_store(project, work)


def _verified(store: Store, session: str) -> bool:
    try:
        found = store.verify(session)
    except SessionError as error:  # one that cannot be read must not hide the others
        complain(str(error))
        return False
    if found.ok:
        head = f" · {found.head}" if found.head else ""
        click.echo(f"{session}: ok · {counted(found.entries, 'entry')}{head}".replace("entrys", "entries"))
    else:
        where = "" if found.broken is None else f"entry {found.broken}: "
        click.echo(f"{visible(session)}: changed: {where}{visible(found.problem or '')}")
    return found.ok
