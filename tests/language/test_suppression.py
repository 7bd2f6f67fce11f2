"""Comments that hide problems: where they stand, what they hide, and what is said about those that hide nothing."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runner.diagnostics import Diagnostic, Location, Span
from runner.language.codes import CODES
from runner.language.comments import marginalia
from runner.language.source import Source
from runner.language.suppression import without_ignored
from runner.language.validation import ValidationReport, validate_paths
from tests.language.projects import Write

HEAD = "name: a\nmodel: local/smollm2\n"


def check(project: Write, text: str, *more: Path) -> ValidationReport:
    project({"agents.d/a.yaml": HEAD + text})
    return validate_paths(more)


def told(report: ValidationReport) -> list[tuple[int, str]]:
    return [(each.location.span.line if each.location.span else 0, each.code) for each in report.diagnostics]


BROKEN = "prompt: Hi.\ntools: [calculatr]\n"


@pytest.mark.parametrize(
    "text",
    [
        "prompt: Hi.\ntools: [calculatr]  # runner: ignore[RUN301]\n",
        "prompt: Hi.\ntools: [calculatr]  # runner: ignore[RUN301] until the tool is merged\n",
        "prompt: Hi.\ntools: [calculatr]  # a note # runner: ignore[RUN301]\n",
        "prompt: Hi.\n#runner:ignore[RUN301]\ntools: [calculatr]\n",
        "prompt: Hi.\n# runner: ignore[RUN301]\n\n# another remark\ntools: [calculatr]\n",
        "prompt: Hi.\ntools:\n  - current_time\n  # runner: ignore[RUN301]\n  - calculatr\n",
        "prompt: |\n  # Not the end.\n# runner: ignore[RUN301]\ntools: [calculatr]\n",
        "prompt: Hi.\r\ntools: [calculatr]  # runner: ignore[RUN301]\r\n",
        "prompt: '北京 #'\ntools: [calculatr]  # runner: ignore[RUN301]\n",
    ],
)
def test_a_comment_on_the_line_or_alone_before_it_hides_the_problem(project: Write, text: str) -> None:
    assert told(check(project, text)) == []


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("prompt: Hi.\ntools: [calculatr]\n# runner: ignore[RUN301]\n", 4),  # after it
        ("prompt: Hi.  # runner: ignore[RUN301]\ntools: [calculatr]\n", 4),  # on the line before, but not alone
        ("# runner: ignore[RUN301]\nprompt: Hi.\ntools: [calculatr]\n", 5),  # before another line
    ],
)
def test_a_comment_hides_nothing_elsewhere_and_says_so(project: Write, text: str, line: int) -> None:
    assert sorted(code for _, code in told(check(project, text))) == ["RUN301", "RUN902"]
    assert (line, "RUN301") in told(check(project, text))


@pytest.mark.parametrize(
    "text",
    [
        "prompt: |  # runner: ignore[RUN402]\n  One.\n  Two {{ citty }}.\n",
        "# runner: ignore[RUN402]\nprompt: >-\n  One.\n\n  Two {{ citty }}.\n",
        "# runner: ignore[RUN402]\nprompt: 'One.\n\n  Two {{ citty }}.'\n",
        "# runner: ignore[RUN402]\nprompt:\n  |\n  One.\n  Two {{ citty }}.\n",
        "prompt: Hi.\nexamples:\n  - user: |  # runner: ignore[RUN402]\n      One {{ citty }}.\n    answer: Yes.\n",
    ],
)
def test_a_comment_at_the_key_holds_for_the_whole_text(project: Write, text: str) -> None:
    assert told(check(project, text)) == []


@pytest.mark.parametrize(("line", "hidden"), [(2, True), (3, True), (4, False)])
def test_where_one_text_ends_and_the_next_begins_the_comments_of_both_hold(line: int, hidden: bool) -> None:
    source = Source("f.yaml", "# runner: ignore[RUN402]\n" + '[a: "one\n  two", b: "three\n  four"]\n')
    span = Span(line=line, column=1, end_line=line, end_column=2)
    problem = Diagnostic(code="RUN402", message="x", location=Location(file="f.yaml", span=span))

    left = without_ignored([problem], [source], known=CODES, checked=(), unsought=None)

    assert (list(left) == []) is hidden


def test_what_looks_like_a_comment_inside_of_a_text_is_text(project: Write) -> None:
    text = (
        "prompt: |\n  # runner: ignore[RUN402]\n  {{ citty }} # runner: ignore[RUN402]\n"
        "description: 'x # runner: ignore-file[RUN402]'\n"
    )

    assert told(check(project, text)) == [(5, "RUN402")]


def test_a_comment_at_the_top_holds_for_the_file(project: Write) -> None:
    project({"agents.d/a.yaml": f"# runner: ignore-file[RUN301, RUN402]\n{HEAD}prompt: '{{{{ x }}}}'\ntools: [nope]\n"})

    assert told(validate_paths(())) == []


def test_only_the_codes_that_are_named_are_hidden(project: Write) -> None:
    text = "prompt: '{{ x }} {{ y | nope }}'  # runner: ignore[RUN402]\n"

    assert told(check(project, text)) == [(3, "RUN403")]


@pytest.mark.parametrize(
    ("comment", "message", "suggestion"),
    [
        ("ignore", "an ignore comment without a code would hide too much", "write ignore[CODE]"),
        ("ignore[]", "an ignore comment without a code would hide too much", "write ignore[CODE]"),
        ("ignore[RUN301", "an ignore comment without a code would hide too much", "write ignore[CODE]"),
        ("ignore[RUN3O1]", "there is no code 'RUN3O1'; did you mean 'RUN301'?", None),
        ("ignore[run301]", "there is no code 'run301'; did you mean 'RUN301'?", None),
        ("ignore[RUN999]", "there is no code 'RUN999'", None),
        ("ignore[RUN3]", "there is no code 'RUN3'", None),
        ("ingore[RUN301]", "there is no comment 'runner: ingore'", "did you mean 'ignore'?"),
        ("ignore-file[RUN301]", "a comment about the whole file stands above everything else in it", "move it up"),
        (
            "ignore[RUN107]",
            "RUN1xx cannot be hidden: a file that cannot be read is not checked at all",
            None,
        ),
        ("ignore[RUN902]", "a comment cannot hide RUN902, only --ignore can", None),
    ],
)
def test_a_comment_that_cannot_be_followed_is_a_warning(
    project: Write, comment: str, message: str, suggestion: str | None
) -> None:
    report = check(project, f"prompt: Hi.\ntools: [calculatr]  # runner: {comment}\n")

    found = [each for each in report.diagnostics if each.code == "RUN901"]
    assert [(each.message, each.suggestion, each.severity) for each in found] == [(message, suggestion, "warning")]
    assert (4, "RUN301") in told(report)


def test_prose_after_the_name_is_nobodys_mistake(project: Write) -> None:
    assert told(check(project, "prompt: Hi.  # runner: the program that runs it\n# runner: x [1]\n")) == []


def test_each_code_that_hides_nothing_is_pointed_at(project: Write) -> None:
    report = check(project, "prompt: Hi.\ntools: [calculatr]  # runner: ignore[RUN402, RUN301]\n")

    [unused] = report.diagnostics
    assert (unused.code, unused.severity) == ("RUN902", "warning")
    assert unused.message == "there is no RUN402 to ignore on line 4"
    assert unused.source is not None
    assert unused.location.span is not None
    assert unused.source[unused.location.span.column - 1 : unused.location.span.end_column - 1] == "RUN402"


def test_of_a_single_file_nobody_can_tell_that_a_comment_hides_nothing(project: Write) -> None:
    text = "prompt: Hi.  # runner: ignore[RUN402]\n"

    assert told(check(project, text, Path("agents.d/a.yaml"))) == []
    assert told(check(project, text, Path("agents.d"))) == [(3, "RUN902")]


def test_what_only_importing_finds_may_be_ignored_without_it(project: Write) -> None:
    project({"tools.d/t.py": "def f() -> None: ...\n"})
    tool = "tools: [{name: f, type: python, function: 't:f'}]  # runner: ignore[RUN540]\n"
    project({"agents.d/t.py": "def f() -> None: ...\n"})

    assert told(check(project, "prompt: Hi.\n" + tool)) == []


def test_a_comment_in_a_base_hides_what_an_agent_finds_there(project: Write) -> None:
    project({"agents.d/base.yaml": "model: local/smollm2\nprompt: '{{ citty }}'  # runner: ignore[RUN402]\n"})
    project({"agents.d/a.yaml": "name: a\nextends: ./base.yaml\n"})

    assert told(validate_paths(())) == []
    assert told(validate_paths([Path("agents.d/a.yaml")])) == []


def test_comments_in_the_project_file_are_followed(project: Write) -> None:
    project(
        {
            "runner.yaml": "version: '1'\nmodles: [x]  # runner: ignore[RUN201]\n",
            "agents.d/a.yaml": HEAD + "prompt: Hi.\n",
        }
    )

    assert told(validate_paths(())) == []


def test_a_file_that_cannot_be_read_has_no_comments(project: Write) -> None:
    text = "# runner: ignore-file[RUN107]\nprompt: [\n"

    assert [code for _, code in told(check(project, text))] == ["RUN107"]


def test_an_alias_bomb_is_read_in_no_time() -> None:
    bomb = "a0: &a0 [x, x]\n" + "".join(f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]\n" for n in range(1, 40))

    found = marginalia(Source("f.yaml", bomb + "# runner: ignore[RUN301]\n"))

    assert [each.text for each in found.comments] == ["# runner: ignore[RUN301]"]


KEYS = ("a: ", "b:\n", "  - ", "|\n", ">-\n", "  x\n", ": ", "--- ", "...", "&a ", "*a", "{", "}", "[", "]")
MARKS = ("'", '"', "#", " # ", "# runner: ignore", "-file", "[RUN301]", "\n", "\t", "北", "\u2028", "\r")
PIECES = st.sampled_from([*KEYS, *MARKS])


@given(st.lists(PIECES, max_size=30).map("".join))
def test_any_text_can_be_searched_for_comments(text: str) -> None:
    source = Source("f.yaml", text)

    for comment in marginalia(source).comments:
        assert source.text.startswith(comment.text, comment.start)
        assert comment.text.startswith("#")
        assert comment.about >= source.place(comment.start)[0]
    for each in without_ignored((), [source], known=CODES, checked={"f.yaml"}, unsought=()):
        assert each.code in ("RUN901", "RUN902")


WORDS = st.text("ab #'\"|>:-[]{}&*!%@,\n", max_size=20)


@given(st.lists(WORDS, min_size=1, max_size=4))
def test_no_quoted_text_is_taken_for_a_comment(words: list[str]) -> None:
    lines = [f'k{number}: "{word.replace(chr(34), chr(92) + chr(34))}"' for number, word in enumerate(words)]
    text = "".join(f"{line} # comment {number}\n" for number, line in enumerate(lines))

    found = marginalia(Source("f.yaml", text.replace("\n\n", "\n"))).comments

    assert found == () or [each.text for each in found] == [f"# comment {number}" for number in range(len(words))]
