"""The templates of an agent: its texts, and the files they include, read and followed."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from runner.diagnostics import Diagnostic
from runner.language.passages import FilePassage, Passage, diagnostic_in
from runner.language.paths import shown
from runner.language.source import Source
from runner.prompts import IncludeError, Reading, Reference, locate, read, read_template

CODES = {"RUN405": "a file that a template cannot include"}


@dataclass(frozen=True, kw_only=True, slots=True)
class Template:
    """A text that Jinja renders.

    Attributes:
        passage: the text and its place.
        reading: what Jinja finds in it.
        given: names that the templates including it set themselves.
        variables: the names that it is rendered with; None for the inputs of the agent.
    """

    passage: Passage
    reading: Reading
    given: frozenset[str] = frozenset()
    variables: frozenset[str] | None = None


class Templates:
    """Follows includes; each file is read once, those that include one another are reported.

    Args:
        folder: the agent's folder.
        variables: the names that these templates are rendered with; None for the inputs of the agent.

    Attributes:
        found: all templates, the includes after those that include them.
        diagnostics: the includes that lead nowhere.
    """

    def __init__(self, folder: Path, variables: frozenset[str] | None = None) -> None:
        self.found: list[Template] = []
        self.diagnostics: list[Diagnostic] = []
        self._folder = folder
        self._variables = variables
        self._seen: set[Path] = set()

    def add(self, passage: Passage, file: Path | None) -> None:
        """Read a text of the agent; `file` is its real path when it is a file of its own."""
        above = {} if file is None else {file: passage.file}
        template = Template(passage=passage, reading=read_template(passage.value), variables=self._variables)
        self._follow(template, above)

    def _follow(self, template: Template, above: Mapping[Path, str]) -> None:
        """`above` are the files on the way here, outermost first, with their names."""
        self.found.append(template)
        for reference in template.reading.references:
            try:
                self._include(template, reference, above)
            except IncludeError as error:
                if not (error.missing and reference.optional):
                    self.diagnostics.append(_problem(template, reference, str(error)))

    def _include(self, template: Template, reference: Reference, above: Mapping[Path, str]) -> None:
        path = locate(reference.name, self._folder)
        if path in above:
            circle = [*list(above.values())[list(above).index(path) :], above[path]]
            raise IncludeError(f"includes go in a circle: {' -> '.join(circle)}")
        if path in self._seen:
            return
        self._seen.add(path)
        passage = FilePassage(source=Source(shown(path), read(reference.name, self._folder)))
        reading = read_template(passage.value)
        given = template.given | template.reading.assigned
        included = Template(passage=passage, reading=reading, given=given, variables=self._variables)
        self._follow(included, {**above, path: passage.file})


def _problem(template: Template, reference: Reference, message: str) -> Diagnostic:
    return diagnostic_in(template.passage, "RUN405", message, reference.mark.place(template.passage.value))
