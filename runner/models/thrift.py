"""Keeps LiteLLM from work whose result nobody uses: records, costs nobody can know, a tokenizer, files."""

from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cached_property
from typing import Any

# Where LiteLLM puts what the provider itself says a reply has cost.
_SAID_BY_PROVIDER = "llm_provider-x-litellm-response-cost"


class KnownToBeUnknown:
    """What LiteLLM could not tell the cost of: whole replies to one model, by the names of models that they state.

    Args:
        unused: nobody wants to know any cost.
    """

    def __init__(self, *, unused: bool = False) -> None:
        self._unused = unused
        self._names: set[str] = set()

    def __contains__(self, result: Any) -> bool:
        return self._unused or (_name_in(result) in self._names and not _said_by_provider(result))

    def learn(self, result: Any) -> None:
        """LiteLLM has found no cost of this reply."""
        self._names.add(_name_in(result))


_unknown: ContextVar[KnownToBeUnknown | None] = ContextVar("unknown", default=None)


@contextmanager
def not_asking(unknown: KnownToBeUnknown) -> Iterator[None]:
    """Do not let LiteLLM work out again, for the calls in this block, what is known to be unknown.

    Not for streams, in which it learns of the model that answers in other ways.
    """
    before = _unknown.set(unknown)
    try:
        yield
    finally:
        _unknown.reset(before)


def save_work(library: Any, logging_worker: Any) -> None:
    """Put the stand-ins of this module into LiteLLM."""
    logging_worker.GLOBAL_LOGGING_WORKER = IdleWorker(library, logging_worker.GLOBAL_LOGGING_WORKER)
    if hasattr(library.utils, "get_litellm_logging_class"):
        thrifty = _thrifty(library, library.utils.get_litellm_logging_class())
        library.utils.get_litellm_logging_class = lambda: thrifty
    if load := getattr(library.main, "_get_encoding", None):
        late = LateEncoding(load)
        library.main._get_encoding = lambda: late  # noqa: SLF001 - it has no public place
    if update := getattr(library.main, "update_messages_with_model_file_ids", None):
        library.main.update_messages_with_model_file_ids = _if_files(update)


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


class LateEncoding:
    """Stands in for the tokenizer that LiteLLM hands to most of its providers, of which a few old ones use it.

    To load it takes a tenth of the time that LiteLLM itself takes, and 40 MB.
    """

    def __init__(self, load: Callable[[], Any]) -> None:
        self._load = load

    @cached_property
    def _encoding(self) -> Any:
        return self._load()

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(self._encoding, name)


def _if_files(update: Callable[..., Any]) -> Callable[..., Any]:
    """LiteLLM's search for files in messages, for messages that can have any.

    The first call of it imports a part of LiteLLM's proxy, which takes as long as the other parts of a first call.
    """

    def update_messages_with_model_file_ids(messages: Any, *given: Any, **settings: Any) -> Any:
        if all(isinstance(message.get("content"), str | None) for message in messages):
            return messages
        return update(messages, *given, **settings)

    return update_messages_with_model_file_ids


def _thrifty(library: Any, logging: type[Any]) -> type[Any]:
    """LiteLLM's account of one call, but that it does not look again for prices where it has found none.

    To find out that it does not know what a reply of an unknown model has cost takes LiteLLM a fifth of the time of the
    whole call: it tries the name in many forms, each against a list of patterns, three times.
    """

    class ThriftyLogging(logging):  # type: ignore[misc]  # LiteLLM is not typed here
        def response_cost_calculator(self, result: Any, *given: Any, **settings: Any) -> float | None:
            unknown = _unknown.get()
            if unknown is None or _somebody_listens(library):
                whole: float | None = super().response_cost_calculator(result, *given, **settings)
                return whole
            if result in unknown and getattr(self, "_provider_reported_cost", None) is None:
                return None
            cost: float | None = super().response_cost_calculator(result, *given, **settings)
            if cost is None:
                unknown.learn(result)
            return cost

    return ThriftyLogging


def _name_in(result: Any) -> str:
    return str(getattr(result, "model", ""))


def _said_by_provider(result: Any) -> bool:
    hidden = getattr(result, "_hidden_params", None)
    headers = hidden.get("additional_headers") if isinstance(hidden, dict) else None
    if headers and headers.get(_SAID_BY_PROVIDER) is not None:
        return True
    usage = getattr(result, "usage", None)
    counts = {**getattr(usage, "__dict__", {}), **(getattr(usage, "model_extra", None) or {})}
    return any("cost" in name and value is not None for name, value in counts.items())


def _somebody_listens(library: Any) -> bool:
    """Whether there is a callback besides LiteLLM's own, which it adds when it asks Gemini."""
    return any(listener != "cache" for listener in (*library.callbacks, *library.success_callback))
