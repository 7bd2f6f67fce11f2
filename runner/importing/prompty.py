"""A prompty file -> an agent (https://prompty.ai/docs/prompty-specification, versions 1 and 2)."""

from runner.importing.agent import AgentDraft
from runner.importing.models import model_name
from runner.importing.part import NO_COUNTERPART, Notes, Part
from runner.importing.prompty_body import place_messages
from runner.importing.source import ForeignFile
from runner.importing.templates import declare_variables, with_variables
from runner.spec import Json, JsonObject

# Names of version 2 -> LiteLLM's.
_OPTIONS = {
    "maxOutputTokens": "max_tokens",
    "max_output_tokens": "max_tokens",
    "topP": "top_p",
    "topK": "top_k",
    "frequencyPenalty": "frequency_penalty",
    "presencePenalty": "presence_penalty",
    "stopSequences": "stop",
}
_OF_AN_INPUT = {"name", "type", "kind", "description", "default", "enum", "items", "required", "is_required"}
_OURS = ("temperature", "max_tokens")
_NOT_SENT = {
    "tools": "declare the tools under 'tools'",
    "tools_choice": "write 'tool_choice'",
    "response_format": "write 'output_schema'",
    "stream": "a run streams when somebody watches",
}


def recognises(file: ForeignFile) -> bool:
    """Whether a template follows the YAML."""
    return file.body is not None


def convert(file: ForeignFile, notes: Notes) -> list[AgentDraft]:
    """The agent of a prompty file."""
    top = Part(file.data, (), notes)
    draft = AgentDraft(top.text("name") or top.text("displayName"))
    draft.put("description", top.text("description"), top, "description")
    top.drop("$schema", "version", "displayName")
    for key in ("authors", "tags"):
        draft.put(f"metadata.{key}", top.json(key), top, key)
    if top.has("metadata"):
        for key, value in (top.mapping("metadata") or {}).items():
            draft.put(f"metadata.{key.replace('.', '-')}", value, top, "metadata")
    _model(top, draft)
    _inputs(top, draft)
    _outputs(top, draft)
    _template(top)
    top.leave("sample", "values for a trial; give them to 'runner run' with -i")
    top.leave("tools", "declare them as Python or HTTP tools")
    top.finish()
    place_messages(file, draft, notes)
    declare_variables(draft, notes)
    return [draft]


def _model(top: Part, draft: AgentDraft) -> None:
    if isinstance(top.peek("model"), str):
        draft.put("model.name", top.text("model"), top, "model")
        return
    model = top.part("model")
    if model is None:
        return
    provider, name = model.text("provider"), model.text("id")
    if name is not None:
        draft.put("model.name", model_name(provider, name) if provider else name, model, "id")
    for part in (model.part("configuration"), model.part("connection")):
        if part is not None:
            _configuration(part, draft)
    for part in (model.part("parameters"), model.part("options")):
        if part is not None:
            _options(part, draft)
    model.drop("api", "apiType")
    model.leave("response", "a run gives one answer")
    model.finish()


def _configuration(part: Part, draft: AgentDraft) -> None:
    provider = part.text("type") or "openai"
    for key in ("name", "azure_deployment"):
        if part.has(key):
            name = with_variables(part.text(key) or "")
            draft.put("model.name", model_name(provider, name), part, key)
    for key in ("azure_endpoint", "base_url", "endpoint"):
        address = part.text(key)
        draft.put("model.api_base", with_variables(address) if address else None, part, key)
    for key in ("api_key", "apiKey"):
        secret = part.text(key)
        if secret and "${" in secret:
            draft.put("model.api_key", with_variables(secret), part, key)
        elif secret:
            part.notes.add((*part.path, key), "a key does not belong into a file; write '${NAME}' for a variable")
    for key in ("api_version", "organization"):
        draft.put(f"model.params.{key}", part.text(key), part, key)
    part.drop("kind")
    part.finish()


def _options(part: Part, draft: AgentDraft) -> None:
    for key, why in _NOT_SENT.items():
        part.leave(key, why)
    for key in part.keys():  # noqa: SIM118 - a Part is no dict
        ours = _OPTIONS.get(key, key)
        place = f"model.{ours}" if ours in _OURS else f"model.params.{ours}"
        draft.put(place, part.json(key), part, key)


def _inputs(top: Part, draft: AgentDraft) -> None:
    for key in ("inputs", "inputSchema"):
        for name, value in _properties(top.json(key)).items():
            if name == "input":
                top.notes.add((key,), "here 'input' is the text given on the command line")
            else:
                _tell_lost(value, name, key, top)
                draft.put(f"inputs.{name}", _schema(value), top, key)


def _tell_lost(value: Json, name: str, key: str, top: Part) -> None:
    lost = sorted(value.keys() - _OF_AN_INPUT) if isinstance(value, dict) else []
    if lost:
        top.notes.add((key,), f"{name}: {', '.join(lost)}: {NO_COUNTERPART}")


def _outputs(top: Part, draft: AgentDraft) -> None:
    for key in ("outputs", "outputSchema"):
        properties = {name: _schema(value) for name, value in _properties(top.json(key)).items()}
        if properties:
            schema: JsonObject = {"type": "object", "properties": properties, "required": list(properties)}
            draft.put("output_schema", schema, top, key)


def _properties(value: Json) -> JsonObject:
    """Name -> what is said of it: given as a mapping, as a list with names, or under `properties`."""
    if isinstance(value, dict) and isinstance(value.get("properties"), dict | list):
        value = value["properties"]
    if isinstance(value, list):
        return {str(each["name"]): each for each in value if isinstance(each, dict) and "name" in each}
    return value if isinstance(value, dict) else {}


def _schema(value: Json) -> JsonObject:
    """The JSON Schema of a property; a bare value is an example of it."""
    if not isinstance(value, dict):
        return {"default": value} if value is not None else {"type": "string"}
    kind = {"float": "number", "thread": "array"}.get(str(value.get("kind")), value.get("kind"))
    found: dict[str, Json] = {"type": value.get("type") or kind or "string"}
    for key in ("description", "default", "enum", "items"):
        if value.get(key) is not None:
            found[key] = value[key]
    return found


def _template(top: Part) -> None:
    value = top.json("template")
    form = value.get("format") if isinstance(value, dict) else value
    if isinstance(form, dict):
        form = form.get("kind")
    if form not in (None, "jinja2", "prompty"):
        top.notes.add(("template",), f"templates of '{form}' are not translated; check the texts")
