"""What a workload is, and how the usual kinds of them are made."""

import json
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from tests.benchmarks.figures import OURS, Row
from tests.benchmarks.measuring import ROOT, Command, Ground
from tests.benchmarks.mock_server import Script
from tests.benchmarks.projects import PROJECTS

SCRIPTS = ROOT / "tests" / "benchmarks" / "contenders"
PYTHON = sys.executable
RUNNER = str(Path(sys.executable).with_name("runner"))


@dataclass(frozen=True, kw_only=True, slots=True)
class Asked:
    """What contenders are asked for: what the model says, and further `task.Settings`."""

    script: Script = field(default_factory=Script)
    settings: Mapping[str, Any] = field(default_factory=dict)

    def url(self, ground: Ground) -> str:
        """The base URL at which the model says this."""
        return f"{ground.server}/{self.script.path}/v1"

    def by(self, script: Path | str, workload: str, *, python: Path | str = PYTHON) -> Command:
        """The command of a contender that is given this."""

        def command(ground: Ground) -> list[str]:
            settings = {
                "url": self.url(ground),
                "warm_up": Asked(script=Script(steps=1)).url(ground),
                "tool": self.script.tool,
                "steps": self.script.steps,
                "parallel": self.script.parallel,
                "answer": self.script.answer,
                "folder": str(ground.folder),
                **self.settings,
            }
            return [str(python), "-P", str(SCRIPTS / script), workload, json.dumps(settings)]

        return command


@dataclass(frozen=True, kw_only=True, slots=True)
class Workload:
    """Something to measure.

    Attributes:
        name: what people select it by.
        what: what happens, in a line.
        contenders: ours and the floors, or whatever ours is compared with.
        rows: the figures that are shown.
        asked: what peers are asked for; None where they cannot take part.
        prepare: makes the files that are needed.
        warm_ups: rounds before the first that counts, so that files are in memory and compiled.
        rounds: how many, when nobody asks for another number.
        usual: whether it is measured when nobody selects any.
    """

    name: str
    what: str
    contenders: Mapping[str, Command]
    rows: tuple[Row, ...]
    asked: Asked | None = None
    prepare: Callable[[Ground], object] = lambda _: None
    warm_ups: int = 0
    rounds: int = 3
    usual: bool = True


def alone(script: str, workload: str) -> Command:
    """The command of one of our scripts that asks no server."""
    return lambda ground: [PYTHON, "-P", str(SCRIPTS / script), workload, str(ground.folder)]


def timed(*command: str) -> Command:
    """A command of which a whole process is measured."""
    return lambda _: [PYTHON, "-I", "-S", str(SCRIPTS / "command.py"), *command]


def agents_at_work(
    name: str, what: str, asked: Asked, *rows: Row, ours: str = "runner_agent.py", **more: Any
) -> Workload:
    """A workload of ours and the two floors, in which peers can take part."""
    scripts = {OURS: ours, "litellm": "litellm_loop.py", "aiohttp": "aiohttp_loop.py"}
    contenders = {contender: asked.by(script, name) for contender, script in scripts.items()}
    return Workload(name=name, what=what, rows=rows, asked=asked, **{"contenders": contenders, **more})


def command_line(name: str, what: str, *rows: Row, arguments: str, project: str, **more: Any) -> Workload:
    """A workload of `runner` with these arguments in one of the `PROJECTS`."""
    return Workload(
        name=name,
        what=what,
        rows=rows,
        contenders={OURS: timed(RUNNER, arguments)},
        prepare=lambda ground: PROJECTS[project](ground.folder),
        warm_ups=1,
        **more,
    )


def cold(name: str, what: str, *rows: Row, arguments: str) -> Workload:
    """A workload of starting `runner` for next to nothing; the floor is Python itself."""
    workload = command_line(name, what, *rows, arguments=arguments, project="one", rounds=5)
    return replace(workload, contenders={**workload.contenders, "python": timed(PYTHON, "-c", "pass")})
