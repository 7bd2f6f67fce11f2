"""`python -m docs.generator`: write the generated pages."""

from docs.generator.pages import PAGES

for path, page in PAGES.items():
    path.write_text(page(), encoding="utf-8")
