"""Follows what an agent's document refers to (`extends`, `*_file`, tools): the agent as one whole, with places kept."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path as FilePath

from runner.diagnostics import Diagnostic
from runner.language.catalog import Catalog, DeclaredTool
from runner.language.document import Document, Path, is_special
from runner.language.extends import follow
from runner.language.merge import Layer, Layered, merge
from runner.language.overrides import Override, document_of
from runner.language.passages import FilePassage, Passage, ScalarPassage
from runner.language.paths import place_of, real_path, shown, similar_name
from runner.language.project import Project
from runner.language.schema import check
from runner.language.source import Source
from runner.language.templates import Template, Templates
from runner.language.workspace import Workspace
from runner.language.yaml12.decoding import MAX_BYTES, decode

CODES = {
    "RUN307": "a file named by an agent that cannot be read",
    "RUN308": "a file named by an agent that lies outside of the project",
    "RUN315": "a base that is not named in a file",
}
# Texts that may be given in a file of their own, under `…_file`.
_TEXTS = ("instructions", "prompt")
# What the command line may add to a document that is no agent without it.
_COMPLETING = frozenset({"name", "instructions", "instructions_file", "prompt", "prompt_file", "parsing"})
# The texts of a protocol are rendered when the inputs of the run are of no concern, with these names.
_PROTOCOL: Mapping[Path, frozenset[str]] = {
    ("parsing", "instructions"): frozenset(("tools",)),
    ("parsing", "result"): frozenset(("name", "arguments", "result")),
}


@dataclass(frozen=True, kw_only=True, slots=True)
class ToolUse:
    """An entry of an agent's `tools`; `tool` is None when nothing has that name."""

    name: str
    path: Path
    tool: DeclaredTool | None


@dataclass(frozen=True, kw_only=True, slots=True)
class MergedAgent(Layered):
    """An agent with all of its layers and files, well formed or not.

    Attributes:
        project: the project its file belongs to.
        texts: its instructions and prompt, the texts of its examples and of its protocol, by path.
        templates: those texts and everything they include.
        tools: its tools, in order.
        catalog: the tools it may name; None if it names none.
        partial: whether the schema was not asked what its own file lacks, since other layers may have it.
        sound: whether text and structure of all layers are right.
        is_base: whether it is only ever extended, so that what it lacks is no mistake.
        complete: whether all files it extends could be read.
    """

    project: Project
    texts: Mapping[Path, Passage]
    templates: tuple[Template, ...]
    tools: tuple[ToolUse, ...]
    catalog: Catalog | None
    partial: bool
    sound: bool
    is_base: bool
    complete: bool


def assemble(
    document: Document, workspace: Workspace, *, overrides: Sequence[Override] = (), is_base: bool = False
) -> tuple[MergedAgent, list[Diagnostic]]:
    """Put an agent together from its document and what it refers to.

    Args:
        document: an agent as read.
        workspace: where further files are read.
        overrides: what wins over what is written, the last most.
        is_base: whether the document is only a base of others.

    Returns:
        The agent, and what is wrong with its layers (text and structure) and the files it names.
    """
    project = workspace.project_of(place_of(document))
    lineage = follow(document, workspace, project)
    layers = _layers(project, document, lineage.documents, overrides)
    merged = Layered(document=document, layers=layers, data=merge(layers))
    partial = is_base or _completed_elsewhere(merged)
    structure = workspace.check(document, "agent", partial=partial)
    text = workspace.read(place_of(document)).diagnostics
    problems = [*text, *project.diagnostics, *lineage.diagnostics, *structure]
    for layer in layers:
        problems += () if layer.in_file else _override_problems(layer)
    texts = _Texts(merged, project)
    templates = _templates(texts, place_of(document).parent)
    catalog = workspace.catalog(project) if merged.value("tools") else None
    uses, inline = _tools(merged, catalog, workspace)
    problems += inline
    agent = MergedAgent(
        document=document,
        layers=layers,
        data=merged.data,
        project=project,
        texts=texts.found,
        templates=tuple(template for each in templates for template in each.found),
        tools=tuple(uses),
        catalog=catalog,
        partial=partial,
        sound=not any(each.severity == "error" for each in problems),
        is_base=is_base,
        complete=lineage.complete,
    )
    return agent, [*problems, *texts.diagnostics, *(problem for each in templates for problem in each.diagnostics)]


def _layers(
    project: Project, agent: Document, documents: tuple[Document, ...], overrides: Sequence[Override]
) -> tuple[Layer, ...]:
    layers = [Layer(data=document.data, document=document) for document in documents]
    if project.document is not None:
        defaults = project.document.data.get("defaults")
        data = defaults if isinstance(defaults, dict) else {}
        layers.insert(0, Layer(data=data, document=project.document, prefix=("defaults",)))
    spoken = (Layer(data=each.data, document=document_of(each, agent), in_file=False) for each in overrides)
    return (*layers, *spoken)


def _override_problems(layer: Layer) -> Iterator[Diagnostic]:
    """What is wrong with a layer that is in no file, taken by itself."""
    yield from check(layer.document, "agent", partial=True)
    if "extends" in layer.data:
        hint = "write it into the agent's file"
        yield layer.document.diagnostic("RUN315", "'extends' is only followed in files", ("extends",), suggestion=hint)


def _completed_elsewhere(agent: Layered) -> bool:
    """Whether what the document lacks may come from its bases, the project file or the command line."""
    own = agent.document.data
    model = own.get("model")
    unnamed = isinstance(model, dict) and "name" not in model
    added = any(_COMPLETING & layer.data.keys() for layer in agent.layers if not layer.in_file)
    return "extends" in own or added or (unnamed and agent.value("model", "name") is not None)


class _Texts:
    """The texts of an agent, those in files of their own read.

    Attributes:
        found: the texts by path; the path is the same wherever the text is.
        files: the real paths of those in files.
        diagnostics: the files that could not be read.
    """

    def __init__(self, agent: Layered, project: Project) -> None:
        self.found: dict[Path, Passage] = {}
        self.files: dict[Path, FilePath] = {}
        self.diagnostics: list[Diagnostic] = []
        for key in _TEXTS:
            self._scalar(agent, (key,))
            self._file(agent, project, key)
        examples = agent.value("examples")
        for index in range(len(examples) if isinstance(examples, list) else 0):
            self._scalar(agent, ("examples", index, "user"))
            self._scalar(agent, ("examples", index, "answer"))
        for path in _PROTOCOL:
            self._scalar(agent, path)

    def _scalar(self, agent: Layered, path: Path) -> None:
        value = agent.value(*path)
        document, found = agent.find(path)
        if isinstance(value, str):
            self.found[path] = ScalarPassage(document=document, path=found, value=value)

    def _file(self, agent: Layered, project: Project, key: str) -> None:
        name = agent.value(f"{key}_file")
        document, found = agent.find((f"{key}_file",))
        if not isinstance(name, str):
            return
        file = real_path(place_of(document).parent / name)
        text = _read_text(file, project)
        if isinstance(text, Source):
            self.found[(key,)] = FilePassage(source=text)
            self.files[(key,)] = file
        elif isinstance(text, Diagnostic):
            self.diagnostics.append(text)
        else:
            code, reason = text
            message = f"cannot read '{name}': {reason}"
            self.diagnostics.append(document.diagnostic(code, message, found, suggestion=similar_name(file)))


def _templates(texts: _Texts, folder: FilePath) -> list[Templates]:
    """The templates, those rendered with the same names together."""
    groups: dict[frozenset[str] | None, Templates] = {}
    for path, passage in texts.found.items():
        variables = _PROTOCOL.get(path)
        groups.setdefault(variables, Templates(folder, variables)).add(passage, texts.files.get(path))
    return list(groups.values())


def _read_text(file: FilePath, project: Project) -> Source | Diagnostic | tuple[str, str]:
    """The text of a file, or what is wrong inside of it, or the code and reason why it cannot be read at all."""
    if not file.is_relative_to(real_path(project.root)):
        return "RUN308", f"{file} lies outside of the project, whose root is {project.root}"
    try:
        if is_special(file):
            return "RUN307", f"{file} is not a regular file"
        with file.open("rb") as stream:
            data = stream.read(MAX_BYTES + 1)
    except (OSError, ValueError) as error:  # ValueError: a NUL in the name
        reason = str((isinstance(error, OSError) and error.strerror) or error).lower()
        return "RUN307", f"{reason} (looked for {file})"
    text = decode(data, shown(file))
    return text if isinstance(text, Diagnostic) else Source(shown(file), re.sub("\r\n?", "\n", text))


def _tools(agent: Layered, catalog: Catalog | None, workspace: Workspace) -> tuple[list[ToolUse], list[Diagnostic]]:
    """The tools of an agent, and what is wrong with those that an inline one stands for."""
    entries = agent.value("tools")
    uses: list[ToolUse] = []
    problems: list[Diagnostic] = []
    for index, entry in enumerate(entries if isinstance(entries, list) else ()):
        path: Path = ("tools", index)
        if isinstance(entry, str):
            uses.append(ToolUse(name=entry, path=path, tool=catalog.tools.get(entry) if catalog else None))
        elif isinstance(entry, dict):
            document, found = agent.find(path)
            tools, wrong = workspace.tools_in(entry, document, found)
            uses += (ToolUse(name=tool.name, path=path, tool=tool) for tool in tools)
            problems += wrong
    return uses, problems
