"""Writes a request down as the arguments of LiteLLM's `acompletion`."""

from collections.abc import Mapping
from typing import Any

from runner.engine.ports import ModelRequest
from runner.models.origins import fit_for
from runner.models.providers import Route
from runner.spec import Json

# Arguments of LiteLLM that would change what a request is, or how its reply comes.
RESERVED = frozenset({"fallbacks", "messages", "model", "n", "stream", "stream_options"})
# Who names the cap of a reply by its newer name in `params` means it: not every server takes both.
_CAPS = ("max_completion_tokens", "max_tokens")


def arguments(
    request: ModelRequest, route: Route, params: Mapping[str, Json], accepted: frozenset[str]
) -> dict[str, Any]:
    """The arguments that say what is sent where; none of them is None.

    Messages are copied, but not what is in them: LiteLLM builds the provider's form anew and leaves ours as it is, and
    to copy a long conversation for each of its calls would cost more than the rest of them.

    Args:
        request: what is asked; `stop` is left out unless the model takes it.
        route: where it goes.
        params: further arguments of the model's; what `request` says wins over them.
        accepted: the parameters that LiteLLM can pass on.
    """
    ours = {
        "model": route.model,
        "messages": [fit_for(dict(message), route.provider) for message in request.messages],
        "api_base": route.api_base,
        "api_key": route.api_key,
        "tools": [dict(tool) for tool in request.tools] or None,
        "tool_choice": request.tool_choice,
        "parallel_tool_calls": request.parallel_tool_calls,
        "response_format": request.response_format,
        "stop": list(request.stop) or None,
        # Retries are ours: LiteLLM's hide the error, and its client's multiply them (field bugs B59 and B125).
        "num_retries": 0,
        "max_retries": 0,
    }
    for hint, default in (("parallel_tool_calls", False), ("tool_choice", "auto")):
        if hint not in accepted and ours[hint] == default:
            ours[hint] = None  # no harm is done if the model goes against the one, and it follows the other anyway
    return {**params, **_cap(request, params), **{name: value for name, value in ours.items() if value is not None}}


def _cap(request: ModelRequest, params: Mapping[str, Json]) -> dict[str, int]:
    """The smaller of the model's own cap and that of the request, by the name the model's has."""
    if request.max_tokens is None:
        return {}
    own = {name: params[name] for name in _CAPS if isinstance(params.get(name), int)}
    smallest = min(request.max_tokens, *own.values()) if own else request.max_tokens
    return dict.fromkeys(own or ("max_tokens",), smallest)
