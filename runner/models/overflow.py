"""Recognises a refusal because the request was too long, in the words of each provider, and reads the sizes in it."""

import re
from dataclasses import dataclass

_N = r"(\d[\d,]{0,14})"
# What was asked, then what is possible. LiteLLM only knows some of these, and fewer in streams.
_ASKED_FIRST = (
    re.compile(rf"prompt is too long: {_N} tokens > {_N}"),  # Anthropic
    re.compile(rf"input token count \(?{_N}\)? exceeds the maximum number of tokens allowed \(?{_N}"),  # Gemini
    re.compile(rf"\({_N} tokens\) exceeds the available context size \({_N} tokens"),  # llama.cpp
    re.compile(rf"contains {_N} tokens.{{0,60}}too large for model with {_N} maximum context"),  # Mistral
)
_POSSIBLE_FIRST = (
    re.compile(rf"maximum (?:context|prompt) length is {_N}(?: tokens)?\D{{0,120}}?{_N}"),  # OpenAI, vLLM, xAI
)
_POSSIBLE = re.compile(rf"input token count exceeds the maximum number of tokens allowed {_N}")  # Gemini, in short
# The prompt and what the reply may have: 188240 + 21333 > 200000.
_SUM = re.compile(rf"exceed context limit: {_N} \+ {_N} > {_N}")
_WORDS = re.compile(
    r"context_length_exceeded|maximum context length|exceed(?:s|ed)? (?:the |max )?(?:model's )?(?:available )?context"
    r"|exceed context limit|prompt is too long|prompt too long|input is too long|input length and .max_tokens. exceed"
    r"|reduce the length of the (?:messages|prompt)|too large for model with \d+ maximum context",
    re.IGNORECASE,
)
_LOOKED_AT = 10_000  # characters; error pages can be of any size


@dataclass(frozen=True, kw_only=True, slots=True)
class Sizes:
    """Tokens: what was asked for, and what the model can take; None where the provider does not say."""

    asked: int | None = None
    possible: int | None = None


def is_overflow(text: str) -> bool:
    """Whether a provider's refusal says that the request was longer than the model's window."""
    text = text[:_LOOKED_AT]
    return _WORDS.search(text) is not None or sizes(text) != Sizes()


def sizes(text: str) -> Sizes:
    """The numbers in such a refusal."""
    text = text[:_LOOKED_AT]
    if found := _SUM.search(text):
        return Sizes(asked=_count(found[1]) + _count(found[2]), possible=_count(found[3]))
    for pattern in _ASKED_FIRST:
        if found := pattern.search(text):
            return Sizes(asked=_count(found[1]), possible=_count(found[2]))
    for pattern in _POSSIBLE_FIRST:
        if found := pattern.search(text):
            return Sizes(asked=_count(found[2]), possible=_count(found[1]))
    found = _POSSIBLE.search(text)
    return Sizes(possible=_count(found[1]) if found else None)


def _count(digits: str) -> int:
    return int(digits.replace(",", ""))
