"""A provider that misbehaves in every way we know, in every mode, under several limits: each run ends as documented.

The model is asked through LiteLLM over HTTP, as in production; only the server is ours.
"""

import asyncio
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest

from runner.agent import Agent, load_agent
from runner.engine.events import EXIT_CODES, Event, RunFinished, exit_code
from tests.engine.voices import VOICES
from tests.servers.entries import Call, Drop, Entry, Failure, Json, Raw, Reply, Stream
from tests.servers.openai_server import OpenAIServer

# A run may end so much later than its limit says, in seconds.
OVERSHOOT = 0.5
# A machine that does something else at the moment gets another chance.
CHANCES = 3
LATE = "it took"
AT_ONCE = 16

MODES = ("native", "json", "react", "text")
WHOLE = json.dumps({"id": "x", "object": "chat.completion", "choices": [], "model": "m"}).encode()


@dataclass(frozen=True)
class Fault:
    """What the server does, every time, and how a run may end because of it."""

    entry: Entry
    ends: frozenset[str]
    streamed: bool | None = None  # None: whether somebody watches or not


@dataclass(frozen=True)
class Limit:
    """Limits of an agent, and statuses that they may cause."""

    yaml: str
    timeout: float
    ends: frozenset[str] = frozenset()


def fault(entry: Entry, *ends: str, streamed: bool | None = None) -> Fault:
    return Fault(entry=entry, ends=frozenset(ends), streamed=streamed)


def words(count: int) -> list[dict[str, Any]]:
    return [{"content": f"word {number} "} for number in range(count)]


FAILS = "model_error"
FAULTS: Mapping[str, Fault] = {
    "hangs": fault(Reply("late", delay=60), "timeout", FAILS),
    "hangs-after-the-first-word": fault(
        Stream([{"content": "Well"}], done=True, pace=60), "timeout", FAILS, streamed=True
    ),
    "trickles": fault(Stream(words(1_000), pace=0.05), "timeout", FAILS, streamed=True),
    "trickles-its-body": fault(Raw(WHOLE * 40, content_type="application/json", piece=10, pace=0.05), "timeout", FAILS),
    "429": fault(Failure(429, "slow down"), FAILS, "timeout"),
    "429-retry-soon": fault(Failure(429, "slow down", {"Retry-After": "0"}), FAILS, "timeout"),
    "429-retry-tomorrow": fault(Failure(429, "slow down", {"Retry-After": "86400"}), FAILS),
    "429-out-of-quota": fault(Failure(429, "You exceeded your current quota", code="insufficient_quota"), FAILS),
    "400": fault(Failure(400, "no such parameter"), FAILS),
    "401": fault(Failure(401, "bad key"), FAILS),
    "404": fault(Failure(404, "no such model"), FAILS),
    "500": fault(Failure(500, "oops"), FAILS, "timeout"),
    "503": fault(Failure(503, "overloaded"), FAILS, "timeout"),
    "529": fault(Failure(529, "overloaded"), FAILS, "timeout"),
    "context-overflow": fault(
        Failure(400, "This model's maximum context length is 8192 tokens, but you requested 9000 tokens"), FAILS
    ),
    "hangs-up-at-once": fault(Drop(), FAILS, "timeout"),
    "hangs-up-in-the-head": fault(Drop(b"HTTP/1.1 200 OK\r\nContent-Ty"), FAILS, "timeout"),
    "hangs-up-in-the-body": fault(Raw(WHOLE, content_type="application/json", cut_at=30), FAILS, "timeout"),
    "drops-the-stream": fault(Stream(words(3), done=False), FAILS, "timeout", streamed=True),
    "garbage": fault(Raw(bytes(range(256)) * 20, content_type="application/json"), FAILS, "timeout"),
    "garbage-events": fault(
        Stream([b"data: {]\n\n", b"\xff\xfe\n\n"]), FAILS, "timeout", "invalid_output", streamed=True
    ),
    "not-http": fault(Drop(b"\x16\x03\x01\x02\x00 what?\r\n\r\n"), FAILS, "timeout"),
    "a-web-page": fault(Raw(b"<!doctype html><html><body>Welcome</body></html>"), FAILS),
    "half-json": fault(Raw(WHOLE[:40], content_type="application/json"), FAILS, "timeout"),
    "wrong-charset": fault(
        Raw('{"choices": [{"message": {"content": "é"}}]}'.encode("utf-16"), content_type="application/json"),
        FAILS,
        "timeout",
        "completed",  # JSON is found out to be UTF-16 all the same
        "invalid_output",
    ),
    "nothing": fault(Raw(b"", content_type="application/json"), FAILS, "timeout"),
    "null": fault(Json(None), FAILS, "timeout"),
    "a-list": fault(Json([1, 2, 3]), FAILS, "timeout"),
    "no-choices": fault(Raw(WHOLE, content_type="application/json"), FAILS),
    "choices-of-another-type": fault(Json({"choices": "none"}), FAILS, "timeout"),
    "blocked": fault(Reply(None, finish_reason="content_filter"), FAILS),
    "ten-megabytes": fault(Reply("x" * 10_000_000), "completed", "timeout", FAILS, "invalid_output"),
    "empty-replies": fault(Reply(""), "invalid_output"),
    "cut-off-replies": fault(Reply("a" * 50, finish_reason="length"), "invalid_output"),
}
LIMITS: Mapping[str, Limit] = {
    "short": Limit("limits: {timeout: 600ms}", 0.6),
    "tries-again": Limit("limits: {timeout: 1200ms, max_steps: 3}", 1.2, frozenset({"max_steps"})),
    "last-words": Limit("limits: {timeout: 800ms, max_steps: 2}\non_limit: answer", 0.8, frozenset({"max_steps"})),
    "tokens": Limit("limits: {timeout: 1s, max_total_tokens: 400}", 1.0, frozenset({"max_total_tokens"})),
}
RETRIES = {"short": 0, "tries-again": 2, "last-words": 1, "tokens": 1}
PROTOCOL = r"""
  instructions: "Write CALL tool WITH {…} or SAY answer."
  call: '^CALL (?P<name>\w+) WITH (?P<arguments>.*)$'
  answer: '(?s)^SAY (?P<answer>.*)'
"""


@dataclass(frozen=True)
class Case:
    fault: str
    mode: str
    limit: str
    watched: bool

    def __str__(self) -> str:
        return f"{self.fault}, {self.mode}, {self.limit}, {'watched' if self.watched else 'unwatched'}"


ALONE = "ten-megabytes"


def cases(name: str) -> list[Case]:
    """All of one fault's."""
    watched = [each for each in (False, True) if FAULTS[name].streamed in (None, each)]
    return [Case(name, mode, limit, watch) for mode in MODES for limit in LIMITS for watch in watched]


def agent(folder: Path, case: Case, url: str) -> Agent:
    parsing = f"{{mode: {case.mode}}}" if case.mode != "text" else f"\n  mode: text{PROTOCOL}"
    text = dedent("""\
        name: tested
        model: {{name: hosted_vllm/m, api_base: "{url}", api_key: canary-key-1234, retries: {retries}}}
        instructions: Be brief.
        tools: [current_time]
        parsing: {parsing}
        {limits}
        """).format(url=url, retries=RETRIES[case.limit], parsing=parsing, limits=LIMITS[case.limit].yaml)
    file = folder / f"{case.fault}-{case.mode}-{case.limit}-{case.watched}.yaml"
    file.write_text(text, encoding="utf-8")
    return load_agent(file)


async def ended(tested: Agent, *, watched: bool) -> list[Event]:
    return [event async for event in tested.stream("What time is it?", watch=watched)]


async def wrong(case: Case, folder: Path) -> str | None:
    """What is wrong with how a run ended."""
    with OpenAIServer(then=FAULTS[case.fault].entry) as server:
        events = await ended(agent(folder, case, server.url), watched=case.watched)
    finished = events[-1]
    if not isinstance(finished, RunFinished):
        return f"{case}: the last event is {finished}"
    limit = LIMITS[case.limit]
    expected = FAULTS[case.fault].ends | limit.ends
    if finished.seconds > limit.timeout / 2:
        expected |= {"timeout"}  # a busy machine may need all the time there is
    problems = [
        f"{LATE} {finished.seconds:.2f} s" if finished.seconds > limit.timeout + OVERSHOOT else "",
        f"it ended as {finished.status}" if finished.status not in expected else "",
        f"exit code {exit_code(finished)}" if exit_code(finished) != EXIT_CODES[finished.status] else "",
        "it tells no error" if not finished.error and finished.status != "completed" else "",
        f"more than a line: {finished.error!r}" if "\n" in (finished.error or "") else "",
        f"it tells of our insides: {finished.error}" if "Traceback" in (finished.error or "") else "",
        f"it shows the key: {events}" if "canary-key-1234" in repr(events) else "",
    ]
    told = "; ".join(filter(None, problems))
    return f"{case}: {told} ({finished.error})" if told else None


async def all_wrong(these: Sequence[Case], folder: Path, *, at_once: int = AT_ONCE) -> list[str]:
    """Everything wrong with these cases, a few of them at once; what was late gets another chance alone."""
    found: list[str] = []
    for start in range(0, len(these), at_once):
        together = these[start : start + at_once]
        told = await asyncio.gather(*(wrong(case, folder) for case in together))
        for case, first in zip(together, told, strict=True):
            problem = first
            for _ in range(CHANCES - 1):
                if problem is None or LATE not in problem:
                    break
                problem = await wrong(case, folder)
            found += filter(None, [problem])
    return found


@pytest.mark.parametrize("name", sorted(FAULTS.keys() - {ALONE}))
async def test_every_run_ends_in_time_with_its_status(name: str, tmp_path: Path) -> None:
    before = asyncio.all_tasks()

    found = await all_wrong(cases(name), tmp_path)

    assert found == []
    await asyncio.sleep(0.05)  # what the garbage collector closes, it closes in a task of its own
    assert asyncio.all_tasks() == before


@pytest.mark.parametrize("mode", MODES)
async def test_ten_megabytes_are_read_or_left_in_time(mode: str, tmp_path: Path) -> None:
    """One at a time, because whoever reads so much holds up the others."""
    found = await all_wrong([Case(ALONE, mode, "tries-again", watched=False)], tmp_path)

    assert found == []


@pytest.mark.parametrize("mode", MODES)
async def test_a_model_that_never_stops_calling_is_stopped(mode: str, tmp_path: Path) -> None:
    voice = VOICES[mode]
    said = [voice.calls(("current_time", {"place": place})) for place in ("Oslo", "Rome", "Lima")]
    replies = [Reply(each.text, calls=[Call(call.name, call.arguments) for call in each.tool_calls]) for each in said]
    case = Case("calls-for-ever", mode, "tries-again", watched=False)
    with OpenAIServer([], then=lambda request: replies[len(request.body["messages"]) % 3]) as server:
        events = await ended(agent(tmp_path, case, server.url), watched=False)

    finished = events[-1]
    assert isinstance(finished, RunFinished)
    assert (finished.status, finished.steps) == ("max_steps", 3)
    assert finished.seconds < LIMITS[case.limit].timeout + OVERSHOOT


def test_there_are_as_many_cases_as_we_say() -> None:
    assert sum(len(cases(name)) for name in FAULTS.keys() - {ALONE}) >= 200
