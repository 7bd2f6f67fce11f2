"""Whether a filter or test of a template is given the arguments it takes."""

import inspect
from collections.abc import Callable
from functools import cache

from jinja2 import nodes


def wrong_arguments(node: nodes.Filter | nodes.Test, function: object) -> str | None:
    """What is wrong with the number or names of the arguments; None when nothing is, or nobody can tell."""
    if node.dyn_args is not None or node.dyn_kwargs is not None or not callable(function):
        return None
    signature = _signature(function)
    if signature is None:
        return None
    # The value itself, and for some the environment before it. What Jinja wraps around a filter takes one always, and
    # tells the signature of the filter.
    first = 2 if hasattr(inspect.unwrap(function), "jinja_pass_arg") else 1
    named = dict.fromkeys(str(keyword.key) for keyword in node.kwargs)
    try:
        signature.bind(*[None] * (first + len(node.args)), **named)
    except TypeError as error:
        return str(error)
    return None


@cache
def _signature(function: Callable[..., object]) -> inspect.Signature | None:
    try:
        return inspect.signature(function)
    except (ValueError, TypeError):  # of a builtin that does not tell
        return None
