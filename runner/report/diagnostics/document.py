"""A validation -> the JSON document that `validation.schema.json` describes."""

from runner.diagnostics import Diagnostic, Location
from runner.report.diagnostics.report import CheckReport
from runner.report.json_text import dumped
from runner.spec import JsonObject

VERSION = 1


def document(report: CheckReport, _colour: bool) -> str:  # noqa: FBT001 - a Reporter
    """One JSON object, indented."""
    return dumped(document_json(report), indent=2) + "\n"


def document_json(report: CheckReport) -> JsonObject:
    """`{"version": 1, "ok": …, "files": …, "errors": …, "warnings": …, "diagnostics": […]}`."""
    return {
        "version": VERSION,
        "ok": report.ok,
        "files": len(report.checked),
        "errors": report.errors,
        "warnings": report.warnings,
        "diagnostics": [_diagnostic(each) for each in report.diagnostics],
    }


def _diagnostic(diagnostic: Diagnostic) -> JsonObject:
    return {
        **_place(diagnostic.location),
        "severity": diagnostic.severity,
        "code": diagnostic.code,
        "message": diagnostic.message,
        "suggestion": diagnostic.suggestion,
        "related": [{**_place(each.location), "message": each.message} for each in diagnostic.related],
    }


def _place(location: Location) -> JsonObject:
    span = location.span
    return {
        "file": location.file,
        "line": span and span.line,
        "column": span and span.column,
        "end_line": span and span.end_line,
        "end_column": span and span.end_column,
    }
