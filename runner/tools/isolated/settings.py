"""Reads `isolation` of a Python tool's declaration."""

from dataclasses import dataclass

from runner.language.durations import seconds
from runner.language.sizes import size_in_bytes
from runner.spec import ToolSpec

_PROCESS = "process"


@dataclass(frozen=True, kw_only=True, slots=True)
class Isolation:
    """What the process of one call may take.

    Attributes:
        max_memory: bytes; None is no limit.
        max_cpu: seconds of processor time; None is no limit.
    """

    max_memory: int | None = None
    max_cpu: float | None = None


def isolation_of(spec: ToolSpec) -> Isolation | None:
    """How a tool is isolated; None means that it runs in the runner's own process."""
    declared = spec.settings.get("isolation")
    fields = declared if isinstance(declared, dict) else {"mode": declared}
    if fields.get("mode") != _PROCESS:
        return None
    memory, cpu = fields.get("max_memory"), fields.get("max_cpu")
    return Isolation(
        max_memory=None if memory is None else size_in_bytes(memory), max_cpu=None if cpu is None else seconds(cpu)
    )
