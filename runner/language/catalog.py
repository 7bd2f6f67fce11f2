"""The tools an agent may name: those declared in the project's `tools.d`, and the toolkit shipped with the runner."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path as FilePath

from runner.diagnostics import Diagnostic, Location, Related
from runner.language.document import Document, Path
from runner.spec import JsonObject

CODES = {"RUN303": "a tool declared twice"}


@dataclass(frozen=True, kw_only=True, slots=True)
class DeclaredTool:
    """A tool as declared, in a toolset or inline in an agent; `path` is where in `document`."""

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
    """All toolsets of a project; of tools with the same name the first is `tools`', the others are `repeated`."""

    toolsets: tuple[Toolset, ...]
    tools: Mapping[str, DeclaredTool]
    repeated: tuple[DeclaredTool, ...]

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


def make_toolset(file: str, document: Document | None, diagnostics: Iterable[Diagnostic]) -> Toolset:
    """A toolset of a document that may be malformed: what is no tool with a name is left to its diagnostics."""
    declared = document.data.get("tools") if document else None
    tools = [
        DeclaredTool(name=data["name"], data=data, document=document, path=("tools", index))
        for index, data in enumerate(declared if isinstance(declared, list) else ())
        if document and isinstance(data, dict) and isinstance(data.get("name"), str)
    ]
    return Toolset(file=file, document=document, diagnostics=tuple(diagnostics), tools=tuple(tools))


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
    """The YAML files in `tools.d` and in its folders, one level deep: a toolset may have a folder for its Python."""
    if not folder.is_dir():
        return []
    found = [path for pattern in ("*.yaml", "*.yml", "*/*.yaml", "*/*.yml") for path in folder.glob(pattern)]
    return sorted(path for path in found if path.is_file() and not _hidden(path.relative_to(folder)))


def _hidden(path: FilePath) -> bool:
    return any(part.startswith((".", "__")) for part in path.parts)
