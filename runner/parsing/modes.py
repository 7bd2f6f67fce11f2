"""The parsing modes there are, one entry in `MODES` each, and which one a run takes."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, cast

from runner.engine.ports import Capabilities, ConfigurationError, ParsingMode, ToolDefinition
from runner.parsing.json_mode import JsonMode
from runner.parsing.mending import Mender
from runner.parsing.native import NativeMode
from runner.parsing.output import FINAL_ANSWER, Output
from runner.parsing.patterns import Pattern
from runner.parsing.react import ReactMode
from runner.parsing.react_labels import LANGUAGES, Labels
from runner.parsing.structured import StructuredMode
from runner.parsing.text_mode import TextMode
from runner.parsing.text_protocol import TextProtocol
from runner.prompts import PromptError, render
from runner.spec import Json, ParsingSpec, Text


@dataclass(frozen=True, kw_only=True, slots=True)
class Setting:
    """What a mode is made for.

    Attributes:
        spec: what the agent says about parsing.
        tools: what the model may call.
        capabilities: what the model supports.
        output: what the answer must be; the mode only has to ask for it where its provider can hold a reply to it.
        folder: the agent's folder, for the files that templates include.
        mender: repairs small slips in the JSON of replies; None repairs nothing.
    """

    spec: ParsingSpec
    tools: Sequence[ToolDefinition]
    capabilities: Capabilities
    output: Output | None = None
    folder: Path = Path()
    mender: Mender | None = None


def _react(setting: Setting) -> ParsingMode:
    labels = setting.spec.labels
    words = LANGUAGES[labels] if isinstance(labels, str) else Labels(**labels)
    return ReactMode(setting.tools, setting.capabilities, labels=words, mender=setting.mender)


def _text(setting: Setting) -> ParsingMode:
    spec = setting.spec
    protocol = TextProtocol(
        instructions=_template(spec.instructions or Text(value="", origin=""), setting.folder),
        call=Pattern(spec.call or ""),
        answer=Pattern(spec.answer or ""),
        arguments=cast("Literal['json', 'pairs', 'none']", spec.arguments),
        result=_template(spec.result, setting.folder) if spec.result else None,
        stop=spec.stop,
    )
    return TextMode(setting.tools, setting.capabilities, protocol=protocol, mender=setting.mender)


def _template(text: Text, folder: Path) -> Callable[[Mapping[str, Json]], str]:
    def filled(variables: Mapping[str, Json]) -> str:
        try:
            return render(text, variables, folder=folder)
        except PromptError as error:
            raise ConfigurationError(str(error)) from error

    return filled


MODES: dict[str, Callable[[Setting], ParsingMode]] = {
    "native": lambda setting: NativeMode(
        setting.tools, setting.capabilities, output=setting.output, mender=setting.mender
    ),
    "json": lambda setting: JsonMode(setting.tools, setting.capabilities, output=setting.output, mender=setting.mender),
    "react": _react,
    "text": _text,
}


def choose_mode(setting: Setting) -> ParsingMode:
    """Make the parsing mode of a run; `auto` is json for models known not to call functions, else native."""
    capabilities, output = setting.capabilities, setting.output
    name = setting.spec.mode
    if name == "auto":
        name = "json" if capabilities.function_calling is False else "native"
    mode = MODES[name](setting)
    if output is None:
        return mode
    by_tool = name == "native" and bool(setting.tools)
    return StructuredMode(
        mode,
        output,
        explained=not by_tool and (name != "native" or capabilities.response_format is not True),
        hint=f"; give it by calling the tool {FINAL_ANSWER}" if by_tool else "",
        mender=setting.mender,
    )
