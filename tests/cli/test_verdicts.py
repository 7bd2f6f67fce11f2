import click
import pytest
from hypothesis import given
from hypothesis import strategies as st

from runner.cli.verdicts import Verdict, decisions, read_verdicts
from runner.engine.approval import Approved, Rejected
from runner.engine.messages import ToolCall

SEND = ToolCall(id="call_1", name="send", arguments={"to": "a"})
LOOK = ToolCall(id="call_2", name="look", arguments={})


@pytest.mark.parametrize(
    ("line", "left", "verdicts"),
    [
        (["trip"], ["trip"], []),
        (["trip", "--approve"], ["trip"], [Verdict(kind="approve")]),
        (["trip", "--approve", "-q"], ["trip", "-q"], [Verdict(kind="approve")]),
        (["trip", "--approve", "call_1"], ["trip"], [Verdict(kind="approve", call="call_1")]),
        (["--approve=call_1", "trip"], ["trip"], [Verdict(kind="approve", call="call_1")]),
        (["trip", "--approve=-1"], ["trip"], [Verdict(kind="approve", call="-1")]),
        (
            ["trip", "--approve", "call_1", "--approve", "call_2"],
            ["trip"],
            [Verdict(kind="approve", call="call_1"), Verdict(kind="approve", call="call_2")],
        ),
        (["trip", "--reject", "--reason", "no"], ["trip"], [Verdict(kind="reject", text="no")]),
        (["trip", "--reject", "--reason=-1 is no"], ["trip"], [Verdict(kind="reject", text="-1 is no")]),
        (["trip", "--reject", "c", "--reason", "no"], ["trip"], [Verdict(kind="reject", call="c", text="no")]),
        (["trip", "--edit", '{"to": "b"}'], ["trip"], [Verdict(kind="edit", text='{"to": "b"}')]),
        (["trip", '--edit= {"to": "b"}'], ["trip"], [Verdict(kind="edit", text=' {"to": "b"}')]),
        (["trip", "--edit", "c", "{}", "-v"], ["trip", "-v"], [Verdict(kind="edit", call="c", text="{}")]),
        (["trip", "--edit=c", "{}"], ["trip"], [Verdict(kind="edit", call="c", text="{}")]),
        (["--", "--approve"], ["--", "--approve"], []),
    ],
)
def test_decisions_are_taken_out_of_a_command_line(line: list[str], left: list[str], verdicts: list[Verdict]) -> None:
    assert read_verdicts(line) == (left, verdicts)


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        (["--reject"], "--reject needs a reason, which the model is told"),
        (["--reject", "c", "--reason", "  "], "--reject needs a reason"),
        (["--reject", "--reason"], "--reason needs text"),
        (["--reason", "no"], "--reason belongs behind the --reject that it explains"),
        (["--reject", "a", "--reason", "x", "--approve", "b", "--reason", "y"], "--reason belongs behind"),
        (["--edit", "--approve"], "--edit needs the new arguments as JSON"),
        (["--reject", "--reason", "--approve"], "--reason needs text"),
        (["--edit"], "--edit needs the new arguments as JSON"),
        (["--edit", "call_1"], "--edit call_1 needs the new arguments as JSON"),
    ],
)
def test_a_decision_that_lacks_something_is_a_usage_error(line: list[str], problem: str) -> None:
    with pytest.raises(click.UsageError) as error:
        read_verdicts(line)
    assert str(error.value).startswith(problem)


@given(st.lists(st.sampled_from(["--approve", "--edit", "--reject", "--reason", "--", "{}", "a", "--x=1", ""])))
def test_every_word_is_either_left_or_part_of_a_decision(words: list[str]) -> None:
    try:
        left, verdicts = read_verdicts(words)
    except click.UsageError:
        return
    options = {"--approve", "--edit", "--reject", "--reason"}
    # What stands behind -- is not looked at.
    ours = words[: words.index("--")] if "--" in words else words
    assert len(verdicts) == sum(word in ("--approve", "--edit", "--reject") for word in ours)
    assert not options & set(left[: left.index("--")] if "--" in left else left)


def test_decisions_are_about_the_calls_that_wait() -> None:
    verdicts = [
        Verdict(kind="edit", call="call_1", text='{"to": "b"}'),
        Verdict(kind="reject", call="look", text="no"),  # by the name of the tool
    ]
    assert decisions(verdicts, [SEND, LOOK], by="anna") == {
        "call_1": Approved(by="anna", arguments={"to": "b"}),
        "call_2": Rejected(by="anna", reason="no"),
    }
    assert decisions([Verdict(kind="approve")], [SEND], by="anna") == {"call_1": Approved(by="anna")}


@pytest.mark.parametrize(
    ("verdicts", "problem"),
    [
        ([Verdict(kind="approve")], r"--approve has to name a call; these wait: call_1 \(send\), call_2 \(look\)"),
        ([Verdict(kind="approve", call="cal_1")], r"no call 'cal_1' waits for a decision; did you mean 'call_1'\?"),
        ([Verdict(kind="approve", call="x" * 500)], r"no call 'x{59}…' waits for a decision; these wait: call_1"),
        ([Verdict(kind="approve", call="call_1")] * 2, r"send \(call_1\) is decided twice"),
        ([Verdict(kind="edit", call="call_1", text="[]")], "expected the arguments as a JSON object"),
        ([Verdict(kind="edit", call="call_1", text="{to: b}")], "the arguments are not JSON"),
        ([Verdict(kind="edit", call="call_1", text='{"a": NaN}')], "NaN is no number that JSON has"),
    ],
)
def test_a_decision_that_cannot_be_meant_is_a_usage_error(verdicts: list[Verdict], problem: str) -> None:
    with pytest.raises(click.UsageError, match=problem):
        decisions(verdicts, [SEND, LOOK], by="anna")


def test_an_id_that_a_model_chose_does_not_win_over_the_name_of_a_tool() -> None:
    trap = ToolCall(id="look", name="send", arguments={"to": "a"})
    with pytest.raises(click.UsageError, match="'look' is the id of one call and the tool of another; these wait"):
        decisions([Verdict(kind="approve", call="look")], [trap, LOOK], by="anna")
    alone = ToolCall(id="look", name="look", arguments={})
    assert decisions([Verdict(kind="approve", call="look")], [SEND, alone], by="anna") == {"look": Approved(by="anna")}


def test_without_a_call_that_waits_nothing_can_be_decided() -> None:
    with pytest.raises(click.UsageError, match="no call waits for a decision; run it again without --approve"):
        decisions([Verdict(kind="approve")], [], by="anna")
