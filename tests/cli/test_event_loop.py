"""What runs on the event loop beside our work does not end it."""

import asyncio

import pytest

from runner.cli.event_loop import to_the_end


async def stopping(times: int) -> str:
    for _ in range(times):
        asyncio.get_running_loop().stop()
        await asyncio.sleep(0)
        await asyncio.sleep(0.001)
    return "done"


async def failing() -> str:
    raise RuntimeError("no")


@pytest.mark.parametrize("times", [0, 1, 3])
def test_a_loop_that_a_tool_has_stopped_is_started_again(times: int) -> None:
    loop = asyncio.new_event_loop()
    try:
        assert to_the_end(loop, stopping(times)) == "done"
    finally:
        loop.close()


def test_an_error_of_the_work_is_raised() -> None:
    loop = asyncio.new_event_loop()
    try:
        with pytest.raises(RuntimeError, match=r"^no$"):
            to_the_end(loop, failing())
    finally:
        loop.close()
