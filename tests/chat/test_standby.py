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


def agent_with(model: ModelSpec) -> AgentSpec:
    return AgentSpec(name="a", file="/a.yaml", project=SPEC.project, prompt=SPEC.prompt, model=model)


@pytest.mark.parametrize(
    ("model", "problem"),
    [
        (
            ModelSpec(name="openai/x", api_key=Text(value="${NO_SUCH_KEY}", origin="a.yaml:1")),
            "environment variable NO_SUCH_KEY is not set",
        ),
        (ModelSpec(name="nosuch/x"), "model 'nosuch/x': there is no provider 'nosuch'"),
        (ModelSpec(name="groqq/x"), "there is no provider 'groqq'; did you mean 'groq'?"),
        (ModelSpec(name="groq/x"), "GROQ_API_KEY"),
    ],
)
async def test_a_model_that_no_turn_could_ask_is_told_at_once_and_the_one_before_is_kept(
    monkeypatch: pytest.MonkeyPatch, model: ModelSpec, problem: str
) -> None:
    for name in ("NO_SUCH_KEY", "GROQ_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    before = Counted()
    standby = Standby(lambda spec: before if spec is SPEC else model_for(spec))
    assert await standby.hold(SPEC) is None
    assert problem in (await standby.hold(agent_with(model)) or "")
    await asyncio.sleep(0)
    assert (before.opened, before.closed) == (1, 0)
    await standby.close()


@pytest.mark.parametrize(
    "model",
    [
        ModelSpec(name="nosuch/x", api_base=Text(value="http://localhost:1/v1", origin="a.yaml:1")),
        ModelSpec(name="nosuch/x", params={"base_url": "http://localhost:1/v1"}),
        ModelSpec(name="groq/x", api_key=Text(value="k", origin="a.yaml:1")),
        ModelSpec(name="groq/x", params={"api_key": "k"}),
        ModelSpec(name="local/smollm2"),
    ],
)
def test_a_model_that_could_be_asked_is_not_refused(monkeypatch: pytest.MonkeyPatch, model: ModelSpec) -> None:
    monkeypatch.delenv("GROQ_API_KEY", raising=False)
    assert model_for(agent_with(model)) is not None
