"""Whether and when a request that failed is sent again: only where that cannot do a thing twice."""

import random
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

from runner.tools.http.exchange import Reply
from runner.tools.http.failures import FailedExchangeError

_SAFE = frozenset({"GET", "HEAD", "OPTIONS"})
# Doing these twice is the same as doing them once (RFC 9110, 9.2.2).
_IDEMPOTENT = _SAFE | {"PUT", "DELETE"}
_TOO_MANY = 429
_PASSING = frozenset({502, 503, 504})
_LONGEST_PAUSE = 30.0


@dataclass(frozen=True, kw_only=True, slots=True)
class Retries:
    """The rules of one tool.

    Attributes:
        most: how often a call is sent again.
        repeatable: whether its author says that it may be.
        pause: seconds; the longest first pause, doubled each time.
    """

    most: int
    method: str
    repeatable: bool
    pause: float = 0.5

    def applies(self, outcome: Reply | FailedExchangeError) -> bool:
        """Whether sending it again may help, and cannot do harm."""
        may_repeat = self.repeatable or self.method in _IDEMPOTENT
        if isinstance(outcome, FailedExchangeError):
            # What we did not wait for may still be going on.
            return may_repeat and (self.method in _IDEMPOTENT or not outcome.timed_out)
        if outcome.status == _TOO_MANY:  # refused before anything was done
            return True
        passing = outcome.status in _PASSING or (outcome.status == 500 and self.method in _SAFE)
        return may_repeat and passing

    def seconds(self, attempt: int, outcome: Reply | FailedExchangeError) -> float:
        """How long to wait before the next one; `attempt` counts from 0.

        "Full jitter", https://aws.amazon.com/blogs/architecture/exponential-backoff-and-jitter/, but never less than
        the server asks for.
        """
        longest = min(_LONGEST_PAUSE, self.pause * 2**attempt)
        asked = retry_after(outcome) if isinstance(outcome, Reply) else None
        return max(asked or 0.0, random.uniform(0, longest))  # noqa: S311 - spreads load, keeps no secret


def retry_after(reply: Reply) -> float | None:
    """The seconds of `Retry-After`, a number or a date; None when it says nothing that can be used."""
    told = reply.headers.get("retry-after", "").strip()
    if told.isascii() and told.isdigit():
        return float(told[:9])
    try:
        when = parsedate_to_datetime(told)
        now = datetime.now(UTC)
        return max(0.0, (when.replace(tzinfo=when.tzinfo or UTC) - now).total_seconds())
    except (ValueError, OverflowError, TypeError, IndexError):  # a date as the server has it, not as it should be
        return None
