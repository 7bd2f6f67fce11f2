"""What looking up an import path gives: a callable that exists, or why it cannot be used."""

from dataclasses import dataclass
from pathlib import Path

from runner.language.function_source import Parameters
from runner.language.module_source import Definition


@dataclass(frozen=True, kw_only=True, slots=True)
class Owner:
    """What a method belongs to, as far as the text of the module tells.

    Attributes:
        needs_instance: whether a call of the method makes an instance of a class; None when nobody can tell.
        constructor: what making one takes; None when nobody can tell.
    """

    name: str
    needs_instance: bool | None = None
    constructor: Parameters | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Resolved:
    """A function or method that exists.

    Attributes:
        file: real path of the file that holds the module.
        module: the module's dotted name, as written.
        name: the function's name in it, or `Class.method`.
        root: the folder that makes `import module` find `file` when it is on the import path.
        definition: how the module defines the name; None when its text does not tell (a `from x import *`, say).
        owner: of a method: its class, or the object it is of.
    """

    file: Path
    module: str
    name: str
    root: Path
    definition: Definition | None
    owner: Owner | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Problem:
    """Why an import path cannot be used; `suggestion` says what to write instead."""

    code: str
    message: str
    suggestion: str | None = None
