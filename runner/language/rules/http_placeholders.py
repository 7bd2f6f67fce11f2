"""The placeholders of an HTTP tool's request are its declared parameters, and each parameter has its place."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from runner.diagnostics import Diagnostic
from runner.language.catalog import DeclaredTool
from runner.language.passages import diagnostic_in
from runner.language.requests import RequestTemplate, blanked, declaration, keys, request_templates, strings
from runner.language.rules.template_mistakes import mistakes_in
from runner.language.rules.template_variables import unknown_key
from runner.language.wording import clip, quoted
from runner.prompts import is_template, refusal
from runner.spec import Json, JsonObject, ProjectSpec
from runner.suggest import closest

CODES = {
    "RUN511": "a placeholder of a request that is no parameter of the tool",
    "RUN512": "a parameter that the request does not use",
    "RUN513": "a part of an address that may be missing",
    "RUN514": "a placeholder as other tools write it",
    "RUN515": "a placeholder where none is filled in",
}
# With any of these, parameters may have names that `properties` does not tell.
_OPENING = ("patternProperties", "allOf", "anyOf", "oneOf", "$ref", "if")
_PARTS = ("headers", "query", "body")
_FUNCTIONS = ("range", "dict", "lipsum", "cycler", "joiner", "namespace")
_ARGUMENTS = ("args", "arguments", "params", "parameters", "input", "inputs")
# As Python, Express and Flask write them.
_FOREIGN = re.compile(r"\{(\w+)\}|(?<=/):(\w+)|<(\w+)>")


@dataclass(frozen=True, kw_only=True, slots=True)
class _Parameters:
    """The declared parameters: their schemas by name, and the names of those that every call has.

    `doubtful` tells whether `required`, or a name in it, seems to be misspelt.
    """

    schemas: Mapping[str, Json]
    required: tuple[str, ...]
    doubtful: bool
    open: bool

    def may_miss(self, name: str) -> bool:
        schema = self.schemas.get(name)
        return (
            not self.doubtful
            and name not in self.required
            and not (isinstance(schema, Mapping) and "default" in schema)
        )


def check_tool(tool: DeclaredTool, project: ProjectSpec) -> Iterator[Diagnostic]:
    """Compare the request with the parameters. Those of an OpenAPI document's operations are not written here."""
    del project
    declared = declaration(tool)
    if declared.get("type") not in ("http", "openapi"):
        return
    templates = tuple(request_templates(tool))
    yield from _misplaced(tool, declared)
    for template in templates:
        yield from mistakes_in(template.passage, template.reading)
        yield from _includes(template)
        yield from _refused_tags(template)
    parameters = _parameters(declared)
    if declared["type"] == "http" and parameters is not None:
        used = _used(templates)
        if not _misspelt(declared, "parameters"):
            yield from _undeclared(templates, parameters, used, missing="parameters" not in declared)
        yield from _unknown_keys(templates, parameters)
        yield from _may_miss(templates, parameters)
        foreign = dict(_foreign(templates, parameters, used))
        yield from (problem for problems in foreign.values() for problem in problems)
        unread = any(_misspelt(declared, part) for part in ("url", *_PARTS)) or not isinstance(declared.get("url"), str)
        if not unread and not any(template.reading.mistakes for template in templates):
            meant = set(filter(None, (_meant(template, name, parameters) for template in templates for name in used)))
            yield from _unused(tool, parameters, used | foreign.keys() | meant)


def _used(templates: tuple[RequestTemplate, ...]) -> frozenset[str]:
    """The names that the request uses. What is also a function of templates does not count as one for Jinja."""
    functions = frozenset(
        name for template in templates for name in _FUNCTIONS if re.search(rf"\b{name}\b", template.passage.value)
    )
    return functions.union(*(template.reading.mentioned for template in templates))


def _parameters(declared: JsonObject) -> _Parameters | None:
    """None if they are malformed, which is the schema's complaint."""
    parameters = declared.get("parameters", {})
    properties = parameters.get("properties", {}) if isinstance(parameters, Mapping) else None
    required = parameters.get("required", []) if isinstance(parameters, Mapping) else None
    if not isinstance(properties, Mapping) or not isinstance(required, list):
        return None
    doubtful = any(name not in properties for name in required if isinstance(name, str))
    return _Parameters(
        schemas=properties,
        required=tuple(name for name in required if isinstance(name, str)),
        doubtful=doubtful or _misspelt(parameters, "required"),
        open=any(key in parameters for key in _OPENING),
    )


def _misspelt(mapping: JsonObject, wanted: str) -> bool:
    """Whether a key is not there, but one like it is."""
    return wanted not in mapping and any(closest(key, (wanted,)) for key in mapping)


def _misplaced(tool: DeclaredTool, declared: JsonObject) -> Iterator[Diagnostic]:
    for path, value in strings(declared.get("auth"), (*tool.path, "auth")):
        if is_template(value):
            message = "arguments are not filled in under auth: a model must not choose who signs in"
            yield tool.document.diagnostic("RUN515", message, path, suggestion="write ${NAME} for a variable")
    for part in ("response", "server"):
        for path, value in strings(declared.get(part), (*tool.path, part)):
            if is_template(value):
                yield tool.document.diagnostic("RUN515", f"arguments are not filled in under {part}", path)
    for part in _PARTS:
        for path in keys(declared.get(part), (*tool.path, part)):
            if is_template(str(path[-1])):
                message = "placeholders belong in values, not in keys"
                yield tool.document.diagnostic("RUN515", message, path, key=True)


def _includes(template: RequestTemplate) -> Iterator[Diagnostic]:
    for reference in template.reading.references:
        place = reference.mark.place(template.passage.value)
        yield diagnostic_in(template.passage, "RUN405", "the templates of a tool cannot include files", place)


def _refused_tags(template: RequestTemplate) -> Iterator[Diagnostic]:
    """Tags that a request cannot have; without other mistakes, whose complaint it would repeat."""
    source = template.passage.value
    refused = None if template.reading.mistakes or template.reading.references else refusal(source)
    if refused is not None:
        message, line = refused
        lines = source.splitlines(keepends=True)
        start = sum(map(len, lines[: line - 1]))
        place = (start, start + len(lines[line - 1].rstrip("\n")))
        yield diagnostic_in(template.passage, "RUN401", message, place)


def _undeclared(
    templates: tuple[RequestTemplate, ...], parameters: _Parameters, used: frozenset[str], *, missing: bool
) -> Iterator[Diagnostic]:
    unknown = [name for name in sorted(used) if name not in parameters.schemas and name not in _FUNCTIONS]
    if parameters.open:
        return
    for template in templates:
        for name in unknown:
            for place in _places(template, name):
                if missing:
                    message = f"this tool has no parameters, but its request uses {quoted(unknown)}"
                    yield diagnostic_in(template.passage, "RUN511", message, place, suggestion=_declare(unknown))
                    return
                message = f"placeholder '{name}' is not declared in parameters"
                meant = _meant(template, name, parameters)
                declare = f"declare it: properties: {{{name}: {{type: string}}}}"
                hint = f"did you mean '{{{{ {meant} }}}}'?" if meant else declare
                yield diagnostic_in(template.passage, "RUN511", message, place, suggestion=hint)


def _meant(template: RequestTemplate, name: str, parameters: _Parameters) -> str | None:
    """The parameter that an undeclared name stands for: what it is like, or `city` of `args.city`, as others write."""
    if name in parameters.schemas:
        return None
    looked = [access.names[1] for access in template.reading.accesses if access.names[0] == name]
    known = [key for key in looked if key in parameters.schemas]
    return known[0] if name in _ARGUMENTS and known else closest(name, parameters.schemas)


def _unknown_keys(templates: tuple[RequestTemplate, ...], parameters: _Parameters) -> Iterator[Diagnostic]:
    for template in templates:
        for access in template.reading.accesses:
            if access.names[0] not in template.reading.assigned:
                yield from unknown_key(template.passage, access, parameters.schemas)


def _declare(names: list[str]) -> str:
    properties = ", ".join(f"{name}: {{type: string}}" for name in names)
    return f"add parameters: {{type: object, properties: {{{properties}}}, required: [{', '.join(names)}]}}"


def _places(template: RequestTemplate, name: str) -> Iterator[tuple[int, int]]:
    """Where a template uses a name, those uses included that get along without it (`x | default('a')`)."""
    text = template.passage.value
    marks = [mark.place(text) for mark in template.reading.variables if mark.text == name]
    if not marks and name in template.reading.mentioned:
        marks = [found.span() for found in re.finditer(rf"\b{re.escape(name)}\b", text)][:1]
    yield from marks


def _may_miss(templates: tuple[RequestTemplate, ...], parameters: _Parameters) -> Iterator[Diagnostic]:
    for template in templates:
        if template.part != "url":
            continue
        text = template.passage.value
        end = re.search(r"[?#]|$", blanked(text))
        for mark in template.reading.variables:
            start, stop = mark.place(text)
            if mark.text in parameters.schemas and parameters.may_miss(mark.text) and end and start < end.start():
                message = f"'{mark.text}' is a part of the address, but a call may leave it out"
                hint = "list it under required, or give it a default"
                yield diagnostic_in(template.passage, "RUN513", message, (start, stop), suggestion=hint)


def _foreign(
    templates: tuple[RequestTemplate, ...], parameters: _Parameters, used: frozenset[str]
) -> Iterator[tuple[str, list[Diagnostic]]]:
    """(name, complaints) of `{name}` and the like, which would be sent as they are.

    Outside of the address, where braces are common, only `{name}` of a parameter without any other place counts.
    """
    found: dict[str, list[Diagnostic]] = {}
    for template in templates:
        text = template.passage.value
        for match in _FOREIGN.finditer(blanked(text)):
            name = match[match.lastindex or 0]
            known, braces = name in parameters.schemas, match.lastindex == 1
            if (known or braces) if template.part == "url" else (known and braces and name not in used):
                problem = diagnostic_in(
                    template.passage,
                    "RUN514",
                    f"'{match[0]}' is sent as it is written",
                    match.span(),
                    suggestion=f"did you mean '{{{{ {name} }}}}'?",
                    severity="error" if known else "warning",
                )
                found.setdefault(name, []).append(problem)
    yield from found.items()


def _unused(tool: DeclaredTool, parameters: _Parameters, used: frozenset[str]) -> Iterator[Diagnostic]:
    path = (*tool.path, "parameters")
    for index, name in enumerate(parameters.required):
        if name not in used and name in parameters.schemas:
            message = f"parameter '{clip(name)}' is required, but the request does not use it"
            hint = f"write {{{{ {clip(name)} }}}} where it belongs"
            yield tool.document.diagnostic("RUN512", message, (*path, "required", index), suggestion=hint)
    for name in parameters.schemas:
        if name not in used and name not in parameters.required:
            message = f"the request does not use parameter '{clip(name)}'"
            at = (*path, "properties", name)
            yield tool.document.diagnostic("RUN512", message, at, key=True, severity="warning")
