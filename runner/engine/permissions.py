"""Which tool calls may be made without asking, after asking, or never."""

import json
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from fnmatch import fnmatchcase
from typing import Literal

from runner.spec import Json, JsonObject, PermissionsSpec, Risk

Verdict = Literal["allow", "ask", "deny"]
# A comma separates arguments only where another one begins: values may hold commas.
_NEXT_ARGUMENT = re.compile(r",(?=[^\s,=*?]+=)")
# What has one value, as JSON writes it; with more digits in the exponent than any number a tool gets has, it is text.
_NUMBER = re.compile(r"-?[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]{1,6})?")


@dataclass(frozen=True, kw_only=True, slots=True)
class Ruling:
    """What holds for a call, and why, for people."""

    verdict: Verdict
    reason: str


class Permissions:
    """An agent's permissions: `deny` beats `ask` beats `allow`, and what no pattern is about depends on the risk."""

    def __init__(self, spec: PermissionsSpec) -> None:
        self._spec = spec

    def reads(self, name: str) -> bool:
        """Whether what holds for calls of a tool depends on their arguments."""
        every = (*self._spec.deny, *self._spec.ask, *self._spec.allow)
        return any(":" in pattern and fnmatchcase(name, pattern.partition(":")[0]) for pattern in every)

    def of(self, name: str, forms: Iterable[JsonObject], risk: Risk) -> Ruling:
        """What holds for a call of a tool.

        `forms` are the arguments as the model wrote them and as the tool will read them: an address in a list that was
        sent as text is an address all the same. One form that is denied or asked about is enough; allowed have to be
        all.
        """
        given = list(forms)
        for verdict, patterns, enough in (("deny", self._spec.deny, any), ("ask", self._spec.ask, any)):
            for pattern in patterns:
                if enough(matches(pattern, name, form, risk, every=any) for form in given):
                    return Ruling(verdict="deny" if verdict == "deny" else "ask", reason=f"{verdict}: {pattern}")
        for pattern in self._spec.allow:
            if all(matches(pattern, name, form, risk, every=all) for form in given):
                return Ruling(verdict="allow", reason=f"allow: {pattern}")
        if risk == "high":
            return Ruling(verdict="ask", reason="the tool has risk high")
        return Ruling(verdict="allow", reason="nothing is said about it")


def matches(
    pattern: str, name: str, arguments: JsonObject, risk: Risk, *, every: Callable[[Iterable[bool]], bool]
) -> bool:
    """Whether a pattern is about a call; of a list as an argument, `every` (any or all) of the items have to fit."""
    if pattern.startswith("risk="):
        return pattern == f"risk={risk}"
    tool, _, rest = pattern.partition(":")
    if not fnmatchcase(name, tool):
        return False
    for condition in _NEXT_ARGUMENT.split(rest) if rest else ():
        path, _, glob = condition.partition("=")
        if not _fits(arguments, path.split("."), glob, every):
            return False
    return True


def _fits(value: Json, path: list[str], glob: str, every: Callable[[Iterable[bool]], bool]) -> bool:
    """Whether what is at a path fits; an item of a list without such a place does not, and neither does no item."""
    if isinstance(value, list | tuple):
        return bool(value) and every(_fits(item, path, glob, every) for item in value)
    if not path:
        return _is_like(value, glob, every)
    if not isinstance(value, Mapping):
        return False
    # Names may have dots in them: `a.b` is the argument of this name, or what `b` is in `a`.
    ends = [end for end in range(1, len(path) + 1) if ".".join(path[:end]) in value]
    return bool(ends) and every(_fits(value[".".join(path[:end])], path[end:], glob, every) for end in ends)


def _is_like(value: Json, glob: str, every: Callable[[Iterable[bool]], bool]) -> bool:
    """Whether a value fits a glob; numbers are the same however they are written.

    Text may be read as a number (a `Decimal` is sent as text), so that deny and ask look at its value as well.
    """
    if isinstance(value, str):
        fits = fnmatchcase(value, glob)
        both_numbers = _NUMBER.fullmatch(glob) and _NUMBER.fullmatch(value.strip())
        return every((fits, Decimal(value.strip()) == Decimal(glob))) if both_numbers else fits
    text = json.dumps(value, ensure_ascii=False, default=str)
    if isinstance(value, bool) or not isinstance(value, int | float):
        return fnmatchcase(text, glob)
    if _NUMBER.fullmatch(glob):
        return Decimal(glob) == Decimal(text)
    whole = isinstance(value, float) and value.is_integer()
    return every(fnmatchcase(each, glob) for each in ([text, str(int(value))] if whole else [text]))
