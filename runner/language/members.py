"""Finds what `module:function`, `module:Class.method` or `module:instance.method` names, in the text of the module."""

from dataclasses import replace

from runner.language.class_source import Method, Unknown, constructor, find_method, method_names
from runner.language.module_source import Definition, ModuleSource
from runner.language.resolved import Owner, Problem
from runner.suggest import did_you_mean

Member = tuple[Definition | None, Owner | None]


def member(source: ModuleSource, name: str, method: str | None, *, place: str) -> Member | Problem:
    """How it is defined (None when the text does not tell) and, of a method, what it belongs to.

    Args:
        source: the module.
        name: a name of its top level.
        method: what stands after the dot, if there is one.
        place: how a message names the module.
    """
    definition = source.definitions.get(name)
    if definition is not None and definition.kind == "module":
        return Problem(code="RUN505", message=f"'{name}' in {place} is a module, expected a function")
    if method is None:
        if definition is not None and definition.kind == "class":
            definition = replace(definition, parameters=constructor(name, source.classes))
        return definition, None
    if definition is None:
        return None, Owner(name=name)
    if definition.kind == "function":
        message = f"'{name}' in {place} is a function, expected a class or an object with a method '{method}'"
        return Problem(code="RUN505", message=message)
    return _method(definition, method, source, place)


def _method(owner: Definition, name: str, source: ModuleSource, place: str) -> Member | Problem:
    cls = owner.name if owner.kind == "class" else owner.made_by
    if cls not in source.classes:
        return None, Owner(name=owner.name)
    method = find_method(cls, name, source.classes)
    if isinstance(method, Unknown):
        return None, _owner(owner, None, source)
    if method is None:
        message = f"class '{cls}' in {place} has no method '{name}'"
        return Problem(code="RUN502", message=message, suggestion=did_you_mean(name, method_names(cls, source.classes)))
    if method.is_property:
        return Problem(code="RUN505", message=f"'{cls}.{name}' in {place} is a property, expected a method")
    return _definition(f"{owner.name}.{name}", method), _owner(owner, method, source)


def _definition(name: str, method: Method) -> Definition:
    return Definition(
        name=name, kind="function", line=method.line, parameters=method.parameters, summary=method.summary
    )


def _owner(owner: Definition, method: Method | None, source: ModuleSource) -> Owner:
    if owner.kind == "assignment":  # an instance that the module makes itself
        return Owner(name=owner.name, needs_instance=False)
    return Owner(
        name=owner.name,
        needs_instance=method.needs_instance if method else None,
        constructor=constructor(owner.name, source.classes),
    )
