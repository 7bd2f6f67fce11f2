import time
from collections.abc import Mapping
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runner.prompts import FUNCTIONS, INPUT_ALONE, PromptError, cost, read_template, render, rendering
from runner.prompts.sandbox import Sandbox
from runner.spec import Json, Text
from tests.language.projects import Write

VALUES = {
    "name": "Bob",
    "user": {"address": "Elm St", "items": [1, 2]},
    "numbers": [1, 2, 3],
    "city": "北京 <b>&'\"",
    "nothing": None,
    "flag": True,
}


def rendered(source: str, values: Mapping[str, Json] = VALUES, folder: Path | None = None) -> str:
    return render(Text(value=source, origin="agent.yaml:12"), values, folder=folder)


def error(source: str, values: Mapping[str, Json] = VALUES, folder: Path | None = None) -> str:
    with pytest.raises(PromptError) as caught:
        rendered(source, values, folder)
    message = str(caught.value)
    assert "\n" not in message
    return message


# What people write


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("no template, 100% {braces} \n\n", "no template, 100% {braces} \n\n"),
        ("Hi {{ name }}!\n", "Hi Bob!\n"),
        ("{% if flag %}\nyes\n{% endif %}\nend\n", "yes\nend\n"),
        ("  {% for n in numbers %}\n  {{ n }}\n  {% endfor %}", "  1\n  2\n  3\n"),
        ("{% for k, v in {'a': 1, 'b': 2}.items() %}{{ k }};{% endfor %}", "a;b;"),
        (
            "{% for n in numbers %}{{ loop.index }}/{{ loop.length }}{{ ',' if not loop.last }}{% endfor %}",
            "1/3,2/3,3/3",
        ),
        ("{{ city }}", "北京 <b>&'\""),
        ("{{ name.upper() }} {{ name | lower }}", "BOB bob"),
        ("{{ user['address'] }} {{ user.get('x', 'none') }}", "Elm St none"),
        ("{{ numbers | join(', ') }} {{ 'a' ~ 1 ~ numbers }}", "1, 2, 3 a1[1, 2, 3]"),
        ("{{ [user] | map(attribute='address') | join }}", "Elm St"),
        ("{% set ns = namespace(n=0) %}{% for x in numbers %}{% set ns.n = ns.n + x %}{% endfor %}{{ ns.n }}", "6"),
        ("{% macro greet(who) %}Hi {{ who }}{% endmacro %}{{ greet('you') }}", "Hi you"),
        ("{{ '%s-%05.1f' | format('a', 2) }} {{ 'x' * 3 }} {{ 7 % 4 }}", "a-002.0 xxx 3"),
        ("{{ '{}' }}{# gone #}", "{}"),
    ],
)
def test_templates_are_jinja(source: str, text: str) -> None:
    assert rendered(source) == text


def test_keys_win_over_methods_of_the_same_name() -> None:
    assert rendered("{{ user.items }}") == "[1, 2]"


def test_tojson_keeps_every_character_and_the_order_of_keys() -> None:  # field bug B72
    assert rendered("{{ {'z': city, 'a': none} | tojson }}") == '{"z": "北京 <b>&\'\\"", "a": null}'
    assert rendered("{{ user.keys() | tojson }} {{ numbers | tojson(indent=1) }}") == (
        '["address", "items"] [\n 1,\n 2,\n 3\n]'
    )


def test_single_braces_and_percent_signs_are_text() -> None:  # field bug B104
    source = 'Return {"a": {"b": {{ name }}}} and write {% raw %}{{ lit }}{% endraw %} and 100%'

    assert rendered(source) == 'Return {"a": {"b": Bob}} and write {{ lit }} and 100%'


def test_braces_that_jinja_cannot_read_show_the_line() -> None:  # field bug B104
    assert error("one\n{{{name}}}") == "agent.yaml:13: expected token ':', got '}'"
    assert error('{{"a": 1}}').startswith("agent.yaml:12: ")


@pytest.mark.parametrize("value", ["{{ 7*7 }} {% raw %} {{ secret }} ${HOME}", "{{ x }}", "{% include 'a' %}", "{#"])
def test_data_is_never_rendered(value: str) -> None:  # field bug B102
    assert rendered("<{{ q }}|{{ q | upper }}>", {"q": value}) == f"<{value}|{value.upper()}>"


@given(value=st.text())
def test_any_text_comes_out_as_it_went_in(value: str) -> None:
    assert rendered("{{ q }}", {"q": value}) == value


# What is missing


def test_an_undefined_variable_names_the_one_that_was_meant() -> None:  # field bug B101
    assert error("a\nHi {{ nmae }}") == "agent.yaml:13: 'nmae' is not defined (did you mean 'name'?)"


def test_an_undefined_key_names_the_one_that_was_meant() -> None:  # field bug B101
    assert error("{{ user.adress }}") == "agent.yaml:12: there is no key 'adress' (did you mean 'address'?)"


def test_a_name_may_be_missing_where_the_template_says_so() -> None:  # field bug B101
    assert rendered("{% if x is defined %}..{% endif %}{{ y | default('z') }}{{ user.nick | default('?') }}") == "z?"


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("{{ numbers[7] }}", "there is no item 7 in a list of 3"),
        ("{{ user['x'] }}", "there is no key 'x'"),
        ("{{ name.replace('a', 'b') }}", "a text has no 'replace' (write '… | replace')"),
        ("{{ numbers.append(1) }}", "a list has no 'append'"),
        ("{{ nothing.x }}", "null has no 'x'"),
        ("{{ user.keys }}", "'keys' is a function and has no text; call it: keys(…)"),
        ("{{ nope | tojson }}", "'nope' is not defined"),
        ("{% for x in nope %}{% endfor %}", "'nope' is not defined"),
        ("{{ nope() }}", "'nope' is not defined"),
        ("{{ name() }}", "not callable"),
        ("{{ 1 / 0 }}", "division by zero"),
        ("{{ 'a' + 1 }}", "can only concatenate"),
        ("{{ name | uper }}", "No filter named 'uper'"),
        ("{% if flag %}", "expected 'elif' or 'else' or 'endif'"),
        ("{{ (numbers | first).real }}", "a number has no 'real'"),
    ],
)
def test_mistakes_are_one_line_with_the_place(source: str, words: str) -> None:
    message = error(source)

    assert message.startswith("agent.yaml:12: ")
    assert words.lower() in message.lower()


def test_a_template_without_a_known_place_is_told_as_such() -> None:
    with pytest.raises(PromptError, match=r"^template: 'x' is not defined"):
        render(Text(value="{{ x }}", origin=""), {})


# What must not be reached


@pytest.mark.parametrize(
    "source",
    [
        "{{ ''.__class__.__mro__ }}",
        "{{ cycler.__init__.__globals__ }}",
        "{{ '%s'.format.__self__ }}",
        "{{ name['__class__'] }}",
        "{{ name | attr('__class__') }}",
        "{{ user.clear() }}",
        "{{ user.pop('address') }}",
        "{{ numbers.append(4) }}",
        "{{ user | attr('clear') }}",
        "{{ [user] | map(attribute='__class__') | first }}",
        "{{ self.__init__.__globals__ }}",
        "{{ dict.mro() }}",
        "{{ dict.__subclasses__() }}",
        "{{ namespace.__init__ }}",
        "{{ lipsum.__globals__ }}",
        "{% set user.address = 1 %}",
        "{{ ().__class__ }}",
        "{{ (1).__class__ }}",
        "{{ '{0.__class__}'.format(1) }}",
        "{{ range.__class__ }}",
        "{% import 'os' as os %}",
    ],
)
def test_python_cannot_be_reached(source: str) -> None:  # field bug B103
    before = repr(VALUES)

    error(source)

    assert repr(VALUES) == before


class Tool:
    def fn(self) -> None:
        raise AssertionError("called from a template")


def test_only_json_values_go_into_a_template() -> None:  # field bug B103
    assert "a value of type Tool cannot be given" in error("{{ tool.fn() }}", {"tool": Tool()})
    assert "a value of type function cannot be given" in error("{{ f() }}", {"f": lambda: 1})


@pytest.mark.parametrize(
    "source",
    [
        "{{ range(10**9) | list }}",
        "{{ 'a' * 10**9 }}",
        "{{ 10**9 * 'a' }}",
        "{{ [0] * 10**9 }}",
        "{{ 9**99999 }}",
        "{{ '%1000000000d' % 1 }}",
        "{{ '%*d' % (10**9, 1) }}",
        "{{ '%1000000000d' | format(1) }}",
        "{{ 'a' | center(10**9) }}",
        "{{ 'a' | indent(10**9) }}",
        "{{ 'a\n' * 9 | indent('b' * 9999999) }}",
        "{{ [1] | batch(10**9, 'x') | list }}",
        "{{ [1] | slice(10**9) | list }}",
        "{{ 1 | round(10**9) }}",
        "{{ 'a' | replace('a', 'b' * 9999999) | replace('b', 'cc') }}",
        "{{ range(99999) | join('a' * 9999) }}",
        "{{ 1 | tojson(indent=10**9) }}",
        "{% for a in range(10**5) %}{% for b in range(10**5) %}{% endfor %}{% endfor %}",
        "{% for a in range(10**5) %}" + "x" * 200 + "{% endfor %}",
        "{% for a in range(10**5) %}{{ 'x' * 200 }}{% endfor %}",
        "{% set y %}{% for a in range(10**5) %}{{ 'x' * 200 }}{% endfor %}{% endset %}",
        "{% set x = 'aaaaaaaa' %}" + "{% set x = x ~ x %}" * 40,
        "{% set x = 'aaaaaaaa' %}" + "{% set x = x + x %}" * 40,
        "{% set x = [1] %}" + "{% set x = [x, x] %}" * 40 + "{{ x }}",
        "{% set x = [1] %}" + "{% set x = [x, x] %}" * 40 + "{{ x | tojson }}",
        "{% set x = [1] %}" + "{% set x = [x, x] %}" * 40 + "{{ x | string }}",
        "{% macro f(n) %}{{ f(n) }}{% endmacro %}{{ f(1) }}",
        "{% macro f(n) %}{% if n %}{{ f(n - 1) }}{{ f(n - 1) }}{% endif %}{% endmacro %}{{ f(60) }}",
        "{% for x in numbers recursive %}{{ loop(numbers) }}{% endfor %}",
        "{{ '" + "(" * 500 + "' }}{{ " + "(" * 3000 + "1" + ")" * 3000 + " }}",
    ],
)
def test_what_costs_too_much_is_refused_at_once(source: str) -> None:  # field bug B103
    started = time.monotonic()

    error(source)

    assert time.monotonic() - started < 20  # seconds at least without the bounds, mostly years


def test_a_large_honest_prompt_is_rendered() -> None:
    lines = [f"line {number}" for number in range(20_000)]

    text = rendered(
        "{% for line in lines %}{{ line }}\n{% endfor %}{{ book }}", {"lines": lines, "book": "x" * 2_000_000}
    )

    assert text == "".join(f"{line}\n" for line in lines) + "x" * 2_000_000


# Files


@pytest.fixture
def folder(project: Write) -> Path:
    root = project(
        {
            "agent/parts/tone.md": "Be {{ name }}.\n",
            "agent/parts/wrong.md": "fine\n{{ nope }}\n",
            "agent/parts/syntax.md": "fine\n{% if %}\n",
            "agent/parts/loop.md": "{% include 'parts/loop.md' %}",
            "agent/parts/bom.md": b"\xef\xbb\xbfcaf\xc3\xa9\r\nend",
            "agent/parts/latin.md": b"caf\xe9",
            "secret.txt": "secret",
        }
    )
    (root / "agent" / "link.md").symlink_to(root / "secret.txt")
    return root / "agent"


def test_files_of_the_agents_folder_are_included(folder: Path) -> None:
    assert rendered("{% include 'parts/tone.md' %}{% include 'x' ignore missing %}", folder=folder) == "Be Bob.\n"
    assert rendered("{% include 'parts/bom.md' %}", folder=folder) == "café\nend"


@pytest.mark.parametrize("name", ["/etc/passwd", "../secret.txt", "parts/../../secret.txt", "link.md", "a\\u0000b"])
def test_no_other_file_is_included(folder: Path, name: str) -> None:  # field bug B103
    assert "cannot include" in error(f"{{% include '{name}' %}}", folder=folder)


def test_without_a_folder_nothing_is_included() -> None:
    assert "belongs to no folder" in error("{% include 'parts/tone.md' %}")


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("parts/gone.md", "agent.yaml:12: included file 'parts/gone.md' not found (looked for "),
        ("parts/latin.md", "agent.yaml:12: included file 'parts/latin.md' is not UTF-8 text (byte 4)"),
        ("parts/wrong.md", "parts/wrong.md:2: 'nope' is not defined"),
        ("parts/syntax.md", "parts/syntax.md:2: expected an expression, got 'end of statement block'"),
        ("parts/loop.md", "agent.yaml:12: includes or macros of this template call themselves without end"),
    ],
)
def test_what_is_wrong_with_an_included_file_is_told_with_its_place(folder: Path, name: str, message: str) -> None:
    assert error(f"{{% include '{name}' %}}", folder=folder).startswith(message)


# Reading without rendering


def variables(source: str) -> list[str]:
    return [mark.text for mark in read_template(source).variables]


@pytest.mark.parametrize(
    ("source", "names"),
    [
        ("nothing", []),
        ("{{ a }} {{ b.c }} {{ a }}", ["a", "b", "a"]),
        ("{% for a in b %}{{ a }}{{ loop.index }}{% endfor %}", ["b"]),
        ("{% set a = 1 %}{{ a }}", []),
        ("{% if a is defined %}{{ a }}{% endif %}", []),
        ("{{ a | default('x') }} {{ a }}", ["a"]),
        ("{{ f(x, key=y) }} {{ range(3) }}", ["f", "x", "y"]),
        ("{% macro m(p) %}{{ p }}{{ q }}{% endmacro %}{{ m(r) }}", ["q", "r"]),
        ("{% raw %}{{ a }}{% endraw %}{# {{ b }} #}", []),
    ],
)
def test_the_names_that_need_a_value(source: str, names: list[str]) -> None:
    assert variables(source) == names


def test_each_use_of_a_name_has_its_own_place() -> None:
    source = "city: {{ city }}\n{{ x.city }} {{ city | f }} {{ d(city=city) }}\n{% set x = city %}"

    places = [mark.place(source) for mark in read_template(source).variables if mark.text == "city"]

    assert [source[start:end] for start, end in places] == ["city"] * 4
    assert [start for start, _ in places] == [9, source.index("city |"), source.index("city)"), source.index("city %")]


def test_mistakes_are_found_together() -> None:
    reading = read_template("{{ a | uper }} {{ b is definde }} {{ c.__class__ }} {% include d %}")

    assert [(each.kind, each.suggestion) for each in reading.mistakes] == [
        ("name", "did you mean 'upper'?"),
        ("name", "did you mean 'defined'?"),
        ("hidden", None),
        ("include", "write {% include 'file.md' %}"),
    ]
    assert [mark.text for mark in reading.variables] == ["a", "b", "c", "d"]


def test_looks_into_values_are_found_with_their_names() -> None:
    reading = read_template("{{ user.a.b }} {{ user['c'] }} {{ user.d() }} {{ user.e | default('') }} {{ f().g }}")

    assert {access.names for access in reading.accesses} == {("user", "a"), ("user", "a", "b"), ("user", "c")}


@given(source=st.text(alphabet="{}%# abx.|()'\"\n-=_[],~", max_size=60))
def test_any_text_can_be_read_and_what_reads_well_compiles(source: str) -> None:
    reading = read_template(source)
    for mistake in reading.mistakes:
        start, end = mistake.mark.place(source)
        assert 0 <= start <= end <= len(source)
    for mark in reading.variables:
        start, end = mark.place(source)
        assert mark.text in source[start:end]
    try:
        rendered(source, {"a": "1", "b": {"x": 2}, "x": [3]})
    except PromptError as refused:
        assert str(refused)  # noqa: PT017 - any message will do, anything else that is raised will not
    else:
        assert not [mistake for mistake in reading.mistakes if mistake.kind == "syntax"]


def test_a_number_too_long_for_python_is_a_mistake_of_the_template() -> None:
    (mistake,) = read_template("{{ " + "9" * 5_000 + " }}").mistakes

    assert mistake.message == "a number in this template is too long"
    with pytest.raises(PromptError):
        render(Text(value="{{ " + "9" * 5_000 + " }}", origin="a.yaml:1"), {})


# -- without Jinja ----------------------------------------------------------------------------------------------------


def test_the_functions_of_templates_are_those_that_jinja_has() -> None:
    assert frozenset(Sandbox().globals) == FUNCTIONS


@pytest.mark.parametrize("text", ["Hi", "", "{{ input }}\n", "{% if %}", "\x00 é \n"])
def test_a_prompt_that_is_the_text_of_the_run_is_that_text(text: str) -> None:
    prompt = Text(value=INPUT_ALONE, origin="a.yaml:1")

    assert render(prompt, {"input": text, "days": 3}) == rendering.render(prompt, {"input": text, "days": 3}) == text


@pytest.mark.parametrize(
    ("variables", "message"),
    [
        ({}, "a.yaml:1: 'input' is not defined"),
        ({"input": "x" * (cost.MAX_CHARS + 1)}, "a.yaml:1: this would make a text of more than 10,000,000 characters"),
        ({"input": "x", "day": object()}, "a.yaml:1: a value of type object cannot be given to a template"),
    ],
)
def test_a_prompt_that_is_the_text_of_the_run_is_refused_like_any_other(
    variables: dict[str, Json], message: str
) -> None:
    with pytest.raises(PromptError) as raised:
        render(Text(value=INPUT_ALONE, origin="a.yaml:1"), variables)

    assert str(raised.value).startswith(message)
