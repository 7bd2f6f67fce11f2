"""How a scripted model says the same thing in each parsing mode, and fakes for the engine's ports."""

import asyncio
import json
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from runner.engine.approval import ApprovalRequest, Approver, Decision
from runner.engine.asking import Backoff, ChooseMode
from runner.engine.events import Event, RunFinished
from runner.engine.journal import Entry, Journal, JournalError
from runner.engine.messages import ToolResult
from runner.engine.past import Past
from runner.engine.ports import (
    CallContext,
    Capabilities,
    Model,
    ModelReply,
    ParsingMode,
    RawToolCall,
    Tool,
    ToolDefinition,
)
from runner.engine.run import run
from runner.engine.scope import RunControl
from runner.engine.task import Task
from runner.language.schema import problems
from runner.models.scripted import ScriptedModel
from runner.parsing.mending import Mender
from runner.parsing.modes import Setting, choose_mode
from runner.parsing.output import Output
from runner.spec import JsonObject, Limits, ParsingSpec, Risk, Text

Call = tuple[str, dict[str, Any]]


class Voice(Protocol):
    """The replies of a model that follows a parsing mode."""

    mode: str
    parallel: bool  # whether the calls of one reply run at the same time

    def calls(self, *calls: Call) -> ModelReply: ...

    def answer(self, text: str) -> ModelReply: ...

    def nonsense(self) -> ModelReply: ...

    def results(self, request: Any) -> list[str]:
        """What the model was told about its last calls, in order."""
        ...


class NativeVoice:
    mode = "native"
    parallel = True

    def calls(self, *calls: Call) -> ModelReply:
        raw = [
            RawToolCall(id=f"id_{number}", name=name, arguments=json.dumps(arguments))
            for number, (name, arguments) in enumerate(calls)
        ]
        return ModelReply(tool_calls=tuple(raw), finish_reason="tool_calls")

    def answer(self, text: str) -> ModelReply:
        return ModelReply(text=text, finish_reason="stop")

    def nonsense(self) -> ModelReply:
        return ModelReply(text="", finish_reason="stop")

    def results(self, request: Any) -> list[str]:
        contents: list[str] = []
        for message in reversed(request.messages):
            if message["role"] != "tool":
                break
            contents.insert(0, message["content"])
        return contents


class JsonVoice:
    mode = "json"
    parallel = True

    def calls(self, *calls: Call) -> ModelReply:
        messages = [{"type": "tool", "name": name, "arguments": arguments} for name, arguments in calls]
        return ModelReply(text=json.dumps(messages if len(messages) > 1 else messages[0]), finish_reason="stop")

    def answer(self, text: str) -> ModelReply:
        return ModelReply(text=json.dumps({"type": "text", "content": text}), finish_reason="stop")

    def nonsense(self) -> ModelReply:
        return ModelReply(text="Hmm.", finish_reason="stop")

    def results(self, request: Any) -> list[str]:
        lines = request.messages[-1]["content"].split("\n")
        return [line.split(": ", 1)[1] for line in lines]


class ReactVoice:
    mode = "react"
    parallel = False

    def calls(self, *calls: Call) -> ModelReply:
        lines = [f"Action: {name}\nAction Input: {json.dumps(arguments)}" for name, arguments in calls]
        return ModelReply(text="Thought: hm\n" + "\n".join(lines), finish_reason="stop")

    def answer(self, text: str) -> ModelReply:
        return ModelReply(text=f"Thought: I know\nFinal Answer: {text}", finish_reason="stop")

    def nonsense(self) -> ModelReply:
        return ModelReply(text="Hmm.", finish_reason="stop")

    def results(self, request: Any) -> list[str]:
        lines = request.messages[-1]["content"].split("\n")
        return [line.split(": ", 1)[1] for line in lines]


class TextVoice(ReactVoice):
    """Of the protocol in `PROTOCOL`."""

    mode = "text"

    def calls(self, *calls: Call) -> ModelReply:
        lines = [f"CALL {name} WITH {json.dumps(arguments)}" for name, arguments in calls]
        return ModelReply(text="\n".join(lines), finish_reason="stop")

    def answer(self, text: str) -> ModelReply:
        return ModelReply(text=f"SAY {text}", finish_reason="stop")


PROTOCOL = ParsingSpec(
    mode="text",
    instructions=Text(value="Write CALL tool WITH {…} or SAY answer.", origin="agent.yaml:1"),
    call=r"^CALL (?P<name>\w+) WITH (?P<arguments>.*)$",
    answer=r"(?s)^SAY (?P<answer>.*)",
)


def parsing_of(mode: str) -> ParsingSpec:
    """What an agent says to get this mode."""
    return PROTOCOL if mode == "text" else ParsingSpec(mode=mode)


VOICES: dict[str, Voice] = {voice.mode: voice for voice in (NativeVoice(), JsonVoice(), ReactVoice(), TextVoice())}


@dataclass
class FakeTool:
    """A tool behind the port, made from an async function of its arguments."""

    name: str
    body: Callable[[JsonObject], Awaitable[ToolResult]]
    parameters: JsonObject = field(default_factory=lambda: {"type": "object"})
    timeout: float | None = None
    return_direct: bool = False
    received: list[JsonObject] = field(default_factory=list)
    allowed: frozenset[str] = frozenset()  # names of arguments; none at all means any
    secrets: frozenset[str] = frozenset()
    risk: Risk = "low"
    idempotent: bool = False
    mend: Callable[[JsonObject], JsonObject] = dict

    @property
    def definition(self) -> ToolDefinition:
        return ToolDefinition(name=self.name, description=f"The tool {self.name}.", parameters=self.parameters)

    def mended(self, arguments: JsonObject) -> JsonObject:
        return self.mend(arguments)

    def check(self, arguments: JsonObject) -> str | None:
        return (
            None if arguments.keys() <= self.allowed or not self.allowed else f"no such argument: {sorted(arguments)}"
        )

    async def call(self, arguments: JsonObject, context: CallContext) -> ToolResult:
        del context
        self.received.append(arguments)
        return await self.body(arguments)


def returning(name: str, content: str, *, is_error: bool = False, seconds: float = 0, **options: Any) -> FakeTool:
    """A tool that always gives the same result, after `seconds`."""

    async def body(_: JsonObject) -> ToolResult:
        await asyncio.sleep(seconds)
        return ToolResult(content=content, is_error=is_error)

    return FakeTool(name=name, body=body, **options)


@dataclass
class Person:
    """An approver that gives these decisions in turn, and remembers what it was asked; all of them must be used."""

    decisions: Sequence[Decision]
    asked: list[ApprovalRequest] = field(default_factory=list)

    async def decide(self, request: ApprovalRequest) -> Decision:
        self.asked.append(request)
        return self.decisions[len(self.asked) - 1]


@dataclass
class Recorder:
    """A journal in memory, which cannot write any more after `room` entries."""

    entries: list[Entry] = field(default_factory=list)
    room: int = 1_000

    def note(self, entry: Entry) -> None:
        if len(self.entries) >= self.room:
            raise JournalError("cannot write to the session: the disk is full")
        self.entries.append(entry)

    @property
    def kinds(self) -> list[str]:
        return [type(entry).__name__ for entry in self.entries]

    def of(self, kind: type) -> list[Any]:
        return [entry for entry in self.entries if isinstance(entry, kind)]


@dataclass
class Ran:
    """A finished run: its events, and what the model was sent."""

    events: list[Event]
    model: ScriptedModel

    @property
    def finished(self) -> RunFinished:
        last = self.events[-1]
        assert isinstance(last, RunFinished)
        return last

    def of(self, kind: type) -> list[Any]:
        return [event for event in self.events if isinstance(event, kind)]


def chooser(mode: str, tools: Sequence[ToolDefinition], output: Output | None = None) -> ChooseMode:
    """Makes a parsing mode as an agent that names it does."""
    offered = list(tools)

    def choose(capabilities: Capabilities, *, tools: bool = True) -> ParsingMode:
        setting = Setting(
            spec=parsing_of(mode),
            tools=offered if tools else [],
            capabilities=capabilities,
            output=output,
            mender=Mender(problems),
        )
        return choose_mode(setting)

    return choose


async def play(
    mode: str,
    replies: Sequence[Any],
    tools: Sequence[FakeTool] = (),
    *,
    control: RunControl | None = None,
    model: Model | None = None,
    limits: Limits | None = None,
    schema: JsonObject | None = None,
    fallbacks: Sequence[Model] = (),
    summarizer: Model | None = None,
    approver: Approver | None = None,
    journal: Journal | None = None,
    past: Past | None = None,
    **task: Any,
) -> Ran:
    """Run a task against scripted replies to its end, all of which must be used."""
    scripted = ScriptedModel(replies)
    given: dict[str, Tool] = {tool.name: tool for tool in tools}
    output = None if schema is None else Output(schema=schema, problems=problems)
    settings: dict[str, Any] = {"agent": "tested", "instructions": "Be brief.", "prompt": "Hello", **task}
    whole = Task(limits=limits or Limits(), **settings)
    events = [
        event
        async for event in run(
            whole,
            model=model or scripted,
            tools=given,
            choose_mode=chooser(mode, [tool.definition for tool in given.values()], output),
            control=control,
            fallbacks=fallbacks,
            summarizer=summarizer,
            approver=approver,
            journal=journal,
            past=past,
            backoff=Backoff(base=0.001),
        )
    ]
    scripted.assert_complete()
    return Ran(events=events, model=scripted)
