"""The line a person writes on a terminal: editing, history and completion; only this module imports prompt_toolkit."""

import os
import sys
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import TextIO

from prompt_toolkit import PromptSession
from prompt_toolkit.completion import CompleteEvent, Completer, Completion
from prompt_toolkit.data_structures import Size
from prompt_toolkit.document import Document
from prompt_toolkit.enums import DEFAULT_BUFFER
from prompt_toolkit.filters import Condition, has_focus
from prompt_toolkit.formatted_text import StyleAndTextTuples
from prompt_toolkit.history import FileHistory, InMemoryHistory
from prompt_toolkit.input import create_input
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent
from prompt_toolkit.output import Output, create_output
from prompt_toolkit.output.vt100 import Vt100_Output

_PROMPT, _CONTINUATION = "> ", "… "
_GOES_ON = "\\"
_ROWS, _COLUMNS = 24, 80  # of a terminal that does not say


class Editor:
    """Reads one text after the other, each one line or more.

    Enter sends the text. Alt-Enter, or a backslash at the end of the line, begins a new line; pasted line breaks stay.

    Args:
        commands: what can be completed, and what it does.
        history: the file of what was written before; None remembers this chat only.
        stdin: the terminal, to read from.
        stderr: the terminal, to write to.
        colour: whether the terminal may be sent colours.
        mask: takes out of a text what must not be kept.
        cleared: called when Ctrl-C has thrown away an empty line, so somebody looks for the way out.
    """

    def __init__(  # noqa: PLR0913 - the parts of a terminal
        self,
        *,
        commands: Mapping[str, str],
        history: Path | None,
        stdin: TextIO,
        stderr: TextIO,
        colour: bool,
        mask: Callable[[str], str],
        cleared: Callable[[], None],
    ) -> None:
        self._cleared = cleared
        style = "bold" if colour else ""
        self._session: PromptSession[str] = PromptSession(
            [(style, _PROMPT)],
            multiline=True,
            prompt_continuation=_continuation,
            completer=_Commands(commands),
            complete_while_typing=Condition(lambda: self._session.default_buffer.text.startswith("/")),
            history=_Lenient(history, mask) if history is not None else InMemoryHistory(),
            key_bindings=_keys(),
            input=create_input(stdin),
            output=_output(stderr),
            enable_suspend=True,
        )

    async def read(self) -> str:
        """The next text.

        Raises:
            EOFError: the person leaves (Ctrl-D on an empty line), or the terminal is gone.
        """
        while True:
            try:
                # The signals and the mishaps of the loop are not the editor's business.
                text = await self._session.prompt_async(handle_sigint=False, set_exception_handler=False)
            except KeyboardInterrupt:
                if not self._session.default_buffer.text:
                    self._cleared()
                continue
            return text.encode("utf-8", "replace").decode("utf-8")


def _output(terminal: TextIO) -> Output:
    if sys.platform == "win32":
        return create_output(terminal)
    # Without asking where the cursor is: slow terminals answer when nobody listens, and it ends up in the text.
    return Vt100_Output(terminal, lambda: _size(terminal), term=os.environ.get("TERM"), enable_cpr=False)


def _size(terminal: TextIO) -> Size:
    try:
        columns, rows = os.get_terminal_size(terminal.fileno())
    except OSError:
        columns = rows = 0
    return Size(rows=rows or _ROWS, columns=columns or _COLUMNS)


def _continuation(width: int, number: int, wraps: int) -> StyleAndTextTuples:
    del number
    return [("", " " * width if wraps else _CONTINUATION[:width])]


def _keys() -> KeyBindings:
    keys = KeyBindings()
    writing = has_focus(DEFAULT_BUFFER)

    @keys.add("enter", filter=writing)
    def _(event: KeyPressEvent) -> None:
        buffer = event.current_buffer
        if buffer.document.current_line_before_cursor.endswith(_GOES_ON):
            buffer.delete_before_cursor()
            buffer.newline(copy_margin=False)
        else:
            buffer.validate_and_handle()

    @keys.add("escape", "enter", filter=writing)
    def _(event: KeyPressEvent) -> None:
        event.current_buffer.newline(copy_margin=False)

    return keys


class _Commands(Completer):
    """Completes the name of a command at the beginning of the text."""

    def __init__(self, commands: Mapping[str, str]) -> None:
        self._commands = commands

    def get_completions(self, document: Document, complete_event: CompleteEvent) -> Iterable[Completion]:
        """The commands that begin like the text."""
        del complete_event
        text = document.text
        if text.startswith("/") and not any(map(str.isspace, text)):
            for name, does in self._commands.items():
                if f"/{name}".startswith(text.lower()):
                    yield Completion(f"/{name}", start_position=-len(text), display_meta=does)


class _Lenient(FileHistory):
    """A history that does without its file when that cannot be used, and keeps no line that begins with a blank."""

    def __init__(self, file: Path, mask: Callable[[str], str]) -> None:
        super().__init__(str(file))
        self._mask = mask

    def append_string(self, string: str) -> None:
        """Remember a text, unless it begins with a blank, as shells have it."""
        if not string.startswith(" "):
            super().append_string(string)

    def load_history_strings(self) -> Iterable[str]:
        """What the file has, the newest first."""
        try:
            yield from super().load_history_strings()
        except OSError:
            return

    def store_string(self, string: str) -> None:
        """Add a text to the file, which is for this user's eyes only."""
        with suppress(OSError):
            os.close(os.open(self.filename, os.O_CREAT | os.O_WRONLY, 0o600))
            super().store_string(self._mask(string))
