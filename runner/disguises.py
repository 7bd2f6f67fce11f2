"""Finds a secret in a text in whichever way it was written there: plain, escaped, quoted, or in Base64."""

import base64
import json
import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from html.entities import codepoint2name
from urllib.parse import quote, quote_plus

# Of less there is too little left in Base64 to tell it from chance.
_SHORTEST_IN_BASE64 = 6
# Longest way to write one character, `\ud83d\ude00`; a text that ends in the middle of one ends with one of these.
_LONGEST_UNIT = 12
# Of more, each is only looked for as JSON writes it: to try both ways for all would take for ever.
_MOST_BACKSLASHES = 8
_ESCAPES = {"\b": "b", "\t": "t", "\n": "n", "\f": "f", "\r": "r"}
# HTML 4 has no name for it.
_ENTITIES = {**codepoint2name, ord("'"): "apos"}


def pattern_of(values: Iterable[str]) -> re.Pattern[str]:
    """What matches each of the values, the longest first: one may be part of another."""
    forms: dict[str, int] = {}
    for value in values:
        for form, length in _forms(value):
            forms[form] = max(length, forms.get(form, 0))
    return re.compile("|".join(sorted(forms, key=lambda form: (-forms[form], form))))


# Stands between a text that was cut and what is said of it.
CUT = "… [cut: "


def without_beginning(text: str, values: Iterable[str]) -> str:
    """A text that was cut somewhere, without what may be the beginning of one of the values at its end."""
    shown = len(text)
    for value in values:
        for way in ({value, value.strip() or value}, _in_base64(value)):
            for spelling in way:
                units = tuple(re.compile(unit) for unit in _units(spelling))
                shown = min(shown, _beginning(text, units))
    return text[:shown]


def _beginning(text: str, units: tuple[re.Pattern[str], ...]) -> int:
    """Where the first of these units begin that go on to the end of the text; the end if there are none."""
    longest = sum(1 if len(unit.pattern) == 1 else _LONGEST_UNIT for unit in units)
    for start in range(max(0, len(text) - longest), len(text)):
        place = start
        for unit in units:
            found = unit.match(text, place)
            if found is None:
                break
            place = found.end()
            if place == len(text):
                return start
        rest = text[place:]
        begun = place > start or len(units[0].pattern) > 1
        if begun and rest[:1] in ("\\", "%", "&") and len(rest) < _LONGEST_UNIT:
            return start
    return len(text)


def _forms(value: str) -> Iterator[tuple[str, int]]:
    """(pattern, length of what it matches) of each way to write a value."""
    escaped = json.dumps(value, ensure_ascii=False)[1:-1]
    ascii_only = json.dumps(value)[1:-1]
    safe = value.encode("utf-8", "replace")
    plain = {value, value.strip() or value, escaped, ascii_only, quote(safe, safe=""), quote(safe), quote_plus(safe)}
    for each in plain:
        yield re.escape(each), len(each)
    for spelling in (value, value.strip() or value, *_in_base64(value)):
        yield "".join(_units(spelling)), len(spelling)


def _in_base64(value: str) -> frozenset[str]:
    """The characters of Base64 that are the same whatever stands before and after, for each place it may begin at."""
    data = value.strip().encode("utf-8", "replace")
    if len(data) < _SHORTEST_IN_BASE64:
        return frozenset()
    found: set[str] = set()
    for before in range(3):
        first, last = -(-before * 8 // 6), (before + len(data)) * 8 // 6
        padded = b"\0" * before + data + b"\0" * 2
        found |= {encode(padded).decode()[first:last] for encode in (base64.b64encode, base64.urlsafe_b64encode)}
    return frozenset(found)


def _units(value: str) -> Iterator[str]:
    """A pattern for each character: what servers make of it in JSON, addresses, forms, HTML and Markdown."""
    few = value.count("\\") <= _MOST_BACKSLASHES
    return (_unit(character, few_backslashes=few) for character in value)


@lru_cache(maxsize=4096)
def _unit(character: str, *, few_backslashes: bool) -> str:
    """Letters and digits are never written in another way, so a text without the first of them is passed quickly."""
    if character.isascii() and character.isalnum():
        return character
    code = ord(character)
    utf16 = character.encode("utf-16-be", "surrogatepass")
    ways = [_hexadecimal("".join(rf"\\u{utf16[at : at + 2].hex()}" for at in range(0, len(utf16), 2)))]
    percent = "".join(f"%(?:25)?{byte:02x}" for byte in character.encode("utf-8", "replace"))
    ways += [_hexadecimal(percent), _hexadecimal(f"&#x0*{code:x};"), f"&#0*{code};"]
    if code in _ENTITIES:
        ways.append(f"&{_ENTITIES[code]};")
    if character in _ESCAPES:
        ways.append(rf"\\{{1,2}}{_ESCAPES[character]}")
    if character == " ":
        ways.append(r"\+")
    if character == "\\":
        ways.append(r"\\{1,2}" if few_backslashes else r"\\\\")
    else:  # PHP writes `\/`, Markdown `\_`, JSON inside of JSON `\\\"`
        ways.append(rf"\\{{0,4}}{re.escape(character)}")
    return f"(?:{'|'.join(ways)})"


def _hexadecimal(pattern: str) -> str:
    return f"(?i:{pattern})"
