"""A validation -> JUnit XML, which most CI services show as tests: a file is a test case."""

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from html import escape
from pathlib import Path

from runner.diagnostics import Diagnostic
from runner.report.diagnostics.report import CheckReport
from runner.report.phrases import visible
from runner.report.text import render_text

_NAME = "runner validate"
# `visible` deals with control characters and surrogates; these two are no XML either.
_NO_CHARACTER = re.compile("[\ufffe\uffff]")


def junit(report: CheckReport, _colour: bool) -> str:  # noqa: FBT001 - a Reporter
    """One test suite; a file with errors is a failed case, the text of a file with warnings only is its output."""
    problems: dict[str, list[Diagnostic]] = defaultdict(list)
    for each in report.diagnostics:
        problems[each.location.file].append(each)
    files = sorted({*report.checked, *problems})
    failures = sum(any(_fails(each, report) for each in problems[file]) for file in files)
    numbers = f'tests="{len(files)}" failures="{failures}" errors="0" time="{report.seconds:.3f}"'
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        f"<testsuites {numbers}>",
        f'  <testsuite name="{_NAME}" {numbers} skipped="0">',
        *(line for file in files for line in _case(report.from_root(file), problems[file], report)),
        "  </testsuite>",
        "</testsuites>",
    ]
    return "".join(f"{line}\n" for line in lines)


def _fails(diagnostic: Diagnostic, report: CheckReport) -> bool:
    return diagnostic.severity == "error" or report.strict


def _case(name: str, problems: Sequence[Diagnostic], report: CheckReport) -> Iterator[str]:
    folder = ".".join(Path(name).parent.parts) or "."
    case = f'    <testcase classname="{_xml(folder)}" name="{_xml(name)}" file="{_xml(name)}" time="0"'
    if not problems:
        yield f"{case}/>"
        return
    yield f"{case}>"
    failing = [each for each in problems if _fails(each, report)]
    if failing:
        codes = ", ".join(sorted({each.code for each in failing}))
        more = f" (and {len(failing) - 1} more)" if len(failing) > 1 else ""
        message = _xml(failing[0].message + more)
        yield f'      <failure type="{_xml(codes)}" message="{message}">{_told(failing)}</failure>'
    others = [each for each in problems if not _fails(each, report)]
    if others:
        yield f"      <system-out>{_told(others)}</system-out>"
    yield "    </testcase>"


def _told(problems: Sequence[Diagnostic]) -> str:
    return _xml(render_text(problems, colour=False), keep="\n")


def _xml(text: str, *, keep: str = "") -> str:
    return escape(_NO_CHARACTER.sub("\ufffd", visible(text, keep=keep)))
