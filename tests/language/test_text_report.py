"""Diagnostics as text: the place, the line, and a caret under exactly what is wrong."""

import re
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runner.diagnostics import Diagnostic, Location, Related, Severity, Span
from runner.language.document import parse_document
from runner.report.text import render_text


def at(line: int, column: int, end_column: int, *, end_line: int | None = None, file: str = "f.yaml") -> Location:
    span = Span(line=line, column=column, end_line=end_line or line, end_column=end_column)
    return Location(file=file, span=span)


def problem(
    source: str | None,
    location: Location,
    *,
    message: str = "wrong",
    suggestion: str | None = None,
    severity: Severity = "error",
    related: tuple[Related, ...] = (),
) -> Diagnostic:
    return Diagnostic(
        code="RUN301",
        message=message,
        location=location,
        severity=severity,
        suggestion=suggestion,
        source=source,
        related=related,
    )


def plain(*diagnostics: Diagnostic) -> str:
    return render_text(diagnostics, colour=False)


def test_the_block_looks_as_the_design_shows_it() -> None:
    tool = problem(
        "  - get_wether",
        at(12, 5, 15, file="agents.d/weather.yaml"),
        message="unknown tool 'get_wether'",
        suggestion="did you mean 'get_weather'?",
        related=(Related(message="declared", location=at(5, 11, 22, file="tools.d/weather.yaml")),),
    )
    variable = problem(
        "    Report for {{ citty }}.",
        at(18, 19, 24, file="agents.d/weather.yaml"),
        message="template variable 'citty' is not declared in inputs",
        suggestion="did you mean 'city'?",
    )

    assert plain(tool, variable) == (
        "agents.d/weather.yaml:12:5: error[RUN301]: unknown tool 'get_wether'\n"
        "   |\n"
        "12 |   - get_wether\n"
        "   |     ^^^^^^^^^^ did you mean 'get_weather'? (declared at tools.d/weather.yaml:5:11)\n"
        "agents.d/weather.yaml:18:19: error[RUN301]: template variable 'citty' is not declared in inputs\n"
        "   |\n"
        "18 |     Report for {{ citty }}.\n"
        "   |                   ^^^^^ did you mean 'city'?\n"
    )


def test_without_advice_there_are_only_carets_and_more_places_get_lines_of_their_own() -> None:
    first, second = (Related(message=word, location=at(line, 1, 2)) for word, line in (("first", 3), ("second", 4)))

    assert plain(problem("a: b", at(1, 4, 5), severity="warning")) == (
        "f.yaml:1:4: warning[RUN301]: wrong\n  |\n1 | a: b\n  |    ^\n"
    )
    assert plain(problem("a: b", at(1, 4, 5), related=(first, second))) == (
        "f.yaml:1:4: error[RUN301]: wrong\n"
        "  |\n"
        "1 | a: b\n"
        "  |    ^ (first at f.yaml:3:1)\n"
        "  |    (second at f.yaml:4:1)\n"
    )


def test_what_is_about_a_file_as_a_whole_has_no_snippet() -> None:
    whole = Location(file="f.yaml")

    assert plain(problem(None, whole)) == "f.yaml: error[RUN301]: wrong\n"
    assert plain(problem(None, whole, suggestion="do this")) == "f.yaml: error[RUN301]: wrong\n   = do this\n"
    assert plain(problem(None, at(3, 1, 2))) == "f.yaml:3:1: error[RUN301]: wrong\n"
    assert plain() == ""


def carets(text: str) -> tuple[str, str]:
    """(shown line, caret line), both without the gutter."""
    _, _, source, marks, *_ = text.splitlines()
    return source.partition("| ")[2], marks.partition("| ")[2]


@pytest.mark.parametrize(
    ("source", "location", "shown", "marks"),
    [
        # Wide characters take two cells, combining ones none, a tab is shown as four spaces.
        ("a: 日本 x", at(1, 4, 6), "a: 日本 x", "   ^^^^"),
        ("日本: x", at(1, 5, 6), "日本: x", "      ^"),
        ("a\u0301e: x", at(1, 3, 4), "a\u0301e: x", " ^"),
        ("\ta: x", at(1, 2, 3), "    a: x", "    ^"),
        ("\ta: x", at(1, 1, 2), "    a: x", "^^^^"),
        # Never nothing, never beyond the line.
        ("a:", at(1, 3, 3), "a:", "  ^"),
        ("a:", at(1, 9, 9), "a:", "  ^"),
        ("", at(1, 1, 1), "", "^"),
        # Of several lines only the first is shown.
        ("limits:   ", at(1, 1, 9, end_line=4), "limits:   ", "^^^^^^^"),
        # What a terminal would obey is shown instead.
        ("a: \x1b[31m\u202e\x07x", at(1, 4, 5), "a: \\x1b[31m\\u202e\\x07x", "   ^^^^"),
        ("a: \x1b[31m\u202e\x07x", at(1, 11, 12), "a: \\x1b[31m\\u202e\\x07x", "                     ^"),
    ],
)
def test_the_carets_stand_under_what_is_wrong(source: str, location: Location, shown: str, marks: str) -> None:
    assert carets(plain(problem(source, location))) == (shown.rstrip(), marks)


def test_a_very_long_line_is_shown_around_the_caret() -> None:
    line = "a" * 5_000 + "WRONG" + "b" * 5_000

    shown, marks = carets(plain(problem(line, at(1, 5_001, 5_006))))

    assert len(shown) <= 122
    assert shown.startswith("…a")
    assert shown.endswith("b…")
    assert shown[marks.index("^") : marks.rindex("^") + 1] == "WRONG"
    shown, marks = carets(plain(problem(line, at(1, 1, 9_000))))
    assert (shown[0], shown[-1], len(marks)) == ("a", "…", 120)


def test_nothing_in_a_message_can_drive_the_terminal() -> None:
    told = plain(
        problem(
            "x",
            at(1, 1, 2, file="a\x1b]0;b.yaml"),
            message="bad '\x1b[2J\r\n\x9b31m'",
            suggestion="write '\x07\u2066'",
            related=(Related(message="\x1b", location=at(1, 1, 2, file="\udc80")),),
        )
    )

    assert not [sign for sign in told.replace("\n", "") if unicodedata.category(sign) in ("Cc", "Cs")]
    assert told.count("\n") == 4
    assert "\u2066" not in told
    told.encode()


def test_colours_change_nothing_but_the_colours() -> None:
    diagnostics = [
        problem("a: b", at(1, 4, 5), suggestion="x", severity=severity) for severity in ("error", "warning")
    ] + [problem(None, Location(file="f"))]

    coloured = render_text(diagnostics, colour=True)

    assert "\x1b[31m" in coloured
    assert "\x1b[33m" in coloured
    assert re.sub("\x1b\\[[0-9]+m", "", coloured) == plain(*diagnostics)
    assert all(
        line.count("\x1b[0m") * 2 <= line.count("\x1b[") <= line.count("\x1b[0m") * 3 for line in coloured.splitlines()
    )


@given(st.text(max_size=60), st.integers(1, 70), st.integers(1, 70), st.integers(1, 3))
def test_any_line_and_place_can_be_shown(source: str, column: int, end_column: int, end_line: int) -> None:
    told = plain(problem(source, at(1, column, max(column, end_column), end_line=end_line)))

    assert told.count("\n") == 4
    assert "^" in told.splitlines()[3]
    assert not set(told) & set("\x1b\r\x07\u2028")
    told.encode()


def test_a_document_s_own_diagnostics_point_at_the_mistake() -> None:
    _, problems = parse_document("名前: x\n説明: [日本, {{ x }}]\n名前: y".encode(), display="f.yaml")

    assert plain(*problems) == (
        "f.yaml:2:10: error[RUN109]: quote values that start with {{: unquoted they are a YAML mapping\n"
        "  |\n"
        "2 | 説明: [日本, {{ x }}]\n"
        '  |              ^^^^^^^ write "{{ x }}"\n'
        "f.yaml:3:1: error[RUN110]: duplicate key '名前', first on line 1\n"
        "  |\n"
        "3 | 名前: y\n"
        "  | ^^^^ (first at f.yaml:1:1)\n"
    )
