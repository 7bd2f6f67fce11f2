"""A process that runs an agent whose one tool never ends: `python -m tests.tools.isolated.driver ROOT`."""

import sys
from collections.abc import Sequence
from pathlib import Path

from runner.agent import Agent
from runner.cli.endings import ending
from runner.cli.orders import Order
from runner.cli.running import run_alone
from runner.cli.streams import leave, prepare
from runner.engine.ports import ModelReply, RawToolCall
from runner.language.overrides import Override
from runner.models.scripted import ScriptedModel
from runner.spec import AgentSpec, ModelSpec, ProjectSpec, Text, ToolSpec


def main(root: str) -> None:
    """Run the tool `endless_sample:tool` of the project at `root`."""
    prepare()
    spec = AgentSpec(
        name="driver",
        file=f"{root}/agent.yaml",
        project=ProjectSpec(root=root, tools_folder=root),
        model=ModelSpec(name="scripted/model"),
        prompt=Text(value="{{ input }}", origin="agent.yaml:1"),
        tools=(
            ToolSpec(
                name="tool",
                type="python",
                settings={"function": "endless_sample:tool", "isolation": "process"},
                folder=root,
            ),
        ),
    )
    call = RawToolCall(id="1", name="tool", arguments="{}")
    agent = Agent(spec, model=ScriptedModel([ModelReply(tool_calls=(call,), finish_reason="tool_calls"), "Done."]))

    def load(path: Path, *, overrides: Sequence[Override] = ()) -> Agent:
        return agent

    leave(ending(lambda: run_alone(Order(file=Path("agent.yaml"), text="Hi", quiet=True), load=load)))


if __name__ == "__main__":
    main(*sys.argv[1:])
