"""A docker-agent (cagent) file -> an agent for each of its agents (https://docs.docker.com/ai/docker-agent)."""

from runner.importing.agent import AgentDraft
from runner.importing.docker_tools import tools_of
from runner.importing.models import model_name
from runner.importing.part import Notes, Part
from runner.importing.source import ForeignFile
from runner.importing.templates import as_template
from runner.spec import Json, JsonObject

_ROOT = "root"
_NO_TEAMS = "this version has no teams; each agent is a file of its own"
_PARAMS = ("top_p", "frequency_penalty", "presence_penalty", "seed")
_EFFORTS = ("minimal", "low", "medium", "high")


def recognises(file: ForeignFile) -> bool:
    """Whether the file declares agents by name."""
    return file.body is None and isinstance(file.data.get("agents"), dict)


def convert(file: ForeignFile, notes: Notes) -> list[AgentDraft]:
    """The agents, the root first. It is named after the file: all roots are called `root`."""
    top = Part(file.data, (), notes)
    top.drop("version")
    models, providers = top.mapping("models") or {}, top.mapping("providers") or {}
    metadata = top.mapping("metadata")
    agents = top.part("agents")
    drafts: list[AgentDraft] = []
    for name in _root_first(agents.keys()) if agents else []:
        agent = agents.part(name) if agents else None
        if agent is not None:
            draft = AgentDraft(None if name == _ROOT else name)
            if metadata:
                draft.put("metadata", metadata, top, "metadata")
            _Agent(agent, draft, models, providers).convert()
            drafts.append(draft)
    top.leave("mcps", "MCP servers are not supported; write their tools as Python or HTTP tools")
    top.leave("rag", "there is no retrieval here; write a tool that searches")
    top.leave("permissions", "this version does not support permissions")
    top.finish()
    return drafts


def _root_first(names: list[str]) -> list[str]:
    return sorted(names, key=lambda name: name != _ROOT)


class _Agent:
    """One agent of the file, with the models and providers that it may name."""

    def __init__(self, agent: Part, draft: AgentDraft, models: JsonObject, providers: JsonObject) -> None:
        self._agent = agent
        self._draft = draft
        self._models = models
        self._providers = providers

    def convert(self) -> None:
        agent, draft = self._agent, self._draft
        draft.put("description", agent.text("description"), agent, "description")
        instruction = agent.text("instruction")
        draft.put("instructions", as_template(instruction) if instruction else None, agent, "instruction")
        self._model()
        self._fallback()
        tools = tools_of(agent)
        draft.put("tools", tools or None, agent, "toolsets")
        self._steps()
        output = agent.part("structured_output")
        if output is not None:
            draft.put("output_schema", output.mapping("schema"), output, "schema")
            output.drop("name", "description", "strict")
            output.finish()
        for key in ("sub_agents", "handoffs"):
            agent.leave(key, _NO_TEAMS)
        agent.leave("commands", "write prompts as agents of their own, or give them as INPUT")
        agent.leave("add_date", "write it into the instructions, or use the tool current_time")
        agent.finish()

    def _model(self) -> None:
        name = self._agent.text("model")
        if name is None:
            return
        if name == "auto" or "," in name:
            self._agent.notes.add(
                (*self._agent.path, "model"), "write one model; alternating and automatic ones do not exist here"
            )
            name = "" if name == "auto" else name.partition(",")[0].strip()
        named = self._models.get(name)
        if isinstance(named, dict):
            self._named(Part(named, ("models", name), self._agent.notes))
        elif name:
            provider, slash, model = name.partition("/")
            self._draft.put("model.name", model_name(provider, model) if slash else name, self._agent, "model")

    def _named(self, model: Part) -> None:
        draft, provider = self._draft, model.text("provider")
        name = model.text("model")
        custom = self._providers.get(provider or "")
        if isinstance(custom, dict):
            self._custom(Part(custom, ("providers", str(provider)), model.notes))
            provider = "openai"
        if name is not None:
            draft.put("model.name", model_name(provider, name) if provider else name, model, "model")
        for key in ("temperature", "max_tokens"):
            draft.put(f"model.{key}", model.number(key), model, key)
        for key in _PARAMS:
            draft.put(f"model.params.{key}", model.number(key), model, key)
        self._server(model)
        if model.flag("parallel_tool_calls") is False:
            draft.put("limits.max_parallel_tools", 1, model, "parallel_tool_calls")
        budget = model.json("thinking_budget")
        if budget in _EFFORTS:
            draft.put("model.params.reasoning_effort", budget, model, "thinking_budget")
        elif budget is not None:
            model.notes.add((*model.path, "thinking_budget"), "write model.params as the provider wants it")
        model.drop("track_usage")
        model.finish()

    def _custom(self, provider: Part) -> None:
        self._server(provider)
        provider.drop("api_type", "provider")
        provider.finish()

    def _server(self, part: Part) -> None:
        self._draft.put("model.api_base", part.text("base_url"), part, "base_url")
        variable = part.text("token_key")
        self._draft.put("model.api_key", f"${{{variable}}}" if variable else None, part, "token_key")

    def _fallback(self) -> None:
        fallback = self._agent.part("fallback")
        if fallback is None:
            return
        names: list[Json] = [self._reference(str(each)) for _, each in fallback.items("models")]
        self._draft.put("model.fallbacks", names or None, fallback, "models")
        self._draft.put("model.retries", fallback.number("retries"), fallback, "retries")
        fallback.finish()

    def _reference(self, name: str) -> str:
        """The name of a model that another one falls back to; of a named model only that much is carried."""
        named = self._models.get(name)
        if isinstance(named, dict):
            if named.keys() - {"provider", "model"}:
                self._agent.notes.add(("models", name), "of a fallback only the name is carried, not its parameters")
            return model_name(str(named.get("provider")), str(named.get("model")))
        provider, slash, model = name.partition("/")
        return model_name(provider, model) if slash else name

    def _steps(self) -> None:
        steps = self._agent.number("max_iterations")
        if steps:
            self._draft.put("limits.max_steps", steps, self._agent, "max_iterations")
        elif steps is not None:
            path = (*self._agent.path, "max_iterations")
            self._agent.notes.add(path, "a run always has a limit; it is 20 unless 'limits.max_steps' says more")
