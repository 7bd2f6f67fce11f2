"""Parsing mode `json`: tool calls and answers as JSON objects in the model's text."""

import json
from collections.abc import Sequence
from dataclasses import replace

from runner.engine.messages import AssistantMessage, Message, ToolCall, ToolResult, WireMessage
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
from runner.parsing.arguments import read_arguments
from runner.parsing.json_protocol import (
    ANSWER_PLACEHOLDER,
    CALL_FORM,
    TEXT_FORM,
    TOOL_PLACEHOLDER,
    call_message,
    instructions_for,
    reply_schema,
    text_message,
)
from runner.parsing.json_text import NotJsonError, loads, scan
from runner.parsing.mending import Mender
from runner.parsing.output import Output
from runner.parsing.problems import EMPTY, tool_required
from runner.parsing.repair import Repaired
from runner.parsing.replies import is_complete, plain_reading, unusable
from runner.parsing.streaming import Everything, JsonAnswer
from runner.parsing.turns import encode_text
from runner.spec import Json, JsonObject, ToolChoice

_ARGUMENTS = frozenset({"arguments", "args"})
_CALL_KEYS = _ARGUMENTS | {"name", "tool_name", "id", "thought"}
EXPECTED = f"reply with exactly one JSON value: {CALL_FORM} or {TEXT_FORM}"


class JsonMode:
    """For models without tool calling of their own. Without tools there is no protocol: the text is the answer."""

    name = "json"

    def __init__(
        self,
        tools: Sequence[ToolDefinition],
        capabilities: Capabilities,
        *,
        output: Output | None = None,
        mender: Mender | None = None,
    ) -> None:
        self._tools = {tool.name: tool for tool in tools}
        self._mender = mender
        self._output = output
        self._constrained = capabilities.response_format is True and (bool(tools) or output is not None)

    def system(self, instructions: str) -> str:
        """The instructions, then the tools and the protocol."""
        if not self._tools:
            return instructions
        return "\n\n".join(filter(None, (instructions.rstrip(), instructions_for(tuple(self._tools.values())))))

    def request(self, messages: Sequence[WireMessage], choice: ToolChoice) -> ModelRequest:
        """Only text goes out; a provider that can hold replies to a schema is given one."""
        if not self._constrained:
            return ModelRequest(messages=messages)
        if self._tools:
            schema = reply_schema(tuple(self._tools.values()), choice, self._output)
        else:
            schema = self._output.object_schema if self._output else {}
        wire = {"type": "json_schema", "json_schema": {"name": "reply", "schema": schema}}
        return ModelRequest(messages=messages, response_format=wire)

    def encode(self, message: Message) -> Sequence[WireMessage]:
        """A message in the form of the protocol, results as lines of the user."""
        return encode_text(message, written=self._written, told=_told)

    def _written(self, message: AssistantMessage) -> str:
        if message.raw is not None or not self._tools:
            return message.raw or message.text
        calls = [call_message(call.name, call.arguments or {}) for call in message.calls]
        value: Json = calls if len(calls) > 1 else calls[0] if calls else text_message(self._content(message.text))
        return json.dumps(value, ensure_ascii=False)

    def _content(self, text: str) -> Json:
        """An author's answer as the provider's schema wants it: the value itself when there is an output schema."""
        if self._output is None:
            return text
        try:
            return loads(text)
        except NotJsonError:
            return text

    def read(self, reply: ModelReply, choice: ToolChoice) -> Reading:
        """Exactly one message: two different ones are refused rather than one of them believed."""
        if not self._tools:
            return plain_reading(reply)
        said = AssistantMessage(text=reply.text, raw=reply.text, extra=reply.extra)
        problem = unusable(reply, reply.text)
        if problem is not None:
            return Malformed(message=said, problem=problem)
        found = scan(reply.text)
        messages = _distinct([value for value in found.values if self._is_message(value)])
        if len(messages) == 1 and not found.broken:
            return self._meaning(messages[0], said, choice)
        mended = None if messages else self._mended(reply)
        if mended is None:
            return Malformed(message=said, problem=_not_one(len(messages), found.broken))
        return _noted(self._meaning(mended.value, said, choice), mended.what)

    def _mended(self, reply: ModelReply) -> Repaired | None:
        if self._mender is None or not is_complete(reply):
            return None
        schema = reply_schema(tuple(self._tools.values()), ToolChoice(), self._output)
        return self._mender.message(reply.text, schema)

    def answer_filter(self) -> AnswerFilter:
        """The content of the text message, or without tools everything."""
        return JsonAnswer() if self._tools else Everything()

    def _is_message(self, value: Json) -> bool:
        if isinstance(value, list):
            return bool(value) and all(isinstance(item, dict) and self._is_call(item) for item in value)
        return isinstance(value, dict) and (self._is_call(value) or _is_text(value))

    def _is_call(self, value: JsonObject) -> bool:
        name = _name_of(value)
        if not isinstance(name, str):
            return False
        # Without its type, an object is a call only if it is nothing else: data and tool lists have a `name` as well.
        if "type" not in value:
            return name in self._tools and bool(value.keys() & _ARGUMENTS) and value.keys() <= _CALL_KEYS
        return value["type"] == "tool" and name != TOOL_PLACEHOLDER

    def _meaning(self, value: Json, said: AssistantMessage, choice: ToolChoice) -> Reading:
        if isinstance(value, dict) and _is_text(value):
            if choice.mode not in ("auto", "none"):
                return Malformed(message=said, problem=f"{tool_required(choice)}: {CALL_FORM}")
            text = _content_of(value, structured=self._output is not None)
            if not text.strip():
                return Malformed(message=said, problem=EMPTY)
            return Answer(message=AssistantMessage(text=text, raw=said.raw, extra=said.extra))
        calls = tuple(_read_call(item) for item in (value if isinstance(value, list) else [value]))
        return Calls(message=AssistantMessage(calls=calls, raw=said.raw, extra=said.extra))


def _noted(reading: Reading, what: str) -> Reading:
    """The reading of a repaired reply."""
    match reading:
        case Answer():
            return replace(reading, repaired=what)
        case Calls(message=message):
            calls = tuple(replace(call, repaired=what) for call in message.calls)
            return replace(reading, message=replace(message, calls=calls))
        case _:
            return reading


def _told(call: ToolCall, result: ToolResult) -> str:
    return f"{'Error' if result.is_error else 'Result'} of {call.name}: {result.content}"


def _name_of(value: JsonObject) -> Json:
    return value.get("name", value.get("tool_name"))


def _is_text(value: JsonObject) -> bool:
    # A model that repeats its instructions has not answered.
    return (
        value.get("type") == "text"
        and value.get("content", value.get("text", ANSWER_PLACEHOLDER)) != ANSWER_PLACEHOLDER
    )


def _content_of(value: JsonObject, *, structured: bool) -> str:
    """The answer; of a structured one the JSON text, unless it comes as the text of an object or a list."""
    content = value.get("content", value.get("text"))
    if structured and isinstance(content, str) and content.lstrip()[:1] not in ("{", "["):
        return json.dumps(content, ensure_ascii=False)
    if content is None and not structured:
        return ""
    return content if isinstance(content, str) else json.dumps(content, ensure_ascii=False)


def _read_call(value: JsonObject) -> ToolCall:
    name = str(_name_of(value))
    try:
        return ToolCall(id="", name=name, arguments=read_arguments(value.get("arguments", value.get("args"))))
    except NotJsonError as error:
        return ToolCall(id="", name=name, arguments=None, problem=str(error))


def _distinct(values: Sequence[Json]) -> list[Json]:
    return list({json.dumps(value, sort_keys=True): value for value in values}.values())


def _not_one(count: int, broken: Sequence[str]) -> str:
    if count > 1:
        return f"found {count} different JSON messages in one reply; {EXPECTED}"
    if broken:
        return f"{broken[0]}; {EXPECTED}"
    return f"found no JSON message in the reply; {EXPECTED}"
