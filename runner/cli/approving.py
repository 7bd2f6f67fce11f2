"""Who decides about tool calls on the command line: the person at the terminal, an option, or nobody now."""

import getpass
import json
from collections.abc import Awaitable, Callable

import click

from runner.cli.orders import Approve
from runner.cli.terminal import EditorError, Terminal, safe
from runner.cli.tool_arguments import json_object
from runner.engine.approval import ApprovalRequest, Approved, Approver, Decision, Deferred, Nobody, Rejected, Stopped
from runner.engine.sameness import same
from runner.report.question import arguments_text, question_text
from runner.report.run_phrases import NONE_APPROVED
from runner.spec import JsonObject

_INDENT = "      "
_WORDS = {
    "yes": "y",
    "approve": "y",
    "all": "a",
    "edit": "e",
    "no": "n",
    "reject": "n",
    "stop": "s",
    "later": "l",
    "view": "v",
    "help": "?",
}
_HELP = """\
      y         make the call
      a         make it, and all further calls of this tool in this run without asking
      e         edit the arguments in $EDITOR or on a line; e {"key": "value"} gives them at once
      n         do not make it; the model is told why: n REASON
      s         do not make it, and end the run
      v         show the arguments in full
      Ctrl-C    end the run
"""
_LATER = "      l         decide later: save the run and end it (Ctrl-D does the same)\n"
_NO_REASON = "the person gave no reason"
_Action = Callable[[str], Awaitable[Decision | None]]


def choose_approver(approve: Approve | None, *, terminal: Terminal | None, saved: bool) -> Approver:
    """Who decides in a run.

    Args:
        approve: what the person asked for; None means `ask` on a terminal and `none` without one.
        terminal: where a person can be asked.
        saved: whether the run belongs to a session, and can wait for a decision.
    """
    if approve == "all":
        return ApprovesAll()
    if approve != "none" and terminal is not None:
        return TerminalApprover(terminal, saved=saved)
    if approve == "ask":
        return DeferringApprover()
    return ApprovesNone() if approve == "none" else Nobody()


def person() -> str:
    """The name of the person at this computer, for the record."""
    try:
        return getpass.getuser()
    except (OSError, KeyError, ImportError):  # a container may know no name for its user
        return "a person"


class ApprovesAll:
    """Approves whatever the permissions leave open, except to make a call again that may have been made."""

    async def decide(self, request: ApprovalRequest) -> Decision:
        """Approve it, or reject it when its outcome is unknown: nobody has looked."""
        if request.started:
            return Rejected(by="--approve all", reason="only a person can decide to make it again")
        return Approved(by="--approve all")


class ApprovesNone:
    """Rejects whatever would need approval."""

    async def decide(self, request: ApprovalRequest) -> Decision:
        """Reject it."""
        del request
        reason = "nothing is approved in this run; go on without it, or say what you would have done"
        return Rejected(by=NONE_APPROVED, reason=reason)


class DeferringApprover:
    """Decides nothing: the run is saved and waits."""

    async def decide(self, request: ApprovalRequest) -> Decision:
        """Leave it open."""
        del request
        return Deferred()


class TerminalApprover:
    """Asks the person at a terminal.

    Args:
        terminal: where.
        saved: whether the run belongs to a session, so that the decision can be left for later.
        by: who they are; None means whoever runs this process.
    """

    def __init__(self, terminal: Terminal, *, saved: bool, by: str | None = None) -> None:
        self._terminal = terminal
        self._saved = saved
        self._by = by or person()

    async def decide(self, request: ApprovalRequest) -> Decision:
        """Show the call and ask until there is a decision; cancelled when the run ends meanwhile."""
        terminal = self._terminal
        terminal.forget_typed_ahead()
        terminal.show(question_text(request))
        talk = _Talk(request, terminal, by=self._by)
        choices = "y/a/e/n/s/l/v/?" if self._saved else "y/a/e/n/s/v/?"
        while True:
            typed = await terminal.line(f"{_INDENT}approve? [{choices}] ")
            if typed is None:
                terminal.show("\n")
                return Deferred() if self._saved else Stopped(by=self._by)
            word, _, rest = typed.strip().partition(" ")
            letter = _WORDS.get(word.lower(), word.lower())
            if letter == "l" and self._saved:
                return Deferred()
            action = talk.actions.get(letter)
            if action is None:
                terminal.show(_HELP + (_LATER if self._saved else ""))
                continue
            decision = await action(rest.strip())
            if decision is not None:
                return decision


class _Talk:
    """What a person can do about one call; None means that they have not decided yet."""

    def __init__(self, request: ApprovalRequest, terminal: Terminal, *, by: str) -> None:
        self._request = request
        self._terminal = terminal
        self._by = by
        self._draft = json.dumps(request.call.arguments or {}, ensure_ascii=False, indent=2, default=str)
        self.actions: dict[str, _Action] = {
            "y": self._approve,
            "a": self._approve_all,
            "e": self._edit,
            "n": self._reject,
            "s": self._stop,
            "v": self._view,
        }

    async def _approve(self, rest: str) -> Decision | None:
        return self._unless(rest, "y", Approved(by=self._by))

    async def _approve_all(self, rest: str) -> Decision | None:
        return self._unless(rest, "a", Approved(by=self._by, for_run=True))

    async def _stop(self, rest: str) -> Decision | None:
        return self._unless(rest, "s", Stopped(by=self._by))

    def _unless(self, rest: str, letter: str, decision: Decision) -> Decision | None:
        """`y but only the first` is no approval."""
        if not rest:
            return decision
        self._say(f"nothing is decided; type {letter} and nothing else")
        return None

    async def _view(self, rest: str) -> None:
        del rest
        self._terminal.show(arguments_text(self._request.call.arguments or {}))

    async def _reject(self, reason: str) -> Decision | None:
        if not reason:
            typed = await self._terminal.line(f"{_INDENT}why? The model is told: ")
            if typed is None:
                self._terminal.show("\n")
                return None
            reason = typed.strip()
        return Rejected(by=self._by, reason=reason or _NO_REASON)

    async def _edit(self, written: str) -> Decision | None:
        if not written:
            edited = await self._edited()
            if edited is None:
                return None
            written = edited
        try:
            arguments = json_object(written)
        except click.UsageError as error:
            self._refuse(written, str(error))
            return None
        problem = self._request.check(arguments)
        if problem is not None:
            self._refuse(written, problem)
            return None
        return self._made_of(arguments)

    def _made_of(self, arguments: JsonObject) -> Decision | None:
        if same(arguments, self._request.call.arguments or {}):
            self._say("nothing was changed; y makes the call as it is")
            return None
        return Approved(by=self._by, arguments=arguments)

    def _refuse(self, written: str, problem: str) -> None:
        self._draft = written  # what was typed is not lost: the next e goes on with it
        self._say(f"these arguments cannot be used: {problem}")
        self._say("e edits them again")

    async def _edited(self) -> str | None:
        """What the person makes of the arguments; None when they leave it."""
        try:
            edited = await self._terminal.edited(self._draft, name="arguments.json")
        except EditorError as error:
            self._say(str(error))
            return None
        if edited is not None:
            return edited
        self._say("the arguments now, on one line; set $EDITOR to edit them in a file:")
        self._say(" ".join(line.strip() for line in self._draft.split("\n")))
        typed = await self._terminal.line(f"{_INDENT}new arguments (empty: leave them): ")
        if typed is None:
            self._terminal.show("\n")
        return (typed or "").strip() or None

    def _say(self, text: str) -> None:
        self._terminal.show("".join(f"{_INDENT}{line}\n" for line in safe(text).split("\n")))
