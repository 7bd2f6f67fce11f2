"""Who may import whom, and which file owns which library."""

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent / "runner"

# Each library has one owner: a change of library is then a change of one file.
OWNERS = {
    "yaml": ["language/yaml12/nodes.py"],
    "jsonschema_rs": ["language/schema/acceptance.py"],
    "jsonschema": ["language/schema/library.py"],
    "referencing": ["language/schema/library.py"],
    "jinja2": ["prompts/"],
    "litellm": ["models/library.py"],
    "xllamacpp": ["models/local.py"],
    "pydantic": ["tools/signature.py"],
    "pydantic_core": ["tools/results.py"],
    "typing_extensions": ["tools/annotations.py"],
    "rich": ["report/live.py"],
    "click": ["cli/"],
    "sqlite3": ["toolkit/notes.py", "sessions/database.py"],
    "re2": ["parsing/patterns.py"],
    "json_repair": ["parsing/repair.py"],
    "httpx2": ["tools/http/client.py"],
    "httpcore2": ["tools/http/client.py"],
    "html_to_markdown": ["tools/http/pages.py"],
    "jmespath": ["language/selection.py"],
    "prompt_toolkit": ["chat/editor.py"],
}

# From the bottom up: a module may import from its own layer and those before it.
LAYERS = [
    ["spec", "diagnostics", "suggest", "origins", "disguises"],
    ["engine", "environment", "allowed_models", "prompts"],
    ["filled_in"],
    ["parsing"],
    ["language"],
    ["importing"],
    ["models", "tools", "toolkit", "inputs", "masking"],
    ["sessions"],
    ["assembly"],
    ["preview"],
    ["order", "blocking"],
    ["agent"],
    ["report"],
    ["chat"],
    ["warm"],
    ["cli"],
]

# Inside the language, the same.
LANGUAGE = [
    [
        "source",
        "schema_files",
        "known_models",
        "durations",
        "sizes",
        "wording",
        "module_source",
        "function_source",
        "class_source",
        "resolved",
        "members",
        "star_imports",
        "resolve",
        "selection",
    ],
    ["yaml12"],
    ["document", "code_choice", "identity"],
    ["comments", "baseline", "fingerprints"],
    ["suppression"],
    ["schema"],
    ["policy"],
    ["paths", "passages", "modelines", "project", "merge", "agent_models", "overrides"],
    ["openapi"],
    ["expansions"],
    ["catalog"],
    ["workspace", "discovery", "templates", "requests"],
    ["extends"],
    ["references"],
    ["doubt"],
    ["rules"],
    ["unset_variables"],
    ["tool_places"],
    ["checks"],
    ["compiler"],
    ["imports", "agent_names", "bases"],
    ["validation", "listing", "tool_lookup", "codes", "explanations"],
    ["project_schema"],
    ["fixing"],
]


def modules() -> list[Path]:
    return sorted(path for path in ROOT.rglob("*.py") if "scaffold/" not in path.as_posix())


def imports(path: Path) -> set[str]:
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and node.level == 0:
            found.update(f"{node.module}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            pytest.fail(f"{path}: write imports in full, from runner…")
    return found


def test_every_library_is_imported_by_its_owner_only() -> None:
    strangers = [
        f"{name} imports {library}"
        for path in modules()
        for library in sorted({imported.partition(".")[0] for imported in imports(path)} & OWNERS.keys())
        if not any((name := path.relative_to(ROOT).as_posix()).startswith(owner) for owner in OWNERS[library])
    ]

    assert strangers == []


def level(name: str, layers: list[list[str]]) -> int:
    for number, names in enumerate(layers):
        if name in names:
            return number
    return pytest.fail(f"{name} has no layer: give it one")


def upward(package: Path, layers: list[list[str]]) -> list[str]:
    """The imports inside `package` that go against the layers."""
    prefix = ".".join(("runner", *package.relative_to(ROOT).parts)) + "."
    return [
        f"{path.relative_to(ROOT)} imports {imported}"
        for path in modules()
        if package in path.parents and path not in (package / "__init__.py", package / "__main__.py")
        for imported in sorted(imports(path))
        if imported.startswith(prefix)
        and (below := imported.removeprefix(prefix).split(".")[0]) != "__version__"
        and level(below, layers) > level(path.relative_to(package).with_suffix("").parts[0], layers)
    ]


@pytest.mark.parametrize(
    ("package", "layers"), [(ROOT, LAYERS), (ROOT / "language", LANGUAGE)], ids=["runner", "runner.language"]
)
def test_imports_only_go_down_the_layers(package: Path, layers: list[list[str]]) -> None:
    assert upward(package, layers) == []


def test_the_engine_knows_nothing_but_the_spec() -> None:
    strangers = {
        imported
        for path in modules()
        if ROOT / "engine" in path.parents
        for imported in imports(path)
        if imported.startswith("runner.") and not imported.startswith(("runner.engine.", "runner.spec"))
    }

    assert strangers == set()
