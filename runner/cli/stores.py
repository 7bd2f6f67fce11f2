"""Finds the sessions that a command is about."""

from pathlib import Path

import click

from runner.cli.arguments import NAME_CHARACTERS, here, typed
from runner.language.project import find_root, load_project
from runner.report.phrases import shortened
from runner.sessions.ports import Store, UnknownSession
from runner.suggest import did_you_mean


def open_store(folder: Path) -> Store:
    """The sessions kept in a folder, which need not exist yet."""
    from runner.sessions.sqlite import SqliteStore  # noqa: PLC0415 - most runs have no session

    return SqliteStore(folder)


def state_folder(project: str | None) -> Path:
    """Where the sessions of a project are: of the one in the folder given, else of the one around the current folder.

    Raises:
        click.UsageError: there is no such folder.
    """
    if project is None:
        return Path(load_project(find_root(here())).spec.state_dir)
    folder = Path(typed(project))
    if not folder.is_dir():
        raise click.UsageError(f"--project: there is no folder {shortened(project, NAME_CHARACTERS)}")
    return Path(load_project(find_root(folder.resolve())).spec.state_dir)


def advice(store: Store, session: str, *, folder: Path) -> str:
    """What to say to a person who named a session that is not there."""
    names = [each.id for each in store.list()]
    if not names:
        return f"there are no sessions in {folder}; --project DIR names another project"
    return did_you_mean(session, names) or "runner sessions list shows those there are"


def missing(error: UnknownSession, store: Store, session: str, *, folder: Path) -> str:
    """The message of the store, and what was probably meant."""
    return f"{error}; {advice(store, session, folder=folder)}"
