"""What one run is to do, with every template rendered."""

from dataclasses import dataclass, field

from runner.engine.messages import Message
from runner.spec import ContextSpec, Limits, OnLimit, PermissionsSpec, ToolChoice

AUTO = ToolChoice()


@dataclass(frozen=True, kw_only=True, slots=True)
class Task:
    """One run's work.

    Attributes:
        agent: the agent's name.
        instructions: the system prompt without any protocol; may be empty.
        examples: few-shot turns before the prompt.
        history: what was said in earlier runs of the session.
        prompt: the first user message of this run.
        permissions: which calls may be made.
        session: the session this run belongs to, None when it has none.
        on_limit: `answer` asks once more, without tools, when a limit was reached.
        context: how the conversation is kept inside the model's window; None leaves it as long as it is.
        max_retries: corrections sent for replies that cannot be read.
        watch: whether deltas are wanted.
    """

    agent: str
    instructions: str
    examples: tuple[Message, ...] = ()
    history: tuple[Message, ...] = ()
    prompt: str
    tool_choice: ToolChoice = AUTO
    limits: Limits
    permissions: PermissionsSpec = field(default_factory=PermissionsSpec)
    session: str | None = None
    on_limit: OnLimit = "fail"
    context: ContextSpec | None = None
    max_retries: int = 2
    watch: bool = False
