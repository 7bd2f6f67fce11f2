"""What a tool's JSON Schema says about a value that was written as plain text."""

from collections.abc import Mapping

from runner.parsing.json_text import loads
from runner.spec import Json, JsonObject

# References may go round in circles.
_MAX_DEPTH = 10
_PYTHON: dict[str, Json] = {"True": True, "False": False, "None": None}
_QUOTES = {'"': '"', "'": "'", "`": "`", "“": "”", "「": "」"}


def only_parameter(parameters: JsonObject) -> str | None:
    """The parameter that a single bare value must mean: the only one there is, or the only one required."""
    names = list(parameters.get("properties", {}))
    required = [name for name in parameters.get("required", ()) if name in names]
    candidates = names if len(names) == 1 else required
    return candidates[0] if len(candidates) == 1 else None


def typed(text: str, name: str, parameters: JsonObject) -> Json:
    """The value of the parameter `name` that was written as `text`.

    Where text is allowed it is taken as it stands, without the quotes around it; elsewhere it is read as JSON. What is
    not JSON either stays text: the check of the arguments then says what was expected.
    """
    if takes_text(name, parameters):
        return unquoted(text)
    try:
        return loads(text)
    except ValueError:
        return _PYTHON.get(text, unquoted(text))


def takes_text(name: str, parameters: JsonObject) -> bool:
    """Whether the parameter `name` may be a string."""
    return _allows_string(parameters.get("properties", {}).get(name), parameters, _MAX_DEPTH)


def unquoted(text: str) -> str:
    """The text without quotes that stand around the whole of it."""
    closing = _QUOTES.get(text[:1])
    if closing is None or len(text) < 2 or text[-1] != closing:
        return text
    if text[0] == '"':
        try:
            return str(loads(text))
        except ValueError:  # two quoted words, or a backslash that JSON does not know: `"C:\dir"`
            pass
    inner = text[1:-1]
    return text if text[0] in inner or closing in inner else inner


def _allows_string(schema: Json, root: JsonObject, depth: int) -> bool:
    if not isinstance(schema, Mapping) or depth == 0:
        return False
    reference = schema.get("$ref")
    if isinstance(reference, str) and reference.startswith("#/"):
        return _allows_string(_target(reference, root), root, depth - 1)
    options = [schema["const"]] if "const" in schema else schema.get("enum")
    if isinstance(options, list):
        return any(isinstance(option, str) for option in options)
    types = schema.get("type", ())
    if "string" in ((types,) if isinstance(types, str) else types):
        return True
    branches = [branch for key in ("anyOf", "oneOf", "allOf") for branch in schema.get(key, ())]
    return any(_allows_string(branch, root, depth - 1) for branch in branches)


def _target(reference: str, root: JsonObject) -> Json:
    target: Json = root
    for key in reference.removeprefix("#/").split("/"):
        target = target.get(key) if isinstance(target, Mapping) else None
    return target
