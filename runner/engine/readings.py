"""What a reading of a reply tells the loop: its repairs, and whether it was of any use."""

from runner.engine.ports import Answer, Calls, Malformed, Reading


def repairs(reading: Reading) -> list[str]:
    """What was repaired in a reply, a phrase each, for people."""
    match reading:
        case Answer(repaired=str(what)):
            return [f"the answer: {what}"]
        case Calls():
            return [f"the arguments of {call.name}: {call.repaired}" for call in reading.message.calls if call.repaired]
        case _:
            return []


def problem_of(reading: Calls | Malformed) -> str | None:
    """What made a reply useless as a whole, or None. One good call among bad ones makes it useful."""
    if isinstance(reading, Malformed):
        return reading.problem
    problems = [call.problem for call in reading.message.calls]
    return None if None in problems else "; ".join(filter(None, problems))


def clipped(text: str, most: int = 300) -> str:
    """A reply on one line, for an error message."""
    line = " ".join(text.split())
    return line if len(line) <= most else f"{line[:most]}…"
