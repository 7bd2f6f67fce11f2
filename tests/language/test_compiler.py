import re
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from runner.language.checks import CODES
from runner.language.compiler import Compiled, compile_agent
from runner.language.document import CODES as DOCUMENT_CODES
from runner.language.durations import seconds
from runner.language.overrides import Override
from runner.language.schema import CODES as SCHEMA_CODES
from runner.spec import (
    AgentSpec,
    ExampleCall,
    ExampleSpec,
    InputSpec,
    Limits,
    ModelSpec,
    ParsingSpec,
    ProjectSpec,
    Text,
    ToolChoice,
    ToolSpec,
)
from tests.language.projects import Write

EVERYTHING = """
version: "1"
kind: agent
name: weather
description: Tells the weather.
metadata: {tags: [demo]}
x-free: {anything: here}
model:
  name: openai/gpt-5-mini
  temperature: 0.5
  max_tokens: 800
  timeout: 90s
  api_base: ${BASE:-}
  api_key: "${KEY}"
  capabilities: {function_calling: true, x-why: tried}
  params: {x-extra: "${USER}", since: 2024-01-01}
inputs:
  city: {type: string, default: 北京}
instructions: |

  You report for {{ city }}.
prompt: "{{ input }}"
examples:
  - user: Is it cold?
    calls:
      - {tool: geo, arguments: {q: x}, result: "12 C"}
      - {tool: calculator, arguments: {expression: 1+1}, result: ""}
    answer: Yes.
tools:
  - calculator
  - name: geo
    type: python
    function: geo_tools:geo
    description: Find a place.
    parameters: {type: object, properties: {q: {type: string}}, required: [q]}
    timeout: 500ms
    risk: high
    idempotent: true
    return_direct: true
tool_choice: {mode: geo, keep: true}
parsing: {mode: json, max_retries: 1}
limits:
  max_steps: 7.0
  timeout: 1h
  tool_timeout: 1e1
  max_tool_calls: 5
  max_parallel_tools: 4
  max_tool_result_chars: 1000
"""


@pytest.fixture
def root(project: Write) -> Path:
    return project(
        {
            "runner.yaml": "python_packages: [acme]\n",
            "agents.d/weather.yaml": EVERYTHING,
            "agents.d/geo_tools.py": "def geo(q): ...\n",
        }
    )


def compiled(root: Path, text: str | None = None, *, model: str | None = None, display: str | None = None) -> Compiled:
    path = root / "agents.d" / "weather.yaml"
    if text is not None:
        path.write_text(text, encoding="utf-8")
    overrides = [Override(option="--model", data={"model": model})] if model else []
    return compile_agent(path, overrides=overrides, display=display)


def spec(root: Path, text: str | None = None, *, model: str | None = None) -> AgentSpec:
    found = compiled(root, text, model=model)
    assert found.spec is not None, found.diagnostics
    return found.spec


def test_every_field_arrives(root: Path) -> None:
    agent = spec(root)

    assert compiled(root).diagnostics == ()
    assert (agent.name, agent.description, agent.metadata) == ("weather", "Tells the weather.", {"tags": ["demo"]})
    assert agent.file == str((root / "agents.d" / "weather.yaml").resolve())
    assert agent.project == ProjectSpec(
        root=str(root), tools_folder=str(root / "tools.d"), state_dir=str(root / ".runner"), python_packages=("acme",)
    )
    assert agent.model == ModelSpec(
        name="openai/gpt-5-mini",
        temperature=0.5,
        max_tokens=800,
        timeout=90.0,
        api_base=Text(value="${BASE:-}", origin="agents.d/weather.yaml:12"),
        api_key=Text(value="${KEY}", origin="agents.d/weather.yaml:13"),
        capabilities={"function_calling": True},
        params={"x-extra": "${USER}", "since": "2024-01-01"},  # field bug B78
        origin="agents.d/weather.yaml:8",
    )
    assert agent.inputs == (InputSpec(name="city", schema={"type": "string", "default": "北京"}),)
    assert agent.instructions == Text(value="\nYou report for {{ city }}.\n", origin="agents.d/weather.yaml:19")
    assert agent.prompt == Text(value="{{ input }}", origin="agents.d/weather.yaml:21")
    assert agent.examples == (
        ExampleSpec(
            user=Text(value="Is it cold?", origin="agents.d/weather.yaml:23"),
            calls=(
                ExampleCall(tool="geo", arguments={"q": "x"}, result="12 C"),
                ExampleCall(tool="calculator", arguments={"expression": "1+1"}, result=""),
            ),
            answer=Text(value="Yes.", origin="agents.d/weather.yaml:27"),
        ),
    )
    assert agent.tools[0].name == "calculator"
    assert agent.tools[1] == ToolSpec(
        name="geo",
        type="python",
        description="Find a place.",
        parameters={"type": "object", "properties": {"q": {"type": "string"}}, "required": ["q"]},
        timeout=0.5,
        risk="high",
        idempotent=True,
        return_direct=True,
        settings={"function": "geo_tools:geo"},
        folder=str(root / "agents.d"),
        origin="agents.d/weather.yaml:30",
    )
    assert agent.tool_choice == ToolChoice(mode="geo", keep=True)
    assert agent.parsing == ParsingSpec(mode="json", max_retries=1)
    assert agent.limits == Limits(
        max_steps=7,
        timeout=3600.0,
        tool_timeout=10.0,
        max_tool_calls=5,
        max_parallel_tools=4,
        max_tool_result_chars=1000,
    )
    assert isinstance(agent.limits.max_steps, int)


def test_a_small_agent_gets_the_defaults(root: Path) -> None:
    agent = spec(root, "name: small\nmodel: openai/x\ninstructions: Be kind.\n")

    assert agent.prompt == Text(value="{{ input }}", origin="agents.d/weather.yaml:1")
    assert agent.model == ModelSpec(name="openai/x", origin="agents.d/weather.yaml:2")
    assert (agent.tools, agent.examples, agent.inputs, agent.metadata) == ((), (), (), {})
    assert (agent.limits, agent.parsing, agent.tool_choice) == (Limits(), ParsingSpec(), ToolChoice())


PROTOCOL = """
name: weather
model: openai/x
prompt: hi
tools: [calculator]
parsing:
  mode: text
  max_retries: 3.0
  x-why: tried
  instructions: |
    {% for tool in tools %}{{ tool.name }}{% endfor %}
  call: ^DO (?P<name>\\w+) (?P<arguments>.*)$
  answer: (?s)^SAY (?P<answer>.*)
  arguments: pairs
  result: "{{ name }}: {{ result }}"
  stop: ["\\nRESULT", 停]
output_schema: {type: array, items: {$ref: "#/$defs/城市"}, $defs: {城市: {type: string}}}
"""


def test_a_protocol_and_the_schema_of_the_answer_arrive(root: Path) -> None:
    agent = spec(root, PROTOCOL)

    assert compiled(root, PROTOCOL).diagnostics == ()
    assert agent.parsing == ParsingSpec(
        mode="text",
        max_retries=3,
        instructions=Text(
            value="{% for tool in tools %}{{ tool.name }}{% endfor %}\n", origin="agents.d/weather.yaml:11"
        ),
        call=r"^DO (?P<name>\w+) (?P<arguments>.*)$",
        answer="(?s)^SAY (?P<answer>.*)",
        arguments="pairs",
        result=Text(value="{{ name }}: {{ result }}", origin="agents.d/weather.yaml:15"),
        stop=("\nRESULT", "停"),
    )
    assert agent.output_schema == {
        "type": "array",
        "items": {"$ref": "#/$defs/城市"},
        "$defs": {"城市": {"type": "string"}},
    }


def test_labels_are_a_language_or_words_without_notes(root: Path) -> None:
    words = {"thought": "T", "action": "A", "action_input": "I", "observation": "O", "final_answer": "F"}
    head = "name: weather\nmodel: openai/x\nprompt: hi\nparsing: "

    assert spec(root, head + "{mode: react, labels: zh}").parsing == ParsingSpec(mode="react", labels="zh")
    assert spec(root, head + "react").parsing == ParsingSpec(mode="react")
    assert spec(root, f"{head}{{mode: react, labels: { ({**words, 'x-a': 'b'}) }}}").parsing.labels == words


def test_one_stop_string_may_stand_alone(root: Path) -> None:
    assert spec(root, re.sub("stop: .*", "stop: STOP", PROTOCOL)).parsing.stop == ("STOP",)


@pytest.mark.parametrize(("protocol", "loaded"), [(PROTOCOL, True), (EVERYTHING, False)])
def test_only_an_agent_with_a_text_protocol_loads_what_reads_patterns(
    root: Path, protocol: str, *, loaded: bool
) -> None:
    (root / "agents.d" / "weather.yaml").write_text(protocol, encoding="utf-8")
    program = (
        "import sys; from pathlib import Path; from runner.language.validation import validate_paths; "
        "assert not validate_paths([Path('agents.d/weather.yaml')]).errors; print('re2' in sys.modules)"
    )

    printed = subprocess.run([sys.executable, "-c", program], cwd=root, capture_output=True, text=True, check=True)

    assert printed.stdout.strip() == str(loaded)


def test_the_name_shown_can_be_chosen(root: Path) -> None:
    found = compiled(root, "name: 5\n", display="<what you sent>")

    assert {each.location.file for each in found.diagnostics} == {"<what you sent>"}


def test_another_model_leaves_the_server_of_the_files_model_behind(root: Path) -> None:
    assert spec(root, model="local/smollm2").model == ModelSpec(
        name="local/smollm2",
        temperature=0.5,
        max_tokens=800,
        timeout=90.0,
        params={"x-extra": "${USER}", "since": "2024-01-01"},
        origin="agents.d/weather.yaml:15",
    )


def test_a_model_from_the_command_line_completes_an_agent(root: Path) -> None:
    without = "name: a\nprompt: hi\n"

    assert compiled(root, without).spec is None
    assert spec(root, without, model="openai/x").model.name == "openai/x"


def test_a_wrong_model_from_the_command_line_is_told_as_such(root: Path) -> None:
    (found,) = compiled(root, model="gpt-5").diagnostics

    assert (str(found.location), found.code, found.suggestion) == ("--model", "RUN601", "write 'openai/gpt-5'")


def test_warnings_do_not_stop_an_agent(root: Path) -> None:
    found = compiled(
        root, "name: a\nmodel: openai/x\nprompt: hi\ndescription: ${HOME}\ninputs: {spare: {type: string}}\n"
    )

    assert [each.severity for each in found.diagnostics] == ["warning", "warning"]
    assert found.spec is not None


def test_problems_of_all_kinds_are_told_at_once(root: Path) -> None:
    text = "name: A\nmodel: gpt-5\nprompt: '{{ x }}{{ y | uper }}'\ntools: [nope]\nlimits: {max_step: 1}\nname: b\n"

    found = compiled(root, text)

    assert found.spec is None
    assert [each.code for each in found.diagnostics] == [
        "RUN206",
        "RUN601",
        "RUN402",
        "RUN402",
        "RUN403",
        "RUN301",
        "RUN201",
        "RUN110",
    ]


def test_a_file_that_is_missing_is_a_diagnostic(root: Path) -> None:
    (found,) = compile_agent(root / "agents.d" / "gone.yaml").diagnostics

    assert (str(found.location), found.message) == ("agents.d/gone.yaml", "file not found")


def test_a_toolset_is_no_agent(root: Path) -> None:
    (found,) = compiled(root, "kind: toolset\ntools: []\n").diagnostics

    assert (found.code, str(found.location)) == ("RUN313", "agents.d/weather.yaml:1:7")


def test_the_text_is_used_as_it_is_whatever_the_locale(root: Path) -> None:  # field bug B80
    code = "import sys; from pathlib import Path; from runner.language.compiler import compile_agent; "
    code += "print(ascii(compile_agent(Path(sys.argv[1])).spec.inputs[0].schema['default']))"
    environ = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}

    out = subprocess.run(
        [sys.executable, "-c", code, str(root / "agents.d" / "weather.yaml")],
        env=environ,
        capture_output=True,
        check=True,
    ).stdout

    assert out == rb"'\u5317\u4eac'" + b"\n"


def test_checking_imports_nothing_slow() -> None:
    code = "import sys, runner.language.validation, runner.language.listing; print(sorted(sys.modules))"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, text=True).stdout

    for module in ("litellm", "pydantic", "rich", "click", "httpx2", "asyncio"):
        assert f"'{module}'" not in loaded


@pytest.mark.parametrize(
    ("value", "expected"),
    [(30, 30.0), (0.5, 0.5), ("30s", 30.0), ("500ms", 0.5), ("2m", 120.0), ("1h", 3600.0), ("1.5m", 90.0)],
)
def test_durations_are_seconds(value: float | str, expected: float) -> None:
    assert seconds(value) == expected


@pytest.mark.parametrize("value", ["", "5", "5 s", "-5s", "5d", "1e3s", "s"])
def test_what_is_no_duration_is_refused(value: float | str) -> None:
    with pytest.raises(ValueError, match="expected a number of seconds"):
        seconds(value)


def test_every_code_has_one_meaning() -> None:
    assert not DOCUMENT_CODES.keys() & SCHEMA_CODES.keys()
    assert not CODES.keys() & (DOCUMENT_CODES.keys() | SCHEMA_CODES.keys())


LINES = EVERYTHING.splitlines()


@settings(max_examples=60)
@given(
    changes=st.lists(
        st.tuples(
            st.integers(0, len(LINES) - 1),
            st.sampled_from(
                ["", "  ", "- x", "x: [1, {a: b}]", "tools: 5", "model: [x]", "extends: [1, .]", "inputs: {a: 1}"]
            )
            | st.text(max_size=12),
        ),
        max_size=4,
    )
)
def test_whatever_stands_in_the_file_there_are_diagnostics_or_a_spec(
    any_file: Path, changes: list[tuple[int, str]]
) -> None:
    lines = list(LINES)
    for index, text in changes:
        lines[index] = text
    any_file.write_bytes("\n".join(lines).encode("utf-8", "surrogatepass"))

    found = compile_agent(any_file)

    assert (found.spec is None) is any(each.severity == "error" for each in found.diagnostics)
    for each in found.diagnostics:
        assert each.message
        assert "\n" not in each.message


@given(content=st.binary(max_size=300))
def test_any_bytes_are_diagnosed(any_file: Path, content: bytes) -> None:
    any_file.write_bytes(content)

    found = compile_agent(any_file)

    assert (found.spec is None) is any(each.severity == "error" for each in found.diagnostics)


@pytest.fixture(scope="module")
def any_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("any") / "agent.yaml"


@pytest.mark.parametrize(("written", "held"), [("0.5", 0.5), ("0.9", 0.9), ("1.7", 1.7), ("2", 2.0)])
def test_a_cost_limit_keeps_its_cents(project: Write, written: str, held: float) -> None:
    root = project({"agent.yaml": f"name: a\nmodel: openai/x\nprompt: hi\nlimits: {{max_cost: {written}}}\n"})
    spec = compile_agent(root / "agent.yaml").spec

    assert spec is not None
    assert spec.limits.max_cost == held


def test_the_policy_keeps_its_cents_too(project: Write) -> None:
    root = project(
        {
            "runner.yaml": "limits: {maximum: {max_cost: 0.5}}\n",
            "agents.d/a.yaml": "name: a\nmodel: openai/x\nprompt: hi\n",
        }
    )
    spec = compile_agent(root / "agents.d" / "a.yaml").spec

    assert spec is not None
    assert spec.limits.max_cost == 0.5
