"""Holds the answers of any parsing mode to an output schema."""

from collections.abc import Sequence
from dataclasses import replace

from runner.engine.messages import Message, WireMessage
from runner.engine.ports import Answer, AnswerFilter, Malformed, ModelReply, ModelRequest, ParsingMode, Reading
from runner.parsing.mending import Mender
from runner.parsing.output import Output, UnfitError, as_text
from runner.parsing.replies import is_complete
from runner.parsing.streaming import Nothing
from runner.spec import ToolChoice


class StructuredMode:
    """A parsing mode whose answers are JSON that fits a schema; all else is as in the mode inside.

    Args:
        inner: the mode that reads replies.
        output: what the answer must be.
        explained: whether the model has to be told in the system prompt, because nothing else holds it to the schema.
        hint: how to give the answer, added to what is wrong with one.
    """

    def __init__(
        self, inner: ParsingMode, output: Output, *, explained: bool, hint: str = "", mender: Mender | None = None
    ) -> None:
        self._mender = mender
        self._inner = inner
        self._output = output
        self._explained = explained
        self._hint = hint

    @property
    def name(self) -> str:
        """The name of the mode inside."""
        return self._inner.name

    def system(self, instructions: str) -> str:
        """The system prompt of the mode inside, with the schema among the instructions where it is needed."""
        if self._explained:
            instructions = "\n\n".join(filter(None, (instructions.rstrip(), self._output.instruction)))
        return self._inner.system(instructions)

    def request(self, messages: Sequence[WireMessage], choice: ToolChoice) -> ModelRequest:
        """As in the mode inside, which knows how to ask its provider for the schema."""
        return self._inner.request(messages, choice)

    def encode(self, message: Message) -> Sequence[WireMessage]:
        """As in the mode inside."""
        return self._inner.encode(message)

    def read(self, reply: ModelReply, choice: ToolChoice) -> Reading:
        """As in the mode inside, but an answer that does not fit is sent back with what is wrong with it."""
        reading = self._inner.read(reply, choice)
        if not isinstance(reading, Answer):
            return reading
        try:
            value = self._output.read(reading.message.text)
        except UnfitError as error:
            mender = self._mender if is_complete(reply) else None
            mended = mender and mender.answer(reading.message.text, self._output)
            if mended:
                message = replace(reading.message, text=as_text(mended.value))
                return Answer(message=message, output=mended.value, repaired=mended.what)
            return Malformed(message=reading.message, problem=f"{error}{self._hint}")
        return Answer(message=replace(reading.message, text=as_text(value)), output=value)

    def answer_filter(self) -> AnswerFilter:
        """Nothing is certain before the whole answer has been checked."""
        return Nothing()
