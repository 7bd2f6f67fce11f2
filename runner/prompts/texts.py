"""What tells a template from other texts, and what both have in common. Jinja is not needed for it."""

from collections.abc import Mapping

from runner.spec import Json


class PromptError(Exception):
    """A template cannot be rendered; the message is one line, `file:line: what (did you mean …)`."""


def is_template(source: str) -> bool:
    """Whether there is anything in the text for Jinja to do."""
    return "{{" in source or "{%" in source or "{#" in source


def plain(value: Json) -> Json:
    """A copy made of nothing but JSON types."""
    if value is None or type(value) in (str, int, float, bool):
        return value
    if isinstance(value, Mapping):
        return {str(key): plain(each) for key, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(each) for each in value]
    raise TypeError(f"a value of type {type(value).__name__} cannot be given to a template; give JSON values")
