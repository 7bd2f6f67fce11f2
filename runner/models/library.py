"""Brings in LiteLLM - late, offline and silent - and lets go of its connections; only this module imports it."""

import asyncio
import gc
import inspect
import logging
import os
import sys
import threading
import warnings
from collections.abc import Iterator, MutableMapping
from contextlib import contextmanager
from typing import Any
from weakref import WeakKeyDictionary

from runner.models.thrift import save_work

# The module `litellm`; its own types take minutes to check and say little.
Library = Any

# Read by LiteLLM while it is imported, so they must be set before.
_ENVIRONMENT = {
    "LITELLM_MODE": "PRODUCTION",  # else it loads the nearest .env file into this process
    "LITELLM_OFFLINE_MODE": "true",  # else it fetches its price list from the network
    "LITELLM_LOCAL_MODEL_COST_MAP": "True",  # the same for releases that do not know the variable above
    "LITELLM_LOCAL_ANTHROPIC_BETA_HEADERS": "True",
    # Its search for secrets in error texts takes seconds a megabyte, on the event loop; ours are masked by value.
    "LITELLM_DISABLE_REDACT_SECRETS": "true",
    # Hundreds of equal chunks are the border of a table more often than a model gone wild, and max_tokens ends both.
    "REPEATED_STREAMING_CHUNK_LIMIT": "10000",
}
# The command line of an HTTP client, which goes without it; it would bring a hundred modules of rich and pygments.
_LEFT_OUT = "httpx._main"
_LOGGERS = ("LiteLLM", "LiteLLM Router", "LiteLLM Proxy")

_LIBRARY_FOLDER = f"{os.sep}litellm{os.sep}"
_ROUNDS_TO_SETTLE = 100

_loading = threading.Lock()
_loaded: list[Library] = []
_counting = threading.Lock()
_users: MutableMapping[asyncio.AbstractEventLoop, int] = WeakKeyDictionary()


def load() -> Library:
    """The module `litellm`. The first call takes seconds, so make it in a thread; later ones are free."""
    with _loading:
        if not _loaded:
            _loaded.append(_import())
        return _loaded[0]


def loaded() -> Library | None:
    """The module `litellm` if it has been loaded, else None."""
    return _loaded[0] if _loaded else None


def _import() -> Library:
    for name, value in _ENVIRONMENT.items():
        os.environ.setdefault(name, value)
    with _left_out(_LEFT_OUT), _uncollected():
        import litellm  # noqa: PLC0415 - seconds and 200 MB, which `validate` and `--help` must not pay
        from litellm.caching.llm_caching_handler import LLMClientCache  # noqa: PLC0415 - part of it
        from litellm.litellm_core_utils import logging_worker  # noqa: PLC0415 - part of it
    gc.freeze()  # saves more than a second at the end of the process, which would visit all of those objects
    # It makes the coroutine of a call in another thread, and drops it when the call is cancelled meanwhile: nothing was
    # begun, and nobody can do anything about the warning.
    warnings.filterwarnings("ignore", r"coroutine '[A-Z]\w*\.a\w*completion\w*' was never awaited", RuntimeWarning)
    litellm.suppress_debug_info = True  # else every failure prints advice to stdout, where the answer belongs
    for name in _LOGGERS:
        logger = logging.getLogger(name)
        logger.disabled = True  # what matters in them is in the exceptions, which become our own messages
        logger.propagate = False
    # What pydantic thinks of a provider's odd reply would go to stderr.
    warnings.filterwarnings("ignore", message="Pydantic serializer warnings", category=UserWarning)
    litellm.in_memory_llm_clients_cache = _staying(LLMClientCache)()
    save_work(litellm, logging_worker)
    return litellm


@contextmanager
def _uncollected() -> Iterator[None]:
    """Saves a fifth of the import: it makes 200 MB of objects, none of which is garbage."""
    collecting = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collecting:
            gc.enable()


@contextmanager
def _left_out(name: str) -> Iterator[None]:
    """Have a module taken for one that is not installed."""
    absent = sys.modules.setdefault(name, None) is None  # type: ignore[arg-type]  # how Python itself says so
    try:
        yield
    finally:
        if absent:
            sys.modules.pop(name, None)


def _staying(cache: type[Any]) -> type[Any]:
    """LiteLLM's place for its HTTP clients, but that none of them follows a redirect.

    They would take keys that are not in the `Authorization` header (`x-api-key`, `x-goog-api-key`), and with a status
    of 307 the whole conversation, to whatever server the answer names. LiteLLM has no setting for it; every client it
    makes for itself is put here before it is used.
    """

    class StayingClients(cache):  # type: ignore[misc]  # LiteLLM is not typed here
        def set_cache(self, key: str, value: Any, **settings: Any) -> Any:
            # A handler makes its client anew when that was closed; the clients of the openai package hold one inside.
            for client in (value, getattr(value, "client", None), getattr(value, "_client", None)):
                if client is not None and hasattr(client, "follow_redirects"):
                    client.follow_redirects = False
            return super().set_cache(key, value, **settings)

    return StayingClients


def forget_shared_client() -> None:
    """Make LiteLLM look up its client for Anthropic's streams anew, among those of the running loop.

    It keeps the first one for good, also when the loop of its connections has ended; nobody would close it either.
    """
    if _loaded:
        _loaded[0].__dict__.pop("module_level_aclient", None)


def enter() -> None:
    """Count a model that will use connections of the running event loop; `leave` is its counterpart."""
    with _counting:
        loop = asyncio.get_running_loop()
        _users[loop] = _users.get(loop, 0) + 1


async def leave() -> None:
    """Close the running loop's connections if this was its last user, so that nothing is left to warn about.

    Not by LiteLLM's own `close_litellm_async_clients`: it closes those of every loop, also in the middle of their work.
    """
    loop = asyncio.get_running_loop()
    with _counting:
        left = _users.pop(loop, 1) - 1
        if left:
            _users[loop] = left
    if left or not _loaded:
        return
    await settled()
    if loop in _users:  # somebody came meanwhile, and will be the last
        return
    await _close_clients(_loaded[0])
    await settled()


async def settled() -> None:
    """Let small tasks end: LiteLLM's records of calls and of clients let go of, and the closing of what was dropped.

    It takes a few rounds of the event loop.
    """
    for _ in range(_ROUNDS_TO_SETTLE):
        if not any(_is_small_task(task) for task in asyncio.all_tasks() - {asyncio.current_task()}):
            return
        await asyncio.sleep(0)


def _is_small_task(task: "asyncio.Task[Any]") -> bool:
    """Whether it is one of LiteLLM's tasks, but not one that serves somebody's callbacks for as long as the loop.

    Or the loop's own, of closing a generator that somebody dropped, as LiteLLM does when a stream breaks.
    """
    work = task.get_coro()
    code = getattr(work, "cr_code", None)
    if code is None:
        return type(work).__name__ == "async_generator_athrow"
    return _LIBRARY_FOLDER in code.co_filename and code.co_name != "_worker_loop"


async def _close_clients(library: Library) -> None:
    cache = library.in_memory_llm_clients_cache
    ours = cache.update_cache_key_with_event_loop("")  # the mark it puts at the end of this loop's keys
    # Taken out first, all of them: who comes now makes new ones.
    for client in [cache.cache_dict.pop(key) for key in list(cache.cache_dict) if key.endswith(ours)]:
        closing = client.close()
        if inspect.isawaitable(closing):
            await closing
