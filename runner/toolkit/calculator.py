"""The tool `calculator`: arithmetic a model can trust."""

from decimal import Overflow, Underflow, localcontext

from runner.toolkit.arithmetic.parser import evaluate
from runner.toolkit.arithmetic.tokens import tokenize
from runner.toolkit.arithmetic.values import CONTEXT, TOO_LARGE, display


def calculator(expression: str) -> str:
    """Compute an arithmetic expression exactly.

    Args:
        expression: For example "2 * (3 + 4)^2", "15% of 80" or "round(sqrt(2), 3)". Angles are in radians (30° works),
            log is the natural logarithm (also log10, log2, log(x, base)).

    Returns:
        The number as text.

    Raises:
        ValueError: The expression cannot be understood, has no value, or its value is too large.
    """
    tokens = tokenize(expression)
    with localcontext(CONTEXT):
        try:
            return display(evaluate(tokens))
        except Overflow:
            raise ValueError(TOO_LARGE) from None
        except Underflow:
            raise ValueError("a number on the way is too small: closer to 0 than 10^-999,999") from None
