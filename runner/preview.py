"""What a run of an agent would send first, worked out without asking anybody."""

import os
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Any

from runner.assembly import mode_of
from runner.engine.conversation import opened
from runner.engine.ports import Capabilities, ModelRequest, Tool
from runner.engine.task import Task
from runner.environment import VariableError, expand
from runner.models import local
from runner.spec import AgentSpec, ModelSpec, Text


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


def preview(spec: AgentSpec, tools: Mapping[str, Tool], task: Task) -> Preview:
    """The beginning of a run of `task`."""

    def first(capabilities: Capabilities) -> ModelRequest:
        mode = mode_of(spec, tools, capabilities)
        return mode.request(opened(mode, task).wire, task.tool_choice)

    known = _known_capabilities(spec.model)
    request = first(known)
    undecided = tuple(
        each.name
        for each in fields(known)
        if each.name in ("function_calling", "response_format", "stop")
        and getattr(known, each.name) is None
        and any(first(replace(known, **dict[str, Any]({each.name: value}))) != request for value in (True, False))
    )
    parsing = mode_of(spec, tools, known).name
    return Preview(parsing=parsing, request=request, capabilities=known, undecided=undecided)


def _known_capabilities(model: ModelSpec) -> Capabilities:
    try:
        name = expand(Text(value=model.name, origin=model.origin), os.environ).value
    except VariableError:
        name = model.name
    known = local.CAPABILITIES if name.startswith(local.PREFIX) else Capabilities()
    return replace(known, **dict[str, Any](model.capabilities), price=model.price or known.price)
