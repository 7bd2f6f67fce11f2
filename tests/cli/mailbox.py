"""A project with an agent whose tool needs approval, run by the command line with a scripted model."""

import io
import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TextIO

from runner.agent import Agent, load_agent
from runner.cli.orders import Order, Resumption
from runner.cli.running import Execution
from runner.cli.streams import Output
from runner.cli.terminal import Terminal
from runner.engine.ports import ModelReply, RawToolCall
from runner.language.overrides import Override
from runner.models.scripted import Line, ScriptedModel
from runner.sessions.sqlite import SqliteStore

AGENT = """\
name: mail
model: openai/gpt-5-mini
parsing: native
prompt: "{{ input }}"
tools: [send, look]
"""
TOOLS = """\
version: "1"
kind: toolset
tools:
  - {name: send, type: python, function: "mail_tools:send", risk: high}
  - {name: look, type: python, function: "mail_tools:look"}
"""
# What was sent is in a file: also what another process has sent.
CODE = '''\
from pathlib import Path

SENT = Path(__file__).with_name("sent.txt")


def send(to: str, copies: int = 1) -> str:
    """Send a mail."""
    with SENT.open("a", encoding="utf-8") as file:
        file.write(f"{to} {copies}\\n")
    return f"sent to {to}"


def look() -> str:
    """Look into the inbox."""
    return "two new mails"
'''


def call(*calls: tuple[str, dict[str, Any]], said: str = "") -> ModelReply:
    """A reply that calls tools; the ids are call_1, call_2, …"""
    raw = (
        RawToolCall(id=f"call_{number}", name=name, arguments=json.dumps(arguments))
        for number, (name, arguments) in enumerate(calls, 1)
    )
    return ModelReply(text=said, tool_calls=tuple(raw), finish_reason="tool_calls")


SEND = call(("send", {"to": "anna@example.com"}), said="I write to Anna.")


@dataclass
class Done:
    """What a command wrote, and its exit code."""

    code: int
    out: str
    err: str
    asked: list[list[Any]] = field(default_factory=list)

    @property
    def document(self) -> dict[str, Any]:
        """The result document."""
        document = json.loads(self.out)
        assert isinstance(document, dict)
        return document


class Mailbox:
    """The project in a folder."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.file = root / "agents.d" / "mail.yaml"
        for path, text in (
            ("agents.d/mail.yaml", AGENT),
            ("tools.d/mail.yaml", TOOLS),
            ("tools.d/mail_tools.py", CODE),
        ):
            (root / path).parent.mkdir(exist_ok=True)
            (root / path).write_text(text, encoding="utf-8")
        self.states = Path(load_agent(self.file).spec.project.state_dir)
        self.store = SqliteStore(self.states)

    @property
    def sent(self) -> list[str]:
        """What was sent, by whichever process."""
        file = self.root / "tools.d" / "sent.txt"
        return file.read_text(encoding="utf-8").splitlines() if file.exists() else []

    def order(self, text: str = "Write to Anna", **more: Any) -> Order:
        """A new run."""
        return Order(**{"file": self.file, "text": text, "output": "json", **more})

    def resumption(self, session: str = "trip", **more: Any) -> Resumption:
        """Going on."""
        return Resumption(**{"session": session, "states": self.states, "output": "json", **more})

    async def carry_out(
        self, order: Order | Resumption, *script: Line, terminal: Terminal | None = None, err: TextIO | None = None
    ) -> Done:
        """Carry out an order as the command line does, with a model that follows the script."""
        model = ScriptedModel(script)

        def load(path: Path, *, overrides: Sequence[Override] = ()) -> Agent:
            return Agent(load_agent(path, overrides=overrides).spec, model=model)

        out = io.BytesIO()
        log = err or io.StringIO()
        code = await Execution(order, out=Output(out), err=log, terminal=terminal).execute(load)
        model.assert_complete()
        return Done(
            code,
            out.getvalue().decode(),
            log.getvalue() if isinstance(log, io.StringIO) else "",
            [list(each.messages) for each in model.requests],
        )
