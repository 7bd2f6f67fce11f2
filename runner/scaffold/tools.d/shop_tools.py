"""Tools of the shop: what the model sees is the signature and the docstring."""

_HOURS = {
    "Monday": "09:00 to 18:00",
    "Tuesday": "09:00 to 18:00",
    "Wednesday": "09:00 to 13:00",
    "Thursday": "09:00 to 20:00",
    "Friday": "09:00 to 18:00",
    "Saturday": "10:00 to 14:00",
    "Sunday": None,
}


def opening_hours(day: str) -> str:
    """When the shop is open on a day of the week.

    Args:
        day: The day in English, such as Monday.
    """
    name = day.strip().capitalize()
    if name not in _HOURS:
        # What a tool raises is told to the model, which can then call it again.
        raise ValueError(f"there is no day {day!r}; the days are {', '.join(_HOURS)}")
    hours = _HOURS[name]
    return f"open on {name} from {hours}" if hours else f"closed on {name}"
