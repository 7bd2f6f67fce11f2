"""Parsing mode `native`: the provider's own tool calling."""

from collections.abc import Sequence

from runner.engine.messages import AssistantMessage, Message, ToolCall, UserMessage, WireMessage
from runner.engine.ports import (
    Answer,
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
from runner.parsing.problems import CUT_OFF, CUT_OFF_CALL, EMPTY, tool_required
from runner.spec import JsonObject, ToolChoice


class NativeMode:
    """Tools go out as the provider's tool definitions; a reply without tool calls is the answer."""

    name = "native"

    def __init__(self, tools: Sequence[ToolDefinition], capabilities: Capabilities) -> None:
        del capabilities  # unknown counts as supported: the provider says so itself when it is not
        self._tools = tuple(_wire_tool(tool) for tool in tools)

    def system(self, instructions: str) -> str:
        """The instructions as they are: the provider tells the model about the tools."""
        return instructions

    def request(self, messages: Sequence[WireMessage], choice: ToolChoice) -> ModelRequest:
        """Tools and tool choice as the provider knows them; nothing of it when there are no tools."""
        if not self._tools:
            return ModelRequest(messages=messages)
        return ModelRequest(messages=messages, tools=self._tools, tool_choice=_wire_choice(choice))

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
            calls = tuple(_read_call(call, truncated=truncated) for call in reply.tool_calls)
            return Calls(message=AssistantMessage(text=reply.text, calls=calls, extra=reply.extra))
        message = AssistantMessage(text=reply.text, extra=reply.extra)
        if truncated:
            return Malformed(message=message, problem=CUT_OFF)
        if not reply.text.strip():
            return Malformed(message=message, problem=EMPTY)
        if self._tools and choice.mode not in ("auto", "none"):
            return Malformed(message=message, problem=tool_required(choice))
        return Answer(message=message)


def _read_call(call: RawToolCall, *, truncated: bool) -> ToolCall:
    arguments, problem = None, None
    try:
        arguments = read_arguments(call.arguments)
    except NotJsonError as error:
        problem = str(error)
    if truncated:  # even when the JSON happens to be whole, its last value may be half of what was meant
        problem = CUT_OFF_CALL
    if not call.name:
        problem = "the tool call has no name"
    return ToolCall(
        id=call.id or "", name=call.name or "(no name)", arguments=arguments, problem=problem, extra=call.extra
    )


def _wire_tool(tool: ToolDefinition) -> JsonObject:
    return {
        "type": "function",
        "function": {"name": tool.name, "description": tool.description, "parameters": tool.parameters},
    }


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
