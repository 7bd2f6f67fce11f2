"""The tool `current_time`: the date and time at a place."""

from datetime import UTC, datetime, timedelta

from runner.toolkit.places.find import find

_WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")  # strftime would translate


def current_time(place: str = "UTC") -> str:
    """Tell the current date and time at a place.

    Args:
        place: City, country or time zone, for example "Tokyo", "Norway", "America/New_York" or "UTC+2".

    Returns:
        Date, time, weekday and time zone, for example "2026-11-30 17:05 (Monday), Asia/Tokyo, UTC+09:00".

    Raises:
        ValueError: The place is unknown, or has several time zones.
    """
    return describe(datetime.now(UTC), place)


def describe(now: datetime, place: str) -> str:
    """The moment `now` (with a time zone) as date, time, weekday and zone of a place; ValueError as `current_time`."""
    label, zone = find(place if place.strip() else "UTC", now)
    there = now.astimezone(zone)
    offset = there.utcoffset() or timedelta()
    hours, minutes = divmod(abs(offset) // timedelta(minutes=1), 60)
    shift = f"UTC{'-' if offset < timedelta() else '+'}{hours:02}:{minutes:02}"
    parts = [f"{there:%Y-%m-%d %H:%M} ({_WEEKDAYS[there.weekday()]})"]
    return ", ".join([*parts, label, shift] if label not in {"", "UTC"} else [*parts, label or shift])
