"""Imports the function or method of a Python tool; this is where the code of people's tools first runs.

Tools import each other's files as Python always does, through `sys.path` and `sys.modules`, which belong to the whole
process. So roots go to the end of `sys.path`, where they shadow nothing, and when another project in this process has
loaded modules of the same names, those are forgotten first. What was imported from them goes on working; only an import
inside a function, run later, may then find the newer project's file of that name.
"""

import importlib
import importlib.util
import os
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

import runner
from runner.language.resolve import Problem, Resolved, resolve
from runner.spec import JsonObject, ProjectSpec, ToolSpec
from runner.tools.failures import ToolLoadError, described, place, shown
from runner.tools.instances import Instance, attribute, instance_of, needs_instance

_lock = threading.RLock()
# The roots put on `sys.path` here; only modules under them may ever be forgotten.
_roots: list[str] = []


@dataclass(frozen=True, kw_only=True, slots=True)
class Loaded:
    """A callable and where it is.

    Attributes:
        instance: what a method belongs to; whoever has a reference to it shares it with the other tools of its class.
    """

    function: Callable[..., object]
    resolved: Resolved
    instance: Instance | None = None


def load(spec: ToolSpec, project: ProjectSpec, config: JsonObject | None = None) -> Loaded:
    """The callable that `spec.settings["function"]` names.

    Args:
        spec: the tool as declared.
        project: whose code it may name.
        config: arguments for the constructor, `${VAR}` replaced; None when none are declared.

    Raises:
        ToolLoadError: it may not be named, or cannot be imported, or its instance cannot be made.
    """
    resolved = resolve(str(spec.settings["function"]), folder=Path(spec.folder), project=project)
    if isinstance(resolved, Problem):
        raise ToolLoadError("; ".join(filter(None, [resolved.message, resolved.suggestion])))
    project_root = Path(project.root).resolve()
    where = shown(resolved.file, project_root)
    owner, _, method = resolved.name.partition(".")
    with _lock:
        module = _imported(resolved, project_root)
        found = getattr(module, owner, None)
        if found is None:
            raise ToolLoadError(f"{where} has no '{owner}' once it is imported")
        instance = None
        if method and config is None and not needs_instance(found, method):
            found = attribute(found, method, where=where)
        elif method or config is not None:
            instance = _instance(found, method, config, resolved, project_root)
            found = attribute(instance.value, method, where=where)
    if not callable(found):
        raise ToolLoadError(f"'{resolved.name}' in {where} is a {type(found).__name__}, expected a function")
    return Loaded(function=found, resolved=resolved, instance=instance)


def _instance(
    found: object, method: str, config: JsonObject | None, resolved: Resolved, project_root: Path
) -> Instance:
    """The instance whose method is meant; making one runs its constructor."""
    where = shown(resolved.file, project_root)
    if not method or not isinstance(found, type) or not needs_instance(found, method):
        raise ToolLoadError(f"'config' is for a constructor, and '{resolved.name}' in {where} makes no instance")
    try:
        return instance_of(found, config or {})
    except BaseException as error:  # a constructor runs whatever its author wrote
        if isinstance(error, ToolLoadError):
            raise
        file, line = place(error, [resolved.root, project_root]) or (resolved.file, 1)
        told = " ".join(described(error, [project_root]).split())
        raise ToolLoadError(f"{shown(file, project_root)}:{line}: '{found.__name__}' cannot be made: {told}") from error


def _imported(resolved: Resolved, project_root: Path) -> ModuleType:
    top = resolved.module.partition(".")[0]
    if top != runner.__name__:
        _make_findable(resolved.root)
    _check_first(resolved, top, project_root)
    try:
        module = importlib.import_module(resolved.module)
    except BaseException as error:  # a module runs whatever its author wrote
        file, line = place(error, [resolved.root, project_root]) or (resolved.file, 1)
        raise ToolLoadError(f"{shown(file, project_root)}:{line}: {_one_line(error, project_root)}") from error
    if module.__file__ is None or Path(module.__file__).resolve() != resolved.file:
        raise _shadowed(resolved, module.__file__, project_root)
    return module


def _make_findable(root: Path) -> None:
    """Let imports find the files of `root`, and not namesakes that came from the root of another tool."""
    for top in [name for name in sys.modules if "." not in name]:
        home = _home(sys.modules[top])
        if home in _roots and home != str(root) and any(place.exists() for place in _places(root, top)):
            for name in [each for each in sys.modules if each == top or each.startswith(f"{top}.")]:
                del sys.modules[name]
    if str(root) in _roots:
        _roots.remove(str(root))
        with suppress(ValueError):  # somebody else has taken it off the path
            sys.path.remove(str(root))
    if str(root) not in sys.path:
        # Before the other roots, whose files may have the same names; after everything else.
        sys.path.insert(
            min((sys.path.index(each) for each in _roots if each in sys.path), default=len(sys.path)), str(root)
        )
        _roots.append(str(root))
    importlib.invalidate_caches()  # the files may be newer than what Python remembers of their folder


def _home(module: ModuleType) -> str | None:
    """The folder in which Python found a top-level module."""
    file, path = getattr(module, "__file__", None), getattr(module, "__path__", None)
    if isinstance(file, str):
        folder = os.path.dirname(file)  # noqa: PTH120 - thousands of modules are looked at, and Path is slow
        return folder if path is None else os.path.dirname(folder)  # noqa: PTH120 - as above
    return None if not path else str(Path(next(iter(path))).parent)


def _places(root: Path, top: str) -> tuple[Path, ...]:
    """Where a top-level module can be: a package, a file, or a folder without `__init__.py`."""
    return root / top / "__init__.py", root / f"{top}.py", root / top


def _check_first(resolved: Resolved, top: str, project_root: Path) -> None:
    """See that Python would import from the right folder, before it runs code from another one."""
    try:
        spec = importlib.util.find_spec(top)
    except ValueError:  # a module that was put into sys.modules by hand
        spec = None
    found = [] if spec is None else [spec.origin, *(spec.submodule_search_locations or ())]
    expected = {place.resolve() for place in _places(resolved.root, top)}
    if expected.isdisjoint(Path(each).resolve() for each in found if each):
        raise _shadowed(resolved, found[0] if found else None, project_root)


def _shadowed(resolved: Resolved, other: str | None, project_root: Path) -> ToolLoadError:
    found = "a module without a file" if other is None else shown(Path(other), project_root)
    return ToolLoadError(
        f"module '{resolved.module}' should be {shown(resolved.file, project_root)}, but Python imports {found}: "
        "rename one of them"
    )


def _one_line(error: BaseException, project_root: Path) -> str:
    if isinstance(error, SystemExit):
        return f"the module called exit({'' if error.code is None else error.code}) while it was being imported"
    if isinstance(error, SyntaxError):
        return f"SyntaxError: {error.msg}"
    return " ".join(described(error, [project_root]).split())
