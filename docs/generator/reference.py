"""The published schemas -> `docs/reference.md`, the reference of the language."""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

import yaml

from docs.generator.keys import Key, Keys, Place, schema
from docs.generator.related_codes import CODES_OF
from runner.language.explanations import title_of
from runner.spec import Json, JsonObject

_TOP = """\
<!-- Made by `make docs` from schemas/*.json. -->

# Reference of the language

Every key of the three kinds of files. Keys that are not listed are errors, apart from those that start with `x-`, which
are free for notes and YAML anchors. Editors know the same from the [schemas](../schemas), see `runner schema`; what a
check finds is told in [codes](codes.md).
"""

# Definitions that several places share, and where they are told.
_PLACES = {
    "model": Place(anchor="agent-model", words="`model`", home="model"),
    "fallback": Place(anchor="agent-model", words="model, without fallbacks of its own"),
    "limits": Place(anchor="agent-limits", words="`limits`", home="limits"),
    "tool": Place(anchor="toolset", words="tool"),
    "auth": Place(anchor="auth", words="signing in"),
    "response": Place(anchor="response", words="what is kept of a response"),
    "parameters": Place(anchor="value-json-schema", words="JSON Schema"),
    "jsonSchema": Place(anchor="value-json-schema", words="JSON Schema"),
    "duration": Place(anchor="value-time", words="time"),
    "size": Place(anchor="value-size", words="amount of data"),
}


@dataclass(frozen=True, kw_only=True, slots=True)
class _Section:
    """A part of the page: the keys of a document, or of one definition in it."""

    anchor: str
    title: str
    text: str
    kind: str
    definition: str | None = None


_SECTIONS = (
    _Section(
        anchor="agent",
        title="Agent",
        text="A file in `agents.d`, or any other that is given to `runner run`. It needs `name`, `model`, and one of "
        "`instructions`, `instructions_file`, `prompt` and `prompt_file`; each may come from a file in `extends`, and "
        "the model from `defaults` of `runner.yaml`.",
        kind="agent",
    ),
    _Section(
        anchor="toolset",
        title="Toolset",
        text="A file in `tools.d`. The same tools may be declared in the `tools` of an agent. Their keys depend on the "
        "type: [Python](#python), [HTTP](#http), [OpenAPI](#openapi).",
        kind="toolset",
    ),
    _Section(
        anchor="python",
        title="Python tool",
        text="A function, sync or async, or a method of a class. See [tools](tools.md) and [isolation](isolation.md).",
        kind="toolset",
        definition="pythonTool",
    ),
    _Section(
        anchor="http",
        title="HTTP tool",
        text="A request whose parts are templates of the arguments. See [HTTP tools](http-tools.md).",
        kind="toolset",
        definition="httpTool",
    ),
    _Section(
        anchor="openapi",
        title="OpenAPI tools",
        text="The operations of an OpenAPI document, a tool each. See [OpenAPI](openapi.md).",
        kind="toolset",
        definition="openapiTool",
    ),
    _Section(
        anchor="auth",
        title="Signing in",
        text="`auth` of HTTP and OpenAPI tools has exactly one of these keys.",
        kind="toolset",
        definition="auth",
    ),
    _Section(
        anchor="response",
        title="Response",
        text="`response` of HTTP and OpenAPI tools.",
        kind="toolset",
        definition="response",
    ),
    _Section(
        anchor="project",
        title="Project file",
        text="`runner.yaml` at the root of a project; it may be left out. Checks enforce its policy, and runs obey it.",
        kind="project",
    ),
)


def reference_page() -> str:
    """The page as Markdown."""
    contents = [f"- [{each.title}](#{each.anchor})" for each in _SECTIONS] + ["- [Values](#values)"]
    parts = ["\n".join(contents)]
    for section in _SECTIONS:
        keys = list(keys_of(section.kind, section.definition))
        heading = f'<a id="{section.anchor}"></a>\n\n## {section.title}'
        parts += [heading, section.text, _overview(keys, section.anchor)]
        parts += [_entry(key, section.anchor) for key in keys]
    return "\n\n".join([_TOP.rstrip("\n"), *parts, *_values()]) + "\n"


def keys_of(kind: str, definition: str | None = None) -> Iterable[Key]:
    """The keys of a document of a kind, or of one of the definitions in its schema."""
    keys = Keys(kind, _PLACES)
    return keys.of_document() if definition is None else keys.of_definition(definition)


def anchors() -> Iterator[str]:
    """The anchors of all keys, in the order of the page."""
    for section in _SECTIONS:
        for key in keys_of(section.kind, section.definition):
            yield _anchor(key, section.anchor)


def _anchor(key: Key, section: str) -> str:
    return f"{section}-{key.path.replace('[]', '').replace('.', '-')}"


def _overview(keys: Iterable[Key], section: str) -> str:
    return " · ".join(f"[{key.path}](#{_anchor(key, section)})" for key in keys if "." not in key.path)


def _entry(key: Key, section: str) -> str:
    level = "###" if "." not in key.path else "####"
    anchor = _anchor(key, section)
    parts = [f'<a id="{anchor}"></a>\n\n{level} `{key.path}`', key.schema["description"], _facts(key)]
    if key.told_at is not None and key.told_at.home is not None:
        parts.append(f"Its keys: [{key.told_at.words}](#{key.told_at.anchor}).")
    parts += _examples(key)
    if anchor in CODES_OF:
        links = [f"[{code}](codes.md#{code.lower()}) {title_of(code)}" for code in CODES_OF[anchor]]
        parts.append(f"Checked: {'; '.join(links)}.")
    return "\n\n".join(parts)


def _facts(key: Key) -> str:
    facts = [f"Type: {key.type}"]
    if key.required:
        facts.append("**required**")
    elif "default" in key.schema and "const" not in key.schema:
        facts.append(f"default: `{_inline(key.schema['default'])}`")
    return " · ".join(facts)


def _examples(key: Key) -> Iterator[str]:
    examples = key.schema.get("examples", [])
    plain = [each for each in examples if not isinstance(each, (dict, list)) and "\n" not in str(each)]
    # Told with the type already, or with the form that many keys share.
    known = "enum" in key.schema or "enum" in key.schema.get("then", {}) or key.told_at is not None
    if plain and not known:
        yield "For example: " + ", ".join(f"`{_inline(each)}`" for each in plain)
    for each in examples:
        if isinstance(each, (dict, list)):
            yield f"```yaml\n{_yaml({key.name: each})}```"
            return


def _inline(value: Json) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _yaml(value: Mapping[str, Json]) -> str:
    return str(yaml.safe_dump(dict(value), sort_keys=False, allow_unicode=True, width=100, default_flow_style=None))


def _values() -> Iterator[str]:
    """The forms of values that many keys share."""
    definitions: JsonObject = schema("agent")["$defs"]
    yield '<a id="values"></a>\n\n## Values'
    for name, anchor, title in (("duration", "value-time", "Time"), ("size", "value-size", "Amount of data")):
        examples = ", ".join(f"`{_inline(each)}`" for each in definitions[name]["examples"])
        yield f'<a id="{anchor}"></a>\n\n### {title}\n\n{definitions[name]["description"]}\n\nFor example: {examples}'
    yield '<a id="value-json-schema"></a>\n\n### JSON Schema'
    yield definitions["jsonSchema"]["description"] + " The keywords that are used most:"
    rows = [
        f"| `{keyword}` | {each['description']} | `{_inline(each['examples'][0])}` |"
        for keyword, each in definitions["jsonSchema"]["properties"].items()
    ]
    yield "\n".join(["| Keyword | | For example |", "| --- | --- | --- |", *rows])
    links = [f"[{code}](codes.md#{code.lower()}) {title_of(code)}" for code in ("RUN210", "RUN211", "RUN212")]
    yield f"Checked: {'; '.join(links)}."
