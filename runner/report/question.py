"""The question whether a tool call may be made, as a person reads it on a terminal."""

import json

from runner.engine.approval import ApprovalRequest
from runner.report.phrases import ELLIPSIS, shortened, visible
from runner.spec import Json, JsonObject

_INDENT = "      "
_DEEP_INDENT = "        "
_REASON_CHARACTERS = 200
_SAID_CHARACTERS = 1_000
_VALUE_CHARACTERS = 400
_LINES = 30


def question_text(request: ApprovalRequest) -> str:
    """What is asked: tool, risk, why, what the model said, and the arguments, the long ones cut."""
    name = shortened(request.call.name, _REASON_CHARACTERS)
    lines = [f"{_INDENT}{name} waits for your approval · risk {request.risk}"]
    if request.started:
        lines += [
            f"{_INDENT}an earlier run broke off while this call was running: nobody knows whether it was done.",
            f"{_INDENT}look first; approving it makes the call again, rejecting it tells the model your reason.",
        ]
    else:
        lines.append(f"{_INDENT}asked because of: {shortened(request.reason, _REASON_CHARACTERS)}")
    if request.said.strip():
        lines.append(f"{_INDENT}the model says: {shortened(request.said, _SAID_CHARACTERS)}")
    arguments, cut = _shown(request.call.arguments or {})
    lines += [f"{_INDENT}arguments:", *arguments]
    if cut:
        lines.append(f"{_INDENT}({cut}; v shows all of them)")
    return "\n".join(lines) + "\n"


def arguments_text(arguments: JsonObject) -> str:
    """All arguments in full."""
    return "\n".join(_pretty(arguments)) + "\n"


def _pretty(value: Json) -> list[str]:
    text = json.dumps(value, ensure_ascii=False, indent=2, default=str)
    return [f"{_DEEP_INDENT}{visible(line)}" for line in text.split("\n")]


def _shown(arguments: JsonObject) -> tuple[list[str], str]:
    """The lines of the arguments, and what of them is missing, in words."""
    lines = _pretty(_cut(arguments))
    missing = []
    if len(lines) > _LINES:
        missing.append(f"{len(lines) - _LINES:,} more lines")
        lines = lines[:_LINES]
    if _is_cut(arguments):
        missing.append("long values are cut")
    return lines, ", ".join(missing)


def _cut(value: Json) -> Json:
    if isinstance(value, str) and len(value) > _VALUE_CHARACTERS:
        return f"{value[:_VALUE_CHARACTERS]}{ELLIPSIS} ({len(value) - _VALUE_CHARACTERS:,} more characters)"
    if isinstance(value, dict):
        return {key: _cut(item) for key, item in value.items()}
    return [_cut(item) for item in value] if isinstance(value, list | tuple) else value


def _is_cut(value: Json) -> bool:
    if isinstance(value, str):
        return len(value) > _VALUE_CHARACTERS
    items = value.values() if isinstance(value, dict) else value if isinstance(value, list | tuple) else ()
    return any(map(_is_cut, items))
