"""What a Python file defines at its top level, read from its syntax tree: nothing is imported or run."""

import ast
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Literal

from runner.language.class_source import ClassSource, read_class
from runner.language.function_source import CONTEXT, Parameters, read_parameters, read_summary, statements

Kind = Literal["function", "class", "import", "module", "assignment"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Definition:
    """A name of a module.

    Attributes:
        kind: `module` is what `import x` binds; what `from x import y` binds may be anything.
        parameters: None where the syntax tree cannot tell (a class, a decorated function).
        summary: the first paragraph of the docstring as one line, None when there is none.
        made_by: of an assignment `x = Name(…)`: that name.
    """

    name: str
    kind: Kind
    line: int
    parameters: Parameters | None = None
    summary: str | None = None
    made_by: str | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class ModuleSource:
    """A module as its text tells.

    Attributes:
        definitions: the top-level names; a later definition replaces an earlier one, as at run time.
        classes: the top-level classes.
        nested: functions inside other functions or classes, and what they are inside of.
        stars: the modules of `from x import *`, which may define more names; relative ones begin with dots.
    """

    definitions: dict[str, Definition]
    classes: dict[str, ClassSource]
    nested: dict[str, str]
    stars: tuple[str, ...]


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
    classes: dict[str, ClassSource] = {}
    contexts = _context_names(tree)
    for statement in statements(tree.body):
        if isinstance(statement, ast.ClassDef):
            classes[statement.name] = read_class(statement, contexts)
        for definition in _defined(statement, contexts):
            definitions[definition.name] = definition
    definitions.pop("*", None)
    stars = tuple(
        "." * each.level + (each.module or "")
        for each in statements(tree.body)
        if isinstance(each, ast.ImportFrom) and each.names[0].name == "*"
    )
    return ModuleSource(definitions=definitions, classes=classes, nested=_nested(tree), stars=stars)


def _context_names(tree: ast.Module) -> frozenset[str]:
    """What the module calls the `ToolContext`: `from runner import ToolContext as Context`."""
    imports = (node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom))
    aliases = (alias for node in imports for alias in node.names)
    return frozenset({CONTEXT, *(alias.asname for alias in aliases if alias.name == CONTEXT and alias.asname)})


def _defined(statement: ast.stmt, contexts: frozenset[str]) -> Iterator[Definition]:
    line = statement.lineno
    match statement:
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
            parameters = None if statement.decorator_list else read_parameters(statement, contexts)
            summary = read_summary(statement)
            yield Definition(name=name, kind="function", line=line, parameters=parameters, summary=summary)
        case ast.ClassDef(name=name):
            yield Definition(name=name, kind="class", line=line, summary=read_summary(statement))
        case ast.Import(names=aliases) | ast.ImportFrom(names=aliases):
            kind: Kind = "module" if isinstance(statement, ast.Import) else "import"
            for alias in aliases:
                yield Definition(name=alias.asname or alias.name.partition(".")[0], kind=kind, line=line)
        case ast.Assign(targets=targets, value=value):
            for node in (node for target in targets for node in ast.walk(target) if isinstance(node, ast.Name)):
                is_whole = node in targets
                yield Definition(
                    name=node.id, kind="assignment", line=line, made_by=_maker(value) if is_whole else None
                )
        case ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value):
            yield Definition(name=name, kind="assignment", line=line, made_by=_maker(value))


def _maker(value: ast.expr) -> str | None:
    """The name that is called to make a value, if it is one."""
    return value.func.id if isinstance(value, ast.Call) and isinstance(value.func, ast.Name) else None


def _nested(tree: ast.Module) -> dict[str, str]:
    nested: dict[str, str] = {}
    for outer in ast.walk(tree):
        if isinstance(outer, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            for inner in outer.body:
                if isinstance(inner, (ast.FunctionDef, ast.AsyncFunctionDef)):
                    nested.setdefault(inner.name, outer.name)
    return nested
