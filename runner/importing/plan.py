"""One file of another tool -> the files to write, checked as `runner validate` would."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from runner.diagnostics import Diagnostic, Span
from runner.importing.agent import AgentDraft, agent_name
from runner.importing.formats import Format
from runner.importing.part import Note, Notes
from runner.importing.source import ForeignFile
from runner.importing.writing import mapping_lines
from runner.language.project import AGENTS_FOLDER, find_root
from runner.language.validation import validate_paths

_START = Span(line=0, column=0, end_line=0, end_column=0)


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


def plan_import(file: ForeignFile, form: Format, to: Path | None = None, *, model: str | None = None) -> Plan:
    """Work out what is written; nothing is.

    Args:
        file: the source.
        form: its format.
        to: the file of the main agent; further agents are written beside it. None: `agents.d` of the project around the
            current folder.
        model: the model of agents for which the source names none.
    """
    notes = Notes(file)
    drafts = form.convert(file, notes)
    files: dict[Path, str] = {}
    for place, draft in _places(drafts, file, to).items():
        if model is not None and not draft.has_model:
            draft.put_from("model.name", model)
        files[place] = _text(draft, place, file, form)
    ordered = sorted(notes.all, key=lambda note: note.location.span or _START)
    return Plan(files=files, notes=tuple(dict.fromkeys(ordered)), diagnostics=_check(files))


def _places(drafts: Sequence[AgentDraft], file: ForeignFile, to: Path | None) -> Mapping[Path, AgentDraft]:
    """Where each agent is written: the first where it was asked for, the others by their names."""
    places: dict[Path, AgentDraft] = {}
    for draft in drafts:
        title = agent_name(draft.title or file.path.stem)
        folder = to.parent if to else Path(os.path.relpath(find_root(Path.cwd()))) / AGENTS_FOLDER
        place = to if to and not places else folder / f"{title}.yaml"
        number = 2
        while place in places:
            place = folder / f"{title}-{number}.yaml"
            number += 1
        places[place] = draft
    return places


def _text(draft: AgentDraft, place: Path, file: ForeignFile, form: Format) -> str:
    fields = draft.fields(agent_name(place.stem))
    comments = {key: [f"from {origins}"] for key in fields if (origins := draft.origins(key))}
    header = [f"# Imported from {file.path.name}, a {form.title}."]
    if draft.title and agent_name(draft.title) != fields["name"]:
        header.append(f"# There it is called {' '.join(draft.title.split())}.")
    return "\n".join([*header, *mapping_lines(fields, comments), ""])


def _check(files: Mapping[Path, str]) -> tuple[Diagnostic, ...]:
    if not files:  # without a path the whole project would be meant
        return ()
    return validate_paths(list(files), unsaved={place: text.encode() for place, text in files.items()}).diagnostics
