"""The messages of a prompty file -> instructions, prompt and examples."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from runner.importing.agent import AgentDraft
from runner.importing.part import Notes, Origin
from runner.importing.source import ForeignFile
from runner.prompts import is_template

_ROLE = re.compile(
    r"^[ \t]*#?[ \t]*(?P<role>system|developer|user|assistant)[ \t]*(?:\[[^\]\n]*\])?[ \t]*:[ \t]*$",
    re.MULTILINE | re.IGNORECASE,
)
_THREAD = re.compile(r"^!\[thread\].*$", re.MULTILINE)
_SYSTEM = ("system", "developer")


@dataclass(frozen=True, kw_only=True, slots=True)
class _Message:
    role: str
    text: str
    line: int


def place_messages(file: ForeignFile, draft: AgentDraft, notes: Notes) -> None:
    """System messages are the instructions, the last user message the prompt, pairs before it the examples."""
    body = (file.body or "").replace("\r\n", "\n")
    if _THREAD.search(body):
        notes.add((), "the conversation so far (![thread]) has no place in a file")
        body = _THREAD.sub("", body)
    messages = _messages(body, file.body_line)
    instructions = [message for message in messages if message.role in _SYSTEM]
    talk = [message for message in messages if message.role not in _SYSTEM]
    if instructions:
        text = "\n\n".join(message.text for message in instructions)
        draft.put_from("instructions", f"{text}\n", Origin(place="system", line=instructions[0].line))
    if talk and talk[-1].role == "user":
        last = talk.pop()
        draft.put_from("prompt", f"{last.text}\n", Origin(place="user", line=last.line))
    _examples(talk, draft, notes)


def _messages(body: str, first_line: int) -> list[_Message]:
    """The messages in order; a text without roles is all system."""
    roles = list(_ROLE.finditer(body))
    ends = [*(role.start() for role in roles), len(body)]
    found = [("system", 0, body[: ends[0]])]
    for role, end in zip(roles, ends[1:], strict=True):
        found.append((role["role"].lower(), role.start(), body[role.end() : end]))
    return [
        _Message(role=role, text=text.strip(), line=first_line + body.count("\n", 0, start))
        for role, start, text in found
        if text.strip()
    ]


def _examples(talk: Sequence[_Message], draft: AgentDraft, notes: Notes) -> None:
    examples: list[dict[str, str]] = []
    pending: _Message | None = None
    for message in talk:
        if message.role == "user":
            pending = message
        elif pending is not None and not is_template(pending.text) and not is_template(message.text):
            examples.append({"user": pending.text, "answer": message.text})
            pending = None
        else:
            notes.add((), f"the message in line {message.line} is no example: it has variables, or no question")
    if examples:
        draft.put_from("examples", examples, Origin(place="messages", line=talk[0].line))
