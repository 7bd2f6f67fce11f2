"""Cut the text of an expression into tokens.

Only notation is decided here: what a comma, a superscript or an `x` stands for. What is ambiguous is refused, because a
wrong number is worse for a model than an error it can repair.
"""

import re
import unicodedata
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Literal

from runner.toolkit.arithmetic.values import MAX_DIGITS

MAX_LENGTH = 1_000

Kind = Literal["number", "name", "operator", "superscript", "open", "close", "comma", "end"]


@dataclass(frozen=True, kw_only=True)
class Token:
    """One token; `value` is set for numbers and superscripts, `spaced` says that white space stands before it."""

    kind: Kind
    text: str
    position: int
    spaced: bool = False
    value: Fraction = Fraction(0)


@dataclass(kw_only=True)
class _Bracket:
    """An open bracket: in a call or a list commas separate, elsewhere they group thousands."""

    separates: bool
    grouped: str = ""
    spaced_comma: bool = False


# Signs that models, word processors and keyboards put in the place of the ASCII ones.
_SIGNS = str.maketrans("×✕✖·⋅∙∗÷∕⁄−–﹣", "*******///---")  # noqa: RUF001 - look-alikes are the point
_WORDS = {"plus": "+", "minus": "-", "times": "*", "mod": "mod", "of": "of"}
_SUPERSCRIPTS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺", "0123456789-+")

_GROUPED = re.compile(r"(?:[1-9]\d{0,2}(?:,\d{3})+|[1-9]\d?(?:,\d\d)+,\d{3})(?![\d,]\d|\d)")
_NUMBER = re.compile(r"(?P<whole>\d+(?:_\d+)*)?(?:\.(?P<part>\d*))?(?:[eE](?P<exponent>[+-]?\d+))?")
_NAME = re.compile(r"(?:[Mm]ath\.)?(?P<name>[A-Za-zπτ][A-Za-z0-9_]*)")
_TIMES = re.compile(r"[xX](?=\s*[\d.(√∛∜]|\s+[A-Za-zπτ])")
_SUPERSCRIPT = re.compile(r"[⁻⁺]?[⁰¹²³⁴⁵⁶⁷⁸⁹]+")
_OPERATOR = re.compile(r"\*\*|//|[-+*/^%!°√∛∜]")
_SPACE = re.compile(r"\s*")


def tokenize(expression: str) -> tuple[Token, ...]:
    """Return the tokens of an expression, the last one of kind `end`; ValueError when a character has no meaning."""
    if len(expression) > MAX_LENGTH:
        raise ValueError(f"the expression has {len(expression):,} characters, at most {MAX_LENGTH:,} are allowed")
    text = _plain(expression)
    reader = _Reader(text=text)
    while reader.step():
        pass
    return tuple(reader.tokens)


def _plain(expression: str) -> str:
    """Write digits and signs of other scripts in ASCII, drop invisible characters and a trailing `=` or `= ?`."""
    characters = []
    for character in expression.translate(_SIGNS):
        if unicodedata.category(character) == "Cf":
            continue
        digit = unicodedata.decimal(character, None)
        wide = "！" <= character <= "～"  # noqa: RUF001 - the full-width forms of ASCII
        characters.append(
            str(digit) if digit is not None else unicodedata.normalize("NFKC", character) if wide else character
        )
    return re.sub(r"=\s*\??\s*$", "", "".join(characters))


@dataclass(kw_only=True)
class _Reader:
    text: str
    position: int = 0
    tokens: list[Token] = field(default_factory=list)
    brackets: list[_Bracket] = field(default_factory=list)

    def step(self) -> bool:
        """Read one token; False after the last."""
        space = _SPACE.match(self.text, self.position)
        start = space.end() if space else self.position
        spaced, self.position = start > self.position, start
        if start == len(self.text):
            self._add("end", "", spaced=spaced)
            return False
        character = self.text[start]
        if character.isdecimal() or (character == "." and self.text[start + 1 : start + 2].isdecimal()):
            self._number(spaced=spaced)
        elif self._after_operand() and (times := _TIMES.match(self.text, start)):
            self._add("operator", "*", length=len(times[0]), spaced=spaced)
        elif power := _SUPERSCRIPT.match(self.text, start):
            value = Fraction(int(power[0].translate(_SUPERSCRIPTS)))
            self._add("superscript", power[0], spaced=spaced, value=value)
        elif name := _NAME.match(self.text, start):
            self._name(name, spaced=spaced)
        elif operator := _OPERATOR.match(self.text, start):
            sign = {"**": "^"}.get(operator[0], operator[0])
            self._add("operator", sign, length=len(operator[0]), spaced=spaced)
        elif character in "([":
            self._open(character, spaced=spaced)
        elif character in ")]":
            self._close(character, spaced=spaced)
        elif character == "," and self.brackets and self.brackets[-1].separates:
            self.brackets[-1].spaced_comma |= self.text[start + 1 : start + 2].isspace()
            self._add("comma", ",", spaced=spaced)
        else:
            raise ValueError(self._refusal(character))
        return True

    def _add(
        self, kind: Kind, text: str, *, length: int | None = None, spaced: bool, value: Fraction = Fraction(0)
    ) -> None:
        self.tokens.append(Token(kind=kind, text=text, position=self.position + 1, spaced=spaced, value=value))
        self.position += len(text) if length is None else length

    def _after_operand(self) -> bool:
        if not self.tokens:
            return False
        last = self.tokens[-1]
        return last.kind in {"number", "close", "name", "superscript"} or last.text in {"!", "%", "°"}

    def _name(self, match: re.Match[str], *, spaced: bool) -> None:
        name = match["name"].casefold()
        # `mod(7, 3)` is a call, `7 mod 3` an operator.
        called = self.text[match.end() :].lstrip().startswith("(") and not self._after_operand()
        if name in _WORDS and not called:
            self._add("operator", _WORDS[name], length=len(match[0]), spaced=spaced)
        else:
            self._add("name", name, length=len(match[0]), spaced=spaced)

    def _open(self, character: str, *, spaced: bool) -> None:
        call = bool(self.tokens) and self.tokens[-1].kind == "name"
        self.brackets.append(_Bracket(separates=call or character == "["))
        self._add("open", character, spaced=spaced)

    def _close(self, character: str, *, spaced: bool) -> None:
        if self.brackets:
            bracket = self.brackets.pop()
            if bracket.grouped and bracket.spaced_comma:
                raise ValueError(_grouped_argument(bracket.grouped))
        self._add("close", character, spaced=spaced)

    def _number(self, *, spaced: bool) -> None:
        text, start = self.text, self.position
        if re.match(r"0[xX][\da-fA-F]", text[start:]):
            raise ValueError(
                f"{text[start : start + 3]!r} may be hexadecimal or a product; write a decimal number or '*'"
            )
        grouped, digits = _GROUPED.match(text, start), ""
        if grouped and self.brackets and self.brackets[-1].separates:
            # max(100,200) has two arguments; nobody writes 000, so max(1,000) is one number or a slip.
            if ",0" in grouped[0]:
                raise ValueError(_grouped_argument(grouped[0]))
            self.brackets[-1].grouped = grouped[0]
        elif grouped:
            digits = grouped[0].replace(",", "")
        rest = _NUMBER.match(text, start + len(grouped[0]) if grouped and digits else start)
        if rest is None:  # pragma: no cover - every part of the pattern is optional, so it always matches
            raise ValueError(self._refusal(text[start]))
        whole, part, exponent = (
            digits or (rest["whole"] or "").replace("_", ""),
            rest["part"] or "",
            int(rest["exponent"] or 0),
        )
        if len(whole) + len(part) + abs(exponent) > MAX_DIGITS:
            raise ValueError(f"{text[start : start + 12]!r} has more than {MAX_DIGITS:,} digits")
        value = Fraction(int(whole + part or "0")) * Fraction(10) ** (exponent - len(part))
        self._add("number", text[start : rest.end()], spaced=spaced, value=value)

    def _refusal(self, character: str) -> str:
        advice = {
            ",": "a comma groups thousands (1,234.5) or separates arguments (max(1, 2)); the decimal sign is '.'",
            "=": "give one expression to compute, without '='",
            "|": "write abs(x)",
            "'": "give the expression itself, without quotes",
            '"': "give the expression itself, without quotes",
            ".": "names have no parts: write sqrt(2), not a.sqrt(2)",
            "$": "leave out currency signs",
            "€": "leave out currency signs",
            "£": "leave out currency signs",
        }.get(character, "use numbers, + - * / ^ ( ) and functions, for example 2 * (3 + 4)")
        return f"unexpected character {character!r} at position {self.position + 1}: {advice}"


def _grouped_argument(text: str) -> str:
    number = text.replace(",", "")
    return (
        f"'{text}' inside a call may be one number: write {number}, or put a space after commas that separate arguments"
    )
