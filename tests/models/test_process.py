"""What the model library does to the process it lives in: nothing that anybody would notice."""

import asyncio
import os
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from runner.models import library
from runner.models.litellm_model import LiteLLMModel
from tests.models.asking import ask, opened
from tests.servers import OpenAIServer, Reply

SCRIPT = """
import asyncio, os, socket, sys, threading, time
from contextlib import aclosing
from runner.engine.ports import ModelError, ModelRequest
from runner.models.litellm_model import LiteLLMModel

allowed = {"127.0.0.1"}
connect = socket.socket.connect
def guarded(self, address):
    assert address[0] in allowed, f"{address} is not of this machine"
    return connect(self, address)
socket.socket.connect = guarded

async def run(**settings):
    model = LiteLLMModel(**settings)
    try:
        await model.open()
        for stream in (False, True, False, False):
            request = ModelRequest(messages=[{"role": "user", "content": "hi"}], stream=stream)
            async with aclosing(model.ask(request)) as items:
                async for _ in items:
                    pass
    except ModelError as error:
        return str(error)
    finally:
        await model.close()

async def ticks_while_loading():
    ticks = 0
    async def tick():
        nonlocal ticks
        while True:
            await asyncio.sleep(0.01)
            ticks += 1
    ticking = asyncio.create_task(tick())
    await run(name="m", api_base="http://127.0.0.1:9/v1")
    ticking.cancel()
    return ticks

url = sys.argv[1]
assert asyncio.run(ticks_while_loading()) > 20  # it takes seconds, on threads of its own
assert asyncio.run(run(name="openai/m", api_base=url)) is None
assert asyncio.run(run(name="hosted_vllm/m", api_base=url)) is None
threads = [threading.Thread(target=lambda: asyncio.run(run(name="openai/m", api_base=url))) for _ in range(4)]
for thread in threads:
    thread.start()
    time.sleep(0.02)
for thread in threads:
    thread.join()
assert "cannot connect" in asyncio.run(run(name="openai/m", api_base="http://127.0.0.1:9/v1"))
assert "cannot connect" in asyncio.run(run(name="m", api_base="http://127.0.0.1:9/v1"))
assert "write 'provider/model'" in asyncio.run(run(name="my-model"))
assert "SECRET_OF_THE_PROJECT" not in os.environ
assert "OMP_WAIT_POLICY" not in os.environ
"""


def test_nothing_is_printed_fetched_read_or_left_open(tmp_path: Path) -> None:
    # field bugs B120, B121 and B124; development mode warns of whatever is not closed or not awaited
    (tmp_path / ".env").write_text("SECRET_OF_THE_PROJECT=1\n")
    script = tmp_path / "script.py"
    script.write_text(SCRIPT)
    with OpenAIServer(then=Reply("one two three", delay=0.03)) as server:
        done = subprocess.run(
            [sys.executable, "-X", "dev", "-W", "error::ResourceWarning", str(script), server.url],
            cwd=tmp_path,
            env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])},
            capture_output=True,
            text=True,
            timeout=100,
            check=False,
        )
    noise = [line for line in done.stderr.splitlines() if not line.startswith("Executing <")]  # slow, not wrong

    assert (done.returncode, done.stdout, noise) == (0, "", [])
    assert len(server.requests) == 4 * (2 + 4)


def test_no_failure_of_any_kind_prints_anything_or_leaves_anything_behind() -> None:
    # field bugs B120, B124 and B134; see the script for what is asked
    done = subprocess.run(
        [sys.executable, "-X", "dev", "-W", "error::ResourceWarning", "-m", "tests.models.every_failure"],
        cwd=Path(__file__).parents[2],
        env={**os.environ, "PYTHONIOENCODING": "ascii", "LC_ALL": "C"},
        capture_output=True,
        text=True,
        timeout=200,
        check=False,
    )
    noise = [line for line in done.stderr.splitlines() if not line.startswith("Executing <")]  # slow, not wrong

    assert (done.returncode, done.stdout, noise) == (0, "", [])


def test_importing_the_adapter_does_not_import_the_libraries() -> None:
    probe = "import runner.models, sys; print(*{'litellm', 'openai', 'aiohttp', 'xllamacpp'} & sys.modules.keys())"
    done = subprocess.run([sys.executable, "-c", probe], capture_output=True, text=True, timeout=60, check=True)

    assert done.stdout.strip() == ""


async def run_once(url: str, name: str, *, stream: bool) -> str:
    async with opened(name=name, api_base=url) as model:
        await ask(model, stream=stream)
        return (await ask(model, stream=stream))[1].text


@pytest.mark.parametrize("name", ["openai/m", "hosted_vllm/m"])
@pytest.mark.parametrize("stream", [False, True], ids=["whole", "streamed"])
class TestSeveralRuns:
    """Field bug B124. Warnings are errors here, and with them connections left open."""

    def test_one_after_the_other_on_two_event_loops(self, name: str, stream: bool) -> None:
        with OpenAIServer(then="hi") as server:
            texts = [asyncio.run(run_once(server.url, name, stream=stream)) for _ in range(2)]

        assert texts == ["hi", "hi"]

    async def test_one_after_the_other_on_one_event_loop(self, name: str, stream: bool) -> None:
        with OpenAIServer(then="hi") as server:
            texts = [await run_once(server.url, name, stream=stream) for _ in range(2)]

        assert texts == ["hi", "hi"]

    async def test_side_by_side_on_one_event_loop(self, name: str, stream: bool) -> None:
        with OpenAIServer(["quick", "quick", Reply("slow", delay=0.3)], then="hi") as server:
            async with opened(name=name, api_base=server.url) as model:
                await ask(model)
                await ask(model)
                slow = asyncio.create_task(ask(model, stream=stream))
                await asyncio.to_thread(server.wait_for_requests, 3)
                await run_once(server.url, name, stream=stream)  # its end must not close the other's connection
                assert (await slow)[1].text == "slow"

    def test_side_by_side_in_threads(self, name: str, stream: bool) -> None:
        texts: list[str] = []
        with OpenAIServer(then=Reply("hi", delay=0.03)) as server:

            def work() -> None:
                texts.append(asyncio.run(run_once(server.url, name, stream=stream)))

            threads = [threading.Thread(target=work) for _ in range(4)]
            for thread in threads:
                thread.start()
                time.sleep(0.02)
            for thread in threads:
                thread.join()

        assert texts == ["hi"] * 4


async def test_a_run_that_is_given_up_while_loading_does_not_wait_for_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(library, "_loaded", [])
    model = LiteLLMModel(name="m", api_base="http://127.0.0.1:9/v1")
    with library._loading:  # as if another thread were in the middle of it; waiting for it here would never end
        opening = asyncio.create_task(model.open())
        await asyncio.sleep(0.05)
        opening.cancel()
        with pytest.raises(asyncio.CancelledError):
            await opening
        await model.close()


async def test_one_model_may_be_opened_by_two_runs() -> None:
    with OpenAIServer(then="hi") as server:
        model = LiteLLMModel(name="hosted_vllm/m", api_base=server.url)
        await model.open()
        await model.open()
        await model.close()
        assert (await ask(model))[1].text == "hi"
        await model.close()


async def test_what_other_code_listens_for_is_still_told(monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[str] = []
    litellm = library.load()

    async def tell(_self: object, kwargs: dict[str, object], **_: object) -> None:
        told.append(str(kwargs["model"]))

    listener = type("Listener", (litellm.integrations.custom_logger.CustomLogger,), {"async_log_success_event": tell})
    for name in ("callbacks", "_async_success_callback", "success_callback"):
        monkeypatch.setattr(litellm, name, list(getattr(litellm, name)))
    litellm.callbacks.append(listener())
    worker = litellm.litellm_core_utils.logging_worker.GLOBAL_LOGGING_WORKER
    with OpenAIServer(then="hi") as server:
        async with opened(name="openai/m", api_base=server.url) as model:
            await ask(model)
    await asyncio.wait_for(worker.flush(), 20)
    await worker.stop()

    assert told == ["m"]


@pytest.mark.parametrize("name", ["openai/m", "azure/m", "hosted_vllm/m", "mistral/m"])
async def test_calls_use_one_connection_however_much_time_each_has(name: str) -> None:
    params = {"api_version": "2025-01-01"} if name.startswith("azure/") else {}
    with OpenAIServer(then="hi") as server:
        async with opened(name=name, api_base=server.url, api_key="k", params=params) as model:
            for seconds in (20.125, 19.75, 12.5):
                await ask(model, timeout=seconds)

        assert (len(server.requests), server.connections) == (3, 1)


async def test_a_run_that_begins_while_the_last_one_closes_keeps_its_connection() -> None:
    with OpenAIServer(then=Reply("a b c d", pace=0.001)) as server:
        for _ in range(20):
            first, second = (LiteLLMModel(name="hosted_vllm/m", api_base=server.url) for _ in range(2))
            await first.open()
            await ask(first, stream=True)

            async def begun(model: LiteLLMModel = second) -> str:
                await model.open()
                text, _ = await ask(model, stream=True)
                await model.close()
                return text

            _, text = await asyncio.gather(first.close(), begun())
            assert text == "a b c d"
