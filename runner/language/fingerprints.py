"""A short name for each problem, the same in every report on it."""

from collections.abc import Sequence
from hashlib import sha256

from runner.language.identity import Identity


def fingerprints(identities: Sequence[Identity]) -> list[str]:
    """One fingerprint for each, 32 hexadecimal digits; equal problems are counted, so that no two are the same."""
    seen: dict[Identity, int] = {}
    return [_fingerprint(each, _next(seen, each)) for each in identities]


def _next(seen: dict[Identity, int], each: Identity) -> int:
    seen[each] = seen.get(each, 0) + 1
    return seen[each]


def _fingerprint(each: Identity, number: int) -> str:
    parts = (each.file, each.code, each.message, each.line, str(number))
    # File names may hold bytes that are no text, and messages half a surrogate pair.
    return sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()[:32]
