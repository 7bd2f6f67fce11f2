"""Records which environment variables are read."""

import os
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def recorded_reads() -> Iterator[set[str]]:
    """The names of the variables that are read during the block; complete when it ends.

    The object `os.environ` stays the same, for whoever has imported it by its name; only its class is another one.
    """
    names: set[str] = set()
    ordinary = type(os.environ)

    class Recorded(ordinary):  # type: ignore[misc, valid-type]  # the class has no public name
        def __getitem__(self, name: str) -> str:
            names.add(name)
            return str(super().__getitem__(name))

        def __contains__(self, name: object) -> bool:
            names.add(str(name))
            return bool(super().__contains__(name))

    os.environ.__class__ = Recorded
    try:
        yield names
    finally:
        os.environ.__class__ = ordinary
