"""The kinds of failed calls: how each is known, and whether asking again may help."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from http import HTTPStatus

from runner.models.evidence import Failure
from runner.models.failure_wording import (
    bad_address,
    broken_off,
    host,
    key_advice,
    no_choices,
    redirected,
    says,
    timed_out,
    too_long,
)
from runner.models.overflow import is_overflow
from runner.models.quoting import is_web_page
from runner.models.retry_after import seconds_to_wait

_CUT = re.compile(r"Server disconnected|Connection reset|payload is not completed|peer closed|before a finish_reason")
_ENDED_EMPTY = re.compile(r"before a finish_reason")
_NOT_JSON = re.compile(
    r"Unable to get json response|Empty or invalid response|Expecting |Unterminated string|Invalid control character"
)
_NO_CHOICES = re.compile(r"response with no 'choices'")
_NO_CREDENTIALS = re.compile(
    r"Missing credentials|api_key client option must be set|API key is required", re.IGNORECASE
)
# Statuses that may be gone a little later: RFC 9110 and 8470, Anthropic's 529, and Cloudflare's 520 to 524.
_PASSING = frozenset({408, 409, 425, 429, 500, 502, 503, 504, 529, *range(520, 525)})
_REFUSED_AS_TOO_LONG = frozenset({0, 400, 413, 422})
# A refusal of the 429 kind that no waiting ends. Gemini speaks of quota and billing also where it means the minute.
_SPENT = re.compile(
    r"insufficient_quota|exceeded your current quota|billing|credit balance|out of credits|payment required"
    r"|spending limit",
    re.IGNORECASE,
)
_TOO_LARGE_FOR_QUOTA = re.compile(r"request too large", re.IGNORECASE)
_BAD_ADDRESSES = frozenset({"InvalidURL", "InvalidUrlClientError", "NonHttpUrlClientError", "UnsupportedProtocol"})
_NO_TLS = frozenset({"ClientConnectorSSLError", "ClientConnectorCertificateError", "SSLCertVerificationError"})
# The kinds of an error that came in the middle of a reply, without a status.
_REFUSALS = frozenset({"invalid_request_error", "authentication_error", "permission_error", "not_found_error"})
_UNREADABLE = frozenset({"AttributeError", "IndexError", "KeyError", "TypeError", "ValidationError", "ValueError"})


@dataclass(frozen=True, kw_only=True, slots=True)
class Rule:
    """A kind of failure: how it is known, and what is said about it; the rest as in `ModelError`."""

    when: Callable[[Failure], object]
    say: Callable[[Failure], str]
    configuration: bool = False
    transient: bool = False
    overflow: bool = False


def _is_spent(failure: Failure) -> bool:
    """Whether waiting cannot help against a 429."""
    words = f"{failure.raw} {' '.join(failure.codes)}"
    if "insufficient_quota" in words or _TOO_LARGE_FOR_QUOTA.search(words):
        return True
    return _SPENT.search(words) is not None and seconds_to_wait({}, failure.raw) is None


_OF_CONFIGURATION = (
    Rule(
        when=lambda failure: failure.causes & {"ImportError", "ModuleNotFoundError"},
        say=lambda failure: f"{failure.route.name} needs a Python package that is not installed: {failure.said}",
        configuration=True,
    ),
    Rule(
        when=lambda failure: not failure.answered and _NO_CREDENTIALS.search(failure.raw),
        say=lambda failure: f"{failure.route.name} needs an API key: {key_advice(failure)}",
        configuration=True,
    ),
    Rule(
        when=lambda failure: "UnsupportedParamsError" in failure.kinds,
        say=lambda failure: (
            f"{failure.route.name} does not take a parameter it was given: {failure.said}; "
            "take it out of `model`, or set `params: {drop_params: true}` to have such parameters left out"
        ),
        configuration=True,
    ),
    Rule(when=lambda failure: failure.causes & _BAD_ADDRESSES, say=bad_address, configuration=True),
)
_OF_CONNECTION = (
    Rule(
        when=lambda failure: not failure.answered and failure.kinds & {"Timeout", "TimeoutError"},
        say=timed_out,
        transient=True,
    ),
    Rule(
        when=lambda failure: not failure.answered and failure.causes & _NO_TLS,
        say=lambda failure: (
            f"cannot make a secure connection to {host(failure.route)} for {failure.route.name}: "
            f"{failure.reason or failure.said}; check its certificate, and whether it is http:// or https://"
        ),
    ),
    Rule(
        when=lambda failure: (
            not failure.answered and failure.causes & {"ConnectError", "ConnectTimeout", "ClientConnectorError"}
        ),
        say=lambda failure: (
            f"cannot connect to {host(failure.route)} for {failure.route.name}: {failure.reason or failure.said}; "
            + ("check that it is running, and `api_base`" if failure.route.api_base else "check the network")
        ),
        transient=True,
    ),
    Rule(
        when=lambda failure: not failure.answered and failure.empty and _ENDED_EMPTY.search(failure.raw),
        say=lambda failure: (
            f"{host(failure.route)} sent nothing that is a reply of {failure.route.name}; check `api_base`"
        ),
    ),
    Rule(
        when=lambda failure: (
            not failure.answered and (failure.causes & {"ReadError", "RemoteProtocolError"} or _CUT.search(failure.raw))
        ),
        say=broken_off,
        transient=True,
    ),
)
_OF_REPLIES = (
    Rule(
        when=lambda failure: not failure.answered and failure.causes & {"HttpProcessingError", "DecodingError"},
        say=lambda failure: (
            f"{host(failure.route)} sent something for {failure.route.name} that is not HTTP, or damaged; "
            "check `api_base`"
        ),
    ),
    Rule(
        when=lambda failure: not failure.answered and _NO_CHOICES.search(failure.raw),
        say=lambda failure: no_choices(failure.route),
    ),
    Rule(
        when=lambda failure: not failure.answered and is_web_page(failure.raw),
        say=lambda failure: (
            f"{host(failure.route)} answered {failure.route.name} with {failure.said} instead of JSON; "
            "check `api_base`: it usually ends in /v1"
        ),
    ),
    Rule(
        when=lambda failure: not failure.answered and _NOT_JSON.search(failure.raw),
        say=lambda failure: f"{host(failure.route)} sent a reply of {failure.route.name} that is not whole JSON",
    ),
    Rule(
        when=lambda failure: "UnicodeDecodeError" in failure.causes,
        say=lambda failure: f"{host(failure.route)} sent a reply of {failure.route.name} that is not UTF-8 text",
    ),
    Rule(
        when=lambda failure: not failure.told and failure.causes & _UNREADABLE,
        say=lambda failure: (
            f"the exchange with {failure.route.name} could not be translated ({failure.said}): its reply is not of the "
            "provider's form, or `params` in `model` holds a value that it does not take"
        ),
    ),
)
_OF_PROVIDERS = (
    Rule(
        when=lambda failure: (
            "ContextWindowExceededError" in failure.kinds
            or (failure.status in _REFUSED_AS_TOO_LONG and failure.told and is_overflow(failure.raw))
        ),
        say=too_long,
        overflow=True,
    ),
    Rule(
        when=lambda failure: "ContentPolicyViolationError" in failure.kinds,
        say=says("refused the request because of its content policy"),
    ),
    Rule(when=lambda failure: HTTPStatus.MULTIPLE_CHOICES <= failure.status < HTTPStatus.BAD_REQUEST, say=redirected),
    Rule(
        when=lambda failure: failure.status == HTTPStatus.UNAUTHORIZED,
        say=lambda failure: says("refused the API key", key_advice(failure))(failure),
    ),
    Rule(
        when=lambda failure: failure.status == HTTPStatus.FORBIDDEN,
        say=says("may not be used with this API key"),
    ),
    Rule(
        when=lambda failure: failure.status == HTTPStatus.NOT_FOUND,
        say=says("was not found", "check the model's name, and `api_base` if there is one"),
    ),
    Rule(
        when=lambda failure: failure.status == HTTPStatus.TOO_MANY_REQUESTS and _is_spent(failure),
        say=says(
            "refused the request because of a quota that waiting does not restore",
            "check plan and billing, or use another model or key",
        ),
    ),
    Rule(
        when=lambda failure: failure.status == HTTPStatus.TOO_MANY_REQUESTS,
        say=says("refused the request because of a rate limit or quota", "wait, or use another model or key"),
        transient=True,
    ),
    Rule(
        when=lambda failure: failure.status >= HTTPStatus.INTERNAL_SERVER_ERROR and failure.status in _PASSING,
        say=says("failed on the provider's side", "try again later"),
        transient=True,
    ),
    Rule(
        when=lambda failure: failure.status >= HTTPStatus.INTERNAL_SERVER_ERROR,
        say=says("failed on the provider's side"),
    ),
    Rule(
        when=lambda failure: failure.status in _PASSING,
        say=says("could not take the request just now", "try again later"),
        transient=True,
    ),
    Rule(when=lambda failure: failure.status >= HTTPStatus.BAD_REQUEST, say=says("refused the request")),
    Rule(when=lambda failure: failure.codes & _REFUSALS, say=says("refused the request")),
    Rule(
        when=lambda failure: failure.told,
        say=says("sent an error instead of a reply", "try again later"),
        transient=True,
    ),
    Rule(when=lambda _: True, say=lambda failure: f"{failure.route.name} failed: {failure.said or failure.raw}"),
)
# The first that fits counts.
RULES = (*_OF_CONFIGURATION, *_OF_CONNECTION, *_OF_REPLIES, *_OF_PROVIDERS)
