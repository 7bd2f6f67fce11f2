"""The growing conversation of a run, each message put into wire form once."""

from dataclasses import replace

from runner.engine.messages import AssistantMessage, Message, ToolCall, UserMessage, WireMessage
from runner.engine.ports import ParsingMode
from runner.engine.task import Task


class Conversation:
    """What has been said. `wire` is what the model gets; it only ever grows."""

    def __init__(self, mode: ParsingMode, system: str) -> None:
        self._mode = mode
        self._call_ids: set[str] = set()
        self.wire: list[WireMessage] = [{"role": "system", "content": system}] if system else []

    def add(self, message: Message) -> None:
        """Append one message."""
        self.wire.extend(self._mode.encode(message))

    def add_reply(self, message: AssistantMessage) -> AssistantMessage:
        """Append a reply with its call ids made unique, and return it so."""
        message = replace(message, calls=tuple(self._with_unique_id(call) for call in message.calls))
        self.add(message)
        return message

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


def opened(mode: ParsingMode, task: Task) -> Conversation:
    """The conversation of a run before its first step: system prompt, examples, prompt."""
    conversation = Conversation(mode, mode.system(task.instructions))
    for message in (*task.examples, UserMessage(text=task.prompt)):
        conversation.add(message)
    return conversation
