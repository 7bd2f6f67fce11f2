"""An agent spec of pydantic-ai -> an agent (https://ai.pydantic.dev/agent-spec)."""

import re

from runner.importing.agent import AgentDraft
from runner.importing.models import model_name
from runner.importing.part import Notes, Origin, Part
from runner.importing.source import ForeignFile
from runner.importing.templates import declare_variables
from runner.spec import Json

_KEYS = frozenset(("model_settings", "capabilities", "deps_schema", "end_strategy", "tool_timeout", "instrument"))
_MODEL = re.compile(r"[\w-]+:\S+")
_HANDLEBARS = re.compile(r"\{\{(?:[#/^>!&{]|\s*else\b)")
_PLAIN_SETTINGS = ("temperature", "max_tokens", "timeout")
_EFFORTS = ("minimal", "low", "medium", "high")


def recognises(file: ForeignFile) -> bool:
    """Whether the file is a spec: `provider:model`, or keys that only specs have."""
    model = file.data.get("model")
    by_model = isinstance(model, str) and _MODEL.fullmatch(model) is not None and "agents" not in file.data
    return file.body is None and (by_model or bool(_KEYS & file.data.keys()))


def convert(file: ForeignFile, notes: Notes) -> list[AgentDraft]:
    """The agent of a spec."""
    spec = Part(file.data, (), notes)
    draft = AgentDraft(spec.text("name"))
    spec.drop("$schema")
    draft.put("description", spec.text("description"), spec, "description")
    draft.put("metadata", spec.mapping("metadata"), spec, "metadata")
    if model := spec.text("model"):
        provider, colon, name = model.partition(":")
        draft.put("model.name", model_name(provider, name) if colon else model, spec, "model")
    _settings(spec, draft)
    _dependencies(spec, draft)
    _instructions(spec, draft)
    draft.put("output_schema", spec.mapping("output_schema"), spec, "output_schema")
    draft.put("limits.tool_timeout", spec.number("tool_timeout"), spec, "tool_timeout")
    _retries(spec, draft)
    _capabilities(spec, draft)
    spec.leave("instrument", "tracing is no part of an agent here")
    spec.finish()
    declare_variables(draft, notes)
    return [draft]


def _settings(spec: Part, draft: AgentDraft) -> None:
    settings = spec.part("model_settings")
    if settings is None:
        return
    for key in _PLAIN_SETTINGS:
        draft.put(f"model.{key}", settings.number(key), settings, key)
    if settings.flag("parallel_tool_calls") is False:
        draft.put("limits.max_parallel_tools", 1, settings, "parallel_tool_calls")
    for key in settings.keys():  # noqa: SIM118 - a Part is no dict
        draft.put(f"model.params.{key}", settings.json(key), settings, key)


def _dependencies(spec: Part, draft: AgentDraft) -> None:
    schema = spec.part("deps_schema")
    properties = schema.part("properties") if schema else None
    if schema is None or properties is None:
        return
    for name in properties.keys():  # noqa: SIM118 - a Part is no dict
        draft.put(f"inputs.{name}", properties.json(name), properties, name)
    schema.drop("type", "required", "title", "additionalProperties")
    schema.finish()


def _instructions(spec: Part, draft: AgentDraft) -> None:
    value = spec.json("instructions")
    texts = [each for each in value if isinstance(each, str)] if isinstance(value, list) else []
    text = value if isinstance(value, str) else "\n\n".join(each.strip("\n") for each in texts)
    if _HANDLEBARS.search(text):
        why = "blocks of Handlebars ('{{#if x}}') are not Jinja; write {% if x %} … {% endif %}"
        spec.notes.add(("instructions",), why)
    draft.put("instructions", text or None, spec, "instructions")


def _retries(spec: Part, draft: AgentDraft) -> None:
    value = spec.json("retries")
    if isinstance(value, dict):
        retries = Part(value, ("retries",), spec.notes)
        draft.put("parsing.max_retries", retries.number("output"), retries, "output")
        retries.leave("tools", "write 'retries' on each tool")
        retries.finish()
    elif isinstance(value, int):
        draft.put("parsing.max_retries", value, spec, "retries")


def _capabilities(spec: Part, draft: AgentDraft) -> None:
    for path, value in spec.items("capabilities"):
        name, given = next(iter(value.items())) if isinstance(value, dict) and value else (value, None)
        effort = _effort(name, given)
        if effort:
            draft.put_from(
                "model.params.reasoning_effort", effort, Origin(place="capabilities", line=spec.notes.line(path))
            )
        else:
            spec.notes.add(path, f"capability '{name}' has no counterpart; write its tools as Python or HTTP tools")


def _effort(name: Json, given: Json) -> str | None:
    if name != "Thinking":
        return None
    effort = given.get("effort") if isinstance(given, dict) else given
    return effort if effort in _EFFORTS else None
