"""A validation -> annotations of GitHub Actions: workflow commands, one a line.

https://docs.github.com/actions/reference/workflow-commands-for-github-actions
"""

from collections.abc import Iterator

from runner.diagnostics import Diagnostic
from runner.language.codes import CODES
from runner.report.diagnostics.report import CheckReport, told
from runner.report.phrases import visible


def github(report: CheckReport, _colour: bool) -> str:  # noqa: FBT001 - a Reporter
    """`::error file=…,line=…,col=…,endLine=…,endColumn=…,title=RUN301…::…` for each problem.

    The log shows nothing but the message, so that begins with the place.
    """
    return "".join(f"{_command(each, report)}\n" for each in report.diagnostics)


def _command(diagnostic: Diagnostic, report: CheckReport) -> str:
    properties = ",".join(f"{name}={_property(value)}" for name, value in _properties(diagnostic, report))
    message = f"{diagnostic.location}: {told(diagnostic)} [{diagnostic.code}]"
    return f"::{diagnostic.severity} {properties}::{_data(message)}"


def _properties(diagnostic: Diagnostic, report: CheckReport) -> Iterator[tuple[str, str]]:
    yield "file", report.from_root(diagnostic.location.file)
    span = diagnostic.location.span
    if span is not None:
        yield "line", str(span.line)
        yield "endLine", str(span.end_line)
        if span.line == span.end_line:  # of several lines, columns are ignored
            yield "col", str(span.column)
            yield "endColumn", str(span.end_column)
    title = CODES.get(diagnostic.code)
    yield "title", f"{diagnostic.code}: {title}" if title else diagnostic.code


def _data(text: str) -> str:
    return visible(text, keep="\r\n").replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
