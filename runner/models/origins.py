"""Keeps a provider's own fields of a reply from going to another provider, which may refuse what it does not know."""

from dataclasses import replace

from runner.engine.ports import ModelReply
from runner.models.assembly import RETURNED
from runner.spec import Json

# Marks a message with the provider it came from; never sent.
_ORIGIN = "_provider"
_OF_EVERY_CALL = frozenset({"id", "type", "function"})


def marked(reply: ModelReply, provider: str) -> ModelReply:
    """The reply, knowing where its own fields belong."""
    if not reply.extra and not any(call.extra for call in reply.tool_calls):
        return reply
    return replace(reply, extra={**reply.extra, _ORIGIN: provider})


def fit_for(message: dict[str, Json], provider: str) -> dict[str, Json]:
    """A message of the conversation as `provider` may see it: thinking and signatures of others stay behind."""
    origin = message.pop(_ORIGIN, None)
    if origin is None or origin == provider:
        return message
    fitting = {key: value for key, value in message.items() if key not in RETURNED}
    if "tool_calls" in fitting:
        fitting["tool_calls"] = [
            {key: value for key, value in call.items() if key in _OF_EVERY_CALL} for call in fitting["tool_calls"]
        ]
    return fitting
