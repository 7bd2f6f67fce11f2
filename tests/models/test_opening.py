"""From an agent's settings to its models: the first and its fallbacks, each with its own variables filled in."""

import pytest

from runner.environment import VariableError, expand_model
from runner.models import open_models
from runner.spec import ModelSpec, Price, Text
from tests.models.asking import ask
from tests.servers import OpenAIServer

ENVIRON = {"NAME": "m2", "HOST": "http://fallback-host/v1", "KEY": "key-of-the-fallback", "EXTRA": "extra-secret"}


def text(value: str) -> Text:
    return Text(value=value, origin="a.yaml:7")


FALLBACK = ModelSpec(
    name="openai/${NAME}",
    api_base=text("${HOST}"),
    api_key=text("${KEY}"),
    params={"extra_headers": {"x": "${EXTRA}"}},
    origin="a.yaml:6",
)


def test_fallbacks_are_filled_in_like_the_model_itself() -> None:
    model, secrets = expand_model(ModelSpec(name="openai/m1", fallbacks=(FALLBACK,)), ENVIRON)

    second = model.fallbacks[0]
    assert second.name == "openai/m2"
    assert second.api_base is not None
    assert second.api_base.value == ENVIRON["HOST"]
    assert second.api_key is not None
    assert second.api_key.value == ENVIRON["KEY"]
    assert second.params == {"extra_headers": {"x": "extra-secret"}}
    assert secrets.values == {ENVIRON["HOST"], ENVIRON["KEY"], ENVIRON["EXTRA"]}


def test_a_variable_missing_in_a_fallback_is_told_with_its_place() -> None:
    with pytest.raises(VariableError, match=r"a\.yaml:7: environment variable HOST is not set"):
        expand_model(ModelSpec(name="openai/m1", fallbacks=(FALLBACK,)), {"NAME": "m2"})


def test_a_model_and_its_fallbacks_come_in_the_order_they_are_asked() -> None:
    settings = ModelSpec(
        name="openai/a", retries=5, fallbacks=(ModelSpec(name="openai/b", retries=0), ModelSpec(name="local/smollm2"))
    )

    assert [(model.name, model.retries) for model in open_models(settings)] == [
        ("openai/a", 5),
        ("openai/b", 0),
        ("local/smollm2", 2),
    ]


async def test_each_is_asked_with_its_own_key_and_price() -> None:
    with OpenAIServer(then="hi") as server:
        base = text(server.url)
        second = ModelSpec(name="b", api_base=base, api_key=text("key-b"), price=Price(input=1, output=1))
        settings = ModelSpec(name="a", api_base=base, api_key=text("key-a"), fallbacks=(second,))
        costs = []
        for model in open_models(settings):
            await model.open()
            costs.append((await ask(model))[1].cost)
            await model.close()

    sent = [(request.body["model"], request.headers["authorization"]) for request in server.requests]
    assert sent == [("a", "Bearer key-a"), ("b", "Bearer key-b")]
    assert costs == [None, pytest.approx(15e-6)]
