"""An agent uses no tool that is riskier than its project allows."""

from collections.abc import Iterator

from runner.diagnostics import Diagnostic, Location, Related
from runner.language.policy import RISKS
from runner.language.references import MergedAgent

CODES = {"RUN705": "a tool whose risk is above what the project allows"}


def check(agent: MergedAgent) -> Iterator[Diagnostic]:
    """Complain where the agent names the tool: declaring it is no risk."""
    project = agent.project
    if project.document is None:
        return
    policy = Location(file=project.document.file, span=project.document.span(("max_risk",)))
    highest = project.spec.max_risk
    for use in agent.tools:
        risk = use.tool.data.get("risk") if use.tool else None
        if use.tool is None or risk not in RISKS or RISKS.index(risk) <= RISKS.index(highest):
            continue
        declared = use.tool.document.span((*use.tool.path, "risk"))
        yield agent.diagnostic(
            "RUN705",
            f"the risk of tool '{use.name}' is {risk}, and {project.document.file} allows {highest} at most",
            use.path,
            suggestion="take it out of 'tools'",
            related=(
                Related(message="its risk is", location=Location(file=use.tool.document.file, span=declared)),
                Related(message="the policy is", location=policy),
            ),
        )
