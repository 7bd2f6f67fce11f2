"""Repairs times and amounts of data in other spellings: `30 sec` is `30s`, `1 mb` is `1MB`."""

import re

from runner.language.fixing.edits import Fix
from runner.language.fixing.mistake import Mistake

_AMOUNT = re.compile(r"(?P<number>[0-9]+(?:\.[0-9]+)?)\s*(?P<unit>[a-z]+)", re.ASCII | re.IGNORECASE)
_UNITS = {
    **dict.fromkeys(("ms", "msec", "msecs", "millis", "millisecond", "milliseconds"), "ms"),
    **dict.fromkeys(("s", "sec", "secs", "second", "seconds"), "s"),
    **dict.fromkeys(("m", "min", "mins", "minute", "minutes"), "m"),
    **dict.fromkeys(("h", "hr", "hrs", "hour", "hours"), "h"),
    **dict.fromkeys(("b", "byte", "bytes"), "B"),
    **{unit.lower(): unit for unit in ("kB", "MB", "GB", "KiB", "MiB", "GiB")},
}
_MONTH_OR_MEGA = "M"


def spell(mistake: Mistake) -> Fix | None:
    """Write the unit as it is written here. That the unit fits the place is for the validator to say."""
    value = mistake.value
    found = _AMOUNT.fullmatch(value.strip()) if isinstance(value, str) and not mistake.on_key else None
    if found is None or found["unit"] == _MONTH_OR_MEGA or found["unit"].lower() not in _UNITS:
        return None
    ours = found["number"] + _UNITS[found["unit"].lower()]
    return Fix(what=f"'{value}' is now '{ours}'", edits=mistake.worded(ours))
