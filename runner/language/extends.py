"""Follows `extends`: the documents an agent is made of, bases first, each once."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path as FilePath

from runner.diagnostics import Diagnostic, Location, Related
from runner.language.document import Document, Path
from runner.language.paths import place_of, similar_name
from runner.language.project import Project
from runner.language.workspace import Workspace

CODES = {
    "RUN304": "a base that cannot be read",
    "RUN305": "agents that extend one another in a circle",
    "RUN306": "a base outside of the project",
}
# A lineage is a handful of files; far more is a mistake, and each takes a level of Python's stack.
_DEEPEST = 50
# The code of a file that is not there at all, or may not be opened.
_UNREADABLE = "RUN101"


@dataclass(frozen=True, kw_only=True, slots=True)
class Lineage:
    """An agent's bases and itself, in the order they are laid over one another, and what is wrong with them.

    A base that several of them extend counts once, below all of these: its values must not undo those of a sibling.
    `complete` tells whether all of them could be read.
    """

    documents: tuple[Document, ...]
    diagnostics: tuple[Diagnostic, ...]
    complete: bool


@dataclass(frozen=True, kw_only=True, slots=True)
class _Step:
    """A document on the way down and where it names the next one."""

    document: Document
    path: Path = ()

    @property
    def location(self) -> Location:
        return Location(file=self.document.file, span=self.document.span(self.path))


class _Walk:
    def __init__(self, workspace: Workspace, project: Project) -> None:
        self.workspace = workspace
        self.project = project
        self.documents: dict[FilePath, Document] = {}
        self.diagnostics: list[Diagnostic] = []
        self.complete = True

    def visit(self, document: Document, above: tuple[_Step, ...]) -> None:
        bases = list(named_bases(document))
        self.complete &= bool(bases) or "extends" not in document.data
        for path, base in bases:
            steps = (*above, _Step(document=document, path=path))
            target = self.workspace.real(place_of(document).parent / base)
            problem = self._problem(target, base, steps)
            if problem is not None:
                self.complete = False
                self.diagnostics.append(problem)
            elif target not in self.documents:
                self._visit_base(target, base, steps)
        self.documents[place_of(document)] = document

    def _visit_base(self, target: FilePath, base: str, steps: tuple[_Step, ...]) -> None:
        read = self.workspace.read(target)
        self.complete &= read.document is not None
        if read.document is None and read.diagnostics[0].code == _UNREADABLE:
            step = steps[-1]
            message = f"cannot read the base '{base}': {read.diagnostics[0].message} (looked for {target})"
            self.diagnostics.append(
                step.document.diagnostic("RUN304", message, step.path, suggestion=similar_name(target))
            )
            return
        self.diagnostics += read.diagnostics
        if read.document is not None:
            self.diagnostics += self.workspace.check(read.document, "agent", partial=True)
            self.visit(read.document, steps)

    def _problem(self, target: FilePath, base: str, steps: tuple[_Step, ...]) -> Diagnostic | None:
        on_the_way = [place_of(step.document) for step in steps]
        if target in on_the_way:
            return _circle(steps[on_the_way.index(target) :])
        step = steps[-1]
        if not target.is_relative_to(self.workspace.real(self.project.root)):
            message = f"the base '{base}' lies outside of the project, whose root is {self.project.root}"
            suggestion = "move it into the project, or put a runner.yaml into a folder above both"
            return step.document.diagnostic("RUN306", message, step.path, suggestion=suggestion)
        if len(steps) > _DEEPEST:
            return step.document.diagnostic("RUN305", f"more than {_DEEPEST} files extend one another", step.path)
        return None


def named_bases(document: Document) -> Iterator[tuple[Path, str]]:
    """The paths of the strings in `extends`, and the strings; what is no string is left to the schema."""
    extends = document.data.get("extends")
    if isinstance(extends, str):
        yield ("extends",), extends
    for index, base in enumerate(extends if isinstance(extends, list) else ()):
        if isinstance(base, str):
            yield ("extends", index), base


def follow(document: Document, workspace: Workspace, project: Project) -> Lineage:
    """The lineage of an agent's document; its own text and structure are not checked again here."""
    walk = _Walk(workspace, project)
    walk.visit(document, ())
    return Lineage(
        documents=tuple(walk.documents.values()), diagnostics=tuple(walk.diagnostics), complete=walk.complete
    )


def _circle(steps: tuple[_Step, ...]) -> Diagnostic:
    """Told from the file that comes first by name, so that all agents of a circle tell the same story."""
    files = [step.document.file for step in steps]
    start = files.index(min(files))
    ordered = [*steps[start:], *steps[:start]]
    names = [step.document.file for step in ordered]
    last = ordered[-1]
    related = [
        Related(message=f"{step.document.file} extends {following}", location=step.location)
        for step, following in zip(ordered[:-1], names[1:], strict=True)
    ]
    message = f"extends goes in a circle: {' -> '.join([*names, names[0]])}"
    return last.document.diagnostic("RUN305", message, last.path, related=tuple(related))
