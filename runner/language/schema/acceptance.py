"""Whether a document fits one of our own schemas, as a fast yes or no; the only file that knows jsonschema_rs.

It has a fiftieth of jsonschema's time. What does not fit is told by `library`; a property test holds the two equal.
"""

from runner.spec import Json, JsonObject


class Acceptance:
    """A schema of ours, ready to be held against documents."""

    def __init__(self, schema: JsonObject) -> None:
        # It takes ten milliseconds, which commands that check nothing need not wait for.
        from jsonschema_rs import Draft202012Validator  # noqa: PLC0415 - see above

        self._validator = Draft202012Validator(dict(schema))

    def accepts(self, value: Json) -> bool:
        """Whether the value fits; False as well when it has halves of surrogate pairs, which only Python knows."""
        try:
            return self._validator.is_valid(value)
        except UnicodeEncodeError:
            return False
