"""The language's structure: documents held against the published JSON Schemas."""

import json
from collections.abc import Iterator
from functools import cache
from typing import TYPE_CHECKING, Literal

from runner.diagnostics import Diagnostic, in_order
from runner.language.document import Document
from runner.language.schema import telling
from runner.language.schema.acceptance import Acceptance
from runner.language.schema.authored import check_authored
from runner.language.schema.budget import TooMuchToCheckError
from runner.language.schema.findings import Finding, findings
from runner.language.schema.mismatch import UnresolvableReferenceError
from runner.language.schema.ordinary import surely_fits
from runner.language.schema_files import schema_text
from runner.language.source import Path
from runner.spec import Json, JsonObject

if TYPE_CHECKING:
    from runner.language.schema.library import Checker

__all__ = ["CODES", "Finding", "Kind", "check", "mismatched", "problems"]

Kind = Literal["agent", "toolset", "project"]

# Of one value; nobody reads more, and finding all in a long list takes seconds.
MAX_PROBLEMS = 50

CODES = {
    "RUN201": "a key the language does not have",
    "RUN202": "a key that must be there is missing",
    "RUN203": "a value of the wrong type",
    "RUN204": "a value that is not one of those allowed",
    "RUN205": "a value outside its bounds",
    "RUN206": "a name or text of the wrong form",
    "RUN207": "keys that exclude each other",
    "RUN208": "a key that this version does not support",
    "RUN210": "a JSON Schema that is not well-formed",
    "RUN211": "a reference in a JSON Schema that cannot be followed",
    "RUN212": "a keyword JSON Schema does not have",
}


def check(document: Document, kind: Kind, *, partial: bool = False) -> list[Diagnostic]:
    """Everything in a document that the schema of its kind does not allow, in the order of the text.

    `partial` leaves out what has to be there in the end, for a document that others build on.
    """
    found: list[Finding] = []
    if not _acceptance(kind, partial=partial).accepts(document.data):
        found = findings(_checker(kind, partial=partial).mismatches(document.data), kind)
    told = {finding.at for finding in found}
    for path, schema in _authored(document.data, kind):
        authored = (finding.below(path) for finding in check_authored(schema))
        found.extend(finding for finding in authored if finding.at not in told)
    return in_order(_diagnostic(document, finding) for finding in found)


def problems(value: Json, schema: JsonObject, *, at: Path = ()) -> list[str]:
    """What of a value does not fit a JSON Schema that `check` has passed, a sentence each; empty when it fits.

    `at` is put before the places in the sentences: `city: expected text, found the number 3`.
    """
    found = _mismatched(value, schema)
    return [found] if isinstance(found, str) else [_sentence(finding.below(at)) for finding in found]


def mismatched(value: Json, schema: JsonObject) -> list[Finding]:
    """What of a value does not fit a JSON Schema that `check` has passed, with the places inside the value."""
    found = _mismatched(value, schema)
    return [Finding(code="RUN211", path=(), at=(), text=found)] if isinstance(found, str) else found


def _mismatched(value: Json, schema: JsonObject) -> list[Finding] | str:
    """The findings, or why there can be none."""
    try:
        if surely_fits(value, schema):
            return []
        return findings(telling.of_authored(schema).mismatches(value, most=MAX_PROBLEMS))
    except UnresolvableReferenceError as error:
        return f"the JSON Schema cannot be used: its reference '{error}' cannot be followed"
    except TooMuchToCheckError:
        return "this is too much to check: the JSON Schema allows the same value in too many ways"
    except OverflowError:  # `multipleOf` divides
        return "a number is too large to be checked"
    except RecursionError:  # the schema goes round in a circle that `check` does not see
        return "the JSON Schema cannot be used: it refers back to itself without end"


@cache
def _acceptance(kind: Kind, *, partial: bool) -> Acceptance:
    return Acceptance(_schema(kind, partial=partial))


@cache
def _checker(kind: Kind, *, partial: bool) -> "Checker":
    return telling.of_ours(_schema(kind, partial=partial))


def _schema(kind: Kind, *, partial: bool) -> JsonObject:
    schema: JsonObject = json.loads(schema_text(kind))
    if partial:
        # An agent's `then` is what must be there in the end; see its `$comment`.
        schema = {key: value for key, value in schema.items() if key not in ("if", "then")}
    return schema


def _authored(data: JsonObject, kind: Kind) -> Iterator[tuple[Path, JsonObject]]:
    """The JSON Schemas people write in a document, and where."""
    inputs = data.get("inputs") if kind == "agent" else None
    if isinstance(inputs, dict):
        for name, schema in inputs.items():
            if isinstance(schema, dict):
                yield ("inputs", name), schema
    if kind == "agent" and isinstance(data.get("output_schema"), dict):
        yield ("output_schema",), data["output_schema"]
    tools = data.get("tools") if kind != "project" else None
    for index, tool in enumerate(tools if isinstance(tools, list) else ()):
        if isinstance(tool, dict) and isinstance(tool.get("parameters"), dict):
            yield ("tools", index, "parameters"), tool["parameters"]


def _diagnostic(document: Document, finding: Finding) -> Diagnostic:
    return document.diagnostic(
        finding.code,
        finding.message,
        finding.at,
        key=finding.on_key,
        suggestion=finding.suggestion,
        severity="warning" if finding.warning else "error",
    )


def _sentence(finding: Finding) -> str:
    return f"{finding.message} ({finding.suggestion})" if finding.suggestion else finding.message
