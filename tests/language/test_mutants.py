"""A small part of the mutation corpus: `validate` finds each mistake once, on its line, and says what was meant."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from runner.spec import Json
from tests.benchmarks.mutants.corpus import copy_projects, make_cases
from tests.benchmarks.mutants.kinds import KINDS
from tests.benchmarks.mutants.scoring import Score, false_positives, score_all
from tests.benchmarks.mutants.subject import SCHEMAS, subjects_of
from tests.benchmarks.mutants.table import misses, rates

# Keys of tools, which agents may declare too: toolsets are where they are tried out.
_OF_TOOLS = (
    *("auth", "basic", "bearer", "body", "config", "env", "form", "header", "isolation", "max_bytes", "max_cpu"),
    *("max_memory", "method", "operations", "password", "response", "select", "server", "spec", "text", "username"),
    *("headers", "idempotent", "json", "return_direct", "risk", "style", "function", "query"),
)
NOT_OF_ITS_OWN = {"agent": frozenset(_OF_TOOLS)}
SEED = 2026
OF_A_KIND = 3
GOALS = {"caught": 0.99, "on_line": 0.98, "one": 0.95, "suggested": 0.95}


@pytest.fixture(scope="module")
def projects(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    return copy_projects(tmp_path_factory.mktemp("mutants") / "corpus")


@pytest.fixture(scope="module")
def scores(projects: list[Path]) -> list[Score]:
    return list(score_all(make_cases(projects, seed=SEED, most=OF_A_KIND)))


def test_nothing_is_said_about_the_originals(projects: list[Path]) -> None:
    assert false_positives(projects) == []


@pytest.mark.parametrize("column", GOALS)
def test_the_goal_is_reached(scores: list[Score], column: str) -> None:
    share = rates(scores)[column]

    assert share is not None
    assert share >= GOALS[column], misses(score for score in scores if getattr(score, column) is False)


@pytest.mark.parametrize("kind", ["agent", "toolset", "project"])
def test_every_key_of_the_language_stands_in_an_original(projects: list[Path], kind: str) -> None:
    schema = json.loads((SCHEMAS / f"{kind}.schema.json").read_text(encoding="utf-8"))
    used = {
        place.name
        for project in projects
        for subject in subjects_of(project)
        if subject.kind == kind
        for place in subject.places
    }

    assert set(keys_of(schema)) - used - NOT_OF_ITS_OWN.get(kind, frozenset()) == set()


def keys_of(schema: Json) -> Iterator[str]:
    """The keys that a schema declares anywhere, those apart that it only declares to refuse them."""
    if isinstance(schema, dict):
        declared = schema.get("properties")
        if isinstance(declared, dict):
            yield from (key for key, value in declared.items() if isinstance(value, dict) and "not" not in value)
    for part in schema.values() if isinstance(schema, dict) else schema if isinstance(schema, list) else ():
        yield from keys_of(part)


def test_there_are_mutants_of_every_kind(scores: list[Score]) -> None:
    assert {score.case.kind for score in scores} == set(KINDS)
    assert len(scores) >= 150


def test_every_mutant_differs_from_its_original_and_knows_its_line(scores: list[Score]) -> None:
    for score in scores:
        mutant, original = score.case.mutant, score.case.subject.text
        assert mutant.text != original
        assert all(1 <= line <= mutant.text.count("\n") + 2 for line in mutant.lines), mutant.what


def test_the_same_seed_gives_the_same_corpus(projects: list[Path]) -> None:
    first, second = (make_cases(projects, seed=7, most=1) for _ in range(2))

    assert [case.mutant for case in first] == [case.mutant for case in second]
    assert [case.mutant for case in first] != [case.mutant for case in make_cases(projects, seed=8, most=1)]
