"""Reads the parameters of a callable with their annotations as types, however the annotations were written."""

import functools
import inspect
import operator
import sys
import types
import typing
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from typing import Any

import typing_extensions

from runner.tools.context import ToolContext

# Types made from types at run time; the checker takes a subscript of the names themselves for an annotation.
_ANNOTATED: Any = typing.Annotated
_TYPED_DICT: Any = typing_extensions.TypedDict
_UNPACK = (typing.Unpack, typing_extensions.Unpack)
# The default of a key that may be missing: the function then does not get it either.
NOT_GIVEN = object()


class UnreadableSignatureError(Exception):
    """A callable's parameters cannot be told to a model; the message is one line for the tool's author."""


def parameters(function: Callable[..., object]) -> list[inspect.Parameter]:
    """The parameters in order; their annotation is a type, `Any` where none is written.

    The keys of `**kw: Unpack[Options]` are parameters like those written one by one. A parameter whose default is None
    may be given None, though `city: str = None` does not say so.

    Raises:
        UnreadableSignatureError: there is no signature (some C functions), or an annotation has no value.
    """
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError) as error:
        raise UnreadableSignatureError(f"has no readable signature ({error}): declare 'parameters'") from error
    # People import what they only annotate with under `if TYPE_CHECKING`; this type is known all the same.
    namespace = {ToolContext.__name__: ToolContext, **_namespace(function)}
    read = [
        parameter.replace(annotation=_annotation(parameter, namespace)) for parameter in signature.parameters.values()
    ]
    return [each for parameter in read for each in _unpacked(parameter)]


def _unpacked(parameter: inspect.Parameter) -> Iterator[inspect.Parameter]:
    if parameter.kind is not parameter.VAR_KEYWORD or typing.get_origin(parameter.annotation) not in _UNPACK:
        yield parameter
        return
    (keys,) = typing.get_args(parameter.annotation)
    for name, hint in typing.get_type_hints(keys, include_extras=True).items():
        stated = typing.get_origin(hint) in (typing.Required, typing.NotRequired)
        default = inspect.Parameter.empty if name in keys.__required_keys__ else NOT_GIVEN
        kind = _readable(typing.get_args(hint)[0] if stated else hint)
        yield inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, annotation=kind, default=default)


def context_parameter(found: Iterable[inspect.Parameter]) -> inspect.Parameter | None:
    """The one parameter that is filled in by the runner: `ctx: ToolContext`, `ctx: ToolContext | None = None`.

    Raises:
        UnreadableSignatureError: there are several, or it stands for any number of arguments.
    """
    asking = [parameter for parameter in found if _asks_for_context(parameter.annotation)]
    if len(asking) > 1:
        names = " and ".join(f"'{parameter.name}'" for parameter in asking)
        raise UnreadableSignatureError(f"parameters {names} both ask for the ToolContext: keep one")
    for parameter in asking:
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            raise UnreadableSignatureError(f"parameter '{parameter}' asks for many ToolContexts: remove the '*'")
    return asking[0] if asking else None


def _asks_for_context(hint: Any) -> bool:
    origin = typing.get_origin(hint)
    if origin is typing.Annotated or origin is typing.Union or origin is types.UnionType:
        return any(_asks_for_context(part) for part in typing.get_args(hint))
    return hint is ToolContext


def underlying(function: Callable[..., object]) -> Callable[..., object]:
    """The function a person wrote, beneath decorators and partials: it has the docstring and the names."""
    while isinstance(function, functools.partial):
        function = function.func
    written: Callable[..., object] = inspect.unwrap(function)
    return written


def _namespace(function: Callable[..., object]) -> Mapping[str, object]:
    """The names that annotations written as text may use."""
    written = underlying(function)
    if not isinstance(written, type) and not hasattr(written, "__globals__"):
        written = type(written)  # an instance with __call__
    if hasattr(written, "__globals__"):
        return typing.cast("Mapping[str, object]", written.__globals__)
    return vars(sys.modules[written.__module__])


def _annotation(parameter: inspect.Parameter, namespace: Mapping[str, object]) -> object:
    if parameter.annotation is inspect.Parameter.empty:
        return Any
    holder = types.SimpleNamespace(__annotations__={parameter.name: parameter.annotation})
    try:
        hint = typing.get_type_hints(holder, globalns=dict(namespace), include_extras=True)[parameter.name]
        hint = _readable(hint)
    except Exception as error:  # evaluating an annotation runs what its author wrote there
        raise UnreadableSignatureError(
            f"parameter '{parameter.name}' has the annotation {parameter.annotation!r}, which cannot be evaluated "
            f"({type(error).__name__}: {error}): are its names imported only under 'if TYPE_CHECKING'? "
            "If the function is not yours, declare 'parameters'"
        ) from error
    return hint | None if parameter.default is None and hint is not Any else hint


def _readable(hint: Any) -> Any:
    """The type with the kinds of types replaced, however deep inside, that pydantic reads badly.

    * `typing.TypedDict`, which it refuses before Python 3.12;
    * `Iterable[X]`, which it checks only while the tool already runs, and only once;
    * `LiteralString`, which it does not know, and `type[X]`, which it takes for any JSON value.
    """
    if typing.is_typeddict(hint):
        return _typed_dict(hint)
    origin, inner = typing.get_origin(hint), typing.get_args(hint)
    if origin is typing.Annotated:
        return _ANNOTATED[(_readable(inner[0]), *hint.__metadata__)]
    if origin is None or origin is typing.Literal or origin is type or not inner:
        return type if origin is type else str if hint is typing.LiteralString else hint
    replaced = tuple(_readable(part) for part in inner)
    if origin in (Iterable, Collection):
        origin = list
    elif replaced == inner:
        return hint
    if origin is types.UnionType:
        return functools.reduce(operator.or_, replaced)
    return origin[replaced if len(replaced) > 1 else replaced[0]]


def _typed_dict(hint: Any) -> Any:
    if sys.version_info >= (3, 12) or type(hint).__module__ == "typing_extensions":
        return hint
    keys: dict[str, object] = {}
    for name, part in typing.get_type_hints(hint, include_extras=True).items():
        stated = typing.get_origin(part) in (typing.Required, typing.NotRequired)
        given: Any = typing.Required if name in hint.__required_keys__ else typing.NotRequired
        keys[name] = _readable(part) if stated else given[_readable(part)]
    return _TYPED_DICT(hint.__name__, keys)
