"""The warm process of this command: what it loads, and how a child carries out a command line."""

import importlib
import os
import tempfile
import threading
from collections.abc import Iterable
from functools import partial
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import runner
from runner.cli import main as command_main
from runner.language.compiler import compile_agent
from runner.models import library
from runner.warm.process import live
from runner.warm.rehearsal import load_what_is_loaded_by
from runner.warm.terms import Terms

# What only some runs load; the rest is found by the rehearsal.
_LATE = (
    "runner.chat.editor",
    "runner.cli.chat",
    "runner.cli.early_signals",
    "runner.cli.endings",
    "runner.cli.resume",
    "runner.cli.run",
    "runner.cli.sessions",
    "runner.cli.verbs",
    "runner.report.live",
    "runner.sessions.sqlite",
    "runner.tools.http.tool",
    "runner.tools.isolated.tool",
    "runner.tools.python",
)
_SCHEMAS = tuple(Path(runner.__file__).parents[number] / "schemas" for number in (0, 1))

# LiteLLM loads a lot at the first call, and more at the first of each provider; these are the most used.
_MODELS = ("openai/gpt-5-mini", "anthropic/claude-sonnet-4-5", "gemini/gemini-2.5-flash", "hosted_vllm/any")
_AGENT = """\
name: rehearsal
model: {{name: {model}, api_base: "http://127.0.0.1:{port}/v1", api_key: none, retries: 0}}
prompt: "{{{{ input }}}}"
tools: [calculator]
"""
_REPLY = b"""\
{"id": "1", "object": "chat.completion", "created": 1, "model": "any", "usage": {"prompt_tokens": 1,
"completion_tokens": 1, "total_tokens": 2}, "choices": [{"index": 0, "finish_reason": "stop", "message":
{"role": "assistant", "content": "Hello."}}]}
"""


def main(terms: Terms) -> None:
    """Be the warm process."""
    live(terms, load=load, run=partial(command_main, warm=False))


def load() -> Iterable[Path]:
    """Load what any run may need, and return the files read besides."""
    library.load()
    for name in _LATE:
        importlib.import_module(name)
    load_what_is_loaded_by(_rehearse)
    with tempfile.TemporaryDirectory() as folder:
        # What is made once for all agents is made here: the validators of the schemas, what reads templates. Not
        # `load_agent`, which looks at the keys in the environment.
        compile_agent(_written(folder, _MODELS[0], port=0))
    return [path for folder in _SCHEMAS for path in folder.glob("*.json")]


class _Provider(BaseHTTPRequestHandler):
    """Answers everything with the same reply."""

    def do_POST(self) -> None:
        """Answer."""
        self.rfile.read(int(self.headers["Content-Length"]))
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(_REPLY)))
        self.end_headers()
        self.wfile.write(_REPLY)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name in the base class
        """Say nothing."""


def _rehearse() -> None:
    """Ask models that are not there: all of them are a server in this process, whose answer only some understand."""
    os.environ["NO_PROXY"] = "127.0.0.1"
    provider = HTTPServer(("127.0.0.1", 0), _Provider)
    threading.Thread(target=provider.serve_forever, daemon=True).start()
    with tempfile.TemporaryDirectory() as folder:
        for model in _MODELS:
            runner.load_agent(_written(folder, model, port=provider.server_port)).run("Hello")


def _written(folder: str, model: str, *, port: int) -> Path:
    """The file of an agent that asks this model, on a port of this machine."""
    file = Path(folder) / "agent.yaml"
    file.write_text(_AGENT.format(model=model, port=port), encoding="utf-8")
    return file
