"""Names the files with certificates that loading may read, so that one withdrawn there is not trusted for longer."""

import os
import ssl
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

from runner.warm.surroundings import UnfitError

_VARIABLES = ("SSL_CERT_FILE", "SSL_CERT_DIR", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "SSL_CERTIFICATE")


def certificate_files() -> list[Path]:
    """Files, folders, and what is in the folders; not all of them need be there.

    Raises:
        UnfitError: a variable names one that is another in each folder.
    """
    named = {*_named(), *_defaults()}
    folders = {path.resolve() for path in named if path.is_dir()}  # the system's has two names
    return [*named, *(file for folder in folders for file in folder.iterdir())]


def _named() -> Iterator[Path]:
    for variable in _VARIABLES:
        for path in filter(None, os.environ.get(variable, "").split(os.pathsep)):
            if not path.startswith("/"):
                raise UnfitError(
                    f"{variable} is {path!r}; expected a path that begins with /, the same in every folder"
                )
            yield Path(path)


def _defaults() -> Iterator[Path]:
    defaults = ssl.get_default_verify_paths()
    for path in (defaults.cafile, defaults.capath, defaults.openssl_cafile, defaults.openssl_capath):
        if path is not None:
            yield Path(path)
    # Not imported: it is LiteLLM's, and reads nothing itself.
    certifi = find_spec("certifi")
    if certifi is not None and certifi.origin is not None:
        yield Path(certifi.origin).with_name("cacert.pem")
