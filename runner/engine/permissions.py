"""Which tool calls may be made without asking, after asking, or never."""

import json
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Literal

from runner.spec import Json, JsonObject, PermissionsSpec, Risk

Verdict = Literal["allow", "ask", "deny"]
# A comma separates arguments only where another one begins: values may hold commas.
_NEXT_ARGUMENT = re.compile(r",(?=[\w.-]+=)")


@dataclass(frozen=True, kw_only=True, slots=True)
class Ruling:
    """What holds for a call, and why, for people."""

    verdict: Verdict
    reason: str


class Permissions:
    """An agent's permissions: `deny` beats `ask` beats `allow`, and what no pattern is about depends on the risk."""

    def __init__(self, spec: PermissionsSpec) -> None:
        self._spec = spec

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
        values = list(_values(arguments, path.split(".")))
        if not values or not every(fnmatchcase(value, glob) for value in values):
            return False
    return True


def _values(value: Json, path: list[str]) -> Iterable[str]:
    """The texts at a path; lists on the way are gone through."""
    if isinstance(value, list | tuple):
        for item in value:
            yield from _values(item, path)
    elif not path:
        yield value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
    elif isinstance(value, Mapping) and path[0] in value:
        yield from _values(value[path[0]], path[1:])
