"""The page of a session in a real browser: nothing hostile runs, nothing is asked of the network, all can be read."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from runner.report.phrases import visible
from runner.sessions.ports import Stored
from tests.report.browser import NAMES, Browser, Page, executable, running
from tests.report.noting import Noting, call, hostile, realistic
from tests.report.pages import session_html

# Foreground and background of every text that is seen, and how far apart they are (WCAG 2.2, 1.4.3).
_LOW_CONTRAST = """
(() => {
  const canvas = Object.assign(document.createElement("canvas"), {width: 1, height: 1}).getContext("2d");
  const rgba = (colour) => {
    canvas.clearRect(0, 0, 1, 1); canvas.fillStyle = colour; canvas.fillRect(0, 0, 1, 1);
    return [...canvas.getImageData(0, 0, 1, 1).data];
  };
  const light = (colour) => rgba(colour).slice(0, 3).map((part) => part / 255)
    .map((part) => part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4)
    .reduce((sum, part, index) => sum + part * [0.2126, 0.7152, 0.0722][index], 0);
  const behind = (element) => {
    for (let each = element; each; each = each.parentElement) {
      const colour = getComputedStyle(each).backgroundColor;
      if (rgba(colour)[3] === 255) return colour;
    }
    return "white";
  };
  const low = new Set();
  for (const element of document.querySelectorAll("body *")) {
    const written = [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim());
    if (!written || !element.checkVisibility() || element.closest("script")) continue;
    const [one, other] = [light(getComputedStyle(element).color), light(behind(element))];
    const ratio = (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05);
    if (ratio < 4.5) low.add(`${element.tagName}.${element.className}: ${ratio.toFixed(2)}`);
  }
  return [...low];
})()
"""
Show = Callable[..., Page]

_SHOWN = '[...document.querySelectorAll("[data-item]")].filter((each) => !each.hidden).length'


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    program = executable()
    if program is None:
        pytest.skip(f"no browser on this machine ({', '.join(NAMES)}): the page is not looked at")
    with running(program, tmp_path_factory.mktemp("profile")) as started:
        yield started


@pytest.fixture
def show(browser: Browser, tmp_path: Path) -> Show:
    def shown(stored: list[Stored], title: str = "s1", *, scripts: bool = True) -> Page:
        file = tmp_path / "session.html"
        file.write_text(session_html(stored, title), encoding="utf-8")
        page = browser.page()
        page.send("Emulation.setScriptExecutionDisabled", value=not scripts)
        return page.go(file.as_uri())

    return shown


def typed(page: Page, query: str) -> None:
    page.evaluate(
        f"(async () => {{ const box = document.getElementById('search'); box.value = {query!r};"
        " box.dispatchEvent(new Event('input')); await new Promise((done) => setTimeout(done, 300)); })()"
    )


def test_the_page_asks_for_nothing_and_nothing_in_it_is_found_fault_with(show: Show) -> None:
    page = show(realistic())

    assert page.evaluate("document.querySelectorAll('section.run').length") == 2
    assert page.complaints == []
    assert [url.rpartition("/")[2] for url in page.requests] == ["session.html"]


def test_hostile_texts_are_shown_and_none_of_them_runs(show: Show) -> None:
    page = show(hostile(), title="</title><script>window.ran = 1</script>")

    assert page.evaluate("window.ran") is None
    assert page.evaluate("document.scripts.length") == 1
    assert page.evaluate("document.querySelectorAll('img, iframe, a, object, svg:not(.bar)').length") == 0
    assert page.evaluate("document.title") == "</title><script>window.ran = 1</script>"
    assert page.complaints == []
    assert len(page.requests) == 1


def test_hostile_texts_can_be_read_as_they_are(show: Show) -> None:
    text = "a </pre> b\n\x1b[31mred\x00 \u202egnp.exe & &amp; \ud800"
    tool = call("c1", "fetch")
    stored = Noting().began("p").replied(1, tool).started(1, tool).ended(1, tool, text).finished(steps=1).stored

    results = "[...document.querySelectorAll('pre.code')].map((each) => each.textContent)"
    page = show(stored)

    assert visible(text, keep="\n") in page.evaluate(results)


def test_even_markup_that_got_into_the_page_could_not_run(show: Show) -> None:
    page = show(realistic())

    page.evaluate("document.body.insertAdjacentHTML('beforeend', '<img src=x onerror=\"window.ran = 1\">')")
    page.evaluate("document.body.append(Object.assign(document.createElement('script'), {text: 'window.ran = 1'}))")
    refused = page.evaluate("fetch('https://example.com/').then(() => 'sent', () => 'refused')")

    assert page.evaluate("window.ran") is None
    assert refused == "refused"


def test_a_megabyte_of_result_is_folded_away_and_is_all_there(show: Show) -> None:
    tool, result = call("c1", "dump"), "x" * 1_000_000 + "the end"
    stored = Noting().began("p").replied(1, tool).started(1, tool).ended(1, tool, result).finished(steps=1).stored

    page = show(stored)
    shown = page.evaluate("[...document.querySelectorAll('.call pre')].map((each) => each.textContent).join('').length")
    page.evaluate("document.querySelectorAll('details').forEach((fold) => { fold.open = !fold.matches('.more'); })")

    assert shown == len("{}") + len(result)
    assert page.evaluate("document.querySelector('.more').open") is False
    assert page.evaluate("document.documentElement.scrollHeight") < 5000


def test_the_search_leaves_what_it_finds_and_opens_where_it_is(show: Show) -> None:
    page = show(realistic())
    everything = page.evaluate(_SHOWN)

    typed(page, "Mail 117:")  # far down in the folded part of a result
    found = page.evaluate(_SHOWN)
    opened = page.evaluate("[...document.querySelectorAll('.call:not([hidden]) .more')].map((each) => each.open)")
    typed(page, "")

    assert found == 1
    assert opened == [True]
    assert page.evaluate(_SHOWN) == everything
    assert page.evaluate("document.querySelectorAll('.call[open]').length") == 0
    assert page.complaints == []


def test_what_is_found_where_a_line_is_cut_off_is_seen(show: Show) -> None:
    page = show(realistic())

    typed(page, "partial refund")

    assert page.evaluate("document.querySelector('.call:not([hidden]) .body').checkVisibility()") is True


def test_a_search_without_a_match_says_so(show: Show) -> None:
    page = show(realistic())

    typed(page, "no such thing")

    assert page.evaluate(_SHOWN) == 0
    assert page.evaluate("document.getElementById('found').textContent").startswith("0 of ")
    assert page.evaluate("document.querySelectorAll('.run:not([hidden])').length") == 0


def test_everything_can_be_opened_and_closed_at_once(show: Show) -> None:
    page = show(realistic())
    folds = page.evaluate("document.querySelectorAll('details[data-item]').length")

    page.evaluate("document.getElementById('open').click()")
    opened = page.evaluate("document.querySelectorAll('details[data-item][open]').length")
    page.evaluate("document.getElementById('close').click()")

    assert opened == folds > 0
    assert page.evaluate("document.querySelectorAll('details[data-item][open]').length") == 0


def test_without_scripts_the_page_can_be_read_and_shows_no_tools_that_do_nothing(show: Show) -> None:
    page = show(realistic(), scripts=False)
    page.send("Emulation.setScriptExecutionDisabled", value=False)  # for the questions of the test

    assert page.evaluate("document.querySelector('.tools').checkVisibility()") is False
    assert "Leipzig" in page.evaluate("document.querySelectorAll('.answer')[1].innerText")


@pytest.mark.parametrize("width", [320, 700, 1280])
def test_nothing_stands_out_beside_the_page(show: Show, width: int) -> None:
    page = show(hostile())
    page.size(width)
    page.evaluate("document.getElementById('open').click()")

    assert page.evaluate("document.documentElement.scrollWidth") <= width


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_text_stands_out_from_what_is_behind_it(show: Show, scheme: str) -> None:
    page = show(realistic())
    page.scheme(scheme)
    page.evaluate("document.getElementById('open').click()")

    assert page.evaluate(_LOW_CONTRAST) == []


def test_the_page_follows_the_colours_of_the_system(show: Show) -> None:
    page = show(realistic())
    colours = []
    for scheme in ("light", "dark"):
        page.scheme(scheme)
        colours.append(page.evaluate("getComputedStyle(document.body).backgroundColor"))

    assert colours[0] != colours[1]


def test_on_paper_everything_is_open_and_the_tools_are_gone(show: Show) -> None:
    page = show(realistic())
    page.scheme("dark", media="print")
    closed = "document.querySelectorAll('details[data-item]:not([open])').length"
    before = page.evaluate(closed)

    page.evaluate("window.dispatchEvent(new Event('beforeprint'))")
    while_printing = page.evaluate(closed)
    page.evaluate("window.dispatchEvent(new Event('afterprint'))")

    assert page.evaluate("document.querySelector('.tools').checkVisibility()") is False
    assert page.evaluate("getComputedStyle(document.body).color") == "rgb(0, 0, 0)"
    assert (while_printing, page.evaluate(closed)) == (0, before)
    assert before > 0
