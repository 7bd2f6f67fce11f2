"""How long a provider asks to be left alone, in all the ways they say it (field bug B59)."""

from datetime import UTC, datetime
from math import isfinite

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runner.models.retry_after import seconds_to_wait

NOW = datetime(2026, 11, 30, 12, 0, 0, tzinfo=UTC)
GEMINI = '{"error": {"details": [{"@type": "google.rpc.RetryInfo", "retryDelay": "34s"}]}}'


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, None),
        ({"retry-after": "7"}, 7),
        ({"retry-after": " 1.5 "}, 1.5),
        ({"retry-after": "0"}, 0),
        ({"retry-after-ms": "250", "retry-after": "1"}, 0.25),
        ({"retry-after": "Mon, 30 Nov 2026 12:00:30 GMT"}, 30),
        ({"retry-after": "Mon, 30 Nov 2026 14:00:30 +0200"}, 30),
        ({"retry-after": "Mon, 30 Nov 2026 11:59:00 GMT"}, 0),
        ({"retry-after": "Mon, 30 Nov 2026 12:00:30"}, 30),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "-3"}, None),
        ({"retry-after": "nan"}, None),
        ({"retry-after": "inf"}, None),
        ({"retry-after": "1e9"}, None),
        ({"retry-after": ""}, None),
        ({"x-ratelimit-remaining-tokens": "0", "x-ratelimit-reset-tokens": "6m0s"}, 360),
        ({"x-ratelimit-remaining-requests": "0", "x-ratelimit-reset-requests": "88ms"}, 0.088),
        ({"x-ratelimit-remaining-requests": "3", "x-ratelimit-reset-requests": "1h0m1.5s"}, None),
        ({"x-ratelimit-remaining-requests": "0", "x-ratelimit-reset-requests": "1h0m1.5s"}, 3601.5),
        ({"x-ratelimit-remaining-requests": "0", "x-ratelimit-reset-requests": "later"}, None),
        ({"x-ratelimit-remaining-requests": "0"}, None),
    ],
    ids=repr,
)
def test_headers_are_read(headers: dict[str, str], seconds: float | None) -> None:
    assert seconds_to_wait(headers, "", now=NOW) == (None if seconds is None else pytest.approx(seconds))


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        (GEMINI, 34),
        (repr(GEMINI.encode()), 34),
        ("Please retry in 20.5s.", 20.5),
        ("it took 20s", None),
        ("", None),
    ],
)
def test_text_is_read_where_headers_say_nothing(text: str, seconds: float | None) -> None:
    assert seconds_to_wait({}, text) == seconds
    assert seconds_to_wait({"retry-after": "1"}, text) == 1


@given(st.text(max_size=40), st.text(max_size=40))
def test_any_text_is_a_time_or_none(header: str, text: str) -> None:
    for name in ("retry-after", "retry-after-ms", "x-ratelimit-reset-tokens"):
        seconds = seconds_to_wait({name: header, "x-ratelimit-remaining-tokens": "0"}, text)
        assert seconds is None or (isfinite(seconds) and seconds >= 0)
