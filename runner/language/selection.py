"""JMESPath, which selects from JSON: is an expression one, and what does it select; the only file that knows jmespath.

The library is imported when the first expression is looked at: most projects have none.
"""

import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from runner.spec import Json, JsonObject
from runner.suggest import did_you_mean


class SelectionError(ValueError):
    """An expression is none, or cannot be used on a value; the message is one line without the expression."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Mistake:
    """What is wrong with an expression; `start` counts characters from 0. As text it names the column, from 1."""

    message: str
    start: int
    suggestion: str | None = None

    def __str__(self) -> str:
        hint = f" ({self.suggestion})" if self.suggestion else ""
        return f"{self.message} at column {self.start + 1}{hint}"


class Selection:
    """A compiled expression."""

    def __init__(self, parsed: Any) -> None:
        self._parsed = parsed

    def search(self, value: Json) -> Json:
        """What the expression selects of a JSON value; None when it selects nothing.

        Raises:
            SelectionError: a function of the expression does not take what it is given.
        """
        from jmespath.exceptions import JMESPathError  # type: ignore[import-untyped]  # noqa: PLC0415 - see the top

        try:
            return self._parsed.search(value)
        except JMESPathError as error:
            raise SelectionError(" ".join(str(error).split())) from error
        except RecursionError as error:
            raise SelectionError("the value or the expression is nested too deep") from error
        except Exception as error:
            # The functions of the library check few of their arguments: what Python then raises (ceil of 1e999, a
            # number looked for in a text, an order of different types) depends on what a server sent.
            raise SelectionError(f"a function of it cannot take a value that it is given ({_words(error)})") from error


def compile(text: str) -> Selection:  # noqa: A001 - read as `selection.compile`, like `re.compile`
    """An expression, ready to be used.

    Raises:
        SelectionError: it is no expression; the message names the column.
    """
    parsed = _parse(text)
    if isinstance(parsed, Mistake):
        raise SelectionError(str(parsed))
    return Selection(parsed)


def check(text: str) -> Mistake | None:
    """What is wrong with an expression; None when nothing is."""
    parsed = _parse(text)
    return parsed if isinstance(parsed, Mistake) else None


def _parse(text: str) -> Any:
    """A mistake, or what the library makes of the text."""
    import jmespath  # type: ignore[import-untyped]  # noqa: PLC0415 - see the top
    from jmespath.exceptions import JMESPathError  # noqa: PLC0415 - see the top

    try:
        with warnings.catch_warnings():
            # `open` in backticks without quotes is old, and still in every other manual.
            warnings.simplefilter("ignore", PendingDeprecationWarning)
            parsed = jmespath.compile(text)
    except RecursionError:
        return Mistake(message="the expression is nested too deep", start=0)
    except (JMESPathError, ValueError) as error:  # ValueError: a number of very many digits
        return _mistake(error, text)
    return _unknown_function(parsed.parsed, text) or parsed


def _mistake(error: Exception, text: str) -> Mistake:
    from jmespath import exceptions  # noqa: PLC0415 - see the top

    match error:
        case exceptions.EmptyExpressionError():
            return Mistake(message="the expression is empty", start=0)
        case exceptions.IncompleteExpressionError():
            return Mistake(message="the expression is not complete, something is missing", start=len(text))
        case exceptions.LexerError():
            start = min(error.lexer_position, len(text))
            return Mistake(message=f"'{text[start : start + 10]}' is not understood", start=start)
        case exceptions.ParseError():
            found = f"'{error.token_value}'" if error.token_value else "the end"
            return Mistake(message=f"{found} is not expected", start=min(error.lex_position, len(text)))
        case _:
            return Mistake(message=" ".join(str(error).split()), start=0)


def _words(error: Exception) -> str:
    return " ".join(str(error).split()) or type(error).__name__


def _unknown_function(tree: JsonObject, text: str) -> Mistake | None:
    """The library looks for functions only when it calls them, which may be in the hundredth response."""
    from jmespath.functions import Functions  # type: ignore[import-untyped]  # noqa: PLC0415 - see the top

    known = Functions.FUNCTION_TABLE
    for name in _functions(tree):
        if name not in known:
            message = f"there is no function '{name}'"
            return Mistake(message=message, start=max(text.find(f"{name}("), 0), suggestion=did_you_mean(name, known))
    return None


def _functions(tree: JsonObject) -> Iterator[str]:
    waiting: list[JsonObject] = [tree]
    while waiting:
        node = waiting.pop()
        if node["type"] == "function_expression":
            yield node["value"]
        waiting.extend(reversed([child for child in node["children"] if isinstance(child, dict)]))
