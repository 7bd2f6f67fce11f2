"""The headers of a tool's requests can be sent, each once, and none that the runner writes itself."""

import re
from collections.abc import Iterator, Mapping

from runner.diagnostics import Diagnostic, Location, Related
from runner.language.catalog import DeclaredTool
from runner.language.document import Path
from runner.language.requests import blanked, declaration
from runner.language.wording import clip
from runner.spec import JsonObject, ProjectSpec

CODES = {"RUN517": "a header that cannot be sent"}
_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")  # RFC 9110, 5.6.2
_OURS = frozenset(("host", "content-length", "transfer-encoding"))


def check_tool(tool: DeclaredTool, project: ProjectSpec) -> Iterator[Diagnostic]:
    """Look at the declared headers, those of `auth` included."""
    del project
    declared = declaration(tool)
    if declared.get("type") not in ("http", "openapi"):
        return
    sent: dict[str, Path] = {}
    for name, path in _headers(tool, declared):
        yield from _about_name(tool, name, path)
        first = sent.setdefault(name.lower(), path)
        if first is not path:
            location = Location(file=tool.document.file, span=tool.document.span(first, key=True))
            yield tool.document.diagnostic(
                "RUN517",
                f"header '{clip(name)}' is sent twice",
                path,
                key=True,
                related=(Related(message="also written here", location=location),),
            )
    yield from _values(tool, declared)


def _headers(tool: DeclaredTool, declared: JsonObject) -> Iterator[tuple[str, Path]]:
    """(name, what writes it) of all headers, those of `auth` last."""
    headers, auth = declared.get("headers"), declared.get("auth")
    for name in headers if isinstance(headers, Mapping) else ():
        yield name, (*tool.path, "headers", name)
    if not isinstance(auth, Mapping):
        return
    for way in ("bearer", "basic"):
        if way in auth:
            yield "Authorization", (*tool.path, "auth", way)
    header = auth.get("header")
    if isinstance(header, Mapping) and isinstance(header.get("name"), str):
        yield header["name"], (*tool.path, "auth", "header", "name")


def _about_name(tool: DeclaredTool, name: str, path: Path) -> Iterator[Diagnostic]:
    on_key = "headers" in path[len(tool.path) :][:1]
    if not _NAME.fullmatch(name):
        message = f"'{clip(name)}' is no name of a header: letters, digits and - are allowed, no spaces or colons"
        yield tool.document.diagnostic("RUN517", message, path, key=on_key)
    elif name.lower() in _OURS:
        message = f"the runner writes header '{name}' itself"
        yield tool.document.diagnostic("RUN517", message, path, key=on_key, suggestion="leave it out")


def _values(tool: DeclaredTool, declared: JsonObject) -> Iterator[Diagnostic]:
    headers = declared.get("headers")
    for name, value in headers.items() if isinstance(headers, Mapping) else ():
        path = (*tool.path, "headers", name)
        text = blanked(value).strip() if isinstance(value, str) else ""
        foreign = re.search(r"[^\0-\xff]", text)
        if foreign:
            message = f"header '{clip(name)}' holds '{foreign[0]}', but a header is Latin-1 text"
            yield tool.document.diagnostic("RUN517", message, path)
        elif re.search(r"[\r\n]", text):
            message = f"header '{clip(name)}' has several lines, but a header is one line"
            yield tool.document.diagnostic("RUN517", message, path)
