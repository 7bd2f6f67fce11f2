"""The arguments in examples are ones that the Python function takes, where the tool declares no `parameters`."""

from collections.abc import Iterator, Mapping

from runner.diagnostics import Diagnostic
from runner.language.catalog import DeclaredTool
from runner.language.doubt import lacks_arguments, without_meant
from runner.language.function_source import Parameters
from runner.language.paths import place_of
from runner.language.references import MergedAgent
from runner.language.resolve import Problem, resolve
from runner.language.schema.messages import found
from runner.spec import ProjectSpec
from runner.suggest import did_you_mean

_UNFIT = "the arguments of this example do not fit"


def check(agent: MergedAgent) -> Iterator[Diagnostic]:
    """Hold the names of the arguments against the signature, as far as the text of the module tells it."""
    examples = agent.value("examples")
    if not isinstance(examples, list):
        return
    tools = {use.name: use.tool for use in agent.tools if use.tool is not None}
    known: dict[str, Parameters | None] = {}
    for index in range(len(examples)):
        calls = agent.value("examples", index, "calls")
        for number in range(len(calls) if isinstance(calls, list) else 0):
            name = agent.value("examples", index, "calls", number, "tool")
            if not isinstance(name, str) or name not in tools:
                continue
            if name not in known:
                known[name] = known_parameters(tools[name], agent)
            if (taken := known[name]) is not None:
                yield from _call(agent, index, number, taken)


def _call(agent: MergedAgent, index: int, number: int, taken: Parameters) -> Iterator[Diagnostic]:
    path = ("examples", index, "calls", number)
    name, arguments = agent.value(*path, "tool"), agent.value(*path, "arguments")
    if not isinstance(arguments, Mapping) and not lacks_arguments(agent.value(*path)):
        return  # the schema's complaint
    given = arguments or {}
    unknown = [each for each in given if each not in taken.names and not taken.open]
    for each in unknown:
        message = f"{_UNFIT} '{name}': unknown key '{each}'"
        suggestion = did_you_mean(each, taken.names)
        yield agent.diagnostic("RUN509", message, (*path, "arguments", each), key=True, suggestion=suggestion)
    for each in taken.scalars.intersection(given):
        if isinstance(given[each], list | dict):
            message = f"{_UNFIT} '{name}': {each}: expected a single value, found {found(given[each])}"
            yield agent.diagnostic("RUN509", message, (*path, "arguments", each))
    for each in without_meant((each for each in taken.required if each not in given), unknown):
        place = (*path, "tool") if arguments is None else (*path, "arguments")
        message = f"{_UNFIT} '{name}': missing key '{each}'"
        yield agent.diagnostic("RUN509", message, place, key=arguments is not None)


def known_parameters(tool: DeclaredTool, agent: MergedAgent) -> Parameters | None:
    """What the function takes; looked up once for all agents that use a tool of the catalog."""
    catalog = agent.catalog
    if catalog is None or catalog.tools.get(tool.name) is not tool:
        return _parameters(tool, agent.project.spec)
    if tool.name not in catalog.signatures:
        catalog.signatures[tool.name] = _parameters(tool, agent.project.spec)
    return catalog.signatures[tool.name]


def _parameters(tool: DeclaredTool, project: ProjectSpec) -> Parameters | None:
    function = tool.data.get("function")
    if tool.data.get("type") != "python" or not isinstance(function, str) or "parameters" in tool.data:
        return None
    resolved = resolve(function, folder=place_of(tool.document).parent, project=project)
    return None if isinstance(resolved, Problem) or resolved.definition is None else resolved.definition.parameters
