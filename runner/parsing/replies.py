"""What holds for a reply in every text protocol, before its form is looked at."""

from runner.engine.messages import AssistantMessage
from runner.engine.ports import Answer, Malformed, ModelReply, Reading
from runner.parsing.problems import CUT_OFF, EMPTY


def plain_reading(reply: ModelReply) -> Reading:
    """The reading without a protocol: the text is the answer."""
    said = AssistantMessage(text=reply.text, raw=reply.text, extra=reply.extra)
    problem = unusable(reply, reply.text)
    return Answer(message=said) if problem is None else Malformed(message=said, problem=problem)


def unusable(reply: ModelReply, kept: str) -> str | None:
    """Why there is nothing to read. `kept` is the part that counts: what was cut off behind it is not missed."""
    if reply.finish_reason == "length" and len(kept) == len(reply.text):
        return CUT_OFF
    return None if reply.text.strip() else EMPTY


def is_complete(reply: ModelReply) -> bool:
    """Whether the provider says that the model came to its end: only then may a missing bracket be put there."""
    return reply.finish_reason in ("stop", "tool_calls", "function_call")
