"""Reads the input of a tool call that a model wrote as text: JSON, fenced JSON, pairs, or a single value."""

import re

from runner.engine.ports import ToolDefinition
from runner.parsing.arguments import read_arguments
from runner.parsing.json_span import span_end
from runner.parsing.json_text import NotJsonError, loads, scan
from runner.parsing.pairs import NotPairsError, Sign, read_pairs
from runner.parsing.parameters import only_parameter, takes_text, typed
from runner.spec import JsonObject

# How models say that there is no input (field bug B20).
_NOTHING = frozenset({"", "none", "null", "n/a", "no input", "no arguments", "none needed", "not needed", "无", "没有"})
_NAMED = re.compile(r"(?:^|(?<=[\s,;]))([^\W\d][\w-]*+)[ \t]*+=(?!=)")
# Arguments without names: which is which would be a guess.
_SEVERAL = re.compile(r"""(?:"[^"\n]*+"|'[^'\n]*+')\s*+,""")
_FENCE = re.compile(r"`{3,}(?:[\w+#.-]*+[ \t]*+(?:\n|(?=[{\[])))?")


def read_input(text: str, tool: ToolDefinition) -> JsonObject:
    """The arguments that the input means.

    Raises:
        NotJsonError: it cannot be read, or only by guessing; the message is for the model.
    """
    text = text.strip()
    quoted = text[:1] in ("'", '"')  # "None" may be a value
    if means_nothing(text) and not (quoted and only_parameter(tool.parameters)):
        return {}
    body = unfenced(text)
    if body.startswith("{"):
        return read_object(body)
    for sign in ("=", ":"):
        if (pairs := _pairs(body, tool.parameters, sign)) is not None:
            return pairs
    return _without_names(body, tool)


def means_nothing(text: str) -> bool:
    """Whether a model says in words that there is no input."""
    return text.strip("`'\"(). \r\n").casefold() in _NOTHING


def read_object(text: str) -> JsonObject:
    """The JSON object that opens `text`; what follows it is prose.

    Raises:
        NotJsonError: it is broken, or a second one follows at once, and nobody knows which is meant.
    """
    end = span_end(text, 0)
    value = loads(text[:end])  # the whole text when it is broken: the message then says where
    if end is not None and any(isinstance(other, dict) for other in scan(text[end:]).values):
        raise NotJsonError("found several JSON objects where one was expected")
    return read_arguments(value)


def unfenced(text: str) -> str:
    """What stands in a code fence that opens the text, or the text itself; the fence need not be closed."""
    opened = _FENCE.match(text)
    if opened is None:
        return text
    body = text[opened.end() :]
    if body.lstrip()[:1] in ("{", "[", '"'):
        return body.lstrip()  # JSON has an end of its own, and may hold a fence
    closing = body.find("\n```")
    return body[:closing] if closing >= 0 else body.rstrip().removesuffix("```")


def _pairs(text: str, parameters: JsonObject, sign: Sign) -> JsonObject | None:
    """The arguments, if the text is nothing but pairs of declared names."""
    properties = parameters.get("properties", {})
    if len(properties) == 1 and "\n" in text and not text.endswith(('"', "'")):
        return None  # the lines of a text, of a program say, may look like a pair
    try:
        pairs = read_pairs(text, parameters, sign)
    except NotPairsError:
        return None
    return pairs if pairs and pairs.keys() <= properties.keys() else None


def _without_names(text: str, tool: ToolDefinition) -> JsonObject:
    parameters = tool.parameters
    properties = parameters.get("properties")
    if properties is not None and not properties and not parameters.get("additionalProperties"):
        return {}  # words for a tool that takes nothing say nothing
    if (encoded := _encoded(text)) is not None and encoded.keys() <= (properties or encoded).keys():
        return encoded
    if len(properties or ()) > 1 and _SEVERAL.match(text):
        raise NotJsonError(f"expected {_wanted(parameters)}, found {_shown(text)}")
    name = only_parameter(parameters)
    mixed = properties is not None and len(properties) > 1 and _names_one(text, properties)
    if name is not None and not mixed:
        is_list = text.startswith("[") and not takes_text(name, parameters)
        return {name: typed(text[: span_end(text, 0)] if is_list else text, name, parameters)}
    found = [value for value in scan(text).values if isinstance(value, dict)]
    if len(found) == 1 and not mixed:
        return found[0]
    raise NotJsonError(f"expected {_wanted(parameters)}, found {_shown(text)}")


def _encoded(text: str) -> JsonObject | None:
    """The object in a JSON string, as it comes from a model that encodes its JSON twice."""
    if not re.match(r'"\s*+\{', text):
        return None
    try:
        return read_arguments(loads(text))
    except ValueError:
        return None


def _names_one(text: str, properties: JsonObject) -> bool:
    """Whether some of the text is a pair, so that the rest is no single value: `"cats", limit=3`."""
    return any(match[1] in properties for match in _NAMED.finditer(text))


def _wanted(parameters: JsonObject) -> str:
    names = ", ".join(f'"{name}": …' for name in parameters.get("properties", {}))
    return f"one JSON object such as {{{names}}}"


def _shown(text: str) -> str:
    line = text.strip().partition("\n")[0]
    return repr(line if len(line) <= 60 else f"{line[:60]}…")
