"""`runner feedback`: what people corrected about the calls of agents that remember it, to read or to forget."""

from datetime import UTC, datetime
from pathlib import Path

import click

from runner.cli.list import table
from runner.cli.stores import with_store
from runner.report.json_text import dumped
from runner.report.phrases import counted
from runner.sessions.feedback import Feedback, Kept
from runner.sessions.ports import Store
from runner.spec import Json

_VERSION = 1
_LARGEST_ID = 2**63 - 1

_project = click.option(
    "--project", metavar="DIR", help="The project of the corrections; by default that of the current folder."
)
_agent = click.option("--agent", metavar="NAME", help="Only those of this agent.")


@click.group(
    name="feedback",
    epilog="""\b
Examples:
  runner feedback list --agent mailer
  runner feedback forget 3 4

\b
Exit codes:
  0 done · 1 there is no such correction · 2 the command is wrong · 3 the corrections cannot be read or written""",
)
def command() -> None:
    """Edits and rejections by people that agents with `feedback: {remember: true}` are told in later runs."""


@command.command(name="list")
@_agent
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text", show_default=True)
@_project
def list_(*, agent: str | None, form: str, project: str | None) -> int:
    """Show the corrections, the newest first."""

    def work(store: Store, folder: Path) -> int:
        del store
        found = Feedback(folder).list(agent)
        if form == "json":
            click.echo(dumped({"version": _VERSION, "corrections": [_data(each) for each in found]}, indent=2))
        elif not found:
            whose = "" if agent is None else f" of agent {agent}"
            click.echo(f"there are no corrections{whose} in {folder}; see feedback.remember of an agent", err=True)
        else:
            titles = ["ID", "AGENT", "WHEN", "TOOL", "ARGUMENTS", "CORRECTION"]
            click.echo(table(titles, [_row(each) for each in found]))
        return 0

    return with_store(project, work)


def _row(kept: Kept) -> list[str]:
    correction = kept.correction
    when = kept.at.astimezone().strftime("%Y-%m-%d %H:%M")
    said = f"rejected: {correction.reason}" if correction.edited is None else f"changed to {dumped(correction.edited)}"
    return [str(kept.id), correction.agent, when, correction.tool, dumped(correction.arguments), said]


def _data(kept: Kept) -> Json:
    correction = kept.correction
    return {
        "id": kept.id,
        "agent": correction.agent,
        "tool": correction.tool,
        "arguments": correction.arguments,
        "edited": correction.edited,
        "reason": correction.reason,
        "by": correction.by,
        "at": _utc(kept.at),
    }


def _utc(moment: datetime) -> str:
    return moment.astimezone(UTC).isoformat()


@command.command(name="forget")
@click.argument("numbers", metavar="[ID]...", nargs=-1, type=click.IntRange(1, _LARGEST_ID))
@click.option("--all", "everything", is_flag=True, help="All corrections; with --agent all of that agent.")
@_agent
@_project
def forget(*, numbers: tuple[int, ...], everything: bool, agent: str | None, project: str | None) -> int:
    """Delete corrections, so that no model is told them any more."""
    if bool(numbers) == everything:
        raise click.UsageError("say which: IDs as runner feedback list shows them, or --all")
    if numbers and agent is not None:
        raise click.UsageError("--agent goes with --all; an ID says by itself which correction it is")

    def work(store: Store, folder: Path) -> int:
        del store
        feedback = Feedback(folder)
        if everything:
            count = feedback.forget_all(agent)
        else:
            feedback.forget(numbers)
            count = len(set(numbers))
        click.echo(f"forgot {counted(count, 'correction')}", err=True)
        return 0

    return with_store(project, work)
