"""`runner tool`: call one tool, as a run would, to see what a model gets from it."""

import asyncio
import os
import sys
from collections.abc import Callable
from pathlib import Path

import click

from runner.cli.arguments import here
from runner.cli.dry_run import RefusedCallError, dry_run, dry_run_text
from runner.cli.errors import complain
from runner.cli.event_loop import to_the_end
from runner.cli.one_call import call_once
from runner.cli.signals import interruptible
from runner.cli.streamed import readable
from runner.cli.streams import Output, claim_stdout, colours, hide_in_prints
from runner.cli.targets import find_agent
from runner.cli.tool_arguments import tool_arguments
from runner.engine.events import ToolLogged
from runner.engine.ports import Tool
from runner.engine.scope import RunControl
from runner.environment import Secrets, Unset, VariableError
from runner.filled_in import secrets_named_by
from runner.language.project import find_root
from runner.language.tool_lookup import FoundTool, NoTool, find_tool
from runner.report.json_text import dumped
from runner.report.phrases import visible
from runner.report.text import render_text
from runner.spec import Json, JsonObject, Limits, ProjectSpec, ToolSpec
from runner.suggest import did_you_mean
from runner.tools import ToolLoadError, open_tool

FAILED = 1
_INTERRUPTED = {"SIGINT": 130, "SIGTERM": 143}
_OUTPUTS = ("text", "json")


@click.command(
    name="tool",
    epilog="""\b
Examples:
  runner tool get_weather '{"city": "Oslo"}'
  runner tool get_weather -i city=Oslo                     the same
  echo '{"city": "Oslo"}' | runner tool get_weather        the same, from standard input
  runner tool search_issues -i q=bug --dry-run             the exact request; nothing is sent
  runner tool get_weather --schema                         what a model is told
  runner tool lookup -i id=7 --file agents.d/desk.yaml     a tool declared inline in an agent

\b
Exit codes:
  0 the tool gave a result · 1 its declaration is wrong, or the result is an error
  2 the command is wrong · 3 internal error · 130/143 interrupted""",
)
@click.argument("name", metavar="NAME")
@click.argument("text", metavar="[JSON|-]", required=False)
@click.option(
    "-i", "--input", "assignments", multiple=True, metavar="KEY=VALUE", help="Give an argument; repeatable; wins."
)
@click.option(
    "--file", metavar="FILE", help="Look for the tool in this agent or toolset instead of all that agents may name."
)
@click.option("--dry-run", "dry", is_flag=True, help="Show what would be called or sent, secrets masked; do not do it.")
@click.option("--schema", is_flag=True, help="Show the name, description and parameters that a model is given.")
@click.option("--output", type=click.Choice(_OUTPUTS), default="text", show_default=True, help="What stdout carries.")
@click.option("-v", "--verbose", is_flag=True, help="Show also what the tool logs at the level debug.")
def command(  # noqa: PLR0913 - one parameter per argument of the command line
    *,
    name: str,
    text: str | None,
    assignments: tuple[str, ...],
    file: str | None,
    dry: bool,
    schema: bool,
    output: str,
    verbose: bool,
) -> int:
    """Call the tool NAME with these arguments, as a run would, and print its result.

    The arguments are a JSON object. They are mended and checked, the timeout holds, secrets are masked and a long
    result is cut, as in a run.
    """
    if dry and schema:
        raise click.UsageError("--dry-run and --schema exclude each other")
    found = _found(name, None if file is None else find_agent(file))
    sys.stderr.write(render_text(found.diagnostics, colour=colours(sys.stderr)))
    if found.spec is None:
        return FAILED
    arguments = {} if schema else tool_arguments(text, assignments)
    # A tool's module may print while it is imported.
    out = _Out(claim_stdout(), as_json=output == "json")
    hide_in_prints(secrets_named_by(found.spec, os.environ).mask)
    try:
        tool = open_tool(
            found.spec,
            found.project,
            max_result_chars=found.limits.max_tool_result_chars,
            # What is only shown needs no secrets.
            environ=Unset(os.environ) if dry or schema else os.environ,
        )
    except (ToolLoadError, VariableError) as error:
        complain(str(error))
        return FAILED
    if schema:
        out.write(_definition(tool), _schema_text)
        return 0
    if dry:
        return _dry(tool, found.spec, found.project, arguments, out)
    return _call(tool, arguments, found.limits, out, verbose=verbose)


def _found(name: str, file: Path | None) -> FoundTool:
    """The tool, well declared or not.

    Raises:
        click.UsageError: there is none of this name.
    """
    root = find_root(here())
    found = find_tool(name, root=root, file=file)
    if isinstance(found, FoundTool):
        return found
    if found.diagnostics:
        sys.stderr.write(render_text(found.diagnostics, colour=colours(sys.stderr)))
    raise click.UsageError(f"there is no tool {name!r}{'' if file is None else f' in {file}'}; {_advice(name, found)}")


def _advice(name: str, nothing: NoTool) -> str:
    if not nothing.names:
        return "there are no tools"
    return did_you_mean(name, list(nothing.names)) or f"the tools are {', '.join(nothing.names)}"


class _Out:
    """Our stdout: one JSON document, or text."""

    def __init__(self, stream: Output, *, as_json: bool) -> None:
        self._stream = stream
        self.as_json = as_json

    def write(self, value: JsonObject, text: Callable[[JsonObject], str]) -> None:
        """Write `value`, or what `text` makes of it."""
        shown = dumped(value, indent=2) if self.as_json else text(value)
        line = shown if shown.endswith("\n") else f"{shown}\n"
        self._stream.write(readable(line) if self._stream.isatty() else line)


def _definition(tool: Tool) -> dict[str, Json]:
    told = tool.definition
    return {"name": told.name, "description": told.description, "parameters": told.parameters}


def _schema_text(definition: JsonObject) -> str:
    """The same as JSON: there is no shorter form that tells all."""
    return dumped(definition, indent=2)


def _dry(tool: Tool, spec: ToolSpec, project: ProjectSpec, arguments: JsonObject, out: _Out) -> int:
    try:
        told = dry_run(tool, spec, project, arguments)
    except RefusedCallError as refused:
        _complain(Secrets(tool.secrets).mask(str(refused)))
        return FAILED
    out.write(told, dry_run_text)
    return 0


def _complain(error: str) -> None:
    """Print the error a model would get, which often has several lines."""
    first, _, rest = error.partition("\n")
    complain(first)
    if rest:
        sys.stderr.write(f"{readable(rest)}\n")


def _call(tool: Tool, arguments: JsonObject, limits: Limits, out: _Out, *, verbose: bool) -> int:
    def tell(logged: ToolLogged) -> None:
        if verbose or logged.level != "debug":
            sys.stderr.write(f"{visible(logged.level)}: {visible(logged.message)}\n")

    control = RunControl()
    with interruptible(control):
        # The loop is left open: closing it waits for its threads, and the process ends now.
        loop = asyncio.new_event_loop()
        try:
            outcome = to_the_end(loop, call_once(tool, arguments, limits, control, tell))
        except asyncio.CancelledError:  # nobody else has these tasks
            complain(f"{tool.definition.name} cancelled all tasks of the event loop, the call among them")
            return FAILED
        result = outcome.result
        if result is None:
            complain("interrupted")
            return _INTERRUPTED[control.signal or "SIGINT"]
        if out.as_json or not result.is_error:
            about = {"tool": tool.definition.name, "content": result.content, "is_error": result.is_error}
            out.write({**about, "seconds": round(outcome.seconds, 3)}, lambda value: str(value["content"]))
        if result.is_error:
            _complain(result.content)
        return FAILED if result.is_error else 0
