"""An OpenAPI document from anywhere -> the files of a project that make its operations tools."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path as FilePath
from urllib.parse import urljoin

from runner.diagnostics import Diagnostic
from runner.language.document import parse_document
from runner.language.openapi.expansion import expand
from runner.language.openapi.naming import tool_name
from runner.language.openapi.operations import operations_of, selected
from runner.language.openapi.reading import SpecFile, SpecFiles, parse_spec, require_openapi
from runner.language.openapi.references import References
from runner.language.openapi.security import missing_auth, quoted
from runner.language.paths import real_path, shown
from runner.spec import Json, JsonObject

_NOT_IN_A_FILE = re.compile(r"[^a-z0-9]+")
_MOST_CHARACTERS = 40


@dataclass(frozen=True, kw_only=True, slots=True)
class ImportOrder:
    """What to import.

    Attributes:
        source: where the document comes from: a URL, or the path of a file.
        folder: where the files go when `to` says nothing.
        root: the root folder of the project.
        to: the toolset's file; None means one called after the document's title.
        name: prefix for the names of the tools.
        operations: ids and patterns; empty means all.
        server: its address; None means what the document says.
    """

    source: str
    folder: FilePath
    root: FilePath
    to: FilePath | None = None
    name: str | None = None
    operations: Sequence[str] = ()
    server: str | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Import:
    """What an import would write.

    Attributes:
        files: path -> content; the document first, as it came, then the toolset.
        tools: the names of the tools.
        variables: the environment variables that hold the keys.
        diagnostics: what is wrong; with an error among it there are no files.
    """

    files: Mapping[FilePath, bytes]
    tools: tuple[str, ...]
    variables: tuple[str, ...]
    diagnostics: tuple[Diagnostic, ...]


def plan_import(text: bytes, order: ImportOrder) -> Import:
    """Work out what is written; nothing is.

    Raises:
        SpecError: the text is no OpenAPI document.
        SpecTextError: it cannot be understood at all.
    """
    first = parse_spec(text, FilePath(order.source), display=order.source)
    require_openapi(first)
    title = _title(first.data)
    toolset = order.to or order.folder / f"{slug(order.name) if order.name else title}.yaml"
    ending = "json" if text.lstrip(b"\xef\xbb\xbf \t\r\n")[:1] == b"{" else "yaml"
    place = toolset.with_name(f"{toolset.stem}.openapi.{ending}")
    spec = first.at(real_path(place))
    declaration, variables = _declaration(spec, place, order, title)
    written = _toolset(declaration)
    document, problems = parse_document(written.encode(), display=shown(toolset), path=real_path(toolset))
    if document is None:  # a name or pattern with a character that YAML does not allow
        return Import(files={}, tools=(), variables=(), diagnostics=tuple(problems))
    files = SpecFiles()
    files.hold(spec)
    entry: JsonObject = document.data["tools"][0]
    expansion = expand(entry, document, ("tools", 0), order.root, files)
    is_wrong = any(each.severity == "error" for each in expansion.diagnostics)
    return Import(
        files={} if is_wrong else {place: text, toolset: written.encode()},
        tools=tuple(tool["name"] for tool in expansion.tools),
        variables=variables,
        diagnostics=expansion.diagnostics,
    )


def slug(text: str) -> str:
    """A file's name made of a text, of a document's title or a prefix."""
    name = _NOT_IN_A_FILE.sub("-", text.lower()).strip("-")[:_MOST_CHARACTERS].strip("-")
    return name or "api"


def _title(data: JsonObject) -> str:
    info = data.get("info")
    title = info.get("title") if isinstance(info, dict) else None
    return slug(str(title or ""))


def _declaration(
    spec: SpecFile, place: FilePath, order: ImportOrder, title: str
) -> tuple[dict[str, Json], tuple[str, ...]]:
    """The tool to write, and the environment variables in it."""
    references = References(SpecFiles(), order.root)
    tool: dict[str, Json] = {"type": "openapi", "name": order.name, "spec": f"./{place.name}"}
    tool["operations"] = list(order.operations) or ["*"]
    tool["server"] = order.server or _whole_server(spec, order.source)
    operations = operations_of(spec, references)
    chosen = [each for selector in tool["operations"] for each in selected(operations, selector)]
    prefix = tool_name(order.name or title, None).replace("-", "_").upper()
    missing = missing_auth(chosen, {}, references, prefix=f"{prefix}_")
    if missing is not None:
        tool[missing.key] = missing.value
    kept = {key: value for key, value in tool.items() if value is not None}
    return kept, missing.variables if missing else ()


def _whole_server(spec: SpecFile, source: str) -> str | None:
    """The address of a server that the document gives relative to its own address."""
    servers = spec.data.get("servers")
    first = servers[0] if isinstance(servers, list) and servers else {"url": "/"}
    url = first.get("url") if isinstance(first, dict) else None
    is_relative = isinstance(url, str) and "://" not in url and "{" not in url
    return urljoin(source, url) if is_relative and source.startswith(("http://", "https://")) else None


def _toolset(tool: JsonObject) -> str:
    lines = ['version: "1"', "kind: toolset", "tools:"]
    start = "  - "
    for key, value in tool.items():
        lines.append(f"{start}{key}: {_flow(value)}")
        start = "    "
    return "\n".join([*lines, ""])


def _flow(value: Json) -> str:
    if isinstance(value, Mapping):
        return f"{{{', '.join(f'{key}: {_flow(each)}' for key, each in value.items())}}}"
    if isinstance(value, list):
        return f"[{', '.join(map(_flow, value))}]"
    plain = isinstance(value, str) and re.fullmatch(r"[A-Za-z_./][A-Za-z0-9_./-]*", value)
    return str(value) if plain else quoted(str(value))
