"""Names for tools and arguments, from names that a document chose for itself."""

import hashlib
import re
from collections.abc import Container

MOST_CHARACTERS = 64
_HASH_CHARACTERS = 8
_NOT_IN_A_TOOL = re.compile(r"[^A-Za-z0-9_-]+")
_ARGUMENT = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_NOT_IN_AN_ARGUMENT = re.compile(r"[^A-Za-z0-9_]+")
# In a template these are no names of arguments, or stand for something else when the argument is not given.
_OF_TEMPLATES = frozenset(
    {
        *("and", "else", "false", "if", "import", "in", "is", "loop", "none", "not", "or", "recursive", "self", "true"),
        *("False", "None", "True"),
        *("cycler", "dict", "joiner", "lipsum", "namespace", "range"),
    }
)


def tool_name(operation: str, prefix: str | None) -> str:
    """The name of an operation's tool; what is too long is cut, and ends with a hash of the whole."""
    whole = f"{prefix}_{operation}" if prefix else operation
    name = _NOT_IN_A_TOOL.sub("_", whole)
    if not name or not (name[0].isalpha() or name[0] == "_"):
        name = f"_{name}"
    if len(name) <= MOST_CHARACTERS:
        return name
    digest = hashlib.sha256(whole.encode()).hexdigest()[:_HASH_CHARACTERS]
    return f"{name[: MOST_CHARACTERS - _HASH_CHARACTERS - 1]}_{digest}"


def argument_name(written: str, place: str, taken: Container[str]) -> str:
    """A name that templates can use and that nothing has: of equal ones, all but the first end with their place."""
    name = written if _ARGUMENT.fullmatch(written) else _NOT_IN_AN_ARGUMENT.sub("_", written).strip("_")
    if not name or name[0].isdigit():
        name = f"_{name}"
    if name in _OF_TEMPLATES:
        name += "_"
    candidate, number = name, 1
    while candidate in taken:
        candidate = f"{name}_{place}" if number == 1 else f"{name}_{place}_{number}"
        number += 1
    return candidate
