"""What is read from the text of a class is what Python itself says of the class."""

import ast
import inspect
from dataclasses import KW_ONLY, dataclass, field
from typing import Any, ClassVar

from hypothesis import given
from hypothesis import strategies as st

from runner.language.class_source import ClassSource, constructor, find_method, read_class
from runner.language.function_source import Parameters

NAMES = ["a", "b", "c", "d"]
# A field of a dataclass as written, `{}` for its name.
FIELDS = [
    "{}: int",
    "{}: int = 1",
    "{}: list = field(default_factory=list)",
    "{}: int = field(default=2, repr=False)",
    "{}: int = field(init=False, default=3)",
    "{}: ClassVar[int] = 4",
    "{}: 'ClassVar[int]' = 5",
    "{} = 6",
    "_: KW_ONLY",
]


@st.composite
def signatures(draw: st.DrawFn, first: str | None = None) -> str:
    """The parameters of a function, `self, a, /, b=1, *, c, **more`."""
    names = draw(st.permutations(NAMES))
    kinds = sorted(draw(st.lists(st.sampled_from([0, 1, 2]), max_size=4)))
    parts = [] if first is None else [first]
    optional = False
    for place, (name, kind) in enumerate(zip(names, kinds, strict=False)):
        if kind == 2 and (place == 0 or kinds[place - 1] < 2):
            parts.append(draw(st.sampled_from(["*", "*rest"])))
            optional = False
        optional = draw(st.booleans()) if kind == 2 else optional or draw(st.booleans())
        parts.append(f"{name}={place}" if optional else name)
        if kind == 0 and (place + 1 == len(kinds) or kinds[place + 1] > 0):
            parts.append("/")
    return ", ".join([*parts, *(["**more"] if draw(st.booleans()) else [])])


@st.composite
def classes(draw: st.DrawFn) -> str:
    """Up to three classes, each of which may extend the one before; the last is `C2`, or `C1`, or `C0`."""
    text = ""
    for number in range(draw(st.integers(1, 3))):
        kind = draw(st.sampled_from(["dataclass", "init", "plain"]))
        base = f"(C{number - 1})" if number and draw(st.booleans()) else ""
        body = ["pass"]
        if kind == "dataclass":
            chosen = draw(st.lists(st.sampled_from(FIELDS), max_size=4))
            body += [line.format(name) for line, name in zip(chosen, draw(st.permutations(NAMES)), strict=False)]
            text += "@dataclass(kw_only=True)\n" if draw(st.booleans()) else "@dataclass\n"
        elif kind == "init":
            body.append(f"def __init__({draw(signatures('self'))}): pass")
        text += f"class C{number}{base}:\n" + "".join(f"    {line}\n" for line in body)
    return text


def sources(text: str) -> dict[str, ClassSource]:
    nodes = (node for node in ast.parse(text).body if isinstance(node, ast.ClassDef))
    return {node.name: read_class(node, frozenset()) for node in nodes}


def run(text: str) -> dict[str, Any] | None:
    """What the text defines, None where Python refuses it (a field without a default after one that has one)."""
    names: dict[str, Any] = {"dataclass": dataclass, "field": field, "KW_ONLY": KW_ONLY, "ClassVar": ClassVar}
    names["__name__"] = __name__  # where dataclasses look up `ClassVar` in annotations that are text
    try:
        exec(compile(text, "classes.py", "exec", dont_inherit=True), names)
    except TypeError:
        return None
    return names


def truth(function: Any) -> Parameters:
    every = inspect.signature(function).parameters.values()
    named = [each for each in every if each.kind not in (each.VAR_POSITIONAL, each.VAR_KEYWORD)]
    return Parameters(
        required=tuple(each.name for each in named if each.default is each.empty),
        names=tuple(each.name for each in named),
        open=any(each.kind is each.VAR_KEYWORD for each in every),
    )


@given(classes())
def test_the_constructor_that_is_read_is_the_one_python_makes(text: str) -> None:
    made = run(text)
    if made is None:
        return
    for name, read in ((name, constructor(name, sources(text))) for name in sources(text)):
        assert read is not None
        real = truth(made[name])
        assert (set(read.names), read.open) == (set(real.names), real.open), name
        # Rather too little is asked for than too much: whether a value of a base is a default, the text hardly tells.
        assert set(read.required) <= set(real.required), name
        assert set(read.required) == set(real.required) or "(C" in text, name


@given(signatures(), st.sampled_from(["", "@staticmethod", "@classmethod"]), st.booleans())
def test_the_parameters_of_a_method_are_those_a_caller_gives(
    signature: str,
    decorator: str,
    inherited: bool,
) -> None:
    first = {"": "self, ", "@staticmethod": "", "@classmethod": "cls, "}[decorator]
    text = f"class Base:\n    {decorator}\n    def method({first}{signature}): ...\n"
    name = "Child" if inherited else "Base"
    made = run(text + "class Child(Base): ...\n")
    assert made is not None

    method = find_method(name, "method", sources(text + "class Child(Base): ...\n"))

    assert method is not None
    assert getattr(method, "parameters", None) == truth(made[name]().method)
    assert getattr(method, "needs_instance", None) is (decorator == "")
