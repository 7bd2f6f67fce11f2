"""Who may import whom, and which file owns which library."""

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent / "runner"

# Each library has one owner: a change of library is then a change of one file.
OWNERS = {
    "yaml": ["document.py", "yaml_core.py"],
    "jsonschema": ["schema.py"],
    "referencing": ["schema.py"],
    "jinja2": ["prompts.py"],
    "litellm": ["models/library.py"],
    "xllamacpp": ["models/local.py"],
    "pydantic": ["tools/signature.py"],
    "docstring_parser": ["tools/docstring.py"],
    "rich": ["report/live.py"],
    "click": ["cli/"],
    "sqlite3": ["toolkit/notes.py"],
}

# From the bottom up: a module may import from its own layer and those before it.
LAYERS = [
    ["__init__", "spec", "diagnostics", "suggest"],
    ["document"],
    ["schema"],
    ["engine", "environment", "prompts"],
    ["project", "inputs"],
    ["parsing", "models", "tools", "references", "toolkit"],
    ["rules"],
    ["compiler"],
    ["validation", "agent"],
    ["report"],
    ["cli", "scaffold"],
    ["__main__"],
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


def layer(module: str) -> int:
    for level, names in enumerate(LAYERS):
        if module in names:
            return level
    return pytest.fail(f"runner.{module} has no layer: give it one in LAYERS")


def top(path: Path) -> str:
    return path.relative_to(ROOT).with_suffix("").parts[0]


def test_imports_only_go_down_the_layers() -> None:
    upward = [
        f"{path.relative_to(ROOT)} imports {imported}"
        for path in modules()
        for imported in sorted(imports(path))
        if imported.startswith("runner.") and layer(imported.split(".")[1]) > layer(top(path))
    ]

    assert upward == []


def test_the_engine_knows_nothing_but_the_spec() -> None:
    strangers = {
        imported
        for path in modules()
        if top(path) == "engine"
        for imported in imports(path)
        if imported.startswith("runner.") and not imported.startswith(("runner.engine.", "runner.spec"))
    }

    assert strangers == set()
