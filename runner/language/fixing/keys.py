"""Repairs keys: misspelt ones, and those of other tools that only have another name here."""

from runner.language.fixing.edits import Fix
from runner.language.fixing.likeness import is_slip
from runner.language.fixing.mistake import Mistake


def rename(mistake: Mistake) -> Fix | None:
    """Write our name of a key, unless a key of that name is there already."""
    if mistake.path is None or not mistake.on_key:
        return None
    key = str(mistake.path[-1])
    ours = mistake.our_word
    if ours is None and mistake.meant is not None and is_slip(key, mistake.meant):
        ours = mistake.meant
    # `limits.max_steps` is another place, and `model.*` too: `moves` knows about those.
    if ours is None or not ours.isidentifier() or ours in mistake.mapping:
        return None
    return Fix(what=f"'{key}' is now '{ours}'", edits=mistake.worded(ours))
