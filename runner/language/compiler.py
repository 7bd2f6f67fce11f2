"""Documents -> AgentSpec: everything checked, every reference followed, nothing of YAML left."""

from dataclasses import dataclass
from pathlib import Path

from runner.diagnostics import Diagnostic
from runner.language.catalog import DeclaredTool
from runner.language.checks import check_agent
from runner.language.durations import seconds
from runner.language.passages import text_of
from runner.language.paths import place_of
from runner.language.references import MergedAgent
from runner.language.workspace import Workspace
from runner.spec import (
    AgentSpec,
    ExampleCall,
    ExampleSpec,
    InputSpec,
    Json,
    JsonObject,
    Limits,
    ModelSpec,
    ParsingSpec,
    Text,
    ToolChoice,
    ToolSpec,
)

# What an agent without a prompt asks: the text given on the command line.
DEFAULT_PROMPT = "{{ input }}"
_WHOLE = frozenset({"max_tokens", "max_retries", "max_steps", "max_tool_calls", "max_parallel_tools"})
_DURATIONS = frozenset({"timeout", "tool_timeout"})
# The keys that all types of tools have; a type's own keys are its settings.
_OF_EVERY_TOOL = frozenset(
    {"name", "type", "description", "parameters", "timeout", "risk", "idempotent", "return_direct"}
)


@dataclass(frozen=True, kw_only=True, slots=True)
class Compiled:
    """An agent compiled. `spec` is None exactly if one of the diagnostics is an error."""

    spec: AgentSpec | None
    diagnostics: tuple[Diagnostic, ...]


def compile_agent(
    path: Path, *, display: str | None = None, model: str | None = None, cache: Workspace | None = None
) -> Compiled:
    """Read, check and compile the agent in a file. Nothing is imported, fetched or run.

    Args:
        path: the agent's file.
        display: its name in messages, by default `path` (relative to the current folder when inside of it).
        model: a model that replaces the one written; the file's `api_base`, `api_key` and `capabilities` belong to
            that one's server and are dropped with it.
        cache: files already read, to share between the agents of one check.
    """
    checked = check_agent(path, cache or Workspace(), display=display, model=model)
    spec = _agent(checked.agent) if checked.agent is not None and checked.usable else None
    return Compiled(spec=spec, diagnostics=checked.diagnostics)


def _agent(agent: MergedAgent) -> AgentSpec:
    file = place_of(agent.document)
    instructions = agent.texts.get(("instructions",))
    prompt = agent.texts.get(("prompt",))
    return AgentSpec(
        name=agent.value("name"),
        file=str(file),
        project=agent.project.spec,
        model=_model(agent),
        description=agent.value("description") or "",
        metadata=agent.value("metadata") or {},
        inputs=tuple(InputSpec(name=name, schema=schema) for name, schema in (agent.value("inputs") or {}).items()),
        instructions=text_of(instructions) if instructions else None,
        prompt=text_of(prompt) if prompt else Text(value=DEFAULT_PROMPT, origin=f"{agent.document.file}:1"),
        examples=tuple(_example(agent, index) for index in range(len(agent.value("examples") or ()))),
        tools=tuple(_tool(use.tool) for use in agent.tools if use.tool is not None),
        tool_choice=ToolChoice(**_fields(agent.value("tool_choice"))),
        parsing=_parsing(agent),
        output_schema=agent.value("output_schema"),
        limits=Limits(**_fields(agent.value("limits"))),
    )


def _model(agent: MergedAgent) -> ModelSpec:
    fields = _fields(agent.value("model"))
    for key in ("api_base", "api_key"):
        if key in fields:
            fields[key] = Text(value=fields[key], origin=agent.origin("model", key))
    if "capabilities" in fields:
        fields["capabilities"] = _fields(fields["capabilities"])
    return ModelSpec(**fields, origin=agent.origin("model", "name"))


def _parsing(agent: MergedAgent) -> ParsingSpec:
    fields = _fields(agent.value("parsing"))
    for key in ("instructions", "result"):
        if key in fields:
            fields[key] = text_of(agent.texts["parsing", key])
    if isinstance(fields.get("labels"), dict):
        fields["labels"] = _fields(fields["labels"])
    if "stop" in fields:
        fields["stop"] = (fields["stop"],) if isinstance(fields["stop"], str) else tuple(fields["stop"])
    return ParsingSpec(**fields)


def _example(agent: MergedAgent, index: int) -> ExampleSpec:
    calls: list[JsonObject] = agent.value("examples", index, "calls") or []
    return ExampleSpec(
        user=text_of(agent.texts["examples", index, "user"]),
        calls=tuple(
            ExampleCall(tool=call["tool"], arguments=call.get("arguments", {}), result=call["result"]) for call in calls
        ),
        answer=text_of(agent.texts["examples", index, "answer"]),
    )


def _tool(tool: DeclaredTool) -> ToolSpec:
    fields = _fields(tool.data)
    return ToolSpec(
        **{key: value for key, value in fields.items() if key in _OF_EVERY_TOOL},
        settings={key: value for key, value in fields.items() if key not in _OF_EVERY_TOOL},
        folder=str(place_of(tool.document).parent),
        origin=f"{tool.document.file}:{tool.document.span(tool.path).line}",
    )


def _fields(data: JsonObject | None) -> dict[str, Json]:
    """Checked keys as the fields of a spec: `x-` keys gone, durations in seconds, whole numbers as int."""
    fields = {key: value for key, value in (data or {}).items() if not key.startswith("x-")}
    for key, value in fields.items():
        if key in _DURATIONS:
            fields[key] = seconds(value)
        elif isinstance(value, float) and key.startswith("max_"):
            fields[key] = int(value)  # JSON Schema takes 3.0 for an integer
    return fields
