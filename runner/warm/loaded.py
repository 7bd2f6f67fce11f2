"""Loads everything once, and remembers what that depended on."""

import gc
import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from runner.warm.certificates import certificate_files
from runner.warm.child import Handed
from runner.warm.forgetting import forget_all_but
from runner.warm.recording import recorded_reads
from runner.warm.stamps import Stamps
from runner.warm.surroundings import Surroundings, UnfitError, decides, difference, surroundings, variable_that_differs


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


def load_all(load: Callable[[], Iterable[Path]], *, since: int) -> Loaded:
    """Load with `load`, which returns the files that were read besides modules; then forget all other variables.

    Args:
        load: loads everything.
        since: when loading began; a file that has changed since, in nanoseconds, may have been read before that.

    Raises:
        UnfitError: it has left a thread, and a thread is lost in a fork; or this process is in a sandbox.
        OSError: the system does not tell what has to be compared.
    """
    around = surroundings()
    before = dict(os.environ)
    certificates = certificate_files()
    with recorded_reads() as read:
        files = load()
    threads = len(os.listdir("/proc/self/task"))  # noqa: PTH208 - pathlib has nothing to add
    if threads != 1:
        raise UnfitError(f"after loading everything there are {threads} threads, expected one")
    names = frozenset(read)
    added = {name: value for name, value in os.environ.items() if before.get(name) != value}
    forget_all_but(names)  # the others may be keys, and nobody here needs them
    gc.collect()
    gc.freeze()  # a collection in a child would touch, and so copy, all of it
    return Loaded(
        stamps=Stamps([*files, *certificates], since=since),
        surroundings=around,
        names=names,
        environ={name: value for name, value in before.items() if decides(name, names)},
        added=added,
    )
