import re
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runner.parsing.pattern_form import form_of
from runner.parsing.patterns import Pattern, PatternError
from runner.parsing.text_protocol import ProtocolProblem, check_protocol

CALL = r"^CALL (?P<name>[\w-]+)(?: (?P<arguments>.+))?$"
ANSWER = r"(?s)^ANSWER: (?P<answer>.*)"


def test_a_sound_protocol_has_no_problems() -> None:
    assert check_protocol(call=CALL, answer=ANSWER, tools=["get_weather", "x-1"]) == []


@pytest.mark.parametrize(
    ("pattern", "offset", "message"),
    [
        (r"CALL (?=x)(?P<name>\w+)", 5, "lookahead (?=…) is not supported: patterns are searched in linear time"),
        (r"(?P<name>\w+)(?!x)", 13, "lookahead (?!…) is not supported"),
        (r"(?<=CALL )(?P<name>\w+)", 0, "lookbehind (?<=…) is not supported"),
        (r"(?<!x)(?P<name>\w+)", 0, "lookbehind (?<!…) is not supported"),
        (r"(?P<name>\w+) \1", 14, r"a backreference \1 is not supported"),
        (r"(?P<name>\w+) (?P=name)", 14, "a backreference (?P=…) is not supported"),
        (r"(?P<name>(?>\w+))", 9, "an atomic group (?>…) is not supported"),
        (r"(?P<name>\w++)", 11, "++ is not supported, and not needed: patterns are searched in linear time"),
        (r"(?P<name>\w+)\Z", 13, r"\Z is written \z here"),
        (r"(?P<name>\w+)**", 13, "bad repetition operator: **"),
        (r"北(?P<name>[z-a])", 11, "invalid character class range: z-a"),
        (r"(?P<name>\w+", None, "missing ): (?P<name>\\w+"),
        (r"(?P<name>\pL{60})", None, "the pattern is too large to be searched fast"),
        (r"(?P<name>a)|(?P<name>b)", None, "the group 'name' stands in the pattern twice"),
        (r"CALL (?P<nmae>\w+)", None, "the pattern needs a group (?P<name>…); it has nmae"),
        (r"CALL (\w+)", None, "the pattern needs a group (?P<name>…)"),
        (r"(?P<name>\w*)", None, "the pattern matches where nothing is written"),
    ],
)
def test_a_pattern_that_cannot_be_used_is_explained(pattern: str, offset: int | None, message: str) -> None:
    (problem,) = check_protocol(call=pattern, answer=ANSWER, arguments="none")

    assert problem.message.startswith(message)
    assert (problem.field, problem.offset, problem.advice) == ("call", offset, False)


def test_every_problem_is_found_at_once() -> None:
    problems = check_protocol(call="(", answer="x")

    assert [problem.field for problem in problems] == ["call", "answer"]


def test_a_name_that_the_pattern_cuts_is_a_problem() -> None:
    """Field bug B14."""
    call = r"CALL (?P<name>[a-z]+)(?P<arguments>.*)"

    assert check_protocol(call=call, answer=ANSWER, tools=["get", "get_weather"]) == [
        ProtocolProblem(
            field="call",
            message="the group 'name' takes only 'get' of the tool 'get_weather' in 'CALL get_weather{\"a\": 1}'",
        )
    ]


@pytest.mark.parametrize(
    ("call", "answer", "arguments", "advice"),
    [
        (CALL, ANSWER, "none", "with arguments: none the group 'arguments' is not read; write json or pairs"),
        (r"CALL (?P<name>\w+)", ANSWER, "json", "the pattern has no group (?P<arguments>…)"),
        (CALL, r"^ANSWER: (?P<answer>.*)", "json", "an answer of several lines is not matched as a whole"),
        (CALL, r"<a>(?P<answer>.*)</a>", "json", "an answer of several lines is not matched as a whole"),
        (r"(?P<name>\w+)\p{Greek}(?P<arguments>.+)", ANSWER, "json", "the pattern is too unusual to write calls"),
        (r"(?P<name>[A-Z]+) (?P<arguments>.+)", ANSWER, "json", "the group 'name' does not match the tool 'get'"),
    ],
)
def test_what_may_be_meant_is_only_advised_against(call: str, answer: str, arguments: str, advice: str) -> None:
    (problem,) = check_protocol(call=call, answer=answer, arguments=arguments, tools=["get"])  # type: ignore[arg-type]  # parametrised literals are plain strings

    assert problem.message.startswith(advice)
    assert problem.advice


def test_lines_begin_and_end_anywhere_and_a_dot_is_no_line_break() -> None:
    found = Pattern("^(?P<x>.+)$").search("\nab\ncd")

    assert found is not None
    assert (found.start, found.end, dict(found.spans)) == (1, 3, {"x": (1, 3)})


def test_places_are_counted_in_characters_and_half_a_surrogate_pair_is_no_trap() -> None:
    found = Pattern("(?P<x>é)(?P<y>z)?").search("北\ud800é", 1)

    assert found is not None
    assert (found.start, found.text("x", "北\ud800é"), found.text("y", "")) == (2, "é", "")


def test_a_search_that_begins_inside_of_the_text_knows_what_stands_before() -> None:
    assert Pattern("^b").search("ab\nb", 1) == Pattern("^b").search("ab\nb")
    assert Pattern(r"\bb").search("ab b", 1) == Pattern(r"\bb").search("ab b")


@pytest.mark.parametrize(
    "pattern", ["(a*)*b", "(a|aa)+c", "(.*)(.*)(.*)(.*)(.*)x", "((a?){100}){3}b", "(a|b)*a(a|b){200}c"]
)
def test_patterns_that_take_for_ever_elsewhere_take_no_time(pattern: str) -> None:
    compiled = Pattern(pattern)
    started = time.process_time()

    compiled.search("a" * 1_000_000)

    assert time.process_time() - started < 5


@pytest.mark.parametrize(
    ("pattern", "text"),
    [
        (CALL, "CALL N A"),
        (r'(?s)<call name="(?P<name>[^"]+)">\s*(?P<arguments>.*?)\s*</call>', '<call name="N">A</call>'),
        (r"(?i)\b(?:tool|call)[ \t]*[:;]\s+(?P<name>[\w-]+)\((?P<arguments>[^)]*)\)\.?", "tool: N(A)"),
        (r"^\[(?P<name>\pL+)\]$\n^(?P<arguments>.*)$", "[N]\nA"),
        (r"(?P<name>\w+)$\s+(?P<arguments>.*)", "N\n A"),
        (r"x+ (?P<name>\w+)\s+^(?P<arguments>.*)", "x N \nA"),
        (r"(?:a|b (?P<name>.)|c){1,2} {2}(?P<arguments>.)\d[[:upper:]]\x41", "b N  A0AA"),
        (r"(?P<name>.)(?P<arguments>.)", "NA"),
    ],
)
def test_a_pattern_shows_what_to_write(pattern: str, text: str) -> None:
    assert form_of(pattern, {"name": "N", "arguments": "A"}) == text
    assert Pattern(pattern).search(text) is not None


@pytest.mark.parametrize("pattern", [r"\p{Greek}", r"\Qa.b\E", "(", "a|b)", "[", "(?=a)"])
def test_a_pattern_that_is_too_unusual_shows_nothing(pattern: str) -> None:
    assert form_of(pattern, {}) is None


parts = st.sampled_from(
    ["a", "[a-c]", r"\s", r"\d+", "b?", "(?:x|y)", ".", "c*", r"\.", "[^a]", "(?P<name>.+)", r"\w{2}", "北"]
)


@given(st.lists(parts, max_size=8).filter(lambda pieces: pieces.count("(?P<name>.+)") < 2).map("".join))
def test_what_a_pattern_shows_it_matches(pattern: str) -> None:
    shown = form_of(pattern, {"name": "tool"})

    assert shown is not None
    assert re.fullmatch(pattern, shown) is not None


@given(st.text() | st.text(alphabet="()[]{}?P<name>|*+\\^$.a1,-:"))
def test_any_text_is_a_pattern_or_explained(text: str) -> None:
    form_of(text, {"name": "x"})
    try:
        Pattern(text).search("some text")
    except PatternError as error:
        assert str(error)  # noqa: PT017 - either is right


def test_an_optional_space_before_the_arguments_is_no_problem() -> None:
    found = check_protocol(
        call=r"^CALL (?P<name>[\w-]+) ?(?P<arguments>.*)$",
        answer="^SAY (?P<answer>.*)",
        arguments="pairs",
        tools=["calculator"],
    )

    assert [problem for problem in found if not problem.advice] == []
