"""Finds the provider's own words in LiteLLM's messages and makes them fit to be shown."""

import html
import json
import re

from runner.environment import Secrets

_LONGEST_QUOTE = 300
_LOOKED_AT = 10_000  # characters of a message; error pages can be of any size

# Keys that are not ours to know, as providers repeat them in their messages; our own are masked by value.
_KEY_SHAPES = re.compile(
    r"\b(?:sk|pk|rk|gsk|hf|xai|pplx|nvapi|csk|fw)[-_][\w*.-]{4,}"
    r"|\bAIza[\w-]{10,}"
    r"|(?<=Bearer )\S+"
    r"|(?<=[?&]key=)[^&\s\"']+"
)
# How LiteLLM opens a message: `litellm.RateLimitError: RateLimitError: OpenAIException - slow down`.
_OPENINGS = re.compile(r"(?:(?:litellm\.)?(?:[A-Z]\w*(?:Error|Exception|Timeout)|Timeout)(?: \w*Error)?(?::| -)\s*)+")
_MODULES = re.compile(r"\blitellm(?:\.\w+)*\.(?=\w)")
# The status once more, which stands before the words already.
_STATUS = re.compile(r"^Error code: \d{3}(?: - |$)")
# What LiteLLM adds at the end.
_ENDINGS = re.compile(r"\.? (?:Handle with `litellm\.|File an issue if litellm error|Received Headers=).*", re.DOTALL)
# Bodies of streamed answers come as Python writes bytes: b'{"error": …}'.
_BYTES = re.compile(r"b(['\"])(.*)\1", re.DOTALL)
_TRACEBACK = re.compile(r"\s*Traceback \(most recent call last\).*", re.DOTALL)
_WEB_PAGE = re.compile(r"<!doctype html|<html", re.IGNORECASE)
_TITLE = re.compile(r"<(title|h1)[^>]*>(.*?)</\1>", re.IGNORECASE | re.DOTALL)


def is_web_page(text: str) -> bool:
    """Whether there is a web page in the text, where JSON was expected."""
    return _WEB_PAGE.search(text) is not None


def quote(text: str, secrets: Secrets) -> str:
    """The provider's own words out of a LiteLLM message: no wrapping, one line, no keys, at most 300 characters."""
    text = _TRACEBACK.sub("", text[:_LOOKED_AT])
    text = _OPENINGS.sub("", text, count=1) if _OPENINGS.match(text) else text
    text = _STATUS.sub("", _MODULES.sub("", _plain(_ENDINGS.sub("", text))), count=1)
    if _WEB_PAGE.search(text):
        title = _TITLE.search(text)
        name = " ".join(html.unescape(title[2]).replace("\\n", " ").split()) if title else ""
        text = f"a web page titled {name!r}" if name else "a web page"
    text = " ".join(_inner_message(text).split())
    text = _KEY_SHAPES.sub("***", secrets.mask(text))
    return text if len(text) <= _LONGEST_QUOTE else text[: _LONGEST_QUOTE - 1].rstrip() + "…"


def _plain(text: str) -> str:
    found = _BYTES.fullmatch(text)
    return found[2].replace("\\'", "'").replace("\\\\", "\\") if found else text


def _inner_message(text: str) -> str:
    """The message inside a JSON error body, in any of the forms providers use."""
    start = text.find("{")
    if start < 0:
        return text
    try:
        body, _ = json.JSONDecoder().raw_decode(text, start)
    except (ValueError, RecursionError):
        return text
    found: object = body
    while isinstance(found, dict):
        found = next((found[key] for key in ("error", "message", "detail") if found.get(key)), None)
    return found if isinstance(found, str) else text
