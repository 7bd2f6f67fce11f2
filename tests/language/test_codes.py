import re
from pathlib import Path

from runner.language import checks, document, imports, schema, suppression, unset_variables
from runner.language.codes import CODES

SOURCES = sorted((Path(__file__).parent.parent.parent / "runner").rglob("*.py"))


def test_every_code_that_is_written_anywhere_has_a_title() -> None:
    written = {code for path in SOURCES for code in re.findall(r"\bRUN\d{3}\b", path.read_text(encoding="utf-8"))}

    assert written == CODES.keys()


def test_no_code_has_two_meanings() -> None:
    parts = (document, schema, checks, imports, unset_variables, suppression)

    assert len(CODES) == sum(len(part.CODES) for part in parts)
