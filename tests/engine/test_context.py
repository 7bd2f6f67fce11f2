"""Long conversations: what is shortened, left out or summed up, and what always stays."""

from collections.abc import AsyncGenerator
from itertools import pairwise
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from runner.engine.context import fit
from runner.engine.conversation import Conversation
from runner.engine.events import ContextReduced, exit_code
from runner.engine.messages import AssistantMessage, ToolCall, ToolResult, ToolResults, UserMessage
from runner.engine.ports import Capabilities, Delta, ModelError, ModelReply, ModelRequest, Usage
from runner.models.scripted import ScriptedModel
from runner.spec import ContextSpec, Limits, Price
from tests.engine.voices import VOICES, Voice, chooser, play, returning

BIG = "x" * 3_000


def calls_then(voice: Voice, count: int, answer: str) -> list[ModelReply]:
    return [*(voice.calls(("look", {"n": n})) for n in range(count)), voice.answer(answer)]


async def test_without_a_context_nothing_is_ever_left_out(voice: Voice) -> None:
    ran = await play(voice.mode, calls_then(voice, 6, "done"), [returning("look", BIG)])

    assert ran.of(ContextReduced) == []
    assert len(ran.model.requests[-1].messages) >= 13


async def test_huge_old_results_are_shortened_first(voice: Voice) -> None:
    context = ContextSpec(max_tokens=3_500, keep_last=2)

    ran = await play(voice.mode, calls_then(voice, 6, "done"), [returning("look", BIG)], context=context)

    assert ran.finished.answer == "done"
    assert {event.strategy for event in ran.of(ContextReduced)} == {"shorten_results"}
    texts = [str(message["content"]) for message in ran.model.requests[-1].messages]
    assert any("shortened to save room; the result had 3,000 characters" in text for text in texts)
    assert sum(BIG in text for text in texts) >= 2
    for event in ran.of(ContextReduced):
        assert event.tokens_after < event.tokens_before


async def test_the_oldest_turns_are_dropped_whole_and_the_task_stays(voice: Voice) -> None:
    context = ContextSpec(max_tokens=1_500, keep_last=2)

    ran = await play(
        voice.mode, calls_then(voice, 12, "done"), [returning("look", "y" * 900)], context=context, prompt="The task"
    )

    assert ran.finished.answer == "done"
    assert "drop_oldest" in {event.strategy for event in ran.of(ContextReduced)}
    for request in ran.model.requests:
        assert request.messages[0]["content"].startswith("Be brief.")
        assert request.messages[1]["content"].startswith("The task")
        assert_whole(request.messages)
    assert "Earlier turns of this conversation were left out" in ran.model.requests[-1].messages[1]["content"]


def assert_whole(messages: Any) -> None:
    """No call without its result, no result without its call."""
    called = [call["id"] for message in messages for call in message.get("tool_calls") or ()]
    answered = [message["tool_call_id"] for message in messages if message["role"] == "tool"]
    assert called == answered


async def test_old_turns_are_summed_up_by_the_model_that_answers() -> None:
    native = VOICES["native"]
    looks = [native.calls(("look", {"n": n})) for n in range(4)]
    summary = ModelReply(text="Four looks gave y.", finish_reason="stop", usage=Usage(input_tokens=50, output_tokens=5))
    context = ContextSpec(max_tokens=700, strategy="summarize", keep_last=1)

    ran = await play("native", [*looks[:3], summary, looks[3], "done"], [returning("look", "y" * 800)], context=context)

    (event,) = ran.of(ContextReduced)
    assert event.strategy == "summarize"
    assert ran.finished.answer == "done"
    asked = ran.model.requests[3].messages
    assert "Sum up this part of a conversation" in asked[0]["content"]
    assert "look gave: yyy" in asked[1]["content"]
    assert "Four looks gave y." in ran.model.requests[4].messages[1]["content"]
    assert ran.finished.usage.total_tokens >= 55


async def test_a_named_model_sums_up_and_is_closed() -> None:
    native = VOICES["native"]
    summarizer = ScriptedModel(["It looked often."], name="test/small")
    context = ContextSpec(max_tokens=700, strategy="summarize", keep_last=1)

    ran = await play(
        "native",
        [*(native.calls(("look", {"n": n})) for n in range(3)), "done"],
        [returning("look", "y" * 800)],
        context=context,
        summarizer=summarizer,
    )

    assert ran.finished.answer == "done"
    assert summarizer.closed == 1
    assert "It looked often." in ran.model.requests[-1].messages[1]["content"]


async def test_a_summary_that_fails_is_done_without() -> None:
    native = VOICES["native"]
    summarizer = ScriptedModel([ModelError("the provider is down")])
    context = ContextSpec(max_tokens=700, strategy="summarize", keep_last=1)

    ran = await play(
        "native",
        [*(native.calls(("look", {"n": n})) for n in range(3)), "done"],
        [returning("look", "y" * 800)],
        context=context,
        summarizer=summarizer,
    )

    assert ran.finished.answer == "done"
    assert [event.strategy for event in ran.of(ContextReduced)] == ["drop_oldest"]


async def test_a_summary_is_not_paid_for_beyond_the_cost_limit() -> None:
    native = VOICES["native"]
    priced = Capabilities(price=Price(input=1.0, output=1.0))
    model = ScriptedModel(
        [
            ModelReply(tool_calls=native.calls(("look", {"n": n})).tool_calls, cost=0.0003, finish_reason="tool_calls")
            for n in range(3)
        ],
        capabilities=priced,
    )
    context = ContextSpec(max_tokens=700, strategy="summarize", keep_last=1)

    ran = await play(
        "native",
        [],
        [returning("look", "y" * 800)],
        model=model,
        context=context,
        summarizer=ScriptedModel(["never asked"]),
        limits=Limits(max_cost=0.01),
    )

    assert ran.finished.status == "max_cost"


async def test_the_strategy_fail_ends_the_run_with_both_sizes(voice: Voice) -> None:
    context = ContextSpec(max_tokens=1_500, strategy="fail")
    replies = [voice.calls(("look", {"n": n})) for n in range(2)]

    ran = await play(voice.mode, replies, [returning("look", BIG)], context=context)

    assert ran.finished.status == "model_error"
    assert exit_code(ran.finished) == 4
    assert ran.finished.error is not None
    assert "tokens, and 1,500 fit; context.strategy says to fail" in ran.finished.error


async def test_what_always_stays_may_be_too_long_already() -> None:
    ran = await play("native", [], context=ContextSpec(max_tokens=50), prompt=BIG)

    assert ran.finished.status == "model_error"
    assert ran.finished.error is not None
    assert "the instructions and the task alone are about" in ran.finished.error
    assert ran.model.requests == []


async def test_the_models_window_counts_when_no_number_is_given() -> None:
    native = VOICES["native"]
    model = ScriptedModel(
        [*(native.calls(("look", {"n": n})) for n in range(6)), "done"], capabilities=Capabilities(window=3_000)
    )

    ran = await play("native", [], [returning("look", BIG)], model=model, context=ContextSpec(keep_last=1))

    assert ran.finished.answer == "done"
    assert ran.of(ContextReduced)


async def test_a_conversation_the_provider_finds_too_long_is_made_shorter_once() -> None:
    native = VOICES["native"]
    looks = [native.calls(("look", {"n": n})) for n in range(4)]
    too_long = ModelError("too long", overflow=True)

    ran = await play("native", [*looks, too_long, "done"], [returning("look", BIG)], context=ContextSpec(keep_last=1))

    assert ran.finished.answer == "done"
    assert ran.of(ContextReduced)
    assert ran.finished.steps == 5


async def test_a_provider_that_finds_everything_too_long_ends_the_run() -> None:
    native = VOICES["native"]
    too_long = ModelError("too long", overflow=True)
    looks = [native.calls(("look", {"n": n})) for n in range(4)]

    ran = await play("native", [*looks, *[too_long] * 3], [returning("look", BIG)], context=ContextSpec(keep_last=1))

    assert ran.finished.status == "model_error"
    assert ran.finished.error is not None
    assert "too long" in ran.finished.error


async def test_a_conversation_found_too_long_after_the_first_words_is_not_begun_again() -> None:
    too_long = Breaking(ModelError("too long", overflow=True))

    ran = await play("native", [], model=too_long, watch=True, context=ContextSpec(keep_last=1))

    assert (ran.finished.status, too_long.asked) == ("model_error", 1)


class Breaking:
    """Says something, then fails."""

    name = "test/breaking"
    retries = 3

    def __init__(self, error: ModelError) -> None:
        self.asked = 0
        self._error = error

    async def open(self) -> Capabilities:
        return Capabilities()

    async def ask(self, request: ModelRequest) -> AsyncGenerator[Delta | ModelReply, None]:
        self.asked += 1
        yield Delta(text="He")
        raise self._error

    async def close(self) -> None:
        pass


async def test_a_summary_is_cut_to_a_part_of_what_fits() -> None:
    native = VOICES["native"]
    summarizer = ScriptedModel(["s" * 40_000] * 5)
    context = ContextSpec(max_tokens=1_000, strategy="summarize", keep_last=1)

    ran = await play(
        "native",
        [*(native.calls(("look", {"n": n})) for n in range(6)), "done"],
        [returning("look", "y" * 900)],
        context=context,
        summarizer=summarizer,
    )

    assert ran.finished.answer == "done"
    assert summarizer.requests[0].max_tokens == 250


async def test_why_there_is_no_summary_is_told() -> None:
    native = VOICES["native"]
    context = ContextSpec(max_tokens=700, strategy="summarize", keep_last=1)

    ran = await play(
        "native",
        [*(native.calls(("look", {"n": n})) for n in range(3)), "done"],
        [returning("look", "y" * 800)],
        context=context,
        summarizer=ScriptedModel([ModelError("the key is missing")]),
    )

    assert [event.problem for event in ran.of(ContextReduced)] == ["the key is missing"]


@settings(max_examples=60, deadline=None)
@given(
    sizes=st.lists(st.integers(0, 4_000), max_size=15),
    limit=st.integers(50, 3_000),
    keep=st.integers(1, 5),
    mode=st.sampled_from(sorted(VOICES)),
    before=st.integers(0, 6),
)
async def test_whatever_is_said_it_fits_whole_or_is_refused(
    sizes: list[int], limit: int, keep: int, mode: str, before: int
) -> None:
    history = [
        each
        for number in range(before)
        for each in (UserMessage(text=f"Question {number} {'q' * 200}"), AssistantMessage(text="An answer."))
    ]
    conversation = Conversation(chooser(mode, [])(Capabilities()), "Be brief.", history=history, prompt="The task")
    assert len(conversation.turns) == before
    for number, size in enumerate(sizes):
        call = ToolCall(id=f"c{number}", name="look", arguments={"n": number})
        conversation.add_reply(AssistantMessage(text="I look.", calls=(call,)))
        conversation.add(ToolResults(results=((call, ToolResult(content="z" * size)),)))

    async def summarize(text: str) -> str:
        return text[:50]

    def measure() -> int:
        return conversation.size // 4

    spec = ContextSpec(keep_last=keep)
    last = conversation.turns[-keep:]
    refused: ModelError | None = None
    try:
        async for _ in fit(conversation, spec, step=1, limit=limit, measure=measure, summarize=summarize):
            pass
    except ModelError as error:
        refused = error
    assert (measure() > limit) is (refused is not None)
    assert refused is None or refused.overflow
    assert conversation.turns[-keep:] == last or len(conversation.turns) <= keep
    assert_whole(conversation.wire)
    assert sum("The task" in str(message) for message in conversation.wire) == 1
    roles = [message["role"] for message in conversation.wire]
    assert not any(first == second == "user" for first, second in pairwise(roles))
