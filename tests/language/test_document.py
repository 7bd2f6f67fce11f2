"""Bytes -> document: what YAML 1.2 values mean, and every mistake a diagnostic with its place."""

import json
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runner.diagnostics import Diagnostic, Span
from runner.language import document
from runner.language.document import Document, parse_document, read_document
from runner.language.yaml12.decoding import MAX_BYTES


def read(text: str | bytes) -> tuple[Document | None, list[Diagnostic]]:
    return parse_document(text.encode() if isinstance(text, str) else text, display="agent.yaml")


def data_of(text: str | bytes) -> object:
    found, problems = read(text)
    assert problems == []
    assert found is not None
    return found.data


def places(problems: list[Diagnostic]) -> list[tuple[str, str]]:
    return [(str(problem.location), problem.code) for problem in problems]


def the_problem(text: str | bytes) -> Diagnostic:
    _, problems = read(text)
    (problem,) = problems
    assert problem.severity == "error"
    assert problem.code in document.CODES
    return problem


# -- values -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("", None),
        ("~", None),
        ("null", None),
        ("Null", None),
        ("nul", "nul"),
        ("true", True),
        ("TRUE", True),
        ("tRUE", "tRUE"),
        ("False", False),
        ("0", 0),
        ("-0", 0),
        ("+7", 7),
        ("010", 10),
        ("0o17", 15),
        ("0x1F", 31),
        ("0b1", "0b1"),
        ("1_000", "1_000"),
        ("1.10", 1.1),
        ("1.", 1.0),
        (".5", 0.5),
        ("-.5", -0.5),
        (".", "."),
        ("-", ["-"]),
        ("1e3", 1000.0),
        ("1e-1", 0.1),
        ("1.0E+3", 1000.0),
        ("e3", "e3"),
        ("1e", "1e"),
        ("+", "+"),
        ("123456789012345678901234567890", 123456789012345678901234567890),
        ("1.2.3", "1.2.3"),
        ("'1'", "1"),
        ('"true"', "true"),
        ("!!str 1", "1"),
        ("!!float 1", 1.0),
        ('!!int "0x10"', 16),
        ("!!null ''", None),
        ("!!seq [1]", [1]),
        ("!!map {a: 1}", {"a": 1}),
        ("日本語", "日本語"),
    ],
)
def test_a_value_means_what_the_core_schema_says(written: str, value: object) -> None:
    found = data_of(f"v: [{written}]" if written == "-" else f"v: {written}")

    assert found == {"v": value}
    assert isinstance(found, dict)
    assert type(found["v"]) is type(value)


# field bug B76
@pytest.mark.parametrize("word", ["yes", "no", "on", "off", "y", "N", "YES"])
def test_words_yaml_1_1_read_as_booleans_are_text(word: str) -> None:
    assert data_of(f"{word}: {word}") == {word: word}


# field bug B78
def test_dates_times_and_sexagesimals_stay_text_everywhere() -> None:
    written = "a: 2024-01-01\nb: {c: [2024-01-01 10:00:00, 1:20, 12:30:45]}"

    assert data_of(written) == {"a": "2024-01-01", "b": {"c": ["2024-01-01 10:00:00", "1:20", "12:30:45"]}}


# field bug B77
def test_an_exponent_needs_neither_dot_nor_sign() -> None:
    assert data_of("limits: {timeout: 1e3}\nmodel: {temperature: 1e-1}") == {
        "limits": {"timeout": 1000.0},
        "model": {"temperature": 0.1},
    }


@pytest.mark.parametrize("key", ["1", "1.5", "on", "true", "2024-01-01", "0x1F", "'null'", '""', "!!str null", "a b"])
def test_keys_are_the_text_that_is_written(key: str) -> None:
    text = key.removeprefix("!!str ").strip("'\"")

    assert data_of(f"{key}: x") == {text: "x"}


def test_a_byte_order_mark_a_document_marker_and_comments_are_no_content() -> None:
    assert data_of(b"\xef\xbb\xbf# c\n---\nname: caf\xc3\xa9\n...\n") == {"name": "café"}


def test_merge_keys_are_followed_and_own_keys_win_whatever_the_order() -> None:
    text = """
    x-a: &a {one: 1, two: 1}
    x-b: &b {two: 2, three: 2}
    first: {<<: [*a, *b], one: 0}
    second: {two: 9, <<: *b}
    nested: {<<: {<<: *a, two: 7}}
    quoted: {"<<": text}
    """

    found = data_of(text)

    assert isinstance(found, dict)
    assert found["first"] == {"one": 0, "two": 1, "three": 2}
    assert found["second"] == {"two": 9, "three": 2}
    assert found["nested"] == {"one": 1, "two": 7}
    assert found["quoted"] == {"<<": "text"}


def test_aliased_values_are_equal_but_not_shared() -> None:
    found = data_of("a: &x {k: [1]}\nb: *x")

    assert isinstance(found, dict)
    assert found["a"] == found["b"] == {"k": [1]}
    assert found["a"] is not found["b"]


# -- mistakes in the values -------------------------------------------------------------------------------------------


# field bug B74
def test_every_duplicate_key_is_found_with_the_place_of_the_first() -> None:
    found, problems = read("prompt: a\nb:\n  c: 1\n  c: 2\nprompt: d\nprompt: e\n")

    assert places(problems) == [
        ("agent.yaml:4:3", "RUN110"),
        ("agent.yaml:5:1", "RUN110"),
        ("agent.yaml:6:1", "RUN110"),
    ]
    assert problems[1].message == "duplicate key 'prompt', first on line 1"
    assert str(problems[1].related[0].location) == "agent.yaml:1:1"
    assert problems[1].source == "prompt: d"
    assert found is not None, "the rest can still be checked"
    assert found.data == {"prompt": "a", "b": {"c": 1}}


def test_keys_are_the_same_however_they_are_quoted() -> None:
    assert places(read("a: 1\n'a': 2\n1: x\n\"1\": y")[1]) == [
        ("agent.yaml:2:1", "RUN110"),
        ("agent.yaml:4:1", "RUN110"),
    ]


def test_a_key_that_comes_from_a_merge_is_no_duplicate_but_a_second_merge_is() -> None:
    assert places(read("a: &a {k: 1}\nb: {k: 2, <<: *a, <<: *a}")[1]) == [("agent.yaml:2:19", "RUN110")]


# field bug B87
def test_python_and_unknown_tags_are_refused_and_nothing_runs(tmp_path: Path) -> None:
    marker = tmp_path / "owned"
    _, problems = read(
        f'a: !!python/object/apply:os.system ["touch {marker}"]\n'
        "b: !!python/name:os.system\nc: !env FOO\nd: !!binary eA=="
    )

    assert places(problems) == [(f"agent.yaml:{line}:4", "RUN111") for line in (1, 2, 3, 4)]
    assert "'!!python/object/apply:os.system' is not allowed" in problems[0].message
    assert "'!env' is not allowed" in problems[2].message
    assert not marker.exists()


@pytest.mark.parametrize(
    "written", ["!!int x", "!!bool maybe", "!!float yes", "!!null x", "!!map [a]", "!!str [a]", "!<*> a", "!<?> a"]
)
def test_a_tag_that_does_not_fit_its_value_is_refused(written: str) -> None:
    assert the_problem(f"v: {written}").code == "RUN111"


@pytest.mark.parametrize("written", [".inf", "-.INF", ".nan", "1e999", "-1e999", "9" * 5000, "0x" + "f" * 5000])
def test_numbers_json_cannot_hold_are_refused_but_give_a_number(written: str) -> None:
    assert data_of("v: " + "9" * 3000) == {"v": int("9" * 3000)}
    found, problems = read(f"ok: 1\nv: {written}")

    assert places(problems) == [("agent.yaml:2:4", "RUN117")]
    assert found is not None
    assert isinstance(found.data["v"], float)
    assert json.dumps(found.data, allow_nan=False)


@pytest.mark.parametrize(
    "text", ["~: 1", "null: 1", "'': 1\n? \n: 2", "? [a]\n: 1", "? {a: b}\n: 1", "[a]: 1", "{a: b}: 1"]
)
def test_null_and_collections_cannot_be_keys(text: str) -> None:
    assert the_problem(text).code == "RUN116"


# field bug B100
def test_an_unquoted_template_is_read_as_what_it_was_meant_to_be() -> None:
    found, problems = read("model: {{ m }}\nname: a")

    assert places(problems) == [("agent.yaml:1:8", "RUN109")]
    assert "quote values that start with {{" in problems[0].message
    assert problems[0].suggestion == 'write "{{ m }}"'
    assert found is not None
    assert found.data == {"model": "{{ m }}", "name": "a"}


@pytest.mark.parametrize("value", ["text", "1", "[a]", "[*a, 3]", ""])
def test_a_merge_key_needs_mappings(value: str) -> None:
    assert the_problem(f"a: &a {{}}\nb: {{<<: {value}}}").code == "RUN118"


def test_different_mistakes_are_all_found_in_one_go() -> None:
    _, problems = read("a: .inf\na: !x y\n~: {{ z }}\nb: {c: 1, c: 1e400}")

    assert {problem.code for problem in problems} == {"RUN109", "RUN110", "RUN111", "RUN116", "RUN117"}
    assert len(problems) == 7


def test_a_mistake_in_an_aliased_value_is_told_once() -> None:
    assert places(read("a: &a [.inf]\nb: *a\nc: *a")[1]) == [("agent.yaml:1:8", "RUN117")]


# -- the file as a whole ----------------------------------------------------------------------------------------------


# field bug B83
@pytest.mark.parametrize("text", ["", "# todo\n", "\n\n", "---\n...\n# x"])
def test_a_file_without_content_is_empty(text: str) -> None:
    found, problems = read(text)

    assert found is None
    assert places(problems) == [("agent.yaml", "RUN105")]
    assert problems[0].message == "file is empty"


@pytest.mark.parametrize(
    ("text", "found"),
    [("- a\n- b", "a list"), ("hello", "the text 'hello'"), ("42", "42"), ("~", "nothing"), ("[]", "a list")],
)
def test_the_top_level_must_be_a_mapping(text: str, found: str) -> None:
    problem = the_problem(text)

    assert (str(problem.location), problem.code) == ("agent.yaml:1:1", "RUN106")
    assert problem.message == f"the top level must be a mapping, found {found}"


def test_text_that_is_not_utf8_is_refused_at_its_byte() -> None:
    problem = the_problem("ok: 1\nname: é ".encode() + b"caf\xe9\nx: 1")

    assert (str(problem.location), problem.code) == ("agent.yaml:2:12", "RUN102")
    assert problem.message == "not UTF-8 text: byte 0xE9 ('é' in Windows-1252)"
    assert problem.source == "name: é caf\ufffd"


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-be", "utf-32"])
def test_other_encodings_are_named(encoding: str) -> None:
    mark = b"\xfe\xff" if encoding == "utf-16-be" else b""

    assert encoding[:6].upper() in the_problem(mark + "name: a".encode(encoding)).message


def test_control_characters_are_found_on_every_line() -> None:
    _, problems = read("a: \x07\x00\nb: c\nd: \x1b[31m\ne: \x7f")

    assert places(problems) == [(f"agent.yaml:{line}:4", "RUN104") for line in (1, 3, 4)]
    assert problems[1].message == "control character U+001B is not allowed"
    assert problems[1].suggestion == 'in a double-quoted value write "\\x1b"'


def test_a_file_that_is_too_large_is_refused_unread() -> None:
    started = time.perf_counter()

    assert the_problem(b"a" * (MAX_BYTES + 1)).code == "RUN103"
    assert time.perf_counter() - started < 1
    assert the_problem(b"#" * MAX_BYTES).code == "RUN105", "so much is not too large"


# field bug B85
def test_a_big_honest_file_loads() -> None:
    text = "a: &a [1]\nb: *a\n" + "".join(f"key_{number}: some text of no importance\n" for number in range(20_000))

    found = data_of(text)

    assert isinstance(found, dict)
    assert len(found) == 20_002


@pytest.mark.parametrize("shape", ["list", "mapping", "merge", "text"])
def test_an_alias_bomb_is_refused_fast_and_its_content_never_shown(shape: str) -> None:
    lines = {
        "list": ["a0: &a0 [lol]"] + [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 10)],
        "mapping": ["a0: &a0 {k: v}"]
        + [f"a{n}: &a{n} {{{', '.join(f'k{m}: *a{n - 1}' for m in range(9))}}}" for n in range(1, 10)],
        "merge": ["a0: &a0 {k: v}"] + [f"a{n}: &a{n} {{<<: [{', '.join([f'*a{n - 1}'] * 9)}]}}" for n in range(1, 10)],
        "text": [f"a: &a {'x' * 100_000}", f"b: [{', '.join(['*a'] * 500)}]"],
    }[shape]
    started = time.perf_counter()

    problem = the_problem("\n".join(lines))

    assert problem.code == "RUN114"
    assert len(problem.message) < 200
    assert time.perf_counter() - started < 1


# -- structure --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("text", ["v: &v [*v]", "v: &v {a: {b: [1, *v]}}", "a: 1\nv: &v\n  <<: *v"])
def test_an_alias_inside_what_it_names_is_refused_at_the_alias(text: str) -> None:
    problem = the_problem(text)

    line, column = problem.location.span.line if problem.location.span else 0, str(problem.location).rpartition(":")[2]
    assert problem.code == "RUN113"
    assert text.split("\n")[line - 1][int(column) - 1 :].startswith("*v")


@pytest.mark.parametrize(
    "text",
    [
        "a: " + "[" * 101 + "]" * 101,
        "a: " + "[" * 200_000,
        "a: " + "{b: " * 50_000,
        "- " * 50_000 + "x",
        "\n".join(" " * depth + "a:" for depth in range(150)),
        "? " * 20_000,
        "\n".join(f"a{n}: &a{n} [{f'*a{n - 1}' if n else ''}]" for n in range(200)),
    ],
)
def test_values_nested_too_deep_are_refused_without_a_crash(text: str) -> None:
    assert the_problem(text).code == "RUN115"


def test_a_hundred_levels_are_not_too_deep() -> None:
    assert data_of("a: " + "[" * 99 + "]" * 99)
    assert the_problem("a: " + "[" * 100 + "]" * 100).code == "RUN115"


# -- syntax errors ----------------------------------------------------------------------------------------------------

TAB, QUOTE, SYNTAX = "RUN108", "RUN109", "RUN107"


@pytest.mark.parametrize(
    ("text", "place", "code", "message", "suggestion"),
    [
        # field bug B82
        ("a: 1\nb:\n  c: 1\n\td: 2", "4:1", TAB, "tab cannot be used for indentation", "use spaces"),
        ("a:\n  b: 1\n  \tc: 2", "3:3", TAB, "tab cannot", "use spaces"),
        ("a:\n\t- x", "2:1", TAB, "tab cannot", "use spaces"),
        ("a: |\n\ttext", "2:1", TAB, "tab cannot", "use spaces"),
        ("description: note: x", "1:18", QUOTE, "': ' cannot stand inside", 'write description: "note: x"'),
        ("- a: b: c  # d", "1:7", QUOTE, "': ' cannot stand inside", 'write - a: "b: c"'),
        ("name: @bot", "1:7", QUOTE, "'@' cannot start an unquoted value", 'write "@bot"'),
        ("cmd: %x # why", "1:6", QUOTE, "'%' cannot start an unquoted value", 'write "%x"'),
        ("a: @b\tc", "1:4", QUOTE, "'@' cannot start", 'write "@b\\tc"'),
        ("a: `x`", "1:4", QUOTE, "'`' cannot start", 'write "`x`"'),
        ("a: [x, @b, c]", "1:8", QUOTE, "'@' cannot start", 'write "@b"'),
        ("@a: b", "1:1", QUOTE, "'@' cannot start an unquoted key", "put it in quotes"),
        ("%a: b", "1:1", QUOTE, "begins a YAML directive", None),
        # field bug B100
        ("prompt: {{ q }} please.", "1:9", QUOTE, "quote values that start with {{", 'write "{{ q }} please."'),
        ("p: {% if x %}a", "1:4", QUOTE, "quote values that start with {%", 'write "{% if x %}a"'),
        ('- {{ "a" }} b', "1:3", QUOTE, "quote values that start with {{", "write '{{ \"a\" }} b'"),
        ("p: *bold* x", "1:4", QUOTE, "'*' at the start of an unquoted value means an alias", 'write "*bold* x"'),
        ("p: & x", "1:4", QUOTE, "means an anchor", 'write "& x"'),
        ("a: 'b\nc: d", "1:4", SYNTAX, "this ' is never closed", None),
        ('a: "b\nc: "d"', "1:4", SYNTAX, 'this " is never closed', None),
        ('a: "b\n   c" d', "2:7", SYNTAX, 'closes the one of line 1: is a " missing there?', None),
        ('- a: "b\n  c: "d"', "1:6", SYNTAX, 'this " is never closed', None),
        ("a: 'it's'", "1:8", SYNTAX, "nothing may follow it; quote the whole value, with \" around '", None),
        ("a: [b] c", "1:8", SYNTAX, "the value ended with ], nothing may follow it", None),
        ('a: "\\d"', "1:5", SYNTAX, "'\\d' is not an escape", "write '\\\\d', or use single quotes"),
        ('a: "\\ud83d"', "1:7", SYNTAX, "names no character", "write the character itself"),
        ("a: [b, c", "1:4", SYNTAX, "this '[' is never closed", None),
        ("a: [b\nc: d", "1:4", SYNTAX, "this '[' is never closed", None),
        ("a: [b: c\n  d: e]", "2:4", SYNTAX, "expected ',' or ']' for the '[' of line 1, found ':'", None),
        ("a b\nc: d", "1:1", SYNTAX, "expected 'key: value', found no ': ' in 'a b'", None),
        ("a:1\nc: d", "1:1", SYNTAX, "expected 'key: value', found no ': ' in 'a:1'", None),
        ("a: {b: 1\nc: d", "1:4", SYNTAX, "this '{' is never closed", None),
        ("a: ]", "1:4", SYNTAX, "expected a value, found ']'", "quote it if it is meant as text"),
        ("a: [b,, c]", "1:7", SYNTAX, "expected a value, found ','", "quote it if it is meant as text"),
        ("a: | text", "1:6", SYNTAX, "the text of a '|' block starts on the line after it", None),
        ("a: 1\nb c\nd: e", "2:1", SYNTAX, "expected 'key: value', found no ': ' in 'b c'", None),
        ("a: b\n  c: d", "2:3", SYNTAX, "'c:' cannot start a mapping here", "check the indentation, and the ':' of"),
        ("a:\n    b: 1\n  c: 2", "3:3", SYNTAX, "expected a key in column 1, like the mapping around it", None),
        ("a:\n  - x\n  y: 1", "3:3", SYNTAX, "expected another '- item' in column 3, like the list", None),
        ("a: - b", "1:4", SYNTAX, "a list item '- …' cannot start here", None),
        ("a: 1\n---\nb: 2", "2:1", "RUN112", "a second document starts here", "put it in a file of its own"),
        ("a: *x", "1:4", "RUN113", "alias '*x' is used, but nothing above is marked '&x'", "quote the value if"),
        ("a: &x 1\nb: &x 2", "2:4", "RUN113", "'&x' is already the name of another value", None),
        ("a: !foo!bar x", "1:4", "RUN111", "tag '!foo!bar' is not allowed", "quote the value if"),
        ("a: !<x y", "1:4", "RUN111", "tag '!<x' is not allowed", "quote the value if"),
        ("%YAML 3.0\n---\na: 1", "1:1", SYNTAX, "expected a YAML 1.2 document", None),
    ],
)
def test_a_syntax_error_says_what_to_change(
    text: str, place: str, code: str, message: str, suggestion: str | None
) -> None:
    found, problems = read(text)

    assert found is None
    assert places(problems) == [(f"agent.yaml:{place}", code)]
    assert message in problems[0].message
    assert (problems[0].suggestion or "").startswith(suggestion or "")
    assert (problems[0].suggestion is None) == (suggestion is None)
    assert problems[0].source == text.split("\n")[int(place.partition(":")[0]) - 1]


@pytest.mark.parametrize(
    ("text", "message", "place"),
    [
        ('a: "b\nc: "d"', "the next entry", "2:1"),
        ('a: "b\n   c" d', "opened", "1:4"),
        ("a: [b\nc: d", "the next entry", "2:1"),
        ("a: [b: c\n  d: e]", "'[' opened", "1:4"),
        ("a: 'b\nc: d", "read up to here", "2:5"),
        ("a:\n    b: 1\n  c: 2", "the mapping begins", "1:1"),
        ("a: &x 1\nb: &x 2", "first", "1:4"),
        ("a: &x [*x]", "the value begins", "1:4"),
    ],
)
def test_a_syntax_error_shows_the_second_place_it_is_about(text: str, message: str, place: str) -> None:
    (related,) = the_problem(text).related

    assert (related.message, str(related.location)) == (message, f"agent.yaml:{place}")


@pytest.mark.parametrize(
    ("text", "marked"),
    [
        (b"name: caf\xe9\nx: 1", "\ufffd"),
        ("a: b\x07c", "\x07"),
        ("a: 1\na: 2", "a"),
        ("a: !env FOO", "!env"),
        ("a: [.inf, 1]", ".inf"),
        ("[a, b]: c", "[a, b]"),
        ("a: {{ b }} # c", "{{ b }}"),
        ("a: {{ b }} c # d", "{{ b }} c"),
        ("a: b: c", ":"),
        ("a: @bot # c", "@bot"),
        ("a: *bold* x", "*bold* x"),
        ("a: *nothing", "*nothing"),
        ("a: &x 1\nb: &x 2", "&x"),
        ("a: 1\nb c\nd: e", "b c"),
        ("a: b\n  c: d", "c"),
        ("a:\n    b: 1\n  c: 2", "c: 2"),
        ("a: 'b' c d", "c d"),
        ('a: "\\d"', "\\d"),
        ("a: 1\n---\nb: 2", "---"),
        ("a: &x [*x]", "*x"),
    ],
)
def test_what_is_wrong_is_marked_to_its_last_character(text: str | bytes, marked: str) -> None:
    problem = the_problem(text)
    span = problem.location.span

    assert span is not None
    assert span.line == span.end_line
    assert (problem.source or "")[span.column - 1 : span.end_column - 1] == marked


def test_messages_stay_short_however_long_the_line() -> None:
    for text in ("a: 1\n" + "b" * 5000 + "\nc: d", "a: b: " + "c" * 5000, "a: @" + "b" * 5000, "a: " + "1" * 5000):
        problem = the_problem(text)
        assert len(problem.message) < 200
        assert len(problem.suggestion or "") < 200


# -- files ------------------------------------------------------------------------------------------------------------


def test_a_file_is_shown_relative_to_the_current_folder_when_inside_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "agents.d").mkdir()
    file = tmp_path / "agents.d" / "a.yaml"
    file.write_bytes(b"name: a")
    monkeypatch.chdir(tmp_path)
    inside, _ = read_document(file)
    monkeypatch.chdir(tmp_path / "agents.d")
    as_given, _ = read_document(Path("../agents.d/a.yaml"))
    named, _ = read_document(file, display="shown")
    monkeypatch.chdir("/")

    assert inside is not None
    assert (inside.file, inside.path) == ("agents.d/a.yaml", file)
    assert as_given is not None
    assert as_given.file == "../agents.d/a.yaml"
    assert as_given.path is not None
    assert as_given.path.is_absolute()
    assert named is not None
    assert named.file == "shown"


def test_a_file_that_is_too_large_is_noticed_without_reading_all_of_it(tmp_path: Path) -> None:
    file = tmp_path / "large.yaml"
    with file.open("wb") as stream:
        stream.truncate(MAX_BYTES * 1_000)

    _, (problem,) = read_document(file)

    assert (problem.code, problem.message) == ("RUN103", "the file is larger than 10 MB; an agent is a small text file")


def test_a_file_that_cannot_be_read_is_a_diagnostic(tmp_path: Path) -> None:
    looped = tmp_path / "loop.yaml"
    looped.symlink_to(looped)
    reasons = {
        tmp_path / "missing.yaml": "file not found",
        tmp_path: "expected a file, found a folder",
        tmp_path / "a\0b": "cannot read the file: ",
        looped: "cannot read the file: ",
        tmp_path / ("x" * 300): "cannot read the file: ",
    }
    for path, reason in reasons.items():
        found, (problem,) = read_document(path)
        assert found is None
        assert (problem.code, problem.location.span) == ("RUN101", None)
        assert problem.message.startswith(reason)


# -- any input --------------------------------------------------------------------------------------------------------

SAMPLE = """\
# comment
name: &n weather
inputs: {city: {type: string, default: "Os\\u006co"}}
instructions: |2-
   Report {{ city }}.

  Be brief.
prompt: >
  folded
  text
tools:
- *n
- <<: {a: 'it''s'}
  b: !!str 1
"""
YAML_SIGNS = st.text(
    alphabet=st.sampled_from(list("ab1.:,-?[]{}&*!|>'\"%@`#<~ \n\n\t\r\\é\u2028\x85\x00\ufeff")), max_size=60
)
EDITS = st.lists(st.tuples(st.integers(0, len(SAMPLE)), st.integers(0, 3), YAML_SIGNS), max_size=4)


def assert_sound(raw: bytes) -> None:
    found, problems = read(raw)
    assert found is not None or problems, "nothing was said"
    text = raw.removeprefix(b"\xef\xbb\xbf").decode(errors="replace")
    for problem in problems:
        assert problem.code in document.CODES
        assert "\n" not in problem.message
        for location in (problem.location, *(related.location for related in problem.related)):
            if location.span is not None:
                assert_inside(location.span, text)
    if found is not None:
        for path, value in paths_of(found.data):
            assert found.has(path)
            assert_inside(found.span(path), text)
            assert_inside(found.span(path, key=True), text)
            if isinstance(value, str):
                assert_inside(found.inside(path, 0, len(value)), text)
                assert_inside(found.inside(path, len(value) // 2, len(value) // 2 + 1), text)


def assert_inside(span: Span, text: str) -> None:
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    assert (span.line, span.column) <= (span.end_line, span.end_column)
    assert span.line >= 1
    assert span.end_line <= len(lines)
    assert 1 <= span.column <= len(lines[span.line - 1]) + 2, "2: the line feed of \\r\\n may be pointed at"
    assert 1 <= span.end_column <= len(lines[span.end_line - 1]) + 2


def paths_of(value: object, path: document.Path = ()) -> list[tuple[document.Path, object]]:
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [(path, value), *(found for key, part in inner for found in paths_of(part, (*path, key)))]


@given(st.binary(max_size=200))
def test_any_bytes_give_a_document_or_diagnostics(raw: bytes) -> None:
    assert_sound(raw)


@given(YAML_SIGNS)
def test_any_text_of_yaml_signs_gives_a_document_or_diagnostics(text: str) -> None:
    assert_sound(text.encode())


@given(EDITS)
def test_any_edit_of_a_good_document_gives_a_document_or_diagnostics(edits: list[tuple[int, int, str]]) -> None:
    text = SAMPLE
    for place, removed, added in edits:
        text = text[:place] + added + text[place + removed :]

    assert_sound(text.encode())


WORDS = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | WORDS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(WORDS, inner, max_size=3),
    max_leaves=8,
)


def as_yaml(value: object, indent: str = "") -> str:
    """The value in YAML, collections as blocks."""
    if isinstance(value, dict) and value:
        return "".join(f"\n{indent}{scalar(key)}: {as_yaml(part, indent + '  ')}" for key, part in value.items())
    if isinstance(value, list) and value:
        return "".join(f"\n{indent}- {as_yaml(part, indent + '  ')}" for part in value)
    return scalar(value)


def scalar(value: object) -> str:
    # What JSON leaves as it is, and YAML does not allow or takes for the end of a line.
    written = json.dumps(value, ensure_ascii=False)
    return "".join(
        f"\\u{ord(sign):04x}" if sign in "\x7f\x85\u2028\u2029\ufeff\ufffe\uffff" or "\x80" <= sign < "\xa0" else sign
        for sign in written
    )


@given(st.dictionaries(WORDS, VALUES, min_size=1, max_size=4))
def test_data_written_as_yaml_reads_back_the_same(value: dict[str, object]) -> None:
    found = data_of(as_yaml(value))

    assert found == value
    assert json.dumps(found) == json.dumps(value), "types and order too"
