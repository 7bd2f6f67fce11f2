"""What a Python file defines at its top level, read from its syntax tree: nothing is imported or run."""

import ast
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Literal

Kind = Literal["function", "class", "import", "assignment"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Parameters:
    """The parameters of a function that can be given by name.

    Attributes:
        required: those without a default.
        names: all of them, `required` included.
        open: whether `**kwargs` takes any other name.
    """

    required: tuple[str, ...]
    names: tuple[str, ...]
    open: bool


@dataclass(frozen=True, kw_only=True, slots=True)
class Definition:
    """A name of a module.

    Attributes:
        parameters: None where the syntax tree cannot tell (a class, a decorated function).
        summary: the first paragraph of a function's docstring as one line, None when there is none.
    """

    name: str
    kind: Kind
    line: int
    parameters: Parameters | None = None
    summary: str | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class ModuleSource:
    """A module as its text tells.

    Attributes:
        definitions: the top-level names; a later definition replaces an earlier one, as at run time.
        nested: functions inside other functions or classes, and what they are inside of.
        stars: whether `from x import *` may define more names than can be seen.
    """

    definitions: dict[str, Definition]
    nested: dict[str, str]
    stars: bool


class UnreadableModuleError(Exception):
    """The file is not a Python module that can be read; the message says why, with the line."""


def read_module(file: Path) -> ModuleSource:
    """The top-level names of a Python file.

    Raises:
        UnreadableModuleError: it cannot be opened, or is not Python.
    """
    try:
        state = file.stat()
        return _read(file, state.st_mtime_ns, state.st_size)
    except OSError as error:
        raise UnreadableModuleError(f"cannot be read: {error.strerror}") from error


@lru_cache(maxsize=256)
def _read(file: Path, _changed: int, _size: int) -> ModuleSource:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # an invalid escape in user code is not ours to report
            tree = ast.parse(file.read_bytes(), filename=str(file))
    except SyntaxError as error:
        raise UnreadableModuleError(f"line {error.lineno or 1}: {error.msg}") from error
    except (ValueError, RecursionError, MemoryError) as error:  # null bytes; nesting beyond the parser's stack
        raise UnreadableModuleError(f"cannot be parsed: {error}") from error
    definitions: dict[str, Definition] = {}
    stars = False
    for statement in _top_level(tree.body):
        for definition in _defined(statement):
            stars = stars or definition.name == "*"
            definitions[definition.name] = definition
    definitions.pop("*", None)
    return ModuleSource(definitions=definitions, nested=_nested(tree), stars=stars)


def _top_level(body: Sequence[ast.stmt]) -> Iterator[ast.stmt]:
    """The statements that run at import, those inside `if`, `try`, `with`, loops and `match` included."""
    for statement in body:
        yield statement
        if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            continue
        for block in ("body", "orelse", "finalbody"):
            yield from _top_level(getattr(statement, block, ()))
        for branch in (*getattr(statement, "handlers", ()), *getattr(statement, "cases", ())):
            yield from _top_level(branch.body)


def _defined(statement: ast.stmt) -> Iterator[Definition]:
    line = statement.lineno
    match statement:
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
            yield Definition(
                name=name, kind="function", line=line, parameters=_parameters(statement), summary=_summary(statement)
            )
        case ast.ClassDef(name=name):
            yield Definition(name=name, kind="class", line=line)
        case ast.Import(names=aliases) | ast.ImportFrom(names=aliases):
            for alias in aliases:
                name = alias.asname or alias.name.partition(".")[0]
                yield Definition(name=name, kind="import", line=line)
        case ast.Assign(targets=targets):
            for node in (node for target in targets for node in ast.walk(target) if isinstance(node, ast.Name)):
                yield Definition(name=node.id, kind="assignment", line=line)
        case ast.AnnAssign(target=ast.Name(id=name), value=ast.expr()):
            yield Definition(name=name, kind="assignment", line=line)


def _parameters(function: ast.FunctionDef | ast.AsyncFunctionDef) -> Parameters | None:
    if function.decorator_list:
        return None
    arguments = function.args
    positional = [argument.arg for argument in (*arguments.posonlyargs, *arguments.args)]
    by_name = [argument.arg for argument in arguments.kwonlyargs]
    required = positional[: len(positional) - len(arguments.defaults)]
    required += [name for name, default in zip(by_name, arguments.kw_defaults, strict=True) if default is None]
    return Parameters(required=tuple(required), names=tuple(positional + by_name), open=arguments.kwarg is not None)


def _summary(function: ast.FunctionDef | ast.AsyncFunctionDef) -> str | None:
    paragraph, _, _ = (ast.get_docstring(function) or "").partition("\n\n")
    return " ".join(paragraph.split()) or None


def _nested(tree: ast.Module) -> dict[str, str]:
    nested: dict[str, str] = {}
    for outer in ast.walk(tree):
        if isinstance(outer, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            for inner in outer.body:
                if isinstance(inner, (ast.FunctionDef, ast.AsyncFunctionDef)):
                    nested.setdefault(inner.name, outer.name)
    return nested
