"""The types of tools that stand for other tools, and how these are made while documents are read."""

from collections.abc import Callable, Mapping
from pathlib import Path as FilePath

from runner.language.document import Document, Path
from runner.language.openapi import expanded as openapi
from runner.language.openapi.expanded import Expansion
from runner.language.openapi.reading import SpecFiles
from runner.spec import JsonObject

__all__ = ["CODES", "EXPANSIONS", "Expansion", "SpecFiles"]

# (declaration, its document, where in it, the project's root folder, files already read) -> the tools.
Expand = Callable[[JsonObject, Document, Path, FilePath, SpecFiles], Expansion]


def _expand_openapi(
    declaration: JsonObject, document: Document, path: Path, root: FilePath, files: SpecFiles
) -> Expansion:
    from runner.language.openapi.expansion import expand  # noqa: PLC0415 - much code, which few projects need

    return expand(declaration, document, path, root, files)


EXPANSIONS: Mapping[str, Expand] = {"openapi": _expand_openapi}
CODES: Mapping[str, str] = openapi.CODES
