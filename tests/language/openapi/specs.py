"""Small OpenAPI documents, and what becomes of them."""

import json
from pathlib import Path
from typing import Any

from runner.language.openapi.expanded import Expansion
from runner.language.openapi.expansion import expand
from runner.language.openapi.reading import SpecFiles
from runner.language.workspace import Workspace
from runner.spec import JsonObject
from tests.language.projects import Write

Tool = JsonObject
SERVER = "https://api.example.com/v1"


def spec(paths: JsonObject, version: str = "3.1.0", **more: Any) -> dict[str, Any]:
    """A document with these paths."""
    root = {"openapi": version, "info": {"title": "Shop API", "version": "1"}, "servers": [{"url": SERVER}]}
    return {**root, "paths": paths, **more}


def operation(**more: Any) -> dict[str, Any]:
    """An operation called `op`."""
    return {"operationId": "op", "responses": {"200": {"description": "OK"}}, **more}


def parameter(name: str, place: str, schema: JsonObject | None = None, **more: Any) -> dict[str, Any]:
    """A parameter, of type string if nothing else is said."""
    return {"name": name, "in": place, "schema": schema or {"type": "string"}, **more}


def json_body(schema: JsonObject, **more: Any) -> dict[str, Any]:
    """A request body of JSON."""
    return {"content": {"application/json": {"schema": schema}}, **more}


def expanded(write: Write, document: JsonObject | str, **declaration: Any) -> Expansion:
    """What a toolset with one `openapi` tool gives; keys of the declaration are written as they are."""
    text = document if isinstance(document, str) else json.dumps(document, ensure_ascii=False)
    tool = {"type": "openapi", "spec": "./api.json", **declaration}
    root = write({"tools.d/shop.yaml": json.dumps({"kind": "toolset", "tools": [tool]}), "tools.d/api.json": text})
    return expansion_of(root)


def expansion_of(root: Path) -> Expansion:
    """What the tool in `tools.d/shop.yaml` stands for."""
    read = Workspace().read(root / "tools.d" / "shop.yaml").document
    assert read is not None
    return expand(read.data["tools"][0], read, ("tools", 0), root, SpecFiles())


def only_tool(write: Write, document: JsonObject, **declaration: Any) -> Tool:
    """The one tool that a document gives, without any complaint."""
    expansion = expanded(write, document, **declaration)
    assert expansion.diagnostics == ()
    (tool,) = expansion.tools
    return tool


def properties(tool: Tool) -> dict[str, Any]:
    """The schemas of a tool's arguments."""
    found: dict[str, Any] = tool["parameters"]["properties"]
    return found


def codes(expansion: Expansion) -> list[str]:
    """The codes of what is wrong."""
    return [each.code for each in expansion.diagnostics]
