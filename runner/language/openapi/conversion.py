"""One operation -> the declaration of an http tool."""

import re
from collections.abc import Mapping, Sequence
from urllib.parse import quote

from runner.language.openapi.arguments import Argument, named, parameters_of
from runner.language.openapi.bodies import Body, body_of
from runner.language.openapi.naming import tool_name
from runner.language.openapi.operations import Operation
from runner.language.openapi.parameters import Parameters
from runner.language.openapi.references import References
from runner.language.openapi.schemas import Schemas
from runner.spec import Json, JsonObject, Risk

# Keys of the declaration that every one of its tools has as they are.
_SHARED = ("auth", "response", "timeout", "retries", "risk", "idempotent", "return_direct")
# Unless the declaration says otherwise.
_RISKS: Mapping[str, Risk] = {"POST": "medium", "PUT": "medium", "PATCH": "medium", "DELETE": "high"}
# The standard says to ignore what documents declare for them.
_WITHOUT_BODY = ("GET", "HEAD")
_PLACEHOLDER = re.compile(r"\{([^{}]*)\}")
# Of a path as written; `{`, and with it `${` and `{{`, is never one: the document may not read the environment.
_PATH_CHARACTERS = "/:@!$&'()*+,;=-._~%?"
_DESCRIPTION_CHARACTERS = 1_000


def to_tool(operation: Operation, declaration: JsonObject, server: str, references: References) -> JsonObject:
    """The http tool of an operation.

    Args:
        operation: which one.
        declaration: the `openapi` tool as declared and checked, without what this operation does not get.
        server: the address that the operation's path is added to, as a template of the language.
        references: follows the references of the document.

    Raises:
        UnusableError: the operation needs something that an http tool cannot send.
        ReferenceProblem: a reference cannot be followed.
    """
    schemas = Schemas(references)
    in_path = list(dict.fromkeys(_PLACEHOLDER.findall(operation.path)))
    parameters = Parameters(references, schemas, given=_given(declaration))
    body = Body() if operation.method in _WITHOUT_BODY else body_of(operation.node, references, schemas)
    arguments = named([*parameters.arguments(operation, in_path), *body.arguments])
    tool: dict[str, Json] = {
        "name": tool_name(operation.id, declaration.get("name")),
        "type": "http",
        "method": operation.method,
        "url": server + _path(operation.path, arguments),
        "description": "\n".join(filter(None, [describe(operation), body.unsent])),
        "parameters": parameters_of(arguments, schemas.definitions),
    }
    tool["risk"] = _RISKS.get(operation.method, "low")
    tool |= {key: declaration[key] for key in _SHARED if key in declaration}
    query = {str(each.key): _in_query(each) for each in arguments if each.place == "query"}
    headers = {str(each.key): each.template for each in arguments if each.place == "header"}
    if body.content_type:
        headers["Content-Type"] = body.content_type
    headers |= declaration.get("headers", {})
    tool |= {"query": query} if query else {}
    tool |= {"headers": headers} if headers else {}
    tool |= {"body": {body.kind: _in_body(arguments)}} if body.kind else {}
    return tool


def describe(operation: Operation) -> str:
    """What the model is told: the summary and the description, or else the method and the path."""
    summary, description = operation.node.text("summary"), operation.node.text("description")
    if description.startswith(summary):
        summary = ""
    if summary and summary[-1] not in ".!?":
        summary += "."
    text = "\n".join(filter(None, [summary, description])) or f"{operation.method} {operation.path}"
    if operation.node.flag("deprecated"):
        text = f"Deprecated. {text}"
    if len(text) <= _DESCRIPTION_CHARACTERS:
        return text
    return f"{text[:_DESCRIPTION_CHARACTERS].rpartition(' ')[0].rstrip()} …"


def _given(declaration: JsonObject) -> set[tuple[str, str]]:
    """What the declaration sends by itself, by place and name: no argument is needed for it."""
    given = {("header", name.lower()) for name in declaration.get("headers", {})}
    for place in ("header", "query"):
        name = declaration.get("auth", {}).get(place, {}).get("name")
        if isinstance(name, str):
            given.add((place, name.lower() if place == "header" else name))
    return given


def _path(path: str, arguments: Sequence[Argument]) -> str:
    names = {each.key: each.template for each in arguments if each.place == "path"}
    parts = _PLACEHOLDER.split(path)
    return "".join(names[part] if index % 2 else _literal(part) for index, part in enumerate(parts))


def _literal(part: str) -> str:
    encoded = quote(part, safe=_PATH_CHARACTERS)
    return f"{encoded[:-1]}%24" if encoded.endswith("$") else encoded  # `${{ name }}` would begin with `${`


def _in_query(argument: Argument) -> Json:
    if argument.style == "repeat":
        return argument.template
    return {"value": argument.template, "style": argument.style}


def _in_body(arguments: Sequence[Argument]) -> Json:
    sent = [each for each in arguments if each.place == "body"]
    if [each.key for each in sent] == [None]:
        return sent[0].template
    return {str(each.key): each.template for each in sent}
