"""An agent for tests of chats: its model does what it is told, and else tells what it has heard."""

import asyncio
import os
from collections.abc import AsyncGenerator
from dataclasses import replace
from pathlib import Path

from runner.agent import Agent
from runner.engine.ports import Capabilities, Delta, ModelError, ModelReply, ModelRequest, RawToolCall
from runner.spec import AgentSpec, FeedbackSpec, Limits, ModelSpec, ParsingSpec, ProjectSpec, Text, ToolSpec
from tests.cli.fakes import SPEC

SAMPLES = Path(__file__).parent / "samples"


class Talker:
    """A model that does what it is told, by the last thing a person said, and else tells all it has heard."""

    retries = 0

    def __init__(self, name: str) -> None:
        self.name = name

    async def open(self) -> Capabilities:
        """Nothing is known of it."""
        if self.name == "scripted/unconfigured":
            raise ModelError("scripted/unconfigured: no key", configuration=True)
        return Capabilities()

    async def ask(self, request: ModelRequest) -> AsyncGenerator[Delta | ModelReply, None]:
        """Answer."""
        said = [str(message["content"]) for message in request.messages if message["role"] == "user"]
        last = request.messages[-1]
        reply = ModelReply(text=f"heard: {' | '.join(said)}", finish_reason="stop")
        if last["role"] == "tool":
            reply = ModelReply(text=f"the tool said: {last['content']}", finish_reason="stop")
        elif said[-1].startswith("wipe"):
            call = RawToolCall(id=f"call_{len(said)}", name="wipe", arguments=f'{{"disk": "{said[-1][5:]}"}}')
            reply = ModelReply(text="I will wipe it.", tool_calls=(call,))
        elif said[-1] == "wait":
            yield Delta(text="It is half ")
            os.write(2, b"[waiting]")
            await asyncio.sleep(3600)
        elif said[-1] == "lessons":
            reply = ModelReply(text=f"told: {request.messages[0]['content']}", finish_reason="stop")
        elif said[-1] == "fail":
            raise ModelError("scripted/model: no credit left (402)")
        elif said[-1] == "break":
            raise ZeroDivisionError("a mistake of ours")
        if request.stream and reply.text:
            yield Delta(text=reply.text[:5])
        yield reply

    async def close(self) -> None:
        """There is nothing to let go of."""


def agent_in(folder: Path, *, model: str = "scripted/model", name: str = "clock", remember: bool = False) -> Agent:
    """An agent with one dangerous tool, in a project in `folder`."""
    tool = ToolSpec(
        name="wipe",
        type="python",
        description="Wipe a disk.\nFor good.",
        risk="high",
        settings={"function": "chat_tools:wipe"},
        folder=str(SAMPLES),
    )
    project = ProjectSpec(root=str(folder), tools_folder=str(folder), state_dir=str(folder / "state"))
    spec: AgentSpec = replace(
        SPEC,
        name=name,
        feedback=FeedbackSpec(remember=remember),
        project=project,
        tools=(tool,),
        model=ModelSpec(name=model, api_key=Text(value="${TALKER_KEY:-}", origin="clock.yaml:2")),
        parsing=ParsingSpec(mode="native"),
        limits=Limits(timeout=60),
    )
    return Agent(spec, model=Talker(model))
