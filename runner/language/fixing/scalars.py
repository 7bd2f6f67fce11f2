"""Repairs values of the wrong type: text that YAML reads as a number, a number in quotes, `yes` for true."""

import json
import re

from runner.language.fixing.edits import Fix
from runner.language.fixing.mistake import Mistake

_IN_QUOTES = re.compile(r'write ".*", in quotes')
_WITHOUT_QUOTES = re.compile(r"write (-?[0-9.]+), without quotes")
_AS_LIST = re.compile(r"write (\[[\w./-]+\])")
# As YAML 1.1 read them, and as programs write them.
_BOOLEANS = {
    **dict.fromkeys(("true", "yes", "on"), "true"),
    **dict.fromkeys(("false", "no", "off"), "false"),
}


def quote(mistake: Mistake) -> Fix | None:
    """Put a number, a date or a boolean in quotes where text is wanted: `010` is `"010"`, not `"10"`."""
    if mistake.on_key or not _IN_QUOTES.fullmatch(mistake.diagnostic.suggestion or ""):
        return None
    text = json.dumps(mistake.written)
    return Fix(what=f"{mistake.written} is now text, {text}", edits=mistake.instead(text))


def unquote(mistake: Mistake) -> Fix | None:
    """Take a number out of its quotes where a number is wanted."""
    found = _WITHOUT_QUOTES.fullmatch(mistake.diagnostic.suggestion or "")
    return _rewritten(mistake, found[1]) if found else None


def boolean(mistake: Mistake) -> Fix | None:
    """Write true or false for `yes`, `"true"` and the like where a boolean is wanted."""
    wanted = "expected true or false," in mistake.diagnostic.message
    word = _BOOLEANS.get(mistake.value.lower()) if wanted and isinstance(mistake.value, str) else None
    return _rewritten(mistake, word) if word else None


def as_list(mistake: Mistake) -> Fix | None:
    """Make a word a list of one where a list is wanted."""
    found = _AS_LIST.fullmatch(mistake.diagnostic.suggestion or "")
    return _rewritten(mistake, found[1]) if found else None


def _rewritten(mistake: Mistake, text: str) -> Fix | None:
    if mistake.on_key or "\n" in mistake.written:
        return None
    return Fix(what=f"{mistake.written} is now {text}", edits=mistake.instead(text))
