"""The generated pages are those that the schemas and the explanations give, and their links lead somewhere."""

import re
from collections import Counter
from pathlib import Path

import pytest
import yaml

from docs.generator.keys import schema
from docs.generator.pages import PAGES
from docs.generator.reference import anchors
from docs.generator.related_codes import CODES_OF
from runner.language.codes import CODES

DOCS = Path(__file__).parents[2] / "docs"
REFERENCE = DOCS / "reference.md"


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.name)
def test_the_page_is_fresh(path: Path) -> None:
    assert path.read_text(encoding="utf-8") == PAGES[path](), f"docs/{path.name} is stale: run 'make docs'"


def test_every_code_has_its_part_of_the_page() -> None:
    text = (DOCS / "codes.md").read_text(encoding="utf-8")

    assert re.findall(r"^### (RUN\d{3}): (.+)$", text, re.MULTILINE) == sorted(CODES.items())


@pytest.mark.parametrize("kind", ["agent", "toolset", "project"])
def test_every_key_of_a_document_has_its_part_of_the_page(kind: str) -> None:
    told = list(anchors())

    assert {f"{kind}-{key}" for key in schema(kind)["properties"]} <= set(told)
    assert [anchor for anchor, count in Counter(told).items() if count > 1] == []


def test_keys_inside_of_keys_are_told_too() -> None:
    deep = {
        "agent-model-price-cached_input",
        "agent-examples-calls-result",
        "agent-parsing-labels-thought",
        "http-query-NAME-style",
        "auth-basic-password",
        "project-limits-maximum",
    }

    assert deep <= set(anchors())


def test_what_a_key_may_be_is_told() -> None:
    text = REFERENCE.read_text(encoding="utf-8")
    part = {anchor: text.partition(f'<a id="{anchor}"></a>')[2].partition("<a id=")[0] for anchor in anchors()}

    assert "Type: number from 0 to 2\n" in part["agent-model-temperature"]
    assert "Type: one of `fail`, `answer` · default: `fail`\n" in part["agent-on_limit"]
    assert "Type: [time](#value-time) · default: `5m`\n" in part["agent-limits-timeout"]
    assert "Type: list of: text or [tool](#toolset)\n" in part["agent-tools"]
    assert "Type: text · **required**\n" in part["http-url"]
    assert "Its keys: [`model`](#agent-model)." in part["agent-context-model"]
    assert "[RUN516](codes.md#run516) an address that a tool cannot ask" in part["http-url"]


def test_the_codes_told_beside_keys_exist_and_so_do_the_keys() -> None:
    assert CODES_OF.keys() <= set(anchors())
    assert {code for codes in CODES_OF.values() for code in codes} <= CODES.keys()


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.name)
def test_every_link_leads_somewhere(path: Path) -> None:
    for target, anchor in re.findall(r"\]\(([^)#]*)(?:#([^)]*))?\)", path.read_text(encoding="utf-8")):
        file = DOCS / target if target else path
        assert file.exists(), target
        if anchor:
            assert f'<a id="{anchor}"></a>' in file.read_text(encoding="utf-8"), anchor


def test_the_examples_of_the_reference_are_yaml() -> None:
    blocks = re.findall(r"```yaml\n(.*?)```", REFERENCE.read_text(encoding="utf-8"), re.DOTALL)

    assert len(blocks) > 20
    assert all(isinstance(yaml.safe_load(block), dict) for block in blocks)
