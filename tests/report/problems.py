"""Problems to report, real ones and such as nobody would think of."""

from pathlib import Path

from hypothesis import strategies as st

from runner.diagnostics import Diagnostic, Location, Related, Severity, Span
from runner.language.codes import CODES
from runner.report.diagnostics.report import CheckReport

ROOT = Path("/repository")

TOOL = Diagnostic(
    code="RUN301",
    message="unknown tool 'get_wether'",
    location=Location(file="agents.d/a.yaml", span=Span(line=12, column=5, end_line=12, end_column=15)),
    suggestion="did you mean 'get_weather'?",
    related=(
        Related(
            message="declared",
            location=Location(file="tools.d/t.yaml", span=Span(line=5, column=11, end_line=5, end_column=22)),
        ),
    ),
    source="  - get_wether",
)
UNUSED = Diagnostic(
    code="RUN404",
    message="input 'x' is used in no template",
    location=Location(file="agents.d/b.yaml", span=Span(line=3, column=1, end_line=4, end_column=9)),
    severity="warning",
    source="x: {}",
)
EMPTY = Diagnostic(code="RUN105", message="file is empty", location=Location(file="agents.d/c d.yaml"))


def report(*diagnostics: Diagnostic, strict: bool = False, folder: Path = ROOT, ok: bool = False) -> CheckReport:
    checked = tuple(sorted({each.location.file for each in diagnostics} | {"agents.d/fine.yaml"}))
    return CheckReport(
        diagnostics=diagnostics, checked=checked, ok=ok, seconds=0.09, strict=strict, folder=folder, root=ROOT
    )


# Any character there is, halves of surrogate pairs and what stands for bytes that are no text included.
ANY_TEXT = st.text(st.characters(codec=None, exclude_categories=()), max_size=40)
FILES = ANY_TEXT.filter(lambda name: bool(name) and "\0" not in name)
NUMBERS = st.integers(1, 2**31)
SPANS = st.builds(
    lambda line, column, lines, columns: Span(
        line=line, column=column, end_line=line + lines, end_column=column + columns
    ),
    NUMBERS,
    NUMBERS,
    st.integers(0, 3),
    st.integers(0, 90),
)
LOCATIONS = st.builds(Location, file=FILES, span=st.none() | SPANS)
SEVERITIES: st.SearchStrategy[Severity] = st.sampled_from(["error", "warning"])
PROBLEMS = st.builds(
    Diagnostic,
    code=st.sampled_from(sorted(CODES)),
    message=ANY_TEXT,
    location=LOCATIONS,
    severity=SEVERITIES,
    suggestion=st.none() | ANY_TEXT,
    related=st.lists(st.builds(Related, message=ANY_TEXT, location=LOCATIONS), max_size=2).map(tuple),
    source=st.none() | ANY_TEXT,
)
REPORTS = st.builds(lambda found, strict: report(*found, strict=strict), st.lists(PROBLEMS, max_size=4), st.booleans())
