"""A validation -> GitLab's code quality report.

https://docs.gitlab.com/ci/testing/code_quality/
"""

from runner.diagnostics import Diagnostic, Severity
from runner.language.fingerprints import fingerprints
from runner.language.identity import identity_of
from runner.report.diagnostics.report import CheckReport, told
from runner.report.json_text import dumped
from runner.spec import JsonObject

_SEVERITIES: dict[Severity, str] = {"error": "major", "warning": "minor"}


def gitlab(report: CheckReport, _colour: bool) -> str:  # noqa: FBT001 - a Reporter
    """A JSON list of issues. A fingerprint stays the same when lines move, and no two are equal."""
    names = [report.from_root(each.location.file) for each in report.diagnostics]
    identities = [identity_of(each, file=name) for each, name in zip(report.diagnostics, names, strict=True)]
    issues = [
        _issue(each, name, fingerprint)
        for each, name, fingerprint in zip(report.diagnostics, names, fingerprints(identities), strict=True)
    ]
    return dumped(issues, indent=2) + "\n"


def _issue(diagnostic: Diagnostic, name: str, fingerprint: str) -> JsonObject:
    span = diagnostic.location.span  # the report needs a line, also for a file as a whole
    return {
        "description": told(diagnostic),
        "check_name": diagnostic.code,
        "fingerprint": fingerprint,
        "severity": _SEVERITIES[diagnostic.severity],
        "location": {"path": name, "lines": {"begin": span.line if span else 1, "end": span.end_line if span else 1}},
    }
