"""Reads what a person decided about waiting tool calls from a command line: `--approve`, `--reject`, `--edit`."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import click

from runner.cli.arguments import typed
from runner.cli.tool_arguments import json_object
from runner.engine.approval import Approved, Decision, Rejected
from runner.engine.messages import ToolCall
from runner.report.phrases import shortened
from runner.suggest import did_you_mean

_KINDS: Mapping[str, Literal["approve", "reject", "edit"]] = {
    "--approve": "approve",
    "--reject": "reject",
    "--edit": "edit",
}
_REASON = "--reason"
_SHOWN_CHARACTERS = 60


@dataclass(frozen=True, kw_only=True, slots=True)
class Verdict:
    """One decision.

    Attributes:
        call: the id of the call; None means the only one that waits.
        text: of `reject` the reason, of `edit` the JSON of the arguments.
    """

    kind: Literal["approve", "reject", "edit"]
    call: str | None = None
    text: str | None = None


def read_verdicts(arguments: Sequence[str]) -> tuple[list[str], list[Verdict]]:
    """Take the decisions out of a command line; what is left comes first.

    `--approve [CALL]`, `--edit [CALL] JSON` and `--reject [CALL] --reason TEXT` may be given several times; each option
    may be written `--option=VALUE` as well. The parser of the other options cannot leave out a value in front of
    another one.

    Raises:
        click.UsageError: an option lacks what it needs.
    """
    left: list[str] = []
    verdicts: list[Verdict] = []
    waiting = list(arguments)
    while waiting:
        argument = waiting.pop(0)
        if argument == "--":
            left += [argument, *waiting]
            break
        option, equals, value = argument.partition("=")
        if option == _REASON:
            _add_reason(verdicts, value if equals else _next(waiting, _REASON))
        elif option in _KINDS:
            verdicts.append(_verdict(option, value if equals else None, waiting))
        else:
            left.append(argument)
    for verdict in verdicts:
        if verdict.kind == "reject" and not verdict.text:
            raise click.UsageError('--reject needs a reason, which the model is told: --reason "why"')
    return left, verdicts


def _verdict(option: str, value: str | None, waiting: list[str]) -> Verdict:
    kind = _KINDS[option]
    if kind != "edit":
        return Verdict(kind=kind, call=_optional(value, waiting))
    first = _next(waiting, option) if value is None else value
    if first.lstrip().startswith("{"):
        return Verdict(kind=kind, text=typed(first))
    return Verdict(kind=kind, call=typed(first), text=typed(_next(waiting, f"{option} {first}")))


def _optional(value: str | None, waiting: list[str]) -> str | None:
    if value is None and waiting and not waiting[0].startswith("-"):
        value = waiting.pop(0)
    return typed(value) if value else None


def _next(waiting: list[str], option: str) -> str:
    if not waiting or waiting[0].startswith("--"):  # such a text needs the form with =
        needed = "text" if option == _REASON else 'the new arguments as JSON, such as \'{"to": "a@example.com"}\''
        raise click.UsageError(f"{option} needs {needed}")
    return waiting.pop(0)


def _add_reason(verdicts: list[Verdict], reason: str) -> None:
    if not verdicts or verdicts[-1].kind != "reject":
        raise click.UsageError("--reason belongs behind the --reject that it explains")
    verdicts[-1] = replace(verdicts[-1], text=typed(reason).strip())


def decisions(verdicts: Sequence[Verdict], calls: Sequence[ToolCall], *, by: str) -> dict[str, Decision]:
    """The decisions by call id, about the calls that wait for one.

    Raises:
        click.UsageError: a call is not meant, named twice or unknown, or the arguments are no JSON object.
    """
    decided: dict[str, Decision] = {}
    for verdict in verdicts:
        call = _meant(verdict, calls)
        if call.id in decided:
            raise click.UsageError(f"{call.name} ({call.id}) is decided twice")
        decided[call.id] = _decision(verdict, by)
    return decided


def _meant(verdict: Verdict, calls: Sequence[ToolCall]) -> ToolCall:
    listed = ", ".join(f"{call.id} ({call.name})" for call in calls)
    if not calls:
        raise click.UsageError(f"no call waits for a decision; run it again without --{verdict.kind}")
    if verdict.call is None:
        if len(calls) > 1:
            raise click.UsageError(f"--{verdict.kind} has to name a call; these wait: {listed}")
        return calls[0]
    shown = shortened(verdict.call, _SHOWN_CHARACTERS)
    chosen = next((call for call in calls if call.id == verdict.call), None)
    named = [call for call in calls if call.name == verdict.call]  # what a person reads first is the name of the tool
    if chosen is None and len(named) == 1:
        return named[0]
    if chosen is not None and all(call is chosen for call in named):
        return chosen
    if chosen is not None:  # models choose ids, and must not choose which call is approved
        raise click.UsageError(
            f"{shown!r} is the id of one call and the tool of another; these wait: {listed}; "
            "run it again on a terminal without decisions, and it asks about each call"
        )
    hint = did_you_mean(verdict.call, [call.id for call in calls])
    raise click.UsageError(f"no call {shown!r} waits for a decision; {hint or f'these wait: {listed}'}")


def _decision(verdict: Verdict, by: str) -> Decision:
    match verdict.kind:
        case "approve":
            return Approved(by=by)
        case "reject":
            return Rejected(by=by, reason=verdict.text or "")
        case "edit":
            return Approved(by=by, arguments=json_object(verdict.text or ""))
