"""Repairs values that are one of a few words: other case, one slip, or the name another language has for it."""

from runner.language.fixing.edits import Fix
from runner.language.fixing.likeness import is_slip
from runner.language.fixing.mistake import Mistake
from runner.language.schema.vocabulary import OTHER_TYPE_NAMES


def word(mistake: Mistake) -> Fix | None:
    """Write the word that is surely meant."""
    value, meant = mistake.value, mistake.meant
    if mistake.on_key or meant is None or not isinstance(value, str):
        return None
    if not is_slip(value, meant) and OTHER_TYPE_NAMES.get(value.lower()) != meant:
        return None
    return Fix(what=f"'{value}' is now '{meant}'", edits=mistake.worded(meant))
