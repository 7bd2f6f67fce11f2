"""HTML -> Markdown that a model can read: scripts, styles, forms and navigation are gone, links are kept."""

import html
import re

import html_to_markdown

_TITLE = re.compile(r"<title[^>]*>(.{1,300}?)</title", re.IGNORECASE | re.DOTALL)
# Where a title stands, if there is one; looking through a whole page that was made to hurt would take long.
_HEAD_CHARS = 20_000


def readable(page: str, address: str | None = None) -> str:
    """The text of a page in Markdown, its title first; its links become complete by its address.

    Time grows linearly with the page, whatever it holds (html.parser of Python needs minutes for 1 MB of `<a<a<a`).
    """
    options = html_to_markdown.ConversionOptions(
        # Else the descriptions for search engines come first.
        extract_metadata=False,
        base_url=address,
        bullets="-",
        exclude_selectors=["svg", "iframe", "object"],
        inline_data_media=html_to_markdown.InlineDataMedia.ALT_TEXT_ONLY,
    )
    try:
        text = (html_to_markdown.convert(page, options).content or "").strip()
    except html_to_markdown.ConversionError:
        return page
    except BaseException as error:
        # A panic of the library's Rust code is no `Exception`; its class cannot be imported.
        if type(error).__name__ != "PanicException":
            raise
        return page
    found = _TITLE.search(page[:_HEAD_CHARS])
    title = " ".join(html.unescape(found[1]).split()) if found else ""
    return text if not title or title in text[: len(title) + 10] else f"{title}\n\n{text}".strip()
