"""Arguments -> the exact request: every value in its place, encoded, and nothing where an argument is not given."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from urllib.parse import quote, urlsplit

import runner
from runner.prompts import PromptError, text_form
from runner.spec import Json, JsonObject
from runner.tools.http.addresses import Hosts, bare
from runner.tools.http.declaration import Body, Endpoint, Node
from runner.tools.http.encoding import pairs
from runner.tools.http.failures import UnpreparedError
from runner.tools.http.fields import NOTHING, Field, Nothing
from runner.tools.http.prepared import PreparedRequest
from runner.tools.http.url import Address, build

_CONTROL = re.compile(r"[\x00-\x08\x0a-\x1f\x7f]")
_CONTENT_TYPES = {
    "json": "application/json",
    "form": "application/x-www-form-urlencoded",
    "text": "text/plain; charset=utf-8",
}
_DEFAULT_HEADERS = (
    ("User-Agent", f"yaml-agent-runner/{runner.__version__}"),
    ("Accept", "*/*"),
    ("Accept-Encoding", "gzip, deflate"),
)


@dataclass(frozen=True, kw_only=True, slots=True)
class Preparer:
    """Makes the requests of one tool.

    Attributes:
        hosts: the `http_hosts` of the project.
    """

    endpoint: Endpoint
    hosts: Hosts

    def prepare(self, arguments: JsonObject, nulls: Iterable[str] = ()) -> PreparedRequest:
        """The request for arguments that were checked.

        Args:
            arguments: all but the optional ones that are null.
            nulls: the names of those, if they were really given, and may be null: JSON can say so.

        Raises:
            UnpreparedError: it cannot be made of them.
        """
        try:
            return self._prepared(arguments, nulls)
        except PromptError as error:
            raise UnpreparedError(f"a template of the tool cannot be filled in: {error}") from error
        except UnicodeEncodeError:
            raise UnpreparedError("an argument holds half of a character (a lone surrogate)") from None
        except ValueError as error:
            raise UnpreparedError(f"a value cannot be sent: {error}") from error

    def _prepared(self, arguments: JsonObject, nulls: Iterable[str]) -> PreparedRequest:
        endpoint, sign_in = self.endpoint, self.endpoint.sign_in
        in_query = sign_in if sign_in and sign_in.place == "query" else None
        query = list(self._query(arguments))
        if in_query:
            query.extend(pairs(in_query.name, in_query.value))
        address = build(endpoint.url.parts(arguments), query)
        self._check_destination(address)
        is_json = endpoint.body is not None and endpoint.body.kind == "json"
        body, kind = _body(endpoint.body, {**arguments, **dict.fromkeys(nulls)} if is_json else arguments)
        return PreparedRequest(
            method=endpoint.method,
            url=address.url,
            headers=tuple(self._headers(arguments, kind)),
            body=body,
            host_given=address.host_given,
            hidden_headers=frozenset({sign_in.name.lower()} if sign_in and not in_query else ()),
            hidden_query=frozenset({quote(in_query.name, safe="[]")} if in_query else ()),
        )

    def _check_destination(self, address: Address) -> None:
        """A key goes only to whom its owner named, not to whom an argument names.

        Nor to a name that ends as the author wrote: anybody may have one that ends with `.co.uk` or `.github.io`.
        """
        if not (address.host_given and self.endpoint.secrets):
            return
        parts = urlsplit(address.url)
        host, port = bare(parts.hostname or ""), parts.port or (443 if parts.scheme == "https" else 80)
        if not self.hosts.lists(host, port):
            raise UnpreparedError(
                f"{host} is not reached: this tool sends keys, and an argument is part of its host. "
                f"The project can allow it with `http_hosts: ['{host}']` in runner.yaml"
            )

    def _query(self, arguments: JsonObject) -> Iterator[str]:
        for name, parameter in self.endpoint.query.items():
            value = _filled(parameter.value, arguments)
            if value is not NOTHING:
                yield from pairs(name, value, parameter.style)

    def _headers(self, arguments: JsonObject, content_type: str | None) -> Iterator[tuple[str, str]]:
        sign_in = self.endpoint.sign_in
        written: dict[str, str] = {}
        for name, node in self.endpoint.headers.items():
            value = _filled(node, arguments)
            if value is not NOTHING and value is not None:
                written[name] = _header(name, value)
        if sign_in and sign_in.place == "header":
            written[sign_in.name] = sign_in.value
        names = {name.lower() for name in written}
        defaults = (*_DEFAULT_HEADERS, *((("Content-Type", content_type),) if content_type else ()))
        yield from (default for default in defaults if default[0].lower() not in names)
        yield from written.items()


def _filled(node: Node, arguments: JsonObject) -> Json | Nothing:
    """A part of the declaration with the arguments in it; what has none is left out of lists and objects."""
    if isinstance(node, Field):
        return node.value(arguments)
    if isinstance(node, Mapping):
        values = {key: _filled(each, arguments) for key, each in node.items()}
        return {key: value for key, value in values.items() if value is not NOTHING}
    if isinstance(node, list):
        items = (_filled(each, arguments) for each in node)
        return [item for item in items if item is not NOTHING]
    return node


def _header(name: str, value: Json) -> str:
    text = ", ".join(map(text_form, value)) if isinstance(value, list) else text_form(value)
    text = text.strip()
    if _CONTROL.search(text):
        raise UnpreparedError(f"the value of the header {name} holds a line break or another control character")
    try:
        text.encode("latin-1")
    except UnicodeEncodeError:
        raise UnpreparedError(f"the value of the header {name} holds a character that no header can hold") from None
    return text


def _body(body: Body | None, arguments: JsonObject) -> tuple[bytes | None, str | None]:
    """The body and its type; nothing when all of it is one argument that is not given.

    Raises:
        UnpreparedError: a text needs an argument that is not given.
    """
    if body is None:
        return None, None
    value = _filled(body.content, arguments)
    if value is NOTHING and body.kind == "text" and not _is_one_expression(body.content):
        raise UnpreparedError("the body needs an argument that is not given")
    if value is NOTHING:
        return None, None
    if body.kind == "json":
        text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    elif body.kind == "form":
        text = "&".join(pair for name, each in value.items() for pair in pairs(name, each))
    else:
        text = "" if value is None else text_form(value)
    return text.encode(), _CONTENT_TYPES[body.kind]


def _is_one_expression(field: Field) -> bool:
    return len(field.parts({})) == 1
