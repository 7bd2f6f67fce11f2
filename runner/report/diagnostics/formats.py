"""Every form of a report on a validation, by the name that `--format` gives it."""

from runner.report.diagnostics.document import document
from runner.report.diagnostics.github import github
from runner.report.diagnostics.gitlab import gitlab
from runner.report.diagnostics.junit import junit
from runner.report.diagnostics.report import Reporter
from runner.report.diagnostics.sarif import sarif
from runner.report.diagnostics.text import text

FORMATS: dict[str, Reporter] = {
    "text": text,
    "json": document,
    "sarif": sarif,
    "github": github,
    "junit": junit,
    "gitlab": gitlab,
}
