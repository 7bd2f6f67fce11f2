"""Work in another thread always comes to an end for whoever waits for it."""

from collections.abc import Callable

import pytest

from runner.tools.calling import in_thread


def raising(error: BaseException) -> Callable[[], object]:
    def work() -> object:
        raise error

    return work


async def test_an_exception_of_the_work_is_raised_where_it_is_waited_for() -> None:
    with pytest.raises(ValueError, match="no"):
        await in_thread(raising(ValueError("no")), name="t")


@pytest.mark.parametrize("error", [SystemExit(3), KeyboardInterrupt(), GeneratorExit(), StopIteration()])
async def test_what_would_end_the_event_loop_is_told_as_an_error(error: BaseException) -> None:
    with pytest.raises(RuntimeError, match=f"^a thread was ended by {type(error).__name__}$"):
        await in_thread(raising(error), name="t")


async def test_work_can_be_done_wherever_the_caller_says() -> None:
    places: list[str] = []

    def start(work: Callable[[], None], name: str) -> None:
        places.append(name)
        work()

    assert await in_thread(lambda: 7, name="t", start=start) == 7
    assert places == ["t"]
