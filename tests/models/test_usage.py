"""Counts of tokens."""

import pytest

from runner.engine.ports import ModelReply, ModelRequest, RawToolCall, Usage
from runner.models.usage import counted, estimated


@pytest.mark.parametrize("numbers", [None, {}, {"prompt_tokens": 0, "completion_tokens": 0, "total_tokens": 0}])
def test_no_numbers_are_no_usage(numbers: dict[str, int] | None) -> None:
    assert counted(numbers) is None


def test_details_that_are_missing_or_strange_count_as_none() -> None:
    numbers = {"prompt_tokens": 3, "total_tokens": 3, "prompt_tokens_details": None, "completion_tokens_details": "x"}

    assert counted(numbers) == Usage(input_tokens=3)


def test_an_estimate_counts_messages_tools_text_thoughts_and_calls() -> None:
    def total(reply: ModelReply) -> int:
        request = ModelRequest(messages=[{"role": "user", "content": "word " * 100}], tools=[{"x": "y" * 400}])
        return estimated(request, reply).total_tokens

    call = RawToolCall(id="c", name="f", arguments="z" * 400)
    nothing = total(ModelReply())
    assert 200 < nothing < 300
    assert total(ModelReply(text="z" * 400)) - nothing == 100
    assert total(ModelReply(extra={"reasoning_content": "z" * 400})) - nothing == pytest.approx(100, abs=2)
    assert total(ModelReply(tool_calls=(call,))) - nothing == pytest.approx(105, abs=5)


def test_an_estimate_is_not_put_out_by_odd_characters() -> None:
    request = ModelRequest(messages=[{"role": "user", "content": "\ud800 北京"}])

    assert estimated(request, ModelReply(text="\ud800")).estimated


def test_numbers_that_cannot_be_are_none() -> None:
    numbers = {
        "prompt_tokens": 10,
        "completion_tokens": -5,
        "total_tokens": 5,
        "prompt_tokens_details": {"cached_tokens": -1_000_000},
        "completion_tokens_details": {"reasoning_tokens": 99},
    }

    assert counted(numbers) == Usage(input_tokens=10)


def test_a_total_alone_counts_and_is_marked_as_a_guess() -> None:
    assert counted({"total_tokens": 900}) == Usage(input_tokens=900, estimated=True)


def test_numbers_without_a_total_count() -> None:
    assert counted({"prompt_tokens": 500, "completion_tokens": 5}) == Usage(input_tokens=500, output_tokens=5)
