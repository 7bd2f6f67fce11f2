"""Toolsets of a docker-agent file -> tools: HTTP calls are carried, what runs on the machine is not."""

import re

from runner.importing.part import Part
from runner.importing.templates import with_variables
from runner.spec import Json, JsonObject

_ARGUMENT = re.compile(r"\$\{(\w+)\}")
_WITHOUT_BODY = ("GET", "HEAD", "DELETE", "OPTIONS")
_WHY: dict[str, str] = {
    "mcp": "MCP servers are not supported; write their tools as Python or HTTP tools",
    "openapi": "save the document with 'runner tools import URL', and name the tools here",
    "fetch": "write an HTTP tool for each address that the agent needs",
}
_RUNS_HERE = "it has no counterpart; write the functions that the agent needs as Python tools"


def tools_of(agent: Part) -> list[Json]:
    """The tools that can be carried; the others are noted."""
    found: list[Json] = []
    for path, value in agent.items("toolsets"):
        kind = value.get("type") if isinstance(value, dict) else None
        config = value.get("api_config") if isinstance(value, dict) else None
        if kind == "api" and isinstance(config, dict):
            found.append(_http(Part(config, (*path, "api_config"), agent.notes)))
        else:
            agent.notes.add(path, f"toolset '{kind}': {_WHY.get(str(kind), _RUNS_HERE)}")
    return found


def _http(config: Part) -> JsonObject:
    """One HTTP call. Its arguments fill the address; those left over are the body, or the query if there is none."""
    arguments = config.mapping("args") or {}
    method = (config.text("method") or "GET").upper()
    tool: dict[str, Json] = {"name": config.text("name") or "api", "type": "http", "method": method}
    if description := config.text("instruction"):
        tool["description"] = description.strip()
    endpoint = with_variables(config.text("endpoint") or "")
    used = {name for name in _ARGUMENT.findall(endpoint) if name in arguments}
    tool["url"] = _ARGUMENT.sub(lambda found: f"{{{{ {found[1]} }}}}" if found[1] in used else found[0], endpoint)
    rest = {name: f"{{{{ {name} }}}}" for name in arguments if name not in used}
    if rest:
        tool.update({"query": rest} if method in _WITHOUT_BODY else {"body": {"json": rest}})
    if headers := config.mapping("headers"):
        tool["headers"] = {name: with_variables(str(value)) for name, value in headers.items()}
    required = _required(config, used)
    if arguments:
        tool["parameters"] = {"type": "object", "properties": arguments, "required": required}
    config.leave("output_schema", "the model sees the response as it is")
    config.finish()
    return tool


def _required(config: Part, used: set[str]) -> list[Json]:
    names = [str(name) for _, name in config.items("required")]
    missing: list[str] = sorted(used - set(names))
    if missing:
        config.notes.add(config.path, f"{', '.join(missing)}: a part of the address, so now required")
    return [*names, *missing]
