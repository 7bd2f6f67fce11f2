"""What a class offers as the owner of tools, read from its syntax tree: its methods, and what its constructor takes."""

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

from runner.language.function_source import (
    NO_PARAMETERS,
    FunctionNode,
    Parameters,
    read_parameters,
    read_summary,
    statements,
)

# Bases that add neither methods one would call nor parameters of the constructor.
_EMPTY_BASES = frozenset({"object", "ABC", "Generic", "Protocol"})
# Decorators that change nothing of what a method takes.
_PLAIN = frozenset({"override", "final", "abstractmethod"})
_UNBOUND = {"staticmethod": 0, "classmethod": 1}

Field = Literal["required", "optional", "absent"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Method:
    """A method of a class.

    Attributes:
        parameters: without `self` or `cls`; None where the syntax tree cannot tell (decorated, assigned).
        needs_instance: False for static and class methods, None where nobody can tell.
        is_property: whether it is read, not called.
    """

    line: int
    parameters: Parameters | None = None
    needs_instance: bool | None = None
    summary: str | None = None
    is_property: bool = False


@dataclass(frozen=True, kw_only=True, slots=True)
class ClassSource:
    """A class as its text tells.

    Attributes:
        bases: their names, empty for what is no name; those that add nothing left out.
        methods: by name; whatever else its body assigns counts as a method nothing is known of.
        fields: of a dataclass, what its constructor takes; None when it is none.
        opaque: whether a decorator or a metaclass may add anything.
    """

    bases: tuple[str, ...]
    methods: Mapping[str, Method]
    fields: Mapping[str, Field] | None
    opaque: bool


@dataclass(frozen=True, kw_only=True, slots=True)
class Unknown:
    """The answer is not in the text of this module."""


Classes = Mapping[str, ClassSource]
UNKNOWN = Unknown()


def read_class(node: ast.ClassDef, contexts: frozenset[str]) -> ClassSource:
    """The class as written; `contexts` are the names of the `ToolContext` in the module."""
    decorators = [_name(each.func if isinstance(each, ast.Call) else each) for each in node.decorator_list]
    bases = tuple(_local(base) for base in node.bases if _name(base) not in _EMPTY_BASES)
    body = list(statements(node.body))
    return ClassSource(
        bases=bases,
        methods=dict(_methods(body, contexts)),
        fields=_fields(body) if "dataclass" in decorators else None,
        opaque=bool(set(decorators) - {"dataclass"}) or bool(node.keywords) or _is_special(node),
    )


def find_method(owner: str, name: str, classes: Classes) -> Method | Unknown | None:
    """The method of a class or the bases it has in the same module; None when there certainly is none."""
    unknown = False
    for cls in _lineage(owner, classes):
        if cls is None:
            unknown = True
        elif name in cls.methods:
            return UNKNOWN if unknown else cls.methods[name]
        else:
            unknown = unknown or cls.opaque or "__getattr__" in cls.methods
    return UNKNOWN if unknown else None


def method_names(owner: str, classes: Classes) -> list[str]:
    """The public methods that can be seen."""
    seen = (name for cls in _lineage(owner, classes) if cls for name in cls.methods)
    return [name for name in dict.fromkeys(seen) if not name.startswith("_")]


def constructor(owner: str, classes: Classes) -> Parameters | None:
    """What making an instance takes; None where the text cannot tell."""
    for name in _chain(owner, classes):
        cls = classes.get(name)
        if cls is None or cls.opaque or "__new__" in cls.methods:
            return None
        if "__init__" in cls.methods:
            return cls.methods["__init__"].parameters
        if cls.fields is not None:
            return _all_fields(name, classes)
        if len(cls.bases) > 1:
            return None
    return NO_PARAMETERS


def _all_fields(owner: str, classes: Classes) -> Parameters | None:
    """The fields of a dataclass and those it inherits; a later one replaces its namesake."""
    fields: dict[str, Field] = {}
    assigned: set[str] = set()  # a field without a value of its own takes what a base has under its name
    for name in reversed(_chain(owner, classes)):
        cls = classes.get(name)
        if cls is None or cls.opaque or len(cls.bases) > 1:
            return None
        for field, kind in (cls.fields or {}).items():
            fields[field] = "optional" if kind == "required" and field in assigned else kind
        assigned |= cls.methods.keys()
    required = tuple(name for name, kind in fields.items() if kind == "required")
    return Parameters(
        required=required, names=tuple(name for name, kind in fields.items() if kind != "absent"), open=False
    )


def _chain(owner: str, classes: Classes) -> list[str]:
    """A class and its first bases, up to one that another module defines."""
    chain = [owner]
    while (cls := classes.get(chain[-1])) and cls.bases and cls.bases[0] not in chain:
        chain.append(cls.bases[0])
    return chain


def _lineage(owner: str, classes: Classes) -> Iterator[ClassSource | None]:
    """The class and its bases, the nearest first; None for one that another module defines."""
    waiting, seen = [owner], set[str]()
    while waiting:
        name = waiting.pop(0)
        if name not in seen:
            seen.add(name)
            cls = classes.get(name)
            yield cls
            waiting = [*(cls.bases if cls else ()), *waiting]


def _methods(body: list[ast.stmt], contexts: frozenset[str]) -> Iterator[tuple[str, Method]]:
    for statement in body:
        match statement:
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                yield statement.name, _method(statement, contexts)
            case ast.ClassDef(name=name):
                yield name, Method(line=statement.lineno)
            case ast.Assign(targets=targets):
                for target in targets:
                    yield _name(target), Method(line=statement.lineno)
            case ast.AnnAssign(target=ast.Name(id=name), value=ast.expr()):
                yield name, Method(line=statement.lineno)


def _method(node: FunctionNode, contexts: frozenset[str]) -> Method:
    line, summary = node.lineno, read_summary(node)
    decorators = [name for name in map(_name, node.decorator_list) if name not in _PLAIN]
    if not decorators:
        parameters = read_parameters(node, contexts, skip=1)
        return Method(line=line, parameters=parameters, needs_instance=True, summary=summary)
    if len(decorators) == 1 and decorators[0] in _UNBOUND:
        parameters = read_parameters(node, contexts, skip=_UNBOUND[decorators[0]])
        return Method(line=line, parameters=parameters, needs_instance=False, summary=summary)
    is_property = decorators[0] in ("property", "cached_property")
    return Method(line=line, summary=summary, is_property=is_property)


def _fields(body: list[ast.stmt]) -> Mapping[str, Field]:
    """The fields of a dataclass, and what else its annotations say that the constructor does not take."""
    fields: dict[str, Field] = {}
    for statement in body:
        if isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name):
            kind = _base_name(statement.annotation)
            if kind != "KW_ONLY":
                fields[statement.target.id] = "absent" if kind == "ClassVar" else _field(statement.value)
    return fields


def _field(value: ast.expr | None) -> Field:
    if not isinstance(value, ast.Call) or _name(value.func) != "field":
        return "required" if value is None else "optional"
    given = {each.arg: each.value for each in value.keywords}
    init = given.get("init")
    if isinstance(init, ast.Constant) and init.value is False:
        return "absent"
    return "optional" if {"default", "default_factory"} & given.keys() else "required"


def _is_special(node: ast.ClassDef) -> bool:
    """A dataclass that makes no `__init__`, or whose fields are described by pydantic's `Field`."""
    options = [
        each for decorator in node.decorator_list if isinstance(decorator, ast.Call) for each in decorator.keywords
    ]
    calls = (each.value for each in node.body if isinstance(each, ast.AnnAssign) and isinstance(each.value, ast.Call))
    return any(each.arg in ("init", None) for each in options) or any(_name(call.func) == "Field" for call in calls)


def _local(base: ast.expr) -> str:
    """The name of a base; one of another module, `other.Base`, has none here."""
    base = base.value if isinstance(base, ast.Subscript) else base
    return base.id if isinstance(base, ast.Name) else ""


def _base_name(annotation: ast.expr) -> str:
    """`ClassVar` of `ClassVar[int]`, also where the annotation is text."""
    if isinstance(annotation, ast.Constant) and isinstance(annotation.value, str):
        return annotation.value.partition("[")[0].rpartition(".")[2]
    return _name(annotation)


def _name(node: ast.expr) -> str:
    """The last name in `a.b[c]`, `b`; empty for what is no name."""
    match node:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name
        case ast.Subscript(value=value):
            return _name(value)
        case _:
            return ""
