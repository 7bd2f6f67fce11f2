"""Makes the instances whose methods are tools: one for each class and configuration, however many tools share it."""

import inspect
import json
from types import ModuleType
from weakref import WeakValueDictionary

from runner.spec import JsonObject
from runner.suggest import did_you_mean
from runner.tools.annotations import UnreadableSignatureError
from runner.tools.arguments import WrongArgumentsError
from runner.tools.failures import ToolLoadError
from runner.tools.signature import Bound, read_signature


class Instance:
    """Holds an instance, so that it can be shared as long as somebody needs it, whatever its class allows."""

    __slots__ = ("__weakref__", "value")

    def __init__(self, value: object) -> None:
        self.value = value


_made: WeakValueDictionary[tuple[type, str], Instance] = WeakValueDictionary()


def instance_of(owner: type, config: JsonObject) -> Instance:
    """The instance of a class made with this configuration; made now if no open tool has it.

    Raises:
        ToolLoadError: the configuration does not fit the constructor.
    """
    key = (owner, json.dumps(config, sort_keys=True))
    if (shared := _made.get(key)) is not None:
        return shared
    bound = _bound(owner, config)
    instance = _made[key] = Instance(owner(*bound.positional, **bound.by_name))
    return instance


def needs_instance(owner: object, method: str) -> bool:
    """Whether `owner` is a class whose `method` is called on an instance."""
    if not isinstance(owner, type):
        return False
    member = inspect.getattr_static(owner, method, None)
    return not isinstance(member, staticmethod | classmethod | type)


def attribute(owner: object, name: str, *, where: str) -> object:
    """What an instance, or a class, has under a name.

    Raises:
        ToolLoadError: nothing, or it is a module, whose own functions the project did not write.
    """
    called = owner.__name__ if isinstance(owner, type | ModuleType) else type(owner).__name__
    if isinstance(owner, ModuleType):
        raise ToolLoadError(f"'{called}' in {where} is a module, expected a class or an object with a method '{name}'")
    try:
        return getattr(owner, name)
    except AttributeError as error:
        hint = did_you_mean(name, [each for each in dir(owner) if not each.startswith("_")])
        found = f"'{called}' in {where} has no method '{name}'"
        raise ToolLoadError("; ".join(filter(None, [found, hint]))) from error


def _bound(owner: type, config: JsonObject) -> Bound:
    """The configuration as the constructor's types ask for it: `"${PORT}"` becomes the number it spells."""
    try:
        signature = read_signature(owner, {})
    except UnreadableSignatureError:  # the constructor decides
        return Bound(positional=(), by_name=config)
    if signature.context is not None:
        raise ToolLoadError(f"the constructor of '{owner.__name__}' asks for a ToolContext, which only its methods can")
    try:
        return signature.bind(config)
    except WrongArgumentsError as error:
        raise ToolLoadError(f"config does not fit the constructor of '{owner.__name__}': {error}") from error
