"""Each pattern of `permissions` is about something: what was meant to be forbidden is not forbidden else."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase

from runner.diagnostics import Diagnostic, Location, Related, Severity
from runner.language.doubt import doubtful_tools
from runner.language.policy import RISKS
from runner.language.references import MergedAgent, ToolUse
from runner.language.rules.python_examples import known_parameters
from runner.language.source import Path
from runner.suggest import closest

CODES = {
    "RUN711": "permissions that no tool of the agent fits",
    "RUN712": "permissions for an argument the tool does not have",
    "RUN713": "permissions that repeat or contradict each other",
    "RUN714": "permissions that change nothing",
    "RUN715": "an argument in permissions without a value",
}
# The strongest first: what one says, those after it cannot take back.
_KINDS = ("deny", "ask", "allow")
_SHAPE = re.compile(r"[a-zA-Z0-9_*?\[\]!-]+(:.+)?", re.DOTALL)
# As in the engine: a comma separates arguments only where another one begins.
_NEXT_ARGUMENT = re.compile(r",(?=[^\s,=*?]+=)")
_RISKS = frozenset(f"risk={risk}" for risk in RISKS)
_GLOB = re.compile(r"[*?\[]")


@dataclass(frozen=True, kw_only=True, slots=True)
class _Pattern:
    """A well-formed pattern.

    Attributes:
        tools: the glob of the names of tools, empty when it is about a risk.
        conditions: its `argument=value`s.
    """

    kind: str
    index: int
    text: str
    tools: str
    conditions: tuple[str, ...]

    @property
    def path(self) -> Path:
        return ("permissions", self.kind, self.index)

    def covers(self, other: "_Pattern") -> bool:
        """Whether it is certain to be about every call that the other one is about."""
        if self.text == other.text:
            return True
        return not self.conditions and not _GLOB.search(other.tools) and fnmatchcase(other.tools, self.tools)


def check(agent: MergedAgent) -> Iterator[Diagnostic]:
    """Warn of what never happens. A base's tools may come from those that extend it."""
    if agent.is_base:
        return
    patterns = list(_patterns(agent))
    for number, pattern in enumerate(patterns):
        found = [*_conditions(agent, pattern), *_covered(agent, pattern, patterns[:number])]
        yield from found
        if found or not pattern.tools:
            continue
        fitting = [use for use in agent.tools if fnmatchcase(use.name, pattern.tools)]
        if fitting:
            yield from _arguments(agent, pattern, fitting)
            yield from _changes(agent, pattern, fitting)
        else:
            yield from _misses(agent, pattern)


def _patterns(agent: MergedAgent) -> Iterator[_Pattern]:
    for kind in _KINDS:
        written = agent.value("permissions", kind)
        for index, text in enumerate(written if isinstance(written, list) else ()):
            if isinstance(text, str) and text in _RISKS:
                yield _Pattern(kind=kind, index=index, text=text, tools="", conditions=())
            if not isinstance(text, str) or not _SHAPE.fullmatch(text):
                continue  # the schema's complaint
            tools, _, rest = text.partition(":")
            conditions = tuple(_NEXT_ARGUMENT.split(rest)) if rest else ()
            yield _Pattern(kind=kind, index=index, text=text, tools=tools, conditions=conditions)


def _conditions(agent: MergedAgent, pattern: _Pattern) -> Iterator[Diagnostic]:
    for condition in pattern.conditions:
        name, equals, _ = condition.partition("=")
        if not equals or not name.strip():
            message = f"'{condition}' is no argument with a value, so that this {pattern.kind} is about nothing"
            suggestion = f"write '{pattern.tools}:{name.strip() or 'argument'}=*' for any value"
            yield _told(agent, "RUN715", message, pattern, suggestion, severity="error")


def _covered(agent: MergedAgent, pattern: _Pattern, before: list[_Pattern]) -> Iterator[Diagnostic]:
    """A pattern that another one leaves nothing of."""
    other = next((each for each in before if each.covers(pattern)), None)
    if other is None:
        return
    document, found = agent.find(other.path)
    related = (Related(message="the other one is", location=Location(file=document.file, span=document.span(found))),)
    if other.kind == pattern.kind:
        message = f"'{pattern.text}' under {pattern.kind} says nothing new: '{other.text}' is there already"
    else:
        message = f"'{pattern.text}' under {pattern.kind} is without effect: {other.kind} wins, with '{other.text}'"
    yield _told(agent, "RUN713", message, pattern, "take one of them out", related=related)


def _misses(agent: MergedAgent, pattern: _Pattern) -> Iterator[Diagnostic]:
    """A glob that nearly fits a tool; whole names are looked at elsewhere, and others may be there to be safe."""
    stem = _GLOB.split(pattern.tools)[0]
    if len(stem) == len(pattern.tools) or not stem or doubtful_tools(agent).any_name:
        return
    stems = {use.name[: len(stem)]: use.name for use in agent.tools}
    meant = closest(stem, stems)
    if meant is not None:
        message = f"'{pattern.tools}' fits none of the agent's tools, so that this {pattern.kind} is about nothing"
        hint = f"did you mean '{meant}{pattern.tools[len(stem) :]}', as in '{stems[meant]}'?"
        yield _told(agent, "RUN711", message, pattern, hint)


def _arguments(agent: MergedAgent, pattern: _Pattern, fitting: list[ToolUse]) -> Iterator[Diagnostic]:
    """Arguments that every fitting tool is known not to have."""
    declared = [_declared(agent, use) for use in fitting]
    known = {name for names in declared if names is not None for name in names}
    if None in declared:
        return
    for condition in pattern.conditions:
        name, equals, _ = condition.partition("=")
        steps = name.split(".")
        # A dot may be part of a name as well as lead into it.
        first = next(
            (".".join(steps[:end]) for end in range(len(steps), 0, -1) if ".".join(steps[:end]) in known), steps[0]
        )
        if not equals or not first or first in known:
            continue
        whose = f"'{fitting[0].name}' has" if len(fitting) == 1 else f"the {len(fitting)} tools that it fits have"
        message = f"{whose} no argument '{first}', so that this {pattern.kind} is about nothing"
        meant = closest(first, known)
        hint = f"did you mean '{meant}'?" if meant else f"expected one of {', '.join(sorted(known)) or 'none at all'}"
        yield _told(agent, "RUN712", message, pattern, hint)


def _declared(agent: MergedAgent, use: ToolUse) -> frozenset[str] | None:
    """The names of the arguments that a tool takes; None when nobody can tell."""
    if use.tool is None:
        return None
    parameters = use.tool.data.get("parameters")
    if isinstance(parameters, Mapping):
        names, more = parameters.get("properties"), parameters.get("additionalProperties", False)
        composed = any(key in parameters for key in ("allOf", "anyOf", "oneOf", "$ref", "patternProperties"))
        return frozenset(names) if isinstance(names, Mapping) and more is False and not composed else None
    taken = known_parameters(use.tool, agent)
    return None if taken is None or taken.open else frozenset(taken.names)


def _changes(agent: MergedAgent, pattern: _Pattern, fitting: list[ToolUse]) -> Iterator[Diagnostic]:
    """An `allow` of some calls sounds as if the others were not allowed; they are, unless the risk is high."""
    risks = {use.tool.data.get("risk", "low") if use.tool else None for use in fitting}
    if pattern.kind != "allow" or not pattern.conditions or not risks <= {"low", "medium"}:
        return
    names = " and ".join(f"'{use.name}'" for use in fitting[:2]) if len(fitting) < 3 else "these tools"
    message = f"'{pattern.text}' changes nothing: every call of {names} is allowed anyway, unless another pattern fits"
    yield _told(agent, "RUN714", message, pattern, "with 'risk: high' at the tool, the other calls are asked about")


def _told(  # noqa: PLR0913 - the parts of a diagnostic
    agent: MergedAgent,
    code: str,
    message: str,
    pattern: _Pattern,
    suggestion: str,
    *,
    severity: Severity = "warning",
    related: tuple[Related, ...] = (),
) -> Diagnostic:
    return agent.diagnostic(code, message, pattern.path, suggestion=suggestion, severity=severity, related=related)
