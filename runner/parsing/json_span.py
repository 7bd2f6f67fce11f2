"""Finds where a JSON value that begins at a given place of a text ends."""

import json

# strict=False: models write real line breaks inside strings.
_DECODER = json.JSONDecoder(strict=False)


def span_end(text: str, begin: int) -> int | None:
    """The position behind the JSON value that begins at `begin`; None when there is none, or it is broken."""
    try:
        return _DECODER.raw_decode(text, begin)[1]
    except (ValueError, RecursionError):
        return None
