"""Corrections are kept once, found by their words, and forgotten when somebody says so."""

import sqlite3
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from runner.sessions.feedback import MOST_TOLD, Correction, Feedback, UnknownCorrection
from runner.sessions.ports import StoreError
from runner.sessions.sqlite import SqliteStore


def rejected(reason: str | None = "too late", **changed: Any) -> Correction:
    given_ = {"agent": "desk", "tool": "mail", "arguments": {"to": "bo"}, "edited": None, "reason": reason, "by": "ana"}
    return Correction(**{**given_, **changed})


def edited(**arguments: Any) -> Correction:
    return rejected(edited=arguments, reason=None)


@pytest.fixture
def feedback(tmp_path: Path) -> Feedback:
    return Feedback(tmp_path / ".runner")


def reasons(feedback: Feedback, text: str, tools: tuple[str, ...] = ("mail",), agent: str = "desk") -> list[str | None]:
    return [kept.correction.reason for kept in feedback.relevant(agent, text=text, tools=tools)]


def test_what_was_kept_is_listed_as_it_was_the_newest_first(feedback: Feedback) -> None:
    corrections = [rejected("no, \U0001f600 nie"), edited(to="zoë", copies=[1, None]), rejected(agent="clerk")]
    for each in corrections:
        feedback.keep(each)

    assert [kept.correction for kept in feedback.list()] == corrections[::-1]
    assert [kept.correction for kept in feedback.list("clerk")] == corrections[2:]
    times = [kept.at for kept in feedback.list()]
    assert times == sorted(times, reverse=True)


def test_a_folder_in_which_nothing_was_kept_stays_as_it_is(tmp_path: Path) -> None:
    feedback = Feedback(tmp_path / "none")

    assert (feedback.list(), feedback.relevant("desk", text="x", tools=["mail"]), feedback.forget_all()) == ((), (), 0)
    with pytest.raises(UnknownCorrection):
        feedback.forget([1])
    assert not (tmp_path / "none").exists()


def test_the_same_correction_is_kept_once_and_is_the_newest_again(feedback: Feedback) -> None:
    feedback.keep(rejected("a"))
    feedback.keep(rejected("b"))
    feedback.keep(rejected("a", by="bo"))

    assert [(kept.id, kept.correction.reason, kept.correction.by) for kept in feedback.list()] == [
        (1, "a", "bo"),
        (2, "b", "ana"),
    ]
    assert reasons(feedback, "a") == ["a", "b"]


def test_the_order_of_arguments_makes_no_difference(feedback: Feedback) -> None:
    feedback.keep(rejected(arguments={"a": 1, "b": 2}))
    feedback.keep(rejected(arguments={"b": 2, "a": 1}))

    assert len(feedback.list()) == 1


# -- what is relevant -------------------------------------------------------------------------------------------------


def test_those_whose_words_are_in_the_text_are_found_first(feedback: Feedback) -> None:
    feedback.keep(rejected("invoices go to accounting"))
    feedback.keep(edited(to="lawyers@example.com"))
    for number in range(MOST_TOLD + 3):
        feedback.keep(rejected(f"not on day {number}", arguments={"n": number}))

    assert "invoices go to accounting" in reasons(feedback, "Send the INVOICES, please!")
    assert None in reasons(feedback, "a letter to the lawyers")
    assert len(reasons(feedback, "anything")) == MOST_TOLD


def test_when_no_word_fits_the_newest_are_told(feedback: Feedback) -> None:
    for number in range(MOST_TOLD + 3):
        feedback.keep(rejected(f"day {number}"))

    assert reasons(feedback, "quite another thing") == [f"day {number}" for number in (7, 6, 5, 4, 3)]


def test_those_that_are_told_are_the_newest_first(feedback: Feedback) -> None:
    for word in ("one", "two", "three"):
        feedback.keep(rejected(word))

    assert reasons(feedback, "one") == ["three", "two", "one"]


def test_only_those_of_the_agent_and_of_tools_it_has_are_told(feedback: Feedback) -> None:
    feedback.keep(rejected("mine"))
    feedback.keep(rejected("another's", agent="clerk"))
    feedback.keep(rejected("mail, but of another tool", tool="shell"))

    assert reasons(feedback, "mail") == ["mine"]
    assert reasons(feedback, "mail", tools=()) == []


def test_scripts_without_spaces_are_searched_too(feedback: Feedback) -> None:
    feedback.keep(rejected("请求必须先由会计批准"))
    for number in range(MOST_TOLD):
        feedback.keep(rejected(f"day {number}"))

    assert "请求必须先由会计批准" in reasons(feedback, "会计在吗")


@settings(max_examples=30)
@given(text=st.text(max_size=40), tool=st.from_regex(r"\A[a-zA-Z_][a-zA-Z0-9_-]{0,20}\Z"))
def test_no_text_is_search_syntax(tmp_path_factory: pytest.TempPathFactory, text: str, tool: str) -> None:
    feedback = Feedback(tmp_path_factory.mktemp("s"))
    feedback.keep(rejected(text, tool=tool, arguments={"text": text}))

    (kept,) = feedback.relevant("desk", text=f'{text} " AND NEAR( * ^ -', tools=[tool])

    assert kept.correction.tool == tool


def test_a_text_of_a_megabyte_is_searched_in_a_moment(feedback: Feedback) -> None:
    feedback.keep(rejected())
    began = time.perf_counter()

    assert len(reasons(feedback, " ".join(f"word{n}" for n in range(150_000)))) == 1
    assert time.perf_counter() - began < 10


# -- forgetting -------------------------------------------------------------------------------------------------------


def test_what_is_forgotten_is_not_told_and_its_id_is_not_used_again(feedback: Feedback) -> None:
    for word in ("one", "two", "three"):
        feedback.keep(rejected(word))

    feedback.forget([3, 1, 3])
    feedback.keep(rejected("four"))

    assert [(kept.id, kept.correction.reason) for kept in feedback.list()] == [(4, "four"), (2, "two")]
    assert reasons(feedback, "one three") == ["four", "two"]


def test_when_one_does_not_exist_none_is_forgotten(feedback: Feedback) -> None:
    feedback.keep(rejected())

    with pytest.raises(UnknownCorrection, match="there is no correction 7; `runner feedback list` shows"):
        feedback.forget([1, 7])

    assert len(feedback.list()) == 1
    assert reasons(feedback, "x") == ["too late"]


def test_all_or_those_of_one_agent_are_forgotten_at_once(feedback: Feedback) -> None:
    for agent in ("desk", "clerk", "clerk"):
        feedback.keep(rejected(f"{agent} {time.perf_counter_ns()}", agent=agent))

    assert feedback.forget_all("clerk") == 2
    assert [kept.correction.agent for kept in feedback.list()] == ["desk"]
    assert (feedback.forget_all(), feedback.forget_all()) == (1, 0)


# -- the database -----------------------------------------------------------------------------------------------------


def test_it_is_the_database_of_sessions(tmp_path: Path) -> None:
    store, feedback = SqliteStore(tmp_path), Feedback(tmp_path)
    with store.open("trip", create=True):
        feedback.keep(rejected())

    store.delete("trip")

    assert (len(feedback.list()), store.list()) == (1, ())
    assert [path.name for path in tmp_path.glob("*.db")] == [store.path.name]


def test_a_database_of_the_first_version_gets_the_tables(tmp_path: Path) -> None:
    script = (Path(__file__).parent / "version_1.sql").read_text(encoding="utf-8")
    connection = sqlite3.connect(SqliteStore(tmp_path).path)
    connection.executescript(script)
    connection.close()

    Feedback(tmp_path).keep(rejected())

    assert len(Feedback(tmp_path).list()) == 1


def test_several_can_keep_at_once(feedback: Feedback) -> None:
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda number: feedback.keep(rejected(f"reason {number}")), range(40)))

    assert len(feedback.list()) == 40


def test_a_damaged_database_is_said_in_one_line(tmp_path: Path) -> None:
    SqliteStore(tmp_path).path.write_bytes(b"no database at all, but long enough to be read as one" * 100)

    with pytest.raises(StoreError, match="is damaged"):
        Feedback(tmp_path).list()


def test_halves_of_characters_do_no_harm(feedback: Feedback) -> None:
    feedback.keep(rejected("a\ud83d b", arguments={"to": "\udc00"}))

    (kept,) = feedback.relevant("desk", text="a \ud83d", tools=["mail"])

    assert kept.correction.reason == "a? b"
