"""What a function takes and says, read from its syntax tree."""

import ast
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

FunctionNode = ast.FunctionDef | ast.AsyncFunctionDef
CONTEXT = "ToolContext"
_JSON_TYPES = {
    "str": frozenset({"string"}),
    "bool": frozenset({"boolean"}),
    "int": frozenset({"integer", "number"}),
    "float": frozenset({"integer", "number"}),
    "list": frozenset({"array"}),
    "dict": frozenset({"object"}),
}
_WORD = re.compile(r"\w+")


@dataclass(frozen=True, kw_only=True, slots=True)
class Parameters:
    """The parameters of a function that can be given by name, without the one that gets the `ToolContext`.

    Attributes:
        required: those without a default.
        names: all of them, `required` included.
        open: whether `**kwargs` takes any other name.
        contexts: those that are given the `ToolContext`; a function has at most one.
        scalars: those that are annotated as text, a number or a boolean, or as one of these or None.
        types: the JSON types of those whose annotation is a type of Python that JSON has too, or several of these.
    """

    required: tuple[str, ...]
    names: tuple[str, ...]
    open: bool
    contexts: tuple[str, ...] = ()
    scalars: frozenset[str] = frozenset()
    types: Mapping[str, frozenset[str]] = field(default_factory=dict)

    @property
    def context(self) -> bool:
        """Whether it is given the `ToolContext`."""
        return bool(self.contexts)


NO_PARAMETERS = Parameters(required=(), names=(), open=False)


def read_parameters(function: FunctionNode, contexts: frozenset[str], *, skip: int = 0) -> Parameters:
    """The parameters as written; decorators may change them.

    Args:
        function: the definition.
        contexts: the names under which the module knows the `ToolContext`.
        skip: how many of the first are not the caller's to give (`self`).
    """
    arguments = function.args
    positional = [*arguments.posonlyargs, *arguments.args]
    optional = {each.arg for each in positional[len(positional) - len(arguments.defaults) :]}
    by_name = zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)
    optional |= {each.arg for each, default in by_name if default is not None}
    every = [*positional[skip:], *arguments.kwonlyargs]
    names = tuple(each.arg for each in every if not _is_context(each.annotation, contexts))
    return Parameters(
        required=tuple(name for name in names if name not in optional),
        names=names,
        open=arguments.kwarg is not None,
        contexts=tuple(each.arg for each in every if _is_context(each.annotation, contexts)),
        scalars=frozenset(each.arg for each in every if _is_scalar(each.annotation)),
        types={each.arg: types for each in every if (types := _json_types(each.annotation))},
    )


def _json_types(annotation: ast.expr | None) -> frozenset[str]:
    """The JSON types of an annotation; none when it is not that simple."""
    match annotation:
        case ast.Constant(value=None):
            return frozenset({"null"})
        case ast.Name(id=name):
            return _JSON_TYPES.get(name, frozenset())
        case ast.Subscript(value=ast.Name(id="list" | "dict" as name)):
            return _JSON_TYPES[name]
        case ast.BinOp(left=left, op=ast.BitOr(), right=right):
            first, second = _json_types(left), _json_types(right)
            return first | second if first and second else frozenset()
        case _:
            return frozenset()


def _is_scalar(annotation: ast.expr | None) -> bool:
    if isinstance(annotation, ast.BinOp) and isinstance(annotation.op, ast.BitOr):
        return _is_scalar(annotation.left) and (_is_scalar(annotation.right) or _is_none(annotation.right))
    return isinstance(annotation, ast.Name) and annotation.id in ("str", "int", "float", "bool")


def _is_none(annotation: ast.expr) -> bool:
    return isinstance(annotation, ast.Constant) and annotation.value is None


def _is_context(annotation: ast.expr | None, contexts: frozenset[str]) -> bool:
    """Whether an annotation names the `ToolContext`, also as text or `ToolContext | None`."""
    return annotation is not None and any(
        (isinstance(node, ast.Name) and node.id in contexts)
        or (isinstance(node, ast.Attribute) and node.attr == CONTEXT)
        or (
            isinstance(node, ast.Constant)
            and isinstance(node.value, str)
            and not contexts.isdisjoint(_WORD.findall(node.value))
        )
        for node in ast.walk(annotation)
    )


def read_summary(node: FunctionNode | ast.ClassDef) -> str | None:
    """The first paragraph of the docstring as one line, None when there is none."""
    paragraph, _, _ = (ast.get_docstring(node) or "").partition("\n\n")
    return " ".join(paragraph.split()) or None


def statements(body: Sequence[ast.stmt]) -> Iterator[ast.stmt]:
    """The statements of a body, those inside `if`, `try`, `with`, loops and `match` included."""
    for statement in body:
        yield statement
        if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            continue
        for block in ("body", "orelse", "finalbody"):
            yield from statements(getattr(statement, block, ()))
        for branch in (*getattr(statement, "handlers", ()), *getattr(statement, "cases", ())):
            yield from statements(branch.body)
