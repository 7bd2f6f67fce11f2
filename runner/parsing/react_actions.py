"""Decides what a ReAct reply does: which actions it takes with which inputs, or else its answer."""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from runner.parsing.inputs import means_nothing, read_object, unfenced
from runner.parsing.known_tools import KnownTools, undecorated
from runner.parsing.react_labels import Labels
from runner.parsing.react_text import Part, split

# How models say that they want no tool (field bug B03).
_NO_ACTION = re.compile(
    r"(?:none|n/a|null|nil|nothing|no (?:action|tool)s?)\b.*|无.*|没有.*|不需要.*|", re.IGNORECASE | re.DOTALL
)
# Brackets, and the strings in which they do not count; one that never ends takes all the rest, to stay linear.
_BRACKET = re.compile(r"""[()\[\]{}]|"(?:[^"\\]|\\.)*+(?:"|\Z)|'(?:[^'\\]|\\.)*+(?:'|\Z)""", re.DOTALL)
# An action as one object, as LangChain's structured chat and fine-tuned models write it.
_NAME_KEYS = ("action", "name", "tool", "tool_name")
_INPUT_KEYS = ("action_input", "arguments", "args", "input", "parameters")


@dataclass(frozen=True, kw_only=True, slots=True)
class Action:
    """An action as it was written: the tool's name, and its input, which may be missing."""

    name: str
    input: str | None
    start: int


@dataclass(frozen=True, kw_only=True, slots=True)
class Move:
    """What a reply does: call tools, or else answer, or nothing that can be used.

    Attributes:
        kept: the reply without what the model made up.
        thought: what was said beside the actions.
        actions: what is to be run, in order.
        answer: the answer, if no action comes before it.
        no_action: the first action that says that no tool is wanted.
        stray: whether nobody can tell which action an input is for.
        endless: whether the reply has more sections than are read.
    """

    kept: str
    thought: str
    actions: tuple[Action, ...]
    answer: str | None
    no_action: str | None
    stray: bool
    endless: bool


def move_of(text: str, labels: Labels, tools: KnownTools) -> Move:
    """Decide what a reply does: an answer behind an action rests on a made-up result, so it goes (field bug B01)."""
    found = split(text, labels)
    written, stray = _actions(found.parts, tools)
    refused = [action for action in written if _is_no_action(action, tools)]
    wanted = [action for action in written if not _is_no_action(action, tools)] if refused else written
    answers = [Action(name="", input=part.text, start=part.start) for part in found.parts if part.section == "answer"]
    for place, action in enumerate(wanted):
        if tools.resolve(action.name) is None and undecorated(action.name).casefold() == labels.final_answer.casefold():
            wanted, answers = wanted[:place], [action]  # `Action: Final Answer`
            break
    kept = found.kept[: answers[0].start].rstrip() if wanted and answers else found.kept
    return Move(
        kept=kept,
        thought=_thought(kept, found.parts),
        actions=tuple(wanted),
        answer=(answers[0].input or "") if answers and not wanted else None,
        no_action=undecorated(refused[0].name) if refused else None,
        stray=stray,
        endless=found.endless,
    )


def _thought(kept: str, parts: Sequence[Part]) -> str:
    before = kept[: parts[0].start] if parts else kept
    thoughts = [part.text for part in parts if part.section == "thought"]
    return "\n".join(filter(None, (before.strip(), *thoughts)))


def _actions(parts: Sequence[Part], tools: KnownTools) -> tuple[list[Action], bool]:
    """The actions of a reply, each with its input, and whether there is an input too many."""
    actions: list[Action] = []
    waiting = stray = False
    for part in parts:
        if part.section == "action":
            actions.append(_action(part, tools))
            waiting = True
        elif part.section == "input":
            stray = stray or not waiting
            if waiting:
                # `add(a, b)` with an input below it shows how the tool is called; the input is what is meant.
                given = actions[-1].input if means_nothing(part.text) else None
                actions[-1] = replace(actions[-1], input=given or part.text)
            waiting = False
    return actions, stray


def _is_no_action(action: Action, tools: KnownTools) -> bool:
    return tools.resolve(action.name) is None and _NO_ACTION.fullmatch(undecorated(action.name)) is not None


def _action(part: Part, tools: KnownTools) -> Action:
    """Split `add`, `add({"a": 1})`, `search[cats]` or `add {"a": 1}` into name and input."""
    if (action := _json_action(part)) is not None:
        return action
    text = part.text.lstrip("`*\"'([<“「 \n")
    opened = re.search(r"[\s(\[{]", text)
    if opened is None or tools.resolve(text) is not None:
        return Action(name=text, input=None, start=part.start)
    name, rest = text[: opened.start()], text[opened.start() :]
    if rest[0] in "([":
        return Action(name=name, input=rest[1 : _closing(rest)], start=part.start)
    for written in (rest.lstrip(), rest.lstrip("( \t\r\n`")):
        if written.startswith(("{", "```")):
            return Action(name=name, input=written, start=part.start)
    # Words behind a name on the same line make it another name; lines below it are prose.
    return Action(name=text.partition("\n")[0], input=None, start=part.start)


def _closing(text: str) -> int | None:
    """Where the bracket closes that opens the text; None when it never does."""
    depth = 0
    for token in _BRACKET.finditer(text):
        depth += (token[0] in "([{") - (token[0] in ")]}")
        if depth == 0:
            return token.start()
    last = text.rfind(")" if text[0] == "(" else "]")  # an apostrophe hides what is behind it: `search(what's up)`
    return last if last > 0 else None


def _json_action(part: Part) -> Action | None:
    """An action written as one JSON object, `{"action": "add", "action_input": {"a": 1}}`."""
    body = unfenced(part.text)
    if not body.startswith("{"):
        return None
    try:
        value = read_object(body)
    except ValueError:
        return None
    name = next((value[key] for key in _NAME_KEYS if key in value), None)
    if not isinstance(name, str):
        return None
    given = next((value[key] for key in _INPUT_KEYS if key in value), "")
    written = given if isinstance(given, str) else json.dumps(given, ensure_ascii=False)
    return Action(name=name, input=written, start=part.start)
