"""Whether operations need a key that a declaration does not give, and how it would be written."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from runner.language.openapi.operations import Operation
from runner.language.openapi.references import Node, ReferenceProblem, References
from runner.spec import JsonObject


@dataclass(frozen=True, kw_only=True, slots=True)
class MissingAuth:
    """What a declaration should have.

    Attributes:
        key: under which key of the declaration.
        value: strings, and mappings of strings.
        variables: the environment variables in it, which are made up.
    """

    key: Literal["auth", "headers"]
    value: JsonObject
    variables: tuple[str, ...]

    def written(self) -> str:
        """As it is written in YAML, on one line."""
        return f"{self.key}: {_flow(self.value)}"


def missing_auth(
    operations: Sequence[Operation], declaration: JsonObject, references: References, *, prefix: str = ""
) -> MissingAuth | None:
    """What to write so that the operations can be called; None when they need nothing, or it is there.

    A declaration with headers is taken to know what it does. `prefix` is put before the names of variables.
    """
    if "auth" in declaration or "headers" in declaration:
        return None
    for operation in operations:
        root = Node(spec=operation.node.spec, path=(), value=operation.node.spec.data)
        needed = operation.node.get("security") or root.get("security")
        options = [each for each in needed.value if isinstance(each, dict)] if needed and needed.elements() else []
        if options and {} not in options:
            return _for(_scheme(root, next(iter(options[0])), references), prefix)
    return None


def _scheme(root: Node, name: str, references: References) -> Node | None:
    node: Node | None = root
    for key in ("components", "securitySchemes", name):
        node = node.get(key) if node else None
    try:
        return references.follow(node) if node else None
    except ReferenceProblem:
        return None


def _for(scheme: Node | None, prefix: str) -> MissingAuth:
    kind = scheme.text("type") if scheme else ""
    if scheme and kind == "apiKey":
        key, name = f"{prefix}API_KEY", scheme.text("name")
        if scheme.text("in") == "cookie":
            return MissingAuth(key="headers", value={"Cookie": f"{name}=${{{key}}}"}, variables=(key,))
        return MissingAuth(
            key="auth", value={scheme.text("in"): {"name": name, "value": f"${{{key}}}"}}, variables=(key,)
        )
    if scheme and kind == "http" and scheme.text("scheme").lower() == "basic":
        username, password = f"{prefix}USERNAME", f"{prefix}PASSWORD"
        basic = {"username": f"${{{username}}}", "password": f"${{{password}}}"}
        return MissingAuth(key="auth", value={"basic": basic}, variables=(username, password))
    token = f"{prefix}TOKEN"
    return MissingAuth(key="auth", value={"bearer": f"${{{token}}}"}, variables=(token,))


def _flow(value: JsonObject) -> str:
    parts = (f"{key}: {_flow(each) if isinstance(each, Mapping) else quoted(each)}" for key, each in value.items())
    return f"{{{', '.join(parts)}}}"


def quoted(text: str) -> str:
    """A string as YAML has it in double quotes."""
    return json.dumps(text, ensure_ascii=False)
