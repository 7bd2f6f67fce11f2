"""Puts messages into wire form for the protocols that are nothing but text."""

from collections.abc import Callable, Sequence

from runner.engine.messages import AssistantMessage, Message, ToolCall, ToolResult, UserMessage, WireMessage


def encode_text(
    message: Message, *, written: Callable[[AssistantMessage], str], told: Callable[[ToolCall, ToolResult], str]
) -> Sequence[WireMessage]:
    """One wire message for each; results come from the user, the only other voice there is.

    Args:
        message: a message of the conversation.
        written: what the model said, in the form of the protocol.
        told: what the model is told of a result.
    """
    match message:
        case UserMessage():
            return [{"role": "user", "content": message.text}]
        case AssistantMessage():
            return [{"role": "assistant", "content": written(message)}]
        case _:
            lines = [told(call, result) for call, result in message.results]
            return [{"role": "user", "content": "\n".join(lines)}]
