"""Documents -> AgentSpec: everything checked, every reference followed, nothing of YAML left."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path as FilePath

from runner.diagnostics import Diagnostic
from runner.language.catalog import DeclaredTool
from runner.language.checks import check_agent
from runner.language.document import Path
from runner.language.durations import seconds
from runner.language.overrides import Override
from runner.language.passages import text_of
from runner.language.paths import place_of
from runner.language.references import MergedAgent
from runner.language.workspace import Workspace
from runner.prompts import INPUT_ALONE
from runner.spec import (
    AgentSpec,
    ContextSpec,
    ExampleCall,
    ExampleSpec,
    FeedbackSpec,
    InputSpec,
    Json,
    JsonObject,
    Limits,
    ModelSpec,
    ParsingSpec,
    PermissionsSpec,
    Price,
    Text,
    ToolChoice,
    ToolSpec,
)

_DURATIONS = frozenset({"timeout", "tool_timeout"})
# What a fallback that is a name alone does not take over: it belongs to the first model or its server.
_OF_THE_MODEL = frozenset({"name", "api_base", "api_key", "capabilities", "price", "fallbacks"})
# The keys that all types of tools have; a type's own keys are its settings.
_OF_EVERY_TOOL = frozenset(
    {"name", "type", "description", "parameters", "timeout", "retries", "risk", "idempotent", "return_direct"}
)


@dataclass(frozen=True, kw_only=True, slots=True)
class Compiled:
    """An agent compiled. `spec` is None exactly if one of the diagnostics is an error."""

    spec: AgentSpec | None
    diagnostics: tuple[Diagnostic, ...]


def compile_agent(
    path: FilePath,
    *,
    display: str | None = None,
    overrides: Sequence[Override] = (),
    cache: Workspace | None = None,
) -> Compiled:
    """Read, check and compile the agent in a file. Nothing is imported, fetched or run.

    Args:
        path: the agent's file.
        display: its name in messages, by default `path` (relative to the current folder when inside of it).
        overrides: what wins over what is written, the last most. A model's name alone leaves the `api_base`,
            `api_key`, `capabilities` and `price` of the file's model behind.
        cache: files already read, to share between the agents of one check.
    """
    checked = check_agent(path, cache or Workspace(), display=display, overrides=overrides)
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
        model=_model(agent, ("model",)),
        description=agent.value("description") or "",
        metadata=agent.value("metadata") or {},
        inputs=tuple(InputSpec(name=name, schema=schema) for name, schema in (agent.value("inputs") or {}).items()),
        instructions=text_of(instructions) if instructions else None,
        prompt=text_of(prompt) if prompt else Text(value=INPUT_ALONE, origin=f"{agent.document.file}:1"),
        examples=tuple(_example(agent, index) for index in range(len(agent.value("examples") or ()))),
        tools=tuple(tool_spec(use.tool) for use in agent.tools if use.tool is not None),
        tool_choice=ToolChoice(**_fields(agent.value("tool_choice"))),
        parsing=_parsing(agent),
        output_schema=agent.value("output_schema"),
        limits=_limits(agent),
        on_limit=agent.value("on_limit") or "fail",
        context=_context(agent),
        permissions=PermissionsSpec(
            **{kind: tuple(patterns) for kind, patterns in _fields(agent.value("permissions")).items()}
        ),
        feedback=FeedbackSpec(**_fields(agent.value("feedback"))),
    )


def _model(agent: MergedAgent, path: Path, *, inherited: JsonObject | None = None) -> ModelSpec:
    """The model at a path; written as a name alone, it has the parameters of `inherited`."""
    value = agent.value(*path)
    fields = {**(inherited or {}), "name": value} if isinstance(value, str) else _fields(value)
    for key in ("api_base", "api_key"):
        if key in fields:
            fields[key] = Text(value=fields[key], origin=agent.origin(*path, key))
    if "capabilities" in fields:
        fields["capabilities"] = _fields(fields["capabilities"])
    if "price" in fields:
        fields["price"] = Price(**_fields(fields["price"]))
    parameters = {key: value for key, value in fields.items() if key not in _OF_THE_MODEL}
    fallbacks = range(len(fields.pop("fallbacks", ())))
    return ModelSpec(
        **fields,
        fallbacks=tuple(_model(agent, (*path, "fallbacks", index), inherited=parameters) for index in fallbacks),
        origin=_origin(agent, path),
    )


def _origin(agent: MergedAgent, path: Path) -> str:
    """Where a model's name stands; if that is in no file, where its parameters do, which may name variables too."""
    value = agent.value(*path)
    if isinstance(value, str):
        return agent.origin(*path)
    origin = agent.origin(*path, "name")
    elsewhere = origin in agent.options and "${" not in value["name"] and "params" in value
    return agent.origin(*path, "params") if elsewhere else origin


def _limits(agent: MergedAgent) -> Limits:
    """The limits that are set; the others by default, but held to what the project allows."""
    given = _fields(agent.value("limits"))
    default = Limits()
    for name, maximum in agent.project.spec.limits.maximum.items():
        held = getattr(default, name)
        given.setdefault(name, maximum if held is None else min(held, maximum))
    return Limits(**given)


def _context(agent: MergedAgent) -> ContextSpec | None:
    value = agent.value("context")
    if value is None:
        return None
    fields = _fields(value)
    if "model" in fields:
        fields["model"] = _model(agent, ("context", "model"))
    return ContextSpec(**fields)


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


def tool_spec(tool: DeclaredTool) -> ToolSpec:
    """A declared tool, without errors, as the tool types take it."""
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
        elif isinstance(value, float) and key.startswith("max_") and key != "max_cost":
            fields[key] = int(value)  # JSON Schema takes 3.0 for an integer
    return fields
