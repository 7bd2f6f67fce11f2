"""The arguments in examples are held against the parameters that tools declare."""

from runner.diagnostics import Diagnostic
from runner.language.schema import mismatched
from runner.language.validation import validate_paths
from tests.language.projects import Write

URL = "https://a.example/?city={{ city }}&days={{ days }}"
PARAMETERS = "{type: object, properties: {city: {type: string}, days: {type: integer}}, required: [city]}"


def found(project: Write, arguments: str, parameters: str = PARAMETERS) -> list[Diagnostic]:
    project(
        {
            "agents.d/a.yaml": f"""
                name: a
                model: openai/x
                prompt: hi
                tools: [{{name: t, type: http, url: "{URL}", parameters: {parameters}}}]
                examples: [{{user: u, calls: [{{tool: t, {arguments} result: r}}], answer: a}}]
            """
        }
    )
    return [each for each in validate_paths([]).diagnostics if each.code == "RUN509"]


def places(diagnostics: list[Diagnostic]) -> list[str]:
    return [each.source[span.column - 1 :] for each in diagnostics if (span := each.location.span) and each.source]


def test_arguments_that_fit_are_no_news(project: Write) -> None:
    assert found(project, "arguments: {city: Oslo, days: 2, more: 1},") == []


def test_each_argument_that_does_not_fit_is_marked_where_it_is_written(project: Write) -> None:
    wrong = found(project, "arguments: {city: 3, days: two},")

    assert [each.message.partition("'t': ")[2] for each in wrong] == [
        "city: expected text, found the number 3",
        "days: expected a whole number, found the text 'two'",
    ]
    assert [place.partition(",")[0].partition("}")[0] for place in places(wrong)] == ["3", "two"]


def test_a_missing_argument_is_marked_at_the_arguments_or_at_the_call_without_any(project: Write) -> None:
    (of_arguments,) = found(project, "arguments: {days: 2},")
    (of_call,) = found(project, "")

    assert of_arguments.message == of_call.message == "the arguments of this example do not fit 't': missing key 'city'"
    assert places([of_arguments, of_call])[0].startswith("arguments: {days")
    assert places([of_arguments, of_call])[1].startswith("t, ")


def test_a_name_that_is_not_declared_is_an_error_only_where_no_other_is_allowed(project: Write) -> None:
    closed = PARAMETERS[:-1] + ", additionalProperties: false}"

    (wrong,) = found(project, "arguments: {city: Oslo, dayz: 1},", closed)

    assert (wrong.suggestion, places([wrong])[0][:4]) == ("did you mean 'days'?", "dayz")
    assert wrong.severity == "error"
    (likely,) = found(project, "arguments: {city: Oslo, dayz: 1},")
    assert (likely.severity, likely.suggestion) == ("warning", "did you mean 'days'?")
    assert found(project, "arguments: {city: Oslo, wind: 1},") == []


def test_parameters_that_are_no_sound_schema_say_nothing_about_examples(project: Write) -> None:
    assert found(project, "arguments: {},", "{type: object, properties: {city: {type: txt}}, required: [city]}") == []


def test_a_schema_that_cannot_be_used_is_one_finding_about_the_whole() -> None:
    schema = {"properties": {"a": {"$ref": "#/$defs/none"}}}

    (finding,) = mismatched({"a": 1}, schema)

    assert (finding.path, finding.at) == ((), ())
    assert finding.message.startswith("the JSON Schema cannot be used: its reference '/$defs/none'")
