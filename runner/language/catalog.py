"""The tools an agent may name: those declared in the project's `tools.d`, and the toolkit shipped with the runner."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path as FilePath

from runner.diagnostics import Diagnostic, Location, Related
from runner.language import expansions
from runner.language.document import Document, Path
from runner.language.expansions import EXPANSIONS, SpecFiles
from runner.language.function_source import Parameters
from runner.language.openapi.reading import looks_like_openapi
from runner.spec import Json, JsonObject

CODES = {"RUN303": "a tool declared twice", **expansions.CODES}


@dataclass(frozen=True, kw_only=True, slots=True)
class DeclaredTool:
    """A tool as declared, in a toolset or inline in an agent; `path` is where in `document`.

    Of a tool that another one stands for (an operation of an OpenAPI document), `data` is what would be written to
    declare it, and `path` is where the other one is.
    """

    name: str
    data: JsonObject
    document: Document
    path: Path

    @property
    def location(self) -> Location:
        """Where its name stands."""
        return Location(file=self.document.file, span=self.document.span((*self.path, "name")))


@dataclass(frozen=True, kw_only=True, slots=True)
class Toolset:
    """A toolset file.

    Attributes:
        file: its name as people here write it.
        document: None when its text cannot be understood.
        diagnostics: what is wrong with its text and structure.
        tools: those of its tools that have a name.
    """

    file: str
    document: Document | None
    diagnostics: tuple[Diagnostic, ...]
    tools: tuple[DeclaredTool, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class Catalog:
    """All toolsets of a project; of tools with the same name the first is `tools`', the others are `repeated`.

    `signatures` notes what the functions of its Python tools take, by the tool's name: a hundred agents may use one.
    """

    toolsets: tuple[Toolset, ...]
    tools: Mapping[str, DeclaredTool]
    repeated: tuple[DeclaredTool, ...]
    signatures: dict[str, Parameters | None] = field(default_factory=dict, compare=False, repr=False)

    def toolset_of(self, tool: DeclaredTool) -> Toolset | None:
        """The toolset a tool is declared in; None for an inline tool."""
        return next((each for each in self.toolsets if each.document is tool.document), None)

    def repeats(self, names: Iterable[str]) -> Iterator[Diagnostic]:
        """The second and later declarations of these names."""
        wanted = set(names)
        for tool in self.repeated:
            if tool.name in wanted:
                yield repeated(tool, self.tools[tool.name])


def repeated(tool: DeclaredTool, first: DeclaredTool) -> Diagnostic:
    """The complaint about a tool whose name is taken."""
    return tool.document.diagnostic(
        "RUN303",
        f"tool '{tool.name}' is declared twice",
        (*tool.path, "name"),
        suggestion="give it another name",
        related=(Related(message="first declared", location=first.location),),
    )


def declared_tools(
    data: Json, document: Document, path: Path, root: FilePath, specs: SpecFiles
) -> tuple[tuple[DeclaredTool, ...], tuple[Diagnostic, ...]]:
    """The tools that an entry of `tools` declares, and what is wrong with those it stands for.

    Args:
        data: the entry, which may be malformed: what is no tool with a name is left to the schema.
        document: what it is written in.
        path: where in `document`.
        root: the root folder of its project.
        specs: the OpenAPI documents already read.
    """
    if not isinstance(data, dict):
        return (), ()
    kind, name = data.get("type"), data.get("name")
    if isinstance(kind, str) and kind in EXPANSIONS:
        expansion = EXPANSIONS[kind](data, document, path, root, specs)
        tools = (DeclaredTool(name=tool["name"], data=tool, document=document, path=path) for tool in expansion.tools)
        return tuple(tools), expansion.diagnostics
    if not isinstance(name, str):
        return (), ()
    return (DeclaredTool(name=name, data=data, document=document, path=path),), ()


def make_toolset(
    file: str, document: Document | None, diagnostics: Iterable[Diagnostic], root: FilePath, specs: SpecFiles
) -> Toolset:
    """A toolset of a document that may be malformed; `root` and `specs` are as `declared_tools` has them."""
    declared = document.data.get("tools") if document else None
    tools: list[DeclaredTool] = []
    problems = list(diagnostics)
    for index, data in enumerate(declared if isinstance(declared, list) else ()):
        if document is not None:
            found, wrong = declared_tools(data, document, ("tools", index), root, specs)
            tools += found
            problems += wrong
    return Toolset(file=file, document=document, diagnostics=tuple(problems), tools=tuple(tools))


def make_catalog(toolsets: Iterable[Toolset], toolkit: Toolset) -> Catalog:
    """The catalog of a project; its own tools may replace those of the toolkit."""
    own = tuple(toolsets)
    tools: dict[str, DeclaredTool] = {}
    declared = [tool for toolset in own for tool in toolset.tools]
    repeats = [tool for tool in declared if tools.setdefault(tool.name, tool) is not tool]
    for tool in toolkit.tools:
        tools.setdefault(tool.name, tool)
    return Catalog(toolsets=(*own, toolkit), tools=tools, repeated=tuple(repeats))


def toolset_files(folder: FilePath) -> list[FilePath]:
    """The YAML files in `tools.d` and in its folders, one level deep: a toolset may have a folder for its Python.

    OpenAPI documents may lie beside the toolsets that name them.
    """
    if not folder.is_dir():
        return []
    found = [path for pattern in ("*.yaml", "*.yml", "*/*.yaml", "*/*.yml") for path in folder.glob(pattern)]
    visible = (path for path in found if path.is_file() and not _hidden(path.relative_to(folder)))
    return sorted(path for path in visible if not looks_like_openapi(path))


def _hidden(path: FilePath) -> bool:
    return any(part.startswith((".", "__")) for part in path.parts)
