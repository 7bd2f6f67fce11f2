"""Methods as tools: what they are called on, and how their class is configured."""

import gc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from runner.engine.ports import Tool
from runner.environment import VariableError
from runner.spec import ProjectSpec, ToolSpec
from runner.tools import ToolLoadError, open_tool
from tests.tools.conftest import SAMPLES, context

CONFIG = {"project": "billing", "page_size": "7"}


def opened(
    function: str,
    *,
    config: dict[str, Any] | None = None,
    environ: dict[str, str] | None = None,
    module: str = "sample_methods",
    root: Path = SAMPLES,
    **declared: Any,
) -> Tool:
    settings = {"function": f"{module}:{function}", **({} if config is None else {"config": config})}
    spec = ToolSpec(
        name="sample", type="python", settings=settings, folder=str(root), origin="tools.d/x.yaml:3", **declared
    )
    project = ProjectSpec(root=str(root), tools_folder=str(root))
    return open_tool(spec, project, max_result_chars=20_000, environ=environ or {})


async def answered(tool: Tool, **arguments: Any) -> str:
    result = await tool.call(arguments, context())
    assert not result.is_error, result.content
    return result.content


def refused(function: str, **options: Any) -> str:
    with pytest.raises(ToolLoadError) as raised:
        opened(function, **options)
    return str(raised.value)


async def test_a_method_is_called_on_an_instance_made_with_the_configuration() -> None:
    tool = opened("Tracker.search", config=CONFIG)

    assert tool.definition.description == "Search the tickets."
    assert tool.definition.parameters == {
        "type": "object",
        "properties": {"q": {"type": "string", "description": "What to look for."}},
        "required": ["q"],
        "additionalProperties": False,
    }
    assert await answered(tool, q="tax") == "billing/7/None: tax (1)"


async def test_configuration_is_converted_to_what_the_constructor_asks_for() -> None:
    tool = opened(
        "Tracker.search", config={"project": "a", "page_size": "${SIZE}", "since": "2026-01-02"}, environ={"SIZE": "3"}
    )

    assert await answered(tool, q="x") == "a/3/datetime.date(2026, 1, 2): x (1)"


@pytest.mark.parametrize(
    ("method", "arguments", "expected"),
    [
        ("later", {"q": "x"}, "billing/7/None: x (1) call_1"),
        ("many", {}, "[1,2]"),
        ("stream", {}, '["billing"]'),
    ],
)
async def test_every_kind_of_method_is_called(method: str, arguments: dict[str, Any], expected: str) -> None:
    assert await answered(opened(f"Tracker.{method}", config=CONFIG), **arguments) == expected


async def test_tools_of_one_class_and_configuration_share_an_instance_while_one_of_them_is_open() -> None:
    search, later = opened("Tracker.search", config=CONFIG), opened("Tracker.later", config=dict(CONFIG))
    other = opened("Tracker.search", config={"project": "billing"})

    assert await answered(search, q="a") == "billing/7/None: a (1)"
    assert await answered(later, q="b") == "billing/7/None: b (2) call_1"
    assert await answered(other, q="c") == "billing/20/None: c (1)"

    del search, later
    gc.collect()
    assert await answered(opened("Tracker.search", config=CONFIG), q="d") == "billing/7/None: d (1)"


async def test_instances_that_cannot_be_referred_to_weakly_are_shared_as_well() -> None:
    first, second = (opened("Settings.show", config={"url": "u", "options": {"a": [1]}}) for _ in range(2))

    assert first.function.__self__ is second.function.__self__  # type: ignore[attr-defined] # a Python tool
    assert await answered(first) == "u {'a': [1]}"


async def test_static_and_class_methods_make_no_instance() -> None:
    assert await answered(opened("Tracker.add"), left=1, right="2") == "3"
    assert await answered(opened("Tracker.name")) == "Tracker"


async def test_an_instance_of_the_module_is_used_as_it_is() -> None:
    assert (await answered(opened("tracker.search"), q="x")).startswith("shared/20/None: x")


def test_what_comes_from_the_environment_is_a_secret() -> None:
    config = {"project": "${TOKEN}", "page_size": 3}

    assert opened("Tracker.search", config=config, environ={"TOKEN": "s3cret"}).secrets == {"s3cret"}


def test_a_variable_that_is_not_set_is_told_with_its_place() -> None:
    with pytest.raises(VariableError, match=r"^tools.d/x.yaml:3: environment variable TOKEN is not set"):
        opened("Tracker.search", config={"project": "${TOKEN}"})


@pytest.mark.parametrize(
    ("function", "config", "told"),
    [
        (
            "Tracker.search",
            {"projct": "a", "page_size": "many"},
            "does not fit the constructor of 'Tracker': projct: there is no such argument, did you mean 'project'?",
        ),
        ("Tracker.search", None, "project: missing, expected a string"),
        ("Tracker.add", {}, "'config' is for a constructor, and 'Tracker.add' in sample_methods.py makes no instance"),
        ("tracker.search", {}, "'config' is for a constructor"),
        ("told", {}, "'config' is for a constructor, and 'told'"),
        ("Tracker", {}, "'config' is for a constructor, and 'Tracker'"),
        ("Asking.use", None, "the constructor of 'Asking' asks for a ToolContext, which only its methods can"),
        ("Leaving.use", None, "'Leaving' cannot be made: tool called exit(2)"),
        (
            "Tracker.serach",
            CONFIG,
            "class 'Tracker' in sample_methods.py has no method 'serach'; did you mean 'search'?",
        ),
        ("asyncio.run", None, "'asyncio' in sample_methods.py is a module"),
    ],
)
def test_what_cannot_be_opened_is_explained(function: str, config: dict[str, Any] | None, told: str) -> None:
    assert told in refused(function, config=config)


def test_a_constructor_that_fails_is_told_with_its_place_and_without_the_secret() -> None:
    message = refused("Failing.use", config={"token": "${TOKEN}"}, environ={"TOKEN": "s3cret"})

    assert message.startswith("tools.d/x.yaml:3: tool 'sample': sample_methods.py:")
    assert message.endswith("'Failing' cannot be made: ConnectionError: no access with ***")


def test_configuration_that_does_not_fit_is_told_without_the_secret() -> None:
    config = {"project": "a", "page_size": "${TOKEN}"}

    assert "s3cret" not in refused("Tracker.search", config=config, environ={"TOKEN": "s3cret"})


def test_a_module_that_another_one_re_exports_gives_no_tools(write: Callable[..., Path]) -> None:
    root = write("a", reexport_tools="from os import path\n")

    told = refused("path.exists", module="reexport_tools", root=root)

    assert "is a module, expected a class or an object with a method 'exists'" in told


def test_a_method_only_an_import_can_tell_of_is_checked_when_it_is_opened(write: Callable[..., Path]) -> None:
    root = write(
        "a",
        inherit_base="class Base:\n    def known(self): ...\n",
        inherit_tools="from inherit_base import Base\n\nclass Child(Base): ...\n",
    )

    assert opened("Child.known", module="inherit_tools", root=root).definition.parameters["properties"] == {}
    told = refused("Child.knwon", module="inherit_tools", root=root)
    assert told.endswith("'Child' in inherit_tools.py has no method 'knwon'; did you mean 'known'?")
