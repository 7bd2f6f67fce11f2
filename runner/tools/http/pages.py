"""HTML -> Markdown that a model can read: scripts, styles and navigation are gone, links are kept."""

import re

from bs4 import BeautifulSoup
from bs4.element import Tag
from bs4.exceptions import ParserRejectedMarkup
from markdownify import MarkdownConverter

_NOISE = ["script", "style", "nav", "noscript", "template", "svg", "iframe", "object", "canvas", "head"]
_BLANK_LINES = re.compile(r"[ \t]*\n(?:[ \t]*\n){2,}")


def readable(page: str) -> str:
    """The text of a page in Markdown, its title first."""
    try:
        soup = BeautifulSoup(page, "html.parser")
    except ParserRejectedMarkup:
        return page
    title = " ".join(soup.title.get_text().split()) if soup.title else ""
    for noise in soup.find_all(_NOISE):
        noise.decompose()
    for tag in soup.find_all(["a", "img"]):
        _drop_useless_target(tag)
    try:
        text: str = MarkdownConverter(heading_style="atx", bullets="-").convert_soup(soup)
    except RecursionError:  # a page made to hurt; its text is better than nothing
        text = soup.get_text("\n", strip=True)
    text = _BLANK_LINES.sub("\n\n", text).strip()
    return f"{title}\n\n{text}".strip() if title and title not in text[: 2 * len(title) + 10] else text


def _drop_useless_target(tag: Tag) -> None:
    """Targets that lead nowhere (`javascript:`) or hold the thing itself (`data:`) are only noise."""
    for attribute in ("href", "src"):
        if str(tag.get(attribute, "")).lstrip().lower().startswith(("javascript:", "data:")):
            del tag[attribute]
