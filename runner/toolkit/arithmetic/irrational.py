"""Sine, cosine and their inverses for `Decimal`, by the recipes of the decimal module's documentation."""

from decimal import Decimal, localcontext

PI = Decimal(
    "3.14159265358979323846264338327950288419716939937510582097494459230781640628620899862803482534211706798214808651"
)

TAU = Decimal("6.2831853071795864769252867665590057683943387987502116419498891846156328125724179972560697")
E = Decimal("2.7182818284590452353602874713526624977572470936999595749669676277240766303535475945713822")

_LARGEST_ANGLE = Decimal("1e30")  # beyond it more digits of pi would be needed
_TINY = Decimal("1e-60")  # below it x and sin(x) agree, and x * x would underflow
_NOISE = Decimal("1e-40")


def sine_cosine(angle: Decimal) -> tuple[Decimal, Decimal]:
    """The sine and the cosine of an angle in radians; exactly 0 at multiples of pi/2; ValueError for huge angles."""
    if abs(angle) > _LARGEST_ANGLE:
        raise ValueError("the angle is too large: at most 10^30 radians")
    with localcontext(prec=90):
        quarter = (angle / (PI / 2)).to_integral_value()
        rest = angle - quarter * (PI / 2)
        if quarter and abs(rest) <= abs(angle) * _NOISE:
            rest = Decimal(0)
        sine, cosine = _series(rest)
        turned = [(sine, cosine), (cosine, -sine), (-sine, -cosine), (-cosine, sine)][int(quarter) % 4]
    return +turned[0], +turned[1]


def arctangent(number: Decimal) -> Decimal:
    """The angle in radians, between -pi/2 and pi/2, that has this tangent."""
    if abs(number) < _TINY:
        return number
    with localcontext(prec=70):
        if number < 0:
            angle = -arctangent(-number)
        elif number > 1:
            angle = PI / 2 - arctangent(1 / number)
        else:
            for _ in range(4):  # atan(x) = 2 atan(x / (1 + sqrt(1 + x^2))), until the series converges fast
                number /= 1 + (1 + number * number).sqrt()
            angle, term, step = Decimal(0), number, 1
            while abs(term) > _TINY * abs(number):
                angle += term / step
                term, step = -term * number * number, step + 2
            angle *= 16
    return +angle


def arcsine(number: Decimal) -> Decimal:
    """The angle in radians, between -pi/2 and pi/2, that has this sine."""
    if abs(number) == 1:
        return number * PI / 2
    return number if abs(number) < _TINY else arctangent(number / ((1 - number) * (1 + number)).sqrt())


def _series(angle: Decimal) -> tuple[Decimal, Decimal]:
    """Taylor series of sine and cosine, for angles up to pi/4."""
    if abs(angle) < _TINY:
        return angle, Decimal(1)
    sums, term, step = [Decimal(0), Decimal(0)], Decimal(1), 0
    while abs(term) > _TINY * abs(angle):
        sums[step % 2] += -term if step % 4 > 1 else term
        step += 1
        term = term * angle / step
    return sums[1], sums[0]
