"""Known problems of an old tree, kept in a file, so that only new ones are told."""

import json
import os
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable
from dataclasses import asdict, dataclass, fields
from pathlib import Path

from runner.diagnostics import Diagnostic
from runner.language.code_choice import UNREADABLE
from runner.language.identity import Identity, identity_of
from runner.spec import Json

_VERSION = 1
# What stands for the bytes of a file name that are no text.
_UNENCODABLE = re.compile("[\ud800-\udfff]")
_KEYS = {field.name for field in fields(Identity)}


class BaselineError(ValueError):
    """A baseline that cannot be used; the message says why."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Compared:
    """What a baseline leaves of a report.

    Attributes:
        fresh: the problems that it does not list.
        hidden: how many it hides.
        stale: how many of its entries match nothing any more.
    """

    fresh: tuple[Diagnostic, ...]
    hidden: int
    stale: int


@dataclass(frozen=True, kw_only=True, slots=True)
class Baseline:
    """How often each problem is known. Files are named relative to `folder`, where the baseline lies."""

    folder: Path
    known: Counter[Identity]

    def compare(
        self, diagnostics: Iterable[Diagnostic], *, checked: Collection[str], takes: Callable[[str], bool]
    ) -> Compared:
        """Hide what is known.

        Args:
            diagnostics: what was found.
            checked: the files that were checked; what is known of others that still exist is not stale.
            takes: whether problems with a code are told at all; the others are not stale either.
        """
        left = self.known.copy()
        fresh: list[Diagnostic] = []
        hidden = 0
        for each in diagnostics:
            identity = identity_of(each, file=_name(each.location.file, self.folder))
            if left[identity] > 0 and not each.code.startswith(UNREADABLE):
                left[identity] -= 1
                hidden += 1
            else:
                fresh.append(each)
        names = {_name(file, self.folder) for file in checked}
        stale = sum(
            count
            for identity, count in left.items()
            if takes(identity.code) and (identity.file in names or not _exists(self.folder / identity.file))
        )
        return Compared(fresh=tuple(fresh), hidden=hidden, stale=stale)


def make_baseline(diagnostics: Iterable[Diagnostic], folder: Path) -> Baseline:
    """A baseline of these problems, for a file in `folder`. Files that cannot be read stay what they are: broken."""
    identities = [
        identity_of(each, file=_name(each.location.file, folder))
        for each in diagnostics
        if not each.code.startswith(UNREADABLE)
    ]
    return Baseline(folder=folder, known=Counter(identities))


def baseline_text(baseline: Baseline) -> str:
    """The JSON text of a baseline, sorted, one problem a line, so that it reads well as a difference."""
    lines = [
        _UNENCODABLE.sub(_escaped, json.dumps(_entry_json(identity, count), ensure_ascii=False))
        for identity, count in sorted(baseline.known.items())
    ]
    problems = "[\n" + "".join(f"    {line}{',' if line is not lines[-1] else ''}\n" for line in lines) + "  ]"
    return f'{{\n  "version": {_VERSION},\n  "problems": {problems if lines else "[]"}\n}}\n'


def _entry_json(identity: Identity, count: int) -> Json:
    return asdict(identity) | ({"count": count} if count > 1 else {})


def _escaped(match: re.Match[str]) -> str:
    return f"\\u{ord(match.group()):04x}"


def read_baseline(file: Path) -> Baseline:
    """The baseline in a file.

    Raises:
        BaselineError: there is none, or it is malformed.
    """
    try:
        data: Json = json.loads(file.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise BaselineError(f"there is no baseline {file}; --write-baseline writes one") from None
    except (OSError, ValueError, RecursionError) as error:
        reason = error.strerror if isinstance(error, OSError) else f"it is not JSON: {error}"
        raise BaselineError(f"the baseline {file} cannot be read: {reason}") from None
    if not isinstance(data, dict) or not isinstance(data.get("problems"), list):
        raise BaselineError(f"{file} is no baseline: expected a mapping with a list 'problems'")
    if data.get("version") != _VERSION:
        raise BaselineError(f"{file} has version {data.get('version')!r}, expected {_VERSION}: write it anew")
    known: Counter[Identity] = Counter()
    for number, entry in enumerate(data["problems"], start=1):
        identity, count = _entry(entry, f"{file}: problem {number}")
        known[identity] += count
    return Baseline(folder=file.absolute().parent, known=known)


def _entry(entry: Json, place: str) -> tuple[Identity, int]:
    if not isinstance(entry, dict) or not all(isinstance(entry.get(key), str) for key in _KEYS):
        raise BaselineError(f"{place} is malformed: expected the texts {', '.join(sorted(_KEYS))}")
    count = entry.get("count", 1)
    if not isinstance(count, int) or isinstance(count, bool) or count < 1:
        raise BaselineError(f"{place} is malformed: expected a positive number as 'count', found {count!r}")
    return Identity(**{key: entry[key] for key in _KEYS}), count


def _name(file: str, folder: Path) -> str:
    """A file as seen from the folder of the baseline, so that it does not matter where the command is called."""
    return Path(os.path.relpath(file, folder)).as_posix()


def _exists(path: Path) -> bool:
    return os.path.exists(path)  # noqa: PTH110 - the method raises where nobody may look
