"""The growing conversation of a run: what was said, and its form for the model that is asked."""

import json
import re
from collections.abc import Container, Iterable, Iterator, Sequence
from dataclasses import replace

from runner.engine.messages import AssistantMessage, Message, ToolCall, ToolResults, UserMessage, WireMessage
from runner.engine.ports import ParsingMode
from runner.engine.task import Task

# A reply and what followed from it: the results of its calls, or a correction. What was said before this run also has
# turns that begin with what the person said.
Turn = tuple[Message, ...]

# Ids that people can type and that no command line takes for an option or for JSON. Those of providers are kept, for
# they want them back: some are long, with a signature in them.
_USABLE_ID = re.compile(r"[A-Za-z0-9_][!-~]{0,1999}")


class Conversation:
    """What has been said.

    Args:
        mode: how it is put into wire form; each message once, unless the mode changes.
        instructions: the system prompt without any protocol; may be empty.
        examples: few-shot turns, never left out.
        history: what was said before this run, in whole turns.
        prompt: what this run is asked, never left out.

    Attributes:
        wire: what the model gets.
    """

    def __init__(
        self,
        mode: ParsingMode,
        instructions: str,
        *,
        examples: Iterable[Message] = (),
        history: Iterable[Message] = (),
        prompt: str,
    ) -> None:
        self._mode = mode
        self._instructions = instructions
        self._examples = tuple(examples)
        self._prompt = UserMessage(text=prompt)
        self._before = _in_turns(history)
        self._since: list[Turn] = []
        self._note: UserMessage | None = None
        self._call_ids = {call.id for message in (*self._examples, *_flat(self._before)) for call in _calls(message)}
        self.wire: list[WireMessage] = []
        self._measured = 0
        self._size = 0
        self._write_out()

    def _write_out(self) -> None:
        system = self._mode.system(self._instructions)
        self.wire = [{"role": "system", "content": system}] if system else []
        self._measured = self._size = 0
        # The note stands where the turns were that it stands for.
        note = () if self._note is None else (self._note,)
        past, now = (note, ()) if self._before else ((), note)
        for message in (*self._examples, *past, *_flat(self._before), self._prompt, *now, *_flat(self._since)):
            self._write(message)

    def _write(self, message: Message) -> None:
        for each in self._mode.encode(self._in_own_words(message)):
            if self.wire and self.wire[-1]["role"] == each["role"] == "user":
                # Some models' templates refuse two messages of the same speaker in a row.
                self.wire[-1] = {**each, "content": f"{self.wire[-1]['content']}\n\n{each['content']}"}
                if self._measured == len(self.wire):
                    self._measured = self._size = 0
            else:
                self.wire.append(each)

    def _in_own_words(self, message: Message) -> Message:
        """What a model wrote in one protocol means nothing in another: the mode writes its own words for the same."""
        if isinstance(message, AssistantMessage) and message.mode not in (None, self._mode.name):
            return replace(message, raw=None)
        return message

    def change_mode(self, mode: ParsingMode) -> None:
        """Put everything into the form of another mode, for another model."""
        self._mode = mode
        self._write_out()

    def add(self, message: Message) -> None:
        """Append one message."""
        self._call_ids.update(call.id for call in _calls(message))
        if isinstance(message, AssistantMessage) or not self._since:
            self._since.append((message,))
        else:
            self._since[-1] = (*self._since[-1], message)
        self._write(message)

    def add_reply(self, message: AssistantMessage) -> AssistantMessage:
        """Append a reply with its call ids made unique, and return it so."""
        names = {call.name for call in message.calls}
        calls = tuple(self._with_usable_id(call, names) for call in message.calls)
        message = replace(message, calls=calls, mode=self._mode.name)
        self.add(message)
        return message

    @property
    def size(self) -> int:
        """Bytes of the messages as JSON; each is measured once."""
        for message in self.wire[self._measured :]:
            self._size += size_of(message)
        self._measured = len(self.wire)
        return self._size

    @property
    def note(self) -> str | None:
        """What stands for the turns that were left out."""
        return None if self._note is None else self._note.text

    @property
    def turns(self) -> list[Turn]:
        """Everything that may be left out, in whole turns: no call is ever parted from its result."""
        return [*self._before, *self._since]

    def turn_sizes(self) -> list[int]:
        """Bytes of each turn as JSON."""
        return [
            sum(size_of(each) for message in turn for each in self._mode.encode(self._in_own_words(message)))
            for turn in self.turns
        ]

    def rewrite(self, turns: Sequence[Turn]) -> None:
        """Replace each turn by another one."""
        count = len(self._before)
        self._before, self._since = list(turns[:count]), list(turns[count:])
        self._write_out()

    def leave_out(self, count: int, note: str) -> None:
        """Leave out the oldest turns, and let `note` stand for them and for those left out before."""
        self._since = self._since[max(0, count - len(self._before)) :]
        self._before = self._before[count:]
        self._note = UserMessage(text=note)
        self._write_out()

    def _with_usable_id(self, call: ToolCall, names: Container[str]) -> ToolCall:
        # Providers send "", "null" or the same id twice; results would then answer the wrong call. With the name of a
        # tool as the id of another's call, a person who approves that tool would approve the other call.
        taken = call.id in self._call_ids or call.id in names or call.id in ("null", "None")
        if taken or not _USABLE_ID.fullmatch(call.id):
            call = replace(call, id=self._fresh_id())
        self._call_ids.add(call.id)
        return call

    def _fresh_id(self) -> str:
        number = len(self._call_ids) + 1
        while f"call_{number}" in self._call_ids:
            number += 1
        return f"call_{number}"


def size_of(value: object) -> int:
    """Bytes of a value as JSON, in UTF-8."""
    return len(json.dumps(value, ensure_ascii=False, default=str).encode("utf-8", "replace"))


def _in_turns(messages: Iterable[Message]) -> list[Turn]:
    """What was said before, so that a turn begins with each thing the person or the model said."""
    turns: list[list[Message]] = []
    for message in messages:
        follows = isinstance(message, ToolResults) or (
            isinstance(message, AssistantMessage) and len(turns[-1:]) == 1 and isinstance(turns[-1][-1], UserMessage)
        )
        if follows and turns:
            turns[-1].append(message)
        else:
            turns.append([message])
    return [tuple(turn) for turn in turns]


def _flat(turns: Iterable[Turn]) -> Iterator[Message]:
    return (message for turn in turns for message in turn)


def _calls(message: Message) -> tuple[ToolCall, ...]:
    return message.calls if isinstance(message, AssistantMessage) else ()


def opened(mode: ParsingMode, task: Task) -> Conversation:
    """The conversation of a run before its first step: system prompt, examples, what was said before, prompt."""
    return Conversation(mode, task.instructions, examples=task.examples, history=task.history, prompt=task.prompt)
