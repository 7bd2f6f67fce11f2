"""Puts a compiled agent together with a model, tools and a parsing mode, and runs it."""

import asyncio
import os
import threading
from collections.abc import AsyncGenerator, Coroutine, Mapping
from contextlib import aclosing
from dataclasses import dataclass, fields, replace
from functools import partial
from pathlib import Path
from typing import Any

from runner.diagnostics import Diagnostic
from runner.engine.conversation import Conversation
from runner.engine.events import Event, RunFinished
from runner.engine.loop import run
from runner.engine.messages import AssistantMessage, Message, ToolCall, ToolResult, ToolResults, UserMessage
from runner.engine.ports import Capabilities, Model, ModelRequest, ParsingMode, Tool
from runner.engine.scope import RunControl
from runner.engine.task import Task
from runner.environment import VariableError, expand, expand_model
from runner.inputs import needs_text, resolve_inputs
from runner.language.compiler import compile_agent
from runner.language.schema import problems
from runner.masking import masked
from runner.models import local, open_model
from runner.parsing import Setting, choose_mode
from runner.parsing.mending import Mender
from runner.parsing.output import Output
from runner.prompts import PromptError, render
from runner.spec import AgentSpec, ExampleSpec, Json, ModelSpec, Text
from runner.tools import ToolLoadError, open_tool


class InvalidAgent(Exception):  # noqa: N818 - it is the agent that is in error
    """The agent's file, or one it refers to, has errors; `diagnostics` are what `runner validate` shows."""

    def __init__(self, diagnostics: tuple[Diagnostic, ...]) -> None:
        errors = [diagnostic for diagnostic in diagnostics if diagnostic.severity == "error"]
        super().__init__("\n".join(f"{each.location}: {each.message} [{each.code}]" for each in errors))
        self.diagnostics = diagnostics


def load_agent(path: str | Path, *, model: str | None = None) -> "Agent":
    """Compile the agent of a file; nothing of it is run yet.

    Args:
        path: the agent's YAML file.
        model: answers instead of the model the file names, as `provider/model`.

    Raises:
        InvalidAgent: the file, or one it refers to, has errors.
    """
    compiled = compile_agent(Path(path), model=model)
    if compiled.spec is None:
        raise InvalidAgent(compiled.diagnostics)
    return Agent(compiled.spec)


@dataclass(frozen=True, kw_only=True, slots=True)
class Preview:
    """What a run would begin with.

    Attributes:
        parsing: the parsing mode that would read the replies, never `auto`.
        request: the first call of the model, but for its timeout; LiteLLM translates it for the provider.
        capabilities: what the agent itself says of its model, which is all that is known before a run.
        undecided: the capabilities that are unknown, and on which the request depends.
    """

    parsing: str
    request: ModelRequest
    capabilities: Capabilities
    undecided: tuple[str, ...]


class Agent:
    """An agent that can be run any number of times, also concurrently.

    Args:
        spec: the compiled agent.
        model: answers instead of the model that the spec names (`ScriptedModel` in tests, or one of your own).
    """

    def __init__(self, spec: AgentSpec, *, model: Model | None = None) -> None:
        self.spec = spec
        self._model = model
        self._tools: Mapping[str, Tool] | None = None
        self._loading = threading.Lock()

    @property
    def needs_text(self) -> bool:
        """Whether its templates use the text of the run, `input`."""
        return needs_text(self.spec)

    def run(self, text: str | None = None, *, inputs: Mapping[str, object] | None = None) -> RunFinished:
        """Run to the end and return the outcome; look at its `status` before its `answer`.

        Raises:
            InputError: the inputs do not fit; nothing was done.
        """
        return _from_sync(self._finish(text, inputs))

    async def _finish(self, text: str | None, inputs: Mapping[str, object] | None) -> RunFinished:
        async with aclosing(self.stream(text, inputs=inputs, watch=False)) as events:
            async for event in events:
                if isinstance(event, RunFinished):
                    return event
        raise RuntimeError("the run ended without RunFinished")

    async def stream(
        self,
        text: str | None = None,
        *,
        inputs: Mapping[str, object] | None = None,
        watch: bool = True,
        control: RunControl | None = None,
    ) -> AsyncGenerator[Event, None]:
        """Run, and yield what happens; the last event is always `RunFinished`.

        Args:
            text: what the person asks; the templates know it as `input`.
            inputs: values of the declared inputs.
            watch: whether the model is asked to stream, which costs more per token.
            control: ends the run from outside.

        Raises:
            InputError: the inputs do not fit; nothing was done.
        """
        values = resolve_inputs(self.spec, inputs, text=text)
        try:
            settings, secrets = expand_model(self.spec.model, os.environ)
            tools = self._open_tools()
            task = _task(self.spec, values, watch=watch)
        except (VariableError, ToolLoadError, PromptError) as error:
            yield RunFinished(status="config_invalid", answer=None, error=str(error))
            return
        events = run(
            task,
            model=self._model or open_model(settings),
            tools=tools,
            choose_mode=partial(self._mode, tools),
            control=control,
        )
        async with aclosing(events):
            async for event in events:
                yield masked(event, secrets)

    def preview(self, text: str | None = None, *, inputs: Mapping[str, object] | None = None) -> Preview:
        """What a run would send first; nobody is asked, and no key, network or environment variable is needed.

        As in a run, the modules of Python tools are imported.

        Raises:
            InputError: the inputs do not fit.
            ToolLoadError: a tool cannot be used as it is declared.
            PromptError: a template cannot be rendered.
        """
        values = resolve_inputs(self.spec, inputs, text=text)
        tools = self._open_tools()
        task = _task(self.spec, values, watch=False)

        def first(capabilities: Capabilities) -> ModelRequest:
            return _first_request(task, self._mode(tools, capabilities))

        known = _known_capabilities(self.spec.model)
        request = first(known)
        undecided = tuple(
            each.name
            for each in fields(known)
            if getattr(known, each.name) is None
            and any(first(replace(known, **{each.name: value})) != request for value in (True, False))
        )
        parsing = self._mode(tools, known).name
        return Preview(parsing=parsing, request=request, capabilities=known, undecided=undecided)

    def _mode(self, tools: Mapping[str, Tool], capabilities: Capabilities) -> ParsingMode:
        schema = self.spec.output_schema
        setting = Setting(
            spec=self.spec.parsing,
            tools=[tool.definition for tool in tools.values()],
            capabilities=capabilities,
            output=None if schema is None else Output(schema=schema, problems=problems),
            folder=Path(self.spec.file).parent,
            mender=Mender(problems),
        )
        return choose_mode(setting)

    def _open_tools(self) -> Mapping[str, Tool]:
        """The tools, opened at the first run: opening a Python tool runs its module."""
        with self._loading:
            if self._tools is None:
                cap = self.spec.limits.max_tool_result_chars
                self._tools = {
                    tool.name: open_tool(tool, self.spec.project, max_result_chars=cap) for tool in self.spec.tools
                }
        return self._tools


def _known_capabilities(model: ModelSpec) -> Capabilities:
    try:
        name = expand(Text(value=model.name, origin=model.origin), os.environ).value
    except VariableError:
        name = model.name
    known = local.CAPABILITIES if name.startswith(local.PREFIX) else Capabilities()
    return replace(known, **model.capabilities)


def _first_request(task: Task, mode: ParsingMode) -> ModelRequest:
    conversation = Conversation(mode, mode.system(task.instructions))
    for message in (*task.examples, UserMessage(text=task.prompt)):
        conversation.add(message)
    return mode.request(conversation.wire, task.tool_choice)


def _task(spec: AgentSpec, values: Mapping[str, Json], *, watch: bool) -> Task:
    folder = Path(spec.file).parent

    def filled(text: Text) -> str:
        return render(text, values, folder=folder)

    return Task(
        agent=spec.name,
        instructions=filled(spec.instructions) if spec.instructions else "",
        examples=tuple(
            message
            for number, example in enumerate(spec.examples)
            for message in _turns(example, number, user=filled(example.user), answer=filled(example.answer))
        ),
        prompt=filled(spec.prompt),
        tool_choice=spec.tool_choice,
        limits=spec.limits,
        max_retries=spec.parsing.max_retries,
        watch=watch,
    )


def _turns(example: ExampleSpec, number: int, *, user: str, answer: str) -> list[Message]:
    """An example as the turns of a conversation that has already been."""
    turns: list[Message] = [UserMessage(text=user)]
    for index, made in enumerate(example.calls):
        call = ToolCall(id=f"example_{number}_{index}", name=made.tool, arguments=made.arguments)
        turns += [AssistantMessage(calls=(call,)), ToolResults(results=((call, ToolResult(content=made.result)),))]
    return [*turns, AssistantMessage(text=answer)]


def _from_sync(work: Coroutine[Any, Any, RunFinished]) -> RunFinished:
    """Run a coroutine to its end, also where an event loop is already running (a notebook)."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(work)
    outcome: list[RunFinished | BaseException] = []

    def in_thread() -> None:
        try:
            outcome.append(asyncio.run(work))
        except BaseException as error:  # noqa: BLE001 - raised again in the thread that waits
            outcome.append(error)

    thread = threading.Thread(target=in_thread, name="runner")
    thread.start()
    thread.join()
    if isinstance(outcome[0], BaseException):
        raise outcome[0]
    return outcome[0]
