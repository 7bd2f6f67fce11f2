"""The `retries` of a tool can be used: a call is made again only where that does no harm."""

from collections.abc import Iterator

from runner.diagnostics import Diagnostic
from runner.language.catalog import DeclaredTool
from runner.language.requests import declaration
from runner.spec import ProjectSpec

CODES = {"RUN510": "retries of a tool that are not made"}
_CHANGING = ("POST", "PATCH")


def check_tool(tool: DeclaredTool, project: ProjectSpec) -> Iterator[Diagnostic]:
    """Warn of retries that the tool's kind leaves out, without `idempotent: true`."""
    del project
    declared = declaration(tool)
    retries, method = declared.get("retries"), declared.get("method")
    if not isinstance(retries, int) or retries < 1 or declared.get("idempotent") is True:
        return
    if declared.get("type") == "python":
        message = "a call of a Python tool is not made again, since it may have done something"
    elif declared.get("type") == "http" and method in _CHANGING:
        message = f"a {method} is not sent again, since it may have done something; only one refused with 429 is"
    else:
        return
    yield tool.document.diagnostic(
        "RUN510",
        message,
        (*tool.path, "retries"),
        key=True,
        severity="warning",
        suggestion="if doing it twice is as good as once, write 'idempotent: true'",
    )
