"""The parts of a request go together: its method sends a body, and no parameter of the query is written twice."""

from collections.abc import Iterator, Mapping
from urllib.parse import unquote_plus

from runner.diagnostics import Diagnostic
from runner.language.catalog import DeclaredTool
from runner.language.requests import BLANK, blanked, declaration
from runner.language.wording import clip
from runner.spec import JsonObject, ProjectSpec

CODES = {"RUN518": "parts of a request that do not go together"}
_WITHOUT_BODY = ("GET", "HEAD")


def check_tool(tool: DeclaredTool, project: ProjectSpec) -> Iterator[Diagnostic]:
    """Look at an HTTP tool."""
    del project
    declared = declaration(tool)
    if declared.get("type") != "http":
        return
    method = declared.get("method", "GET")
    if "body" in declared and method in _WITHOUT_BODY:
        written = "method: " if "method" in declared else "without a method it is "
        message = f"a {method} request has no body ({written}{method})"
        suggestion = "write 'method: POST' (or PUT, PATCH), or give it as query"
        yield tool.document.diagnostic("RUN518", message, (*tool.path, "body"), key=True, suggestion=suggestion)
    yield from _repeated(tool, declared)


def _repeated(tool: DeclaredTool, declared: JsonObject) -> Iterator[Diagnostic]:
    in_url = _query_of(declared.get("url"))
    query, auth = declared.get("query"), declared.get("auth")
    names = tuple(query) if isinstance(query, Mapping) else ()
    for name in names:
        if name in in_url:
            message = f"parameter '{clip(name)}' stands in the url already"
            at = (*tool.path, "query", name)
            yield tool.document.diagnostic("RUN518", message, at, key=True, suggestion="write it once")
    of_auth = auth.get("query") if isinstance(auth, Mapping) else None
    name = of_auth.get("name") if isinstance(of_auth, Mapping) else None
    if isinstance(name, str) and (name in names or name in in_url):
        where = "query" if name in names else "the url"
        message = f"parameter '{clip(name)}' stands in {where} already"
        yield tool.document.diagnostic("RUN518", message, (*tool.path, "auth", "query", "name"))


def _query_of(url: object) -> frozenset[str]:
    """The names of the parameters that are written out in an address."""
    text = blanked(url) if isinstance(url, str) else ""
    pairs = text.partition("#")[0].partition("?")[2].split("&")
    names = {unquote_plus(pair.partition("=")[0]) for pair in pairs}
    return frozenset(name for name in names if name and BLANK not in name)
