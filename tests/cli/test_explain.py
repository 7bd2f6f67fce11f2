import json
import subprocess
import sys

import pytest

from runner.language.explanations import explained_codes, explanation_of
from tests.cli.fakes import Invoke, Terminal


def test_a_code_is_told_with_its_reason_and_two_examples(invoke: Invoke) -> None:
    code, out, err = invoke("explain", "RUN301")

    assert (code, err) == (0, "")
    assert out.startswith("RUN301: an unknown tool\n\n")
    assert [line for line in out.splitlines() if line in ("Why it matters", "Bad", "Good")] == [
        "Why it matters",
        "Bad",
        "Good",
    ]
    assert "    # agents.d/example.yaml\n    name: example\n" in out
    assert "    tools: [calculatr]\n" in out
    assert "\x1b" not in out


def test_lower_case_is_accepted_and_a_code_is_told_once(invoke: Invoke) -> None:
    assert invoke("explain", "run301", "RUN301") == invoke("explain", "RUN301")


def test_several_codes_are_told_in_the_order_asked_for(invoke: Invoke) -> None:
    code, out, _ = invoke("explain", "RUN402", "RUN301")

    assert code == 0
    assert out.index("RUN402: ") < out.index("RUN301: ")


@pytest.mark.parametrize("word", ["RUN9", "run9xx", "RUN90", "RUN90x"])
def test_the_beginning_of_codes_lists_those_that_begin_so(invoke: Invoke, word: str) -> None:
    code, out, err = invoke("explain", word)

    assert (code, err) == (0, "")
    assert out.splitlines() == [
        "comments that hide problems",
        "  RUN901  an ignore comment that cannot be followed",
        "  RUN902  an ignore comment that hides nothing",
    ]


def test_families_are_told_as_json_too(invoke: Invoke) -> None:
    code, out, _ = invoke("explain", "RUN9xx", "RUN301", "--format", "json")

    assert code == 0
    assert [each["code"] for each in json.loads(out)["codes"]] == ["RUN901", "RUN902", "RUN301"]


@pytest.mark.parametrize("word", ["RUN", "RUNxxx"])
def test_what_all_codes_begin_with_lists_them_all(invoke: Invoke, word: str) -> None:
    assert invoke("explain", word) == invoke("explain")


@pytest.mark.parametrize("word", ["RUN0", "RUN0xx", "RUN999", "xx", "RU"])
def test_the_beginning_of_no_code_is_a_wrong_command(invoke: Invoke, word: str) -> None:
    code, out, err = invoke("explain", word)

    assert (code, out) == (2, "")
    assert f"there is no code {word.upper()}" in err


def test_the_text_is_as_wide_as_the_terminal_and_the_examples_as_they_are(
    invoke: Invoke, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    _, out, _ = invoke("explain", "RUN620")

    prose = [line for line in out.splitlines() if not line.startswith("    ")]
    assert max(map(len, prose)) <= 40
    assert r"      call: ^CALL (?P<tool>\w+) (?P<arguments>\{.*\})$" in out.splitlines()


def test_a_wide_terminal_does_not_make_long_lines(invoke: Invoke, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "400")
    _, out, _ = invoke("explain", "RUN620")

    assert 80 < max(map(len, out.splitlines())) <= 100


def test_headings_are_coloured_on_a_terminal_only(invoke: Invoke, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    terminal = Terminal()
    monkeypatch.setattr("sys.stdout", terminal)

    code, _, _ = invoke("explain", "RUN301")

    assert code == 0
    assert terminal.getvalue().startswith("\x1b[1mRUN301: an unknown tool\x1b[0m\n")


def test_commands_of_an_example_are_told_as_such(invoke: Invoke) -> None:
    _, out, _ = invoke("explain", "RUN540")

    assert "    # in a shell\n    runner validate --import\n" in out


def test_without_a_code_all_are_listed_by_family(invoke: Invoke) -> None:
    code, out, err = invoke("explain")

    assert (code, err) == (0, "")
    assert out.startswith("YAML text\n  RUN101  the file cannot be read\n")
    assert "\n\ntemplates\n  RUN401  " in out
    assert [line.split()[0] for line in out.splitlines() if line.startswith("  ")] == list(explained_codes())


@pytest.mark.parametrize(
    ("code", "hint"), [("RUN39", "did you mean 'RUN"), ("whatever", "runner explain lists all codes")]
)
def test_an_unknown_code_is_a_usage_error_with_what_was_meant(invoke: Invoke, code: str, hint: str) -> None:
    status, out, err = invoke("explain", "RUN301", code)

    assert (status, out) == (2, "")
    assert err.startswith(f"error: there is no code {code.upper()}\n  {hint}")


def test_a_code_that_could_drive_the_terminal_is_shown_as_escapes(invoke: Invoke) -> None:
    status, _, err = invoke("explain", "\x1b[2J")

    assert (status, "\x1b" in err) == (2, False)


def test_programs_get_json(invoke: Invoke) -> None:
    code, out, _ = invoke("explain", "run102", "--format", "json")

    document = json.loads(out)
    (explained,) = document["codes"]
    assert (code, document["version"], explained["code"], explained["family"]) == (0, 1, "RUN102", "YAML text")
    assert explained["title"] == explanation_of("RUN102").title
    assert explained["bad"][0]["file"] is None
    assert explained["good"][0]["file"] == "agents.d/example.yaml"
    assert "Café" in out


def test_json_without_a_code_has_all(invoke: Invoke) -> None:
    _, out, _ = invoke("explain", "--format", "json")

    assert [each["code"] for each in json.loads(out)["codes"]] == list(explained_codes())


def test_what_finds_problems_is_not_imported_to_explain_one() -> None:
    script = "import sys, runner.cli.explain as e; e.explanation_of('RUN301'); print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, check=True, text=True)

    assert set(done.stdout.split()) & {"yaml", "jsonschema", "jinja2", "pydantic", "rich", "asyncio"} == set()
