"""The loop of a chat: reads what is written, and lets a turn or a command follow from it."""

from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence
from contextlib import aclosing
from functools import partial

from runner.agent import InvalidAgent
from runner.chat.commands import Ordered, Said, Wrong, help_lines, read
from runner.chat.conversation import Conversation
from runner.chat.ports import Agent, Place, Turn, Turning
from runner.chat.standby import Standby
from runner.engine.events import EXIT_CODES, Event, RunFinished, Status, exit_code
from runner.inputs import InputError
from runner.report.phrases import counted, shortened, visible
from runner.sessions.ports import SessionError
from runner.sessions.remembering import lessons_for, remembering
from runner.sessions.session import Session
from runner.spec import AgentSpec, Json, ToolSpec

# Loads the agent with another model; raises InvalidAgent.
Load = Callable[[str], Agent]

_TEXT_CHARACTERS = 60
_DESCRIPTION_CHARACTERS = 70
_INVALID, _USAGE = 1, 2
_WAITING = "/continue asks about it, /undo takes the turn back"
_HINTS: Mapping[Status, str] = {
    "interrupted": "interrupted; /continue goes on with the turn, /undo takes it back",
    "model_error": "/continue tries again, /undo takes the turn back",
    "waiting_for_approval": _WAITING,
}


class Chat:
    """A chat with one agent.

    Args:
        load: makes the agent anew for `/model`.
        agent: who is talked to first.
        inputs: values of its declared inputs, the same in every turn.
        conversation: what was said so far.
        place: where the person is.
        standby: keeps the model ready.
        hints: whether to say after a turn which commands are of use now.
        elsewhere: the command that goes on with a session of the agent, where nobody can be asked in the chat.
    """

    def __init__(  # noqa: PLR0913 - the parts of a chat
        self,
        *,
        load: Load,
        agent: Agent,
        inputs: Mapping[str, Json],
        conversation: Conversation,
        place: Place,
        standby: Standby,
        hints: bool,
        elsewhere: Callable[[str, AgentSpec], str] | None = None,
    ) -> None:
        self._load = load
        self._agent = agent
        self._inputs = inputs
        self._conversation = conversation
        self._place = place
        self._standby = standby
        self._hints = hints
        self._elsewhere = elsewhere
        self._code = 0
        self._commands: Mapping[str, Callable[[str | None], Awaitable[None]]] = {
            "help": self._help,
            "tools": self._tools,
            "model": self._model,
            "continue": self._continue,
            "undo": self._undo,
            "reset": self._reset,
            "save": self._save,
        }

    async def run(self) -> int:
        """Talk until the person leaves; the exit code of the last turn, or of what was refused after it."""
        await self._standby.hold(self._agent.spec)  # what is wrong with it, the first turn tells
        try:
            while True:
                try:
                    written = read(await self._place.read())
                except EOFError:
                    return self._code
                if written == Ordered(command="exit"):
                    return self._code
                await self._follow(written)
        finally:
            self._conversation.close()
            await self._standby.close()

    async def _follow(self, written: Said | Ordered | Wrong | None) -> None:
        match written:
            case Said():
                await self._say(written.text)
            case Ordered():
                await self._commands[written.command](written.argument)
            case Wrong():
                self._refuse(written.problem, hint=written.hint, code=_USAGE)

    async def _say(self, text: str) -> None:
        unfinished = self._conversation.unfinished
        if unfinished is not None and unfinished.pending:
            names = ", ".join(visible(call.name) for call in unfinished.pending)
            self._refuse(
                f"the last turn waits for approval of {names}",
                hint=self._way_to_decide() or _WAITING,
                code=EXIT_CODES["waiting_for_approval"],
            )
            return

        def turn(session: Session, lessons: Sequence[str], how: Turning) -> AsyncGenerator[Event, None]:
            return self._agent.stream(
                text,
                inputs=self._inputs,
                watch=how.watch,
                control=how.control,
                approver=how.approver,
                session=session,
                lessons=lessons,
            )

        await self._take(text, turn)

    async def _continue(self, argument: str | None) -> None:
        del argument
        unfinished = self._conversation.unfinished
        if unfinished is None:
            self._refuse("there is nothing to go on with: no turn is unfinished", code=_USAGE)
            return
        if unfinished.began.agent != self._agent.spec.name:
            self._refuse(f"the last turn is one of the agent {unfinished.began.agent}, not of {self._agent.spec.name}")
            return

        def turn(session: Session, lessons: Sequence[str], how: Turning) -> AsyncGenerator[Event, None]:
            return self._agent.resume(
                session,
                inputs=self._inputs,
                watch=how.watch,
                control=how.control,
                approver=how.approver,
                lessons=lessons,
            )

        await self._take(unfinished.began.text, turn)

    async def _take(
        self,
        text: str | None,
        turn: Callable[[Session, Sequence[str], Turning], AsyncGenerator[Event, None]],
    ) -> None:
        spec = self._agent.spec
        try:
            session = remembering(spec, self._conversation.next())
            begin: Turn = partial(turn, session, lessons_for(spec, text))
            finished = await self._place.show(lambda how: self._following(begin(how)), model=spec.model.name)
        except (SessionError, InputError) as error:
            self._refuse(str(error))
            return
        self._code = exit_code(finished)
        if finished.status == "waiting_for_approval" and (way := self._way_to_decide()):
            self._place.tell(way)
        if self._hints and finished.status in _HINTS and self._conversation.unfinished is not None:
            self._place.tell(_HINTS[finished.status])

    async def _following(self, events: AsyncGenerator[Event, None]) -> AsyncGenerator[Event, None]:
        """The events of a turn, which belongs to the conversation from the first thing on that happens in it."""
        async with aclosing(events):
            async for event in events:
                if not isinstance(event, RunFinished):
                    self._conversation.confirm()
                yield event

    def _way_to_decide(self) -> str | None:
        """How calls that wait can be decided about, when that is not possible here."""
        if self._elsewhere is None or not self._conversation.kept:
            return None
        again = self._elsewhere(self._conversation.id, self._agent.spec)
        return f'decide with: {again} --approve [CALL], or --reject [CALL] --reason "why"'

    async def _help(self, argument: str | None) -> None:
        del argument
        self._place.tell(*help_lines())

    async def _tools(self, argument: str | None) -> None:
        del argument
        tools = self._agent.spec.tools
        self._place.tell(*(map(_tool_line, tools) if tools else ["this agent has no tools"]))

    async def _model(self, argument: str | None) -> None:
        if argument is None:
            self._place.tell(visible(self._agent.spec.model.name))
            return
        try:
            agent = self._load(argument)
        except InvalidAgent as invalid:
            self._place.diagnose(invalid.diagnostics)
            self._code = _INVALID
            return
        problem = await self._standby.hold(agent.spec)
        if problem is not None:
            self._refuse(problem)
            return
        self._agent = agent
        self._place.tell(f"from the next turn on {visible(agent.spec.model.name)} answers")

    async def _undo(self, argument: str | None) -> None:
        del argument
        undone = self._conversation.undo()
        if undone is None:
            self._refuse("there is nothing to take back", code=_USAGE)
            return
        self._place.tell(f"taken back: {shortened(undone.text, _TEXT_CHARACTERS)}")
        if undone.calls:
            self._place.tell(f"what its {counted(undone.calls, 'tool call')} did stays done")
        if undone.kept_in is not None:
            self._place.tell(f"session {undone.kept_in} still has it; what follows becomes {self._conversation.id}")

    async def _reset(self, argument: str | None) -> None:
        del argument
        before = self._conversation.id if self._conversation.kept else None
        self._conversation.reset()
        self._place.tell("a new conversation begins")
        if before is not None:
            self._place.tell(f"session {before} stays as it is; what follows becomes {self._conversation.id}")
        elif self._conversation.keeping:
            self._place.tell(f"what follows becomes {self._conversation.id}")

    async def _save(self, argument: str | None) -> None:
        if argument is None and self._conversation.kept:
            self._place.tell(f"session {self._conversation.id} has everything already")
            return
        try:
            self._conversation.save(argument)
        except SessionError as error:
            self._refuse(str(error))
            return
        self._place.tell(f"kept as session {self._conversation.id}, as will be what follows")

    def _refuse(self, problem: str, *, hint: str | None = None, code: int = _INVALID) -> None:
        self._place.complain(problem, hint=hint)
        self._code = code


def _tool_line(tool: ToolSpec) -> str:
    notes = [tool.type, *([f"risk {tool.risk}"] if tool.risk != "low" else [])]
    about = shortened(tool.description.strip().partition("\n")[0], _DESCRIPTION_CHARACTERS) if tool.description else ""
    return f"{tool.name} ({', '.join(notes)}){f': {about}' if about else ''}"
