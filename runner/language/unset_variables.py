"""What the environment lacks of the `${VAR}` in agents and tools: `runner validate --env`."""

from collections.abc import Iterator, Mapping

from runner.diagnostics import Diagnostic
from runner.environment import Variable, lack, parse
from runner.filled_in import IN_TOOLS, MODEL_KEY, TOOL_KEY
from runner.language.catalog import DeclaredTool
from runner.language.passages import ScalarPassage, diagnostic_in
from runner.language.references import MergedAgent
from runner.language.requests import declaration, strings
from runner.language.rules.environment_variables import MODELS

CODES = {"RUN804": "an environment variable that is not set"}


def in_agent(agent: MergedAgent, environ: Mapping[str, str]) -> Iterator[Diagnostic]:
    """The variables without a value that a run of the agent would need, those of its tools included."""
    for model in MODELS:
        for path, text in strings(agent.value(*model), model):
            document, found = agent.find(path)
            passage = ScalarPassage(document=document, path=found, value=text)
            yield from _in_passage(passage, environ, is_key=path[-1] == MODEL_KEY)
    for use in agent.tools:
        if use.tool is not None:
            yield from in_tool(use.tool, environ)


def in_tool(tool: DeclaredTool, environ: Mapping[str, str]) -> Iterator[Diagnostic]:
    """The variables without a value that the tool would need."""
    declared = declaration(tool)
    for key in IN_TOOLS.get(str(declared.get("type")), frozenset()):
        for path, text in strings(declared.get(key), (*tool.path, key)):
            passage = ScalarPassage(document=tool.document, path=path, value=text)
            yield from _in_passage(passage, environ, is_key=key == TOOL_KEY)


def _in_passage(passage: ScalarPassage, environ: Mapping[str, str], *, is_key: bool) -> Iterator[Diagnostic]:
    for part in parse(passage.value):
        problem = lack(part, environ, is_key=is_key) if isinstance(part, Variable) else None
        if isinstance(part, Variable) and problem is not None:
            place = (part.start, part.end)
            yield diagnostic_in(passage, "RUN804", problem.message, place, suggestion=problem.suggestion)
