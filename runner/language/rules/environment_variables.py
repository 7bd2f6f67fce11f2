"""`${VAR}` is written right where it is filled in, and not hoped for where it is not."""

from collections.abc import Iterator

from runner.diagnostics import Diagnostic
from runner.environment import Malformed, Variable, parse
from runner.filled_in import IN_TOOLS
from runner.language.catalog import DeclaredTool
from runner.language.document import Document, Path
from runner.language.passages import ScalarPassage, diagnostic_in
from runner.language.references import MergedAgent
from runner.language.requests import declaration, strings
from runner.spec import ProjectSpec

CODES = {
    "RUN801": "a malformed environment variable",
    "RUN802": "an environment variable where none is filled in",
}
# In templates a `${` is text like any other, and `x-` keys are templates of YAML that belong to no place.
_SILENT = ("instructions", "prompt", "examples", "parsing")
# A text without it has no variables.
_SIGN = "${"
# Where an agent has models; everywhere below, variables are filled in.
MODELS: tuple[Path, ...] = (("model",), ("context", "model"))


def check(agent: MergedAgent) -> Iterator[Diagnostic]:
    """Look at all strings of the agent; those of its bases are looked at through it too."""
    for key, value in agent.data.items():
        if key in _SILENT or key.startswith("x-") or key == "tools":
            continue
        for path, text in strings(value, (key,)):
            if _SIGN in text:
                document, found = agent.find(path)
                filled_in = any(path[: len(model)] == model for model in MODELS)
                yield from _in_string(document, found, text, None if filled_in else "model")


def check_tool(tool: DeclaredTool, _project: ProjectSpec) -> Iterator[Diagnostic]:
    """Look at all strings of a tool."""
    declared = declaration(tool)
    places = IN_TOOLS.get(str(declared.get("type")), frozenset())
    for key, value in declared.items():
        if key.startswith("x-"):
            continue
        for path, text in strings(value, (*tool.path, key)):
            if _SIGN in text:
                yield from _in_string(tool.document, path, text, None if key in places else ", ".join(sorted(places)))


def _in_string(document: Document, path: Path, text: str, elsewhere: str | None) -> Iterator[Diagnostic]:
    """`elsewhere` says under which keys variables are filled in, if they are not where this string stands."""
    passage = ScalarPassage(document=document, path=path, value=text)
    for part in parse(text):
        match part:
            case Malformed() if elsewhere is None:
                place = (part.start, part.end)
                yield diagnostic_in(passage, "RUN801", part.message, place, suggestion=part.suggestion)
            case Variable() if elsewhere is not None:
                message = f"'{text[part.start : part.end]}' is not filled in here"
                message += f", only under {elsewhere}" if elsewhere else ""
                yield diagnostic_in(passage, "RUN802", message, (part.start, part.end), severity="warning")
