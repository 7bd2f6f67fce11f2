"""What a tool selects of a response is written in JMESPath."""

from collections.abc import Iterator, Mapping

from runner.diagnostics import Diagnostic
from runner.language import selection
from runner.language.catalog import DeclaredTool
from runner.language.passages import ScalarPassage, diagnostic_in
from runner.language.requests import declaration, is_filled_in
from runner.spec import ProjectSpec

CODES = {"RUN519": "a selection that is no JMESPath"}


def check_tool(tool: DeclaredTool, project: ProjectSpec) -> Iterator[Diagnostic]:
    """Read `response.select`."""
    del project
    declared = declaration(tool)
    response = declared.get("response")
    select = response.get("select") if isinstance(response, Mapping) else None
    if declared.get("type") not in ("http", "openapi") or not isinstance(select, str) or not select:
        return
    if is_filled_in(select):
        return  # said of what is filled in there: that it is not
    mistake = selection.check(select)
    if mistake is not None:
        passage = ScalarPassage(document=tool.document, path=(*tool.path, "response", "select"), value=select)
        message = f"this is no JMESPath: {mistake.message}"
        place = (min(mistake.start, len(select) - 1), len(select))
        yield diagnostic_in(passage, "RUN519", message, place, suggestion=mistake.suggestion)
