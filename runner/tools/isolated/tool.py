"""A Python tool whose calls run in processes of their own, behind the engine's `Tool` port."""

import asyncio
import weakref
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial

from runner.engine.messages import ToolResult
from runner.engine.ports import CallContext, ToolDefinition
from runner.environment import Secrets, Variable, expand_json, parse
from runner.spec import Json, JsonObject, ProjectSpec, Risk, ToolSpec
from runner.tools.arguments import WrongArgumentsError, explained, mended_arguments, read_arguments
from runner.tools.calling import in_thread
from runner.tools.failures import ToolLoadError
from runner.tools.isolated.process import ToolProcess
from runner.tools.isolated.protocol import Call, Setup
from runner.tools.isolated.settings import Isolation, isolation_of
from runner.tools.isolated.surroundings import environment_for, module_path

# How long the import of a tool's module may take when it is opened.
_IMPORT_SECONDS = 20.0
# How long a process may take to end in good order when its time is up.
_GRACE_SECONDS = 0.1
_POLL_SECONDS = 0.005


def open_isolated_tool(
    spec: ToolSpec, project: ProjectSpec, *, max_result_chars: int, environ: Mapping[str, str]
) -> "IsolatedTool":
    """Start a process that imports the function, and ask it what it takes; this process imports nothing.

    Raises:
        ToolLoadError: it cannot be imported, or its signature cannot be told to a model.
        VariableError: a variable of its `env` or `config` is not set.
    """
    env = expand_json(spec.settings.get("env") or {}, spec.origin, environ)
    config = expand_json(spec.settings.get("config"), spec.origin, environ)
    surroundings = environment_for(env.value, environ)
    setup = Setup(
        spec=spec,
        project=project,
        isolation=isolation_of(spec) or Isolation(),
        max_result_chars=max_result_chars,
        variables=_named_variables([spec.settings.get("env"), spec.settings.get("config")], environ),
        python_path=surroundings.get("PYTHONPATH"),
    )
    secrets = env.secrets | config.secrets
    start = partial(ToolProcess, setup, {**surroundings, "PYTHONPATH": module_path()}, Secrets(secrets))
    try:
        first = start()
        ready = first.wait_until_ready(_IMPORT_SECONDS)
    except (OSError, ValueError) as error:
        raise ToolLoadError(_not_started(error)) from None
    except ToolLoadError as error:
        raise ToolLoadError(Secrets(secrets).mask(str(error))) from None
    return IsolatedTool(
        definition=ToolDefinition(name=spec.name, description=ready.description, parameters=ready.parameters),
        timeout=spec.timeout,
        return_direct=spec.return_direct,
        risk=spec.risk,
        idempotent=spec.idempotent,
        secrets=secrets,
        start=start,
        first=first,
    )


@dataclass(frozen=True, kw_only=True, eq=False, slots=True, weakref_slot=True)
class IsolatedTool:
    """A tool that is somewhere else while it runs.

    Attributes:
        start: starts one of its processes.
        first: the process that told what the tool takes; it serves the first call.
    """

    definition: ToolDefinition
    timeout: float | None
    return_direct: bool
    risk: Risk
    idempotent: bool
    secrets: frozenset[str] = field(repr=False)
    start: Callable[[], ToolProcess]
    first: ToolProcess
    _unused: list[ToolProcess] = field(init=False, default_factory=list, repr=False)

    def __post_init__(self) -> None:
        self._unused.append(self.first)
        weakref.finalize(self, self.first.kill)

    def mended(self, arguments: JsonObject) -> JsonObject:
        """The arguments with a model's small slips mended by the schema."""
        return mended_arguments(arguments, self.definition.parameters)

    def check(self, arguments: JsonObject) -> str | None:
        """What is wrong with the arguments by the schema, or None; the function itself is in another process."""
        schema = self.definition.parameters
        try:
            problems: Sequence[str] = tuple(read_arguments(arguments, schema)[1].values())
        except WrongArgumentsError as error:
            problems = error.problems
        return explained(self.definition.name, problems, schema) if problems else None

    async def call(self, arguments: JsonObject, context: CallContext) -> ToolResult:
        """Run it in a process, which has ended when this returns or is cancelled."""
        processes = context.held.get(self._processes_of_a_run)
        try:
            process = processes.take()
        except OSError as error:
            return ToolResult(content=_not_started(error), is_error=True)
        seconds = context.deadline - asyncio.get_running_loop().time()
        call = Call(id=context.id, session=context.session, arguments=arguments, seconds=seconds)
        try:
            result = await in_thread(
                partial(process.serve, call, context.log), name=f"process of tool {self.definition.name}"
            )
        finally:
            await processes.end(process)
        processes.prepare()
        return result

    def _processes_of_a_run(self) -> "_Processes":
        return _Processes(self.start, self._unused)


class _Processes:
    """The processes of one tool in one run: those that serve a call, and one that waits for the next."""

    def __init__(self, start: Callable[[], ToolProcess], unused: list[ToolProcess]) -> None:
        self._start = start
        self._waiting = unused
        self._serving: set[ToolProcess] = set()
        self._spare: list[ToolProcess] = []

    def take(self) -> ToolProcess:
        """A process for one call.

        Raises:
            OSError: the system starts no more.
        """
        process = self._prepared() or self._start()
        self._serving.add(process)
        return process

    def prepare(self) -> None:
        """Start a process for the next call: the model takes longer to ask for it than Python to start."""
        if not self._spare:
            try:
                self._spare.append(self._start())
            except OSError:  # the next call will tell
                return

    async def end(self, process: ToolProcess) -> None:
        """Ask a process to end, for a moment, and then end it with its children."""
        try:
            if not process.exited():
                process.terminate()
                await _exit_of(process)
        finally:
            process.kill()
            self._serving.discard(process)

    async def aclose(self) -> None:
        """End them all."""
        for process in (*self._serving, *self._spare):
            process.kill()
        self._spare.clear()

    def _prepared(self) -> ToolProcess | None:
        for place in (self._waiting, self._spare):
            with suppress(IndexError):  # it is empty; another run may have been faster
                while (process := place.pop()).exited():
                    process.kill()
                return process
        return None


async def _exit_of(process: ToolProcess) -> None:
    loop = asyncio.get_running_loop()
    end = loop.time() + _GRACE_SECONDS
    while not process.exited() and loop.time() < end:  # noqa: ASYNC110 - the system tells no event of it
        await asyncio.sleep(_POLL_SECONDS)


def _not_started(error: OSError | ValueError) -> str:
    reason = error.strerror if isinstance(error, OSError) else error
    return f"a process for the tool cannot be started: {reason}"


def _named_variables(declared: Json, environ: Mapping[str, str]) -> dict[str, str]:
    """The environment variables that the texts of a declaration name, as far as they are set."""
    if isinstance(declared, str):
        names = [part.name for part in parse(declared) if isinstance(part, Variable)]
        return {name: environ[name] for name in names if name in environ}
    parts = declared.values() if isinstance(declared, Mapping) else declared if isinstance(declared, list) else ()
    found: dict[str, str] = {}
    for part in parts:
        found |= _named_variables(part, environ)
    return found
