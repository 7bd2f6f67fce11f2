"""The messages of the `json` mode: how tools are described, and the schema a provider can hold replies to."""

import json
from collections.abc import Sequence

from runner.engine.ports import ToolDefinition
from runner.parsing.embedding import embed
from runner.parsing.output import Output
from runner.spec import Json, JsonObject, ToolChoice

TOOL_PLACEHOLDER = "<tool name>"
ANSWER_PLACEHOLDER = "<your answer>"
CALL_FORM = f'{{"type": "tool", "name": "{TOOL_PLACEHOLDER}", "arguments": {{<arguments>}}}}'
TEXT_FORM = f'{{"type": "text", "content": "{ANSWER_PLACEHOLDER}"}}'


def instructions_for(tools: Sequence[ToolDefinition]) -> str:
    """The part of the system prompt that explains the tools and the protocol."""
    described = "\n".join(
        f"- {tool.name}: {tool.description}\n  arguments: {_compact(tool.parameters)}" for tool in tools
    )
    return (
        f"You can use these tools:\n{described}\n\n"
        "Reply with exactly one JSON value and nothing else.\n"
        f"To call a tool: {CALL_FORM}\n"
        "To call several tools at once: a JSON array of such objects.\n"
        "The results come with the next message. "
        f"When you can answer the user: {TEXT_FORM}"
    )


def call_message(name: str, arguments: JsonObject) -> JsonObject:
    """A tool call as the model should write it."""
    return {"type": "tool", "name": name, "arguments": arguments}


def text_message(content: str) -> JsonObject:
    """An answer as the model should write it."""
    return {"type": "text", "content": content}


def reply_schema(tools: Sequence[ToolDefinition], choice: ToolChoice, output: Output | None = None) -> JsonObject:
    """JSON Schema of one reply: a branch for each tool allowed in this step, and one for the answer.

    A list of calls is left out: providers want an object at the root, and so one call at a time.
    """
    branches: list[JsonObject] = []
    definitions: dict[str, Json] = {}
    if choice.mode != "none":
        for tool in tools:
            if choice.mode in ("auto", "required", tool.name):
                parameters, hoisted = embed(tool.parameters, tool.name)
                definitions.update(hoisted)
                branches.append(_branch("tool", {"name": {"const": tool.name}, "arguments": parameters}))
    if choice.mode in ("auto", "none"):
        content, hoisted = embed(output.schema, "answer") if output else ({"type": "string"}, {})
        definitions.update(hoisted)
        branches.append(_branch("text", {"content": content}))
    schema: dict[str, Json] = {"type": "object", "anyOf": branches}
    return {**schema, "$defs": definitions} if definitions else schema


def _branch(kind: str, properties: JsonObject) -> JsonObject:
    properties = {"type": {"const": kind}, **properties}
    return {"type": "object", "properties": properties, "required": list(properties), "additionalProperties": False}


def _compact(value: Json) -> str:
    return json.dumps(value, ensure_ascii=False)
