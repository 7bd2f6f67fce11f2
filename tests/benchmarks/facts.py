"""What has to be known about a machine to make sense of figures measured on it."""

import os
import platform
from importlib.metadata import PackageNotFoundError, version

LIBRARIES = ("yaml-agent-runner", "litellm", "openai", "aiohttp")


def machine_facts() -> dict[str, str | int | None]:
    """Python, the machine, and the versions of what is measured; None where a library is not installed."""
    return {
        "python": platform.python_version(),
        "system": platform.platform(),
        "cpus": os.cpu_count(),
        **{library: _version(library) for library in LIBRARIES},
    }


def _version(library: str) -> str | None:
    try:
        return version(library)
    except PackageNotFoundError:
        return None
