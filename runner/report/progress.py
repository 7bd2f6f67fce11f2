"""The events of a run as lines of progress for a person who waits."""

from typing import Literal, Protocol, TextIO

from runner.engine.events import (
    ApprovalRequested,
    ApprovalResolved,
    ContextReduced,
    Event,
    FormatRejected,
    FormatRepaired,
    ModelDelta,
    ModelReplied,
    Retried,
    RunFinished,
    RunStarted,
    StepStarted,
    ToolCalled,
    ToolLogged,
    ToolReturned,
)
from runner.report import phrases, run_phrases

Tone = Literal["quiet", "alarm"]

_ARGUMENT_CHARACTERS = 60
_RESULT_CHARACTERS = 120
# What a tool tells on its way that is seen without --verbose.
_LOUD = ("warning", "error")
_PROBLEM_CHARACTERS = 200
_STEP_INDENT = "  "
_TOOL_INDENT = "      "
_DETAIL_INDENT = "        "


class Surface(Protocol):
    """Where progress appears."""

    @property
    def live(self) -> bool:
        """Whether `wait` and `mention` are seen."""

    def line(self, text: str, *, note: str = "", tone: Tone = "quiet") -> None:
        """Add a lasting line; `note` (a duration) stands apart from the text."""

    def wait(self, text: str) -> None:
        """Show that this is going on, from now until the next `wait` or `rest`."""

    def mention(self, text: str) -> None:
        """Show the newest words from what is being waited for."""

    def rest(self) -> None:
        """Nothing is being waited for."""


class SilentSurface:
    """Shows nothing."""

    live = False

    def line(self, text: str, *, note: str = "", tone: Tone = "quiet") -> None:
        """Show nothing."""

    def wait(self, text: str) -> None:
        """Show nothing."""

    def mention(self, text: str) -> None:
        """Show nothing."""

    def rest(self) -> None:
        """Show nothing."""


class PlainSurface(SilentSurface):
    """Lines in a file or a pipe: no colours, and nothing of what is only about to happen."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def line(self, text: str, *, note: str = "", tone: Tone = "quiet") -> None:
        """Write one line; both tones read the same."""
        del tone
        self._stream.write(f"{text} · {note}\n" if note else f"{text}\n")


class Progress:
    """Tells a surface what happens in a run.

    `verbose` shows arguments, results and rejected replies in full, all that tools log, and what each step took.
    """

    def __init__(self, surface: Surface, *, verbose: bool = False) -> None:
        self._surface = surface
        self._verbose = verbose
        self._model = ""
        self._running: dict[str, ToolCalled] = {}
        self._questions: dict[str, ApprovalRequested] = {}
        self._reply = ""
        self._asked: int | None = None  # the step whose reply is being waited for and has no line yet
        self._overtaken = False  # something else was written on the terminal before the reply was complete

    def opening(self, model: str) -> None:
        """Say that the model is being made ready, which takes seconds and comes before the first event."""
        self._surface.wait(f"{_STEP_INDENT}starting {phrases.visible(model)}")

    def make_room(self) -> None:
        """Something else is written on the terminal next, below the line of the step it belongs to."""
        self._surface.rest()
        if self._asked is not None:
            self._surface.line(self._step(self._asked))
            self._asked, self._overtaken = None, True

    def __call__(self, event: Event) -> None:
        """Show one event."""
        match event:
            case RunStarted():
                self._started(event)
            case StepStarted():
                self._reply, self._asked, self._overtaken = "", event.step, False
                self._surface.wait(self._step(event.step))
            case ModelDelta():
                self._reply = (self._reply + event.text)[-_RESULT_CHARACTERS:]
                self._surface.mention(phrases.visible(" ".join(self._reply.split())))
            case ModelReplied():
                self._replied(event)
            case ToolCalled():
                self._running[event.id] = event
                self._wait_for_tools()
            case ToolReturned():
                self._returned(event)
            case RunFinished():
                self._surface.rest()
            case _:
                self._mishap(event)

    def _mishap(self, event: Event) -> None:
        match event:
            case Retried():
                self._retried(event)
            case ContextReduced():
                self._surface.line(f"{_TOOL_INDENT}{run_phrases.reduced(event)}")
            case ToolLogged():
                self._logged(event)
            case ApprovalRequested():  # whoever decides is shown it in full, and needs the terminal
                self._questions[event.id] = event
                self._surface.rest()
            case ApprovalResolved():
                self._resolved(event)
            case FormatRejected():
                self._rejected(event)
            case FormatRepaired() if self._verbose:
                self._surface.line(f"{_TOOL_INDENT}repaired in the reply: {phrases.visible(event.what)}")
            case _:  # the other events are told by the outcome
                pass

    def close(self, finished: RunFinished) -> None:
        """Sum up the run, if it came to anything."""
        if finished.steps:
            self._surface.line(_STEP_INDENT + run_phrases.summary(finished))

    def _started(self, event: RunStarted) -> None:
        self._model = phrases.visible(event.model)
        self._surface.rest()
        if self._verbose:
            tools = ", ".join(event.tools) or "no tools"
            self._surface.line(f"{_STEP_INDENT}{event.agent} · {self._model} · parsing {event.parsing} · {tools}")

    def _step(self, number: int) -> str:
        return f"{_STEP_INDENT}{number} · {self._model}"

    def _replied(self, event: ModelReplied) -> None:
        self._asked = None
        self._surface.rest()
        if not self._overtaken:
            self._surface.line(self._step(event.step), note=phrases.duration(event.seconds))
        if self._verbose:
            self._surface.line(f"{_TOOL_INDENT}{run_phrases.spent(event.usage, event.cost)}")

    def _retried(self, event: Retried) -> None:
        """Whoever waits for a call that failed is told why, and whom the run asks next."""
        self._model, self._overtaken = phrases.visible(event.next_model), False
        self._surface.rest()
        limit = None if self._verbose else _PROBLEM_CHARACTERS
        self._surface.line(f"{_STEP_INDENT}{event.step} · {run_phrases.retried(event, limit=limit)}", tone="alarm")
        self._asked = event.step
        self._surface.wait(self._step(event.step))

    def _logged(self, event: ToolLogged) -> None:
        if not (self._verbose or event.level in _LOUD):
            return
        limit = None if self._verbose else _RESULT_CHARACTERS
        tone: Tone = "alarm" if event.level in _LOUD else "quiet"
        self._surface.line(f"{_TOOL_INDENT}{run_phrases.logged(event, limit=limit)}", tone=tone)

    def _resolved(self, event: ApprovalResolved) -> None:
        asked = self._questions.pop(event.id, None)
        arguments = event.arguments if event.arguments is not None or asked is None else asked.arguments
        limit = None if self._verbose else _ARGUMENT_CHARACTERS
        # What the permissions deny was never asked, and its event has no arguments.
        call = (
            phrases.visible(event.name) if arguments is None else run_phrases.call(event.name, arguments, limit=limit)
        )
        told = run_phrases.resolved(event)
        if event.decision == "deferred" and asked is not None:  # whoever decides later has to know why
            told += f" · {phrases.shortened(asked.reason, _RESULT_CHARACTERS)}"
        tone: Tone = "alarm" if event.decision in ("denied", "rejected", "stopped") else "quiet"
        self._surface.line(f"{_TOOL_INDENT}{call} · {told}", tone=tone)

    def _rejected(self, event: FormatRejected) -> None:
        if self._verbose:
            self._surface.line(f"{_TOOL_INDENT}reply rejected, attempt {event.attempt}:", tone="alarm")
            self._details(event.problem, tone="alarm")
        elif self._overtaken:  # the person has read it for the answer
            problem = phrases.shortened(event.problem, _RESULT_CHARACTERS)
            self._surface.line(f"{_TOOL_INDENT}reply rejected: {problem}", tone="alarm")

    def _returned(self, event: ToolReturned) -> None:
        called = self._running.pop(event.id, None)
        limit = None if self._verbose else _ARGUMENT_CHARACTERS
        call = run_phrases.call(event.name, called.arguments if called else None, limit=limit)
        tone: Tone = "alarm" if event.is_error else "quiet"
        arrow = "→ error:" if event.is_error else "→"
        taken = phrases.duration(event.seconds)
        if self._verbose:
            self._surface.line(f"{_TOOL_INDENT}{call} · {taken} {arrow}", tone=tone)
            self._details(event.content, tone=tone)
        else:
            result = phrases.shortened(event.content, _RESULT_CHARACTERS)
            self._surface.line(f"{_TOOL_INDENT}{call} {arrow} {result}", note=taken, tone=tone)
        self._wait_for_tools()

    def _wait_for_tools(self) -> None:
        match list(self._running.values()):
            case []:
                self._surface.rest()
            case [one]:
                self._surface.wait(_TOOL_INDENT + run_phrases.call(one.name, one.arguments, limit=_ARGUMENT_CHARACTERS))
            case several:
                self._surface.wait(f"{_TOOL_INDENT}{len(several)} tool calls")

    def _details(self, text: str, *, tone: Tone) -> None:
        for line in text.splitlines() or [""]:
            self._surface.line(_DETAIL_INDENT + phrases.visible(line, keep="\t"), tone=tone)
