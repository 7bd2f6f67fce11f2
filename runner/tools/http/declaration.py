"""Reads the declaration of an HTTP tool: its `${VAR}` filled in, its templates ready for the arguments of a call."""

import base64
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

from runner.environment import Secrets, Unset, expand
from runner.language.selection import Selection, SelectionError
from runner.language.selection import compile as compile_selection
from runner.language.sizes import size_in_bytes
from runner.prompts import is_template
from runner.spec import Json, JsonObject, Text, ToolSpec
from runner.tools.failures import ToolLoadError
from runner.tools.http.encoding import Style
from runner.tools.http.failures import UnpreparedError
from runner.tools.http.fields import Field, read_field
from runner.tools.http.url import build

_DEFAULT_MAX_BYTES = "1MB"
_HEADER_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_CONTROL = re.compile(r"[\x00-\x08\x0a-\x1f\x7f]")
# They say where a request ends and which connection it uses, so they are not for an author to set.
_OWN_HEADERS = frozenset({"content-length", "transfer-encoding", "connection", "host", "te", "trailer", "upgrade"})

# JSON whose strings are fields.
Node = Json
BodyKind = Literal["json", "form", "text"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Parameter:
    """A parameter of the address."""

    value: Node
    style: Style = "repeat"


@dataclass(frozen=True, kw_only=True, slots=True)
class Body:
    """What is sent, by its kind."""

    kind: BodyKind
    content: Node


@dataclass(frozen=True, kw_only=True, slots=True)
class SignIn:
    """What `auth` adds: a header or a parameter of the address, with its value."""

    place: Literal["header", "query"]
    name: str
    value: str
    secrets: frozenset[str]


@dataclass(frozen=True, kw_only=True, slots=True)
class Endpoint:
    """A declared endpoint.

    Attributes:
        secrets: what came from the environment, and all that `auth` holds.
    """

    method: str
    url: Field
    headers: Mapping[str, Node]
    query: Mapping[str, Parameter]
    body: Body | None
    sign_in: SignIn | None
    select: Selection | None
    max_bytes: int
    secrets: frozenset[str]


def read_endpoint(spec: ToolSpec, environ: Mapping[str, str]) -> Endpoint:
    """The endpoint of a tool's declaration, which its schema has accepted.

    Raises:
        ToolLoadError: it cannot be called as it is declared.
        VariableError: an environment variable is not set.
    """
    settings = spec.settings
    url = read_field(settings["url"].strip(), spec.origin, environ)
    if not is_template(url.template.value) and not isinstance(environ, Unset):
        _check_url(url)
    headers = {name: _node(value, spec, environ) for name, value in settings.get("headers", {}).items()}
    query = {name: _parameter(value, spec, environ) for name, value in settings.get("query", {}).items()}
    body = _body(settings.get("body", {}), spec, environ)
    sign_in = _sign_in(settings.get("auth", {}), spec, environ)
    _check_headers(headers, sign_in)
    nodes = [*headers.values(), *(each.value for each in query.values()), *([body.content] if body else [])]
    sent = frozenset(secret for node in nodes for field in _fields(node) for secret in field.secrets)
    if sign_in:
        sent |= sign_in.secrets
    response: JsonObject = settings.get("response", {})
    return Endpoint(
        method=settings.get("method", "GET"),
        url=url,
        headers=headers,
        query=query,
        body=body,
        sign_in=sign_in,
        select=_selection(response.get("select")),
        max_bytes=size_in_bytes(response.get("max_bytes", _DEFAULT_MAX_BYTES)),
        secrets=sent | url.secrets,
    )


def _check_url(url: Field) -> None:
    try:
        build(url.parts({}), ())
    except UnpreparedError as error:
        raise ToolLoadError(Secrets(url.secrets).mask(f"url: {error}")) from error


def _node(value: Json, spec: ToolSpec, environ: Mapping[str, str]) -> Node:
    if isinstance(value, str):
        return read_field(value, spec.origin, environ)
    if isinstance(value, Mapping):
        return {key: _node(each, spec, environ) for key, each in value.items()}
    return [_node(each, spec, environ) for each in value] if isinstance(value, list | tuple) else value


def _fields(node: Node) -> Iterator[Field]:
    if isinstance(node, Field):
        yield node
    elif isinstance(node, Mapping):
        for each in node.values():
            yield from _fields(each)
    elif isinstance(node, list):
        for each in node:
            yield from _fields(each)


def _parameter(value: Json, spec: ToolSpec, environ: Mapping[str, str]) -> Parameter:
    if isinstance(value, Mapping):
        return Parameter(value=_node(value["value"], spec, environ), style=value.get("style", "repeat"))
    return Parameter(value=_node(value, spec, environ))


def _body(declared: JsonObject, spec: ToolSpec, environ: Mapping[str, str]) -> Body | None:
    kinds: tuple[BodyKind, ...] = ("json", "form", "text")
    for kind in kinds:
        if kind in declared:
            return Body(kind=kind, content=_node(declared[kind], spec, environ))
    return None


def _sign_in(declared: JsonObject, spec: ToolSpec, environ: Mapping[str, str]) -> SignIn | None:
    def filled(text: str) -> tuple[str, frozenset[str]]:
        expanded = expand(Text(value=text, origin=spec.origin), environ, is_key=True)
        # Keys are often read from files, with the line's end.
        return expanded.value.strip(), expanded.secrets

    match declared:
        case {"bearer": token}:
            key, secrets = filled(token)
            made = SignIn(place="header", name="Authorization", value=f"Bearer {key}", secrets=secrets | {key})
        case {"basic": {"username": name, "password": password}}:
            (user, of_user), (word, of_word) = filled(name), filled(password)
            key = user + word
            pair = base64.b64encode(f"{user}:{word}".encode()).decode()
            secrets = of_user | of_word | {word, pair}
            made = SignIn(place="header", name="Authorization", value=f"Basic {pair}", secrets=secrets)
        case {"header": {"name": name, "value": value}}:
            key, secrets = filled(value)
            made = SignIn(place="header", name=name, value=key, secrets=secrets | {key})
        case {"query": {"name": name, "value": value}}:
            key, secrets = filled(value)
            made = SignIn(place="query", name=name, value=key, secrets=secrets | {key})
        case _:
            return None
    return made if key else None  # `${TOKEN:-}`: a server that needs none


def _check_headers(headers: Mapping[str, Node], sign_in: SignIn | None) -> None:
    names = [*headers, *([sign_in.name] if sign_in and sign_in.place == "header" else [])]
    for place, name in enumerate(names):
        if not _HEADER_NAME.fullmatch(name):
            raise ToolLoadError(f"'{name}' cannot be the name of a header: letters, digits and '-' are expected")
        if name.lower() in _OWN_HEADERS:
            raise ToolLoadError(f"the header '{name}' is set by the runner: leave it out")
        if name.lower() in (other.lower() for other in names[:place]):
            raise ToolLoadError(f"the header '{name}' is declared twice: keep one of `headers` and `auth`")
    if sign_in and sign_in.place == "header" and (_CONTROL.search(sign_in.value) or not _is_latin1(sign_in.value)):
        raise ToolLoadError("the value of `auth` holds a line break or a character that no header can hold")


def _is_latin1(text: str) -> bool:
    return all(ord(character) < 256 for character in text)


def _selection(expression: str | None) -> Selection | None:
    if expression is None:
        return None
    try:
        return compile_selection(expression)
    except SelectionError as error:
        raise ToolLoadError(f"response.select is not a JMESPath expression: {error}") from error
