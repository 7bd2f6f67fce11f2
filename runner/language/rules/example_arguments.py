"""The arguments in examples fit the tools they are for: a model writes what it has seen."""

from collections.abc import Iterator, Mapping

from runner.diagnostics import Diagnostic
from runner.language.doubt import lacks_arguments
from runner.language.references import MergedAgent
from runner.language.schema import mismatched
from runner.language.schema.authored import check_authored
from runner.language.source import Path
from runner.spec import JsonObject
from runner.suggest import closest

CODES = {"RUN509": "an example whose arguments do not fit the tool"}


def check(agent: MergedAgent) -> Iterator[Diagnostic]:
    """Hold the arguments of each call against the `parameters` of its tool, where those are declared and sound."""
    examples = agent.value("examples")
    if not isinstance(examples, list):
        return
    parameters = dict(_declared(agent))
    for index in range(len(examples)):
        calls = agent.value("examples", index, "calls")
        for number in range(len(calls) if isinstance(calls, list) else 0):
            path = ("examples", index, "calls", number)
            name, arguments = agent.value(*path, "tool"), agent.value(*path, "arguments")
            schema = parameters.get(name) if isinstance(name, str) else None
            if schema is None or not (isinstance(arguments, Mapping) or lacks_arguments(agent.value(*path))):
                continue
            yield from _misspelt(agent, (*path, "arguments"), arguments or {}, schema)
            for finding in mismatched(arguments or {}, schema):
                place = (*path, "arguments", *finding.at) if arguments is not None else (*path, "tool")
                message = f"the arguments of this example do not fit '{name}': {finding.message}"
                on_key = finding.on_key and arguments is not None
                yield agent.diagnostic("RUN509", message, place, key=on_key, suggestion=finding.suggestion)


def _misspelt(agent: MergedAgent, path: Path, arguments: JsonObject, schema: JsonObject) -> Iterator[Diagnostic]:
    """An argument that the tool has room for but does not declare: likely a declared one that is not given."""
    properties = schema.get("properties")
    if not isinstance(properties, Mapping) or schema.get("additionalProperties") is False:
        return
    free = [name for name in properties if name not in arguments and name not in schema.get("required", ())]
    for name in arguments:
        meant = None if name in properties else closest(name, free)
        if meant is not None:
            message = f"the tool of this example declares no parameter '{name}'"
            hint = f"did you mean '{meant}'?"
            yield agent.diagnostic("RUN509", message, (*path, name), key=True, suggestion=hint, severity="warning")


def _declared(agent: MergedAgent) -> Iterator[tuple[str, JsonObject]]:
    for use in agent.tools:
        parameters = use.tool.data.get("parameters") if use.tool else None
        if isinstance(parameters, Mapping) and not any(not each.warning for each in check_authored(parameters)):
            yield use.name, parameters
