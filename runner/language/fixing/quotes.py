"""Repairs values that YAML cannot read as text without quotes: `{{ name }}`, `@bot`, `note: x`."""

import json
import re

from runner.language.fixing.edits import Edit, Fix
from runner.language.fixing.mistake import Mistake

# `write "{{ name }}"`, `write 'say "hi"'`, `write description: "note: x"`
_WRITE = re.compile(r"""write (?:[^"'\s]+: )?(?P<quoted>"(?:[^"\\]|\\.)*"|'[^'"]*(?:"[^'"]*)+')""")


def quote(mistake: Mistake) -> Fix | None:
    """Put the value in quotes as the suggestion shows it, if it stands on the line of the mistake as it is, once."""
    found = _WRITE.fullmatch(mistake.diagnostic.suggestion or "")
    if found is None:
        return None
    quoted = found["quoted"]
    value = json.loads(quoted) if quoted.startswith('"') else quoted[1:-1]
    places = mistake.places
    begin, _ = mistake.offsets
    start, end = places.line_start(begin), places.line_end(begin)
    line = places.text[start:end]
    if not value or "\n" in value or line.count(value) != 1:
        return None
    at = start + line.index(value)
    return Fix(what=f"{value} is now in quotes", edits=(Edit(start=at, end=at + len(value), text=quoted),))
