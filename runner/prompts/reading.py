"""What a template says, without rendering it: its names, files and mistakes."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from typing import TypeVar

from jinja2 import TemplateSyntaxError, meta, nodes

from runner.prompts.looks import accesses
from runner.prompts.readings import Mistake, Reading, Reference
from runner.prompts.sandbox import Sandbox
from runner.prompts.signatures import wrong_arguments
from runner.prompts.syntax import explain
from runner.prompts.tokens import Mark, Role
from runner.suggest import did_you_mean

_Node = TypeVar("_Node", bound=nodes.Node)


@lru_cache(maxsize=1024)
def read_template(source: str) -> Reading:
    """`read_template` of `on_demand`, of a text that is a template."""
    environment = Sandbox()
    try:
        tree = _Tree(environment.parse(source))
        mistakes = [*_unknown_names(tree, environment), *_hidden(tree), *_computed(tree)]
        free = frozenset(meta.find_undeclared_variables(tree.root))
    except TemplateSyntaxError as error:
        message, mark, suggestion = explain(source, error)
        return Reading(mistakes=(Mistake(kind="syntax", message=message, mark=mark, suggestion=suggestion),))
    except (RecursionError, ValueError) as error:
        # Python reads no number of more than 4,300 digits.
        deep = isinstance(error, RecursionError)
        message = (
            "the expressions of this template are nested too deep" if deep else "a number in this template is too long"
        )
        mark = Mark(role="tag", text="", line=1)
        return Reading(mistakes=(Mistake(kind="syntax", message=message, mark=mark),))
    guarded, may_miss = _guards(tree)
    return Reading(
        mistakes=tuple(mistakes),
        variables=tuple(_variables(tree, free - may_miss, guarded)),
        mentioned=free,
        assigned=frozenset(_assigned(tree)),
        called=frozenset(call.node.name for call in tree.all(nodes.Call) if isinstance(call.node, nodes.Name)),
        accesses=tuple(accesses(tree.root, free, guarded)),
        references=tuple(_references(tree)),
    )


class _Tree:
    """The nodes of a template by type, in the order of the text.

    Attributes:
        names: the places of the names that stand for variables, by the identity of their nodes.
    """

    def __init__(self, root: nodes.Template) -> None:
        self.root = root
        self.names: dict[int, Mark] = {}
        self._by_type: dict[type[nodes.Node], list[nodes.Node]] = {}
        self._marked: Counter[tuple[Role, str, int]] = Counter()
        waiting: list[nodes.Node] = [root]
        while waiting:
            node = waiting.pop()
            self._by_type.setdefault(type(node), []).append(node)
            waiting.extend(reversed(list(node.iter_child_nodes())))
            # Names of other kinds look like variables to the lexer, so they are counted too.
            if isinstance(node, (nodes.Name, nodes.Macro, nodes.Block)):
                self.names[id(node)] = self.mark("variable", node.name, node.lineno)
            elif isinstance(node, nodes.Keyword):
                self.mark("variable", node.key, node.lineno)

    def all(self, kind: type[_Node]) -> list[_Node]:
        return [node for node in self._by_type.get(kind, ()) if isinstance(node, kind)]

    def mark(self, role: Role, text: str, line: int) -> Mark:
        """The next such word of the line; asked for in the order of the text."""
        word = (role, text, line)
        self._marked[word] += 1
        return Mark(role=role, text=text, line=line, index=self._marked[word] - 1)


def _unknown_names(tree: _Tree, environment: Sandbox) -> Iterator[Mistake]:
    for filter_ in tree.all(nodes.Filter):
        yield from _misused(filter_, tree.mark("filter", filter_.name, filter_.lineno), environment.filters)
        if filter_.name not in environment.filters:
            filter_.name = "string"  # so that the rest can be read too
    for test in tree.all(nodes.Test):
        yield from _misused(test, tree.mark("test", test.name, test.lineno), environment.tests)
        if test.name not in environment.tests:
            test.name = "none"


def _misused(node: nodes.Filter | nodes.Test, mark: Mark, known: Mapping[str, object]) -> Iterator[Mistake]:
    if node.name not in known:
        yield _unknown(mark, known)
        return
    wrong = wrong_arguments(node, known[node.name])
    if wrong is not None:
        yield Mistake(kind="syntax", message=f"{mark.role} '{mark.text}': {wrong}", mark=mark)


def _unknown(mark: Mark, known: Iterable[str]) -> Mistake:
    public = [name for name in known if name.isidentifier() and not name.startswith("_")]
    message = f"unknown {mark.role} '{mark.text}'"
    return Mistake(kind="name", message=message, mark=mark, suggestion=did_you_mean(mark.text, public))


def _hidden(tree: _Tree) -> Iterator[Mistake]:
    for node in tree.all(nodes.Getattr):
        if node.attr.startswith("__"):
            mark = Mark(role="attribute", text=node.attr, line=node.lineno)
            yield Mistake(kind="hidden", message=f"'{node.attr}' cannot be reached from a template", mark=mark)


def _taking_in(tree: _Tree) -> Iterator[nodes.Include | nodes.Import | nodes.FromImport | nodes.Extends]:
    yield from tree.all(nodes.Include)
    yield from tree.all(nodes.Import)
    yield from tree.all(nodes.FromImport)
    yield from tree.all(nodes.Extends)


def _computed(tree: _Tree) -> Iterator[Mistake]:
    """Files to take in are named in the template itself: data must not choose them, and `validate` must see them."""
    for node in _taking_in(tree):
        if not list(_file_names(node.template)):
            yield Mistake(
                kind="include",
                message="the name of an included file must be written out",
                mark=Mark(role="tag", text="", line=node.lineno),
                suggestion="write {% include 'file.md' %}",
            )


def _file_names(template: nodes.Expr) -> Iterator[nodes.Const]:
    for each in template.items if isinstance(template, (nodes.Tuple, nodes.List)) else [template]:
        if isinstance(each, nodes.Const) and isinstance(each.value, str):
            yield each


def _references(tree: _Tree) -> Iterator[Reference]:
    for node in _taking_in(tree):
        names = list(_file_names(node.template))
        optional = len(names) > 1 or bool(getattr(node, "ignore_missing", False))
        for name in names:
            mark = tree.mark("string", name.value, name.lineno)
            yield Reference(name=name.value, mark=mark, optional=optional)


def _guards(tree: _Tree) -> tuple[set[int], set[str]]:
    """The expressions that may be undefined where they stand, by identity, and the names tested with `is defined`."""
    guarded: set[int] = set()
    may_miss: set[str] = set()
    for lookup in tree.all(nodes.Filter):
        if lookup.name in ("default", "d"):
            guarded.add(id(lookup.node))
    for test in tree.all(nodes.Test):
        if test.name in ("defined", "undefined"):
            guarded.add(id(test.node))
            if isinstance(test.node, nodes.Name):
                may_miss.add(test.node.name)
    for call in tree.all(nodes.Call):
        if not isinstance(call.node, nodes.Name):
            guarded.add(id(call.node))  # `d.items()`: a method, not a key
    return guarded, may_miss


def _variables(tree: _Tree, free: frozenset[str], guarded: set[int]) -> Iterator[Mark]:
    for node in tree.all(nodes.Name):
        if node.ctx == "load" and node.name in free and id(node) not in guarded:
            yield tree.names[id(node)]


def _assigned(tree: _Tree) -> Iterator[str]:
    yield from (node.name for node in tree.all(nodes.Name) if node.ctx != "load")
    yield from (node.name for node in tree.all(nodes.Macro))
    yield from (node.target for node in tree.all(nodes.Import))
    for node in tree.all(nodes.FromImport):
        yield from (name if isinstance(name, str) else name[1] for name in node.names)
