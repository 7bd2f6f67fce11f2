"""A validation -> text for people, ending with a summary."""

from runner.report.diagnostics.report import CheckReport, summary
from runner.report.phrases import visible
from runner.report.text import render_text


def text(report: CheckReport, colour: bool) -> str:  # noqa: FBT001 - a Reporter
    """Each problem with its line, then the summary and the notes; nothing when nothing was checked."""
    if not report.checked:
        return ""
    lines = [summary(report), *map(visible, report.notes)]
    return render_text(report.diagnostics, colour=colour) + "".join(f"{line}\n" for line in lines)
