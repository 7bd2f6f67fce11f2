"""The checks that no schema can express, in one list: a new one is a new file and a line here."""

from collections.abc import Callable, Iterable

from runner.diagnostics import Diagnostic
from runner.language.catalog import DeclaredTool
from runner.language.references import MergedAgent
from runner.language.rules import (
    declared_parameters,
    environment_variables,
    example_answers,
    example_tools,
    input_defaults,
    model_names,
    native_calls,
    python_functions,
    react_labels,
    repeated_tools,
    structured_answers,
    template_mistakes,
    template_variables,
    text_protocol,
    tool_choice,
    unknown_tools,
    unused_inputs,
)
from runner.spec import ProjectSpec

# Rules look at agents and tools that may be malformed; what the schema complains about they pass over in silence.
AgentRule = Callable[[MergedAgent], Iterable[Diagnostic]]
ToolRule = Callable[[DeclaredTool, ProjectSpec], Iterable[Diagnostic]]

AGENT_RULES: tuple[AgentRule, ...] = (
    unknown_tools.check,
    repeated_tools.check,
    example_tools.check,
    tool_choice.check,
    input_defaults.check,
    template_mistakes.check,
    template_variables.check,
    unused_inputs.check,
    model_names.check,
    native_calls.check,
    react_labels.check,
    text_protocol.check,
    structured_answers.check,
    example_answers.check,
    environment_variables.check,
)
TOOL_RULES: tuple[ToolRule, ...] = (
    python_functions.check_tool,
    declared_parameters.check_tool,
    environment_variables.check_tool,
)
CODES: dict[str, str] = {
    **unknown_tools.CODES,
    **repeated_tools.CODES,
    **example_tools.CODES,
    **tool_choice.CODES,
    **input_defaults.CODES,
    **template_mistakes.CODES,
    **template_variables.CODES,
    **unused_inputs.CODES,
    **python_functions.CODES,
    **declared_parameters.CODES,
    **model_names.CODES,
    **native_calls.CODES,
    **react_labels.CODES,
    **text_protocol.CODES,
    **structured_answers.CODES,
    **example_answers.CODES,
    **environment_variables.CODES,
}
