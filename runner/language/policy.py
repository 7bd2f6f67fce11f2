"""What a project allows its agents to spend: its policy, and which limits go beyond it."""

from collections.abc import Iterator, Mapping
from dataclasses import fields

from runner.diagnostics import Location, Related
from runner.language.document import Document
from runner.language.durations import seconds
from runner.language.source import Path
from runner.spec import Json, LimitPolicy, Limits

LIMITS = frozenset(field.name for field in fields(Limits))
# Where `runner.yaml` has them.
MAXIMUM: Path = ("limits", "maximum")
REQUIRED: Path = ("limits", "required")


def policy_of(value: Json) -> LimitPolicy:
    """What of a policy can be understood; the schema tells what cannot."""
    policy = value if isinstance(value, dict) else {}
    required, maximum = policy.get("required"), policy.get("maximum")
    amounts = {name: amount(name, most) for name, most in maximum.items()} if isinstance(maximum, dict) else {}
    return LimitPolicy(
        required=tuple(name for name in required if isinstance(name, str)) if isinstance(required, list) else (),
        maximum={name: most for name, most in amounts.items() if most is not None},
    )


def amount(limit: str, value: Json) -> float | None:
    """A limit as a number (times in seconds); None for what is no limit, or no value of one."""
    is_time = limit.endswith("timeout")
    if (
        limit not in LIMITS
        or isinstance(value, bool)
        or not isinstance(value, (str, int, float) if is_time else (int, float))
    ):
        return None
    try:
        number = seconds(value) if is_time else float(value)
        return number if is_time or limit == "max_cost" else int(number)
    except (ValueError, OverflowError):
        return None


def beyond(limits: Json, policy: LimitPolicy, document: Document) -> Iterator[tuple[str, str, str, Related]]:
    """The limits that are above the maximum: each one's name, what is wrong, what to write, and the maximum's place.

    Args:
        limits: as an agent has them.
        policy: of its project.
        document: the project's `runner.yaml`.
    """
    for limit, maximum in policy.maximum.items():
        value = limits.get(limit) if isinstance(limits, Mapping) else None
        number = amount(limit, value)
        if number is None or number <= maximum:
            continue
        most = document.data["limits"]["maximum"][limit]
        message = f"limits.{limit}: {value} is more than the {most} that {document.file} allows"
        place = Location(file=document.file, span=document.span((*MAXIMUM, limit)))
        yield limit, message, f"write {most} or less", Related(message="the maximum is", location=place)
