"""What is shipped for people to copy from is right: the examples of this project, and the YAML in its documentation."""

import re
from pathlib import Path

import pytest

from runner.engine.ports import Capabilities, ToolDefinition
from runner.language.compiler import compile_agent
from runner.language.validation import validate_paths
from runner.parsing.modes import Setting, choose_mode
from tests.language.projects import Write

ROOT = Path(__file__).parent.parent.parent
EXAMPLES = sorted((ROOT / "agents.d").glob("*.yaml"))
PAGE = (ROOT / "docs" / "parsing-modes.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```yaml\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)
NOW = ToolDefinition(
    name="current_time",
    description="Tell the time.",
    parameters={"type": "object", "properties": {"place": {"type": "string"}}, "required": ["place"]},
)


def test_the_examples_have_no_problems(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)

    assert validate_paths([]).diagnostics == ()
    assert len(EXAMPLES) > 7


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_goes_by_the_name_of_its_file_and_says_what_it_does(path: Path) -> None:
    spec = compile_agent(path).spec

    assert spec is not None
    assert spec.name == path.stem
    assert spec.description.endswith(".")


@pytest.mark.parametrize("number", range(len(BLOCKS)))
def test_the_yaml_of_the_page_on_parsing_is_right(number: int, project: Write) -> None:
    root = project({"agent.yaml": f"name: a\nmodel: openai/x\nprompt: hi\ntools: [current_time]\n{BLOCKS[number]}"})

    assert compile_agent(root / "agent.yaml").diagnostics == ()


def test_the_protocol_of_the_page_is_that_of_the_example_it_links_to(project: Write) -> None:
    block = next(block for block in BLOCKS if "  mode: text" in block)
    root = project({"agent.yaml": f"name: a\nmodel: openai/x\nprompt: hi\n{block}"})
    shown = compile_agent(root / "agent.yaml").spec
    example = compile_agent(ROOT / "agents.d" / "text-protocol-lines.yaml").spec

    assert shown is not None
    assert example is not None
    assert shown.parsing.instructions is not None
    assert example.parsing.instructions is not None
    assert shown.parsing.instructions.value == example.parsing.instructions.value
    assert (shown.parsing.call, shown.parsing.answer) == (example.parsing.call, example.parsing.answer)
    assert (shown.parsing.arguments, shown.parsing.stop) == (example.parsing.arguments, example.parsing.stop)


def test_a_protocol_written_in_yaml_is_what_the_model_is_told() -> None:
    spec = compile_agent(ROOT / "agents.d" / "text-protocol-lines.yaml").spec
    assert spec is not None

    mode = choose_mode(Setting(spec=spec.parsing, tools=[NOW], capabilities=Capabilities()))

    assert mode.system("You tell the time.") == (
        "You tell the time.\n\n"
        "To use a tool, write one line and stop:\n"
        'CALL current_time(place="...")\n'
        "The next message is its result. To answer, write ANSWER and your answer.\n"
    )
    assert mode.request([], spec.tool_choice).stop == ("\nRESULT",)
