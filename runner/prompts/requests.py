"""Renders the templates of a request, keeping what an expression wrote apart from the text around it."""

import itertools
import re
import secrets
from collections.abc import Iterable, Mapping
from typing import Any

from jinja2 import StrictUndefined, TemplateSyntaxError, Undefined, UndefinedError, nodes
from jinja2.visitor import NodeTransformer

from runner.prompts import cost
from runner.prompts.pieces import Absent, Piece, Written, text_form
from runner.prompts.rendering import located, place_of, reason_of, syntax_message
from runner.prompts.sandbox import MAIN, Sandbox
from runner.prompts.texts import PromptError, plain
from runner.spec import Json, Text

# The name of the filter that marks values.
_MARK = "_mark"


def render_pieces(text: Text, variables: Mapping[str, Json]) -> tuple[Piece, ...]:
    """`render_pieces` of `on_demand`, of a text that is a template."""
    sandbox = _RequestSandbox()
    try:
        rendered = "".join(sandbox.template(text.value, MAIN).generate(plain(variables)))
        return sandbox.pieces(rendered)
    except TemplateSyntaxError as error:
        raise PromptError(located(text, MAIN, error.lineno, syntax_message(error))) from error
    except UndefinedError as error:
        return (Absent(name=str(error)),)
    except Exception as error:  # whatever an expression of the author raises is a mistake in the template
        raise PromptError(located(text, *place_of(error, sandbox.loaded), reason_of(error))) from error


def refusal(source: str) -> tuple[str, int] | None:
    """`refusal` of `on_demand`, of a text that is a template."""
    try:
        _RequestSandbox().parse(source)
    except TemplateSyntaxError as error:
        return syntax_message(error), error.lineno
    return None


class _RequestSandbox(Sandbox):
    """Writes a mark for every value, which no argument can guess, and finds the values again by their marks."""

    def __init__(self) -> None:
        self._key = f"{secrets.randbits(64):020}"
        self._values: list[Written | Absent] = []
        super().__init__()
        self.undefined = _NotGiven
        self.filters = {**self.filters, _MARK: self._mark}

    def parse(self, source: str, name: str | None = None, filename: str | None = None) -> nodes.Template:
        """The template, with its values going through the filter that marks them."""
        tree: nodes.Template = _Marking().visit(super().parse(source, name, filename))
        return tree

    def pieces(self, rendered: str) -> tuple[Piece, ...]:
        """The rendered text, taken apart at the marks."""
        parts = re.split(f"\x02{self._key}:([0-9]+)\x03", rendered)
        pieces = (self._values[int(part)] if place % 2 else part for place, part in enumerate(parts))
        return tuple(piece for piece in pieces if piece != "")

    def _mark(self, value: Any) -> str:
        if isinstance(value, Undefined) and (name := getattr(value, "absent_name", None)) is not None:
            self._values.append(Absent(name=name))
        else:
            # The check of the parent: a function, too much text.
            self._values.append(Written(value=_data(super()._written(value))))
        return f"\x02{self._key}:{len(self._values) - 1}\x03"

    def _written(self, value: Any) -> Any:
        """What is written where no mark is: into the block of a `{% set %}` or a macro."""
        if value is None:
            raise UndefinedError("a value that is null")
        return text_form(_data(super()._written(value)))


class _Marking(NodeTransformer):
    """Marks what the expressions of a template write; what a block captures is marked when it is written itself."""

    def visit_Output(self, node: nodes.Output) -> nodes.Node:  # noqa: N802 - Jinja's name
        node.nodes = [
            each
            if isinstance(each, nodes.TemplateData)
            else nodes.Filter(each, _MARK, [], [], None, None, lineno=each.lineno)
            for each in node.nodes
        ]
        return node

    def visit_AssignBlock(self, node: nodes.AssignBlock) -> nodes.Node:  # noqa: N802 - Jinja's name
        return node

    def visit_Macro(self, node: nodes.Macro) -> nodes.Node:  # noqa: N802 - Jinja's name
        return node

    def visit_FilterBlock(self, node: nodes.FilterBlock) -> nodes.Node:  # noqa: N802 - Jinja's name
        return self._refuse(node, "filter", "apply the filter to an expression: {{ … | name }}")

    def visit_CallBlock(self, node: nodes.CallBlock) -> nodes.Node:  # noqa: N802 - Jinja's name
        return self._refuse(node, "call", "call the macro in an expression: {{ name(…) }}")

    def visit_Block(self, node: nodes.Block) -> nodes.Node:  # noqa: N802 - Jinja's name
        return self._refuse(node, "block", "leave it out")

    def _refuse(self, node: nodes.Node, tag: str, instead: str) -> nodes.Node:
        """Their text could not be told from the author's own."""
        raise TemplateSyntaxError(f"a request cannot have a {{% {tag} %}}; {instead}", node.lineno)


def _data(value: Any) -> Json:
    """A value as JSON has it: what filters like `map` give is a list."""
    if value is None or isinstance(value, bool | int | float):
        return value
    if isinstance(value, str | Undefined):
        return str(value)  # raises for what is undefined, and says which name it is
    if isinstance(value, Mapping):
        return {str(key): _data(each) for key, each in value.items()}
    if isinstance(value, Iterable):
        return [_data(each) for each in itertools.islice(value, cost.MAX_ITEMS)]
    raise TypeError(f"a value of type {type(value).__name__} cannot be sent; give text, numbers, lists or objects")


class _NotGiven(StrictUndefined):
    """An argument, or a key of one, that is not there: false, and everything inside of it is not there either."""

    __slots__ = ()

    @property
    def absent_name(self) -> str | None:
        """What is not there; None when it is there but may not be reached."""
        return str(self._undefined_name) if self._undefined_exception is UndefinedError else None

    @property
    def _undefined_message(self) -> str:
        return str(self._undefined_hint or self._undefined_name)

    def __getattr__(self, name: str) -> "_NotGiven":
        if name.startswith("__"):
            raise AttributeError(name)
        return self

    def __getitem__(self, key: Any) -> "_NotGiven":  # type: ignore[override]  # the parent raises, which is a narrower type
        return self

    def __bool__(self) -> bool:  # type: ignore[override]  # the parent raises, which is a narrower type
        return False

    def __eq__(self, other: object) -> bool:  # type: ignore[override]  # the parent raises, which is a narrower type
        return isinstance(other, _NotGiven)

    def __ne__(self, other: object) -> bool:  # type: ignore[override]  # the parent raises, which is a narrower type
        return not isinstance(other, _NotGiven)

    __hash__ = None  # type: ignore[assignment]  # as above
