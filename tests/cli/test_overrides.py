import json
import math
from contextlib import suppress

import click
import pytest
from hypothesis import given
from hypothesis import strategies as st

from runner.cli.overrides import Dollars, Duration, assignment, overrides
from runner.language.overrides import Override
from runner.spec import Json
from tests.cli.fakes import Invoke

FINITE: st.SearchStrategy[Json] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=10,
)


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("5", 5),
        ("0.5", 0.5),
        ("1e3", 1000.0),
        ("true", True),
        ("yes", "yes"),
        ("null", None),
        ("", None),
        ("010", 10),
        ("1:20", "1:20"),
        ("2m", "2m"),
        ("openai/gpt-5", "openai/gpt-5"),
        ("a = b # c: d", "a = b # c: d"),
        ("'5'", "5"),
        ("'it''s'", "it's"),
        ('"5\\n"', "5\n"),
        ('["a", 1]', ["a", 1]),
        (' {"a": {"b": null}} ', {"a": {"b": None}}),
        ("北京", "北京"),
    ],
)
def test_a_value_is_a_yaml_scalar_or_json(written: str, value: Json) -> None:
    found = assignment(f"inputs.city={written}")
    assert found == Override(option="--set inputs.city", data={"inputs": {"city": value}})


@given(FINITE)
def test_any_json_text_list_or_mapping_reads_back(value: Json) -> None:
    if isinstance(value, str | list | dict):
        assert assignment(f"x={json.dumps(value)}").data == {"x": value}


@given(st.text())
def test_any_text_is_an_assignment_or_a_usage_error(text: str) -> None:
    for given_text in (text, f"a.b={text}"):
        with suppress(click.UsageError):
            json.dumps(assignment(given_text).data, allow_nan=False)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("limits", "--set: expected path=value, such as limits.max_steps=5, found 'limits'"),
        ("=5", "--set: expected path=value"),
        ("limits..max_steps=5", "--set: expected path=value"),
        (".=5", "--set: expected path=value"),
        ("a=[1", "--set a: the value is not JSON: "),
        ("a={b: 1}", "--set a: the value is not JSON: "),
        ("a=[NaN]", "NaN is a number that JSON does not have"),
        ("a=[1e999]", "1e999 is a number that JSON does not have"),
        ("a=1e999", "--set a: 1e999 is a number that JSON cannot hold"),
        ("a=.inf", "--set a: .inf is a number that JSON cannot hold"),
        ("a=" + "[" * 101 + "]" * 101, "--set a: the value is nested deeper than 100 levels"),
        ("a=" + "[" * 100_000, "--set a: the value is not JSON: "),
        ("a=" + "[" * 100_000 + "]" * 100_000, "--set a: the value is not JSON: nested too deep"),
        (".".join("a" * 101) + "=5", "has more than 100 keys"),
    ],
)
def test_a_malformed_assignment_is_a_usage_error(text: str, problem: str) -> None:
    with pytest.raises(click.UsageError) as caught:
        assignment(text)
    assert problem in caught.value.message
    assert len(caught.value.message) < 300


def test_options_of_their_own_win_over_set_and_keep_their_names() -> None:
    found = overrides(
        assignments=["limits.max_steps=9", "model=openai/x"],
        model="openai/y",
        max_steps=3,
        timeout="30s",
        max_cost=0.0,
    )
    assert [(each.option, each.data) for each in found] == [
        ("--set limits.max_steps", {"limits": {"max_steps": 9}}),
        ("--set model", {"model": "openai/x"}),
        ("--model", {"model": "openai/y"}),
        ("--max-steps", {"limits": {"max_steps": 3}}),
        ("--timeout", {"limits": {"timeout": "30s"}}),
        ("--max-cost", {"limits": {"max_cost": 0.0}}),
    ]


def test_what_is_not_given_overrides_nothing() -> None:
    assert overrides(assignments=[], model=None) == []


@pytest.mark.parametrize(("text", "value"), [("30", 30.0), ("30s", "30s"), ("1.5m", "1.5m"), ("500ms", "500ms")])
def test_times_are_written_as_in_yaml(text: str, value: str | float) -> None:
    assert Duration().convert(text, None, None) == value


@pytest.mark.parametrize(("text", "value"), [("0.10", 0.1), ("1", 1.0), ("0", 0.0), ("1e-3", 0.001)])
def test_money_is_a_number_of_dollars(text: str, value: float) -> None:
    assert math.isclose(Dollars().convert(text, None, None), value)


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (["--max-steps", "0"], "Invalid value for '--max-steps'"),
        (["--max-steps", "many"], "Invalid value for '--max-steps'"),
        (["--max-steps", "9" * 5_000], "Invalid value for '--max-steps'"),
        (["--timeout", "5 min"], "Invalid value for '--timeout': expected a number of seconds or a text like 500ms"),
        (["--timeout", "-5"], "Invalid value for '--timeout': expected more than 0 seconds, found -5"),
        (["--timeout", "0s"], "Invalid value for '--timeout': expected more than 0 seconds, found 0s"),
        (["--timeout", ""], "Invalid value for '--timeout': expected a number of seconds"),
        (["--timeout", "true"], "Invalid value for '--timeout': expected a number of seconds"),
        (["--timeout", ".nan"], "Invalid value for '--timeout': expected more than 0 seconds"),
        (["--max-cost", "-1"], "Invalid value for '--max-cost': expected dollars such as 0.10, found '-1'"),
        (["--max-cost", "$1"], "Invalid value for '--max-cost': expected dollars"),
        (["--max-cost", ".inf"], "Invalid value for '--max-cost': expected dollars"),
        (["--max-cost", "true"], "Invalid value for '--max-cost': expected dollars"),
        (["--set", "max_steps"], "--set: expected path=value"),
    ],
)
def test_a_wrong_option_is_a_usage_error_in_two_lines(
    invoke: Invoke, tmp_path_factory: pytest.TempPathFactory, arguments: list[str], problem: str
) -> None:
    agent = tmp_path_factory.getbasetemp() / "agent.yaml"
    agent.write_text("name: a\nmodel: openai/x\nprompt: hi\n")
    code, out, err = invoke("run", str(agent), *arguments)
    assert (code, out) == (2, "")
    assert err.startswith(f"error: {problem}")
    assert len(err.splitlines()) == 2
