"""Where an operation is: the address its path is added to."""

import re
from urllib.parse import quote, urlsplit

from runner.language.openapi.operations import Operation
from runner.language.openapi.references import Node
from runner.spec import JsonObject

_VARIABLE = re.compile(r"\{([^{}]*)\}")
_ADDRESS = re.compile(r"https?://[^/?#\s]+", re.IGNORECASE)
# As in a path: nothing of the document may look like `${VAR}` or `{{ name }}`.
_ADDRESS_CHARACTERS = "/:@!$&'()*+,;=-._~%[]"


class ServerError(Exception):
    """The document does not say where the server is; the message is one line."""


def server_of(operation: Operation, declaration: JsonObject) -> str:
    """The declaration's `server`, or the first that the operation, its path or the document names.

    Raises:
        ServerError: there is none, or none that is a whole address.
    """
    declared = declaration.get("server")
    if isinstance(declared, str):
        return declared.rstrip("/")
    root = Node(spec=operation.node.spec, path=(), value=operation.node.spec.data)
    for owner in (operation.node, operation.item, root):
        listed = owner.get("servers")
        if listed is not None and listed.elements():
            return _address(listed.elements()[0])
    raise ServerError(f"{root.spec.file} names no server")


def main_server(operation: Operation, declaration: JsonObject) -> str | None:
    """The address that a declaration's keys are for: its `server`, or the first that the document itself names."""
    declared = declaration.get("server")
    if isinstance(declared, str):
        return declared.rstrip("/")
    root = Node(spec=operation.node.spec, path=(), value=operation.node.spec.data)
    listed = root.get("servers")
    try:
        return _address(listed.elements()[0]) if listed is not None and listed.elements() else None
    except ServerError:
        return None


def is_same_origin(first: str, second: str | None) -> bool:
    """Whether two addresses have the same scheme, host and port."""
    if second is None:
        return False
    return first == second or (_origin(first) is not None and _origin(first) == _origin(second))


def _origin(address: str) -> tuple[str, str, int] | None:
    """None when it cannot be told."""
    try:
        parts = urlsplit(address)
        host, port = parts.hostname, parts.port
    except ValueError:
        return None
    if not host or "@" in parts.netloc:
        return None
    return parts.scheme, host.removesuffix("."), port or (443 if parts.scheme == "https" else 80)


def _address(server: Node) -> str:
    variables = server.get("variables")
    defaults = {name: each.value.get("default") for name, each in variables.items()} if variables else {}

    def default(match: re.Match[str]) -> str:
        value = defaults.get(match[1])
        if value is None:
            raise ServerError(f"the variable '{match[1]}' of the server '{url}' has no default")
        return str(value)

    url = server.text("url")
    whole = _VARIABLE.sub(default, url)
    if not _ADDRESS.match(whole):
        raise ServerError(f"the server '{url}' of {server.spec.file} is not a whole address")
    return quote(whole, safe=_ADDRESS_CHARACTERS).rstrip("/")
