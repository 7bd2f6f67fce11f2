"""A text protocol that an author declares: its patterns and templates, and what is wrong with them."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from runner.parsing.arguments import arguments_text
from runner.parsing.pairs import write_pairs
from runner.parsing.pattern_form import form_of
from runner.parsing.patterns import Pattern, PatternError
from runner.spec import Json, JsonObject

Field = Literal["call", "answer", "arguments"]
ArgumentStyle = Literal["json", "pairs", "none"]
Render = Callable[[Mapping[str, Json]], str]


@dataclass(frozen=True, kw_only=True, slots=True)
class TextProtocol:
    """How an agent's author lets a model call tools and answer.

    Attributes:
        instructions: renders the explanation for the system prompt from `tools`, a list of objects with `name`,
            `description` and `parameters`.
        call: matches a call anywhere in a reply; group `name` and, unless tools get no arguments, group `arguments`.
        answer: matches the answer; group `answer`.
        arguments: how the arguments are written.
        result: renders a tool's result from `name`, `arguments` and `result`; None for `Result of NAME: RESULT`.
        stop: strings that end a reply.
    """

    instructions: Render
    call: Pattern
    answer: Pattern
    arguments: ArgumentStyle = "json"
    result: Render | None = None
    stop: tuple[str, ...] = ()

    def write_call(self, name: str, arguments: JsonObject) -> str:
        """A call in the form of the `call` pattern."""
        written = _written(arguments, self.arguments)
        return form_of(self.call.text, {"name": name, "arguments": written}) or f"{name} {written}".rstrip()

    def write_answer(self, text: str) -> str:
        """An answer in the form of the `answer` pattern."""
        return form_of(self.answer.text, {"answer": text}) or text

    def write_result(self, name: str, arguments: JsonObject, result: str) -> str:
        """A tool's result as the model is told it."""
        if self.result is None:
            return f"Result of {name}: {result}"
        return self.result({"name": name, "arguments": arguments, "result": result})


def _written(arguments: JsonObject, style: ArgumentStyle) -> str:
    if style == "json":
        return arguments_text(arguments)
    return write_pairs(arguments) if style == "pairs" else ""


@dataclass(frozen=True, kw_only=True, slots=True)
class ProtocolProblem:
    """Something wrong with a declared protocol; `field` is its key, `offset` the place in a pattern, in characters.

    An `advice` does not keep the protocol from being used.
    """

    field: Field
    message: str
    offset: int | None = None
    advice: bool = False


def check_protocol(
    *, call: str, answer: str, arguments: ArgumentStyle = "json", tools: Sequence[str] = ()
) -> list[ProtocolProblem]:
    """Everything wrong with the patterns of a protocol; `tools` are the names they will have to match."""
    problems: list[ProtocolProblem] = []
    calls = _compiled("call", call, "name", problems)
    answers = _compiled("answer", answer, "answer", problems)
    if calls is not None:
        problems += [*_check_arguments(calls, arguments), *_check_names(calls, arguments, tools)]
    if answers is not None:
        problems += _check_lines(answers)
    return problems


def _compiled(field: Field, text: str, group: str, problems: list[ProtocolProblem]) -> Pattern | None:
    """The pattern, if it can be used; `problems` gets the reason why it cannot."""
    try:
        pattern = Pattern(text)
    except PatternError as error:
        problems.append(ProtocolProblem(field=field, message=str(error), offset=error.offset))
        return None
    if group not in pattern.groups:
        others = f"; it has {', '.join(sorted(pattern.groups))}" if pattern.groups else ""
        problems.append(ProtocolProblem(field=field, message=f"the pattern needs a group (?P<{group}>…){others}"))
    elif pattern.search("") is not None:
        problems.append(ProtocolProblem(field=field, message="the pattern matches where nothing is written"))
    else:
        return pattern
    return None


def _check_arguments(call: Pattern, style: ArgumentStyle) -> Iterator[ProtocolProblem]:
    if style == "none" and "arguments" in call.groups:
        message = "with arguments: none the group 'arguments' is not read; write json or pairs"
        yield ProtocolProblem(field="arguments", message=message, advice=True)
    elif style != "none" and "arguments" not in call.groups:
        message = "the pattern has no group (?P<arguments>…), so that every tool is called without arguments"
        yield ProtocolProblem(field="call", message=f"{message}; write arguments: none if that is meant", advice=True)


def _check_names(call: Pattern, style: ArgumentStyle, tools: Sequence[str]) -> Iterator[ProtocolProblem]:
    """A name must never be cut by the pattern: that would call another tool, or none."""
    for tool in tools:
        written = form_of(call.text, {"name": tool, "arguments": _written({"a": 1}, style)})
        if written is None:
            message = "the pattern is too unusual to write calls in its form, which examples need"
            yield ProtocolProblem(field="call", message=message, advice=True)
            return
        found = call.search(written)
        name = "" if found is None else found.text("name", written)
        # A longer name is ours: what stands between name and arguments is optional, and was left out here.
        if not name or (name != tool and tool.startswith(name)):
            what = f"takes only {name!r} of" if name else "does not match"
            yield ProtocolProblem(
                field="call", message=f"the group 'name' {what} the tool {tool!r} in {written!r}", advice=not name
            )


def _check_lines(answer: Pattern) -> Iterator[ProtocolProblem]:
    written = form_of(answer.text, {"answer": "one\ntwo"})
    found = answer.search(written) if written else None
    if written and (found is None or found.text("answer", written).strip() != "one\ntwo"):
        message = "an answer of several lines is not matched as a whole; begin the pattern with (?s)"
        yield ProtocolProblem(field="answer", message=f"{message} if . may stand for line breaks", advice=True)
