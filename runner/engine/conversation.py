"""The growing conversation of a run: what was said, and its form for the model that is asked."""

import json
from collections.abc import Iterable, Sequence
from dataclasses import replace

from runner.engine.messages import AssistantMessage, Message, ToolCall, UserMessage, WireMessage
from runner.engine.ports import ParsingMode
from runner.engine.task import Task

# A reply and what followed from it: the results of its calls, or a correction. The first of a conversation that was
# made shorter may also be the note about what was left out.
Turn = tuple[Message, ...]


class Conversation:
    """What has been said.

    Args:
        mode: how it is put into wire form; each message once, unless the mode changes.
        instructions: the system prompt without any protocol; may be empty.
        opening: the examples and the prompt, which are never left out.

    Attributes:
        wire: what the model gets.
    """

    def __init__(self, mode: ParsingMode, instructions: str, opening: Iterable[Message]) -> None:
        self._instructions = instructions
        self._opening = tuple(opening)
        self._said: list[Message] = []
        self._call_ids: set[str] = set()
        self.wire: list[WireMessage] = []
        self._measured = 0
        self._size = 0
        self._mode = mode
        self._write_out()

    def _write_out(self) -> None:
        system = self._mode.system(self._instructions)
        self.wire = [{"role": "system", "content": system}] if system else []
        self._measured = self._size = 0
        for message in (*self._opening, *self._said):
            self._write(message)

    def _write(self, message: Message) -> None:
        for each in self._mode.encode(message):
            if self.wire and self.wire[-1]["role"] == each["role"] == "user":
                # Some models' templates refuse two messages of the same speaker in a row.
                self.wire[-1] = {**each, "content": f"{self.wire[-1]['content']}\n\n{each['content']}"}
                if self._measured == len(self.wire):
                    self._measured = self._size = 0
            else:
                self.wire.append(each)

    def change_mode(self, mode: ParsingMode) -> None:
        """Put everything into the form of another mode, for another model."""
        # What a model wrote in one protocol means nothing in another: the mode writes its own words for the same.
        self._said = [
            replace(message, raw=None) if isinstance(message, AssistantMessage) else message for message in self._said
        ]
        self._mode = mode
        self._write_out()

    def add(self, message: Message) -> None:
        """Append one message."""
        self._said.append(message)
        self._write(message)

    def add_reply(self, message: AssistantMessage) -> AssistantMessage:
        """Append a reply with its call ids made unique, and return it so."""
        message = replace(message, calls=tuple(self._with_unique_id(call) for call in message.calls))
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
    def turns(self) -> list[Turn]:
        """What was said since the opening, in whole turns: no call is ever parted from its result."""
        turns: list[list[Message]] = []
        for message in self._said:
            if isinstance(message, AssistantMessage) or not turns:
                turns.append([])
            turns[-1].append(message)
        return [tuple(turn) for turn in turns]

    def turn_sizes(self) -> list[int]:
        """Bytes of each turn as JSON."""
        return [sum(size_of(each) for message in turn for each in self._mode.encode(message)) for turn in self.turns]

    def replace_turns(self, turns: Sequence[Turn]) -> None:
        """Let this be what was said since the opening."""
        self._said = [message for turn in turns for message in turn]
        self._write_out()

    def _with_unique_id(self, call: ToolCall) -> ToolCall:
        # Providers send "", "null" or the same id twice; results would then answer the wrong call.
        if call.id in self._call_ids or call.id in ("", "null", "None"):
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


def opened(mode: ParsingMode, task: Task) -> Conversation:
    """The conversation of a run before its first step: system prompt, examples, prompt."""
    return Conversation(mode, task.instructions, (*task.examples, UserMessage(text=task.prompt)))
