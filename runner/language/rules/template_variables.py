"""Templates use only what a run gives them: the declared inputs with their keys and `input`, or what a protocol has."""

from collections.abc import Iterator, Mapping

from runner.diagnostics import Diagnostic
from runner.language.doubt import may_have_meant
from runner.language.passages import Passage, diagnostic_in
from runner.language.references import MergedAgent
from runner.language.templates import Template
from runner.prompts import FUNCTIONS, ITEM, Access, Reading
from runner.spec import Json, JsonObject
from runner.suggest import closest, did_you_mean

CODES = {
    "RUN402": "a template variable that is not declared",
    "RUN407": "a key that an input does not declare",
}
# The text given on the command line.
_TEXT = "input"
# What other tools call all inputs together.
_ALL_INPUTS = frozenset(("inputs", "variables", "vars", "params", "parameters", "args"))
# Values that have no keys at all, by the type that is declared.
_KEYLESS = {
    "string": "text",
    "integer": "a whole number",
    "number": "a number",
    "boolean": "true or false",
    "array": "a list",
}


def check(agent: MergedAgent) -> Iterator[Diagnostic]:
    """Complain about names that will be undefined. A base's variables may be declared by those that extend it."""
    inputs = agent.value("inputs")
    declared: JsonObject = inputs if isinstance(inputs, dict) else {}
    # `input:` for `inputs:` is one mistake, not one for each variable; nor is a base that cannot be read.
    unknown = agent.is_base or not agent.complete or may_have_meant(agent, "inputs", "extends")
    for template in agent.templates:
        if template.variables is not None:
            yield from _foreign(template, template.variables)
        elif not unknown:
            yield from _of_inputs(template, declared)


def _foreign(template: Template, variables: frozenset[str]) -> Iterator[Diagnostic]:
    listed = ", ".join(sorted(variables))
    for mark in template.reading.variables:
        if mark.text not in variables | template.given:
            yield diagnostic_in(
                template.passage,
                "RUN402",
                f"template variable '{mark.text}' is not known here; a template of the protocol has only {listed}",
                mark.place(template.passage.value),
                suggestion=did_you_mean(mark.text, variables | template.given | template.reading.assigned),
            )


def _of_inputs(template: Template, declared: JsonObject) -> Iterator[Diagnostic]:
    yield from _undeclared(template, declared)
    known = {**declared, _TEXT: {"type": "string"}}
    for access in template.reading.accesses:
        if access.names[0] not in template.reading.assigned | template.given:
            yield from unknown_key(template.passage, access, known)


def _undeclared(template: Template, declared: JsonObject) -> Iterator[Diagnostic]:
    known = {*declared, _TEXT}
    for mark in template.reading.variables:
        if mark.text not in known | template.given:
            message, suggestion = _explained(mark.text, template.reading, declared)
            place = mark.place(template.passage.value)
            yield diagnostic_in(template.passage, "RUN402", message, place, suggestion=suggestion)


def _explained(name: str, reading: Reading, declared: JsonObject) -> tuple[str, str | None]:
    """What is wrong with an unknown name, and what to write instead."""
    if name == "loop":
        return "'loop' is only known inside of {% for %}", None
    if name in reading.called:
        return f"there is no function '{name}' in templates", did_you_mean(name, FUNCTIONS)
    message = f"template variable '{name}' is not declared in inputs"
    keys = keys_of(name, reading, declared)
    if keys:
        return message, f"each input is a variable of its own, write '{keys[0]}'"
    hint = did_you_mean(name, {*declared, _TEXT})
    return message, hint or f"declare it: inputs: {{{name}: {{type: string}}}}"


def keys_of(name: str, reading: Reading, declared: JsonObject) -> list[str]:
    """The inputs that a template wants from the one name that other tools give to all of them: `inputs.city`."""
    looked = [access.names[1] for access in reading.accesses if access.names[0] == name]
    return [key for key in looked if key in declared] if name in _ALL_INPUTS else []


def unknown_key(passage: Passage, access: Access, declared: JsonObject) -> Iterator[Diagnostic]:
    """Complain about a key that the schemas of the `declared` names do not have.

    A key counts as wrong when the schema leaves no room for it, or when it looks like one that is declared; and always
    where the value can only be text, a number or a list.
    """
    *way, key = access.names
    if key.startswith("__"):
        return  # which no template reaches, whatever the schema says
    schema = _schema_at(way, declared)
    owner = ".".join(way).replace(f".{ITEM}", ITEM)
    properties, kind = schema.get("properties"), schema.get("type")
    hint: str | None = None
    if isinstance(properties, Mapping):
        meant = None if key in properties else closest(key, properties)
        if key in properties or (meant is None and schema.get("additionalProperties") is not False):
            return
        message = f"'{owner}' declares no '{key}'"
        hint = f"did you mean '{meant}'?" if meant else f"declared are {', '.join(properties)}"
    elif isinstance(kind, str) and kind in _KEYLESS:
        message = f"'{owner}' is {_KEYLESS[kind]} and has no '{key}'"
        hint = "write {% for … %} to get at its items" if kind == "array" else None
    else:
        return
    yield diagnostic_in(passage, "RUN407", message, access.mark.place(passage.value), suggestion=hint)


def _schema_at(way: list[str], declared: JsonObject) -> JsonObject:
    """The schema of the value that the names lead to, empty when it is not known."""
    schema: JsonObject = {"properties": declared}
    for step in way:
        properties = schema.get("properties")
        inside = properties.get(step) if isinstance(properties, Mapping) else None
        found: Json = schema.get("items") if step == ITEM else inside
        if not isinstance(found, Mapping):
            return {}
        schema = found
    return schema
