"""Keeps LiteLLM from work whose result nobody uses: records, costs nobody can know, a tokenizer, files."""

from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cached_property
from typing import Any

# Where LiteLLM puts what the provider itself says a reply has cost.
_SAID_BY_PROVIDER = "llm_provider-x-litellm-response-cost"

# Whether a reply by a model of this name may have a price.
MayCost = Callable[[str], bool]

_may_cost: ContextVar[MayCost | None] = ContextVar("may_cost", default=None)


@contextmanager
def priced_only_if(may_cost: MayCost) -> Iterator[None]:
    """Let LiteLLM work out what a reply to a call in this block costs only if the provider says it, or it may have one.

    Args:
        may_cost: is given the model's name in the reply itself, which may tell more than an alias that was asked for.
    """
    before = _may_cost.set(may_cost)
    try:
        yield
    finally:
        _may_cost.reset(before)


def save_work(library: Any, logging_worker: Any) -> None:
    """Put the stand-ins of this module into LiteLLM."""
    vars(library.main).setdefault("encoding", LateEncoding(library))
    logging_worker.GLOBAL_LOGGING_WORKER = IdleWorker(library, logging_worker.GLOBAL_LOGGING_WORKER)
    if update := getattr(library.main, "update_messages_with_model_file_ids", None):
        library.main.update_messages_with_model_file_ids = _if_files(update)
    if hasattr(library.utils, "get_litellm_logging_class"):
        thrifty = _thrifty(library, library.utils.get_litellm_logging_class())
        library.utils.get_litellm_logging_class = lambda: thrifty


class LateEncoding:
    """Stands in for the tokenizer that LiteLLM hands to most of its providers, of which a few old ones use it.

    To load it takes a tenth of the time that LiteLLM itself takes, and 40 MB.
    """

    def __init__(self, library: Any) -> None:
        self._library = library

    def __getattr__(self, name: str) -> Any:
        return getattr(self._encoding, name)

    @cached_property
    def _encoding(self) -> Any:
        vars(self._library.main).pop("encoding", None)
        return self._library.main.encoding  # now LiteLLM loads it, and keeps it in place of this


def _if_files(update: Callable[..., Any]) -> Callable[..., Any]:
    """LiteLLM's search for files in messages, for messages that can have any.

    The first call of it imports a part of LiteLLM's proxy, which takes as long as the other parts of a first call.
    """

    def update_messages_with_model_file_ids(messages: Any, *given: Any, **settings: Any) -> Any:
        if all(isinstance(message.get("content"), str | None) for message in messages):
            return messages
        return update(messages, *given, **settings)

    return update_messages_with_model_file_ids


class IdleWorker:
    """Stands in for LiteLLM's logging worker as long as nobody has registered a callback to be told about calls.

    The worker has one queue for all event loops: two of them in two threads take it from each other, and it fails with
    "bound to a different event loop" and "Task was destroyed but it is pending" (field bug B124). It also costs a sixth
    of the time of a call, for a record that nobody reads.
    """

    def __init__(self, library: Any, worker: Any) -> None:
        self._library = library
        self._worker = worker

    def __getattr__(self, name: str) -> Any:
        return getattr(self._worker, name)

    def ensure_initialized_and_enqueue(self, async_coroutine: Coroutine[object, object, None]) -> None:
        """Drop the record, or hand it on when there is somebody to read it."""
        if _somebody_listens(self._library):
            self._worker.ensure_initialized_and_enqueue(async_coroutine=async_coroutine)
        else:
            async_coroutine.close()


def _thrifty(library: Any, logging: type[Any]) -> type[Any]:
    """LiteLLM's account of one call, but that it does not look for prices where there are none.

    To find out that it does not know what a reply of an unknown model has cost takes LiteLLM a fifth of the time of the
    whole call: it tries the name in many forms, each against a list of patterns, three times.
    """

    class ThriftyLogging(logging):  # type: ignore[misc]  # LiteLLM is not typed here
        def response_cost_calculator(self, result: Any, *given: Any, **settings: Any) -> float | None:
            may_cost = _may_cost.get()
            said = getattr(self, "_provider_reported_cost", None) is not None or _said_by_provider(result)
            if may_cost and not said and not may_cost(_model_of(result)) and not _somebody_listens(library):
                return None
            cost: float | None = super().response_cost_calculator(result, *given, **settings)
            return cost

    return ThriftyLogging


def _model_of(result: Any) -> str:
    name = getattr(result, "model", None)
    return name if isinstance(name, str) else ""


def _said_by_provider(result: Any) -> bool:
    hidden = getattr(result, "_hidden_params", None)
    headers = hidden.get("additional_headers") if isinstance(hidden, dict) else None
    return bool(headers and headers.get(_SAID_BY_PROVIDER) is not None)


def _somebody_listens(library: Any) -> bool:
    """Whether there is a callback besides LiteLLM's own, which it adds when it asks Gemini."""
    return any(listener != "cache" for listener in (*library.callbacks, *library.success_callback))
