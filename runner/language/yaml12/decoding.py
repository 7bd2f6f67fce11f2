"""Bytes of a file -> text, or the diagnostic why they are none."""

import codecs

from runner.diagnostics import Diagnostic, Location
from runner.language.source import Source

MAX_BYTES = 10_000_000

# UTF-32 before UTF-16: its little-endian mark begins with that of UTF-16.
_OTHER_ENCODINGS = (
    (codecs.BOM_UTF32_LE, "UTF-32"),
    (codecs.BOM_UTF32_BE, "UTF-32"),
    (codecs.BOM_UTF16_LE, "UTF-16"),
    (codecs.BOM_UTF16_BE, "UTF-16"),
)


def decode(data: bytes, file: str) -> str | Diagnostic:
    """Decode UTF-8, with or without a byte order mark, whatever the locale."""
    if len(data) > MAX_BYTES:
        limit = f"{MAX_BYTES // 1_000_000} MB"
        message = f"the file is larger than {limit}; an agent is a small text file"
        return Diagnostic(code="RUN103", message=message, location=Location(file=file))
    for mark, name in _OTHER_ENCODINGS:
        if data.startswith(mark):
            message = f"the file is {name}, expected UTF-8"
            return Diagnostic(
                code="RUN102", message=message, location=Location(file=file), suggestion="save the file as UTF-8"
            )
    try:
        return data.removeprefix(codecs.BOM_UTF8).decode("utf-8")
    except UnicodeDecodeError as error:
        return _not_utf8(error, file)


def _not_utf8(error: UnicodeDecodeError, file: str) -> Diagnostic:
    good = error.object[: error.start].decode("utf-8")
    # The rest of the line is shown with every byte that is no UTF-8 replaced.
    source = Source(file, good + error.object[error.start :].decode("utf-8", errors="replace"))
    byte = error.object[error.start]
    guess = bytes([byte]).decode("cp1252", errors="replace")
    meant = f" ('{guess}' in Windows-1252)" if guess.isprintable() and guess != "\ufffd" else ""
    return source.diagnostic(
        "RUN102",
        f"not UTF-8 text: byte 0x{byte:02X}{meant}",
        source.span(len(good), len(good) + 1),
        suggestion="save the file as UTF-8",
    )
