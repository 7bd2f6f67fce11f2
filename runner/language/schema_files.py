"""The published JSON Schema files, in the wheel or in a checkout."""

import pathlib

_PACKAGE = pathlib.Path(__file__).parent.parent
# A wheel carries the files inside the package; a checkout has them at its top, where editors find them.
_FOLDERS = (_PACKAGE / "schemas", _PACKAGE.parent / "schemas")


def schema_text(kind: str) -> str:
    """The JSON text of a schema: `agent`, `toolset`, `project`, `event`, `result` or `validation`.

    Raises:
        FileNotFoundError: the installation is not complete.
    """
    name = f"{kind}.schema.json"
    for folder in _FOLDERS:
        path = folder / name
        if path.is_file():
            return path.read_text(encoding="utf-8")
    raise FileNotFoundError(f"{name} is missing from the installation of yaml-agent-runner, expected in {_FOLDERS[0]}")
