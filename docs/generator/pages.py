"""Which pages are generated, and from what."""

from collections.abc import Callable
from pathlib import Path

from docs.generator.codes import codes_page
from docs.generator.reference import reference_page

_DOCS = Path(__file__).parent.parent

PAGES: dict[Path, Callable[[], str]] = {
    _DOCS / "codes.md": codes_page,
    _DOCS / "reference.md": reference_page,
}
