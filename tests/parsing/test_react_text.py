import pytest

from runner.parsing.react_labels import ENGLISH, Labels, label_problems
from runner.parsing.react_text import split


def parts(text: str, labels: Labels = ENGLISH) -> list[tuple[str, str]]:
    return [(part.section, part.text) for part in split(text, labels).parts]


@pytest.mark.parametrize(
    "label",
    [
        *[
            "Action:",
            "action:",
            "ACTION :",
            "Action 1:",
            "Action1:",
            "  Action:",
            "> Action:",
            "- Action:",
            "1. Action:",
        ],
        *["**Action:**", "**Action**:", "*Action:*", "`Action:`", "__Action__:", "### Action:", "### Action\n"],
        *["**Action**\n", "_Action:_ "],
    ],
)
def test_a_label_is_read_however_models_decorate_it(label: str) -> None:
    assert parts(f"Thought: t\n{label} add") == [("thought", "t"), ("action", "add")]


@pytest.mark.parametrize(
    "label", ["Action Input:", "Action_Input:", "action input :", "ActionInput:", "**Action Input:**"]
)
def test_a_label_of_two_words_is_read_however_they_are_joined(label: str) -> None:
    assert parts(f"Action: add\n{label} 5") == [("action", "add"), ("input", "5")]


@pytest.mark.parametrize(
    "text",
    [
        "The Action: none",
        "Reaction: add",
        "Actions: add",
        "Action add",
        "My Action Input: 5",
        "Action\nadd",
        "## Actions\n",
    ],
)
def test_words_that_are_no_labels_are_left_alone(text: str) -> None:
    assert parts(f"Thought: t {text}") == [("thought", f"t {text}".strip())]
    assert parts(text) == []


def test_a_whole_reply_on_one_line() -> None:
    text = 'Thought: I need it. Action: add Action Input: {"a": 1} Observation: 3 Final Answer: 3'

    assert parts(text) == [("thought", "I need it."), ("action", "add"), ("input", '{"a": 1}')]
    assert split(text, ENGLISH).kept == 'Thought: I need it. Action: add Action Input: {"a": 1}'


@pytest.mark.parametrize("end", [". ", "! ", "? ", "。", "！"])  # noqa: RUF001 - the stops of Chinese sentences
def test_a_final_answer_may_begin_where_a_sentence_ends(end: str) -> None:
    assert parts(f"I know{end}Final Answer: 42") == [("answer", "42")]


@pytest.mark.parametrize("before", ["give the ", "I write 'x', ", 'end with "'])
def test_a_final_answer_that_is_only_spoken_of_is_none(before: str) -> None:
    assert parts(f"Thought: I must {before}Final Answer: later") == [
        ("thought", f"I must {before}Final Answer: later"),
    ]


def test_no_label_counts_inside_of_the_json_of_an_input() -> None:
    given = '{"text": "a\nObservation: b\nFinal Answer: c"}'

    assert parts(f"Action: run\nAction Input: {given}\nObservation: d") == [("action", "run"), ("input", given)]
    assert parts(f"Action: run({given})\nObservation: d") == [("action", f"run({given})")]


@pytest.mark.parametrize("label", ["Observation:", "**Observation**\n", "Observation: x"])
def test_a_label_is_never_taken_for_the_name_of_an_action(label: str) -> None:
    assert parts(f'Action:\n{label} {{"a": "made up"}}') == [("action", "")]


def test_no_label_counts_inside_of_a_closed_fence() -> None:
    given = "```python\nprint(1)\nObservation: b\n```"

    assert parts(f"Action: run\nAction Input: {given}\nObservation: d") == [("action", "run"), ("input", given)]
    assert parts(f"Action: run\nAction Input: {given[:-4]}") == [("action", "run"), ("input", "```python\nprint(1)")]


def test_labels_count_again_behind_broken_json() -> None:
    text = 'Action: run\nAction Input: {"text": "a\nObservation: b\nFinal Answer: c'

    assert parts(text) == [("action", "run"), ("input", '{"text": "a')]


def test_in_an_answer_only_a_plain_observation_is_a_label() -> None:
    report = "Report\n- Observation: it rains\n**Observation:** more\nThought: x\nAction: y\nFinal Answer: z"

    assert parts(f"Final Answer: {report}") == [("answer", report)]
    assert parts(f"Final Answer: {report}\nObservation 2: d") == [("answer", report)]


def test_letters_that_are_the_same_but_for_case_are_no_trap() -> None:
    assert parts("Actıon: x\nſinal: y") == [("action", "x\nſinal: y")]  # noqa: RUF001 - a dotless i matches i


def test_labels_of_the_authors_own() -> None:
    labels = Labels(thought="Мысль", action="Do (tool)", action_input="With", observation="Saw", final_answer="Done")

    assert parts("мысль: t\nDo (tool): add\nWith: {}\nSaw: 1", labels) == [
        ("thought", "t"),
        ("action", "add"),
        ("input", "{}"),
    ]
    assert label_problems(labels) == []


def test_labels_that_cannot_be_told_apart_are_named() -> None:
    labels = Labels(thought="Step", action="step ", action_input="a:b", observation=" ", final_answer="Done")

    assert label_problems(labels) == [
        ("action", "the label 'step ' is the one of thought already"),
        ("action_input", "the label 'a:b' must be one line of text without a colon"),
        ("observation", "the label ' ' must be one line of text without a colon"),
    ]


def test_only_the_end_of_a_fence_that_began_before_a_section_is_taken_off() -> None:
    assert parts("```\nAction: now\n```") == [("action", "now")]
    assert parts("```\nThought: t\nFinal Answer: 42\n```") == [("thought", "t"), ("answer", "42")]
    assert parts("Final Answer: 42\n```") == [("answer", "42\n```")]
