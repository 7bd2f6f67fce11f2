"""What a reply costs, from its tokens and the price of the model."""

from runner.engine.ports import Usage
from runner.spec import Price

_PER_MILLION = 1_000_000

FREE = Price(input=0.0, output=0.0)


def cost(usage: Usage, price: Price) -> float:
    """Dollars; cached tokens are part of the input, reasoning tokens of the output."""
    cached = min(usage.cached_tokens, usage.input_tokens)
    cached_price = price.input if price.cached_input is None else price.cached_input
    dollars = (usage.input_tokens - cached) * price.input + cached * cached_price + usage.output_tokens * price.output
    return dollars / _PER_MILLION
