"""The tool type `python`: a function of the project, called with checked arguments."""

import asyncio
import inspect
import logging
import time
from collections.abc import AsyncIterator, Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import TypeVar

from runner.engine.messages import ToolResult
from runner.engine.ports import CallContext, ToolDefinition
from runner.engine.sameness import same
from runner.environment import Secrets, expand_json
from runner.language.schema import problems
from runner.spec import JsonObject, ProjectSpec, Risk, ToolSpec
from runner.tools.agreement import check_agreement
from runner.tools.annotations import UnreadableSignatureError, underlying
from runner.tools.arguments import WrongArgumentsError, explained, mended_arguments
from runner.tools.calling import Start, in_new_thread, in_task, in_thread, runs_on_loop
from runner.tools.context import ToolContext, ToolLog
from runner.tools.declared import declared
from runner.tools.docstring import read_docstring
from runner.tools.failures import ToolLoadError, described
from runner.tools.instances import Instance
from runner.tools.loading import load
from runner.tools.results import UnwritableResultError, as_text, collected, cut
from runner.tools.signature import Bound, bind_unchecked, read_signature

_log = logging.getLogger(__name__)

T = TypeVar("T")
Bind = Callable[[JsonObject, ToolContext | None], Bound]


# Types whose values write themselves at once.
_PLAIN = frozenset({str, int, float, bool, type(None)})
# What a call is tried again after, in seconds: a little longer each time.
_FIRST_PAUSE = 0.2


def open_python_tool(
    spec: ToolSpec, project: ProjectSpec, *, max_result_chars: int, environ: Mapping[str, str]
) -> "PythonTool":
    """Import the function and learn what it takes; a method's instance is made.

    Raises:
        ToolLoadError: it cannot be imported, or its signature cannot be told to a model.
        VariableError: a variable of its `env` or `config` is not set.
    """
    env = expand_json(spec.settings.get("env") or {}, spec.origin, environ)
    config = expand_json(spec.settings.get("config"), spec.origin, environ)
    secrets = env.secrets | config.secrets
    try:
        loaded = load(spec, project, config.value)
        documentation = read_docstring(underlying(loaded.function).__doc__)
        try:
            schema, bind = _parameters(loaded.function, spec, documentation.parameters)
        except UnreadableSignatureError as error:
            raise ToolLoadError(f"function '{loaded.resolved.module}:{loaded.resolved.name}': {error}") from error
    except ToolLoadError as error:  # nobody else knows the secrets of a tool that is not opened
        raise ToolLoadError(Secrets(secrets).mask(str(error))) from error
    description = documentation.summary if spec.description is None else spec.description
    return PythonTool(
        definition=ToolDefinition(name=spec.name, description=description, parameters=schema),
        timeout=spec.timeout,
        return_direct=spec.return_direct,
        risk=spec.risk,
        idempotent=spec.idempotent,
        retries=spec.retries if spec.idempotent else 0,
        function=loaded.function,
        instance=loaded.instance,
        bind=bind,
        max_result_chars=max_result_chars,
        folders=(Path(project.root).resolve(), loaded.resolved.root),
        env=MappingProxyType(env.value),
        secrets=secrets,
    )


@dataclass(frozen=True, kw_only=True, slots=True)
class PythonTool:
    """A callable behind the engine's `Tool` port.

    Attributes:
        retries: further calls after one that raised an exception.
        instance: keeps what a method belongs to, for the other tools of its class.
        bind: checks arguments and converts them to what the callable takes.
        max_result_chars: longest content given to the model, in characters; a note is added to what was cut.
        folders: cut off the paths in error messages.
        env: the values declared for it.
        secrets: what of them, and of its configuration, came from the environment.
        start: where synchronous functions run.
    """

    definition: ToolDefinition
    timeout: float | None
    return_direct: bool
    risk: Risk
    idempotent: bool
    retries: int
    function: Callable[..., object]
    instance: Instance | None
    bind: Bind
    max_result_chars: int
    folders: tuple[Path, ...]
    env: Mapping[str, str] = field(repr=False)
    secrets: frozenset[str] = field(default=frozenset(), repr=False)
    start: Start = in_new_thread

    def mended(self, arguments: JsonObject) -> JsonObject:
        """The arguments with a model's small slips mended by the schema, and what the types make of them.

        Where that is something else (another case, another name of a field), the argument is a list of the two: a
        pattern that denies has to fit one of them, one that allows both.
        """
        given = mended_arguments(arguments, self.definition.parameters)
        try:
            read = self.bind(arguments, None).as_json()
        except BaseException:  # noqa: BLE001 - the types' validators are their author's code; the call will tell
            return given
        return {
            name: [value, read[name]] if name in read and not same(value, read[name]) else value
            for name, value in given.items()
        }

    def check(self, arguments: JsonObject) -> str | None:
        """What is wrong with the arguments, or None."""
        try:
            self.bind(arguments, None)
        except WrongArgumentsError as error:
            return explained(self.definition.name, error.problems, self.definition.parameters)
        except BaseException:  # noqa: BLE001 - the types' validators are their author's code; the call will tell
            return None
        return None

    async def call(self, arguments: JsonObject, context: CallContext) -> ToolResult:
        """Run it: coroutines on this event loop, everything else in a thread of its own."""
        number = 0
        while True:
            outcome = await self._attempt(arguments, context)
            if isinstance(outcome, ToolResult):
                return outcome
            pause = _FIRST_PAUSE * 2.0**number
            if number >= self.retries or not _may_pass(outcome) or _remaining(context) <= pause:
                return await self._aside(partial(self._failure, outcome))
            told = await self._aside(partial(described, outcome, self.folders))
            context.log("warning", f"{told}; trying again in {pause:g} s ({number + 1} of {self.retries})")
            await asyncio.sleep(pause)
            number += 1

    async def _attempt(self, arguments: JsonObject, context: CallContext) -> ToolResult | BaseException:
        """The result, or what went wrong. The arguments are read anew: a tool may change what it is given."""
        try:
            bound = self.bind(arguments, self._known(context))
        except BaseException as error:  # noqa: BLE001 - the types' validators are their author's code
            return error
        call = partial(self.function, *bound.positional, **bound.by_name)
        if runs_on_loop(self.function):
            return await self._finished(call)
        try:
            value = await in_thread(
                partial(self._in_thread, call), name=f"tool {self.definition.name}", start=self.start
            )
        except RuntimeError as error:  # the system has no more threads
            return error
        if isinstance(value, ToolResult | BaseException):
            return value
        return await self._finished(lambda: value)

    def _known(self, context: CallContext) -> ToolContext:
        return ToolContext(
            call_id=context.id,
            session=context.session,
            deadline=time.monotonic() + _remaining(context),
            secrets=self.env,
            log=ToolLog(write=context.log),
        )

    def _in_thread(self, call: Callable[[], object]) -> object:
        """The result, what the call raised, or what has to be awaited to get the result."""
        try:
            value = call()
        except BaseException as error:  # noqa: BLE001 - whatever a tool raises, exit() included, is its result
            return error
        return value if inspect.isawaitable(value) or isinstance(value, AsyncIterator) else self._written(value)

    async def _finished(self, call: Callable[[], object]) -> ToolResult | BaseException:
        returned = await in_task(partial(self._awaited, call))
        if isinstance(returned, BaseException):
            return returned
        if type(returned[0]) in _PLAIN:  # nothing of the author's runs when it is written
            return self._written(*returned)
        return await self._aside(partial(self._written, *returned))

    async def _awaited(self, call: Callable[[], object]) -> tuple[object]:
        """What a call gives in the end; a tool may give an exception without raising it."""
        value = call()
        while inspect.isawaitable(value):
            value = await value
        if isinstance(value, AsyncIterator):
            # As an iterator: the list may be longer, so its own length must not be told.
            value = iter(await collected(value, max_chars=self.max_result_chars))
        return (value,)

    def _written(self, value: object) -> ToolResult | BaseException:
        try:
            return self._result(value)
        except BaseException as error:  # noqa: BLE001 - the author's own code, as a call of the tool
            return error

    async def _aside(self, work: Callable[[], T]) -> T:
        """Let the author's `__str__` methods and serializers take their time, but not that of the event loop."""
        try:
            return await in_thread(work, name=f"tool {self.definition.name}")
        except RuntimeError:  # the system has no more threads
            return work()

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


def _may_pass(error: BaseException) -> bool:
    """Whether the same call may work a little later: what the tool's own code raised, but not that it ends."""
    return isinstance(error, Exception) and not isinstance(error, WrongArgumentsError | UnwritableResultError)


def _remaining(context: CallContext) -> float:
    return context.deadline - asyncio.get_running_loop().time()


def _parameters(
    function: Callable[..., object], spec: ToolSpec, descriptions: Mapping[str, str]
) -> tuple[JsonObject, Bind]:
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
        unchecked = bind_unchecked(function)
        return given.schema, lambda arguments, context: unchecked(given.read(arguments), context)
    check_agreement(given.schema, signature.schema)
    # The function still gets the types it asks for: enum members, dates, dataclasses.
    return given.schema, lambda arguments, context: signature.bind(given.read(arguments), context)
