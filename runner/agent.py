"""An agent: a compiled file that can be run."""

import os
import threading
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import aclosing, asynccontextmanager
from dataclasses import replace
from pathlib import Path

from runner.allowed_models import ModelNotAllowed, check_expanded
from runner.assembly import mode_of, task_of
from runner.blocking import from_sync
from runner.diagnostics import Diagnostic
from runner.engine.approval import Approver, Decision
from runner.engine.asking import ChooseMode
from runner.engine.events import Event, RunFinished
from runner.engine.journal import NoJournal
from runner.engine.ports import Capabilities, Model, ParsingMode, Tool
from runner.engine.run import run
from runner.engine.scope import RunControl
from runner.environment import Secrets, Unset, VariableError, expand_model
from runner.filled_in import check_variables, named_secrets
from runner.inputs import needs_text, resolve_inputs
from runner.language.compiler import compile_agent
from runner.language.overrides import Override
from runner.masking import MaskedJournal, masked
from runner.models import keys_in, open_model, open_models, settled
from runner.order import Order, beginning, task_for
from runner.preview import Preview, preview
from runner.prompts import PromptError
from runner.sessions.session import Session
from runner.spec import AgentSpec, JsonObject
from runner.tools import ToolLoadError, open_tools


class InvalidAgent(Exception):  # noqa: N818 - it is the agent that is in error
    """The agent's file, or one it refers to, has errors; `diagnostics` are what `runner validate` shows."""

    def __init__(self, diagnostics: tuple[Diagnostic, ...]) -> None:
        errors = [diagnostic for diagnostic in diagnostics if diagnostic.severity == "error"]
        super().__init__("\n".join(f"{each.location}: {each.message} [{each.code}]" for each in errors))
        self.diagnostics = diagnostics


def load_agent(
    path: str | Path, *, model: str | None = None, overrides: JsonObject | Sequence[Override] = ()
) -> "Agent":
    """Compile the agent of a file; nothing of it is run yet.

    Args:
        path: the agent's YAML file.
        model: answers instead of the model the file names, as `provider/model`.
        overrides: keys of an agent that win over those of its files, such as `{"limits": {"max_steps": 5}}`; or several
            such, each with the name that messages give it. The limits of the project's `runner.yaml` hold for them too.

    Raises:
        InvalidAgent: the file, one it refers to, or an override has errors.
    """
    named = [Override(option="--model", data={"model": model})] if model is not None else []
    named += [Override(option="overrides", data=overrides)] if isinstance(overrides, Mapping) else overrides
    compiled = compile_agent(Path(path), overrides=named)
    if compiled.spec is None:
        raise InvalidAgent(compiled.diagnostics)
    return Agent(compiled.spec)


class Agent:
    """An agent that can be run any number of times, also concurrently.

    Args:
        spec: the compiled agent.
        model: answers instead of the model that the spec names (`ScriptedModel` in tests, or one of your own).
    """

    def __init__(self, spec: AgentSpec, *, model: Model | None = None) -> None:
        self.spec = spec
        self._model = model
        self._tools: Mapping[str, Tool] | None = None
        self._loading = threading.Lock()
        self._secrets = Secrets(named_secrets(spec, os.environ).values | keys_in(os.environ))

    @property
    def secrets(self) -> Secrets:
        """What of the environment must not be shown: what the file names, and what a run has found besides."""
        return self._secrets

    @property
    def needs_text(self) -> bool:
        """Whether its templates use the text of the run, `input`."""
        return needs_text(self.spec)

    def run(self, text: str | None = None, *, inputs: Mapping[str, object] | None = None) -> RunFinished:
        """Run to the end and return the outcome; look at its `status` before its `answer`.

        Raises:
            InputError: the inputs do not fit; nothing was done.
        """
        return from_sync(self._finish(text, inputs))

    async def _finish(self, text: str | None, inputs: Mapping[str, object] | None) -> RunFinished:
        async with aclosing(self.stream(text, inputs=inputs, watch=False)) as events:
            async for event in events:
                if isinstance(event, RunFinished):
                    return event
        raise RuntimeError("the run ended without RunFinished")

    async def stream(  # noqa: PLR0913 - what a run can be given, all by keyword
        self,
        text: str | None = None,
        *,
        inputs: Mapping[str, object] | None = None,
        watch: bool = True,
        control: RunControl | None = None,
        approver: Approver | None = None,
        session: Session | None = None,
        lessons: Sequence[str] = (),
    ) -> AsyncGenerator[Event, None]:
        """Run, and yield what happens; the last event is always `RunFinished`.

        Args:
            text: what the person asks; the templates know it as `input`.
            inputs: values of the declared inputs.
            watch: whether the model is asked to stream, which costs more per token.
            control: ends the run from outside.
            approver: decides about tool calls that need it; without one they are rejected.
            session: what the run continues, and where it is noted down.
            lessons: what people corrected in earlier runs, told to the model.

        Raises:
            InputError: the inputs do not fit; nothing was done.
        """
        values = resolve_inputs(self.spec, inputs, text=text)
        order = Order(
            text=text,
            inputs=inputs or {},
            values=values,
            watch=watch,
            control=control,
            approver=approver,
            lessons=tuple(lessons),
        )
        async with aclosing(self._events(order, session)) as events:
            async for event in events:
                yield event

    async def resume(  # noqa: PLR0913 - as above
        self,
        session: Session,
        *,
        decisions: Mapping[str, Decision] | None = None,
        inputs: Mapping[str, object] | None = None,
        watch: bool = True,
        control: RunControl | None = None,
        approver: Approver | None = None,
        lessons: Sequence[str] = (),
    ) -> AsyncGenerator[Event, None]:
        """Go on with the unfinished run of a session; what it has done is not done again.

        Args:
            session: one that has something `unfinished`.
            decisions: about calls that wait for one, by call id.
            inputs: win over those the run began with, of which those that the agent takes no more are left out.
            watch: as for `stream`.
            control: as for `stream`.
            approver: as for `stream`.
            lessons: as for `stream`.

        Raises:
            InputError: the agent was changed, and the inputs of the run do not fit any more; nothing was done.
            ValueError: there is nothing to go on with.
        """
        unfinished = session.unfinished
        if unfinished is None:
            raise ValueError(f"session {session.id} has no run to go on with")
        declared = {each.name for each in self.spec.inputs}
        kept = {name: value for name, value in unfinished.began.inputs.items() if name in declared}
        values = resolve_inputs(self.spec, {**kept, **(inputs or {})}, text=unfinished.began.text)
        past = replace(unfinished.past, decisions={**unfinished.past.decisions, **(decisions or {})})
        order = Order(
            text=unfinished.began.text,
            inputs=unfinished.began.inputs,
            values=values,
            watch=watch,
            control=control,
            approver=approver,
            lessons=tuple(lessons),
            past=past,
        )
        async with aclosing(self._events(order, session)) as events:
            async for event in events:
                yield event

    async def _events(self, order: Order, session: Session | None) -> AsyncGenerator[Event, None]:
        try:
            check_variables(self.spec, os.environ, tools=self._tools is None)
            settings, secrets = expand_model(self.spec.model, os.environ)
            check_expanded(self.spec, settings)
            summarizer, more = self._summarizer()
            tools = self._open_tools()
            task = task_for(self.spec, order, session)
        except (VariableError, ModelNotAllowed, ToolLoadError, PromptError) as error:
            yield RunFinished(
                status="config_invalid", answer=None, error=str(error), session=session.id if session else None
            )
            return
        of_tools = (tool.secrets for tool in tools.values())
        secrets = Secrets(secrets.values.union(more.values, keys_in(os.environ), *of_tools))
        if not secrets.values <= self._secrets.values:
            self._secrets = Secrets(self._secrets.values | secrets.values)
        journal = MaskedJournal(session.journal, secrets) if session else NoJournal()
        if order.past is None:
            journal.note(beginning(self.spec, order, task))
        models = (self._model,) if self._model else open_models(settings)
        events = run(
            task,
            model=models[0],
            fallbacks=models[1:],
            summarizer=summarizer,
            tools=tools,
            choose_mode=self._mode_chooser(tools),
            control=order.control,
            approver=order.approver,
            journal=journal,
            past=order.past,
            mask=secrets.mask_cut,
        )
        async with aclosing(events):
            async for event in events:
                yield masked(event, secrets)

    @asynccontextmanager
    async def connected(self) -> AsyncGenerator[None, None]:
        """Keep the model loaded, and its connections open, between the runs of this event loop that are in the block.

        Otherwise the last run that ends closes them, and the next one connects anew (or loads a local model again).

        Raises:
            VariableError, ModelNotAllowed, ModelError: the model cannot be asked.
        """
        settings, _ = expand_model(self.spec.model, os.environ)
        check_expanded(self.spec, settings)
        model = self._model or open_model(settings)
        try:
            await model.open()
            yield
        finally:
            await settled()  # runs whose events somebody has left early are ending just now
            await model.close()

    def preview(self, text: str | None = None, *, inputs: Mapping[str, object] | None = None) -> Preview:
        """What a run would send first; nobody is asked, and no key, network or environment variable is needed.

        As in a run, the modules of Python tools are imported.

        Raises:
            InputError: the inputs do not fit.
            ToolLoadError: a tool cannot be used as it is declared.
            PromptError, ConfigurationError: a template cannot be rendered.
        """
        values = resolve_inputs(self.spec, inputs, text=text)
        # Not kept for runs, which must not go on without the variables that are not set here.
        tools = _opened(self.spec, Unset(os.environ))
        task = task_of(self.spec, values, watch=False)
        return preview(self.spec, tools, task)

    def _summarizer(self) -> tuple[Model | None, Secrets]:
        """The model that sums up, if the agent names one, and what of it must not be shown.

        Raises:
            VariableError: an environment variable is not set.
            ModelNotAllowed: the project forbids it.
        """
        if self.spec.context is None or self.spec.context.model is None:
            return None, Secrets()
        settings, secrets = expand_model(self.spec.context.model, os.environ)
        check_expanded(self.spec, settings)
        return open_model(settings), secrets

    def _mode_chooser(self, opened: Mapping[str, Tool]) -> ChooseMode:
        def choose(capabilities: Capabilities, *, tools: bool = True) -> ParsingMode:
            return mode_of(self.spec, opened if tools else {}, capabilities)

        return choose

    def _open_tools(self) -> Mapping[str, Tool]:
        """The tools, opened at the first run: opening a Python tool runs its module."""
        with self._loading:
            if self._tools is None:
                self._tools = _opened(self.spec, os.environ)
        return self._tools


def _opened(spec: AgentSpec, environ: Mapping[str, str]) -> Mapping[str, Tool]:
    cap = spec.limits.max_tool_result_chars
    return open_tools(spec.tools, spec.project, max_result_chars=cap, environ=environ)
