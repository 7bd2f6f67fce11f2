"""Which word of a template a mistake is about; the golden case `template-words` has the messages."""

import pytest

from runner.prompts import Mistake, read_template
from runner.prompts.sandbox import Sandbox


def mistakes(source: str) -> list[tuple[str, str]]:
    """The message of each mistake, and the words it is about."""
    return [(each.message, word(source, each)) for each in read_template(source).mistakes]


def word(source: str, mistake: Mistake) -> str:
    start, end = mistake.mark.place(source)
    return source[start:end] + f"@{start}"


@pytest.mark.parametrize(
    ("source", "block", "place"),
    [
        ("{% if a %}x", "if", 3),
        ("{% if a %}{% if b %}{% endif %}", "if", 3),
        ("{% if a %}{% endif %}\n{% for x in y %}\n{{ x }}\n", "for", 25),
        ("{% if a %}{% endif %}{% if b %}x", "if", 24),
        ("{{ 'if' }} if {#- if #}{%- if a -%}", "if", 27),
        ("{% macro m() %}{% set x = 1 %}", "macro", 3),
    ],
)
def test_a_block_without_an_end_is_told_where_it_begins(source: str, block: str, place: int) -> None:
    assert mistakes(source) == [(f"this '{block}' is never closed", f"{block}@{place}")]


@pytest.mark.parametrize(
    ("source", "tag", "meant"),
    [
        ("{% fr x in y %}{% endfor %}", "fr", "for"),
        ("{% if a %}{% endfi %}", "endfi", "endif"),
        ("{% for x in y %}{% endif %}", "endif", None),
        ("{% wholly %}", "wholly", None),
    ],
)
def test_an_unknown_tag_is_told_at_its_name(source: str, tag: str, meant: str | None) -> None:
    (mistake,) = read_template(source).mistakes
    assert word(source, mistake).startswith(f"{tag}@")
    assert mistake.suggestion is None or mistake.suggestion.startswith("did you mean")
    assert meant is None or mistake.suggestion == f"did you mean '{meant}'?"


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("{{ a | replace('x') }}", "filter 'replace': missing a required argument: 'new'"),
        ("{{ a | join(1, 2, 3) }}", "filter 'join': too many positional arguments"),
        ("{{ a | round(prec=1) }}", "filter 'round': got an unexpected keyword argument 'prec'"),
        ("{{ a is divisibleby }}", "test 'divisibleby': missing a required argument: 'num'"),
        ("{% filter replace('x') %}{% endfilter %}", "filter 'replace': missing a required argument: 'new'"),
    ],
)
def test_arguments_that_a_filter_does_not_take_are_a_mistake(source: str, message: str) -> None:
    ((found, place),) = mistakes(source)
    assert found == message
    assert place.startswith(message.split("'")[1])


@pytest.mark.parametrize(
    "source",
    [
        "{{ a | join(', ', attribute='x') | upper | default('x', true) | tojson(indent=2) | truncate(5, true, '…') }}",
        "{{ a | sort(reverse=true) | map(attribute='x') | map('upper') | list | length }}",
        "{{ a | selectattr('x', 'equalto', 1) | groupby('x') | dictsort(false, 'value') | batch(2, 'x') }}",
        "{{ a | replace(*b) }}{{ a | replace(**b) }}{{ a is divisibleby 3 }}{{ a is sameas(b) }}{{ a is in [1] }}",
        "{{ a | round(1, 'floor') | abs | int | float | string | trim | indent(2) | wordwrap(5) | sum(start=1) }}",
    ],
)
def test_arguments_that_are_taken_are_none(source: str) -> None:
    assert mistakes(source) == []


@pytest.mark.parametrize("role", ["filter", "test"])
def test_no_filter_or_test_has_too_many_arguments_when_it_has_none(role: str) -> None:
    sandbox = Sandbox()
    names = sandbox.filters if role == "filter" else sandbox.tests
    for name in names:
        if name.isidentifier():
            source = f"{{{{ a | {name} }}}}" if role == "filter" else f"{{{{ a is {name} }}}}"
            assert all("missing a required" in message for message, _ in mistakes(source)), name
