"""Known problems in a file: what it hides, what it does not, and what is said about entries that are gone."""

import json
import os
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runner.diagnostics import Diagnostic, Location, Span
from runner.language.baseline import Baseline, BaselineError, Compared, baseline_text, make_baseline, read_baseline
from tests.report.problems import ANY_TEXT, PROBLEMS


def problem(line: int = 3, *, file: str = "agents.d/a.yaml", code: str = "RUN301", source: str = "  - x") -> Diagnostic:
    location = Location(file=file, span=Span(line=line, column=5, end_line=line, end_column=6))
    return Diagnostic(code=code, message="unknown tool 'x'", location=location, source=source)


FOUND = problem()


def compared(baseline: Baseline, *found: Diagnostic, checked: tuple[str, ...] = ("agents.d/a.yaml",)) -> Compared:
    return baseline.compare(found, checked=checked, takes=lambda code: code != "RUN404")


def kept(*found: Diagnostic, folder: Path | None = None) -> Baseline:
    return make_baseline(found, folder or Path.cwd())


def test_a_known_problem_is_hidden_wherever_its_line_has_moved() -> None:
    assert compared(kept(FOUND), problem(90)) == Compared(fresh=(), hidden=1, stale=0)


@pytest.mark.parametrize(
    "other",
    [
        problem(file="agents.d/b.yaml"),
        problem(code="RUN302"),
        problem(source="  - x  # new"),
        replace(FOUND, message="unknown tool 'y'"),
    ],
)
def test_another_file_code_message_or_line_is_another_problem(other: Diagnostic) -> None:
    assert compared(kept(FOUND), other) == Compared(fresh=(other,), hidden=0, stale=1)


def test_a_problem_that_is_known_once_hides_one() -> None:
    assert compared(kept(FOUND), FOUND, problem(9)) == Compared(fresh=(problem(9),), hidden=1, stale=0)
    assert compared(kept(FOUND, problem(9)), FOUND) == Compared(fresh=(), hidden=1, stale=1)


def test_a_file_that_cannot_be_read_is_never_known() -> None:
    broken = problem(code="RUN107")

    assert kept(broken).known.total() == 0
    assert compared(kept(FOUND), broken).fresh == (broken,)


def test_what_was_not_looked_for_is_not_gone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "there.yaml").touch()
    there, gone, unchosen = problem(file="there.yaml"), problem(file="gone.yaml"), problem(code="RUN404")

    assert compared(kept(there, gone, unchosen)).stale == 1
    assert compared(kept(there, gone), checked=("there.yaml",)).stale == 2


def test_a_baseline_reads_back_what_was_written(tmp_path: Path) -> None:
    file = tmp_path / "baseline.json"
    baseline = kept(FOUND, FOUND, problem(file="caf\udce9 北.yaml"), folder=tmp_path)
    text = baseline_text(baseline)
    file.write_text(text, encoding="utf-8")

    assert read_baseline(file) == baseline
    assert "北" in text
    assert text.count("\n") == 7
    assert json.loads(text)["version"] == 1


def test_an_empty_baseline_is_one_too(tmp_path: Path) -> None:
    (tmp_path / "b.json").write_text(baseline_text(kept(folder=tmp_path)))

    assert read_baseline(tmp_path / "b.json").known.total() == 0


def test_the_order_of_a_baseline_does_not_depend_on_that_of_the_problems() -> None:
    others = [problem(file="agents.d/b.yaml"), problem(code="RUN203"), FOUND]

    assert baseline_text(kept(*others)) == baseline_text(kept(*reversed(others)))


def test_files_are_named_as_seen_from_the_baseline(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "sub").mkdir()
    monkeypatch.chdir(tmp_path)
    baseline = kept(problem(file="sub/a.yaml"), folder=tmp_path)
    monkeypatch.chdir(tmp_path / "sub")

    assert compared(baseline, problem(file="a.yaml"), checked=("a.yaml",)).hidden == 1
    assert os.fspath(baseline.folder) == str(tmp_path)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "cannot be read: it is not JSON"),
        ("[]", "is no baseline: expected a mapping with a list 'problems'"),
        ('{"version": 1}', "is no baseline: expected a mapping with a list 'problems'"),
        ('{"version": 2, "problems": []}', "has version 2, expected 1: write it anew"),
        ('{"version": 1, "problems": [1]}', "problem 1 is malformed: expected the texts code, file, line, message"),
        (
            '{"version": 1, "problems": [{"file": "a", "code": "b", "message": "c", "line": null}]}',
            "problem 1 is malformed: expected the texts code, file, line, message",
        ),
        (
            '{"version": 1, "problems": [{"file": "a", "code": "b", "message": "c", "line": "d", "count": 0}]}',
            "problem 1 is malformed: expected a positive number as 'count', found 0",
        ),
    ],
)
def test_a_malformed_baseline_is_refused(tmp_path: Path, text: str, message: str) -> None:
    file = tmp_path / "b.json"
    file.write_text(text)

    with pytest.raises(BaselineError) as caught:
        read_baseline(file)
    assert message in str(caught.value)


def test_a_baseline_that_cannot_be_opened_says_why(tmp_path: Path) -> None:
    with pytest.raises(BaselineError, match=r"there is no baseline .*--write-baseline writes one"):
        read_baseline(tmp_path / "none.json")
    with pytest.raises(BaselineError, match="cannot be read: Is a directory"):
        read_baseline(tmp_path)
    (tmp_path / "bytes.json").write_bytes(b"\xff")
    with pytest.raises(BaselineError, match="it is not JSON"):
        read_baseline(tmp_path / "bytes.json")


@given(st.lists(PROBLEMS, max_size=5))
def test_a_baseline_hides_exactly_what_it_was_made_of(found: list[Diagnostic]) -> None:
    baseline = make_baseline(found, Path("/elsewhere"))
    readable = [each for each in found if not each.code.startswith("RUN1")]

    left = baseline.compare(found, checked=(), takes=lambda _: True)

    assert (left.hidden, left.stale) == (len(readable), 0)
    baseline_text(baseline).encode()
    assert all(isinstance(each, dict) for each in json.loads(baseline_text(baseline))["problems"])


@given(ANY_TEXT)
def test_no_text_makes_reading_a_baseline_fail_in_another_way(text: str) -> None:
    file = Path(os.environ.get("TMPDIR", "/tmp")) / f"baseline-{os.getpid()}.json"
    file.write_text(text, encoding="utf-8", errors="replace")
    try:
        with pytest.raises(BaselineError):
            read_baseline(file)
    finally:
        file.unlink()
