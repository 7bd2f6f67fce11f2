"""The conversation as values: what was said, which tools were called, and what they returned."""

from dataclasses import dataclass, field

from runner.spec import JsonObject

# One chat message as the provider gets it (the OpenAI chat format, which LiteLLM translates).
WireMessage = JsonObject


@dataclass(frozen=True, kw_only=True, slots=True)
class ToolCall:
    """One call the model asks for.

    Attributes:
        id: unique in the conversation; the engine replaces one that is empty or was used before.
        name: the tool as the model named it; it may not exist.
        arguments: the parsed arguments, or None when `problem` says why they cannot be used.
        problem: what is wrong with the call, told to the model as the call's result; the tool is then not run.
        repaired: the slips that were repaired in the arguments, for people; None when there were none.
        extra: provider fields of this call that must go back untouched (a thought signature).
    """

    id: str
    name: str
    arguments: JsonObject | None
    problem: str | None = None
    repaired: str | None = None
    extra: JsonObject = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True, slots=True)
class ToolResult:
    """What a tool gave back, as text for the model; `is_error` asks it to repair the call or go another way."""

    content: str
    is_error: bool = False


@dataclass(frozen=True, kw_only=True, slots=True)
class UserMessage:
    """What the person, or the runner on its own behalf (a correction), says to the model."""

    text: str


@dataclass(frozen=True, kw_only=True, slots=True)
class AssistantMessage:
    """What the model said.

    Attributes:
        text: what it means as text: the answer, or what was said beside the calls.
        calls: the tool calls read from it.
        raw: the reply to play back word for word; None (an example of the author's) means the mode writes `text` and
            `calls` in its own form.
        mode: the parsing mode that `raw` is written in; None means any.
        extra: provider fields that must go back untouched (`reasoning_content`, `thinking_blocks`, …).
    """

    text: str = ""
    calls: tuple[ToolCall, ...] = ()
    raw: str | None = None
    mode: str | None = None
    extra: JsonObject = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True, slots=True)
class ToolResults:
    """The results of all calls of the message before, in call order: none is ever missing."""

    results: tuple[tuple[ToolCall, ToolResult], ...]


Message = UserMessage | AssistantMessage | ToolResults
