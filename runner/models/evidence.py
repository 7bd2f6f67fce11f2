"""Takes a failed call apart: what was raised, and what the provider had answered, if anything."""

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from runner.engine.ports import ModelError
from runner.environment import Secrets
from runner.models.providers import Route
from runner.models.quoting import quote

# Statuses that LiteLLM also gives when there was none.
_INVENTED = frozenset({0, 200, 500})
_HTTP = range(100, 600)
_LONGEST_CHAIN = 12  # some libraries make circles
_LOOKED_AT = 20_000  # characters of its text: error pages can be of any size
# LiteLLM raises these for an error in the provider's words; anything else below them went wrong on this side.
_MESSENGERS = frozenset({"litellm", "openai"})


@dataclass(frozen=True, kw_only=True, slots=True)
class Failure:
    """A failed call, taken apart.

    Attributes:
        kinds: the names of the exception's class and its base classes.
        causes: the names of the classes of what it was raised from; LiteLLM's own class says little about those.
        reason: what the operating system said, if it was a matter of the connection.
        answered: whether the provider answered with an HTTP error.
        empty: whether a stream ended before there was anything in it.
        begun: whether a stream ended after there was something in it.
        told: whether it is the provider's own error, by status or in the middle of a reply, and not a slip of ours.
        status: the HTTP status of the answer, or the code in the error; 0 when there was neither.
        headers: of the answer; names are lower-case.
        raw: the exception's text, or its beginning.
        codes: the short names of the error, such as `insufficient_quota`.
        said: what the provider said in it, short, on one line and without keys.
        route: where the call went.
        seconds: how long it was allowed to take.
        window: tokens the model can take, None when unknown.
    """

    kinds: frozenset[str]
    causes: frozenset[str]
    reason: str = ""
    answered: bool = False
    empty: bool = False
    begun: bool = False
    told: bool = False
    status: int = 0
    headers: Mapping[str, str] = field(default_factory=dict)
    raw: str = ""
    codes: frozenset[str] = frozenset()
    said: str = ""
    route: Route
    seconds: float | None = None
    window: int | None = None


def taken_apart(
    error: BaseException, route: Route, *, seconds: float | None, window: int | None, environ: Mapping[str, str]
) -> Failure:
    """What is known about the failure; arguments as in `runner.models.failures.explain`."""
    empty = bool(getattr(error, "is_pre_first_chunk", False))
    original = getattr(error, "original_exception", None)  # of a stream that failed in the middle
    begun = original is not None and not empty
    error = original or error
    chain = tuple(_chain(error))
    raw = str(getattr(error, "message", None) or error)[:_LOOKED_AT]
    answer = next((each for each in chain if type(each).__name__ == "HTTPStatusError"), None)
    told = [each for each in chain if _is_messenger(each)]
    codes = frozenset(str(code) for each in told for name in ("code", "type") if (code := getattr(each, name, None)))
    status = _http_status(getattr(getattr(answer, "response", None), "status_code", None))
    secrets = Secrets(filter(None, (route.api_key, *(environ.get(name) for name in route.key_variables))))
    return Failure(
        kinds=frozenset(kind.__name__ for kind in type(error).__mro__),
        causes=frozenset(type(each).__name__ for each in chain),
        reason=next((_strerror(each) for each in reversed(chain) if isinstance(each, OSError)), ""),
        answered=bool(status),
        empty=empty,
        begun=begun,
        told=bool(status) or len(told) == len(chain),
        status=status or _written_status(codes) or _stated_status(error),
        headers={name: value for each in reversed(chain) for name, value in _headers(each)},
        raw=raw,
        codes=codes,
        said=quote(raw, secrets),
        route=route,
        seconds=seconds,
        window=window,
    )


def _chain(error: BaseException) -> Iterator[BaseException]:
    """An exception and what it was raised from; not what the caller was in the middle of handling, a failed call."""
    following: BaseException | None = error
    for _ in range(_LONGEST_CHAIN):
        if following is None or isinstance(following, ModelError):
            return
        yield following
        following = following.__cause__ or following.__context__


def _is_messenger(error: BaseException) -> bool:
    return type(error) is Exception or type(error).__module__.partition(".")[0] in _MESSENGERS


def _http_status(value: object) -> int:
    return value if isinstance(value, int) and value in _HTTP else 0


def _written_status(codes: frozenset[str]) -> int:
    return next((int(code) for code in codes if code.isdecimal() and len(code) == len("500") and int(code) in _HTTP), 0)


def _stated_status(error: BaseException) -> int:
    """LiteLLM's own, unless it is one that it makes up."""
    status = _http_status(getattr(error, "status_code", None))
    return 0 if status in _INVENTED else status


def _headers(error: BaseException) -> Iterator[tuple[str, str]]:
    """The headers of an answer; LiteLLM keeps them in another place for each of its clients."""
    for found in (getattr(getattr(error, "response", None), "headers", None), _litellm_headers(error)):
        if isinstance(found, Mapping):
            yield from ((str(name).lower(), str(value)) for name, value in found.items())


def _litellm_headers(error: BaseException) -> object:
    return getattr(error, "litellm_response_headers", None)


def _strerror(error: OSError) -> str:
    known = error.errno is not None and error.errno > 0
    return os.strerror(error.errno) if known and error.errno is not None else error.strerror or str(error)
