"""What a person sees on a terminal once everything has been written to it."""

import re

from tests.cli.fakes import Terminal, TerminalBytes

_PIECES = re.compile(r"\x1b\[(?P<number>[0-9;?]*)(?P<code>[A-Za-z])|(?P<control>[\r\n])|(?P<text>[^\x1b\r\n]+)")


def seen(written: str) -> list[str]:
    """The lines that are left, by the few control codes that rich uses; anything else is a mistake here."""
    lines = [""]
    row = column = 0
    for piece in _PIECES.finditer(written):
        if text := piece["text"]:
            line = lines[row].ljust(column)
            lines[row] = line[:column] + text + line[column + len(text) :]
            column += len(text)
        elif piece["control"] == "\r":
            column = 0
        elif piece["control"] == "\n":
            row, column = row + 1, 0
            lines += [""] * (row + 1 - len(lines))
        elif piece["code"] == "A":
            row -= int(piece["number"] or 1)
        elif piece["code"] == "K":
            lines[row] = ""
        else:
            assert piece["code"] in "mhl", piece
    assert "".join(piece.group() for piece in _PIECES.finditer(written)) == written
    return [line.rstrip() for line in lines]


class _Tee(Terminal):
    def __init__(self, written: list[str]) -> None:
        super().__init__()
        self._written = written

    def write(self, text: str, /) -> int:
        self._written.append(text)
        return len(text)


class _ByteTee(TerminalBytes):
    def __init__(self, written: list[str]) -> None:
        super().__init__()
        self._written = written

    def write(self, data: object, /) -> int:
        text = bytes(data).decode("utf-8")  # type: ignore[call-overload] # bytes-like is all that is ever written
        self._written.append(text)
        return len(text.encode("utf-8"))


class SharedTerminal:
    """One terminal that is both stdout (`out`) and stderr (`err`)."""

    def __init__(self) -> None:
        self._written: list[str] = []
        self.out = _ByteTee(self._written)
        self.err = _Tee(self._written)

    @property
    def lines(self) -> list[str]:
        """What a person sees."""
        return seen("".join(self._written))
