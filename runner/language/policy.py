"""What a project allows its agents: its policy, and which of their limits and models go beyond it."""

from collections.abc import Iterator, Mapping
from dataclasses import fields
from typing import get_args

from runner.allowed_models import is_allowed, what_is_allowed
from runner.diagnostics import Location, Related
from runner.language.document import Document
from runner.language.durations import seconds
from runner.language.source import Path
from runner.spec import Json, LimitPolicy, Limits, Risk

# From the lowest up.
RISKS: tuple[Risk, ...] = get_args(Risk)
LIMITS = frozenset(field.name for field in fields(Limits))
# Where `runner.yaml` has them.
MAXIMUM: Path = ("limits", "maximum")
REQUIRED: Path = ("limits", "required")
MODELS: Path = ("models",)


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
        yield limit, message, f"write {most} or less", _related("the maximum is", document, (*MAXIMUM, limit))


def refused_models(
    model: Json, path: Path, models: tuple[str, ...], document: Document
) -> Iterator[tuple[Path, str, str, Related]]:
    """The models that are not allowed: each one's place, what is wrong, what to write, and the place of the policy.

    Passed over is what cannot be told yet (`${VAR}`, looked at by the run) and what has no provider, a mistake already.

    Args:
        model: a model with its fallbacks, as an agent has it.
        path: where in the agent.
        models: globs of those allowed.
        document: the project's `runner.yaml`.
    """
    for place, name in _named(model, path):
        if is_allowed(name, models):
            continue
        message = f"model '{name}' is not one that {document.file} allows"
        yield place, message, what_is_allowed(name, models), _related("the policy is", document, MODELS)


def _named(model: Json, path: Path) -> Iterator[tuple[Path, str]]:
    settings = model if isinstance(model, Mapping) else {"name": model}
    name = settings.get("name")
    if isinstance(name, str) and "${" not in name and ("/" in name or settings.get("api_base")):
        yield (path if isinstance(model, str) else (*path, "name")), name
    fallbacks = settings.get("fallbacks")
    for index, fallback in enumerate(fallbacks if isinstance(fallbacks, list) else ()):
        yield from _named(fallback, (*path, "fallbacks", index))


def _related(message: str, document: Document, path: Path) -> Related:
    return Related(message=message, location=Location(file=document.file, span=document.span(path)))
