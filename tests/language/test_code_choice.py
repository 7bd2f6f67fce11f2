"""Which codes somebody wants to hear of."""

import pytest

from runner.language.code_choice import CodeChoice, WrongCodeError, code_choice, unknown_code
from runner.language.codes import CODES


def taken(*, select: tuple[str, ...] = (), ignore: tuple[str, ...] = ()) -> set[str]:
    choice = code_choice(select, ignore, CODES)
    return {code for code in CODES if choice.takes(code)}


def family(*prefixes: str) -> set[str]:
    return {code for code in CODES if code.startswith(prefixes)}


def test_without_a_choice_everything_is_told() -> None:
    assert taken() == CODES.keys()


@pytest.mark.parametrize("word", ["RUN2", "run2", "RUN2xx", " RUN2 ,", "RUN20,RUN21"])
def test_a_beginning_selects_all_that_begin_so(word: str) -> None:
    assert taken(select=(word,)) == family("RUN1", "RUN2")


def test_several_words_and_options_add_up() -> None:
    assert taken(select=("RUN301,RUN302", "RUN4")) == family("RUN1", "RUN301", "RUN302", "RUN4")
    assert taken(ignore=("RUN301,RUN302", "RUN4")) == CODES.keys() - family("RUN301", "RUN302", "RUN4")


def test_the_longer_beginning_decides_and_ignoring_wins_a_draw() -> None:
    assert taken(select=("RUN2",), ignore=("RUN203",)) == family("RUN1", "RUN2") - {"RUN203"}
    assert taken(select=("RUN203",), ignore=("RUN2",)) == family("RUN1", "RUN203")
    assert taken(select=("RUN2",), ignore=("RUN2",)) == family("RUN1")
    assert taken(ignore=("RUN",)) == family("RUN1")


@pytest.mark.parametrize(
    ("word", "message"),
    [
        ("RUN2O3", "there is no code 'RUN2O3'; did you mean 'RUN203'?"),
        ("203", "there is no code '203'; did you mean 'RUN203'?"),
        ("RUN230", "there is no code 'RUN230'; did you mean 'RUN203'?"),
        ("E501", "there is no code 'E501'; did you mean 'RUN501'?"),
        ("RUN999", "there is no code 'RUN999'"),
        ("x", "there is no code 'x'"),
        ("unknown-key", "there is no code 'unknown-key'"),
    ],
)
def test_an_unknown_code_is_refused_with_the_one_that_was_meant(word: str, message: str) -> None:
    for select, ignore in (((word,), ()), ((), (word,))):
        with pytest.raises(WrongCodeError) as caught:
            code_choice(select, ignore, CODES)
        assert str(caught.value) == message
    assert unknown_code(word, CODES) == message


@pytest.mark.parametrize("word", ["RUN1", "RUN107", "RUN1xx"])
def test_what_makes_a_file_unreadable_cannot_be_ignored(word: str) -> None:
    with pytest.raises(WrongCodeError, match="RUN1xx cannot be hidden"):
        code_choice((), (word,), CODES)


def test_a_choice_keeps_the_order_of_what_it_takes() -> None:
    assert CodeChoice().of(()) == ()
