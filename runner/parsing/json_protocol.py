"""The messages of the `json` mode: how tools are described, and the schema a provider can hold replies to."""

import json
from collections.abc import Sequence

from runner.engine.ports import ToolDefinition
from runner.spec import Json, JsonObject, ToolChoice

CALL_FORM = '{"type": "tool", "name": "<tool name>", "arguments": {<arguments>}}'
TEXT_FORM = '{"type": "text", "content": "<your answer>"}'


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


def reply_schema(tools: Sequence[ToolDefinition], choice: ToolChoice) -> JsonObject:
    """JSON Schema of one reply: a branch for each tool allowed in this step, and one for the answer.

    A list of calls is left out: providers want an object at the root, and so one call at a time.
    """
    branches: list[JsonObject] = []
    definitions: dict[str, Json] = {}
    if choice.mode != "none":
        for tool in tools:
            if choice.mode in ("auto", "required", tool.name):
                parameters, hoisted = _hoist(tool)
                definitions.update(hoisted)
                branches.append(_branch("tool", {"name": {"const": tool.name}, "arguments": parameters}))
    if choice.mode in ("auto", "none"):
        branches.append(_branch("text", {"content": {"type": "string"}}))
    schema: dict[str, Json] = {"type": "object", "anyOf": branches}
    return {**schema, "$defs": definitions} if definitions else schema


def _branch(kind: str, properties: JsonObject) -> JsonObject:
    properties = {"type": {"const": kind}, **properties}
    return {"type": "object", "properties": properties, "required": list(properties), "additionalProperties": False}


def _hoist(tool: ToolDefinition) -> tuple[Json, dict[str, Json]]:
    """Move a tool's `$defs` to names of its own at the root, where its references will look for them."""
    definitions = tool.parameters.get("$defs", {})
    own = {key: value for key, value in tool.parameters.items() if key != "$defs"}
    if not definitions:
        return own, {}
    return _moved(own, tool.name), {
        f"{tool.name}.{name}": _moved(value, tool.name) for name, value in definitions.items()
    }


def _moved(schema: Json, tool: str) -> Json:
    if isinstance(schema, list):
        return [_moved(item, tool) for item in schema]
    if not isinstance(schema, dict):
        return schema
    return {
        key: value.replace("#/$defs/", f"#/$defs/{tool}.", 1)
        if key == "$ref" and isinstance(value, str)
        else _moved(value, tool)
        for key, value in schema.items()
    }


def _compact(value: Json) -> str:
    return json.dumps(value, ensure_ascii=False)
