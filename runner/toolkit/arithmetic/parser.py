"""Evaluate the tokens of an expression, by precedence climbing.

From loose to tight: `+ -`, then `* / // % mod of` and products without a sign, then the signs `+ -` before a number,
`^` (from the right, -2^2 is -4), and last `! % °` and superscripts behind a number.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from fractions import Fraction

from runner.suggest import did_you_mean
from runner.toolkit.arithmetic import values
from runner.toolkit.arithmetic.functions import CONSTANTS, FUNCTIONS, factorial, radians, root
from runner.toolkit.arithmetic.tokens import Token
from runner.toolkit.arithmetic.values import Number

MAX_DEPTH = 40

_ROOTS = {"√": 2, "∛": 3, "∜": 4}
_PRODUCTS: Mapping[str, Callable[[Number, Number], Number]] = {
    "*": values.multiply,
    "of": values.multiply,
    "/": values.divide,
    "//": lambda left, right: values.floor(values.divide(left, right)),
    "%": values.modulo,
    "mod": values.modulo,
}


@dataclass(frozen=True, kw_only=True)
class _Operand:
    """A value, and whether it was written as a percentage or as a quotient."""

    value: Number
    form: str = ""


def evaluate(tokens: Sequence[Token]) -> Number:
    """The value of an expression; ValueError for what is not one, and for what has no value."""
    parser = _Parser(tokens=tokens)
    if parser.done():
        raise ValueError("the expression is empty; give one such as 2 * (3 + 4)")
    value = parser.sum().value
    if not parser.done():
        raise ValueError(f"expected an operator such as + or *, found {_shown(parser.next)}")
    return value


def _shown(token: Token) -> str:
    return "the end of the expression" if token.kind == "end" else f"'{token.text[:20]}' at position {token.position}"


def _unknown(name: str) -> str:
    if len(name) == 1:
        return f"unknown name '{name}': there are no variables, write the number it stands for"
    names = sorted([*FUNCTIONS, *CONSTANTS])
    return f"unknown name '{name[:20]}': {did_you_mean(name, names) or 'known are ' + ', '.join(names)}"


@dataclass(kw_only=True)
class _Parser:
    tokens: Sequence[Token]
    index: int = 0
    depth: int = 0

    @property
    def next(self) -> Token:
        return self.tokens[self.index]

    def done(self) -> bool:
        return self.next.kind == "end"

    def take(self) -> Token:
        token = self.next
        self.index += not self.done()
        return token

    def accept(self, *texts: str) -> str:
        """Take the next token when it is one of these operators, and return its text."""
        found = self.next.kind in {"operator", "comma"} and self.next.text in texts
        return self.take().text if found else ""

    @contextmanager
    def deeper(self) -> Iterator[None]:
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise ValueError(f"the expression is nested more than {MAX_DEPTH} deep; compute it in parts")
        yield
        self.depth -= 1

    def sum(self) -> _Operand:
        left = self.product()
        while sign := self.accept("+", "-"):
            right = self.product()
            if right.form == "percent" and left.form != "percent" and left.value != 1:  # 1 + 10% is 1.1 in any reading
                raise ValueError(
                    "adding a percentage is ambiguous: write 200 * (1 + 10%) for 10 percent more, or 200 + 0.1"
                )
            combine = values.add if sign == "+" else values.subtract
            left = _Operand(value=combine(left.value, right.value))
        return left

    def product(self) -> _Operand:
        left, last = self.signed(), ""
        while True:
            sign = self.accept(*_PRODUCTS)
            if not sign and not self._starts_factor():
                return left
            if not sign and last in {"/", "//", "%", "mod"}:
                raise ValueError("1/2(3) is ambiguous: write (1/2)*(3) or 1/(2*3), with * for every product")
            if sign == "of" and not left.form:
                raise ValueError("'of' needs a percentage or a fraction before it, for example 25% of 80")
            right = self.signed()
            value = _PRODUCTS[sign or "*"](left.value, right.value)
            left, last = _Operand(value=value, form="quotient" if sign == "/" else ""), sign

    def _starts_factor(self) -> bool:
        """Whether a product without a sign goes on here: 2(3), 2pi, (1)(2), 2√9, but not 2 3."""
        return self.next.kind in {"name", "open"} or self.next.text in _ROOTS

    def signed(self) -> _Operand:
        negative = False
        while sign := self.accept("+", "-"):
            negative ^= sign == "-"
        operand = self.power()
        return _Operand(value=values.negate(operand.value), form=operand.form) if negative else operand

    def power(self) -> _Operand:
        base = self.postfix()
        if not self.accept("^"):
            return base
        with self.deeper():
            exponent = self.signed()
        return _Operand(value=values.power(base.value, exponent.value))

    def postfix(self) -> _Operand:
        rooted = self.next.text in _ROOTS
        with self.deeper():
            operand = _Operand(value=self.atom())
        while True:
            if self.next.kind == "superscript":
                operand = _Operand(value=values.power(operand.value, self.take().value))
            elif self.accept("°"):
                operand = _Operand(value=radians(operand.value))
            elif self._is_percent() and self.accept("%"):
                operand = _Operand(value=values.divide(operand.value, Fraction(100)), form="percent")
            elif self.accept("!"):
                if rooted or self.next.text == "!":
                    raise ValueError("write factorial(n) with brackets here: √9! and 3!! are ambiguous")
                operand = _Operand(value=factorial(operand.value))
            else:
                return operand

    def _is_percent(self) -> bool:
        """Whether `%` is a percent sign; it means modulo when a number follows: 17 % 5."""
        sign = self.next
        if sign.text != "%":
            return False
        after, beyond = self.tokens[self.index + 1], self.tokens[min(self.index + 2, len(self.tokens) - 1)]
        if after.text in {"+", "-"}:
            if after.spaced and not sign.spaced:  # 10% - 3
                return True
            if sign.spaced and not beyond.spaced:  # 10 % -3
                return False
        elif after.kind not in {"number", "name", "open"} and after.text not in _ROOTS:
            return True
        elif sign.spaced or not after.spaced:  # 10 % 3 and 10%3, but not 10% 3
            return False
        raise ValueError(f"'%' at position {sign.position} is ambiguous: write mod(10, 3) or (10%) * 3 or (10%) - 3")

    def atom(self) -> Number:
        token = self.take()
        if token.kind == "number":
            if self.next.kind == "number":
                raise ValueError(f"expected an operator between '{token.text[:20]}' and {_shown(self.next)}")
            return token.value
        if token.kind == "open" and token.text == "(":
            value = self.sum().value
            self._close(")")
            if self.next.kind == "number":
                raise ValueError(f"expected an operator before {_shown(self.next)}")
            return value
        if token.kind == "name":
            return self._named(token)
        if token.text in _ROOTS:
            with self.deeper():
                return root(self.atom(), Fraction(_ROOTS[token.text]))
        raise ValueError(f"expected a number, found {_shown(token)}")

    def _named(self, token: Token) -> Number:
        called = self.next.text == "("
        if token.text in CONSTANTS:
            if called:
                raise ValueError(f"'{token.text}' is a number, not a function; write {token.text} * (…)")
            return +CONSTANTS[token.text]
        if token.text not in FUNCTIONS:
            raise ValueError(_unknown(token.text))
        if not called:
            raise ValueError(
                f"expected '(' after '{token.text}', found {_shown(self.next)}; for example {token.text}(2)"
            )
        self.take()
        arguments = self._arguments()
        self._close(")")
        return FUNCTIONS[token.text].call(token.text, arguments)

    def _arguments(self) -> list[Number]:
        """The arguments of a call; a list in square brackets counts as its members."""
        arguments: list[Number] = []
        opening = self.index
        while self.next.kind != "close":
            if self.next.text == "[" and self.index == opening:
                self.take()
                arguments += self._arguments()
                self._close("]")
            else:
                arguments.append(self.sum().value)
            if not self.accept(","):
                break
        return arguments

    def _close(self, bracket: str) -> None:
        if self.next.text != bracket:
            raise ValueError(f"expected '{bracket}', found {_shown(self.next)}")
        self.take()
