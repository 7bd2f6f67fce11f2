"""The notes search: ranking, line numbers, any query, and nothing read outside the working directory."""

import os
import re
import sqlite3
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from runner.toolkit.notebook.files import MAX_FILE_BYTES, MAX_FILES
from runner.toolkit.notebook.passages import LONGEST, passages
from runner.toolkit.notes import MAX_RESULT, fts5_required, search_notes

DEPLOY = """\
# Deploying

The service is deployed every Tuesday.

## Rolling back ##

Run the rollback script
with the previous tag.

```sh
# not a heading

./rollback.sh v1
```

## Contacts
"""


@pytest.fixture
def notes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty notes folder in the working directory."""
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "notes"
    folder.mkdir()
    return folder


def write(path: Path, text: str | bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode() if isinstance(text, str) else text)


def places(result: str) -> list[str]:
    """The `path:line` of the passages in a result, in order."""
    return re.findall(r"^(\S+:\d+)(?: \(.*\))?$", result, re.MULTILINE)


def refusal(folder: str) -> str:
    with pytest.raises(ValueError) as caught:  # noqa: PT011 - the messages are asserted by the callers
        search_notes("anything", folder)
    return str(caught.value)


def test_a_passage_comes_with_its_line_and_headings(notes: Path) -> None:
    write(notes / "deploy.md", DEPLOY)

    assert search_notes("previous tag") == (
        "1 matching passage:\n\n"
        "notes/deploy.md:7 (Deploying > Rolling back)\n"
        "Run the rollback script\nwith the previous tag."
    )


def test_words_are_found_in_other_forms_and_without_accents(notes: Path) -> None:
    write(notes / "a.md", "Die Übersicht der Cafés.\n")
    write(notes / "b.md", "We deploy on Tuesdays.\n")

    assert places(search_notes("ubersicht")) == ["notes/a.md:1"]
    assert places(search_notes("CAFE")) == ["notes/a.md:1"]
    assert places(search_notes("deployments tuesday")) == ["notes/b.md:1"]


def test_passages_with_all_words_come_first(notes: Path) -> None:
    write(notes / "a.md", "backup backup backup\n\nother text\n")
    write(notes / "b.md", f"backup {'filler ' * 100} schedule\n")
    write(notes / "c.md", "schedule schedule schedule\n")

    assert places(search_notes("backup schedule"))[0] == "notes/b.md:1"
    assert len(places(search_notes("backup schedule"))) == 3


def test_headings_and_file_names_count(notes: Path) -> None:
    write(notes / "payroll.md", "Sent on the 25th.\n")
    write(notes / "other.md", "# Vacation\n\nThirty days.\n\n# Empty section\n")

    assert places(search_notes("payroll")) == ["notes/payroll.md:1"]
    assert places(search_notes("vacation")) == ["notes/other.md:3"]
    assert places(search_notes("empty section")) == ["notes/other.md:5"]


def test_the_limit_is_kept_and_what_is_left_is_counted(notes: Path) -> None:
    write(notes / "a.md", "\n\n".join(f"apple {number}" for number in range(30)))

    assert search_notes("apple", limit=2).startswith("30 matching passages, the best 2:")
    assert len(places(search_notes("apple", limit=0))) == 1
    assert len(places(search_notes("apple", limit=10**9))) == 20


def test_no_match_is_an_answer(notes: Path) -> None:
    assert search_notes("apple") == "There are no notes (.md, .markdown, .txt, .rst files) in 'notes'."

    write(notes / "a.md", "text")
    assert search_notes("apple") == "No passage in 'notes' matches 'apple' (1 file searched)."


@pytest.mark.parametrize(
    "query", ["", " ", "***", '"', '"a', "NEAR(", "a AND", "-x", "body:x", "a*", "\0", "\ud800", "x" * 9999]
)
def test_no_query_is_a_syntax_error(notes: Path, query: str) -> None:
    write(notes / "z.md", "text")

    assert search_notes(query).startswith("No passage in 'notes' matches")


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("can't stop", True),
        ("C++", True),
        ('"quoted"', True),
        ("AND OR NOT", True),
        ("foo-bar", True),
        ("bar-foo", False),
        ("name:x", False),
    ],
)
def test_signs_in_a_query_are_text(notes: Path, query: str, found: bool) -> None:
    write(notes / "a.md", 'You can\'t stop C++, and "quoted" foo-bar or not.\n')

    assert bool(places(search_notes(query))) is found


@pytest.mark.parametrize(
    ("query", "first"),
    [
        ("京都", "notes/b.txt:1"),
        ("雨", "notes/b.txt:1"),
        ("東京の天気", "notes/a.txt:1"),
        ("東京 tower", "notes/a.txt:3"),
        ("ﾀﾜｰ", "notes/a.txt:5"),  # half-width forms
        ("서울", "notes/c.txt:1"),
    ],
)
def test_scripts_without_spaces_are_searched(notes: Path, query: str, first: str) -> None:
    write(notes / "a.txt", "今日の東京の天気は晴れです。\n\n東京tower\n\nスカイタワー\n")
    write(notes / "b.txt", "明日の京都は雨でしょう。東。京。\n")
    write(notes / "c.txt", "서울에서 만나요\n")

    assert places(search_notes(query))[0] == first


def test_encodings_and_line_ends_are_tolerated(notes: Path) -> None:
    write(notes / "bom.txt", b"\xef\xbb\xbf# Title\r\n\r\nfirst apple\r\n")
    write(notes / "latin.txt", b"gr\xfcn\n\nsecond apple\n")
    write(notes / "utf16.txt", "x\n\nthird apple\n".encode("utf-16"))
    write(notes / "mac.txt", b"x\r\rfourth\x0c apple\x00\r")

    result = search_notes("apple")

    assert sorted(places(result)) == ["notes/bom.txt:3", "notes/latin.txt:3", "notes/mac.txt:3", "notes/utf16.txt:3"]
    assert "notes/bom.txt:3 (Title)" in result


def test_restructured_text_headings(notes: Path) -> None:
    write(notes / "a.rst", "=====\nGuide\n=====\n\nIntro.\n\nSetup\n-----\n\nInstall apple.\n")

    assert "notes/a.rst:10 (Guide > Setup)" in search_notes("apple")


def test_folders_are_searched_deeply_and_hidden_ones_are_not(notes: Path) -> None:
    write(notes / "deep/er/a.MD", "apple")
    write(notes / "deep/b.markdown", "apple")
    write(notes / ".hidden/c.md", "apple")
    write(notes / ".d.md", "apple")
    write(notes / "e.py", "apple")

    assert sorted(places(search_notes("apple"))) == ["notes/deep/b.markdown:1", "notes/deep/er/a.MD:1"]
    assert places(search_notes("apple", "notes/deep/er")) == ["notes/deep/er/a.MD:1"]
    assert len(places(search_notes("apple", "."))) == 2
    assert len(places(search_notes("apple", str(notes)))) == 2


def test_a_missing_folder_names_those_that_exist(notes: Path) -> None:
    (notes.parent / "docs").mkdir()
    (notes.parent / ".git").mkdir()
    write(notes / "a.md", "apple")

    assert refusal("note") == "there is no folder 'note'; folders here are: docs, notes"
    assert refusal("notes/a.md") == "'notes/a.md' is a file; give its folder 'notes'"


@pytest.mark.parametrize(
    ("folder", "part"),
    [
        ("..", "outside the working directory"),
        ("/", "outside the working directory"),
        ("/etc", "outside the working directory"),
        ("/root/nothing", "outside the working directory"),
        ("notes/../..", "outside the working directory"),
        ("notes/out", "outside the working directory"),
        ("~", "there is no folder"),
        (".git", "is hidden"),
        ("notes/.hidden", "is hidden"),
        ("notes/\0", "not the name of a folder"),
        ("notes/\ud800", "not the name of a folder"),
        ("x" * 5_000, "there is no folder"),
        ("notes/loop", "there is no folder"),
    ],
)
def test_folders_a_model_may_not_read_are_refused(notes: Path, folder: str, part: str) -> None:
    (notes / "out").symlink_to(notes.parent.parent)
    (notes / "loop").symlink_to("loop")
    (notes / ".hidden").mkdir()
    (notes.parent / ".git").mkdir()

    message = refusal(folder)

    assert part in message
    assert len(message) < 300


def test_links_are_followed_inside_the_working_directory_only(
    notes: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    outside = tmp_path_factory.mktemp("outside")
    write(outside / "secret.md", "apple outside")
    write(notes.parent / ".env.md", "apple hidden")
    write(notes.parent / "keys.json", "apple json")
    write(notes.parent / "docs/inside.md", "apple inside")
    (notes / "file.md").symlink_to(outside / "secret.md")
    (notes / "folder").symlink_to(outside)
    (notes / "env.md").symlink_to(notes.parent / ".env.md")
    (notes / "json.md").symlink_to(notes.parent / "keys.json")
    (notes / "docs").symlink_to(notes.parent / "docs")
    (notes / "circle").symlink_to(notes)
    (notes / "loop").symlink_to("loop")
    (notes / "loop.md").symlink_to("loop.md")

    assert places(search_notes("apple")) == ["notes/docs/inside.md:1"]


def test_what_is_not_searched_is_said(notes: Path) -> None:
    write(notes / "a.md", "apple")
    write(notes / "large.md", "apple " * (MAX_FILE_BYTES // 6 + 1))
    os.mkfifo(notes / "pipe.md")

    assert search_notes("apple").endswith("apple\n\nNot searched: 1 larger than 1 MB.")


def test_the_number_of_files_is_bounded(notes: Path) -> None:
    for number in range(MAX_FILES + 1):
        (notes / f"{number}.md").write_text("apple")

    assert "choose a smaller folder" in search_notes("apple")


@pytest.mark.parametrize(
    "text",
    [
        "apple " * 160_000,
        "apple\n" * 160_000,
        "apple " + "x" * 900_000,
        "# apple " + "x" * 400_000 + "\n\n" + "a\n\n" * 150_000,
        "# a" + " " * 900_000 + "\n\napple",
        "=" * 900_000 + "\napple",
        "```\napple\n\n" * 60_000,
        "#\n" * 400_000 + "apple",
    ],
    ids=len,
)
@pytest.mark.timeout(10)
def test_strange_files_are_searched_within_bounds(notes: Path, text: str) -> None:
    write(notes / "a.md", text)

    result = search_notes("apple", limit=20)

    assert places(result)
    assert len(result) < MAX_RESULT + LONGEST


def test_names_that_are_no_text_are_shown(notes: Path) -> None:
    try:
        write(Path(os.fsdecode(os.fsencode(notes) + b"/\xff apple.md")), "pear")
    except OSError:
        pytest.skip("this file system takes no such names")

    assert "notes/� apple.md:1" in search_notes("pear")


def test_threads_search_at_once(notes: Path) -> None:
    for number in range(20):
        write(notes / f"{number}.md", f"apple word{number}\n")

    with ThreadPoolExecutor(8) as threads:
        found = list(threads.map(search_notes, [f"word{number}" for number in range(20)]))

    assert [places(result) for result in found] == [[f"notes/{number}.md:1"] for number in range(20)]


def test_sqlite_without_full_text_search_is_named() -> None:
    with (
        sqlite3.connect(":memory:") as database,
        pytest.raises(ValueError, match="without FTS5"),
        fts5_required(),
    ):
        database.execute("CREATE VIRTUAL TABLE notes USING fts_missing(text)")
    database.close()


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=50, deadline=None)
@given(query=st.text(max_size=200))
def test_any_query_gives_an_answer(notes: Path, query: str) -> None:
    write(notes / "a.md", DEPLOY)

    assert search_notes(query)


@given(text=st.text(alphabet=st.sampled_from([*"ab# \t=-`~\n\n\n"]), max_size=150))
def test_every_word_is_in_a_passage_at_its_line(text: str) -> None:
    lines, found = text.split("\n"), list(passages(text))

    assert [passage for passage in found if passage.text.split("\n")[0].strip() not in lines[passage.line - 1]] == []
    read = " ".join(f"{passage.heading} {passage.text}" for passage in found)
    assert set(re.findall("[ab]+", text)) <= set(re.findall("[ab]+", read))
