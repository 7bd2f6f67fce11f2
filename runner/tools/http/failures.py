"""What keeps a call of an HTTP tool from giving a result; every message is for the model, and holds no secret."""


class UnpreparedError(Exception):
    """The call cannot be made with these arguments; nothing was sent."""


class RefusedAddressError(Exception):
    """The address must not be reached; nothing was sent there."""


class RefusedRedirectError(Exception):
    """The server sends the request to a place where it does not go."""


class FailedExchangeError(Exception):
    """The server was not reached or did not answer properly.

    Attributes:
        timed_out: whether it was we who waited no longer.
    """

    def __init__(self, message: str, *, timed_out: bool = False) -> None:
        super().__init__(message)
        self.timed_out = timed_out
