"""The named constants and functions an expression may use, each checked for its arguments and its size."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction

from runner.toolkit.arithmetic import values
from runner.toolkit.arithmetic.irrational import PI, TAU, E, arcsine, arctangent, sine_cosine
from runner.toolkit.arithmetic.values import MAX_BITS, TOO_LARGE, Number, as_integer, brief, inexact

CONSTANTS: Mapping[str, Decimal] = {
    "pi": PI,
    "π": PI,
    "tau": TAU,
    "τ": TAU,
    "e": E,
}


@dataclass(frozen=True, kw_only=True)
class Function:
    """A function of `least` to `most` numbers."""

    apply: Callable[..., Number]
    least: int
    most: int

    def call(self, name: str, arguments: Sequence[Number]) -> Number:
        """Apply the function; ValueError when the number of arguments is wrong."""
        if self.least <= len(arguments) <= self.most:
            return self.apply(*arguments) or Fraction(0)
        wanted = f"{self.least}" if self.least == self.most else f"{self.least} or {self.most}"
        if self.most > 2:
            wanted = "at least 1"
        noun = "argument" if wanted.endswith("1") else "arguments"
        raise ValueError(f"{name} takes {wanted} {noun}, found {len(arguments)} (commas separate arguments)")


def _integers(name: str, *numbers: Number) -> list[int]:
    found = [as_integer(number) for number in numbers]
    for number, integer in zip(numbers, found, strict=True):
        if integer is None:
            raise ValueError(f"{name} needs whole numbers, found {brief(number)}")
    return [integer for integer in found if integer is not None]


def _counts(name: str, *numbers: Number) -> list[int]:
    counts = _integers(name, *numbers)
    if min(counts) < 0:
        raise ValueError(f"{name} needs whole numbers from 0 on, found a negative one")
    return counts


def square_root(number: Number) -> Number:
    """The square root, exact when it is rational."""
    return root(number, Fraction(2))


def root(number: Number, degree: Number = Fraction(2)) -> Number:
    """The real root of the given degree."""
    (whole,) = _integers("root", degree)
    if whole < 1:
        raise ValueError("root needs a degree from 1 on, for example root(27, 3)")
    if number < 0:
        if whole % 2 == 0:
            raise ValueError("a negative number has no real root of even degree, so no square root")
        return -root(-number, degree)
    return values.power(number, Fraction(1, whole))


def factorial(number: Number) -> Number:
    """1 * 2 * … * number."""
    (count,) = _counts("factorial", number)
    if count > MAX_BITS or math.lgamma(count + 1) / math.log(2) > MAX_BITS:
        raise ValueError(TOO_LARGE)
    return Fraction(math.factorial(count))


def combinations(total: Number, chosen: Number) -> Number:
    """Ways to choose without order."""
    n, k = _counts("comb", total, chosen)
    k = min(k, n - k)
    # C(n, k) >= 2^k, and C(n, k) <= (e n / k)^k
    if k > MAX_BITS or (k > 0 and k * (math.log2(n) - math.log2(k) + math.log2(math.e)) > MAX_BITS):
        raise ValueError(TOO_LARGE)
    return Fraction(math.comb(n, k)) if k >= 0 else Fraction(0)


def permutations(total: Number, chosen: Number | None = None) -> Number:
    """Ways to choose with order."""
    n, k = _counts("perm", total, total if chosen is None else chosen)
    if k > n:
        return Fraction(0)
    if k == n:
        return factorial(Fraction(n))
    if k > MAX_BITS or (k > 0 and k * math.log2(n) > MAX_BITS):
        raise ValueError(TOO_LARGE)
    return Fraction(math.perm(n, k))


def _gcd(*numbers: Number) -> Number:
    return Fraction(math.gcd(*_integers("gcd", *numbers)))


def _lcm(*numbers: Number) -> Number:
    multiple: Number = Fraction(1)
    for number in _integers("lcm", *numbers):
        multiple = values.fit(Fraction(math.lcm(_integers("lcm", multiple)[0], number)))
    return multiple


def _positive(number: Number) -> Decimal:
    if number <= 0:
        raise ValueError(f"a logarithm needs a number above 0, found {brief(number)}")
    return inexact(number)


def logarithm(number: Number, base: Number | None = None) -> Number:
    """The natural logarithm, or the one of a base."""
    if base is None:
        return _positive(number).ln()
    if base == 1:
        raise ValueError("log needs a base other than 1, for example log(8, 2)")
    return _positive(number).ln() / _positive(base).ln()


def _sine(angle: Number) -> Number:
    return sine_cosine(inexact(angle))[0]


def _cosine(angle: Number) -> Number:
    return sine_cosine(inexact(angle))[1]


def _tangent(angle: Number) -> Number:
    sine, cosine = sine_cosine(inexact(angle))
    if not cosine:
        raise ValueError("tan is not defined at 90 degrees (pi/2) and its odd multiples")
    return sine / cosine


def _within_one(name: str, number: Number) -> Decimal:
    if _absolute(number) > 1:
        raise ValueError(f"{name} needs a number from -1 to 1, found {brief(number)}")
    return inexact(number)


def _arccosine(number: Number) -> Number:
    return values.subtract(PI / 2, arcsine(_within_one("acos", number)))


def _absolute(number: Number) -> Number:
    return -number if number < 0 else number


def total(*numbers: Number) -> Number:
    """The sum."""
    result: Number = Fraction(0)
    for number in numbers:
        result = values.add(result, number)
    return result


def _mean(*numbers: Number) -> Number:
    return values.divide(total(*numbers), Fraction(len(numbers)))


def _median(*numbers: Number) -> Number:
    ordered = values.in_order(numbers)
    return _mean(ordered[(len(ordered) - 1) // 2], ordered[len(ordered) // 2])


def _round(number: Number, places: Number = Fraction(0)) -> Number:
    (whole,) = _integers("round", places)
    if abs(whole) > 100:
        raise ValueError("round takes at most 100 decimal places, for example round(3.14159, 2)")
    return values.nearest(number, whole)


def _ceil(number: Number) -> Number:
    return -values.floor(-number)


def _truncate(number: Number) -> Number:
    return _ceil(number) if number < 0 else values.floor(number)


def radians(degrees: Number) -> Number:
    """An angle in degrees as radians."""
    return values.multiply(degrees, PI / 180)


def _one(apply: Callable[[Number], Number]) -> Function:
    return Function(apply=apply, least=1, most=1)


def _two(apply: Callable[[Number, Number], Number]) -> Function:
    return Function(apply=apply, least=2, most=2)


def _up_to_two(apply: Callable[..., Number]) -> Function:
    return Function(apply=apply, least=1, most=2)


def _any(apply: Callable[..., Number]) -> Function:
    return Function(apply=apply, least=1, most=1_000)


FUNCTIONS: Mapping[str, Function] = {
    "abs": _one(_absolute),
    "acos": _one(_arccosine),
    "arccos": _one(_arccosine),
    "asin": _one(lambda number: arcsine(_within_one("asin", number))),
    "arcsin": _one(lambda number: arcsine(_within_one("asin", number))),
    "atan": _one(lambda number: arctangent(inexact(number))),
    "arctan": _one(lambda number: arctangent(inexact(number))),
    "average": _any(_mean),
    "avg": _any(_mean),
    "cbrt": _one(lambda number: root(number, Fraction(3))),
    "ceil": _one(_ceil),
    "comb": _two(combinations),
    "cos": _one(_cosine),
    "degrees": _one(lambda angle: values.divide(values.multiply(angle, Fraction(180)), PI)),
    "exp": _one(lambda number: inexact(number).exp()),
    "factorial": _one(factorial),
    "floor": _one(values.floor),
    "gcd": _any(_gcd),
    "lcm": _any(_lcm),
    "ln": _one(logarithm),
    "log": _up_to_two(logarithm),
    "log10": _one(lambda number: _positive(number).log10()),
    "log2": _one(lambda number: logarithm(number, Fraction(2))),
    "max": _any(lambda *numbers: values.in_order(numbers)[-1]),
    "mean": _any(_mean),
    "median": _any(_median),
    "min": _any(lambda *numbers: values.in_order(numbers)[0]),
    "mod": _two(values.modulo),
    "perm": _up_to_two(permutations),
    "pow": _two(values.power),
    "radians": _one(radians),
    "root": _up_to_two(root),
    "round": _up_to_two(_round),
    "sin": _one(_sine),
    "sqrt": _one(square_root),
    "sum": _any(total),
    "tan": _one(_tangent),
    "trunc": _one(_truncate),
}
