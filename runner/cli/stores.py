"""Finds the sessions that a command is about."""

from collections.abc import Callable
from pathlib import Path

import click

from runner.cli.arguments import NAME_CHARACTERS, here, typed
from runner.cli.errors import INTERNAL, complain
from runner.language.project import find_root, load_project
from runner.report.phrases import shortened
from runner.sessions.ports import SessionError, Store, StoreError, UnknownSession
from runner.suggest import did_you_mean

_REFUSED = 1


def open_store(folder: Path) -> Store:
    """The sessions kept in a folder, which need not exist yet."""
    from runner.sessions.sqlite import SqliteStore  # noqa: PLC0415 - most runs have no session

    return SqliteStore(folder)


def state_folder(project: str | None) -> Path:
    """Where the sessions of a project are: of the one in the folder given, else of the one around the current folder.

    Raises:
        click.UsageError: there is no such folder.
    """
    folder = here() if project is None else Path(typed(project)).absolute()
    if not folder.is_dir():
        raise click.UsageError(f"--project: there is no folder {shortened(str(project), NAME_CHARACTERS)}")
    return Path(load_project(find_root(folder)).spec.state_dir)


def require(store: Store, session: str, *, folder: Path) -> None:
    """Make sure that there is such a session in the store in `folder`.

    Raises:
        UnknownSession: there is none; the message says what was probably meant.
    """
    if store.exists(session):
        return
    names = [each.id for each in store.list()]
    if names:
        advice = did_you_mean(session, names) or "runner sessions list shows those there are"
    else:
        advice = f"there are none at all in {folder} (--project DIR looks in another project)"
    raise UnknownSession(f"there is no session {session!r}; {advice}")


def with_store(project: str | None, work: Callable[[Store, Path], int]) -> int:
    """Do `work` with the sessions of a project and their folder; a failure is told and has its exit code."""
    folder = state_folder(project)
    try:
        return work(open_store(folder), folder)
    except StoreError as error:
        complain(str(error))
        return INTERNAL
    except SessionError as error:
        complain(str(error))
        return _REFUSED
