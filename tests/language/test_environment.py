import json
from collections.abc import Mapping
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runner.environment import (
    Malformed,
    Secrets,
    Variable,
    VariableError,
    expand,
    expand_json,
    expand_model,
    parse,
)
from runner.spec import Json, ModelSpec, Text

ENVIRON = {"TOKEN": "s3cret-token", "EMPTY": "", "HOST": "example.org"}


def expanded(value: str, environ: Mapping[str, str] = ENVIRON) -> Json:
    return expand(Text(value=value, origin="agent.yaml:12"), environ).value


def error(value: str, environ: Mapping[str, str] = ENVIRON) -> str:
    with pytest.raises(VariableError) as caught:
        expanded(value, environ)
    return str(caught.value)


@pytest.mark.parametrize(
    ("value", "result"),
    [
        ("plain $HOME {x} $", "plain $HOME {x} $"),
        ("Bearer ${TOKEN}", "Bearer s3cret-token"),
        ("${HOST}:${PORT:-80}", "example.org:80"),
        ("${EMPTY}", ""),
        ("${EMPTY:-default}", "default"),
        ("${NONE:-}", ""),
        ("${NONE:-a b: #c}", "a b: #c"),
        ("${TOKEN:?needed}", "s3cret-token"),
        ("$${TOKEN} and $${", "${TOKEN} and ${"),
        ("$$${TOKEN}", "$${TOKEN}"),
        ("", ""),
    ],
)
def test_variables_are_filled_in(value: str, result: str) -> None:
    assert expanded(value) == result


def test_an_unset_variable_says_where_and_how() -> None:  # field bug B88
    assert error("Bearer ${NOPE}") == (
        "agent.yaml:12: environment variable NOPE is not set; set it, or give a default: ${NOPE:-…}"
    )


def test_the_line_is_the_variables_own() -> None:
    assert error("a\nb ${NOPE}").startswith("agent.yaml:13: ")


def test_a_message_of_the_author_is_told_for_unset_and_empty_ones() -> None:
    assert error("${NOPE:?ask the admin}") == "agent.yaml:12: ask the admin ($NOPE)"
    assert error("${EMPTY:?}") == "agent.yaml:12: EMPTY is needed ($EMPTY)"


@pytest.mark.parametrize("value", ["x\ntools: []", "a: b #c", "{{x}}", "${TOKEN}", "'\"%", "北京\u2028"])
def test_a_value_lands_whole_in_its_text(value: str) -> None:  # field bug B90
    assert expanded("<${V}>", {"V": value, "TOKEN": "t"}) == f"<{value}>"


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ("a ${KEY", "is not closed"),
        ("${}", "'' is not the name"),
        ("${1X}", "'1X' is not the name"),
        ("${ KEY }", "' KEY ' is not the name"),
        ("${KEY:=x}", "':=x' after the name KEY"),
        ("${KEY-x}", "'-x' after the name KEY"),
        ("${KEY:-${OTHER}}", "inside of another"),
    ],
)
def test_what_is_none_of_the_forms_is_told_with_the_forms(value: str, words: str) -> None:
    (found,) = [part for part in parse(value) if isinstance(part, Malformed)]

    assert words in found.message
    assert "${NAME:-default}" in found.suggestion
    assert value[found.start :].startswith("${")
    assert words in error(value)


def test_all_mistakes_of_a_text_are_found() -> None:
    parts = parse("${1} ${A} ${2} x ${")

    assert [type(part) for part in parts if not isinstance(part, str)] == [Malformed, Variable, Malformed, Malformed]


@given(value=st.text(alphabet="${}:-?ABa1 \n", max_size=40))
def test_any_text_is_parsed_into_pieces_that_cover_it(value: str) -> None:
    position = 0
    for part in parse(value):
        if isinstance(part, str):
            assert part.replace("${", "") in value
        else:
            assert position <= part.start < part.end <= len(value)
            assert value[part.start : part.start + 2] == "${"
            position = part.end


@given(value=st.text())
def test_a_text_without_variables_is_unchanged(value: str) -> None:
    assert expanded(value.replace("${", "")) == value.replace("${", "")


def test_only_what_came_from_the_environment_is_secret() -> None:
    found = expand(Text(value="${TOKEN} ${NONE:-default} ${EMPTY:-default} ${HOST}", origin="a:1"), ENVIRON)

    assert found.secrets == {"s3cret-token", "example.org"}


def test_json_is_filled_in_at_every_depth() -> None:
    found = expand_json({"a": ["${TOKEN}", 1, None, {"${TOKEN}": "${HOST}"}]}, "a:1", ENVIRON)

    assert found.value == {"a": ["s3cret-token", 1, None, {"${TOKEN}": "example.org"}]}
    assert found.secrets == {"s3cret-token", "example.org"}


def test_a_model_is_filled_in_and_its_name_is_no_secret() -> None:
    model = ModelSpec(
        name="openai/${NAME}",
        api_base=Text(value="${BASE:-}", origin="a.yaml:3"),
        api_key=Text(value="${TOKEN}", origin="a.yaml:4"),
        params={"user": "${HOST}"},
        origin="a.yaml:2",
    )

    found, secrets = expand_model(model, {**ENVIRON, "NAME": "gpt-5-mini"})

    assert found.name == "openai/gpt-5-mini"
    assert found.api_base is None
    assert found.api_key == Text(value="s3cret-token", origin="a.yaml:4")
    assert found.params == {"user": "example.org"}
    assert secrets.values == {"s3cret-token", "example.org"}


def test_a_models_unset_key_is_told_with_its_line() -> None:
    model = ModelSpec(name="openai/x", api_key=Text(value="${NOPE}", origin="a.yaml:4"), origin="a.yaml:2")

    with pytest.raises(VariableError, match=r"^a\.yaml:4: environment variable NOPE is not set"):
        expand_model(model, {})


@pytest.mark.parametrize("value", ["", " \n"])
def test_a_models_empty_key_is_none(value: str) -> None:
    model = ModelSpec(name="openai/x", api_key=Text(value="${MY_KEY}", origin="a.yaml:4"))

    with pytest.raises(VariableError) as caught:
        expand_model(model, {"MY_KEY": value})

    hint = "set it, or write ${MY_KEY:-} if there need be no key"
    assert str(caught.value) == f"a.yaml:4: environment variable MY_KEY is empty; {hint}"


def test_a_key_that_may_be_lacking_is_left_out() -> None:
    model = ModelSpec(name="openai/x", api_key=Text(value="${MY_KEY:-}", origin="a.yaml:4"))

    assert expand_model(model, {"MY_KEY": ""})[0].api_key is None


def test_secrets_are_masked_as_they_are_and_as_they_are_quoted() -> None:
    secret = 'p@ss "wörd"/x'

    text = f"{secret} | {quote(secret, safe='')} | {json.dumps(secret)} | {json.dumps(secret, ensure_ascii=False)}"

    assert Secrets([secret]).mask(text) == '*** | *** | "***" | "***"'


def test_the_longest_secret_is_masked_first() -> None:
    assert Secrets(["secret", "secret-token"]).mask("a secret-token b secret c") == "a *** b *** c"


def test_values_too_short_to_be_secrets_garble_nothing() -> None:
    assert Secrets(["1", "dev", ""]).mask("1 dev day") == "1 dev day"
    assert Secrets().mask("anything") == "anything"


@given(secret=st.text(min_size=4, max_size=20), before=st.text(max_size=5), after=st.text(max_size=5))
def test_a_secret_never_survives(secret: str, before: str, after: str) -> None:
    masked = Secrets([secret]).mask(f"{before}{secret}{after}")

    assert secret not in masked or secret in f"{before}***{after}"


def test_half_a_secret_where_a_text_was_cut_is_not_shown() -> None:
    secrets = Secrets(["sk-0123456789abcdef"])

    assert (
        secrets.mask_cut("key sk-0123456… [cut: 14 of 90 characters shown]") == "key … [cut: 14 of 90 characters shown]"
    )
    assert secrets.mask_cut("all is well… [cut: 11 of 90 characters shown]").startswith("all is well…")
    assert secrets.mask_cut("key sk-0123456789abcdef") == "key ***"
