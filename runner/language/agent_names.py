"""The names of the agents that are checked: no two agents of a project have the same."""

from collections.abc import Iterable
from pathlib import Path

from runner.diagnostics import Diagnostic, Location, Related
from runner.language.discovery import is_of_project
from runner.language.document import Document
from runner.language.paths import place_of
from runner.language.references import MergedAgent
from runner.language.workspace import Workspace

# An agent: whether its name is inherited, and the real path of its file.
_Found = tuple[bool, Path]


class AgentNames:
    """The names of the agents that are checked; those of a project that go by their name need one each."""

    def __init__(self) -> None:
        # By project and name.
        self._agents: dict[tuple[Path, str], list[_Found]] = {}

    def note(self, agent: MergedAgent | None) -> None:
        """Remember an agent that others find by its name."""
        name = agent.value("name") if agent else None
        if agent is None or not isinstance(name, str):
            return
        root = agent.project.root
        path = place_of(agent.document)
        if is_of_project(path, root):
            self._agents.setdefault((root, name), []).append(("name" not in agent.document.data, path))

    def repeats(self, workspace: Workspace) -> Iterable[Diagnostic]:
        """The complaints about all agents of a name but the first; whoever inherits the name comes last."""
        for (_, name), agents in self._agents.items():
            if len(agents) == 1:
                continue
            # They have been let go of, and are read again.
            read = [workspace.read(path).document for _, path in sorted(agents, key=lambda agent: agent[0])]
            documents = [document for document in read if document is not None]
            if not documents:
                continue  # they are gone since
            first, *others = documents
            related = Related(message="first declared", location=_named_at(first))
            for document in others:
                yield document.diagnostic(
                    "RUN314",
                    f"agent '{name}' is declared twice",
                    _naming(document),
                    suggestion="give it a name of its own",
                    related=(related,),
                )


def _naming(document: Document) -> tuple[str]:
    """What in its own file gives an agent its name."""
    return ("name",) if "name" in document.data else ("extends",)


def _named_at(document: Document) -> Location:
    return Location(file=document.file, span=document.span(_naming(document)))
