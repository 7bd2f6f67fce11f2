"""What a Python tool is given beside its arguments has a taker: `config` a constructor, `env` a `ToolContext`."""

from collections.abc import Iterator, Mapping

from runner.diagnostics import Diagnostic
from runner.language.catalog import DeclaredTool
from runner.language.function_source import Parameters
from runner.language.paths import place_of
from runner.language.resolve import Problem, Resolved, is_import_path, resolve
from runner.language.wording import quoted
from runner.spec import Json, ProjectSpec
from runner.suggest import did_you_mean

CODES = {
    "RUN531": "config for a tool that makes no instance",
    "RUN532": "config that does not fit the constructor",
    "RUN534": "env that a tool cannot see",
}


def check_tool(tool: DeclaredTool, project: ProjectSpec) -> Iterator[Diagnostic]:
    """Compare them with the constructor and the signature, as far as the text of the module tells."""
    function, config = tool.data.get("function"), tool.data.get("config")
    if tool.data.get("type") != "python" or not isinstance(function, str) or not is_import_path(function):
        return  # the schema's complaint
    if not isinstance(config, Mapping | None):
        return
    if config is None and "env" not in tool.data and "." not in function.partition(":")[2]:
        return  # nothing is given
    found = resolve(function, folder=place_of(tool.document).parent, project=project)
    if isinstance(found, Problem):
        return  # what `python_functions` complains about
    if _is_unseen(tool, found):
        message = f"env is given in a ToolContext, and '{found.name}' has no parameter for one"
        suggestion = "add one: 'ctx: ToolContext', from 'runner import ToolContext'"
        place = (*tool.path, "env")
        yield tool.document.diagnostic("RUN534", message, place, key=True, suggestion=suggestion, severity="warning")
    if config is not None and (why := _useless(found)):
        suggestion = "remove it, or name a method: 'package.module:Class.method'"
        yield tool.document.diagnostic("RUN531", why, (*tool.path, "config"), key=True, suggestion=suggestion)
    elif found.owner and found.owner.needs_instance and found.owner.constructor:
        yield from _fit(tool, found.owner.name, found.owner.constructor, config)


def _is_unseen(tool: DeclaredTool, found: Resolved) -> bool:
    """Whether `env` surely goes nowhere; with `isolation` it is also the environment of the tool's process."""
    taken = found.definition.parameters if found.definition else None
    return bool(tool.data.get("env")) and "isolation" not in tool.data and taken is not None and not taken.context


def _useless(found: Resolved) -> str | None:
    """Why no constructor would be called, if that is sure."""
    if found.owner is None:
        return f"config is for the constructor of a class, and '{found.name}' is not a method of one"
    if found.owner.needs_instance is False:
        return f"config is for the constructor of a class, and '{found.name}' is called without making an instance"
    return None


def _fit(tool: DeclaredTool, owner: str, taken: Parameters, config: Mapping[str, Json] | None) -> Iterator[Diagnostic]:
    for name in config or {}:
        if name not in taken.names and not taken.open:
            yield tool.document.diagnostic(
                "RUN532",
                f"the constructor of '{owner}' has no parameter '{name}'",
                (*tool.path, "config", name),
                key=True,
                suggestion=did_you_mean(name, taken.names),
            )
    lacking = [name for name in taken.required if name not in (config or {})]
    if lacking:
        place = (*tool.path, "function" if config is None else "config")
        message = f"the constructor of '{owner}' needs {quoted(lacking)}, which config does not give"
        yield tool.document.diagnostic("RUN532", message, place, key=config is not None)
