"""Where the project wants every tool in `tools.d`, an agent declares none itself."""

from collections.abc import Iterator

from runner.diagnostics import Diagnostic, Location, Related
from runner.language.project import TOOLS_FOLDER
from runner.language.references import MergedAgent

CODES = {"RUN704": "a tool declared in an agent, which the project does not allow"}


def check(agent: MergedAgent) -> Iterator[Diagnostic]:
    """Complain about each tool that is declared where only names are allowed."""
    project = agent.project
    if project.document is None or project.spec.inline_tools == "allow":
        return
    policy = Location(file=project.document.file, span=project.document.span(("inline_tools",)))
    entries = agent.value("tools")
    for index, entry in enumerate(entries if isinstance(entries, list) else ()):
        if not isinstance(entry, dict):
            continue
        name = entry.get("name")
        what = f"tool '{name}' is declared here" if isinstance(name, str) else "a tool is declared here"
        yield agent.diagnostic(
            "RUN704",
            f"{what}, and {project.document.file} allows none in agents (inline_tools: deny)",
            ("tools", index, "name") if isinstance(name, str) else ("tools", index),
            suggestion=f"declare it in a file of {TOOLS_FOLDER}, and write its name here",
            related=(Related(message="the policy is", location=policy),),
        )
