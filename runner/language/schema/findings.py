"""Mismatches of a whole value -> findings, one for each mistake a person made."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace

from runner.language.schema.messages import words
from runner.language.schema.mismatch import Mismatch
from runner.language.schema.vocabulary import ADVICE, FOREIGN, LATER
from runner.language.source import Path
from runner.language.wording import clip, quoted
from runner.spec import Json, JsonObject
from runner.suggest import closest

_CODES = {
    "type": "RUN203",
    "enum": "RUN204",
    "const": "RUN204",
    "pattern": "RUN206",
    "not": "RUN206",
}
_OTHER_CODE = "RUN205"


@dataclass(frozen=True, kw_only=True, slots=True)
class Finding:
    """What is wrong with a value.

    Attributes:
        path: the place the message names.
        at: the place to point at; its key when `on_key`.
        text: what was expected and found there.
    """

    code: str
    path: Path
    at: Path
    on_key: bool = False
    text: str
    suggestion: str | None = None
    warning: bool = False

    @property
    def message(self) -> str:
        """The whole sentence: `limits.max_steps: expected a whole number, found the text 'x'`."""
        return f"{label(self.path)}: {self.text}" if self.path else self.text

    def below(self, path: Path) -> "Finding":
        """The same, for a value that stands at `path` of a larger one."""
        return replace(self, path=path + self.path, at=path + self.at)


def label(path: Path) -> str:
    """A path as people write it: `tools[0].name`."""
    parts = [f"[{step}]" if isinstance(step, int) else f".{_name(step)}" for step in path]
    return "".join(parts).removeprefix(".")


def _name(key: str) -> str:
    return key if re.fullmatch(r"[\w$-]{1,60}", key) else f"'{clip(key)}'"


def findings(mismatches: Iterable[Mismatch], top: str = "") -> list[Finding]:
    """The findings of one value; `top` is its kind, for the words people bring along from other tools."""
    keys: dict[Path, _Keys] = {}
    others = [mismatch for mismatch in mismatches if not _collect(mismatch, keys)]
    # Of a value of the wrong type nothing else needs to be said.
    mistyped = {mismatch.path for mismatch in others if mismatch.keyword == "type" and not mismatch.on_key}
    result = [_finding(each) for each in others if each.keyword == "type" or each.path not in mistyped]
    # What the other keys of a mapping may be hangs on its mode, which may be there under a wrong name.
    modeless = {
        path for path, found in keys.items() if "mode" in found.meant(_place(path, top, found.present)).values()
    }
    result = [finding for finding in result if finding.code != "RUN207" or finding.path not in modeless]
    for path, found in keys.items():
        result.extend(found.findings(path, top))
    return result


def _finding(mismatch: Mismatch) -> Finding:
    text, suggestion = words(mismatch)
    path, at, on_key = mismatch.path, mismatch.path, False
    code = _CODES.get(mismatch.keyword, _OTHER_CODE)
    if mismatch.on_key:
        at, on_key = (*path, mismatch.value), True
    elif mismatch.keyword == "not" and mismatch.expected == {}:  # the key must not be there at all
        path, on_key, code = path[:-1], True, "RUN207"
    return Finding(code=code, path=path, at=at, on_key=on_key, text=text, suggestion=suggestion)


def _place(path: Path, top: str, mapping: JsonObject) -> str:
    """Which tables of foreign words are about the keys of a mapping.

    That is the last name of its path, or the kind of its document (`top`); for a tool it is its type. Values that are
    no documents of ours have no `top`, and no table.
    """
    names = [step for step in path if isinstance(step, str)]
    if not top or not names:
        return top
    if names == ["limits"] and top == "project":
        return "policy"
    if names[-1] == "tools" and mapping.get("type") in ("http", "openapi"):
        return str(mapping["type"])
    return {"maximum": "limits", "fallbacks": "model"}.get(names[-1], names[-1])


class _Keys:
    """The keys of one mapping that are wrong: unknown ones, and missing ones that an unknown one may stand for."""

    def __init__(self, value: dict[str, Json]) -> None:
        self.present = value
        self.known: set[str] = set()
        self.unknown: list[str] = []
        self.missing: list[str] = []
        self.missing_one_of: list[list[str]] = []

    def meant(self, place: str) -> dict[str, str | None]:
        """What each unknown key seems to stand for."""
        return {key: FOREIGN.get(place, {}).get(key) or closest(key, self.known) for key in self.unknown}

    def findings(self, path: Path, top: str) -> list[Finding]:
        place = _place(path, top, self.present)
        meant = self.meant(place)
        found = [self._unknown(path, key, place, meant[key]) for key in self.unknown]
        standing_for = set(meant.values())
        if "extends" in standing_for:  # what is missing may come from there
            return found
        missing = [key for key in dict.fromkeys(self.missing) if key not in standing_for]
        if missing:
            found.append(self._missing(path, missing))
        for options in self.missing_one_of:
            if not standing_for.intersection(options):
                listed = ", ".join(f"'{key}'" for key in options)
                text = f"missing key: one of {listed} is needed"
                found.append(Finding(code="RUN202", path=path, at=path, on_key=True, text=text))
        return found

    def _unknown(self, path: Path, key: str, place: str, meant: str | None) -> Finding:
        at = (*path, key)
        later = LATER.get(place, frozenset())
        if key in later:
            text = f"'{key}' is not supported by this version"
            return Finding(code="RUN208", path=path, at=at, on_key=True, text=text)
        text, suggestion = f"unknown key '{clip(key)}'", None
        if key in ADVICE.get(place, {}):
            text += f": {ADVICE[place][key]}"
        elif key in FOREIGN.get(place, {}) and meant is not None:
            text += f": here it is called '{meant.replace('*', key)}'"
            text += ", which is not supported by this version" if meant in later else ""
        elif meant is not None:
            suggestion = f"did you mean '{meant}'?"
        return Finding(code="RUN201", path=path, at=at, on_key=True, text=text, suggestion=suggestion)

    def _missing(self, path: Path, missing: list[str]) -> Finding:
        text = f"missing key{'s' if len(missing) > 1 else ''} {quoted(missing)}"
        # Without an error about unknown keys nobody has looked at the others that are there.
        others = [] if self.unknown else [key for key in self.present if key not in self.known]
        misspelt = closest(missing[0], others)
        if misspelt is None:
            return Finding(code="RUN202", path=path, at=path, on_key=True, text=text)
        hint = f"is '{clip(misspelt)}' meant as '{missing[0]}'?"
        return Finding(code="RUN202", path=path, at=(*path, misspelt), on_key=True, text=text, suggestion=hint)


def _collect(mismatch: Mismatch, keys: dict[Path, _Keys]) -> bool:
    """Note a mismatch that is about the keys of a mapping, and tell whether it is."""
    if not isinstance(mismatch.value, dict):
        return False
    one_of = _required_alternatives(mismatch)
    if mismatch.keyword not in ("required", "additionalProperties", "unevaluatedProperties") and one_of is None:
        return False
    found = keys.setdefault(mismatch.path, _Keys(mismatch.value))
    found.known.update(mismatch.schema.get("properties", ()))
    if one_of is not None:
        found.missing_one_of.append(one_of)
    elif mismatch.keyword == "required":
        found.missing.extend(key for key in mismatch.expected if key not in mismatch.value)
    else:
        found.unknown.extend(_extra(mismatch))
    return True


def _extra(mismatch: Mismatch) -> list[str]:
    known = mismatch.schema.get("properties", {})
    patterns = mismatch.schema.get("patternProperties", {})
    return [
        key for key in mismatch.value if key not in known and not any(re.search(pattern, key) for pattern in patterns)
    ]


def _required_alternatives(mismatch: Mismatch) -> list[str] | None:
    """The keys of an `anyOf` that only asks for one of them to be there."""
    if mismatch.keyword != "anyOf" or not all(
        isinstance(branch, dict) and list(branch) == ["required"] for branch in mismatch.expected
    ):
        return None
    return [key for branch in mismatch.expected for key in branch["required"]]
