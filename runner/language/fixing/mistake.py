"""A diagnostic together with the text it is about: what fixers look at."""

import re
from dataclasses import dataclass

from runner.diagnostics import Diagnostic, Span
from runner.language.fixing.edits import Edit
from runner.language.fixing.places import Places
from runner.language.source import Path
from runner.spec import Json, JsonObject

_MEANT = re.compile(r"did you mean '(.+)'\?")
_MISSING = re.compile(r"is '.+' meant as '(.+)'\?")
_OUR_WORD = re.compile(r": here it is called '([\w.*]+)'$")


@dataclass(frozen=True, kw_only=True, slots=True)
class Mistake:
    """One problem of a text.

    Attributes:
        diagnostic: the problem.
        places: the text, and what stands where.
        span: the place of the problem; a diagnostic without one cannot be repaired.
        path: what stands there; None when that is no whole key or value (a part of a text, or no document at all).
        on_key: whether the key at `path` is meant.
    """

    diagnostic: Diagnostic
    places: Places
    span: Span
    path: Path | None
    on_key: bool

    @property
    def offsets(self) -> tuple[int, int]:
        """Where it stands in the text."""
        return self.places.offsets(self.span)

    @property
    def written(self) -> str:
        """The offending text as it is written, quotes and all."""
        start, end = self.offsets
        return self.places.text[start:end]

    @property
    def meant(self) -> str | None:
        """The word that the validator takes this one for."""
        suggestion = self.diagnostic.suggestion or ""
        found = _MEANT.fullmatch(suggestion) or _MISSING.fullmatch(suggestion)
        return found[1] if found else None

    @property
    def our_word(self) -> str | None:
        """What a word from another tool is called here: `instructions`, `limits.max_steps`."""
        found = _OUR_WORD.search(self.diagnostic.message)
        return found[1] if found else None

    @property
    def value(self) -> Json:
        """The value at `path`; None when there is no path."""
        return self.reach(self.path)

    @property
    def mapping(self) -> JsonObject:
        """The mapping that holds the key at `path`."""
        around = self.reach(self.path[:-1]) if self.path else None
        return around if isinstance(around, dict) else {}

    def reach(self, path: Path | None) -> Json:
        """The value at a path of the document; None when there is none."""
        value: Json = self.places.document.data if self.places.document and path is not None else None
        for step in path or ():
            is_key = isinstance(value, dict) and step in value
            is_index = isinstance(value, list) and isinstance(step, int) and step < len(value)
            if not is_key and not is_index:
                return None
            value = value[step]
        return value

    def instead(self, text: str) -> tuple[Edit]:
        """The edit that writes `text` for the whole offending text."""
        start, end = self.offsets
        return (Edit(start=start, end=end, text=text),)

    def worded(self, word: str) -> tuple[Edit]:
        """The edit that writes another word, in the quotes that are there."""
        quote = self.written[:1] if self.written[:1] in ("'", '"') else ""
        return self.instead(f"{quote}{word}{quote}")
