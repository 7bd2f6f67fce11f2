"""`${VAR}` is written right where it is filled in, and not hoped for where it is not."""

from collections.abc import Iterator, Mapping

from runner.diagnostics import Diagnostic
from runner.environment import Malformed, Variable, parse
from runner.language.catalog import DeclaredTool
from runner.language.document import Document, Path
from runner.language.passages import ScalarPassage, diagnostic_in
from runner.language.references import MergedAgent
from runner.spec import Json, ProjectSpec

CODES = {
    "RUN801": "a malformed environment variable",
    "RUN802": "an environment variable where none is filled in",
}
# In templates a `${` is text like any other, and `x-` keys are templates of YAML that belong to no place.
_SILENT = ("instructions", "prompt", "examples", "parsing")


def check(agent: MergedAgent) -> Iterator[Diagnostic]:
    """Look at all strings of the agent; those of its bases are looked at through it too."""
    for key, value in agent.data.items():
        if key in _SILENT or key.startswith("x-") or key == "tools":
            continue
        for path, text in _strings(value, (key,)):
            document, found = agent.find(path)
            if document is not None:
                yield from _in_string(document, found, text, filled_in=key == "model")


def check_tool(tool: DeclaredTool, _project: ProjectSpec) -> Iterator[Diagnostic]:
    """Look at all strings of a tool."""
    for path, text in _strings(tool.data, tool.path):
        yield from _in_string(tool.document, path, text, filled_in=False)


def _strings(value: Json, path: Path) -> Iterator[tuple[Path, str]]:
    if isinstance(value, str):
        if "${" in value:
            yield path, value
    elif isinstance(value, Mapping):
        for key, each in value.items():
            yield from _strings(each, (*path, key))
    elif isinstance(value, list):
        for index, each in enumerate(value):
            yield from _strings(each, (*path, index))


def _in_string(document: Document, path: Path, text: str, *, filled_in: bool) -> Iterator[Diagnostic]:
    passage = ScalarPassage(document=document, path=path, value=text)
    for part in parse(text):
        match part:
            case Malformed() if filled_in:
                place = (part.start, part.end)
                yield diagnostic_in(passage, "RUN801", part.message, place, suggestion=part.suggestion)
            case Variable() if not filled_in:
                message = f"'{text[part.start : part.end]}' is not filled in here, only under model"
                yield diagnostic_in(passage, "RUN802", message, (part.start, part.end), severity="warning")
