"""What a run would begin with, and may come to, as text for people or as a JSON document."""

import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass

from runner.engine.ports import ModelReply, ModelRequest
from runner.models import local
from runner.models.usage import estimated
from runner.preview import Preview
from runner.report.json_text import dumped
from runner.report.phrases import counted, duration
from runner.spec import AgentSpec, Json, Limits, ModelSpec

PREVIEW_VERSION = 1

_RULE_CHARACTERS = 72
# As in the token counts of replies whose provider counts none.
_BYTES_PER_TOKEN = 4


@dataclass(frozen=True, kw_only=True, slots=True)
class WorstCase:
    """The most that the limits allow. Tokens are estimates, and None where nothing bounds a reply.

    Attributes:
        seconds: how long the run may take.
        input_tokens: of all requests together, each of which repeats the conversation so far.
        output_tokens: of all replies together.
    """

    requests: int
    tool_calls: int
    seconds: float
    input_tokens: int | None
    output_tokens: int | None


def first_tokens(request: ModelRequest) -> int:
    """An estimate of the tokens of a request: four bytes of UTF-8 a token, messages and tools."""
    return estimated(request, ModelReply()).input_tokens


def worst_case(spec: AgentSpec, request: ModelRequest) -> WorstCase:
    """What a run that begins with `request` may come to."""
    limits, reply = spec.limits, _longest_reply(spec.model)
    steps, calls = limits.max_steps, limits.max_tool_calls if spec.tools else 0
    sent = None
    if reply is not None:
        # The worst is that the tools say all they can in the first step: every later request repeats it.
        repeated = _longest_results(limits, calls) * (steps - 1)
        sent = first_tokens(request) * steps + repeated + reply * (steps * (steps - 1) // 2)
    return WorstCase(
        requests=steps,
        tool_calls=calls,
        seconds=limits.timeout,
        input_tokens=sent,
        output_tokens=None if reply is None else reply * steps,
    )


def _longest_reply(model: ModelSpec) -> int | None:
    declared = model.max_tokens or model.params.get("max_tokens")
    if isinstance(declared, int):
        return declared
    return local.MAX_TOKENS if model.name.startswith(local.PREFIX) else None


def _longest_results(limits: Limits, calls: int) -> int:
    return calls * limits.max_tool_result_chars // _BYTES_PER_TOKEN


def preview_json(spec: AgentSpec, preview: Preview) -> str:
    """The document `{"version": 1, "parsing": …, "request": …, "estimated_tokens": …, …}`, ending with a line end.

    `request` has the fields of the provider's request that are sent, and no others.
    """
    document = {
        "version": PREVIEW_VERSION,
        "agent": spec.name,
        "model": spec.model.name,
        "parsing": preview.parsing,
        "parsing_reason": _reason(spec, preview),
        "undecided": list(preview.undecided),
        "request": request_json(preview.request),
        "estimated_tokens": first_tokens(preview.request),
        "worst_case": asdict(worst_case(spec, preview.request)),
    }
    return dumped(document, indent=2) + "\n"


def request_json(request: ModelRequest) -> dict[str, Json]:
    """A request as its provider gets it, without what is not sent: an empty field, or how to deliver it."""
    parts: dict[str, Json] = {
        "messages": list(request.messages),
        "tools": list(request.tools),
        "tool_choice": request.tool_choice,
        "parallel_tool_calls": request.parallel_tool_calls,
        "response_format": request.response_format,
        "stop": list(request.stop),
    }
    return {name: part for name, part in parts.items() if part not in (None, [])}


def preview_text(spec: AgentSpec, preview: Preview) -> str:
    """The same for people: a summary, then each part of the request under a line with its name."""
    request = request_json(preview.request)
    blocks = [_block(name, text) for message in request.pop("messages") for name, text in _message(message)]
    blocks += [_block(name, part if isinstance(part, str) else _indented(part)) for name, part in request.items()]
    return "\n".join([*_summary(spec, preview), "", *blocks])


def _summary(spec: AgentSpec, preview: Preview) -> Iterator[str]:
    worst = worst_case(spec, preview.request)
    yield f"agent       {spec.name}"
    yield f"model       {spec.model.name}"
    yield f"parsing     {preview.parsing}: {_reason(spec, preview)}"
    yield f"request 1   about {counted(first_tokens(preview.request), 'token')} (an estimate)"
    calls = f", {counted(worst.tool_calls, 'tool call')}" if worst.tool_calls else ""
    yield f"at most     {counted(worst.requests, 'request')}{calls}, {duration(worst.seconds)}"
    if worst.input_tokens is None or worst.output_tokens is None:
        yield "            any number of tokens: model.max_tokens would bound them"
    else:
        yield f"            about {worst.input_tokens:,} tokens sent and {worst.output_tokens:,} received (an estimate)"
    if preview.undecided:
        names = ", ".join(f"model.capabilities.{name}" for name in preview.undecided)
        yield f"undecided   {names}: a run asks LiteLLM what the model"
        yield "            supports, and may send something else than this; say it in the agent to decide it"


def _reason(spec: AgentSpec, preview: Preview) -> str:
    model, calls = spec.model.name, preview.capabilities.function_calling
    if spec.parsing.mode != "auto":
        return "the agent says so"
    if calls is None:
        return f"auto, and it is not known here that {model} cannot call tools"
    source = "model.capabilities says that" if "function_calling" in spec.model.capabilities else "because"
    return f"auto, {source} {model} {'can' if calls else 'cannot'} call tools"


def _message(message: Json) -> Iterator[tuple[str, str]]:
    """A message of the chat as titled texts: its content as it is, and what else it has as JSON."""
    content = message.get("content")
    rest = {key: value for key, value in message.items() if key not in ("role", "content")}
    if isinstance(content, str):
        yield message["role"], content
    elif content is not None:
        rest = {"content": content, **rest}
    if rest:
        yield f"{message['role']}, besides its text", _indented(rest)


def _block(title: str, text: str) -> str:
    rule = "─" * max(2, _RULE_CHARACTERS - len(title) - 4)
    return f"── {title} {rule}\n" + text.removesuffix("\n") + "\n"


def _indented(value: Json) -> str:
    return json.dumps(value, ensure_ascii=False, indent=2)
