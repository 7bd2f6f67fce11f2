"""The tool types, by the `type` of a tool's declaration: a new one is a new file and one line here."""

from collections.abc import Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Protocol

from runner.engine.ports import Tool
from runner.spec import ProjectSpec, ToolSpec
from runner.tools.failures import ToolLoadError
from runner.tools.isolated.settings import isolation_of

__all__ = ["TOOL_TYPES", "ToolLoadError", "ToolType", "open_tool", "open_tools"]

# Processes that are started at the same time: each keeps a processor busy while it imports.
_AT_ONCE = 4


class ToolType(Protocol):
    """Makes a tool ready to be called."""

    def __call__(
        self, spec: ToolSpec, project: ProjectSpec, *, max_result_chars: int, environ: Mapping[str, str]
    ) -> Tool:
        """Open the tool.

        Raises:
            ToolLoadError: it cannot be called as it is declared.
            VariableError: an environment variable it needs is not set.
        """


def _open_python_tool(
    spec: ToolSpec, project: ProjectSpec, *, max_result_chars: int, environ: Mapping[str, str]
) -> Tool:
    # pydantic takes 0.1 s to import, and `runner validate` needs of this package only `resolve`.
    if isolation_of(spec) is not None:
        from runner.tools.isolated.tool import open_isolated_tool  # noqa: PLC0415 - see above

        return open_isolated_tool(spec, project, max_result_chars=max_result_chars, environ=environ)
    from runner.tools.python import open_python_tool  # noqa: PLC0415 - see above

    return open_python_tool(spec, project, max_result_chars=max_result_chars, environ=environ)


def _open_http_tool(spec: ToolSpec, project: ProjectSpec, *, max_result_chars: int, environ: Mapping[str, str]) -> Tool:
    # As above: `runner validate` needs nothing of it.
    from runner.tools.http import open_http_tool  # noqa: PLC0415 - see above

    return open_http_tool(spec, project, max_result_chars=max_result_chars, environ=environ)


TOOL_TYPES: dict[str, ToolType] = {
    "python": _open_python_tool,
    "http": _open_http_tool,
}


def open_tool(spec: ToolSpec, project: ProjectSpec, *, max_result_chars: int, environ: Mapping[str, str]) -> Tool:
    """Make a declared tool ready to be called; for a Python tool this imports, so runs, its module.

    Args:
        spec: the tool as declared.
        project: whose code it may name.
        max_result_chars: longest result given to the model, in characters; what is longer is cut and says so.
        environ: where the `${VAR}` of its declaration are looked up.

    Raises:
        ToolLoadError: it cannot be used; the message names the declaration and the tool.
        VariableError: an environment variable it needs is not set; the message names the place.
    """
    try:
        return TOOL_TYPES[spec.type](spec, project, max_result_chars=max_result_chars, environ=environ)
    except ToolLoadError as error:
        where = f"{spec.origin}: " if spec.origin else ""
        raise ToolLoadError(f"{where}tool '{spec.name}': {error}") from error


def open_tools(
    specs: Iterable[ToolSpec], project: ProjectSpec, *, max_result_chars: int, environ: Mapping[str, str]
) -> dict[str, Tool]:
    """Several tools by name, in their order; those that wait for a process of their own are opened at the same time.

    Raises:
        ToolLoadError, VariableError: as `open_tool`, of the first tool that cannot be used.
    """
    specs = tuple(specs)
    opened = partial(open_tool, project=project, max_result_chars=max_result_chars, environ=environ)
    pool = ThreadPoolExecutor(_AT_ONCE, thread_name_prefix="opening")
    try:
        waiting = {spec.name: pool.submit(opened, spec) for spec in specs if isolation_of(spec) is not None}
        return {spec.name: waiting[spec.name].result() if spec.name in waiting else opened(spec) for spec in specs}
    finally:
        pool.shutdown(cancel_futures=True)
