"""How long to wait before a request is sent again."""

from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runner.tools.http.exchange import Reply
from runner.tools.http.failures import FailedExchangeError
from runner.tools.http.retrying import Retries, retry_after


def asked(text: str) -> float | None:
    return retry_after(Reply(status=503, headers={"retry-after": text}))


def test_retry_after_is_seconds_or_a_date() -> None:
    later = datetime.now(UTC) + timedelta(seconds=100)

    assert asked("7") == 7
    assert asked(format_datetime(later, usegmt=True)) == pytest.approx(100, abs=30)
    assert asked("Thu, 01 Jan 1970 00:00:00 GMT") == 0
    assert asked("Thu, 01 Jan 1970 00:00:00") == 0
    assert retry_after(Reply(status=503)) is None


@given(st.text())
def test_any_retry_after_is_a_wait_or_nothing(text: str) -> None:
    seconds = asked(text)

    assert seconds is None or seconds >= 0


def test_pauses_grow_but_never_go_below_what_is_asked() -> None:
    retries = Retries(most=9, method="GET", repeatable=False, pause=0.5)
    longest = [max(retries.seconds(attempt, Reply(status=503)) for _ in range(300)) for attempt in (0, 3, 20)]

    assert 0.3 < longest[0] <= 0.5
    assert 2 < longest[1] <= 4
    assert 15 < longest[2] <= 30
    assert retries.seconds(0, Reply(status=429, headers={"retry-after": "60"})) == 60


@pytest.mark.parametrize("method", ["POST", "PATCH"])
def test_what_we_did_not_wait_for_is_never_done_again(method: str) -> None:
    retries = Retries(most=1, method=method, repeatable=True)

    assert not retries.applies(FailedExchangeError("late", timed_out=True))
    assert retries.applies(FailedExchangeError("closed"))


@pytest.mark.parametrize(
    ("method", "status", "applies"),
    [
        ("GET", 500, True),
        ("PUT", 500, False),
        ("PUT", 503, True),
        ("DELETE", 504, True),
        ("POST", 503, False),
        ("PATCH", 429, True),
        ("GET", 404, False),
    ],
)
def test_which_statuses_are_worth_a_retry(method: str, status: int, *, applies: bool) -> None:
    assert Retries(most=1, method=method, repeatable=False).applies(Reply(status=status)) is applies
