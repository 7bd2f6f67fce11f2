"""With an `output_schema` every answer can be held to it, and nothing else goes by the name of the answer's tool."""

from collections.abc import Iterator

from runner.diagnostics import Diagnostic, Location, Related
from runner.language.catalog import DeclaredTool
from runner.language.references import MergedAgent
from runner.parsing.output import FINAL_ANSWER

CODES = {
    "RUN623": "a tool with the name of the structured answer",
    "RUN624": "a tool whose result would be the answer, past the output schema",
}


def check(agent: MergedAgent) -> Iterator[Diagnostic]:
    """Look at the agent's tools, if its answers have a schema."""
    if agent.value("output_schema") is None:
        return
    for use in agent.tools:
        if use.name == FINAL_ANSWER and _may_be_native(agent):
            message = f"'{use.name}' is the tool that native mode adds to take the answer of an output_schema"
            yield agent.diagnostic("RUN623", message, use.path, suggestion="give yours another name")
        if use.tool is not None and use.tool.data.get("return_direct") is True:
            message = f"the result of '{use.name}' is the answer (return_direct), which output_schema cannot hold it to"
            suggestion = "drop return_direct or output_schema"
            related = (Related(message="return_direct", location=_return_direct(use.tool)),)
            yield agent.diagnostic("RUN624", message, use.path, suggestion=suggestion, related=related)


def _may_be_native(agent: MergedAgent) -> bool:
    mode = agent.value("parsing", "mode") or "auto"
    incapable = agent.value("model", "capabilities", "function_calling") is False
    return mode == "native" or (mode == "auto" and not incapable)


def _return_direct(tool: DeclaredTool) -> Location:
    return Location(file=tool.document.file, span=tool.document.span((*tool.path, "return_direct"), key=True))
