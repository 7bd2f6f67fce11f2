"""Names that `from x import *` may bring along: told wrong only where every file was seen."""

import pytest

from runner.language.resolve import Problem, resolve
from runner.spec import ProjectSpec
from tests.language.projects import Write

PACKAGE = {
    "tools.d/pack/__init__.py": "from ._api import *\nfrom .more import *\n",
    "tools.d/pack/_api.py": "from ._client import Client\ndef get(url): ...\n",
    "tools.d/pack/more/__init__.py": "from ..pack_circle import *\nfrom .deep import *\n",
    "tools.d/pack/more/deep.py": "def deep(): ...\n",
    "tools.d/pack/pack_circle.py": "from . import *\n",
}


def looked_up(project: Write, name: str, **files: str) -> object:
    root = project({**PACKAGE, **{f"tools.d/{path}": text for path, text in files.items()}})
    spec = ProjectSpec(root=str(root), tools_folder=str(root / "tools.d"))
    return resolve(f"pack:{name}", folder=root, project=spec)


@pytest.mark.parametrize("name", ["get", "Client", "deep"])
def test_a_name_of_a_module_that_is_imported_whole_is_found(project: Write, name: str) -> None:
    assert not isinstance(looked_up(project, name), Problem)


def test_a_name_that_no_module_of_the_package_has_is_a_mistake(project: Write) -> None:
    found = looked_up(project, "gett")

    assert isinstance(found, Problem)
    assert (found.code, found.message) == ("RUN502", "module 'pack' (tools.d/pack/__init__.py) has no function 'gett'")


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("pack/_api.py", "from other import *\n"),
        ("pack/_api.py", "def __getattr__(name): ...\n"),
        ("pack/_api.py", "def broken(\n"),
        ("pack/__init__.py", "from .compiled import *\n"),
        ("pack/__init__.py", "from ......above import *\n"),
        ("pack/__init__.py", "def __getattr__(name): ...\n"),
    ],
)
def test_where_a_part_cannot_be_seen_any_name_may_be_there(project: Write, path: str, text: str) -> None:
    assert not isinstance(looked_up(project, "gett", **{path: text}), Problem)
