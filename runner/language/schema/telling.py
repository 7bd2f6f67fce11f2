"""Makes what tells how values do not fit: only when one does not, because its library is slow to import."""

from functools import cache
from typing import TYPE_CHECKING

from runner.spec import JsonObject

if TYPE_CHECKING:
    from runner.language.schema.library import Checker


def of_ours(schema: JsonObject) -> "Checker":
    """What tells of values that do not fit one of our own schemas."""
    from runner.language.schema.library import Checker, inlined  # noqa: PLC0415 - slow, see above

    return Checker(inlined(schema))


def of_authored(schema: JsonObject) -> "Checker":
    """What tells of values that do not fit a schema which somebody else wrote."""
    from runner.language.schema.library import Checker  # noqa: PLC0415 - slow, see above

    return Checker(schema, authored=True)


@cache
def of_schemas() -> "Checker":
    """What tells why something is no JSON Schema."""
    from runner.language.schema.library import META_SCHEMA, Checker  # noqa: PLC0415 - slow, see above

    return Checker(META_SCHEMA, formats=("regex",))
