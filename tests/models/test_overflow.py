"""Refusals because of the model's window, in the words of each provider (field bug B61)."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runner.models.overflow import Sizes, is_overflow, sizes


@pytest.mark.parametrize(
    ("text", "asked", "possible"),
    [
        ("This model's maximum context length is 8192 tokens. However, you requested 9000 tokens", 9000, 8192),
        (
            "maximum context length is 8192 tokens. However, you requested 9000 tokens (8000 in the messages, 1000 …",
            9000,
            8192,
        ),
        ("maximum context length is 10 tokens. However, your messages resulted in 20 tokens.", 20, 10),
        ("This model's maximum prompt length is 131072 but the request contains 537812 tokens.", 537812, 131072),
        ("prompt is too long: 210000 tokens > 200000 maximum", 210000, 200000),
        ("input length and `max_tokens` exceed context limit: 188240 + 21333 > 200000, decrease", 209573, 200000),
        (
            "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).",
            1200000,
            1048576,
        ),
        ("The input token count exceeds the maximum number of tokens allowed 1048576.", None, 1048576),
        ("request (9031 tokens) exceeds the available context size (8192 tokens), try increasing it", 9031, 8192),
        ("the request exceeds the available context size, try increasing it", None, None),
        (
            "Prompt contains 65673 tokens and 0 draft tokens, too large for model with 32768 maximum context length",
            65673,
            32768,
        ),
        ("the input length exceeds the context length", None, None),
        ("prompt too long; exceeded max context length by 12 tokens", None, None),
        ("Please reduce the length of the messages or completion.", None, None),
        ('{"code": "context_length_exceeded"}', None, None),
        ("maximum context length is 128,000 tokens. However, you requested 130,001", 130001, 128000),
    ],
)
def test_the_words_and_sizes_of_providers_are_known(text: str, asked: int | None, possible: int | None) -> None:
    assert is_overflow(text)
    assert sizes(text) == Sizes(asked=asked, possible=possible)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "max_tokens is too large: 9000. This model supports at most 4096 completion tokens",
        "Request too large for gpt-4o on tokens per min (TPM): Limit 30000, Requested 45000.",
        "the name is too long",
        "Invalid 'messages[0].content': string too long",
    ],
)
def test_other_refusals_are_none(text: str) -> None:
    assert not is_overflow(text)


@given(st.text(alphabet="0123456789 >+,()tokensmaximu", max_size=200))
def test_any_text_is_read(text: str) -> None:
    assert sizes(text) is not None


def test_a_huge_text_is_read_at_once() -> None:
    begun = time.monotonic()
    is_overflow("maximum context length is 1" + " " * 5_000_000)
    is_overflow("contains 1 tokens " * 500_000)

    assert time.monotonic() - begun < 5
