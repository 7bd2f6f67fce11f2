"""The answer filter of the `react` mode: what may be shown of a final answer while it is still being streamed."""

import re

from runner.parsing.react_labels import Labels
from runner.parsing.react_text import observation_start, split

# A reply that has not begun to answer by then is shown when it has ended.
MAX_THOUGHT_CHARS = 20_000
# A model that writes this much white space has nothing more to say.
MAX_HELD_CHARS = 1000
# How much longer than its word an observation's label can be: indented, numbered, spaced, with its colon.
_LABEL_ROOM = 16


class ReactAnswer:
    """The text behind a plain `Final Answer:` at the start of a line, with no action before it.

    What is shown is always the beginning of the answer that is read in the end: white space, and a line that may turn
    out to be an observation, are held back until it is certain that they belong to it.
    """

    def __init__(self, labels: Labels) -> None:
        self._labels = labels
        self._plain = re.compile(rf"[ \t]{{0,3}}{re.escape(labels.final_answer)}[ \t]{{0,2}}[:：]")  # noqa: RUF001 - as in labels
        self._pending = ""
        self._line = 0
        self._answering = self._started = self._over = False

    def feed(self, text: str) -> str:
        """The characters of the answer that are now certain."""
        if self._over:
            return ""
        seen = len(self._pending)
        self._pending += text
        if not self._answering:
            self._look_for_answer(seen)
        return self._certain() if self._answering else ""

    def _look_for_answer(self, seen: int) -> None:
        """Look at each line that is new behind `seen`."""
        while (label := self._plain.match(self._pending, self._line)) is None:
            line = self._pending.find("\n", max(self._line, seen)) + 1
            if line == 0:
                self._over = len(self._pending) > MAX_THOUGHT_CHARS
                return
            self._line = line
        before = self._pending[: self._line]
        parts = split(self._pending[: label.end()], self._labels).parts
        others = {part.section for part in parts[:-1]} - {"thought"}
        self._answering = (
            bool(parts)
            and (parts[-1].section, parts[-1].start) == ("answer", self._line)
            and not others
            and before.count("```") % 2 == 0  # the end of a fence is no part of the answer in it
        )
        self._over = not self._answering
        self._pending = self._pending[label.end() :]

    def _certain(self) -> str:
        certain = self._pending
        line = certain.rfind("\n") + 1
        # The answer begins behind its label, not at the start of a line.
        end = observation_start(f"_{certain}", self._labels)
        if end is not None:
            certain, self._over = certain[: end - 1], True
        elif line > 0 and self._may_be_label(certain[line:]):
            certain = certain[:line]
        certain = certain.rstrip()
        self._pending = self._pending[len(certain) :]
        self._over = self._over or len(self._pending) > MAX_HELD_CHARS
        shown = certain if self._started else certain.lstrip()
        self._started = self._started or bool(shown)
        return shown

    def _may_be_label(self, line: str) -> bool:
        word = self._labels.observation
        return len(line) <= len(word) + _LABEL_ROOM and line.lstrip(" \t")[:1] in ("", word[0])
