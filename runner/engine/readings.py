"""What a reading of a reply means to the loop: whether it may be, whether it is of use, and what was repaired."""

from dataclasses import replace

from runner.engine.ports import Answer, Calls, Malformed, Reading
from runner.spec import ToolChoice


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


def held_to(choice: ToolChoice, reading: Reading) -> Reading:
    """The reading with calls that the tool choice does not allow turned into problems: providers do not always obey."""
    if not isinstance(reading, Calls) or choice.mode in ("auto", "required"):
        return reading
    if choice.mode == "none":
        problem = "no tool may be called now: answer the user"
    elif all(call.name != choice.mode for call in reading.message.calls):
        problem = f"call the tool {choice.mode} first"
    else:
        return reading
    calls = tuple(replace(call, problem=call.problem or problem) for call in reading.message.calls)
    return replace(reading, message=replace(reading.message, calls=calls))
