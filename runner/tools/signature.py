"""Describes a callable's parameters as a JSON Schema, and turns a model's arguments into the values they stand for.

Both come from one pydantic model with a field per parameter, so what a model is told is what is checked.
"""

import inspect
import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError, create_model
from pydantic.errors import PydanticInvalidForJsonSchema, PydanticSchemaGenerationError
from pydantic.fields import FieldInfo
from pydantic.json_schema import GenerateJsonSchema, JsonSchemaWarningKind

from runner.spec import Json, JsonObject
from runner.tools.annotations import UnreadableSignatureError, context_parameter, parameters
from runner.tools.arguments import WrongArgumentsError, both, expected_at, found, read_arguments
from runner.tools.context import ToolContext
from runner.tools.lean import lean

_EXPECTED = "Input should be "
# A type made at run time, which the checker would take for an annotation.
_ANNOTATED: Any = Annotated
_SHORT = {
    "missing": "missing",
    "extra_forbidden": "there is no such key",
    "unexpected_keyword_argument": "there is no such key",
}
_OWN_WORDS = {"time_delta_parsing": "Input should be a duration such as PT1H30M"}
# The field of what a typed `**kwargs` takes, and the alias of it, which no parameter can have.
_REST = "rest"
_REST_ALIAS = "**"
_UNPARSED = re.compile(", unable to parse .*")


@dataclass(frozen=True, kw_only=True, slots=True)
class Bound:
    """What to call the callable with.

    Attributes:
        as_json: what the types made of the arguments that were given, by parameter, as JSON; costs a moment.
    """

    positional: tuple[object, ...]
    by_name: Mapping[str, object]
    as_json: Callable[[], JsonObject] = dict


@dataclass(frozen=True, kw_only=True, slots=True)
class Signature:
    """What a callable takes.

    Attributes:
        schema: a JSON Schema of an object, one property per parameter that a model can give.
        model: has a field for each of them.
        fields: the names of these fields by those of the parameters.
        parameters: all parameters with a name, in order; those without a field are never given by a model.
        context: the one that gets the `ToolContext`, if there is one.
        is_rest_typed: whether `model` has a field for what `**kwargs` takes, too.
    """

    schema: JsonObject
    model: type[BaseModel]
    fields: Mapping[str, str]
    parameters: tuple[inspect.Parameter, ...]
    context: str | None = None
    is_rest_typed: bool = False

    def bind(self, arguments: JsonObject, context: ToolContext | None = None) -> Bound:
        """Check the arguments and convert them to the annotated types (dates, enum members, dataclasses, …).

        Raises:
            WrongArgumentsError: they do not fit; everything that is wrong is told.
        """
        values, problems = read_arguments(arguments, self.schema)
        named = {name: values.pop(name) for name in self.schema["properties"] if name in values}
        for name in self._hidden & values.keys():
            problems[name] = f"{name}: there is no such argument"
        given = {**named, _REST_ALIAS: values} if self.is_rest_typed else named
        try:
            # From JSON text rather than from the values: a tool that changes what it was given changes a copy.
            checked = self.model.model_validate_json(json.dumps(given))
        except ValidationError as error:
            raise WrongArgumentsError(
                {**problems, **_problems(error, given, self.schema), **problems}.values()
            ) from None
        if problems:
            raise WrongArgumentsError(problems.values())
        others = getattr(checked, _REST) if self.is_rest_typed else values
        return self._bound(checked, context, others=others)

    @property
    def _hidden(self) -> set[str]:
        """The parameters that `**kwargs` must not let through to the callable."""
        return {each.name for each in self.parameters if each.name not in self.fields}

    def _bound(self, checked: BaseModel, context: ToolContext | None, *, others: Mapping[str, object]) -> Bound:
        positional: list[object] = []
        by_name: dict[str, object] = dict(others)
        for parameter in self.parameters:
            field = self.fields.get(parameter.name)
            if parameter.name == self.context:
                value: object = context
            elif field and (field in checked.model_fields_set or not _has_plain_default(parameter)):
                value = getattr(checked, field)
            elif parameter.kind is parameter.POSITIONAL_ONLY:
                value = parameter.default
            else:
                continue
            if parameter.kind is parameter.POSITIONAL_ONLY:
                positional.append(value)
            else:
                by_name[parameter.name] = value
        return Bound(positional=tuple(positional), by_name=by_name, as_json=partial(self._as_json, checked))

    def _as_json(self, checked: BaseModel) -> JsonObject:
        """The values as JSON; what is inside of them by the names of the fields and by the aliases at once."""
        plain, aliased = (
            checked.model_dump(mode="json", by_alias=by_alias, exclude_unset=True, warnings=False, fallback=str)
            for by_alias in (False, True)
        )
        others = both(plain[_REST], aliased[_REST_ALIAS]) if self.is_rest_typed else {}
        named = {
            name: both(plain[field], aliased.get(name, plain[field]))
            for name, field in self.fields.items()
            if field in plain
        }
        return {**others, **named}


def read_signature(function: Callable[..., object], descriptions: Mapping[str, str]) -> Signature:
    """What the callable takes, described by its annotations, their `Field(description=…)` and `descriptions`.

    `*args` is ignored, `**kwargs` takes any other argument. A parameter that JSON has no values for (a callback, a
    database session) is left out if it has a default, and one of type `ToolContext` always.

    Raises:
        UnreadableSignatureError: a required parameter has such a type, or the signature cannot be read.
    """
    every = parameters(function)
    context = context_parameter(every)
    named = [each for each in every if each.kind not in (each.VAR_POSITIONAL, each.VAR_KEYWORD)]
    given = [each for each in named if each is not context]
    rest = next((each.annotation for each in every if each.kind is each.VAR_KEYWORD), None)
    try:
        signature = _signature(given, descriptions, rest=rest)
    except Exception as error:  # the author's types build their part of the schema with code of their own
        sayable = [each for each in given if _is_sayable(each, descriptions)]
        if len(sayable) == len(given):
            raise UnreadableSignatureError(f"has parameters that make no schema: {_first_line(error)}") from error
        signature = _signature(sayable, descriptions, rest=rest)
    return replace(signature, parameters=tuple(named), context=context.name if context else None)


def bind_unchecked(function: Callable[..., object]) -> Callable[[JsonObject, ToolContext | None], Bound]:
    """What passes checked arguments on as they are, for a callable whose types tell a model nothing.

    Raises:
        UnreadableSignatureError: it asks for several contexts.
    """
    try:
        every = parameters(function)
    except UnreadableSignatureError:  # a C function, or an annotation without a value: by name is all there is
        return lambda arguments, _: Bound(positional=(), by_name=arguments)
    context = context_parameter(every)
    first = [each for each in every if each.kind is each.POSITIONAL_ONLY]

    def bind(arguments: JsonObject, given: ToolContext | None) -> Bound:
        values = {**arguments, context.name: given} if context else dict(arguments)
        positional = tuple(values.pop(each.name, each.default) for each in first)
        return Bound(positional=positional, by_name=values)

    return bind


def _is_sayable(parameter: inspect.Parameter, descriptions: Mapping[str, str]) -> bool:
    """Whether the model can be offered the parameter; False when it cannot, and need not.

    Raises:
        UnreadableSignatureError: it cannot, but must.
    """
    try:
        _signature([parameter], descriptions)
    except (PydanticSchemaGenerationError, PydanticInvalidForJsonSchema) as error:
        if _has_plain_default(parameter):
            return False
        kind = inspect.formatannotation(parameter.annotation)
        raise UnreadableSignatureError(
            f"parameter '{parameter.name}' has a type that JSON has no values for, {kind}, and no default"
        ) from error
    except Exception as error:  # as above
        raise UnreadableSignatureError(f"parameter '{parameter.name}': {_first_line(error)}") from error
    return True


def _signature(named: Sequence[inspect.Parameter], descriptions: Mapping[str, str], *, rest: Any = None) -> Signature:
    """`rest` is the type of the arguments that `**kwargs` takes; None when there is no such parameter."""
    # Numbered fields, because a parameter may be called `schema`, `copy` or `_x`, which pydantic keeps for itself.
    names = {parameter.name: f"field_{number}" for number, parameter in enumerate(named)}
    fields = {names[parameter.name]: _field(parameter, descriptions) for parameter in named}
    is_typed = rest not in (None, Any, object)
    if is_typed:
        fields[_REST] = (_ANNOTATED[dict[str, rest], Field(alias=_REST_ALIAS)], ...)
    # `forbid` is for the dataclasses and typed dicts inside: other arguments of `**kwargs` never get here.
    config = ConfigDict(extra="forbid")
    model: type[BaseModel] = create_model("Arguments", __config__=config, **fields)
    made = lean(model.model_json_schema(schema_generator=_Schema))
    parts = {key: made[key] for key in ("properties", "required", "$defs") if key in made}
    others: Json = rest is not None
    if is_typed:
        others = parts["properties"].pop(_REST_ALIAS).get("additionalProperties", True)
        parts["required"].remove(_REST_ALIAS)
    parts = {key: value for key, value in parts.items() if key != "required" or value}
    schema = {"type": "object", "properties": {}, **parts, "additionalProperties": others}
    return Signature(schema=schema, model=model, fields=names, parameters=tuple(named), is_rest_typed=is_typed)


def _field(parameter: inspect.Parameter, descriptions: Mapping[str, str]) -> Any:
    """The definition of a field for `create_model`; what the author's own `Field` says wins over the docstring."""
    ours = Field(alias=parameter.name, description=descriptions.get(parameter.name))
    metadata = getattr(parameter.annotation, "__metadata__", None)
    inner = parameter.annotation if metadata is None else parameter.annotation.__origin__
    hint = _ANNOTATED[(inner, ours, *(metadata or ()))]
    return hint if parameter.default is parameter.empty else (hint, parameter.default)


def _has_plain_default(parameter: inspect.Parameter) -> bool:
    """Whether Python fills in the default by itself, as it does not for `city: str = Field("Oslo")`."""
    return parameter.default is not parameter.empty and not isinstance(parameter.default, FieldInfo)


def _first_line(error: Exception) -> str:
    return f"{type(error).__name__}: {error}".partition("\n")[0]


def _problems(error: ValidationError, values: JsonObject, schema: JsonObject) -> dict[str, str]:
    """What pydantic found, by path. The branches of a union speak about one value, so they become one problem."""
    messages: dict[str, list[str]] = {}
    shown: dict[str, str] = {}
    for each in error.errors(include_url=False, include_context=False):
        path, value = _place(each["loc"], values, is_missing=each["type"] == "missing")
        path = path.removeprefix(f"{_REST_ALIAS}.")
        told = _SHORT.get(each["type"]) or _OWN_WORDS.get(each["type"]) or _UNPARSED.sub("", each["msg"])
        if each["type"] == "missing" and (expected := expected_at(schema, each["loc"])):
            told = f"missing, expected {expected}"
        messages.setdefault(path, []).append(told)
        shown[path] = "" if each["type"] in _SHORT else f", found {found(value)}"
    return {path: f"{path or 'arguments'}: {_joined(parts)}{shown[path]}" for path, parts in messages.items()}


def _joined(messages: Sequence[str]) -> str:
    expected = [each.removeprefix(_EXPECTED) for each in messages if each.startswith(_EXPECTED)]
    others = [each.removeprefix("Value error, ") for each in messages if not each.startswith(_EXPECTED)]
    told = ["expected " + " or ".join(dict.fromkeys(expected))] if expected else []
    return "; ".join(dict.fromkeys(told + others))


def _place(location: Sequence[int | str], values: JsonObject, *, is_missing: bool) -> tuple[str, Json]:
    """The path of an error, and the value there; parts that only name a branch of a union are left out."""
    path = ""
    value: Json = values
    for number, part in enumerate(location):
        if isinstance(value, list) and isinstance(part, int) and part < len(value):
            path, value = f"{path}[{part}]", value[part]
        elif isinstance(value, dict) and part in value:
            path, value = f"{path}.{part}".lstrip("."), value[part]
        elif is_missing and number == len(location) - 1:
            path = f"{path}[{part}]" if isinstance(part, int) else f"{path}.{part}".lstrip(".")
    return path, value


class _Schema(GenerateJsonSchema):
    """A default that JSON cannot hold is not told to the model; there is nothing to warn about.

    A named tuple is told as an object, for its names say what is what; a list is taken, too.
    """

    # The base class has an instance variable here, so this cannot be a ClassVar.
    ignored_warning_kinds: set[JsonSchemaWarningKind] = {"skipped-choice", "non-serializable-default"}  # noqa: RUF012

    def encode_default(self, dft: object) -> Any:
        """The default as JSON; that of a named tuple by names, as the schema has it."""
        if isinstance(dft, tuple) and hasattr(dft, "_asdict"):
            return super().encode_default(dft._asdict())
        return super().encode_default(dft)

    def named_tuple_schema(self, schema: Any) -> dict[str, Json]:
        """The fields by name; pydantic tells them as a list without names."""
        told = super().named_tuple_schema(schema)
        names = [field["name"] for field in schema["fields"]]
        properties = dict(zip(names, told["prefixItems"], strict=True)) if names else {}
        required = names[: told["minItems"]]
        return {"type": "object", "properties": properties, "required": required, "additionalProperties": False}
