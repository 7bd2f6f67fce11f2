"""An agent keeps to what its project says about limits."""

from collections.abc import Iterator, Mapping

from runner.diagnostics import Diagnostic, Location, Related
from runner.language.catalog import DeclaredTool
from runner.language.doubt import limits_meant
from runner.language.policy import LIMITS, REQUIRED, amount, beyond
from runner.language.project import ABOVE_MAXIMUM, PROJECT_FILE
from runner.language.references import MergedAgent
from runner.spec import ProjectSpec

CODES = {
    ABOVE_MAXIMUM: "a limit above what the project allows",
    "RUN702": "a limit that the project requires and nobody sets",
}


def check(agent: MergedAgent) -> Iterator[Diagnostic]:
    """Hold the limits in force against the maximum, and look for those that must be set.

    What a later layer lowers is no problem: only what is in force is spent.
    """
    project, limits = agent.project, agent.value("limits")
    if project.document is None:
        return
    for limit, message, suggestion, related in beyond(limits, project.spec.limits, project.document):
        path = ("limits", limit)
        yield agent.diagnostic(ABOVE_MAXIMUM, message, path, suggestion=suggestion, related=(related,))
    if not isinstance(limits, Mapping | None):
        return  # the schema's complaint
    known = limits or {}
    if agent.is_base or not agent.complete:
        return  # another file sets it
    misspelt = limits_meant(key for key in known if key not in LIMITS and not key.startswith("x-"))
    for index, limit in enumerate(project.spec.limits.required):
        if limit in LIMITS and limit not in known and limit not in misspelt:
            place = Location(file=project.document.file, span=project.document.span((*REQUIRED, index)))
            yield agent.document.diagnostic(
                "RUN702",
                f"this agent sets no limit '{limit}', which {project.document.file} requires",
                ("limits",),
                key=True,
                suggestion=f"add 'limits: {{{limit}: …}}'",
                related=(Related(message="required", location=place),),
            )


def check_tool(tool: DeclaredTool, project: ProjectSpec) -> Iterator[Diagnostic]:
    """A tool's own timeout takes the place of `limits.tool_timeout`, so the same maximum holds for it."""
    value = tool.data.get("timeout")
    number, maximum = amount("tool_timeout", value), project.limits.maximum.get("tool_timeout")
    if number is not None and maximum is not None and number > maximum:
        message = f"timeout: {value} is more than the {maximum:g} s that {PROJECT_FILE} allows as tool_timeout"
        place = (*tool.path, "timeout")
        yield tool.document.diagnostic(ABOVE_MAXIMUM, message, place, suggestion=f"write {maximum:g} or less")
