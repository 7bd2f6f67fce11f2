"""Parsing mode `text`: tool calls and answers in a protocol that the agent's author declares."""

from collections.abc import Sequence
from dataclasses import replace

from runner.engine.messages import AssistantMessage, Message, ToolCall, WireMessage
from runner.engine.ports import (
    Answer,
    AnswerFilter,
    Calls,
    Capabilities,
    Malformed,
    ModelReply,
    ModelRequest,
    Reading,
    ToolDefinition,
)
from runner.parsing.inputs import read_input
from runner.parsing.known_tools import KnownTools
from runner.parsing.mending import Mender
from runner.parsing.pairs import read_pairs
from runner.parsing.problems import EMPTY, tool_required
from runner.parsing.replies import is_complete, plain_reading, unusable
from runner.parsing.streaming import Everything, Nothing
from runner.parsing.text_protocol import TextProtocol
from runner.parsing.text_reply import TextMove, Written, text_move
from runner.parsing.turns import encode_text
from runner.parsing.written_call import InputForm, written_call
from runner.spec import JsonObject, ToolChoice


class TextMode:
    """For models that follow a protocol of their own. Without tools there is none: the text is the answer."""

    name = "text"

    def __init__(
        self,
        tools: Sequence[ToolDefinition],
        capabilities: Capabilities,
        *,
        protocol: TextProtocol,
        mender: Mender | None = None,
    ) -> None:
        self._mender = mender
        self._tools = KnownTools(tools)
        self._protocol = protocol
        self._stop = protocol.stop if tools and capabilities.stop is not False else ()

    def system(self, instructions: str) -> str:
        """The instructions, then the protocol as its author explains it."""
        if not self._tools:
            return instructions
        described = [
            {"name": tool.name, "description": tool.description, "parameters": tool.parameters}
            for tool in self._tools.definitions
        ]
        return "\n\n".join(filter(None, (instructions.rstrip(), self._protocol.instructions({"tools": described}))))

    def request(self, messages: Sequence[WireMessage], choice: ToolChoice) -> ModelRequest:
        """Only text goes out, and the author's stop strings."""
        del choice  # no provider can hold free text to it; `read` does
        return ModelRequest(messages=messages, stop=self._stop)

    def encode(self, message: Message) -> Sequence[WireMessage]:
        """A message in the form of the protocol, results as the author's template tells them."""
        return encode_text(
            message,
            written=self._written,
            told=lambda call, result: self._protocol.write_result(call.name, call.arguments or {}, result.content),
        )

    def _written(self, message: AssistantMessage) -> str:
        if message.raw is not None or not self._tools:
            return message.raw or message.text
        if not message.calls:
            return self._protocol.write_answer(message.text)
        calls = [self._protocol.write_call(call.name, call.arguments or {}) for call in message.calls]
        return "\n".join(filter(None, (message.text, *calls)))

    def read(self, reply: ModelReply, choice: ToolChoice) -> Reading:
        """Calls before an answer are run, in order; an answer written after them is made up, and dropped."""
        if not self._tools:
            return plain_reading(reply)
        move = text_move(reply.text, self._protocol)
        said = AssistantMessage(text=move.kept, raw=move.kept, extra=reply.extra)
        problem = unusable(reply, move.kept) or self._wrong(move, choice)
        if problem is not None:
            return Malformed(message=said, problem=problem)
        if not move.calls:
            return Answer(message=replace(said, text=move.answer or ""))
        mender = self._mender if is_complete(reply) else None
        calls = tuple(self._call(call, mender) for call in move.calls)
        return Calls(message=replace(said, text=move.kept[: move.calls[0].start].strip(), calls=calls), in_order=True)

    def answer_filter(self) -> AnswerFilter:
        """Where an author's pattern matches is known only at the end; without tools everything is the answer."""
        return Nothing() if self._tools else Everything()

    def _call(self, call: Written, mender: Mender | None) -> ToolCall:
        hint = f"write it like {self._protocol.write_call(call.name, {'name': 'value'})!r}"
        form = InputForm(read=self._arguments, hint=hint, mender=mender)
        return written_call(call.name, call.arguments, tools=self._tools, form=form)

    def _arguments(self, text: str, tool: ToolDefinition) -> JsonObject:
        if self._protocol.arguments == "none" or not text.strip():
            return {}
        if self._protocol.arguments == "pairs" and not text.lstrip().startswith("{"):
            return read_pairs(text, tool.parameters)
        return read_input(text, tool)

    def _wrong(self, move: TextMove, choice: ToolChoice) -> str | None:
        """What is wrong with the form of a reply, and what to write instead."""
        if move.calls or move.too_many:
            return "there are too many calls in one reply; make one, and wait for its result" if move.too_many else None
        tool = self._tools.definitions[0]
        call = self._protocol.write_call(tool.name, dict.fromkeys(tool.parameters.get("properties", {}), "…"))
        if move.answer is None:
            answer = self._protocol.write_answer("your answer")
            return f"found neither a call nor an answer; write a call like {call!r} or an answer like {answer!r}"
        if choice.mode not in ("auto", "none"):
            return f"{tool_required(choice)}, like {call!r}"
        return None if move.answer else EMPTY
