"""The values of a run, given as `-i name=value` or from Python, held against the inputs an agent declares."""

import json
from collections.abc import Iterable, Mapping
from pathlib import Path

from runner.language.schema import problems
from runner.prompts import IncludeError, read, read_template
from runner.spec import AgentSpec, InputSpec, Json
from runner.suggest import did_you_mean

# The text given on the command line, a variable of the templates like the declared inputs.
TEXT = "input"


class InputError(Exception):
    """A run was given the wrong inputs; the message is one line for a person.

    Attributes:
        refused: True when a value does not fit the schema of its input (exit code 1); False when what was given is not
            what the agent takes: a value is missing, or nobody asked for it (a usage error, exit code 2).
    """

    def __init__(self, message: str, *, refused: bool = False) -> None:
        super().__init__(message)
        self.refused = refused


def needs_text(spec: AgentSpec) -> bool:
    """Whether a template of the agent cannot be rendered without the text of the command line."""
    return any(mark.text == TEXT for source in _sources(spec) for mark in read_template(source).variables)


def _sources(spec: AgentSpec) -> list[str]:
    """The templates of an agent with the files they include."""
    texts = [spec.prompt, *([spec.instructions] if spec.instructions else [])]
    texts += [text for example in spec.examples for text in (example.user, example.answer)]
    sources = [text.value for text in texts]
    names: set[str] = set()
    for source in sources:  # grows while the includes are followed
        for reference in read_template(source).references:
            if reference.name not in names:
                names.add(reference.name)
                sources += _included(reference.name, Path(spec.file).parent)
    return sources


def _included(name: str, folder: Path) -> list[str]:
    try:
        return [read(name, folder)]
    except IncludeError:  # an optional one, or gone since the agent was compiled: rendering will tell
        return []


def parse_assignments(spec: AgentSpec, assignments: Iterable[str]) -> dict[str, Json]:
    """`name=value` texts as values: text stays as it is where the input takes text, else it is read as JSON.

    Raises:
        InputError: it is no assignment, a name is unknown or given twice, or a value is not JSON.
    """
    declared = {each.name: each for each in spec.inputs}
    given: dict[str, Json] = {}
    for assignment in assignments:
        name, equals, text = assignment.partition("=")
        if not equals or not name:
            raise InputError(f"expected an input as name=value, found '{assignment}'")
        if name not in declared:
            raise _unknown(name, declared)
        if name in given:
            raise InputError(f"input '{name}' is given twice")
        given[name] = _value(declared[name], text)
    return given


def _value(declared: InputSpec, text: str) -> Json:
    types = declared.schema.get("type")
    if types is None and not problems(text, declared.schema):
        return text
    if types == "string" or (isinstance(types, list) and "string" in types):
        return text
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        if types is None:
            return text  # an enum of texts, say: the schema will tell what it expects
        expected = " or ".join(types) if isinstance(types, list) else types
        message = f"input '{declared.name}': expected {expected}, found '{text}' (values other than text are JSON)"
        raise InputError(message, refused=True) from error


def resolve_inputs(
    spec: AgentSpec, given: Mapping[str, object] | None = None, *, text: str | None = None
) -> dict[str, Json]:
    """The variables of the templates: the given values and defaults, checked, and `input` if there is a text.

    Raises:
        InputError: a value is missing, unknown, or refused by the schema of its input.
    """
    declared = {each.name: each for each in spec.inputs}
    values: dict[str, Json] = {}
    for name, value in (given or {}).items():
        if name not in declared:
            raise _unknown(name, declared)
        values[name] = _checked(declared[name], value)
    missing = [each for each in spec.inputs if each.required and each.name not in values]
    if missing:
        raise InputError("; ".join(_missing(each) for each in missing))
    if text is None and needs_text(spec):
        raise InputError(f"agent '{spec.name}' needs an input text: give it after the file, or - to read it from stdin")
    defaults = {each.name: each.schema["default"] for each in spec.inputs if not each.required}
    return {**defaults, **values, **({} if text is None else {TEXT: text})}


def _checked(declared: InputSpec, value: object) -> Json:
    plain = _plain(declared, value)
    found = problems(plain, declared.schema, at=(declared.name,))
    if found:
        raise InputError(f"input {'; '.join(found)}", refused=True)
    return plain


def _plain(declared: InputSpec, value: object) -> Json:
    """A copy made of JSON types: tuples become lists, and keys text."""
    try:
        return json.loads(json.dumps(value, allow_nan=False))
    except (ValueError, RecursionError) as error:
        circular = isinstance(error, RecursionError) or "Circular" in str(error)
        reason = "the value contains itself" if circular else "NaN and Infinity are not JSON"
    except TypeError as error:
        reason = f"expected a JSON value ({error})"
    raise InputError(f"input '{declared.name}': {reason}", refused=True)


def _unknown(name: str, declared: Mapping[str, InputSpec]) -> InputError:
    if name == TEXT:
        return InputError(f"'{TEXT}' is the text of the run, given after the file, and not a named input")
    hint = did_you_mean(name, declared) or (f"it takes {', '.join(declared)}" if declared else "it takes none")
    return InputError(f"unknown input '{name}': {hint}")


def _missing(declared: InputSpec) -> str:
    description = declared.schema.get("description")
    about = f" ({description})" if isinstance(description, str) else ""
    return f"input '{declared.name}'{about} is missing: give it with -i {declared.name}=…"
