"""Lays the documents of an agent over one another: deep merge, later wins, lists replace."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from runner.diagnostics import Diagnostic, Related, Severity
from runner.language.document import Document, Path
from runner.spec import Json, JsonObject

# Keys whose plain text is short for a mapping with this one key.
SHORT_FORMS = {"model": "name", "parsing": "mode", "tool_choice": "mode"}
# Keys that say the same thing in two ways: the later layer's way holds.
_EITHER = (("instructions", "instructions_file"), ("prompt", "prompt_file"))
# What belongs to a model or its server, not to the one who asks: another model's name alone never goes there.
_OF_THE_SERVER = ("api_base", "api_key", "capabilities", "price")
# What a parsing mode leaves behind when a later layer writes another: all else are words of its protocol.
_OF_EVERY_MODE = ("max_retries",)
_NOTHING = object()


@dataclass(frozen=True, kw_only=True, slots=True)
class Layer:
    """One contribution to an agent.

    Attributes:
        data: keys of an agent.
        document: where they are written.
        prefix: where in the document they are (`defaults` of `runner.yaml`).
        in_file: whether the document is a file; the command line has no lines.
    """

    data: JsonObject
    document: Document
    prefix: Path = ()
    in_file: bool = True

    def find(self, path: Path) -> Path | None:
        """The path in the document of what this layer says about `path`, or None if it says nothing."""
        for key, inner in SHORT_FORMS.items():
            if path == (key, inner) and isinstance(self.data.get(key), str):
                return (*self.prefix, key)
        return None if _at(self.data, path) is _NOTHING else (*self.prefix, *path)


def _at(data: JsonObject, path: Path) -> Json:
    """The value at a path, `_NOTHING` when there is none."""
    value: Json = data
    for step in path:
        if isinstance(value, list):
            inside = isinstance(step, int) and 0 <= step < len(value)
        else:
            # dict first: to be asked about Mapping takes ten times as long, and this is asked all the time.
            inside = isinstance(value, (dict, Mapping)) and step in value
        if not inside:
            return _NOTHING
        value = value[step]
    return value


def merge(layers: Sequence[Layer]) -> dict[str, Json]:
    """The agent that the layers make together, the first at the bottom; short forms are written out."""
    merged: dict[str, Json] = {}
    for layer in layers:
        for pair in _EITHER:
            if any(key in layer.data for key in pair):
                merged = {key: value for key, value in merged.items() if key not in pair}
        if isinstance(layer.data.get("model"), str) and isinstance(merged.get("model"), dict):
            model = merged["model"]
            merged["model"] = {key: value for key, value in model.items() if key not in _OF_THE_SERVER}
        above = _written_out(layer.data)
        if _changes_mode(merged, above):
            merged["parsing"] = {key: value for key, value in merged["parsing"].items() if key in _OF_EVERY_MODE}
        merged = _over(merged, above)
    return merged


def _changes_mode(below: JsonObject, above: JsonObject) -> bool:
    mode = _at(above, ("parsing", "mode"))
    return mode is not _NOTHING and _at(below, ("parsing", "mode")) not in (_NOTHING, mode)


def _written_out(data: JsonObject) -> JsonObject:
    short = {key: {inner: data[key]} for key, inner in SHORT_FORMS.items() if isinstance(data.get(key), str)}
    return {**data, **short}


def _over(below: JsonObject, above: JsonObject) -> dict[str, Json]:
    """New mappings: a document's own data may stand in several places and is never changed."""
    merged = dict(below)
    for key, value in above.items():
        old = merged.get(key)
        merged[key] = _over(old, value) if isinstance(old, Mapping) and isinstance(value, Mapping) else value
    return merged


@dataclass(frozen=True, kw_only=True, slots=True)
class Layered:
    """An agent made of layers.

    Attributes:
        document: its own file.
        layers: what it is made of, later ones win.
        data: the layers merged.
    """

    document: Document
    layers: tuple[Layer, ...]
    data: JsonObject

    @property
    def options(self) -> frozenset[str]:
        """The names of the documents that are in no file."""
        return frozenset(layer.document.file for layer in self.layers if not layer.in_file)

    def find(self, path: Path) -> tuple[Document, Path]:
        """The document of the last layer that says something about `path`, and where; else the agent's own file."""
        for layer in reversed(self.layers):
            found = layer.find(path)
            if found is not None:
                return layer.document, found
        return self.document, path

    def value(self, *path: str | int) -> Json:
        """The merged value at a path, or None."""
        value = _at(self.data, path)
        return None if value is _NOTHING else value

    def origin(self, *path: str | int) -> str:
        """`file:line` of a value, or the option that gives it."""
        document, found = self.find(path)
        if document.file in self.options:
            return document.file
        return f"{document.file}:{document.span(found).line}"

    def diagnostic(  # noqa: PLR0913 - the parts of a diagnostic
        self,
        code: str,
        message: str,
        path: Path,
        *,
        key: bool = False,
        suggestion: str | None = None,
        severity: Severity = "error",
        related: tuple[Related, ...] = (),
    ) -> Diagnostic:
        """A problem with a value of the agent (or its key), in the file that gives it."""
        document, found = self.find(path)
        return document.diagnostic(
            code, message, found, key=key, suggestion=suggestion, severity=severity, related=related
        )
