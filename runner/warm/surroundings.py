"""What a process has from its parent that cannot be handed over, so that it must be equal in the warm process."""

import os
import sys
from collections.abc import Mapping

import runner

Surroundings = dict[str, str]


class UnfitError(Exception):
    """This process can neither be warm nor have a warm one do its work; the message says why."""


# Who it is, what it may do, and where it may run: a sandbox around a command must hold for its run.
_STATUS = {
    **dict.fromkeys(("Uid", "Gid", "Groups"), "another user or other groups"),
    **dict.fromkeys(
        ("CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb", "Seccomp", "Seccomp_filters"), "other capabilities"
    ),
    **dict.fromkeys(("Cpus_allowed", "Mems_allowed"), "other processors"),
}
# Read before any Python code, or by C libraries, where no record shows it.
_PREFIXES = ("PYTHON", "LC_", "LD_", "DYLD_", "MALLOC_", "GLIBC_", "OPENSSL_", "SSL_", "OMP_", "OPENBLAS_")
_NAMES = frozenset({"LANG", "LANGUAGE"})


def surroundings() -> Surroundings:
    """Those of this process, under names for people.

    Raises:
        UnfitError: it may be in a sandbox that cannot be compared.
        OSError: /proc cannot be read.
    """
    warnings = [*dict.fromkeys(sys.warnoptions)]  # what PYTHONWARNINGS says is there twice in the warm process
    options = f"{sys.flags} {warnings} {sys._xoptions}"  # noqa: SLF001 - documented, in spite of its name
    found = {
        "another Python, options or locale": f"{sys.version} {sys.executable} {sys.prefix} {options}",
        "another runner": f"{runner.__version__} {runner.__file__}",
        "other resource limits": _read("/proc/self/limits"),
        "another priority": _priority(),
        "other namespaces": " ".join(_links("/proc/self/ns")),
        "another root folder": "{0.st_dev} {0.st_ino}".format(os.stat("/")),  # noqa: PTH116 - pathlib is slow to import
    }
    for line in _read("/proc/self/status").splitlines():
        name, _, value = line.partition(":")
        if name == "NoNewPrivs" and value.strip() != "0":
            # Rules of Landlock are to be seen nowhere, but whoever sets some has to set this first.
            raise UnfitError("it has no new privileges (no_new_privs), as in a sandbox, whose rules cannot be compared")
        if name in _STATUS:
            found[_STATUS[name]] = f"{found.get(_STATUS[name], '')} {name}={value.strip()}"
    return found


def _priority() -> str:
    scheduling = os.sched_getscheduler(0), os.sched_getparam(0).sched_priority
    return f"{os.getpriority(os.PRIO_PROCESS, 0)} {scheduling} {_read('/proc/self/oom_score_adj')}"


def umask() -> int:
    """The umask of this process, which is not touched.

    Raises:
        OSError: /proc cannot be read.
    """
    for line in _read("/proc/self/status").splitlines():
        if line.startswith("Umask:"):
            return int(line.removeprefix("Umask:"), 8)
    raise OSError("/proc/self/status has no umask")


def difference(here: Surroundings, there: object) -> str | None:
    """What differs, in words for people, or None."""
    if not isinstance(there, dict):
        return "another protocol"
    return next((name for name, value in here.items() if there.get(name) != value), None)


def decides(name: str, names: frozenset[str]) -> bool:
    """Whether a variable decides about what is loaded: it is one of `names`, or read when a process starts."""
    return name in names or name.startswith(_PREFIXES) or name in _NAMES


def variable_that_differs(names: frozenset[str], here: Mapping[str, str], there: Mapping[str, str]) -> str | None:
    """The first variable that decides about what is loaded, and has another value there, or only one."""
    candidates = (name for name in sorted({*here, *there}) if decides(name, names))
    return next((name for name in candidates if here.get(name) != there.get(name)), None)


def _read(path: str) -> str:
    with open(path, encoding="utf-8", errors="replace") as file:  # noqa: PTH123 - pathlib is slow to import
        return file.read()


def _links(folder: str) -> list[str]:
    return sorted(os.readlink(f"{folder}/{name}") for name in os.listdir(folder))  # noqa: PTH115, PTH208 - as above
