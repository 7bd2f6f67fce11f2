"""What a template was found to say, as values."""

from dataclasses import dataclass
from typing import Literal

from runner.prompts.tokens import Mark

# What templates may call beside macros of their own.
FUNCTIONS = frozenset(("cycler", "dict", "joiner", "namespace", "range"))
# A step from a list to one of its items.
ITEM = "[]"


@dataclass(frozen=True, kw_only=True, slots=True)
class Access:
    """A look into a value, `user.address.city` as `("user", "address", "city")`; `mark` is the last name.

    `("cities", ITEM, "name")` is the name of an item of `cities`: `cities[0].name`, or `c.name` in a loop over them.
    """

    names: tuple[str, ...]
    mark: Mark


@dataclass(frozen=True, kw_only=True, slots=True)
class Mistake:
    """Something that can never work. `suggestion` says what to write instead."""

    kind: Literal["syntax", "name", "include", "hidden"]
    message: str
    mark: Mark
    suggestion: str | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Reference:
    """A file taken in by `include`, `import` or `extends`; `optional` if it may be missing."""

    name: str
    mark: Mark
    optional: bool


@dataclass(frozen=True, kw_only=True, slots=True)
class Reading:
    """A template as far as it can be known before a run.

    Attributes:
        mistakes: what can never work; after a mistake in the syntax nothing else is known.
        variables: every use of a name that must be given a value.
        mentioned: all names looked up from outside, those that may be missing (`x is defined`) included.
        assigned: names the template gives a value itself; included files may see them.
        called: names that are used as functions.
        accesses: looks into values, except those that may fail (`user.nick | default('')`).
        references: the files it takes in.
    """

    mistakes: tuple[Mistake, ...] = ()
    variables: tuple[Mark, ...] = ()
    mentioned: frozenset[str] = frozenset()
    assigned: frozenset[str] = frozenset()
    called: frozenset[str] = frozenset()
    accesses: tuple[Access, ...] = ()
    references: tuple[Reference, ...] = ()
