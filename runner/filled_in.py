"""Where `${VAR}` are filled in for a run, so that all of those without a value are told at once."""

from collections.abc import Iterable, Iterator, Mapping

from runner.environment import Lack, Secrets, Variable, VariableError, expand, lack, parse, place_in
from runner.spec import AgentSpec, Json, ModelSpec, Text, ToolSpec

# By the type of a tool, the keys under which variables are filled in.
IN_TOOLS: Mapping[str, frozenset[str]] = {
    "python": frozenset(("config", "env")),
    "http": frozenset(("url", "headers", "query", "body", "auth")),
    "openapi": frozenset(("server", "headers", "auth")),
}
# The key of a model, and of a tool, that signs requests in: an empty value of a variable is none there.
MODEL_KEY, TOOL_KEY = "api_key", "auth"

# A text, and whether it signs requests in.
_Filled = tuple[Text, bool]


def check_variables(spec: AgentSpec, environ: Mapping[str, str], *, tools: bool = True) -> None:
    """Look for every variable that the models and tools of an agent need.

    Args:
        spec: the agent.
        environ: where the variables are looked up.
        tools: whether its tools are looked at too.

    Raises:
        VariableError: some have no value, or a `${` is malformed; all are named, each with its place.
    """
    lacking: dict[str, tuple[str, Lack]] = {}
    for text, is_key in _texts(spec, tools=tools):
        for part in parse(text.value):
            if isinstance(part, Variable):
                problem = lack(part, environ, is_key=is_key)
                if problem is not None:
                    lacking.setdefault(part.name, (place_in(text, part.start), problem))
            elif not isinstance(part, str):
                expand(text, environ)  # says what is wrong with it
    if not lacking:
        return
    if len(lacking) == 1:
        ((place, problem),) = lacking.values()
        raise VariableError(f"{place}: {problem}")
    each = "; ".join(f"{place}: {problem.message}" for place, problem in lacking.values())
    raise VariableError(f"{len(lacking)} environment variables have no value: {each}")


def named_secrets(spec: AgentSpec, environ: Mapping[str, str]) -> Secrets:
    """The values of the variables that the models and tools of an agent name, as far as they have any."""
    names = {model.name for model in _models(spec)}  # they are shown with every run
    return _values([filled for filled in _texts(spec, tools=True) if filled[0].value not in names], environ)


def secrets_named_by(tool: ToolSpec, environ: Mapping[str, str]) -> Secrets:
    """As `named_secrets`, of one tool."""
    return _values(_of_tool(tool), environ)


def _values(filled: Iterable[_Filled], environ: Mapping[str, str]) -> Secrets:
    parts = [part for text, _ in filled for part in parse(text.value)]
    return Secrets(environ.get(part.name, "") for part in parts if isinstance(part, Variable))


def _models(spec: AgentSpec) -> Iterator[ModelSpec]:
    for model in (spec.model, spec.context.model if spec.context is not None else None):
        if model is not None:
            yield from (model, *model.fallbacks)


def _texts(spec: AgentSpec, *, tools: bool) -> Iterator[_Filled]:
    yield from _of_model(spec.model)
    if spec.context is not None and spec.context.model is not None:
        yield from _of_model(spec.context.model)
    for tool in spec.tools if tools else ():
        yield from _of_tool(tool)


def _of_model(model: ModelSpec) -> Iterator[_Filled]:
    yield Text(value=model.name, origin=model.origin), False
    if model.api_base is not None:
        yield model.api_base, False
    if model.api_key is not None:
        yield model.api_key, True
    for value in _strings(model.params):
        yield Text(value=value, origin=model.origin), False
    for fallback in model.fallbacks:
        yield from _of_model(fallback)


def _of_tool(tool: ToolSpec) -> Iterator[_Filled]:
    for key in sorted(IN_TOOLS.get(tool.type, ())):
        for value in _strings(tool.settings.get(key)):
            yield Text(value=value, origin=tool.origin), key == TOOL_KEY


def _strings(value: Json) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for each in value.values():
            yield from _strings(each)
    elif isinstance(value, list):
        for each in value:
            yield from _strings(each)
