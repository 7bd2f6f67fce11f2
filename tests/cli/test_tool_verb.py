"""`runner tool`: one tool is called as a run would call it."""

import io
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread
from types import MappingProxyType
from typing import ClassVar

import click
import pytest

from runner.cli.tool_arguments import tool_arguments
from tests.cli.fakes import Invoke

ROOT = Path(__file__).parents[2]
MODULE = '''
import os
import time

from runner import ToolContext


def weather(city: str, days: int = 1) -> dict:
    """Tell the weather.

    Args:
        city: where.
    """
    print("noise")
    return {"city": city, "days": days}


def failing(city: str) -> str:
    raise ValueError("no city\\nof this name")


def slow(ctx: ToolContext) -> str:
    ctx.log.info("begun")
    ctx.log.debug("a detail")
    time.sleep(600)


def keeper(ctx: ToolContext) -> str:
    print("printed:", ctx.secrets["TOKEN"])
    ctx.log.warning("the token is " + ctx.secrets["TOKEN"])
    return "token " + ctx.secrets["TOKEN"]


def long() -> str:
    return "x" * 30_000
'''
TOOLSET = """\
kind: toolset
tools:
  - {name: weather, type: python, function: "things:weather"}
  - {name: failing, type: python, function: "things:failing"}
  - {name: slow, type: python, function: "things:slow", timeout: 300ms}
  - {name: stuck, type: python, function: "things:slow", isolation: process}
  - {name: keeper, type: python, function: "things:keeper", env: {TOKEN: "${TOKEN}"}}
  - {name: long, type: python, function: "things:long"}
  - {name: broken, type: python, function: "things:nothing"}
  - name: search
    type: http
    url: "http://127.0.0.1:PORT/search"
    headers: {Authorization: "Bearer ${TOKEN}"}
    query: {q: "{{ q }}"}
    description: Search.
    parameters: {type: object, properties: {q: {type: string}}, required: [q]}
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "agents.d").mkdir()
    (tmp_path / "tools.d").mkdir()
    (tmp_path / "tools.d" / "things.py").write_text(MODULE, encoding="utf-8")
    (tmp_path / "tools.d" / "things.yaml").write_text(TOOLSET, encoding="utf-8")
    return tmp_path


def call(
    project: Path, *arguments: str, stdin: str | None = None, env: Mapping[str, str] = MappingProxyType({})
) -> tuple[int, str, str]:
    """Run `runner tool` in a process of its own; stdin is /dev/null unless something is given."""
    done = subprocess.run(
        [sys.executable, "-m", "runner", "tool", *arguments],
        cwd=project,
        env={**os.environ, "PYTHONPATH": str(ROOT), **env},
        input=stdin,
        stdin=subprocess.DEVNULL if stdin is None else None,
        capture_output=True,
        check=False,
        timeout=60,
        encoding="utf-8",
    )
    return done.returncode, done.stdout, done.stderr


def test_the_result_alone_goes_to_stdout(project: Path) -> None:
    code, out, err = call(project, "weather", '{"city": "北京", "days": "3"}')
    assert (code, out) == (0, '{"city":"北京","days":3}\n')
    assert err == "noise\n"


def test_arguments_come_from_options_and_standard_input_too(project: Path) -> None:
    assert call(project, "weather", "-i", "city=Oslo", "-i", "days=2")[1] == '{"city":"Oslo","days":2}\n'
    assert call(project, "weather", stdin='{"city": "Rome"}')[1] == '{"city":"Rome","days":1}\n'
    assert call(project, "weather", "-", "-i", "days=4", stdin='{"city": "Rome", "days": 1}')[1] == (
        '{"city":"Rome","days":4}\n'
    )


def test_an_error_of_the_tool_goes_to_stderr(project: Path) -> None:
    assert call(project, "failing", "-i", "city=x") == (1, "", "error: ValueError: no city\nof this name\n")
    code, out, err = call(project, "weather", '{"town": "x"}', "--output", "json")
    document = json.loads(out)
    assert (code, document["is_error"], document["tool"]) == (1, True, "weather")
    assert document["content"] in err.replace("error: ", "", 1)
    assert err.splitlines() == [
        "error: weather was not run, its arguments are wrong:",
        "- town: there is no such argument",
        "- city: missing, expected a string",
        "weather: its arguments are: city (required), days",
    ]


def test_the_json_document_holds_the_result(project: Path) -> None:
    code, out, _ = call(project, "weather", "-i", "city=Oslo", "--output", "json")
    document = json.loads(out)
    assert code == 0
    assert document.pop("seconds") >= 0
    assert document == {"tool": "weather", "content": '{"city":"Oslo","days":1}', "is_error": False}


def test_limits_and_logs_are_those_of_a_run(project: Path) -> None:
    code, out, err = call(project, "slow")
    assert (code, out) == (1, "")
    assert err.splitlines()[0] == "info: begun"
    assert "slow did not finish within 0.3 s" in err
    assert "debug: a detail" in call(project, "slow", "--verbose")[2]
    assert "[cut: 20,000 of 30,000 characters shown]" in call(project, "long")[1]


def test_secrets_are_masked_wherever_they_come_out(project: Path) -> None:
    code, out, err = call(project, "keeper", env={"TOKEN": "s3cret-value"})
    assert (code, out, err) == (0, "token ***\n", "printed: ***\nwarning: the token is ***\n")


def test_a_variable_that_is_not_set_is_named_with_its_place(project: Path) -> None:
    code, out, err = call(project, "keeper")
    assert (code, out) == (1, "")
    assert "tools.d/things.yaml:7: environment variable TOKEN is not set" in err


def test_what_is_only_shown_needs_no_variables(project: Path) -> None:
    file = project / "tools.d" / "things.yaml"
    file.write_text(TOOLSET.replace("PORT", "9"), encoding="utf-8")
    code, out, err = call(project, "search", "-i", "q=x", "--dry-run")
    assert (code, err) == (0, "")
    assert "Bearer ${TOKEN}" in out
    code, out, _ = call(project, "keeper", "--schema")
    assert (code, json.loads(out)["name"]) == (0, "keeper")
    out = call(project, "search", "-i", "q=x", "--dry-run", env={"TOKEN": "s3cret-value"})[1]
    assert "s3cret-value" not in out


def test_what_is_wrong_with_the_declaration_is_shown_as_validate_shows_it(project: Path) -> None:
    code, out, err = call(project, "broken")
    assert (code, out) == (1, "")
    assert err.startswith("tools.d/things.yaml:9:")
    assert "error[RUN502]" in err


def test_the_schema_is_what_a_model_is_told(project: Path) -> None:
    code, out, _ = call(project, "weather", "--schema")
    told = json.loads(out)
    assert code == 0
    assert (told["name"], told["description"]) == ("weather", "Tell the weather.")
    assert told["parameters"]["required"] == ["city"]


def test_a_dry_run_of_a_function_calls_nothing(project: Path) -> None:
    code, out, err = call(project, "failing", '{"city": 5}', "--dry-run", "--output", "json")
    assert code == 1
    assert "city: expected" in err
    code, out, err = call(project, "failing", "-i", "city=Oslo", "--dry-run")
    assert (code, err) == (0, "")
    assert [line.split(maxsplit=1) for line in out.splitlines()] == [
        ["tool", "failing"],
        ["type", "python"],
        ["declared", "tools.d/things.yaml:4"],
        ["function", "things:failing"],
        ["file", "tools.d/things.py"],
        ["arguments", '{"city": "Oslo"}'],
    ]


def test_a_dry_run_of_a_function_tells_its_isolation(project: Path) -> None:
    _, out, _ = call(project, "stuck", "--dry-run")

    assert ["isolation", "process"] in [line.split(maxsplit=1) for line in out.splitlines()]


class Counting(BaseHTTPRequestHandler):
    seen: ClassVar[list[str]] = []

    def do_GET(self) -> None:
        self.seen.append(f"{self.path} {self.headers['Authorization']}")
        body = b'{"found": true}'
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        pass


def test_a_dry_run_of_an_endpoint_shows_the_request_and_sends_nothing(project: Path) -> None:
    server = HTTPServer(("127.0.0.1", 0), Counting)
    Thread(target=server.serve_forever, daemon=True).start()
    file = project / "tools.d" / "things.yaml"
    file.write_text(TOOLSET.replace("PORT", str(server.server_port)), encoding="utf-8")
    environ = {"TOKEN": "s3cret-value", "NO_PROXY": "*"}
    try:
        code, out, err = call(project, "search", "-i", "q=a b", "--dry-run", env=environ)
        assert (code, err) == (0, "")
        assert f"GET http://127.0.0.1:{server.server_port}/search?q=a%20b" in out.replace("+", "%20")
        assert "Authorization: Bearer ***" in out
        assert "s3cret" not in out
        assert Counting.seen == []
        code, out, err = call(project, "search", "-i", "q=x", env=environ)
        assert (code, err) == (0, "")
        assert json.loads(out) == {"found": True}
        assert Counting.seen == ["/search?q=x Bearer s3cret-value"]
    finally:
        server.shutdown()
        server.server_close()


def test_an_interrupt_ends_a_tool_at_once(project: Path) -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "runner", "tool", "stuck"],
        cwd=project,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert process.stderr is not None
    assert process.stderr.readline() == b"info: begun\n"
    started = time.monotonic()
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=20)
    assert (process.returncode, out, err) == (130, b"", b"error: interrupted\n")
    assert time.monotonic() - started < 10


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["wether"], "there is no tool 'wether'; did you mean 'weather'?"),
        (["zzzzzz"], "there is no tool 'zzzzzz'; the tools are broken, calculator, current_time, failing, keeper"),
        (["weather", '{"city": "Oslo", "city": "Rome"}'], "the key 'city' stands twice in one object"),
        (["weather", "{"], "the arguments are not JSON: Expecting property name enclosed in double quotes at line 1"),
        (["weather", '["Oslo"]'], 'expected the arguments as a JSON object such as \'{"city": "Oslo"}\', found a list'),
        (["weather", "-i", "Oslo"], "expected an argument as key=value, found 'Oslo'"),
        (["weather", "--dry-run", "--schema"], "--dry-run and --schema exclude each other"),
        (["weather", "--file", "nothing.yaml"], "there is no file nothing.yaml"),
    ],
)
def test_a_wrong_command_says_what_to_write(
    invoke: Invoke, project: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str], complaint: str
) -> None:
    monkeypatch.chdir(project)
    code, out, err = invoke("tool", *arguments)
    assert (code, out) == (2, "")
    assert complaint in err


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ('{"a": 1,\n "b": tru}', "Expecting value at line 2, column 7, found tru}"),
        ('{"a": ', "Expecting value at line 1, column 7, the text ends there"),
        ('{"a": NaN}', "NaN is no number that JSON has"),
        ("[" * 100_000, "they are nested too deeply"),
        ("null", "found null"),
        ("", "the text ends there"),
    ],
)
def test_json_that_cannot_be_used_is_told_with_its_place(text: str, complaint: str) -> None:
    with pytest.raises(click.UsageError) as caught:
        tool_arguments(text, [])
    assert complaint in caught.value.message


def test_arguments_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    assert tool_arguments(None, ["a=1", "b=x=y", "a="]) == {"a": "", "b": "x=y"}
    assert tool_arguments('{"a": 1, "b": [2]}', ["a=3"]) == {"a": "3", "b": [2]}
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b'\xef\xbb\xbf{"a": "\xc3\xbc"}\n')))
    assert tool_arguments("-", []) == {"a": "ü"}
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b" \n")))
    assert tool_arguments("-", []) == {}


def test_a_tool_that_meddles_with_the_event_loop_ends_with_one_line_at_most(project: Path) -> None:
    (project / "tools.d" / "meddling.yaml").write_text(
        "kind: toolset\ntools:\n"
        '  - {name: stops, type: python, function: "meddling:stops"}\n'
        '  - {name: cancels, type: python, function: "meddling:cancels"}\n'
    )
    (project / "tools.d" / "meddling.py").write_text(
        "import asyncio\n"
        "async def stops():\n    asyncio.get_running_loop().stop()\n    return 1\n"
        "async def cancels():\n    for task in asyncio.all_tasks(): task.cancel()\n    await asyncio.sleep(1)\n"
    )

    assert call(project, "stops") == (0, "1\n", "")
    assert call(project, "cancels") == (
        1,
        "",
        "error: cancels cancelled all tasks of the event loop, the call among them\n",
    )
