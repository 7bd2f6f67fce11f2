"""What an agent may have under a wrong name or in a file that cannot be read: its lack is no second mistake."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, fields

from runner.language.policy import LIMITS
from runner.language.references import MergedAgent
from runner.language.schema.vocabulary import FOREIGN
from runner.spec import AgentSpec, Json
from runner.suggest import closest

# What cannot be a name at all is the schema's complaint.
_TOOL_NAME = re.compile(r"[a-zA-Z_][a-zA-Z0-9_-]{0,63}")
_KEYS = frozenset(field.name for field in fields(AgentSpec)) | {
    *("version", "kind", "extends", "instructions_file", "prompt_file")
}


def is_tool_name(name: str) -> bool:
    """Whether a tool may have this name."""
    return _TOOL_NAME.fullmatch(name) is not None


def may_have_meant(agent: MergedAgent, *wanted: str) -> bool:
    """Whether an unknown key at the top of one of the agent's files seems to stand for one of those wanted."""
    unknown = {key for layer in agent.layers for key in layer.data} - _KEYS
    return any((FOREIGN["agent"].get(key) or closest(key, _KEYS)) in wanted for key in unknown)


def limits_meant(unknown: Iterable[str]) -> frozenset[str]:
    """The limits that unknown keys of `limits` seem to stand for."""
    meant = (FOREIGN["limits"].get(key) or closest(key, LIMITS) for key in unknown)
    return frozenset(limit for limit in meant if limit is not None)


@dataclass(frozen=True, kw_only=True, slots=True)
class DoubtfulTools:
    """Tools of an agent that nobody knows, because what is written is wrong.

    Attributes:
        any_name: whether one of them may have any name.
        names: the names that are written, none of which is a tool's.
    """

    any_name: bool
    names: tuple[str, ...]

    def may_have(self, name: str) -> bool:
        """Whether one of them is likely to be the tool of this name."""
        return self.any_name or closest(name, self.names) is not None


def doubtful_tools(agent: MergedAgent) -> DoubtfulTools:
    """The entries of `tools` that name or declare nothing."""
    entries = agent.value("tools")
    if not isinstance(entries, list):
        return DoubtfulTools(any_name=entries is not None or may_have_meant(agent, "tools", "extends"), names=())
    nameless = any(_is_nameless(entry) for entry in entries)
    malformed = any(not is_tool_name(use.name) for use in agent.tools)
    names = tuple(use.name for use in agent.tools if use.tool is None)
    return DoubtfulTools(any_name=nameless or malformed or not agent.complete, names=names)


def _is_nameless(entry: Json) -> bool:
    if isinstance(entry, dict):
        return entry.get("type") != "openapi" and not isinstance(entry.get("name"), str)
    return not isinstance(entry, str)


def lacks_arguments(call: Json) -> bool:
    """Whether an example's call has no `arguments`, and no unknown key that may stand for them."""
    known = {"tool", "arguments", "result"}
    return isinstance(call, dict) and "arguments" not in call and all(key in known or key[:2] == "x-" for key in call)


def without_meant(missing: Iterable[str], unknown: Iterable[str]) -> list[str]:
    """Those missing names that none of the unknown ones seems to stand for."""
    options = list(missing)
    meant = {closest(name, options) for name in unknown}
    return [name for name in options if name not in meant]
