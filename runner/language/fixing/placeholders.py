"""Repairs placeholders of requests as other tools write them: `{id}`, `:id` and `<id>` are `{{ id }}`."""

import re

from runner.language.fixing.edits import Fix
from runner.language.fixing.mistake import Mistake

_PLACEHOLDER = re.compile(r"\{\{ \w+ \}\}")


def placeholder(mistake: Mistake) -> Fix | None:
    """Write our form for those that name a parameter; of the others the rule only warns."""
    meant = mistake.meant
    if mistake.diagnostic.severity != "error" or meant is None or not _PLACEHOLDER.fullmatch(meant):
        return None
    return Fix(what=f"{mistake.written} is now {meant}", edits=mistake.instead(meant))
