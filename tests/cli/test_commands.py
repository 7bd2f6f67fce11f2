import io
import os
import re
from pathlib import Path
from types import SimpleNamespace

import click
import pytest

from runner import __version__
from runner.cli.arguments import input_text, typed
from runner.cli.endings import ending
from runner.cli.streams import ReaderGone, UnwritableError
from runner.cli.targets import find_agent
from runner.cli.verbs import VERBS, Verbs, cli
from tests.cli.fakes import Invoke

KINDS = ("agent", "toolset", "project", "event", "result", "validation")


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with two agent files, the current one."""
    (tmp_path / "agents.d").mkdir()
    for name in ("weather.yaml", "clock.yml", "notes.txt"):
        (tmp_path / "agents.d" / name).touch()
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_help_lists_every_command_with_what_it_does(invoke: Invoke) -> None:
    code, out, _ = invoke("--help")
    assert code == 0
    for verb, summary in VERBS.items():
        assert re.search(rf"^  {verb} +{re.escape(summary)}$", out, re.MULTILINE)


def test_the_help_groups_the_commands_by_what_people_come_for(invoke: Invoke) -> None:
    _, out, _ = invoke("--help")
    places = [
        out.index(title)
        for title in ("Run agents:", "  run ", "Check agents:", "  validate ", "Write agents:", "  init ")
    ]
    assert places == sorted(places)


def test_the_examples_of_the_help_work_in_what_init_writes(
    invoke: Invoke, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, out, _ = invoke("--help")
    examples = re.findall(r"^    runner ([a-z]+)(?: (\w+))?", out, re.MULTILINE)
    assert [verb for verb, _ in examples] == ["init", "validate", "run"]
    monkeypatch.chdir(tmp_path)
    assert invoke("init", examples[0][1])[0] == 0
    monkeypatch.chdir(tmp_path / examples[0][1])
    assert invoke("validate")[0] == 0
    assert find_agent(examples[2][1]).is_file()


@pytest.mark.parametrize("verb", VERBS)
def test_every_command_explains_itself_with_an_example_or_its_exit_codes(invoke: Invoke, verb: str) -> None:
    code, out, _ = invoke(verb, "--help")
    assert code == 0
    assert "Example" in out or "Exit codes" in out


def test_every_command_returns_its_exit_code() -> None:
    group = cli
    assert isinstance(group, Verbs)
    for verb in VERBS:
        command = group.get_command(click.Context(group), verb)
        assert command is not None
        assert command.name == verb


def test_version(invoke: Invoke) -> None:
    assert invoke("--version") == (0, f"runner {__version__}\n", "")


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        (["rnu"], "there is no command 'rnu'; did you mean 'run'?"),
        (["zzz"], f"there is no command 'zzz'; the commands are {', '.join(VERBS)}"),
        (["--versoin"], "No such option '--versoin'. Did you mean '--version'?"),
        (["run"], "Missing argument 'FILE|NAME'."),
        (["run", "a.yaml", "Hi", "there"], "Got unexpected extra argument (there)"),
        (["run", "a.yaml", "--quiet", "--verbose"], "--quiet and --verbose exclude each other"),
        (["run", "a.yaml", "--output", "xml"], "Invalid value for '--output': 'xml' is not one of"),
        (["run", "nowhere.yaml"], "there is no file nowhere.yaml"),
        (["run", "agents.d/"], "agents.d/ is a folder; give the file of one agent"),
        (["schema"], f"Missing argument '{'|'.join(KINDS)}'. Choose from: {', '.join(KINDS)}\n"),
        (["schema", "agnet"], f"Invalid value for '{'|'.join(KINDS)}': 'agnet' is not one of"),
    ],
)
def test_a_wrong_command_line_is_told_in_two_lines(
    invoke: Invoke, project: Path, arguments: list[str], error: str
) -> None:
    code, out, err = invoke(*arguments)
    assert (code, out) == (2, "")
    assert err.startswith(f"error: {error}")
    assert len(err.splitlines()) == 2


def test_no_command_at_all_shows_the_help_as_an_error(invoke: Invoke) -> None:
    code, out, err = invoke()
    assert (code, out) == (2, "")
    assert "Run agents:" in err


@pytest.mark.parametrize(
    ("raised", "code", "err"),
    [
        (KeyboardInterrupt(), 130, "error: interrupted\n"),
        (click.Abort(), 130, "error: interrupted\n"),
        (ReaderGone(), 141, ""),
        (SystemExit(1), 141, ""),
        (UnwritableError("no space"), 3, "error: no space\n"),
        (KeyError("x"), 3, "error: internal error: KeyError: 'x' (set RUNNER_DEBUG=1 for the traceback)\n"),
    ],
)
def test_every_ending_has_its_exit_code_and_no_traceback(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, raised: BaseException, code: int, err: str
) -> None:
    monkeypatch.delenv("RUNNER_DEBUG", raising=False)

    def action() -> object:
        raise raised

    assert ending(action) == code
    assert capsys.readouterr().err == err


def test_a_file_name_in_a_message_cannot_drive_the_terminal(invoke: Invoke) -> None:
    _, _, err = invoke("run", "\x1b[2Jx.yaml")
    assert "\x1b" not in err


LONG = "a" * 5_000


@pytest.mark.parametrize("verb", ["run", "render", "validate", "init"])
@pytest.mark.parametrize("path", [LONG, f"{LONG}.yaml", f"agents.d/{LONG}/a.yaml"])
def test_a_path_that_cannot_be_is_a_usage_error_of_readable_length(
    invoke: Invoke, project: Path, verb: str, path: str
) -> None:
    code, out, err = invoke(verb, path)
    assert (code, out) == (2, "")
    assert err.startswith("error: ")
    assert "internal error" not in err
    assert len(err) < 600


@pytest.mark.parametrize(
    "arguments",
    [["run", "clock"], ["run", "clock.yaml"], ["render", "clock"], ["validate"], ["validate", "."], ["list"], ["init"]],
)
def test_a_current_folder_that_was_deleted_is_a_usage_error(
    invoke: Invoke, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    tmp_path.rmdir()
    code, out, err = invoke(*arguments)
    assert (code, out) == (2, "")
    assert err.startswith("error: ")
    assert "internal error" not in err


def test_a_full_path_needs_no_current_folder(
    invoke: Invoke, project: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    agent = project / "agents.d" / "clock.yml"
    agent.write_text("name: clock\nmodel: openai/x\nprompt: hi\n")
    gone = tmp_path_factory.mktemp("gone")
    monkeypatch.chdir(gone)
    gone.rmdir()
    assert find_agent(str(agent)) == agent
    assert invoke("validate", str(agent))[0] == 0


def test_a_name_is_an_agent_of_the_project_around(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert find_agent("weather", folder=project) == Path("agents.d/weather.yaml")
    assert find_agent("clock", folder=project) == Path("agents.d/clock.yml")
    below = project / "deep" / "er"
    below.mkdir(parents=True)
    monkeypatch.chdir(below)
    assert find_agent("weather", folder=below) == Path("../../agents.d/weather.yaml")


def test_an_agent_goes_by_its_name_before_that_of_its_file(project: Path) -> None:
    (project / "agents.d" / "deep").mkdir()
    (project / "agents.d" / "deep" / "a.yaml").write_text("name: clock\n")
    (project / "agents.d" / "weather.yaml").write_text("name: forecast\n")
    assert find_agent("clock", folder=project) == Path("agents.d/deep/a.yaml")
    assert find_agent("forecast", folder=project) == Path("agents.d/weather.yaml")
    for stem, file in (("weather", "agents.d/weather.yaml"), ("a", "agents.d/deep/a.yaml")):
        assert find_agent(stem, folder=project) == Path(file)


def test_a_name_is_looked_up_where_list_looks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "bots").mkdir()
    (tmp_path / "bots" / "x.yaml").write_text("name: weather\nprompt: Hi.\n")
    (tmp_path / "runner.yaml").touch()
    monkeypatch.chdir(tmp_path / "bots")
    assert find_agent("weather", folder=tmp_path / "bots") == Path("x.yaml")


@pytest.mark.parametrize("verb", ["run", "render"])
def test_a_name_that_two_agents_have_is_refused_with_both_files(invoke: Invoke, project: Path, verb: str) -> None:
    for file in ("weather.yaml", "clock.yml"):
        (project / "agents.d" / file).write_text("name: twin\nmodel: openai/x\nprompt: Hi.\n")
    code, out, err = invoke(verb, "twin")
    assert (code, out) == (2, "")
    files = "agents.d/clock.yml, agents.d/weather.yaml"
    assert err.startswith(f"error: the name 'twin' is not unique; name one of the files: {files}\n")


def test_a_pipe_is_no_missing_file(project: Path) -> None:
    os.mkfifo("pipe.yaml")
    assert find_agent("pipe.yaml", folder=project) == Path("pipe.yaml")


def test_the_examples_of_run_name_agents_that_come_with_the_repository(invoke: Invoke) -> None:
    _, out, _ = invoke("run", "--help")
    named = set(re.findall(r"runner run (?:agents\.d/)?([\w-]+)", out))
    shipped = {path.stem for path in (Path(__file__).parents[2] / "agents.d").glob("*.yaml")}
    assert len(named) > 1
    assert named <= shipped


def test_a_path_is_taken_as_it_is(project: Path) -> None:
    (project / "plain").touch()
    for path in ("agents.d/weather.yaml", "./agents.d/clock.yml", str(project / "agents.d" / "clock.yml"), "plain"):
        assert find_agent(path, folder=project) == Path(path)


def test_an_unknown_name_is_answered_with_the_one_meant(project: Path) -> None:
    with pytest.raises(click.UsageError, match=r"there is no agent 'wether'; did you mean 'weather'\?"):
        find_agent("wether", folder=project)
    with pytest.raises(click.UsageError, match="the agents here are clock, weather"):
        find_agent("zzzzz", folder=project)


def test_a_name_where_there_are_no_agents_is_answered_with_the_way_to_get_some(tmp_path: Path) -> None:
    with pytest.raises(click.UsageError, match=r"no agents\.d/\*\.yaml \(runner init writes one\)"):
        find_agent("weather", folder=tmp_path)


def stdin(data: bytes) -> SimpleNamespace:
    return SimpleNamespace(buffer=io.BytesIO(data))


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b"two\nlines\n", "two\nlines"),
        ("北京\r\n".encode(), "北京"),
        (b"\xef\xbb\xbfbom", "bom"),
        (b"", ""),
        (b"\n\n", "\n"),
    ],
)
def test_a_dash_reads_standard_input_as_utf_8(monkeypatch: pytest.MonkeyPatch, data: bytes, text: str) -> None:
    monkeypatch.setattr("sys.stdin", stdin(data))
    assert input_text("-") == text


def test_standard_input_that_is_not_utf_8_is_refused_with_the_place(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", stdin(b"caf\xe9"))
    with pytest.raises(click.UsageError, match="not UTF-8: byte 4 cannot be read"):
        input_text("-")


def test_a_closed_standard_input_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", None)
    with pytest.raises(click.UsageError, match="standard input is closed"):
        input_text("-")


def test_typed_text_is_utf_8_also_when_python_took_it_for_something_else() -> None:
    assert typed("北京 🎉") == "北京 🎉"
    assert typed("café".encode().decode("ascii", "surrogateescape")) == "café"
    assert typed(os.fsdecode(b"caf\xe9")) == "caf\ufffd"
    assert input_text(None) is None
