"""One text of a declaration: its `${VAR}` filled in once, its `{{ … }}` with the arguments of each call.

Neither is ever read as the other: while the template is rendered, marks that nobody can guess stand for what came from
the environment.
"""

import re
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum, auto

from runner.environment import Unset, Variable, expand, parse
from runner.origins import further
from runner.prompts import Absent, Written, render_pieces, text_form
from runner.spec import Json, JsonObject, Text


class Nothing(Enum):
    """The value of a field one of whose arguments is not given."""

    NOTHING = auto()


NOTHING = Nothing.NOTHING


@dataclass(frozen=True, kw_only=True, slots=True)
class FromEnvironment:
    """A piece of a text that came from the environment.

    Attributes:
        unset: whether it is the variable itself, `${NAME}`, since only what would be sent is shown.
    """

    text: str
    unset: bool = False


Part = str | FromEnvironment | Written | Absent


@dataclass(frozen=True, kw_only=True, slots=True)
class Field:
    """A text of the declaration.

    Attributes:
        template: the text with a mark for each `${VAR}`.
        key: what makes the marks.
        filled: what the marks stand for.
        unset: those of `filled` that stand for themselves.
        secrets: those of `filled` that were really read from the environment.
    """

    template: Text
    key: str
    filled: tuple[str, ...]
    unset: frozenset[str]
    secrets: frozenset[str]

    def parts(self, arguments: JsonObject) -> tuple[Part, ...]:
        """The text in order: the author's own, what came from the environment, what the arguments gave.

        Raises:
            PromptError: the template cannot be rendered.
        """
        parts: list[Part] = []
        for piece in render_pieces(self.template, arguments):
            match piece:
                case str():
                    parts.extend(self._split(piece))
                case Written():
                    parts.append(Written(value=self._restored(piece.value)))
                case Absent():
                    parts.append(piece)
        return tuple(parts)

    def value(self, arguments: JsonObject) -> Json | Nothing:
        """What the text says: of one `{{ … }}` alone the value with its type, else text.

        Raises:
            PromptError: the template cannot be rendered.
            ValueError: a number in it cannot be written (NaN).
        """
        parts = self.parts(arguments)
        if len(parts) == 1 and isinstance(parts[0], Written):
            return parts[0].value
        texts: list[str] = []
        for part in parts:
            match part:
                case str():
                    texts.append(part)
                case FromEnvironment():
                    texts.append(part.text)
                case Written(value=None) | Absent():
                    return NOTHING
                case Written():
                    texts.append(text_form(part.value))
        return "".join(texts)

    def _split(self, text: str) -> list[Part]:
        pieces = re.split(f"\x04{self.key}:([0-9]+)\x05", text)
        parts = (
            self._from_environment(self.filled[int(piece)]) if place % 2 else piece
            for place, piece in enumerate(pieces)
        )
        return [part for part in parts if part != ""]

    def _from_environment(self, text: str) -> FromEnvironment:
        return FromEnvironment(text=text, unset=text in self.unset)

    def _restored(self, value: Json) -> Json:
        """The value of an expression that a `${VAR}` stands in: `{{ q or "${DEFAULT}" }}`."""
        if isinstance(value, str):
            text = re.sub(f"\x04{self.key}:([0-9]+)\x05", lambda found: self.filled[int(found[1])], value)
            if self.key in text:
                raise ValueError("a filter of the template cannot be used on a ${…}")
            return text
        if isinstance(value, Mapping):
            return {key: self._restored(each) for key, each in value.items()}
        return [self._restored(each) for each in value] if isinstance(value, list) else value


def read_field(value: str, origin: str, environ: Mapping[str, str]) -> Field:
    """A text of a declaration with its variables looked up.

    Raises:
        VariableError: one is not set, or a `${` is malformed.
    """
    key = f"{secrets.randbits(64):020}"
    template: list[str] = []
    filled: list[str] = []
    found: set[str] = set()
    unset: set[str] = set()
    for part in parse(value):
        if isinstance(part, str):
            template.append(part)
            continue
        place = further(origin, value.count("\n", 0, part.start))
        expanded = expand(Text(value=value[part.start : part.end], origin=place), environ)
        template.append(f"\x04{key}:{len(filled)}\x05")
        filled.append(expanded.value)
        found |= expanded.secrets
        if isinstance(part, Variable) and isinstance(environ, Unset) and expanded.value == f"${{{part.name}}}":
            unset.add(expanded.value)
    return Field(
        template=Text(value="".join(template), origin=origin),
        key=key,
        filled=tuple(filled),
        unset=frozenset(unset),
        secrets=frozenset(found),
    )
