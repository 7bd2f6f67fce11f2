"""A validation -> SARIF 2.1.0, which code scanning services read.

https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html; section numbers below are of this document.
"""

import re
from pathlib import PurePath
from urllib.parse import quote

from runner import __version__
from runner.diagnostics import Diagnostic, Location, Related, Span
from runner.language.explanations import explanation_of
from runner.language.fingerprints import fingerprints
from runner.language.identity import identity_of
from runner.report.diagnostics.report import CheckReport
from runner.report.json_text import dumped
from runner.spec import JsonObject

_SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
_NO_BYTE = re.compile("[\ud800-\udc7f\udd00-\udfff]")
_SHIPPED = "runner/toolkit/"
_ROOT = "%SRCROOT%"
# Text that reads as a link to a related location (3.11.6), which only we may write.
_LINK = re.compile(r"\[(?=[^\]]*\]\()")


def sarif(report: CheckReport, _colour: bool) -> str:  # noqa: FBT001 - a Reporter
    """A log with one run, indented."""
    return dumped({"$schema": _SCHEMA, "version": "2.1.0", "runs": [_run(report)]}, indent=2) + "\n"


def _run(report: CheckReport) -> JsonObject:
    codes = sorted({each.code for each in report.diagnostics})
    # Two problems that differ only in their line numbers are told apart by being counted.
    marks = fingerprints([identity_of(each, file=report.from_root(each.location.file)) for each in report.diagnostics])
    return {
        "tool": {
            "driver": {
                "name": "runner validate",
                "semanticVersion": __version__,
                "rules": [_rule(code) for code in codes],
            }
        },
        "invocations": [{"executionSuccessful": True}],
        # Without a URI, so that the log does not tell where on this machine the files are (3.14.14).
        "originalUriBaseIds": {_ROOT: {"description": {"text": "The root of the repository."}}},
        "columnKind": "unicodeCodePoints",
        "results": [
            {
                **_result(each, report),
                "ruleIndex": codes.index(each.code),
                "partialFingerprints": {"problem/v1": mark},
            }
            for each, mark in zip(report.diagnostics, marks, strict=True)
        ],
    }


def _rule(code: str) -> JsonObject:
    explanation = explanation_of(code)
    help_text = f"{explanation.what}\n\n{explanation.why}"
    return {
        "id": code,
        "shortDescription": {"text": explanation.title[:1].upper() + explanation.title[1:] + "."},
        "help": {"text": help_text, "markdown": help_text},
    }


def _result(diagnostic: Diagnostic, report: CheckReport) -> JsonObject:
    result = {
        "ruleId": diagnostic.code,
        "level": diagnostic.severity,
        "message": {"text": _message(diagnostic)},
        "locations": [{"physicalLocation": _physical(diagnostic.location, report)}],
    }
    related = [_related(*each, report) for each in _reachable(diagnostic)]
    return {**result, "relatedLocations": related} if related else result


def _message(diagnostic: Diagnostic) -> str:
    """Viewers show a related location only where the message links to it."""
    words = [diagnostic.message, *([diagnostic.suggestion] if diagnostic.suggestion else [])]
    links = [f"[{_linkable(related.message)}]({number})" for number, related in _reachable(diagnostic)]
    text = _LINK.sub(r"\\[", "; ".join(words))
    return f"{text} ({', '.join(links)})" if links else text


def _reachable(diagnostic: Diagnostic) -> list[tuple[int, Related]]:
    """The other places with their numbers; what comes with the runner is not in the repository."""
    there = [each for each in diagnostic.related if not each.location.file.startswith(_SHIPPED)]
    return list(enumerate(there, start=1))


def _linkable(text: str) -> str:
    return re.sub(r"([\[\]\\])", r"\\\1", text) or "see"


def _related(number: int, related: Related, report: CheckReport) -> JsonObject:
    return {
        "id": number,
        "message": {"text": related.message},
        "physicalLocation": _physical(related.location, report),
    }


def _physical(location: Location, report: CheckReport) -> JsonObject:
    """Without a region it is the whole file (3.29.4)."""
    name = report.from_root(location.file)
    # A byte of a name that is no text stays that byte; other halves of surrogate pairs stand for nothing.
    uri = quote(_NO_BYTE.sub("\ufffd", name).encode("utf-8", "surrogateescape"))
    absolute = PurePath(name).is_absolute()
    artifact: JsonObject = {"uri": f"file://{uri}"} if absolute else {"uri": uri, "uriBaseId": _ROOT}
    if location.span is None:
        return {"artifactLocation": artifact}
    return {"artifactLocation": artifact, "region": _region(location.span)}


def _region(span: Span) -> JsonObject:
    return {
        "startLine": span.line,
        "startColumn": span.column,
        "endLine": span.end_line,
        "endColumn": span.end_column,
    }
