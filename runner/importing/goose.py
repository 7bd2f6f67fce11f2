"""A goose recipe -> an agent (https://block.github.io/goose/docs/guides/recipes/recipe-reference)."""

from collections.abc import Callable

from runner.importing.agent import AgentDraft
from runner.importing.models import model_name
from runner.importing.part import Notes, Part
from runner.importing.source import ForeignFile
from runner.importing.templates import declare_variables
from runner.spec import Json

_INPUT = "input"
_NEEDS = "give it to 'runner run' with -i"


def _number(text: str) -> Json:
    return float(text) if "." in text else int(text)


# input_type -> JSON Schema, and what makes a value of the text of a default.
_TYPES: dict[str, tuple[Json, Callable[[str], Json]]] = {
    "string": ({"type": "string"}, str),
    "number": ({"type": "number"}, _number),
    "boolean": ({"type": "boolean"}, lambda text: {"true": True, "false": False}[text.lower()]),
    "date": ({"type": "string", "format": "date"}, str),
    "select": ({"type": "string"}, str),
}


def recognises(file: ForeignFile) -> bool:
    """Whether the file is a recipe: a title, and something to say or to do."""
    recipe = file.data.get("recipe")
    data = recipe if isinstance(recipe, dict) else file.data
    return file.body is None and "title" in data and bool({"instructions", "prompt"} & data.keys())


def convert(file: ForeignFile, notes: Notes) -> list[AgentDraft]:
    """The agent of a recipe, also of one that the desktop saved (under `recipe`)."""
    top = Part(file.data, (), notes)
    recipe = top
    if top.has("recipe"):
        recipe = top.part("recipe") or top
        top.drop("name", "isGlobal", "lastModified", "isArchived")
        top.finish()
    draft = AgentDraft(recipe.text("title"))
    recipe.drop("version")
    for field in ("description", "instructions", "prompt"):
        draft.put(field, recipe.text(field), recipe, field)
    draft.put("metadata.author", recipe.json("author"), recipe, "author")
    _parameters(recipe, draft)
    _settings(recipe, draft)
    _response(recipe, draft)
    _left(recipe)
    declare_variables(draft, notes)
    return [draft]


def _parameters(recipe: Part, draft: AgentDraft) -> None:
    for path, value in recipe.items("parameters"):
        parameter = Part(value if isinstance(value, dict) else {}, path, recipe.notes)
        key = parameter.text("key")
        kind = parameter.text("input_type") or "string"
        if key is None:
            recipe.notes.add(path, "a parameter without a key")
        elif key == _INPUT:
            recipe.notes.add(path, "here 'input' is the text given on the command line")
        elif kind == "file":
            recipe.notes.add(path, f"files are not read for a parameter; '{key}' is now text, {_NEEDS}")
            draft.put(f"inputs.{key}", {"type": "string"}, recipe, "parameters")
        else:
            draft.put(f"inputs.{key}", _schema(parameter, kind), recipe, "parameters")


def _schema(parameter: Part, kind: str) -> Json:
    schema, value_of = _TYPES.get(kind, _TYPES["string"])
    found = dict(schema)
    if options := [value for _, value in parameter.items("options")]:
        found["enum"] = options
    default = parameter.json("default")
    if default is not None:
        try:
            found["default"] = value_of(default) if isinstance(default, str) else default
        except (ValueError, KeyError):
            parameter.notes.add((*parameter.path, "default"), f"this is no {kind}")
    elif parameter.text("requirement") == "optional":
        parameter.notes.add(parameter.path, f"optional without a default: here every run must give it, {_NEEDS}")
    if description := parameter.text("description"):
        found["description"] = description
    parameter.drop("requirement")
    parameter.finish()
    return found


def _settings(recipe: Part, draft: AgentDraft) -> None:
    settings = recipe.part("settings")
    if settings is None:
        return
    provider, model = settings.text("goose_provider"), settings.text("goose_model")
    if model is not None:
        name = model_name(provider, model) if provider else model
        draft.put("model.name", name, settings, "goose_model")
    draft.put("model.temperature", settings.number("temperature"), settings, "temperature")
    draft.put("model.max_tokens", settings.number("max_tokens"), settings, "max_tokens")
    draft.put("limits.max_steps", settings.number("max_turns"), settings, "max_turns")
    settings.finish()


def _response(recipe: Part, draft: AgentDraft) -> None:
    response = recipe.part("response")
    if response is not None:
        draft.put("output_schema", response.mapping("json_schema"), response, "json_schema")
        response.finish()


def _left(recipe: Part) -> None:
    for path, value in recipe.items("extensions"):
        name = value.get("name") if isinstance(value, dict) else value
        recipe.notes.add(path, f"extension '{name}' has no counterpart; write its tools as Python or HTTP tools")
    recipe.leave("activities", "buttons of the desktop app have no counterpart")
    for key in ("sub_recipes", "subrecipes"):
        recipe.leave(key, "this version has no teams; import them as agents of their own")
    recipe.leave("retry", "checks by shell commands have no counterpart")
    recipe.finish()
