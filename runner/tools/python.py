"""The tool type `python`: a function of the project, called with checked arguments."""

import asyncio
import inspect
import logging
from collections.abc import AsyncIterator, Callable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from runner.engine.messages import ToolResult
from runner.engine.ports import CallContext, ToolDefinition
from runner.language.schema import problems
from runner.spec import JsonObject, ProjectSpec, ToolSpec
from runner.tools.annotations import UnreadableSignatureError, underlying
from runner.tools.arguments import WrongArgumentsError, explained
from runner.tools.calling import in_thread, runs_on_loop
from runner.tools.declared import declared
from runner.tools.docstring import read_docstring
from runner.tools.failures import ToolLoadError, described
from runner.tools.loading import load
from runner.tools.results import UnwritableResultError, as_text, collected, cut
from runner.tools.signature import Bound, read_signature

_log = logging.getLogger(__name__)


def open_python_tool(
    spec: ToolSpec, project: ProjectSpec, *, max_result_chars: int, environ: Mapping[str, str]
) -> "PythonTool":
    """Import the function and learn what it takes.

    Raises:
        ToolLoadError: it cannot be imported, or its signature cannot be told to a model.
    """
    del environ
    function, resolved = load(spec, project)
    documentation = read_docstring(underlying(function).__doc__)
    try:
        schema, bind = _parameters(function, spec, documentation.parameters)
    except UnreadableSignatureError as error:
        raise ToolLoadError(f"function '{resolved.module}:{resolved.name}': {error}") from error
    description = documentation.summary if spec.description is None else spec.description
    return PythonTool(
        definition=ToolDefinition(name=spec.name, description=description, parameters=schema),
        timeout=spec.timeout,
        return_direct=spec.return_direct,
        function=function,
        bind=bind,
        max_result_chars=max_result_chars,
        folders=(Path(project.root).resolve(), resolved.root),
    )


@dataclass(frozen=True, kw_only=True, slots=True)
class PythonTool:
    """A callable behind the engine's `Tool` port.

    Attributes:
        bind: checks arguments and converts them to what the callable takes.
        max_result_chars: longest content given to the model, in characters; a note is added to what was cut.
        folders: cut off the paths in error messages.
    """

    definition: ToolDefinition
    timeout: float | None
    return_direct: bool
    function: Callable[..., object]
    bind: Callable[[JsonObject], Bound]
    max_result_chars: int
    folders: tuple[Path, ...]
    secrets: frozenset[str] = frozenset()

    async def call(self, arguments: JsonObject, context: CallContext) -> ToolResult:
        """Run it: coroutines on this event loop, everything else in a thread of its own."""
        del context
        cancelled_before = _cancellations()
        try:
            bound = self.bind(arguments)
            call = partial(self.function, *bound.positional, **bound.by_name)
            if runs_on_loop(self.function):
                value = call()
            else:
                value = await in_thread(partial(self._in_thread, call), name=f"tool {self.definition.name}")
                if isinstance(value, ToolResult):
                    return value
            return self._result(await self._awaited(value))
        except GeneratorExit:  # this coroutine is being closed
            raise
        except BaseException as error:  # whatever a tool raises, exit() included, is its result
            if isinstance(error, asyncio.CancelledError) and _cancellations() > cancelled_before:
                raise  # it is this call that is cancelled, not something inside the tool
            return self._failure(error)

    def _in_thread(self, call: Callable[[], object]) -> object:
        """The finished result, or what has to be awaited to get it."""
        try:
            value = call()
            return value if inspect.isawaitable(value) or isinstance(value, AsyncIterator) else self._result(value)
        except BaseException as error:  # noqa: BLE001 - as in `call`
            return self._failure(error)

    async def _awaited(self, value: object) -> object:
        while inspect.isawaitable(value):
            value = await value
        return await collected(value, max_chars=self.max_result_chars) if isinstance(value, AsyncIterator) else value

    def _result(self, value: object) -> ToolResult:
        if not isinstance(value, ToolResult):
            return ToolResult(content=as_text(value, max_chars=self.max_result_chars))
        return ToolResult(content=cut(value.content, max_chars=self.max_result_chars), is_error=value.is_error)

    def _failure(self, error: BaseException) -> ToolResult:
        name = self.definition.name
        if isinstance(error, WrongArgumentsError):
            text = explained(name, error.problems, self.definition.parameters)
        elif isinstance(error, UnwritableResultError):
            text = f"{name} ran, but {error}"
        else:
            _log.debug("tool %s failed", name, exc_info=error)
            text = described(error, self.folders)
        return ToolResult(content=cut(text, max_chars=self.max_result_chars), is_error=True)


def _parameters(
    function: Callable[..., object], spec: ToolSpec, descriptions: Mapping[str, str]
) -> tuple[JsonObject, Callable[[JsonObject], Bound]]:
    """The schema a model is shown, and what turns its arguments into those of the function.

    Raises:
        UnreadableSignatureError: no parameters are declared, and the function does not tell its own.
    """
    if spec.parameters is None:
        signature = read_signature(function, descriptions)
        return signature.schema, signature.bind
    given = declared(spec.parameters, problems)
    try:
        signature = read_signature(function, {})
    except UnreadableSignatureError:  # declaring the parameters is the way to use such a function
        return given.schema, lambda arguments: Bound(positional=(), by_name=given.read(arguments))
    _check_agreement(given.schema, signature.schema)
    # The function still gets the types it asks for: enum members, dates, dataclasses.
    return given.schema, lambda arguments: signature.bind(given.read(arguments))


def _check_agreement(declared_schema: JsonObject, own_schema: JsonObject) -> None:
    """See that declared parameters can reach the function; `validate` cannot see through a decorator.

    Raises:
        UnreadableSignatureError: a declared one is not taken, or a required one can never be given.
    """
    told, taken = declared_schema["properties"], own_schema["properties"]
    if not own_schema["additionalProperties"] and (strange := [name for name in told if name not in taken]):
        names = ", ".join(taken) or "none"
        raise UnreadableSignatureError(f"it does not take the declared parameter '{strange[0]}'; it takes: {names}")
    is_closed = declared_schema.get("additionalProperties") is False
    if is_closed and (lacking := [name for name in own_schema.get("required", ()) if name not in told]):
        raise UnreadableSignatureError(f"it needs '{lacking[0]}', which is not among the declared parameters")


def _cancellations() -> int:
    task = asyncio.current_task()
    return task.cancelling() if task else 0
