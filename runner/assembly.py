"""Makes of a compiled agent what the engine runs: its task, and its parsing mode."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from runner.engine.messages import AssistantMessage, Message, ToolCall, ToolResult, ToolResults, UserMessage
from runner.engine.ports import Capabilities, ParsingMode, Tool
from runner.engine.task import Task
from runner.language.schema import problems
from runner.parsing.mending import Mender
from runner.parsing.modes import Setting, choose_mode
from runner.parsing.output import Output
from runner.prompts import render
from runner.spec import AgentSpec, ExampleSpec, Json, Text


def mode_of(spec: AgentSpec, tools: Mapping[str, Tool], capabilities: Capabilities) -> ParsingMode:
    """The parsing mode for a model that supports this."""
    schema = spec.output_schema
    setting = Setting(
        spec=spec.parsing,
        tools=[tool.definition for tool in tools.values()],
        capabilities=capabilities,
        output=None if schema is None else Output(schema=schema, problems=problems),
        folder=Path(spec.file).parent,
        mender=Mender(problems),
    )
    return choose_mode(setting)


def task_of(
    spec: AgentSpec,
    values: Mapping[str, Json],
    *,
    watch: bool,
    lessons: Sequence[str] = (),
) -> Task:
    """The work of one run, with the templates filled in; `lessons` are added to the instructions as they are.

    Raises:
        PromptError: a template cannot be rendered.
    """
    folder = Path(spec.file).parent

    def filled(text: Text) -> str:
        return render(text, values, folder=folder)

    return Task(
        agent=spec.name,
        instructions="\n\n".join(
            filter(None, [filled(spec.instructions) if spec.instructions else "", _told(lessons)])
        ),
        examples=tuple(
            message
            for number, example in enumerate(spec.examples)
            for message in _turns(example, number, user=filled(example.user), answer=filled(example.answer))
        ),
        prompt=filled(spec.prompt),
        tool_choice=spec.tool_choice,
        limits=spec.limits,
        on_limit=spec.on_limit,
        permissions=spec.permissions,
        context=spec.context,
        max_retries=spec.parsing.max_retries,
        watch=watch,
    )


def _told(lessons: Sequence[str]) -> str:
    if not lessons:
        return ""
    return "People have corrected you before; keep to that:\n" + "\n".join(f"- {lesson}" for lesson in lessons)


def _turns(example: ExampleSpec, number: int, *, user: str, answer: str) -> list[Message]:
    """An example as the turns of a conversation that has already been."""
    turns: list[Message] = [UserMessage(text=user)]
    for index, made in enumerate(example.calls):
        call = ToolCall(id=f"example_{number}_{index}", name=made.tool, arguments=made.arguments)
        turns += [AssistantMessage(calls=(call,)), ToolResults(results=((call, ToolResult(content=made.result)),))]
    return [*turns, AssistantMessage(text=answer)]
