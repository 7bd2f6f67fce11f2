"""Where a template looks into values: `user.address.city`, also through the names that loops and `set` give them."""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping

from jinja2 import nodes

from runner.prompts.readings import ITEM, Access
from runner.prompts.tokens import Mark

# What these give is made of the same items as what they take.
_SAME_ITEMS = frozenset(("sort", "list", "reverse", "unique", "select", "reject", "selectattr", "rejectattr"))

Chain = tuple[str, ...]


def accesses(root: nodes.Template, free: Collection[str], guarded: Collection[int]) -> Iterator[Access]:
    """The looks into values, in the order of the text.

    Args:
        root: the template.
        free: the names that the template is rendered with.
        guarded: identities of the expressions that may be undefined.
    """
    ordered = _in_text_order(root)
    known = {name: chain for name, chain in _named_values(ordered).items() if name not in free}
    seen = Counter[tuple[str, int]]()
    for node in ordered:
        if isinstance(node, nodes.Getattr):
            word = (node.attr, node.lineno)
            mark = Mark(role="attribute", text=node.attr, line=node.lineno, index=seen[word])
            seen[word] += 1
        elif isinstance(node, nodes.Getitem) and isinstance(node.arg, nodes.Const) and isinstance(node.arg.value, str):
            mark = Mark(role="string", text=node.arg.value, line=node.lineno)
        else:
            continue
        chain = _chain(node, known)
        if chain is not None and id(node) not in guarded:
            yield Access(names=chain, mark=mark)


def _in_text_order(root: nodes.Template) -> list[nodes.Node]:
    """All nodes, those inside of another before it: `a.b` before `a.b.c`, as they are written."""
    found: list[nodes.Node] = []
    waiting: list[nodes.Node] = [root]
    while waiting:
        node = waiting.pop()
        found.append(node)
        waiting.extend(_children(node))
    return found[::-1]


def _children(node: nodes.Node) -> Iterator[nodes.Node]:
    if isinstance(node, nodes.CondExpr):  # whose condition stands in the middle, and comes first in the tree
        yield from (each for each in (node.expr1, node.test, node.expr2) if each is not None)
    else:
        yield from node.iter_child_nodes()


def _named_values(ordered: list[nodes.Node]) -> Mapping[str, Chain]:
    """What the names stand for that a template gives to values; a name that it gives to several is not known."""
    given = [each for node in ordered for each in _bindings(node)]
    chains: dict[str, set[Chain | None]] = {}
    for name, value, is_loop in given:
        chain = _chain(value, {})
        chains.setdefault(name, set()).add((*chain, ITEM) if chain and is_loop else chain)
    stored = Counter(node.name for node in ordered if isinstance(node, nodes.Name) and node.ctx != "load")
    told = Counter(name for name, _, _ in given)  # fewer when it is a parameter of a macro too, say
    single = {
        name: chain
        for name, (chain, *others) in chains.items()
        if chain is not None and not others and stored[name] == told[name]
    }
    return _followed(single)


def _bindings(node: nodes.Node) -> Iterator[tuple[str, nodes.Node, bool]]:
    """The names a node gives to values as they are: the name, the value, and whether it is each of its items."""
    match node:
        case nodes.For(target=nodes.Name(name=str(name)), iter=value):
            yield name, value, True
        case nodes.Assign(target=nodes.Name(name=str(name)), node=value):
            yield name, value, False
        case nodes.With():
            for target, value in zip(node.targets, node.values, strict=True):
                if isinstance(target, nodes.Name):
                    yield target.name, value, False


def _followed(single: Mapping[str, Chain]) -> Mapping[str, Chain]:
    """The names traced back to where their values come from; those that go in a circle are left out."""
    known: dict[str, Chain] = {}
    for name, chain in single.items():
        way = {name}
        while chain[0] in single and chain[0] not in way:
            way.add(chain[0])
            chain = (*single[chain[0]], *chain[1:])  # noqa: PLW2901 - one step back at a time
        if chain[0] not in way:
            known[name] = chain
    return known


def _chain(node: nodes.Node, known: Mapping[str, Chain]) -> Chain | None:
    """The names from a variable to a value inside of it; None for what is worked out."""
    steps: list[str] = []
    while True:
        match node:
            case nodes.Name(name=str(name)):
                return (*known.get(name, (name,)), *reversed(steps))
            case nodes.Getattr(node=inner, attr=str(step)):
                steps.append(step)
            case nodes.Getitem(node=inner, arg=nodes.Const(value=str(step))):
                steps.append(step)
            case nodes.Getitem(node=inner, arg=nodes.Const(value=int())):
                steps.append(ITEM)
            case nodes.Filter(name=str(filter_), node=nodes.Expr() as inner) if filter_ in _SAME_ITEMS:
                pass
            case _:
                return None
        node = inner
