"""Parsing mode `react`: Thought, Action, Action Input, Observation and Final Answer in the model's text."""

from collections.abc import Sequence
from dataclasses import replace

from runner.engine.messages import AssistantMessage, Message, WireMessage
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
from runner.parsing.arguments import arguments_text
from runner.parsing.inputs import read_input
from runner.parsing.known_tools import KnownTools
from runner.parsing.mending import Mender
from runner.parsing.problems import EMPTY, tool_required
from runner.parsing.react_actions import Move, move_of
from runner.parsing.react_labels import ENGLISH, Labels
from runner.parsing.react_stream import ReactAnswer
from runner.parsing.replies import is_complete, plain_reading, unusable
from runner.parsing.streaming import Everything
from runner.parsing.turns import encode_text
from runner.parsing.written_call import InputForm, written_call
from runner.spec import ToolChoice


class ReactMode:
    """For models without tool calling of their own. Without tools there is no protocol: the text is the answer."""

    name = "react"

    def __init__(
        self,
        tools: Sequence[ToolDefinition],
        capabilities: Capabilities,
        *,
        labels: Labels = ENGLISH,
        mender: Mender | None = None,
    ) -> None:
        self._tools = KnownTools(tools)
        self._labels = labels
        self._stop = labels.stop if tools and capabilities.stop is not False else ()
        self._call_form = (
            f'the lines "{labels.action}: <one of {self._tools}>" and "{labels.action_input}: <JSON object>"'
        )
        hint = f"write the {labels.action_input} as one JSON object, and nothing else"
        self._inputs = InputForm(read=read_input, hint=hint, mender=mender)
        self._answer_form = f'the line "{labels.final_answer}: <your answer>"'

    def system(self, instructions: str) -> str:
        """The instructions, then the tools and the protocol."""
        if not self._tools:
            return instructions
        return "\n\n".join(filter(None, (instructions.rstrip(), self._labels.explain(self._tools.definitions))))

    def request(self, messages: Sequence[WireMessage], choice: ToolChoice) -> ModelRequest:
        """Only text goes out; the reply is to end where the model would make up an observation."""
        del choice  # no provider can hold free text to it; `read` does
        return ModelRequest(messages=messages, stop=self._stop)

    def encode(self, message: Message) -> Sequence[WireMessage]:
        """A message in the form of the protocol, results as observations of the user."""
        return encode_text(
            message,
            written=self._written,
            told=lambda _, result: f"{self._labels.observation}: {result.content}",
        )

    def _written(self, message: AssistantMessage) -> str:
        if message.raw is not None or not self._tools:
            return message.raw or message.text
        if not message.calls:
            return f"{self._labels.final_answer}: {message.text}"
        lines = [f"{self._labels.thought}: {message.text}"] if message.text else []
        for call in message.calls:
            lines.append(f"{self._labels.action}: {call.name}")
            lines.append(f"{self._labels.action_input}: {arguments_text(call.arguments)}")
        return "\n".join(lines)

    def read(self, reply: ModelReply, choice: ToolChoice) -> Reading:
        """Actions before an answer are run, in order; an answer written after them is made up, and dropped."""
        if not self._tools:
            return plain_reading(reply)
        move = move_of(reply.text, self._labels, self._tools)
        said = AssistantMessage(text=move.kept, raw=move.kept, extra=reply.extra)
        problem = unusable(reply, move.kept) or self._wrong(move, choice)
        if problem is not None:
            return Malformed(message=said, problem=problem)
        if not move.actions:
            return Answer(message=replace(said, text=move.answer or ""))
        form = self._inputs if is_complete(reply) else replace(self._inputs, mender=None)
        calls = tuple(
            written_call(action.name, action.input or "", tools=self._tools, form=form) for action in move.actions
        )
        return Calls(message=replace(said, text=move.thought, calls=calls), in_order=True)

    def answer_filter(self) -> AnswerFilter:
        """What stands behind the label of the final answer, or without tools everything."""
        return ReactAnswer(self._labels) if self._tools else Everything()

    def _wrong(self, move: Move, choice: ToolChoice) -> str | None:
        """What is wrong with the form of a reply, and what to write instead."""
        labels, answer_allowed = self._labels, choice.mode in ("auto", "none")
        if move.endless:
            return f"the reply goes round in circles; write one {labels.action}, and wait for its {labels.observation}"
        if move.stray:
            return f"there is an {labels.action_input} without an {labels.action} of its own; write {self._call_form}"
        if move.actions or (move.answer and answer_allowed):
            return None
        if move.answer is not None:
            return EMPTY if answer_allowed else f"{tool_required(choice)}: write {self._call_form}"
        if not move.kept.strip():
            found = f"the {labels.observation} is the result of a tool, never write it yourself"
        elif move.no_action is not None:
            found = f'"{labels.action}: {move.no_action}" calls no tool'
        else:
            found = "found neither an action nor an answer"
        return f"{found}; to call a tool write {self._call_form}, to answer write {self._answer_form}"
