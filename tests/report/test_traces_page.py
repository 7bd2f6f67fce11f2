"""The documentation of traces shows what is really printed."""

from pathlib import Path

from runner.report.audit import AuditRow, audit_text
from runner.report.timeline import timeline_text
from tests.report.noting import documented

PAGE = (Path(__file__).parents[2] / "docs" / "traces.md").read_text(encoding="utf-8")


def test_the_timeline_is_the_one_that_is_printed() -> None:
    assert f"```\n{timeline_text(documented(), colour=False, width=100)}```\n" in PAGE


def test_the_audit_is_the_one_that_is_printed() -> None:
    refund = audit_text(documented()).split("\n\n")[1]

    assert f"```\n{refund}\n```\n" in PAGE


def test_every_key_of_a_row_is_explained() -> None:
    table = [line.split("|")[1] for line in PAGE.splitlines() if line.startswith("| `")]

    assert {name.strip(" `") for names in table for name in names.split(",")} == set(AuditRow.__dataclass_fields__)
