"""Reads how long a provider asks to be left alone, from the headers and the text of its refusal."""

import re
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from math import isfinite

_MILLISECONDS = 1000.0
_NUMBER = re.compile(r"\d{1,300}(?:\.\d{1,300})?")
_DURATION = re.compile(r"(?:(\d{1,6})h)?(?:(\d{1,6})m)?(?:(\d{1,9}(?:\.\d{1,6})?)s)?(?:(\d{1,9}(?:\.\d{1,6})?)ms)?")
# Gemini sends no header; its error body has `"retryDelay": "34s"`, and its text says the same again.
_IN_TEXT = re.compile(
    r"""retryDelay["'\\]{1,4}:\s*["'\\]{1,4}(\d{1,9}(?:\.\d{1,9})?)s|retry in (\d{1,9}(?:\.\d{1,9})?)s"""
)
_BUCKETS = ("requests", "tokens")


def seconds_to_wait(headers: Mapping[str, str], text: str, *, now: datetime | None = None) -> float | None:
    """Seconds until the provider wants to be asked again, never less than 0; None when it does not say.

    Args:
        headers: of its answer; names are lower-case.
        text: the body of its answer, or what is left of it.
        now: the time that dates are compared with, in UTC; None means the present.
    """
    milliseconds = _number(headers.get("retry-after-ms", ""))
    if milliseconds is not None:
        return milliseconds / _MILLISECONDS
    asked = headers.get("retry-after", "").strip()
    seconds = _number(asked) if asked else None
    if seconds is None and asked:
        seconds = _until(asked, now or datetime.now(UTC))
    if seconds is None:
        seconds = _refill(headers)
    if seconds is None and (found := _IN_TEXT.search(text)):
        seconds = float(found[1] or found[2])
    return seconds


def _number(text: str) -> float | None:
    text = text.strip()  # of more than float() strips
    return float(text) if _NUMBER.fullmatch(text) else None


def _until(date: str, now: datetime) -> float | None:
    """Seconds to an HTTP date (RFC 9110, 5.6.7); 0 when it has passed."""
    try:
        then = parsedate_to_datetime(date)
        seconds = (then.replace(tzinfo=then.tzinfo or UTC) - now).total_seconds()
    except (ValueError, OverflowError):
        return None
    return max(0.0, seconds) if isfinite(seconds) else None


def _refill(headers: Mapping[str, str]) -> float | None:
    """OpenAI's `x-ratelimit-reset-tokens: 6m0s`, for the kinds of which nothing is left."""
    resets = [
        _duration(headers.get(f"x-ratelimit-reset-{bucket}", ""))
        for bucket in _BUCKETS
        if headers.get(f"x-ratelimit-remaining-{bucket}") == "0"
    ]
    return max((each for each in resets if each is not None), default=None)


def _duration(text: str) -> float | None:
    parts = _DURATION.fullmatch(text) if text else None
    if parts is None:
        return None
    hours, minutes, seconds, milliseconds = (float(part or 0) for part in parts.groups())
    return hours * 3600 + minutes * 60 + seconds + milliseconds / _MILLISECONDS
