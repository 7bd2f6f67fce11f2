"""What one run is to do, with every template rendered."""

from dataclasses import dataclass

from runner.engine.messages import Message
from runner.spec import Limits, ToolChoice

AUTO = ToolChoice()


@dataclass(frozen=True, kw_only=True, slots=True)
class Task:
    """One run's work.

    Attributes:
        agent: the agent's name.
        instructions: the system prompt without any protocol; may be empty.
        examples: few-shot turns before the prompt.
        prompt: the first user message.
        max_retries: corrections sent for replies that cannot be read.
        watch: whether deltas are wanted.
    """

    agent: str
    instructions: str
    examples: tuple[Message, ...] = ()
    prompt: str
    tool_choice: ToolChoice = AUTO
    limits: Limits
    max_retries: int = 2
    watch: bool = False
