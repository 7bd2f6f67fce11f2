"""The page of a session as text: one page, whole, and nothing in it that was not meant to be markup."""

import base64
import hashlib
import re
from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runner.report.page.markup import Markup, element, together
from runner.report.page.texts import folded
from tests.report.noting import Noting, call, hostile, realistic
from tests.report.pages import session_html

TAGS = frozenset(
    {"html", "head", "meta", "title", "style", "body", "header", "h1", "h2", "h3", "h4", "p", "dl", "dt", "dd"}
    | {"div", "span", "input", "button", "main", "section", "details", "summary", "pre", "code", "b", "time"}
    | {"svg", "rect", "script"}
)
VOID = ("meta", "input")


class Reader(HTMLParser):
    """Fails at a tag that is not ours or is not closed, and collects the texts."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.names: list[str] = []
        self.texts: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert tag in TAGS
        assert not any(name.startswith("on") or name in ("style", "href", "src") for name, _ in attrs)
        self.names.append(tag)
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.texts.append(data)


def read(page: str) -> Reader:
    reader = Reader()
    reader.feed(page)
    reader.close()
    assert reader.open == []
    return reader


def test_a_page_is_well_formed_and_holds_all_it_needs() -> None:
    page = session_html(realistic(), "trip")

    assert page.startswith('<!doctype html>\n<html lang="en">')
    assert read(page).names.count("script") == 1
    assert re.search(r"https?:", page) is None


def test_only_the_style_and_the_script_of_the_page_are_let_run() -> None:
    page = session_html(realistic(), "trip")
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', page)

    assert policy is not None
    for tag in ("style", "script"):
        content = re.search(f"<{tag}>(.*?)</{tag}>", page, re.DOTALL)
        assert content is not None
        digest = base64.b64encode(hashlib.sha256(content[1].encode()).digest()).decode()
        assert f"{tag}-src &#x27;sha256-{digest}&#x27;" in policy[1]
    assert "default-src &#x27;none&#x27;" in policy[1]


def test_the_header_sums_the_session_up() -> None:
    texts = read(session_html(realistic(), "trip")).texts

    for label, value in [
        ("Runs", "2"),
        ("Steps", "8"),
        ("Tool calls", "6"),
        ("Failed calls", "1"),
        ("Tokens", "3,880"),
        ("Cost", "$0.0080"),
        ("Time", "13.8 s"),
        ("Approval asked for", "3 calls"),
    ]:
        assert texts[texts.index(label) + 1] == value


def test_hostile_texts_are_texts() -> None:
    reader = read(session_html(hostile(), "</title><script>"))

    assert reader.names.count("script") == 1
    assert "</title><script>" in reader.texts


def test_a_page_can_be_written_as_utf_8_whatever_was_said() -> None:
    page = session_html(hostile(), "\ud800")

    assert page.encode("utf-8")
    assert "\x00" not in page
    assert "\u202e" not in page


def test_a_page_of_a_session_without_entries_says_so() -> None:
    assert "Nothing was noted down yet." in read(session_html([], "new")).texts


def test_a_call_that_waits_has_its_id_on_the_page() -> None:
    send = call("call_77", "send", to="kim")
    session = Noting().began("p").replied(1, send).deferred(1, send).finished("waiting_for_approval")
    page = session_html(session.stored, "s1")

    assert "waits for approval" in page
    assert "<code>call_77</code>" in page
    assert "deferred" not in page


def test_a_call_that_nobody_was_asked_about_again_is_not_counted_as_asked() -> None:
    one, two = call("c1", "send"), call("c2", "send")
    session = Noting().began("p").replied(1, one, two).decided(1, one, "approved", for_run=True)
    page = session_html(session.decided(1, two, "approved", for_run=True, after=0).stored, "s1")

    assert "<dt>Approval asked for</dt><dd>1 call</dd>" in page
    assert "approved for the run by anna, nobody was asked again" in page


def test_a_session_that_is_still_running_has_a_page() -> None:
    tool = call("c1", "fetch")
    texts = read(session_html(Noting().began("p").replied(1, tool).started(1, tool).stored, "s")).texts

    assert "no end was noted" in texts
    assert "outcome unknown" in texts


@given(st.text())
def test_any_text_stays_one_text_in_an_element_and_in_an_attribute(text: str) -> None:
    reader = read(element("p", element("span", text, title=text), class_=text).html)

    assert reader.names == ["p", "span"]


@given(st.text(alphabet="ab\n", max_size=6000))
def test_a_folded_text_is_all_there(text: str) -> None:
    blocks = re.findall(r"<pre[^>]*>\n(.*?)</pre>", folded(text, kind="code").html, re.DOTALL)

    assert "".join(blocks) == text
    assert len(blocks) == (1 if len(text) <= 2200 and text.count("\n") <= 40 else len(blocks))


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("short", "short"),
        ("x" * 9000, "x" * 2000),
        ("line\n" * 100, "line\n" * 40),
        ("y" * 1500 + "\n" + "z" * 900, "y" * 1500 + "\n"),
    ],
)
def test_a_long_text_is_folded_at_a_line_end_where_there_is_one(text: str, shown: str) -> None:
    first = re.search(r"<pre[^>]*>\n(.*?)</pre>", folded(text, kind="code").html, re.DOTALL)

    assert first is not None
    assert first[1] == shown


def test_attributes_that_say_nothing_are_left_out() -> None:
    assert element("details", open=True, hidden=False, title=None, data_item="a b").html == (
        '<details open data-item="a b"></details>'
    )
    assert together(["<", None, Markup("<b></b>")]).html == "&lt;<b></b>"
