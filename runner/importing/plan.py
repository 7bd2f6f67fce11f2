"""One file of another tool -> the files to write, checked as `runner validate` would."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from runner.diagnostics import Diagnostic
from runner.importing.agent import AgentDraft, agent_name
from runner.importing.formats import Format
from runner.importing.part import Note, Notes
from runner.importing.source import ForeignFile
from runner.importing.writing import mapping_lines
from runner.language.checks import check_agent
from runner.language.document import parse_document
from runner.language.paths import real_path, shown
from runner.language.project import find_root
from runner.language.workspace import Read, Workspace


@dataclass(frozen=True, kw_only=True, slots=True)
class Plan:
    """What an import would write.

    Attributes:
        files: path -> text, that of the main agent first.
        notes: what of the source is not carried, in its order.
        diagnostics: what the validator says about the files; with an error among it they should not be written.
    """

    files: Mapping[Path, str]
    notes: tuple[Note, ...]
    diagnostics: tuple[Diagnostic, ...]

    @property
    def is_valid(self) -> bool:
        """Whether the files have no errors."""
        return all(each.severity != "error" for each in self.diagnostics)


def plan_import(file: ForeignFile, form: Format, to: Path, *, model: str | None = None) -> Plan:
    """Work out what is written; nothing is.

    Args:
        file: the source.
        form: its format.
        to: the file of the main agent; further agents are written beside it.
        model: the model of agents for which the source names none.
    """
    notes = Notes(file)
    drafts = form.convert(file, notes)
    files: dict[Path, str] = {}
    for place, draft in _places(drafts, to).items():
        if (model is not None and draft.get("model") is None) or (
            isinstance(model_fields := draft.get("model"), dict) and "name" not in model_fields and model is not None
        ):
            draft.put_from("model.name", model, "--model")
        files[place] = _text(draft, place, file, form)
    ordered = sorted(notes.all, key=lambda note: note.location.span or ())
    return Plan(files=files, notes=tuple(dict.fromkeys(ordered)), diagnostics=tuple(_check(files)))


def _places(drafts: Sequence[AgentDraft], to: Path) -> Mapping[Path, AgentDraft]:
    """Where each agent is written: the first where it was asked for, the others by their names."""
    places: dict[Path, AgentDraft] = {}
    for draft in drafts:
        place = to if not places else to.with_name(f"{agent_name(draft.title)}{to.suffix}")
        number = 2
        while place in places:
            place = to.with_name(f"{agent_name(draft.title)}-{number}{to.suffix}")
            number += 1
        places[place] = draft
    return places


def _text(draft: AgentDraft, place: Path, file: ForeignFile, form: Format) -> str:
    fields = draft.fields(agent_name(place.stem))
    comments = {key: [f"from {'; '.join(origins)}"] for key in fields if (origins := _origins(draft, key))}
    header = [f"# Imported from {file.path.name}, a {form.title}."]
    if draft.title and agent_name(draft.title) != fields["name"]:
        header.append(f"# There it is called {' '.join(draft.title.split())}.")
    return "\n".join([*header, *mapping_lines(fields, comments), ""])


def _origins(draft: AgentDraft, key: str) -> list[str]:
    return list(dict.fromkeys(draft.origins(key)))


def _check(files: Mapping[Path, str]) -> list[Diagnostic]:
    workspace = Workspace()
    for place, text in files.items():
        real = real_path(place)
        document, problems = parse_document(text.encode(), display=shown(place), path=real)
        workspace.documents[real] = Read(document=document, diagnostics=tuple(problems))
    return [each for place in files for each in check_agent(place, workspace).diagnostics]


def default_place(file: ForeignFile, drafts_title: str | None = None) -> Path:
    """Where an agent goes when nobody says: `agents.d` of the project around the current folder."""
    root = find_root(Path.cwd())
    return Path(os.path.relpath(root)) / "agents.d" / f"{agent_name(drafts_title or file.path.stem)}.yaml"
