"""The inside of the process: opens one tool after the other, and says of each what came of it.

Reads a line of JSON for each tool, and writes one when it begins (`{"begin": 0}`) and one when it is done, so that
whoever waits knows which tool a hanging or ended process was busy with.
"""

import json
import os
import sys
from collections.abc import Mapping
from typing import Any, BinaryIO

from runner.environment import VariableError
from runner.spec import Json, JsonObject
from runner.tools.arguments import WrongArgumentsError
from runner.tools.failures import ToolLoadError
from runner.tools.isolated.protocol import Setup, read_request
from runner.tools.python import PythonTool, open_python_tool


def main() -> None:
    """Open the tools that stdin names, until it ends."""
    requests, replies = _claim_streams()
    for number, line in enumerate(requests):
        _send(replies, {"begin": number})
        _send(replies, _opened(json.loads(line)))
    replies.close()
    # Not by the end of `main`: a thread that a module started must not keep the process.
    os._exit(0)


def _claim_streams() -> tuple[BinaryIO, BinaryIO]:
    """Take the pipes for ourselves, before any other code runs: what it prints goes where its stderr goes."""
    requests, replies = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    return requests, replies


def _send(replies: BinaryIO, message: Mapping[str, Json]) -> None:
    sys.stdout.flush()
    replies.write(json.dumps(message).encode("ascii") + b"\n")
    replies.flush()


def _opened(request: Mapping[str, Any]) -> Mapping[str, Json]:
    setup = read_request(json.dumps(request["setup"]).encode())
    assert isinstance(setup, Setup)  # noqa: S101 - the runner sends nothing else
    try:
        tool = open_python_tool(setup.spec, setup.project, max_result_chars=setup.max_result_chars, environ=os.environ)
    except VariableError as error:
        return {"problem": str(error).removeprefix(f"{setup.spec.origin}: "), "unset": True}
    except ToolLoadError as error:
        return {"problem": str(error)}
    found = {number: _misfit(tool, arguments) for number, arguments in enumerate(request["examples"])}
    described = bool(tool.definition.description.strip())
    return {"described": described, "examples": {number: problem for number, problem in found.items() if problem}}


def _misfit(tool: PythonTool, arguments: JsonObject) -> str | None:
    try:
        tool.bind(arguments, None)
    except WrongArgumentsError as error:
        return str(error)
    except BaseException as error:  # noqa: BLE001 - the types' validators are their author's code
        return f"{type(error).__name__} while they were read"
    return None
