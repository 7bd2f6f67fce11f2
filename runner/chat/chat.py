"""The loop of a chat: reads what is written, and lets a turn or a command follow from it."""

from collections.abc import Awaitable, Callable, Mapping

from runner.agent import Agent, InvalidAgent
from runner.chat.commands import Ordered, Said, Wrong, help_lines, read
from runner.chat.conversation import Conversation
from runner.chat.place import Place, Turn
from runner.chat.standby import Standby
from runner.engine.events import RunFinished, Status, exit_code
from runner.inputs import InputError
from runner.report.phrases import counted, shortened, visible
from runner.sessions.ports import SessionError
from runner.spec import Json, ToolSpec

# Loads the agent with another model, or with that of its file; raises InvalidAgent.
Load = Callable[[str | None], Agent]

_TEXT_CHARACTERS = 60
_DESCRIPTION_CHARACTERS = 70
_HINTS: Mapping[Status, str] = {
    "interrupted": "/continue goes on with it, /undo takes it back",
    "model_error": "/continue tries again",
    "waiting_for_approval": "/continue asks about it, /undo takes the turn back",
}
_USAGE, _INVALID = 2, 1


class Chat:
    """A chat with one agent.

    Args:
        load: makes the agent anew for `/model`.
        agent: who is talked to first.
        inputs: values of its declared inputs, the same in every turn.
        conversation: what was said so far.
        place: where the person is.
        standby: keeps the model ready.
        hints: whether commands are of use to whoever reads what is told, which they are not to a script.
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
    ) -> None:
        self._load = load
        self._agent = agent
        self._inputs = inputs
        self._conversation = conversation
        self._place = place
        self._standby = standby
        self._hints = hints
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
        """Talk until the person leaves; the exit code of the last turn, or of a command that failed after it."""
        await self._standby.hold(self._agent.spec)
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
            self._refuse(f"the last turn waits for approval of {names}", hint=_HINTS["waiting_for_approval"])
            return
        try:
            session = self._conversation.next()
        except SessionError as error:
            self._refuse(str(error))
            return

        def turn(**how: object) -> object:
            return self._agent.stream(text, inputs=self._inputs, session=session, **how)  # type: ignore[arg-type]

        await self._take(turn)  # type: ignore[arg-type]

    async def _continue(self, argument: str | None) -> None:
        del argument
        if self._conversation.unfinished is None:
            self._refuse("there is nothing to go on with: the last turn is finished")
            return
        try:
            session = self._conversation.next()
        except SessionError as error:
            self._refuse(str(error))
            return
