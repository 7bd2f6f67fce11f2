"""A model that knows from the conversation where it is, and tools that remember what they did: both outlive a crash."""

from collections import Counter
from collections.abc import AsyncGenerator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from runner.engine.approval import ApprovalRequest, Approved, Decision, Deferred, Rejected
from runner.engine.journal import CallEnded, CallStarted, Entry
from runner.engine.messages import ToolResult
from runner.engine.ports import Capabilities, Delta, ModelReply, ModelRequest, Usage
from runner.spec import JsonObject
from tests.engine.voices import Call, FakeTool, Voice

# What the model does in a step: its calls, or None for a reply that cannot be read.
Plan = Sequence[Sequence[Call] | None]
SPENT = Usage(input_tokens=7, output_tokens=3)


class Follower:
    """Follows a plan and then answers; the replies in the conversation tell it how far it has come."""

    name = "scripted/follower"
    retries = 0

    def __init__(self, voice: Voice, plan: Plan) -> None:
        self._voice = voice
        self._plan = plan
        self.requests: list[ModelRequest] = []

    async def open(self) -> Capabilities:
        return Capabilities()

    async def ask(self, request: ModelRequest) -> AsyncGenerator[Delta | ModelReply, None]:
        self.requests.append(replace(request, messages=tuple(request.messages)))
        done = sum(message["role"] == "assistant" for message in request.messages)
        yield replace(self._reply(done), usage=SPENT, cost=0.5)

    def _reply(self, done: int) -> ModelReply:
        if done == len(self._plan):
            return self._voice.answer(f"done after {done}")
        calls = self._plan[done]
        return self._voice.nonsense() if calls is None else self._voice.calls(*calls)

    async def close(self) -> None:
        pass


@dataclass
class World:
    """What the tools did, by the number of each call."""

    made: Counter[int] = field(default_factory=Counter)

    def tool(self, name: str, **options: Any) -> FakeTool:
        async def body(arguments: JsonObject) -> ToolResult:
            self.made[arguments["n"]] += 1
            return ToolResult(content=f"{name} did {arguments['n']}", is_error=arguments["n"] % 5 == 0)

        return FakeTool(name=name, body=body, **options)


@dataclass(frozen=True)
class Boss:
    """Decides by the number of the call, always in the same way; a call that may have run is made again."""

    ways: Mapping[int, str]
    asks_later: bool = False

    def of(self, request_n: int) -> Decision:
        match self.ways.get(request_n, "approve"):
            case "reject":
                return Rejected(by="boss", reason="no")
            case "edit":
                return Approved(by="boss", arguments={"n": request_n + 1_000})
            case _:
                return Approved(by="boss")

    async def decide(self, request: ApprovalRequest) -> Decision:
        if request.started:
            return Approved(by="boss")
        return Deferred() if self.asks_later else self.of((request.call.arguments or {})["n"])


class Crash(Exception):  # noqa: N818 - it stands for the end of the process
    """Nothing after it happens."""


@dataclass
class Fragile:
    """A journal that breaks off at its last note, before or after it was kept; without a `room` it never does."""

    entries: list[Entry]
    room: int | None = None
    keeps_last: bool = False

    def note(self, entry: Entry) -> None:
        if self.room is not None:
            self.room -= 1
        if self.room is None or self.room > 0 or self.keeps_last:
            self.entries.append(entry)
        if self.room == 0:
            raise Crash


def lost_calls(entries: Sequence[Entry]) -> set[str]:
    """Calls that were started, and have no end."""
    open_calls: set[str] = set()
    for entry in entries:
        if isinstance(entry, CallStarted):
            open_calls.add(entry.id)
        elif isinstance(entry, CallEnded):
            open_calls.discard(entry.id)
    return open_calls
