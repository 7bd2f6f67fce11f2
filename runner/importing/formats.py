"""The formats that can be imported, in one table: a new one is a new file and a line here."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from runner.importing import docker_agent, goose, prompty, pydantic_ai
from runner.importing.agent import AgentDraft
from runner.importing.part import Notes
from runner.importing.source import ForeignFile


@dataclass(frozen=True, kw_only=True, slots=True)
class Format:
    """One format.

    Attributes:
        title: what people call a file of it.
        signs: how it is told from others, for people.
    """

    title: str
    signs: str
    recognises: Callable[[ForeignFile], bool]
    convert: Callable[[ForeignFile, Notes], list[AgentDraft]]


# The first that recognises a file has it.
FORMATS: Mapping[str, Format] = {
    "prompty": Format(
        title="prompty file",
        signs="YAML between two '---', then a template",
        recognises=prompty.recognises,
        convert=prompty.convert,
    ),
    "docker-agent": Format(
        title="docker-agent file",
        signs="a mapping 'agents'",
        recognises=docker_agent.recognises,
        convert=docker_agent.convert,
    ),
    "goose": Format(
        title="goose recipe",
        signs="'title' with 'instructions' or 'prompt'",
        recognises=goose.recognises,
        convert=goose.convert,
    ),
    "pydantic-ai": Format(
        title="pydantic-ai agent spec",
        signs="a model 'provider:name', or keys like 'model_settings' and 'capabilities'",
        recognises=pydantic_ai.recognises,
        convert=pydantic_ai.convert,
    ),
}


def recognised(file: ForeignFile) -> Format | None:
    """The format of a file; None when it is none of these."""
    return next((each for each in FORMATS.values() if each.recognises(file)), None)
