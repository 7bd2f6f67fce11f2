"""Jinja as agents get it: plain data only, nothing behind it reachable, every amount bounded."""

from collections.abc import Iterable, Mapping, MutableMapping
from pathlib import Path
from typing import Any, ClassVar

from jinja2 import BaseLoader, Environment, StrictUndefined, Template, TemplateNotFound, Undefined, nodes
from jinja2.exceptions import SecurityError, TemplateRuntimeError
from jinja2.runtime import Context
from jinja2.sandbox import ImmutableSandboxedEnvironment
from jinja2.utils import missing
from jinja2.visitor import NodeTransformer

from runner.prompts import cost, includes
from runner.prompts.filters import CONCATENATE, COUNT, FILTERS
from runner.spec import Json
from runner.suggest import did_you_mean

# The file name of the template itself in tracebacks; included files go by the name the template gives them.
MAIN = "<template>"
# Everything else that has attributes (`loop`, macros, namespaces) is Jinja's own.
_DATA = (str, int, float, list, tuple, Mapping, type(None))
# The methods people expect of data. None changes it, and none makes much out of little.
_MAPPING_METHODS = frozenset({"get", "items", "keys", "values"})
_LIST_METHODS = frozenset({"count", "index"})
_TEXT_METHODS = (
    frozenset(
        {"capitalize", "casefold", "count", "endswith", "find", "index", "isalpha", "isdigit", "isspace", "lower"}
    )
    | {"lstrip", "partition", "removeprefix", "removesuffix", "rfind", "rpartition", "rsplit", "rstrip", "split"}
    | {"splitlines", "startswith", "strip", "swapcase", "title", "upper"}
)


class Sandbox(ImmutableSandboxedEnvironment):
    """The environment of one rendering.

    Attributes:
        budget: what the rendering has left.
        loaded: the names of the templates compiled so far.
    """

    intercepted_binops = frozenset({"*", "**", "%", "+"})

    def __init__(self, *, folder: Path | None = None, names: Iterable[str] = ()) -> None:
        self.budget = cost.Budget()
        self.loaded: set[str] = set()
        super().__init__(
            trim_blocks=True,
            lstrip_blocks=True,
            keep_trailing_newline=True,
            finalize=self._written,
            undefined=type("Missing", (_Missing,), {"__slots__": (), "known_names": tuple(names)}),
            loader=_Loader(folder),
            auto_reload=False,
        )
        self.filters = FILTERS
        del self.globals["lipsum"]

    def template(self, source: str, name: str) -> Template:
        """Compile a template.

        Raises:
            jinja2.TemplateSyntaxError: it is not one.
        """
        self.loaded.add(name)
        tree = _Bounds().visit(self.parse(source, name, name))
        tree.set_environment(self)
        return self.template_class.from_code(self, self.compile(tree, name, name), self.make_globals(None))

    def getattr(self, obj: Any, attribute: str) -> Any:
        """`obj.attribute`: of data, a key (before a method of the same name) or one of a few harmless methods."""
        if isinstance(obj, Mapping) and attribute in obj:
            return obj[attribute]
        if not isinstance(obj, _DATA):
            return super().getattr(obj, attribute)
        if attribute in _methods(obj):
            return getattr(obj, attribute)
        return (
            self.unsafe_undefined(obj, attribute)
            if attribute.startswith("__")
            else self.undefined(obj=obj, name=attribute)
        )

    def getitem(self, obj: Any, argument: Any) -> Any:
        """`obj[argument]`: of data, never a method."""
        if not isinstance(obj, _DATA):
            return super().getitem(obj, argument)
        try:
            return obj[argument]  # type: ignore[index]  # what has no items raises TypeError
        except (LookupError, TypeError):
            return self.undefined(obj=obj, name=argument)

    def call(self, context: Context, obj: Any, /, *args: Any, **kwargs: Any) -> Any:
        """Macros may call themselves, so calls are counted."""
        self.budget.call()
        return super().call(context, obj, *args, **kwargs)

    def call_binop(self, context: Context, operator: str, left: Any, right: Any) -> Any:
        """The sandbox of Jinja bounds ranges, but no arithmetic."""
        cost.check_operation(operator, left, right)
        return super().call_binop(context, operator, left, right)

    def _written(self, value: Any) -> Any:
        """What `{{ … }}` writes."""
        if isinstance(value, Undefined):
            return value  # writing it raises, and says which name it is
        if callable(value):
            name = getattr(value, "__name__", type(value).__name__)
            raise TemplateRuntimeError(f"'{name}' is a function and has no text; call it: {name}(…)")
        self.budget.write(cost.size_of(value))
        return value


class _Missing(StrictUndefined):
    """A name or key that is not there; using it in any way raises, with the message made here."""

    __slots__ = ()
    known_names: ClassVar[tuple[str, ...]] = ()

    @property
    def _undefined_message(self) -> str:
        if self._undefined_hint:
            return self._undefined_hint
        item: Any = self._undefined_name  # an index too, whatever Jinja's annotation says
        name, owner = str(item), self._undefined_obj
        if owner is missing:
            return f"'{name}' is not defined{_hint(name, self.known_names)}"
        if isinstance(owner, Mapping):
            return f"there is no key '{name}'{_hint(name, map(str, owner))}"
        if isinstance(owner, (list, tuple)) and isinstance(item, int):
            return f"there is no item {name} in a list of {len(owner)}"
        instead = f" (write '… | {name}')" if name in FILTERS else ""
        return f"{_kind(owner)} has no '{name}'{instead}"


def _hint(name: str, choices: Iterable[str]) -> str:
    suggestion = did_you_mean(name, choices)
    return f" ({suggestion})" if suggestion else ""


def _kind(value: Json) -> str:
    if isinstance(value, _DATA):
        return {str: "a text", bool: "a boolean", int: "a number", float: "a number", type(None): "null"}.get(
            type(value), "a list"
        )
    return type(value).__name__


def _methods(value: Json) -> frozenset[str]:
    match value:
        case str():
            return _TEXT_METHODS
        case Mapping():
            return _MAPPING_METHODS
        case list() | tuple():
            return _LIST_METHODS
        case _:
            return frozenset()


class _Loader(BaseLoader):
    """Loads `{% include %}`s from the agent's folder tree."""

    def __init__(self, folder: Path | None) -> None:
        self._folder = folder

    def load(
        self,
        environment: Environment,
        name: str,
        globals: MutableMapping[str, Any] | None = None,  # noqa: A002, ARG002 - Jinja's signature
    ) -> Template:
        if not isinstance(environment, Sandbox):
            raise TypeError("only a Sandbox loads from here")
        try:
            source = includes.read(name, self._folder)
        except includes.IncludeError as error:
            if error.missing:
                raise TemplateNotFound(name, str(error)) from error
            raise SecurityError(str(error)) from error
        return environment.template(source, name)


class _Bounds(NodeTransformer):
    """Makes loops and `~` go through filters that count."""

    def visit_For(self, node: nodes.For) -> nodes.Node:  # noqa: N802 - Jinja's name
        """A pass of the loop costs a step and the plain text it writes."""
        self.generic_visit(node)
        text = sum(len(data.data) for data in node.find_all(nodes.TemplateData))
        node.iter = nodes.Filter(node.iter, COUNT, [nodes.Const(text)], [], None, None, lineno=node.iter.lineno)
        return node

    def visit_Concat(self, node: nodes.Concat) -> nodes.Node:  # noqa: N802 - Jinja's name
        """`a ~ b` puts texts together that may be long."""
        self.generic_visit(node)
        return nodes.Filter(nodes.Tuple(node.nodes, "load"), CONCATENATE, [], [], None, None, lineno=node.lineno)
