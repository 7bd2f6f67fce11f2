"""Which names `from x import *` can bring into a module, as far as the files of its own package tell."""

from pathlib import Path

from runner.language.module_source import ModuleSource, UnreadableModuleError, read_module

# With this function a module makes names up when it is asked for them (PEP 562).
_MAKES_NAMES = "__getattr__"


def may_have(name: str, source: ModuleSource, file: Path) -> bool:
    """Whether a module may have a name: it defines it, or it or a module that it takes all from cannot be seen whole.

    Args:
        name: what is looked for.
        source: the module.
        file: where it is.
    """
    return _may_have(name, source, file, {file})


def _may_have(name: str, source: ModuleSource, file: Path, seen: set[Path]) -> bool:
    if not source.definitions.keys().isdisjoint((name, _MAKES_NAMES)):
        return True
    for star in source.stars:
        target = _file(star, file)
        if target in seen:
            continue
        if target is None:
            return True
        seen.add(target)
        try:
            if _may_have(name, read_module(target), target, seen):
                return True
        except UnreadableModuleError:
            return True
    return False


def _file(star: str, file: Path) -> Path | None:
    """The file of a relative module; None for one of another package, and one that is not written in Python."""
    module = star.lstrip(".")
    level = len(star) - len(module)
    if level == 0 or level > len(file.parents):
        return None
    path = file.parents[level - 1].joinpath(*module.split(".") if module else ())
    candidates = (path / "__init__.py", path.with_name(f"{path.name}.py"))
    return next((each for each in candidates if each.is_file()), None)
