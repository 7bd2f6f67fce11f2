"""What the runner and a tool's process say to each other: JSON in ASCII, one message a line.

The runner sends `Setup`; the process imports the tool and answers `Ready` or `Failed`. Then, at most once, the runner
sends `Call`, and the process answers any number of `Logged` and one `Returned`.
"""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field

from runner.spec import Json, JsonObject, LimitPolicy, ProjectSpec, ToolSpec
from runner.tools.isolated.settings import Isolation

_LEVELS = ("debug", "info", "warning", "error")


class ProtocolError(Exception):
    """A line is none of the messages."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Setup:
    """Which tool the process is for.

    Attributes:
        variables: the environment variables that the declaration names, for its `${VAR}`; `repr` hides their values.
        python_path: `PYTHONPATH` as the tool shall see it; the process itself is started with another one.
    """

    spec: ToolSpec
    project: ProjectSpec
    isolation: Isolation
    max_result_chars: int
    variables: Mapping[str, str] = field(default_factory=dict, repr=False)
    python_path: str | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Call:
    """A call of the tool; `seconds` are left for it."""

    id: str
    session: str | None
    arguments: JsonObject
    seconds: float


@dataclass(frozen=True, kw_only=True, slots=True)
class Ready:
    """The tool is imported; this is what a model is told about it."""

    description: str
    parameters: JsonObject


@dataclass(frozen=True, kw_only=True, slots=True)
class Failed:
    """The tool cannot be used; `message` is one line for the person who wrote it."""

    message: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Logged:
    """The running tool tells how it is getting on."""

    level: str
    message: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Returned:
    """The result of the call."""

    content: str
    is_error: bool


Request = Setup | Call
Reply = Ready | Failed | Logged | Returned


def encoded(message: Request | Reply) -> bytes:
    """The message as its line.

    Raises:
        RecursionError: arguments are nested too deeply.
    """
    return json.dumps({type(message).__name__: asdict(message)}).encode("ascii") + b"\n"


def read_request(line: bytes) -> Request:
    """A message of the runner, which the process can trust."""
    message: Mapping[str, Json] = json.loads(line)
    if call := message.get("Call"):
        return Call(**call)
    setup: dict[str, Json] = message["Setup"]
    return Setup(
        **{
            **setup,
            "spec": ToolSpec(**setup["spec"]),
            "project": _project(setup["project"]),
            "isolation": Isolation(**setup["isolation"]),
        }
    )


def read_reply(line: bytes) -> Reply:
    """A message of a tool's process, which may hold anything.

    Raises:
        ProtocolError: it is none.
    """
    try:
        message = json.loads(line)
    except (ValueError, RecursionError):
        message = None
    match message:
        case {"Ready": {"description": str(description), "parameters": dict(parameters)}}:
            return Ready(description=description, parameters=parameters)
        case {"Failed": {"message": str(text)}}:
            return Failed(message=text)
        case {"Logged": {"level": str(level), "message": str(text)}}:
            return Logged(level=level if level in _LEVELS else "info", message=_well_formed(text))
        case {"Returned": {"content": str(content), "is_error": bool(is_error)}}:
            return Returned(content=_well_formed(content), is_error=is_error)
        case _:
            raise ProtocolError


def _well_formed(text: str) -> str:
    """The text without lone surrogates, which a tool that writes into our pipe may send."""
    return text.encode(errors="replace").decode()


def _project(fields: Mapping[str, Json]) -> ProjectSpec:
    """JSON has lists where the specs have tuples."""
    limits = {**fields["limits"], "required": tuple(fields["limits"]["required"])}
    lists = {name: tuple(value) for name, value in fields.items() if isinstance(value, list)}
    return ProjectSpec(**{**fields, **lists, "limits": LimitPolicy(**limits)})
