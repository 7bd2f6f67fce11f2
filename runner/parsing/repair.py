"""Repairs small slips in the JSON of a model, where nothing is lost and nothing has to be guessed."""

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from runner.parsing.json_text import NotJsonError, loads
from runner.spec import Json

# Nobody's slip in a longer text is worth the time of a search for it.
MAX_CHARS = 100_000

_TOKEN = re.compile(
    r"""(?P<space>\s++)
    | (?P<comment>//[^\n]*+|\#[^\n]*+|/\*(?:[^*]|\*(?!/))*+\*/)
    | (?P<string>"(?:[^"\\]|\\.)*+")
    | (?P<quoted>'(?:[^'\\]|\\.)*+')
    | (?P<word>[\w.+-]++)
    | (?P<mark>[{}\[\],:])""",
    re.VERBOSE | re.DOTALL,
)
_PYTHON: dict[str, Json] = {"True": True, "False": False, "None": None}


@dataclass(frozen=True, kw_only=True, slots=True)
class Repaired:
    """A value, and what was wrong with its text, for people: `single quotes, a trailing comma`."""

    value: Json
    what: str


# A bracket, comma or colon, the JSON text of a value, or a name without quotes; and which of these it is.
_Token = tuple[str, Literal["mark", "value", "name"]]


def repair(text: str, satisfies: Callable[[Json], bool]) -> Repaired | None:
    """The JSON value that `text` was meant to be, or None when it is JSON already or its meaning is not certain.

    Only for a reply that was complete: what was cut off must not be closed and used (field bug B23). Repaired are
    single quotes, trailing commas, comments, names without quotes, Python's True, False and None, and one missing last
    bracket. The library guesses far more than that (it drops text, and picks one of two equal keys), so that its result
    counts only if it has every token of the text in the same order, and if it `satisfies` what is wanted (field bug
    B68).
    """
    if len(text) > MAX_CHARS or _is_json(text):
        return None
    import json_repair  # noqa: PLC0415 - 30 ms, for the one reply in a thousand that needs it

    slips: list[str] = []
    try:
        written = _mended(_tokens(text, slips), slips)
        repaired = json.dumps(json_repair.loads(text, skip_json_loads=True), allow_nan=False)
        value, read = loads(repaired), _tokens(repaired, [])
    except (ValueError, RecursionError):
        return None
    if written == read[:-1] and read[-1][1] == "mark":
        if "comments" in slips:
            return None  # the bracket may be in the comment, and more with it
        slips.append("a missing last bracket")
    elif written != read:
        return None
    return Repaired(value=value, what=", ".join(dict.fromkeys(slips))) if satisfies(value) else None


def _is_json(text: str) -> bool:
    try:
        loads(text)
    except ValueError:
        return False
    return True


def _tokens(text: str, slips: list[str]) -> list[_Token]:
    tokens: list[_Token] = []
    position = 0
    while position < len(text):
        found = _TOKEN.match(text, position)
        if found is None:
            raise NotJsonError(f"nothing known begins at {position}")
        position = found.end()
        match found.lastgroup:
            case "comment":
                slips.append("comments")
            case "mark":
                tokens.append((found[0], "mark"))
            case "string":
                tokens.append((_same(loads(found[0])), "value"))
            case "quoted":
                slips.append("single quotes")
                tokens.append((_same(_unquoted(found[0][1:-1])), "value"))
            case "word":
                tokens.append(_word(found[0], slips))
    return tokens


def _unquoted(inner: str) -> Json:
    """The string in single quotes: as in JSON, but for the quotes."""
    escapes = re.sub(r"\\.|\"", lambda found: {"\\'": "'", '"': '\\"'}.get(found[0], found[0]), inner, flags=re.DOTALL)
    return loads(f'"{escapes}"')


def _word(word: str, slips: list[str]) -> _Token:
    if word in _PYTHON:
        slips.append("Python's True, False or None")
        return _same(_PYTHON[word]), "value"
    try:
        return _same(loads(word)), "value"
    except ValueError:
        return _same(word), "name"


def _same(value: Json) -> str:
    """What tells a value from others, whichever way it was written; in Python 1 and True are equal."""
    return json.dumps(value)


def _mended(tokens: Sequence[_Token], slips: list[str]) -> list[_Token]:
    """The tokens without trailing commas, and with names as the strings they stand for."""
    mended: list[_Token] = []
    for token, (following, _) in zip(tokens, [*tokens[1:], ("", "mark")], strict=True):
        if token == (",", "mark") and following in ("}", "]"):
            slips.append("a trailing comma")
        elif token[1] == "name":
            if following != ":":
                raise NotJsonError(f"{token[0]} stands where a value should")
            slips.append("names without quotes")
            mended.append((token[0], "value"))
        else:
            mended.append(token)
    return mended
