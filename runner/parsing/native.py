"""Parsing mode `native`: the provider's own tool calling."""

from collections.abc import Sequence
from dataclasses import replace

from runner.engine.messages import AssistantMessage, Message, ToolCall, UserMessage, WireMessage
from runner.engine.ports import (
    Answer,
    AnswerFilter,
    Calls,
    Capabilities,
    Malformed,
    ModelReply,
    ModelRequest,
    RawToolCall,
    Reading,
    ToolDefinition,
)
from runner.parsing.arguments import arguments_text, read_arguments
from runner.parsing.json_text import NotJsonError
from runner.parsing.mending import Mender
from runner.parsing.output import FINAL_ANSWER, Output, UnfitError, as_text
from runner.parsing.problems import CUT_OFF, CUT_OFF_CALL, EMPTY, tool_required
from runner.parsing.replies import is_complete
from runner.parsing.streaming import Everything
from runner.spec import JsonObject, ToolChoice


class NativeMode:
    """Tools go out as the provider's tool definitions; a reply without tool calls is the answer.

    An answer with a schema is asked for by response format, or where tools are in play by a tool of its own: providers
    that take both at once are rare.
    """

    name = "native"

    def __init__(
        self,
        tools: Sequence[ToolDefinition],
        capabilities: Capabilities,
        *,
        output: Output | None = None,
        mender: Mender | None = None,
    ) -> None:
        self._mender = mender
        self._own = tuple(_wire_tool(tool) for tool in tools)
        self._output = output
        final = (_final_answer(output),) if output and tools else ()
        self._definitions = {tool.name: tool for tool in (*tools, *final)}
        self._final = tuple(_wire_tool(tool) for tool in final)
        constrained = output is not None and not tools and capabilities.response_format is True
        self._format = _response_format(output) if output and constrained else None

    def system(self, instructions: str) -> str:
        """The instructions as they are: the provider tells the model about the tools."""
        return instructions

    def request(self, messages: Sequence[WireMessage], choice: ToolChoice) -> ModelRequest:
        """Tools and tool choice as the provider knows them; nothing of it when there are no tools."""
        if not self._own:
            return ModelRequest(messages=messages, response_format=self._format)
        # While a tool is demanded, the answer is not among them.
        final = self._final if choice.mode == "auto" else ()
        return ModelRequest(messages=messages, tools=(*self._own, *final), tool_choice=_wire_choice(choice))

    def encode(self, message: Message) -> Sequence[WireMessage]:
        """One message, except for results: the provider wants one `tool` message for each call."""
        match message:
            case UserMessage():
                return [{"role": "user", "content": message.text}]
            case AssistantMessage():
                return [_wire_assistant(message)]
            case _:
                return [
                    {"role": "tool", "tool_call_id": call.id, "content": result.content}
                    for call, result in message.results
                ]

    def read(self, reply: ModelReply, choice: ToolChoice) -> Reading:
        """Tool calls, or the text as the answer; nothing at all is not an answer."""
        truncated = reply.finish_reason == "length"
        if reply.tool_calls:
            mender = self._mender if is_complete(reply) else None
            calls = tuple(self._read_call(call, mender, truncated=truncated) for call in reply.tool_calls)
            return self._with_final(AssistantMessage(text=reply.text, calls=calls, extra=reply.extra))
        message = AssistantMessage(text=reply.text, extra=reply.extra)
        if truncated:
            return Malformed(message=message, problem=CUT_OFF)
        if not reply.text.strip():
            return Malformed(message=message, problem=EMPTY)
        if self._own and choice.mode not in ("auto", "none"):
            return Malformed(message=message, problem=tool_required(choice))
        return Answer(message=message)

    def _read_call(self, call: RawToolCall, mender: Mender | None, *, truncated: bool) -> ToolCall:
        read = ToolCall(id=call.id or "", name=call.name or "(no name)", arguments=None, extra=call.extra)
        if not call.name:
            return replace(read, problem="the tool call has no name")
        if truncated:  # even when the JSON happens to be whole, its last value may be half of what was meant
            return replace(read, problem=CUT_OFF_CALL)
        try:
            return replace(read, arguments=read_arguments(call.arguments))
        except NotJsonError as error:
            mended = mender and mender.arguments(call.arguments, self._definitions.get(call.name))
            if mended:
                return replace(read, arguments=mended.value, repaired=mended.what)
            return replace(read, problem=str(error))

    def _with_final(self, message: AssistantMessage) -> Reading:
        """The calls as they are, unless one of them is the answer."""
        if self._output is None or not self._final:
            return Calls(message=message)
        calls = list(message.calls)
        for index, call in enumerate(calls):
            if call.name != FINAL_ANSWER or call.problem is not None:
                continue
            try:
                value = self._output.fit(call.arguments)
                if len(calls) == 1:
                    return Answer(message=AssistantMessage(text=as_text(value), extra=message.extra), output=value)
                problem = f"call {FINAL_ANSWER} alone, when you have the results of the other tools"
            except UnfitError as error:
                problem = str(error)
            calls[index] = replace(call, problem=problem)
        return Calls(message=replace(message, calls=tuple(calls)))

    def answer_filter(self) -> AnswerFilter:
        """Text is the answer, or is said beside tool calls; which of them shows only at the end."""
        return Everything()


def _wire_tool(tool: ToolDefinition) -> JsonObject:
    return {
        "type": "function",
        "function": {"name": tool.name, "description": tool.description, "parameters": tool.parameters},
    }


def _final_answer(output: Output) -> ToolDefinition:
    description = "Give the final answer to the user. Call it once, alone, when you know the answer."
    return ToolDefinition(name=FINAL_ANSWER, description=description, parameters=output.object_schema)


def _response_format(output: Output) -> JsonObject:
    return {"type": "json_schema", "json_schema": {"name": "answer", "schema": output.object_schema}}


def _wire_choice(choice: ToolChoice) -> str | JsonObject:
    if choice.mode in ("auto", "none", "required"):
        return choice.mode
    return {"type": "function", "function": {"name": choice.mode}}


def _wire_assistant(message: AssistantMessage) -> WireMessage:
    # Content is null only beside tool calls: providers refuse an assistant message with neither.
    wire: dict[str, object] = {"role": "assistant", "content": message.text or (None if message.calls else "")}
    if message.calls:
        wire["tool_calls"] = [
            {
                **call.extra,
                "id": call.id,
                "type": "function",
                "function": {"name": call.name, "arguments": arguments_text(call.arguments)},
            }
            for call in message.calls
        ]
    return {**message.extra, **wire}
