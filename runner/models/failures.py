"""What went wrong between here and a provider, in one line for a person: what happened, and what to do about it."""

import os
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from http import HTTPStatus
from urllib.parse import urlsplit

from runner.engine.ports import ModelError
from runner.environment import Secrets
from runner.models.providers import NO_KEY, Route
from runner.models.quoting import is_web_page, quote

# What LiteLLM gives as status when the provider's answer had none that says anything; 500 may also be the provider's.
_NO_STATUS = (0, 200, 500)
_CUT = re.compile(r"Server disconnected|Connection reset|payload is not completed|peer closed|before a finish_reason")
_NOT_JSON = re.compile(r"Unable to get json response|Empty or invalid response|Expecting |Unterminated string")
_NO_CHOICES = re.compile(r"response with no 'choices'")
_NO_CREDENTIALS = re.compile(
    r"Missing credentials|api_key client option must be set|API key is required", re.IGNORECASE
)


@dataclass(frozen=True, kw_only=True, slots=True)
class Failure:
    """A failed call, taken apart.

    Attributes:
        kinds: the names of the exception's class and its base classes.
        causes: the names of the classes of what it was raised from; LiteLLM's own class says little about those.
        reason: what the operating system said, if it was a matter of the connection.
        status: the HTTP status; LiteLLM makes one up when there was no answer at all.
        raw: the exception's text.
        said: what the provider said in it, short, on one line and without keys.
        route: where the call went.
        seconds: how long it was allowed to take.
    """

    kinds: frozenset[str]
    causes: frozenset[str]
    reason: str
    status: int
    raw: str
    said: str
    route: Route
    seconds: float | None


@dataclass(frozen=True, kw_only=True, slots=True)
class _Rule:
    """A kind of failure: how it is known, and what is said about it. The first that fits counts."""

    when: Callable[[Failure], object]
    say: Callable[[Failure], str]
    configuration: bool = False


def explain(error: BaseException, route: Route, *, seconds: float | None, environ: Mapping[str, str]) -> ModelError:
    """The error a run ends with when asking a model raised `error`.

    Args:
        error: what LiteLLM or the client library below it raised; also TimeoutError.
        route: where the call went.
        seconds: how long it was allowed to take.
        environ: where the provider's key may have come from, to keep it out of the message.
    """
    error = getattr(error, "original_exception", None) or error
    raw = str(getattr(error, "message", None) or error)
    secrets = Secrets(filter(None, (route.api_key, *(environ.get(name) for name in route.key_variables))))
    chain = tuple(_chain(error))
    failure = Failure(
        kinds=frozenset(kind.__name__ for kind in type(error).__mro__),
        causes=frozenset(type(each).__name__ for each in chain),
        reason=next((_strerror(each) for each in reversed(chain) if isinstance(each, OSError)), ""),
        status=getattr(error, "status_code", None) or 0,
        raw=raw,
        said=quote(raw, secrets),
        route=route,
        seconds=seconds,
    )
    rule = next(rule for rule in _RULES if rule.when(failure))
    return ModelError(rule.say(failure), configuration=rule.configuration)


def no_choices(name: str) -> str:
    """What is said when a provider answers without an answer."""
    return f"{name} returned no choices: the provider sent no reply and no reason"


def _chain(error: BaseException) -> Iterator[BaseException]:
    """An exception and what it was raised from, at most a dozen: some libraries make circles."""
    following: BaseException | None = error
    for _ in range(12):
        if following is None:
            return
        yield following
        following = following.__cause__ or following.__context__


def _strerror(error: OSError) -> str:
    known = error.errno is not None and error.errno > 0
    return os.strerror(error.errno) if known and error.errno is not None else error.strerror or str(error)


def _host(route: Route) -> str:
    return urlsplit(route.api_base).netloc if route.api_base else f"the server of {route.provider}"


def _with_status(failure: Failure) -> str:
    try:
        return f"{failure.status} {HTTPStatus(failure.status).phrase}"
    except ValueError:
        return str(failure.status)


def _key_advice(failure: Failure) -> str:
    route = failure.route
    variable = route.key_variables[0] if route.key_variables else "MY_API_KEY"
    if route.api_key == NO_KEY:
        return (
            "no key was sent, because with `api_base` the one of the environment is not; "
            f"add `api_key: ${{{variable}}}` to `model`"
        )
    return "check `api_key` in `model`" if route.api_key else f"check {' or '.join(route.key_variables) or 'your key'}"


def _says(what: str, advice: str = "") -> Callable[[Failure], str]:
    """A message of the usual form: model, what happened, status, the provider's words, what to do."""

    def say(failure: Failure) -> str:
        words = f": {failure.said}" if failure.said else ""
        return f"{failure.route.name} {what} ({_with_status(failure)}){words}" + (f"; {advice}" if advice else "")

    return say


def _time_out(failure: Failure) -> str:
    within = f" within {failure.seconds:g} s" if failure.seconds is not None else " in time"
    return f"{failure.route.name} did not answer{within}; raise `timeout` in `model`, or ask for less"


_RULES = (
    _Rule(
        when=lambda failure: failure.causes & {"ImportError", "ModuleNotFoundError"},
        say=lambda failure: f"{failure.route.name} needs a Python package that is not installed: {failure.said}",
        configuration=True,
    ),
    _Rule(
        when=lambda failure: failure.status in _NO_STATUS and _NO_CREDENTIALS.search(failure.raw),
        say=lambda failure: f"{failure.route.name} needs an API key: {_key_advice(failure)}",
        configuration=True,
    ),
    _Rule(when=lambda failure: failure.kinds & {"Timeout", "TimeoutError"}, say=_time_out),
    _Rule(
        when=lambda failure: "UnsupportedParamsError" in failure.kinds,
        say=lambda failure: (
            f"{failure.route.name} does not take a parameter it was given: {failure.said}; "
            "take it out of `model`, or set `params: {drop_params: true}` to have such parameters left out"
        ),
        configuration=True,
    ),
    _Rule(
        when=lambda failure: "ContextWindowExceededError" in failure.kinds,
        say=lambda failure: (
            f"the conversation is too long for {failure.route.name}: {failure.said}; "
            "shorten the prompt or the tool results, or take a model with a larger context"
        ),
    ),
    _Rule(
        when=lambda failure: "ContentPolicyViolationError" in failure.kinds,
        say=_says("refused the request because of its content policy"),
    ),
    _Rule(
        when=lambda failure: failure.status in _NO_STATUS and _NO_CHOICES.search(failure.raw),
        say=lambda failure: no_choices(failure.route.name),
    ),
    _Rule(
        when=lambda failure: failure.causes & {"ConnectError", "ConnectTimeout", "ClientConnectorError"},
        say=lambda failure: (
            f"cannot connect to {_host(failure.route)} for {failure.route.name}: {failure.reason or failure.said}; "
            + ("check that it is running, and `api_base`" if failure.route.api_base else "check the network")
        ),
    ),
    _Rule(
        when=lambda failure: (
            failure.causes & {"ReadError", "RemoteProtocolError"}
            or (failure.status in _NO_STATUS and _CUT.search(failure.raw))
        ),
        say=lambda failure: f"{_host(failure.route)} broke off the connection before {failure.route.name} had answered",
    ),
    _Rule(
        when=lambda failure: failure.status in _NO_STATUS and is_web_page(failure.raw),
        say=lambda failure: (
            f"{_host(failure.route)} answered {failure.route.name} with {failure.said} instead of JSON; "
            "check `api_base`: it usually ends in /v1"
        ),
    ),
    _Rule(
        when=lambda failure: failure.status in _NO_STATUS and _NOT_JSON.search(failure.raw),
        say=lambda failure: f"{_host(failure.route)} sent a reply of {failure.route.name} that is not whole JSON",
    ),
    _Rule(
        when=lambda failure: failure.status == HTTPStatus.UNAUTHORIZED,
        say=lambda failure: _says("refused the API key", _key_advice(failure))(failure),
    ),
    _Rule(
        when=lambda failure: failure.status == HTTPStatus.FORBIDDEN,
        say=_says("may not be used with this API key"),
    ),
    _Rule(
        when=lambda failure: failure.status == HTTPStatus.NOT_FOUND,
        say=_says("was not found", "check the model's name, and `api_base` if there is one"),
    ),
    _Rule(
        when=lambda failure: failure.status == HTTPStatus.TOO_MANY_REQUESTS,
        say=_says("refused the request because of a rate limit or quota", "wait, or use another model or key"),
    ),
    _Rule(
        when=lambda failure: failure.status >= HTTPStatus.INTERNAL_SERVER_ERROR,
        say=_says("failed on the provider's side", "try again later"),
    ),
    _Rule(when=lambda failure: failure.status >= HTTPStatus.BAD_REQUEST, say=_says("refused the request")),
    _Rule(when=lambda _: True, say=lambda failure: f"{failure.route.name} failed: {failure.said or failure.raw}"),
)
