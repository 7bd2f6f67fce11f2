"""YAML text -> a tree of nodes that know where they stand; the only file that knows PyYAML."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from yaml.composer import Composer
from yaml.error import Mark, MarkedYAMLError
from yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode
from yaml.parser import Parser
from yaml.reader import Reader, ReaderError
from yaml.scanner import Scanner, ScannerError
from yaml.tokens import ScalarToken, Token

__all__ = [
    "COLLECTION",
    "MAX_DEPTH",
    "PLAIN",
    "QUOTED",
    "MappingNode",
    "Node",
    "ScalarNode",
    "SequenceNode",
    "Trouble",
    "compose",
    "last_quoted",
    "quoted_before",
]

MAX_DEPTH = 100

# The tag of a node that the document gives none. Compared by `is`: a document can write any tag, but never this object.
PLAIN, QUOTED, COLLECTION = "plain scalar", "quoted scalar", "collection"

TOO_DEEP = "exceeded maximum nesting depth"  # libyaml's own words, for its limit of 1,000


@dataclass(frozen=True, kw_only=True, slots=True)
class Trouble:
    """Why a text has no tree, in the words of PyYAML; offsets count characters from 0.

    Attributes:
        problem: what is wrong, at `offset`.
        context: what was being read, from `start` on.
    """

    problem: str
    offset: int
    context: str = ""
    start: int | None = None


def compose(text: str, *, pure: bool = False) -> Node | Trouble | None:
    """Read the one document of a text; None when it has none (it is empty, or all comments).

    `pure` takes PyYAML's Python parser even where its C parser is installed; their messages differ.
    """
    try:
        loader = _Python(text) if pure else _Fast(text)
        root = loader.get_single_node()
    except _TooDeepError as error:
        return Trouble(problem=TOO_DEEP, offset=error.offset)
    except ReaderError as error:
        return Trouble(problem=error.reason, offset=error.position)
    except MarkedYAMLError as error:
        mark, start = error.problem_mark or error.context_mark, error.context_mark
        return Trouble(
            problem=error.problem or "",
            offset=0 if mark is None else mark.index,
            context=error.context or "",
            start=None if start is None else start.index,
        )
    # An empty document between markers has a node all the same.
    return None if root is None or (root.tag is PLAIN and not root.value) else root


def quoted_before(text: str, offset: int) -> int | None:
    """Where the quoted scalar opened that is the last token before `offset`; None when the last is another."""
    found = last_quoted(text, offset)
    return None if found is None else found[0]


def last_quoted(text: str, offset: int) -> tuple[int, int] | None:
    """From where to where the quoted scalar goes that is the last token before `offset`; None when it is another."""
    loader = _Fast(text)
    last: Token | None = None
    try:
        while loader.check_token():
            token: Token = loader.get_token()  # type: ignore[no-untyped-call]  # the stubs leave it out
            if token.start_mark.index >= offset:
                break
            last = token
    except MarkedYAMLError:  # the scanner looks ahead, to what is wrong at `offset`
        pass
    is_quoted = isinstance(last, ScalarToken) and not last.plain and last.style in ("'", '"')
    return (last.start_mark.index, last.end_mark.index) if last is not None and is_quoted else None


class _TooDeepError(Exception):
    def __init__(self, offset: int) -> None:
        super().__init__(TOO_DEEP)
        self.offset = offset


class _Hooks:
    """What the composers ask of a resolver, for every node: kept as short as can be.

    Plain scalars stay untyped here. Counting the depth here stops deep nesting before the recursion of the C parser
    could overflow its stack.
    """

    _depth = 0

    def resolve(self, _kind: type[Node], value: str | None, implicit: Any) -> str:
        if value is None:
            return COLLECTION
        return PLAIN if implicit[0] else QUOTED

    def descend_resolver(self, parent: Node | None, _index: Any) -> None:
        depth = self._depth = self._depth + 1
        if depth > MAX_DEPTH:
            raise _TooDeepError(parent.start_mark.index if parent else 0)

    def ascend_resolver(self) -> None:
        self._depth -= 1


class _Python(_Hooks, Reader, Scanner, Parser, Composer):
    def __init__(self, text: str) -> None:
        Reader.__init__(self, text)
        Scanner.__init__(self)
        Parser.__init__(self)
        Composer.__init__(self)

    def compose_scalar_node(self, anchor: Any) -> ScalarNode:
        """Compose it, and refuse half a surrogate pair, as libyaml does: it is no character."""
        node = super().compose_scalar_node(anchor)
        if any("\ud800" <= character <= "\udfff" for character in node.value):
            mark: Mark = node.start_mark
            raise ScannerError(
                "while parsing a quoted scalar", mark, "found invalid Unicode character escape code", mark
            )
        return node


if TYPE_CHECKING:
    _Fast = _Python  # the stubs know nothing of a C parser
else:
    try:
        from yaml.cyaml import CParser
    except ImportError:  # PyYAML was built without libyaml
        _Fast = _Python
    else:

        class _Fast(_Hooks, CParser):
            pass
