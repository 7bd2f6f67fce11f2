"""The rules about how replies are read: protocols, labels and structured answers."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runner.diagnostics import Diagnostic
from runner.language.compiler import compile_agent
from tests.language.projects import Write

HEAD = 'name: a\nprompt: "{{ input }}"\n'
MODEL = "model: openai/x\n"
GOOD_CALL = r"^DO (?P<name>[\w-]+) (?P<arguments>\{.*\})$"
GOOD_ANSWER = "(?s)^SAY (?P<answer>.*)"


def found(root: Path, text: str) -> tuple[Diagnostic, ...]:
    path = root / "a.yaml"
    head = HEAD if "model:" in text else HEAD + MODEL
    path.write_text(head + text, encoding="utf-8")
    return compile_agent(path, display="a.yaml").diagnostics


def told(root: Path, text: str) -> list[tuple[str, str, str]]:
    return [(str(each.location), each.code, each.severity) for each in found(root, text)]


def model(capabilities: str) -> str:
    """A model on the third line."""
    return f"model: {{name: openai/x, capabilities: {capabilities}}}\n"


def quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def protocol(*, call: str = GOOD_CALL, answer: str = GOOD_ANSWER, more: str = "") -> str:
    return (
        "tools: [calculator, current_time]\n"
        "parsing:\n  mode: text\n  instructions: Use them.\n"
        f"  call: {quoted(call)}\n  answer: {quoted(answer)}\n{more}"
    )


# mode text


def test_a_protocol_that_works_is_passed_in_silence(project: Write) -> None:
    assert told(project({}), protocol()) == []


@pytest.mark.parametrize(
    ("written", "place"),
    [
        # As the file shows it: the first character of what cannot be used.
        (r"""  call: ^DO (?P<name>\w+)(?=x) (?P<arguments>.*)""", "a.yaml:7:26"),
        (r"""  call: '^DO (?P<name>\w+)(?=x) (?P<arguments>.*)'""", "a.yaml:7:27"),
        (r"""  call: "^DO \u4f60(?P<name>\\w+)(?=x) (?P<arguments>.*)" """, "a.yaml:7:34"),
        ("  call: |-\n    ^DO (?P<name>a)\n    (?=x)(?P<arguments>.*)", "a.yaml:9:5"),
        ("  call: >-\n    ^DO\n    (?P<name>a) (?P<arguments>(?=x).*)", "a.yaml:9:31"),
    ],
)
def test_what_a_pattern_cannot_have_is_told_at_its_character(written: str, place: str, project: Write) -> None:
    head = "parsing:\n  mode: text\n  instructions: Use them.\n"

    (problem,) = found(project({}), f"{head}{written}\n  answer: {json.dumps(GOOD_ANSWER)}\n")

    assert (str(problem.location), problem.code, problem.severity) == (place, "RUN620", "error")
    assert problem.message.startswith("parsing.call: lookahead")
    assert problem.location.span is not None
    assert problem.source is not None
    assert problem.source[problem.location.span.column - 1] == "("


def test_a_pattern_without_its_group_is_an_error_and_one_without_arguments_a_warning(project: Write) -> None:
    root = project({})

    assert told(root, protocol(call=r"DO (\w+)")) == [("a.yaml:8:9", "RUN620", "error")]
    assert told(root, protocol(call=r"DO (?P<name>\w+)")) == [("a.yaml:8:9", "RUN621", "warning")]
    assert told(root, protocol(call=r"DO (?P<name>\w+)", more="  arguments: none\n")) == []
    unread = r"DO (?P<name>[\w-]+)(?P<arguments>.*)"
    assert told(root, protocol(call=unread, more="  arguments: none\n")) == [("a.yaml:10:14", "RUN621", "warning")]


def test_a_pattern_that_cuts_the_name_of_a_tool_is_an_error(project: Write) -> None:
    text = protocol(call=r"DO (?P<name>[a-z]+).*?(?P<arguments>\{.*\})")

    (problem,) = found(project({}), text)

    assert problem.code == "RUN620"
    assert "'current_time'" in problem.message


def test_a_pattern_in_a_base_is_told_in_the_base(project: Write) -> None:
    root = project({"base.yaml": protocol(call="DO (?P<name>x")})

    (problem,) = found(root, "extends: base.yaml\n")

    assert str(problem.location).startswith("base.yaml:5:")
    assert problem.code == "RUN620"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("patterns")


PATTERNS = st.one_of(
    st.text(st.characters(exclude_categories=("Cs", "Cc")), min_size=1, max_size=30),
    st.lists(
        st.sampled_from(["(?P<name>", "(?P<arguments>", "(?P<answer>", "(?=", "(?i)", ")", "[", "]", "a{2,9}", r"\w+"]),
        min_size=1,
        max_size=8,
    ).map("".join),
)


@given(call=PATTERNS, answer=PATTERNS, style=st.sampled_from(["json", "pairs", "none"]))
def test_any_patterns_are_used_or_told_at_a_place_in_the_file(folder: Path, call: str, answer: str, style: str) -> None:
    for problem in found(folder, protocol(call=call, answer=answer, more=f"  arguments: {style}\n")):
        assert problem.code in ("RUN620", "RUN621")
        assert problem.location.span is not None
        assert problem.location.span.line in (8, 9, 10)


# templates of a protocol


def test_templates_of_a_protocol_have_names_of_their_own_and_not_the_inputs(project: Write) -> None:
    root = project({"part.md": "{{ tools }}{{ city }}{% set own = 1 %}{{ own }}"})
    text = (
        "inputs: {city: {type: string, default: Oslo}}\ninstructions: '{{ city }} {{ input }} {{ tools }}'\n"
        + protocol(more="  result: '{{ name }}{{ arguments }}{{ result }}{{ input }}{{ tools }}'\n").replace(
            "Use them.", "'{% for tool in tools %}{{ tool.name }}{% endfor %}{% include \"part.md\" %}'"
        )
    )

    messages = [(str(each.location), each.message.partition("'")[2]) for each in found(root, text)]

    assert messages == [
        ("a.yaml:5:42", "tools' is not declared in inputs"),
        ("a.yaml:12:52", "input' is not known here; a template of the protocol has only arguments, name, result"),
        ("a.yaml:12:63", "tools' is not known here; a template of the protocol has only arguments, name, result"),
        ("part.md:1:15", "city' is not known here; a template of the protocol has only tools"),
    ]


def test_a_file_included_by_the_prompt_and_by_the_protocol_is_held_to_both(project: Write) -> None:
    root = project({"part.md": "{{ city }}"})
    text = (
        "inputs: {city: {type: string, default: Oslo}}\ninstructions: '{% include \"part.md\" %}'\n"
        + protocol().replace("Use them.", "'{% include \"part.md\" %}'")
    )

    assert told(root, text) == [("part.md:1:4", "RUN402", "error")]


def test_a_protocol_may_be_checked_in_a_base_whose_inputs_are_not_known_yet(project: Write) -> None:
    root = project({"a.yaml": HEAD + "extends: base.yaml\n"})
    (root / "base.yaml").write_text(protocol().replace("Use them.", "'{{ tool }}'"), encoding="utf-8")

    assert told(root, "extends: base.yaml\n") == [("base.yaml:4:21", "RUN402", "error")]


def test_dollar_signs_in_a_protocol_are_no_variables_of_the_environment(project: Write) -> None:
    text = protocol(call=r"^DO (?P<name>[\w-]+) (?P<arguments>\{.*\})${END}?$").replace("Use them.", "Cost: ${X}")

    assert "RUN802" not in {code for _, code, _ in told(project({}), text)}


# mode react


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({}, None),
        ({"observation": "Result:"}, "without a colon"),
        ({"action": "思考"}, "'思考' is the one of thought already"),
        ({"action_input": "a_ction"}, "'a_ction' is the one of action already"),
        ({"thought": " "}, "must be one line of text"),
    ],
)
def test_labels_can_be_told_apart(changed: dict[str, str], words: str | None, project: Write) -> None:
    own = {"thought": "思考", "action": "Action", "action_input": "入力", "observation": "結果", "final_answer": "答え"}
    written = json.dumps({"mode": "react", "labels": {**own, **changed}}, ensure_ascii=False)

    problems = found(project({}), f"parsing: {written}\n")

    assert [each.code for each in problems] == ["RUN622"] * (words is not None)
    assert words is None or words in problems[0].message


# structured answers


@pytest.mark.parametrize(
    ("parsing", "capabilities", "taken"),
    [
        ("native", "{}", True),
        ("auto", "{}", True),
        ("{max_retries: 1}", "{}", True),
        ("auto", "{function_calling: false}", False),
        ("json", "{}", False),
        ("react", "{}", False),
    ],
)
def test_the_name_of_the_answers_tool_is_taken_where_a_mode_may_use_it(
    parsing: str, capabilities: str, *, taken: bool, project: Write
) -> None:
    root = project(
        {
            "tools.d/t.yaml": "kind: toolset\ntools: [{name: final_answer, type: python, function: 'f:f'}]\n",
            "tools.d/f.py": "def f() -> str: ...\n",
        }
    )
    text = f"{model(capabilities)}tools: [final_answer]\nparsing: {parsing}\n"

    assert [code for _, code, _ in told(root, text)] == []
    assert [code for _, code, _ in told(root, f"{text}output_schema: {{}}\n")] == ["RUN623"] * taken


def test_a_tool_whose_result_is_the_answer_goes_past_the_schema(project: Write) -> None:
    root = project({"f.py": "def f() -> str: ...\n"})
    tool = "tools: [{name: f, type: python, function: 'f:f', return_direct: true}]\n"

    assert told(root, tool) == []
    (problem,) = found(root, f"{tool}output_schema: {{type: string}}\n")

    assert (problem.code, str(problem.location)) == ("RUN624", "a.yaml:4:9")
    assert str(problem.related[0].location) == "a.yaml:4:50"


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        ('\'{"city": "京都"}\'', None),
        ("'{{ input }}'", None),
        ("It is Oslo.", "it is not JSON"),
        ("'{\"city\": NaN}'", "city: expected text"),
        ("'{\"city\": 3}'", "city: expected text, found the number 3"),
        (f"'{'[' * 5000}'", "it is not JSON"),
    ],
)
def test_the_answers_of_examples_fit_the_schema_of_answers(answer: str, words: str | None, project: Write) -> None:
    root = project({})
    example = f"examples: [{{user: Where?, answer: {answer}}}]\n"
    schema = "output_schema: {type: object, properties: {city: {type: string}}, required: [city]}\n"

    assert told(root, example) == []
    problems = found(root, example + schema)

    assert [(each.code, each.severity) for each in problems] == [("RUN626", "warning")] * (words is not None)
    assert words is None or words in problems[0].message


# mode native


def test_native_mode_contradicts_a_model_without_tool_calls(project: Write) -> None:
    root, incapable = project({}), model("{function_calling: false}")

    assert told(root, f"{incapable}tools: [calculator]\nparsing: {{mode: native}}\n") == [
        ("a.yaml:5:17", "RUN625", "warning")
    ]
    assert told(root, f"{incapable}parsing: native\n") == []
    assert told(root, f"{incapable}tools: [calculator]\n") == []
    assert told(root, f"{model('{function_calling: true}')}tools: [calculator]\nparsing: native\n") == []
    assert told(root, f"{model('{}')}tools: [calculator]\nparsing: native\n") == []
