"""The model of a chat is opened once."""

import asyncio
import sys

import pytest

from runner.chat.standby import Standby, model_for
from runner.engine.ports import Capabilities, ModelError
from runner.models.scripted import ScriptedModel
from runner.spec import AgentSpec, ModelSpec, Text
from tests.cli.fakes import SPEC


class Counted(ScriptedModel):
    """Counts how often it was opened; fails, or takes for ever, when told to."""

    def __init__(self, *, error: Exception | None = None, slow: bool = False) -> None:
        super().__init__([])
        self.opened = 0
        self._error = error
        self._slow = slow

    async def open(self) -> Capabilities:
        """Count it."""
        self.opened += 1
        if self._slow:
            await asyncio.sleep(3600)
        if self._error is not None:
            raise self._error
        return Capabilities()


async def test_the_model_is_open_until_the_chat_ends() -> None:
    model = Counted()
    standby = Standby(lambda spec: model)
    await standby.hold(SPEC)
    await asyncio.sleep(0)
    assert (model.opened, model.closed) == (1, 0)
    await standby.close()
    await standby.close()
    assert (model.opened, model.closed) == (1, 1)


async def test_threads_give_way_to_the_person_only_while_the_model_is_opened() -> None:
    usual = sys.getswitchinterval()
    standby = Standby(lambda spec: Counted(slow=True))
    await standby.hold(SPEC)
    await asyncio.sleep(0)
    assert sys.getswitchinterval() < usual / 2
    await standby.hold(SPEC)
    await asyncio.sleep(0)
    await standby.close()
    assert sys.getswitchinterval() == pytest.approx(usual)


async def test_another_model_takes_the_place_of_the_first() -> None:
    first, second = Counted(), Counted()
    models = [first, second]
    standby = Standby(lambda spec: models.pop(0))
    await standby.hold(SPEC)
    await asyncio.sleep(0)
    await standby.hold(SPEC)
    await asyncio.sleep(0)
    assert (first.closed, second.opened, second.closed) == (1, 1, 0)
    await standby.close()


@pytest.mark.parametrize("error", [ModelError("no key"), ZeroDivisionError("a mistake of ours")])
async def test_what_is_wrong_with_the_model_is_left_to_the_turns(error: Exception) -> None:
    model = Counted(error=error)
    standby = Standby(lambda spec: model)
    await standby.hold(SPEC)
    await asyncio.sleep(0)
    await standby.close()
    assert model.closed == 1


async def test_nobody_waits_for_a_model_that_is_still_loading() -> None:
    model = Counted(slow=True)
    standby = Standby(lambda spec: model)
    await standby.hold(SPEC)
    await asyncio.sleep(0)
    await asyncio.wait_for(standby.close(), 20)
    assert model.closed == 1


async def test_settings_that_are_wrong_hold_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_SUCH_KEY", raising=False)
    key = Text(value="${NO_SUCH_KEY}", origin="a.yaml:1")
    wrong = AgentSpec(
        name="a", file="/a.yaml", project=SPEC.project, prompt=SPEC.prompt, model=ModelSpec(name="m/x", api_key=key)
    )
    assert model_for(wrong) is None
    assert model_for(SPEC) is not None
    standby = Standby()
    await standby.hold(wrong)
    await standby.close()
