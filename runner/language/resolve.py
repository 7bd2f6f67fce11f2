"""Where the function of a Python tool is, found by looking at files: no module is imported, no user code runs.

Import paths run code, so only these places count, in this order: the folder of the declaring file, the project's
`tools.d`, the project root, the installed packages that `runner.yaml` lists, and `runner.toolkit`.
"""

import importlib.util
import os
import re
import site
import sys
from collections.abc import Iterable, Sequence
from importlib.machinery import PathFinder
from pathlib import Path

import runner
from runner.language.members import member
from runner.language.module_source import ModuleSource, UnreadableModuleError, read_module
from runner.language.resolved import Problem, Resolved
from runner.language.star_imports import may_have
from runner.spec import ProjectSpec
from runner.suggest import did_you_mean

__all__ = ["CODES", "Problem", "Resolved", "is_import_path", "resolve"]

CODES = {
    "RUN501": "module of a tool not found",
    "RUN502": "function of a tool not found in its module",
    "RUN503": "module of a tool is not allowed",
    "RUN504": "module of a tool has the name of another module",
    "RUN505": "object of a tool is not a function",
    "RUN506": "module of a tool cannot be read",
}
_IMPORT_PATH = re.compile(r"(?P<module>[^\W\d]\w*(?:\.[^\W\d]\w*)*):(?P<name>[^\W\d]\w*)(?:\.(?P<method>[^\W\d]\w*))?")


def resolve(function: str, *, folder: Path, project: ProjectSpec) -> Resolved | Problem:
    """Find the file and the definition behind `package.module:function` or `package.module:Class.method`.

    Args:
        function: the import path as declared.
        folder: the folder of the file that declares the tool.
        project: whose roots and packages may be named.
    """
    match = _IMPORT_PATH.fullmatch(function)
    if match is None:
        message = f"'{function}' is not an import path of the form 'package.module:function' or '…:Class.method'"
        return Problem(code="RUN505", message=message, suggestion=_rewritten(function))
    module, name = match["module"], match["name"]
    place = _place(module, folder, project)
    if isinstance(place, Problem):
        return place
    root, file = place
    try:
        source = read_module(file)
    except UnreadableModuleError as error:
        return Problem(code="RUN506", message=f"module '{module}' ({_shown(file, project)}): {error}")
    if not may_have(name, source, file):
        return _no_such_function(module, name, file, source, project)
    found = member(source, name, match["method"], place=_shown(file, project))
    if isinstance(found, Problem):
        return found
    definition, owner = found
    full_name = name if owner is None else f"{name}.{match['method']}"
    return Resolved(file=file, module=module, name=full_name, root=root, definition=definition, owner=owner)


def is_import_path(function: str) -> bool:
    """Whether the text has the form `package.module:function` or `package.module:Class.method`."""
    return _IMPORT_PATH.fullmatch(function) is not None


def _rewritten(function: str) -> str | None:
    """`pkg.mod.func` and `pkg/mod.py:func` as the import path that was probably meant."""
    path, colon, name = function.strip().partition(":")
    path = path.removesuffix(".py").replace("/", ".").replace("\\", ".").strip(".")
    if not colon:
        path, _, name = path.rpartition(".")
    guess = f"{path}:{name}"
    return f"write '{guess}'" if _IMPORT_PATH.fullmatch(guess) else None


def _place(module: str, folder: Path, project: ProjectSpec) -> tuple[Path, Path] | Problem:
    """The root and file of a module, or why there is none."""
    top = module.partition(".")[0]
    if top == runner.__name__:
        return _toolkit(module)
    roots = list(dict.fromkeys(each.resolve() for each in (folder, Path(project.tools_folder), Path(project.root))))
    found = next(((root, file) for root in roots if (file := _file_under(root, module))), None)
    if top in sys.stdlib_module_names:
        return _standard_library(top, found, project)
    if found:
        return _outside(module, found[1], roots, project) or _shadowed(top, *found, project) or found
    return _installed(module, top, roots, project)


def _toolkit(module: str) -> tuple[Path, Path] | Problem:
    root = Path(runner.__file__).resolve().parent.parent
    if f"{module}.".startswith("runner.toolkit."):
        file = _file_under(root, module)
        return (root, file) if file else Problem(code="RUN501", message=f"the toolkit has no module '{module}'")
    message = f"module '{module}' is part of the runner itself; only 'runner.toolkit' holds tools"
    return Problem(code="RUN503", message=message)


def _standard_library(top: str, found: tuple[Path, Path] | None, project: ProjectSpec) -> Problem:
    if found:
        file = _shown(found[1], project)
        message = f"{file} has the name of the standard library's '{top}', which Python would import instead"
        return Problem(code="RUN504", message=message, suggestion="rename the file")
    return Problem(
        code="RUN503",
        message=f"'{top}' is part of the standard library, which tools may not name",
        suggestion="write a function of your own in tools.d that calls it, and name that",
    )


def _outside(module: str, file: Path, roots: Sequence[Path], project: ProjectSpec) -> Problem | None:
    """A link that leads out of the project: its target is code nobody reviews with the project."""
    if any(file.is_relative_to(root) for root in roots):
        return None
    message = f"module '{module}' is a link to {_shown(file, project)}, outside the project"
    return Problem(code="RUN503", message=message, suggestion="put the file itself into tools.d")


def _shadowed(top: str, root: Path, file: Path, project: ProjectSpec) -> Problem | None:
    """Python looks among the installed packages first, so a local module of the same name would never be reached."""
    spec = PathFinder.find_spec(top, _site_folders())
    # A namespace package (no origin) gives way to the local module, and the project itself may be installed.
    if spec is None or spec.origin is None or Path(spec.origin).resolve() == _file_under(root, top):
        return None
    message = (
        f"{_shown(file, project)} has the name of the installed package '{top}', which Python would import instead"
    )
    return Problem(code="RUN504", message=message, suggestion="rename the file")


def _site_folders() -> list[str]:
    """Folders of installed packages. The rest of `sys.path` depends on how the process was started."""
    folders = [*site.getsitepackages(), site.getusersitepackages()]
    return [*folders, *(entry for entry in sys.path if entry.endswith(("site-packages", "dist-packages")))]


def _installed(module: str, top: str, roots: Sequence[Path], project: ProjectSpec) -> tuple[Path, Path] | Problem:
    listed = any(f"{module}.".startswith(f"{package}.") for package in project.python_packages)
    try:
        spec = importlib.util.find_spec(top)  # a top-level name: finding it runs nothing
    except (ValueError, ImportError):  # a module put into sys.modules without a spec, or a broken finder
        spec = None
    if spec is None:
        return _not_found(module, roots, project, listed=listed)
    if not listed:
        return Problem(
            code="RUN503",
            message=f"module '{module}' belongs to the installed package '{top}', which is not allowed here",
            suggestion=f"to allow it, write 'python_packages: [{top}]' in runner.yaml",
        )
    folders = [Path(place).parent for place in spec.submodule_search_locations or ()]
    if not folders and spec.origin:
        folders = [Path(spec.origin).parent]
    for root in folders:
        if file := _file_under(root, module):
            return root, file
    message = f"the installed package '{top}' has no Python source file for module '{module}'"
    return Problem(code="RUN501", message=message)


def _not_found(module: str, roots: Sequence[Path], project: ProjectSpec, *, listed: bool) -> Problem:
    path = module.replace(".", "/")
    places = ", ".join(_shown(root, project) for root in roots)
    message = f"module '{module}' not found: looked for {path}.py and {path}/__init__.py in {places}"
    if listed:
        message += ", and among the installed packages, where runner.yaml lists it"
    names = {file.stem for root in roots for file in _listed(root) if file.suffix == ".py"}
    return Problem(code="RUN501", message=message, suggestion=did_you_mean(module, sorted(names)))


def _no_such_function(module: str, name: str, file: Path, source: ModuleSource, project: ProjectSpec) -> Problem:
    message = f"module '{module}' ({_shown(file, project)}) has no function '{name}'"
    if outer := source.nested.get(name):
        message = f"'{name}' is defined inside '{outer}'; a tool is a function at the top level of its module"
        is_method = outer in source.classes and name in source.classes[outer].methods
        return Problem(
            code="RUN502", message=message, suggestion=f"write '{module}:{outer}.{name}'" if is_method else None
        )
    callable_names = [each.name for each in source.definitions.values() if each.kind not in ("assignment", "module")]
    return Problem(code="RUN502", message=message, suggestion=did_you_mean(name, callable_names))


def _file_under(root: Path, module: str) -> Path | None:
    """The real path of a module's file, in Python's own order: a package before a module of the same name."""
    path = root.joinpath(*module.split("."))
    for file in (path / "__init__.py", path.with_name(f"{path.name}.py")):
        if os.path.isfile(file):  # noqa: PTH113 - the method raises where nobody may look
            return file.resolve()
    return None


def _listed(folder: Path) -> Iterable[Path]:
    try:
        return list(folder.iterdir())
    except OSError:  # not there, or not to be looked into
        return ()


def _shown(path: Path, project: ProjectSpec) -> str:
    """A path as a person of the project would write it."""
    root = Path(project.root).resolve()
    if path.resolve() == root:
        return "the project root"
    return path.resolve().relative_to(root).as_posix() if path.resolve().is_relative_to(root) else str(path)
