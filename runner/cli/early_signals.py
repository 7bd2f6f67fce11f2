"""What SIGINT and SIGTERM do while no run and no chat listens to them: they end the process, without a traceback."""

# Imported before everything else: nothing slow may stand here.

import os
import signal


class EarlySignals:
    """The signals of a process that is starting, or carries out a short command.

    Attributes:
        code: the exit code of a process that was interrupted.
    """

    def __init__(self) -> None:
        self.code = 128 + signal.SIGINT
        self._heard = False
        self._at_once = True

    def listen(self) -> None:
        """End the process at once on either of them from now on; one that our parent has us ignore stays ignored."""
        for number in (signal.SIGINT, signal.SIGTERM):
            if signal.getsignal(number) is not signal.SIG_IGN:
                signal.signal(number, self._hear)

    def allow_for_cleaning_up(self) -> None:
        """From now on the first raises KeyboardInterrupt; only a second SIGTERM ends the process at once."""
        self._at_once = False
        if signal.getsignal(signal.SIGINT) == self._hear:
            # Python's own, which asyncio knows and replaces by something that ends its tasks one by one.
            signal.signal(signal.SIGINT, signal.default_int_handler)

    def _hear(self, number: int, frame: object) -> None:
        del frame
        if self._at_once or self._heard:
            os._exit(128 + number)
        self.code, self._heard = 128 + number, True
        raise KeyboardInterrupt
