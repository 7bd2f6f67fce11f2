"""Templates use only what a run gives them: the declared inputs with their keys and `input`, or what a protocol has."""

from collections.abc import Iterator, Mapping

from runner.diagnostics import Diagnostic
from runner.language.passages import Passage, diagnostic_in
from runner.language.references import MergedAgent
from runner.language.schema.vocabulary import FOREIGN
from runner.language.templates import Template
from runner.prompts import Access
from runner.spec import Json, JsonObject
from runner.suggest import closest, did_you_mean

CODES = {
    "RUN402": "a template variable that is not declared",
    "RUN407": "a key that an input does not declare",
}
# The text given on the command line.
_TEXT = "input"


def check(agent: MergedAgent) -> Iterator[Diagnostic]:
    """Complain about names that will be undefined. A base's variables may be declared by those that extend it."""
    inputs = agent.value("inputs")
    declared: JsonObject = inputs if isinstance(inputs, dict) else {}
    unknown = agent.is_base or (not declared and _misspelt(agent))
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
                suggestion=did_you_mean(mark.text, variables),
            )


def _of_inputs(template: Template, declared: JsonObject) -> Iterator[Diagnostic]:
    yield from _undeclared(template, declared)
    for access in template.reading.accesses:
        if access.names[0] not in template.reading.assigned | template.given:
            yield from unknown_key(template.passage, access, declared)


def _misspelt(agent: MergedAgent) -> bool:
    """`input:` for `inputs:` is one mistake, not one for each variable."""
    return any(FOREIGN["agent"].get(key) == "inputs" or closest(key, ["inputs"]) for key in agent.data)


def _undeclared(template: Template, declared: JsonObject) -> Iterator[Diagnostic]:
    known = {*declared, _TEXT}
    for mark in template.reading.variables:
        if mark.text not in known | template.given:
            yield diagnostic_in(
                template.passage,
                "RUN402",
                f"template variable '{mark.text}' is not declared in inputs",
                mark.place(template.passage.value),
                suggestion=did_you_mean(mark.text, known) or f"declare it: inputs: {{{mark.text}: {{type: string}}}}",
            )


def unknown_key(passage: Passage, access: Access, declared: JsonObject) -> Iterator[Diagnostic]:
    """Complain about a key that the schemas of the `declared` names do not have.

    A key counts as wrong when the schema leaves no room for it, or when it looks like one that is declared.
    """
    *way, key = access.names
    schema: Json = {"properties": declared}
    for step in way:
        properties = schema.get("properties") if isinstance(schema, Mapping) else None
        schema = properties.get(step) if isinstance(properties, Mapping) else None
    properties = schema.get("properties") if isinstance(schema, Mapping) else None
    if not isinstance(properties, Mapping) or key in properties:
        return
    meant = closest(key, properties)
    if meant is not None or schema.get("additionalProperties") is False:
        owner = ".".join(way)
        yield diagnostic_in(
            passage,
            "RUN407",
            f"'{owner}' declares no '{key}'",
            access.mark.place(passage.value),
            suggestion=f"did you mean '{meant}'?" if meant else f"declared are {', '.join(properties)}",
        )
