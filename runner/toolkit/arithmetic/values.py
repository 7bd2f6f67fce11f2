"""Compute with numbers that stay exact as long as possible and never grow out of bounds.

A number is a `Fraction` while it is exact and a `Decimal` of `PRECISION` digits, never zero, once a function such as
`sin` made it irrational. Every result has a bounded size, so one operation costs at most milliseconds.
"""

import math
from collections.abc import Sequence
from decimal import Context, Decimal, DivisionByZero, InvalidOperation, Overflow, Underflow, localcontext
from fractions import Fraction
from typing import TypeAlias

Number: TypeAlias = Fraction | Decimal

MAX_DIGITS = 4_000  # stays below the 4,300 digits that Python converts to text
MAX_BITS = int(MAX_DIGITS * math.log2(10))
PRECISION = 50  # digits kept
TRUSTED = 40  # digits believed: what differs only behind them is noise
SHOWN = 15  # digits of an inexact result in the answer

CONTEXT = Context(
    prec=PRECISION, Emin=-999_999, Emax=999_999, traps=[DivisionByZero, InvalidOperation, Overflow, Underflow]
)

TOO_LARGE = (
    f"the result is too large: it would have more than {MAX_DIGITS:,} digits; "
    "for its size compute a logarithm instead, for example 1000000 * log10(9)"
)


def fit(result: Fraction) -> Number:
    """The exact result if its size allows, else rounded; ValueError for an integer that is too large."""
    if max(result.numerator.bit_length(), result.denominator.bit_length()) <= MAX_BITS:
        return result
    if result.denominator == 1:
        raise ValueError(TOO_LARGE)
    return inexact(result)


def inexact(number: Number) -> Decimal:
    """The number as a decimal of `PRECISION` digits."""
    return number if isinstance(number, Decimal) else Decimal(number.numerator) / Decimal(number.denominator)


def add(left: Number, right: Number) -> Number:
    """The sum; what is left when two inexact numbers cancel is noise and counts as zero."""
    if isinstance(left, Fraction) and isinstance(right, Fraction):
        return fit(left + right)
    terms = inexact(left), inexact(right)
    total = terms[0] + terms[1]
    if not total or total.adjusted() < max(term.adjusted() for term in terms) - TRUSTED:
        return Fraction(0)
    return total


def negate(number: Number) -> Number:
    """The number with the other sign."""
    return -number


def subtract(left: Number, right: Number) -> Number:
    """The difference."""
    return add(left, negate(right))


def multiply(left: Number, right: Number) -> Number:
    """The product."""
    if isinstance(left, Fraction) and isinstance(right, Fraction):
        return fit(left * right)
    return inexact(left) * inexact(right) if left and right else Fraction(0)


def divide(left: Number, right: Number) -> Number:
    """The quotient; ValueError when the divisor is zero."""
    if not right:
        raise ValueError("division by zero: the divisor is 0")
    if isinstance(left, Fraction) and isinstance(right, Fraction):
        return fit(left / right)
    return inexact(left) / inexact(right) if left else Fraction(0)


def floor(number: Number) -> Number:
    """The largest integer not above the number."""
    whole = _rational(number)
    return number if whole is None else Fraction(math.floor(whole))


def modulo(left: Number, right: Number) -> Number:
    """The remainder with the sign of the divisor, as in Python: -7 mod 3 is 2."""
    times = floor(divide(left, right))
    if isinstance(times, Decimal):
        raise ValueError(  # noqa: TRY004 - about the size of the number, which only happens to decide its type
            "the first number is too large for the remainder to be known; use whole numbers"
        )
    return subtract(left, multiply(right, times))


def as_integer(number: Number) -> int | None:
    """The number as an int, None when it is not whole."""
    whole = _rational(number)
    return whole.numerator if whole is not None and whole.denominator == 1 else None


def nearest(number: Number, places: int) -> Number:
    """Round to decimal places, halves away from zero as taught at school."""
    exact = _rational(number)
    if exact is None:
        return number
    scale = Fraction(10) ** places
    return fit(math.floor(abs(exact) * scale + Fraction(1, 2)) / scale * (-1 if exact < 0 else 1))


def power(base: Number, exponent: Number) -> Number:
    """The power, exact where it is rational: 8 ^ (1/3) is 2; ValueError where it is not real or too large."""
    whole = as_integer(exponent)
    if not base and exponent < 0:
        raise ValueError("division by zero: 0 has no negative power")
    if whole is not None:
        return _integer_power(base, whole)
    if base < 0:
        raise ValueError(
            "a negative number has no real power with a fraction as exponent; for odd roots use root(-8, 3)"
        )
    if isinstance(base, Fraction) and isinstance(exponent, Fraction):
        root = exact_root(base, exponent.denominator)
        if root is not None:
            return _integer_power(root, exponent.numerator)
    return inexact(base) ** inexact(exponent) if base else Fraction(0)


def exact_root(number: Fraction, degree: int) -> Fraction | None:
    """The rational root of a number that is not negative, None when the root is irrational."""
    numerator, denominator = _integer_root(number.numerator, degree), _integer_root(number.denominator, degree)
    return None if numerator is None or denominator is None else Fraction(numerator, denominator)


def in_order(numbers: Sequence[Number]) -> list[Number]:
    """The numbers from the smallest to the largest."""
    exact = [number for number in numbers if isinstance(number, Fraction)]
    return [*sorted(exact)] if len(exact) == len(numbers) else sorted(numbers, key=inexact)


def display(number: Number) -> str:
    """The number as text: integers and short decimals in full, everything else with `SHOWN` digits."""
    if isinstance(number, Fraction):
        if number.denominator == 1:
            return str(number.numerator)
        places = _decimal_places(number.denominator)
        if places is not None:
            sign, digits = "-" if number < 0 else "", str(abs(number.numerator) * 10**places // number.denominator)
            digits = digits.zfill(places + 1)
            return f"{sign}{digits[:-places]}.{digits[-places:]}"
    with localcontext(CONTEXT, prec=SHOWN):
        rounded = (+inexact(number)).normalize()
    if -7 <= rounded.adjusted() < SHOWN:
        return f"{rounded:f}"
    return f"{rounded:e}" if rounded else "0"


def brief(number: Number) -> str:
    """The number as text short enough for a message."""
    text = display(number)
    return text if len(text) <= 30 else f"{text[:12]}… ({len(text):,} characters)"


def _decimal_places(denominator: int) -> int | None:
    """How many decimals a fraction with this denominator ends after, None for endless or very long ones."""
    longest = 30
    return next((places for places in range(1, longest + 1) if 10**places % denominator == 0), None)


def _rational(number: Number) -> Fraction | None:
    """The trusted digits as a fraction, None for an inexact number too large to have decimals."""
    if isinstance(number, Fraction):
        return number
    if number.adjusted() >= TRUSTED:
        return None
    if number.adjusted() < -PRECISION:  # keeps the sign; the exact size would need a million digits
        return Fraction(1 if number > 0 else -1, 10**PRECISION) if number else Fraction(0)
    with localcontext(CONTEXT, prec=TRUSTED):
        return Fraction(+number)


def _integer_power(base: Number, exponent: int) -> Number:
    if isinstance(base, Decimal):
        return base ** Decimal(exponent)
    if base in {0, 1} or exponent == 0:
        return base if exponent else Fraction(1)
    if base == -1:
        return Fraction(-1 if exponent % 2 else 1)
    least_bits = (max(base.numerator.bit_length(), base.denominator.bit_length()) - 1) * abs(exponent)
    if least_bits <= MAX_BITS:
        return fit(base**exponent)
    if base.denominator == 1 and exponent > 0:
        raise ValueError(TOO_LARGE)
    return inexact(base) ** Decimal(exponent)


def _integer_root(number: int, degree: int) -> int | None:
    if number < 2:
        return number
    if degree >= number.bit_length():
        return None
    # Newton's method from just above the root, where it converges fast; it stops at the root rounded down.
    size = math.log2(number) / degree
    shift = max(int(size) - 50, 0)
    root, closer = 0, (int(2 ** (size - shift) * (1 + 1e-9)) + 2) << shift
    while not root or closer < root:
        root = closer
        closer = ((degree - 1) * root + number // root ** (degree - 1)) // degree
    return root if root**degree == number else None
