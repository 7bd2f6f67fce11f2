"""Which environment variables a tool's process gets: what programs need to work, and no keys."""

import os
import sys
from collections.abc import Mapping

from runner.tools import loading

# Everything else, API keys above all, stays with the runner: a tool is given what its `env` names.
_KEPT = frozenset(
    {
        *("PATH", "HOME", "USER", "LOGNAME", "SHELL", "TZ", "TMPDIR", "TEMP", "TMP", "LANG", "LANGUAGE"),
        *("VIRTUAL_ENV", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME"),
        *("PYTHONPATH", "PYTHONUTF8", "PYTHONDONTWRITEBYTECODE", "PYTHONPYCACHEPREFIX", "PYTHONWARNINGS"),
        # Where certificates are, and how to get out: a tool that works in the runner's process works here.
        *("SSL_CERT_FILE", "SSL_CERT_DIR", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE"),
        *("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY"),
        # Windows
        *("SYSTEMROOT", "SYSTEMDRIVE", "COMSPEC", "PATHEXT", "WINDIR", "USERPROFILE", "APPDATA", "LOCALAPPDATA"),
        *("PROGRAMFILES", "PROGRAMDATA", "NUMBER_OF_PROCESSORS"),
    }
)


def environment_for(own: Mapping[str, str], environ: Mapping[str, str]) -> dict[str, str]:
    """The variables of a tool's process: the harmless ones of `environ`, and the tool's own."""
    kept = {name: value for name, value in environ.items() if name.upper() in _KEPT or name.startswith("LC_")}
    return {**kept, **own}


def module_path() -> str:
    """A `PYTHONPATH` with which Python finds the modules that this process finds, in the same order.

    Where tools of this process were imported from is left out: the other process finds its own tool by itself.
    """
    roots = set(loading._roots)  # noqa: SLF001 - what it put on the path is nobody else's business
    entries = (os.path.abspath(entry) for entry in sys.path if entry not in roots)  # noqa: PTH100 - "" is the current folder here
    return os.pathsep.join(dict.fromkeys(entries))
