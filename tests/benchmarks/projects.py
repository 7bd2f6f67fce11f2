"""Projects with agents that benchmarks run or validate."""

from collections.abc import Callable, Mapping
from pathlib import Path

AGENT = """\
version: "1"
name: bench
model: {{name: hosted_vllm/bench, api_base: "{url}", api_key: none}}
instructions: Be brief.
tools: [{tool}]
limits: {{max_steps: {steps}, max_tool_calls: 5000, timeout: {timeout}}}
"""
TOOLS = """\
version: "1"
kind: toolset
tools:
  - {{name: {tool}, type: python, function: "bench_tools:{tool}"}}
"""
# Its own module finds the function of a tool; what is called is what every contender calls.
TOOL_CODE = '''\
from tests.benchmarks.contenders import tools


{define} {tool}(number: int) -> str:
    """{doc}"""
    return {await_}tools.{tool}(number)
'''
LOOKUP_CODE = '''\
def lookup(city: str, days: int = 1) -> str:
    """Look a city up."""
    return city * days
'''
MANY = """\
version: "1"
name: agent-{number}
description: Agent number {number} of many.
model:
  name: openai/gpt-5-mini
  temperature: 0.2
  max_tokens: 800
  timeout: 60s
inputs:
  city: {{type: string, default: Oslo, description: City to report on}}
  days: {{type: integer, minimum: 1, maximum: 7, default: 3}}
instructions: |
  You report the weather for {{{{ city }}}}.
  Look {{{{ days }}}} days ahead.
prompt: "Number {number}: {{{{ input }}}}"
examples:
{examples}
tools: [lookup, calculator, current_time]
tool_choice: auto
parsing:
  mode: auto
  max_retries: 2
limits:
  max_steps: 10
  timeout: 2m
  tool_timeout: 20s
  max_tool_calls: 20
  max_cost: 0.5
on_limit: fail
"""
EXAMPLE = """\
  - user: How is it in city {number}?
    calls:
      - tool: lookup
        arguments: {{city: City {number}, days: 2}}
        result: "{number} C"
    answer: It is {number} degrees."""
LARGE = "name: a\nmodel: openai/gpt-5-mini\ninstructions: Be brief.\nx-list:\n" + "  - some text\n" * 700_000


def write_agent(folder: Path, *, url: str, tool: str = "lookup", steps: int = 20, timeout: str = "5m") -> Path:
    """A project with the agent of the benchmarks, whose model is at `url`; the agent's file."""
    (folder / "agents.d").mkdir(parents=True, exist_ok=True)
    (folder / "tools.d").mkdir(exist_ok=True)
    define, await_ = ("async def", "await ") if tool == "wait" else ("def", "")
    code = TOOL_CODE.format(define=define, await_=await_, tool=tool, doc="Look up the entry with this number.")
    (folder / "tools.d" / "bench_tools.py").write_text(code, encoding="utf-8")
    (folder / "tools.d" / "bench.yaml").write_text(TOOLS.format(tool=tool), encoding="utf-8")
    file = folder / "agents.d" / "bench.yaml"
    file.write_text(AGENT.format(url=url, tool=tool, steps=steps, timeout=timeout), encoding="utf-8")
    return file


def write_many(root: Path, files: int, examples: int = 1) -> None:
    """A project with so many agents; about 34 lines and 6 more for each example."""
    for folder in ("agents.d", "tools.d"):
        (root / folder).mkdir(parents=True)
    (root / "tools.d" / "bench.yaml").write_text(TOOLS.format(tool="lookup"), encoding="utf-8")
    (root / "tools.d" / "bench_tools.py").write_text(LOOKUP_CODE, encoding="utf-8")
    for number in range(files):
        told = "\n".join(EXAMPLE.format(number=each) for each in range(examples))
        text = MANY.format(number=number, examples=told)
        (root / "agents.d" / f"agent-{number:04}.yaml").write_text(text, encoding="utf-8")


def write_large(root: Path) -> None:
    """A project with one agent of 10 MB."""
    (root / "agents.d").mkdir()
    (root / "agents.d" / "large.yaml").write_text(LARGE, encoding="utf-8")


PROJECTS: Mapping[str, Callable[[Path], None]] = {
    "one": lambda root: write_many(root, 1),
    "thousand": lambda root: write_many(root, 1_000),
    "long": lambda root: write_many(root, 200, examples=22),
    "large": write_large,
}
"""By name, what writes a project into an empty folder."""
