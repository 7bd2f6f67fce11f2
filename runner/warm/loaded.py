"""Loads everything once, and remembers what that depended on."""

import gc
import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from runner.warm.child import Handed
from runner.warm.recording import recorded_reads
from runner.warm.stamps import Stamps
from runner.warm.surroundings import Surroundings, decides, difference, surroundings, variable_that_differs


class UnfitError(Exception):
    """What was loaded cannot be forked; the message says why."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Loaded:
    """What was loaded, and what has to be equal for a command that would load the same.

    Attributes:
        stamps: of the files.
        surroundings: of this process.
        names: of the variables that were read.
        environ: those of the variables that decide about what is loaded, as they were before.
        added: variables that loading has set.
    """

    stamps: Stamps
    surroundings: Surroundings
    names: frozenset[str]
    environ: Mapping[str, str]
    added: Mapping[str, str]

    def difference(self, handed: Handed, there: object) -> str | None:
        """Why a command would not do the same here as with a start of its own; None if it would."""
        name = variable_that_differs(self.names, self.environ, handed.environ)
        return difference(self.surroundings, there) or (f"the variable {name} differs" if name else None)


def load_all(load: Callable[[], Iterable[Path]]) -> Loaded:
    """Load with `load`, which returns the files that were read besides modules; then forget all other variables.

    Raises:
        UnfitError: it has left a thread, and a thread is lost in a fork.
    """
    before = dict(os.environ)
    with recorded_reads() as read:
        files = load()
    threads = len(os.listdir("/proc/self/task"))  # noqa: PTH208 - pathlib has nothing to add
    if threads != 1:
        raise UnfitError(f"after loading everything there are {threads} threads, expected one")
    names = frozenset(read)
    added = {name: value for name, value in os.environ.items() if before.get(name) != value}
    for name in set(os.environ) - names:
        del os.environ[name]  # it may be a key, and nobody here needs it
    gc.collect()
    gc.freeze()  # a collection in a child would touch, and so copy, all of it
    return Loaded(
        stamps=Stamps(files),
        surroundings=surroundings(),
        names=names,
        environ={name: value for name, value in before.items() if decides(name, names)},
        added=added,
    )
