"""The checks that no schema can express, in one list: a new one is a new file and a line here."""

from collections.abc import Callable, Iterable

from runner.diagnostics import Diagnostic
from runner.language.catalog import DeclaredTool
from runner.language.references import MergedAgent
from runner.language.rules import (
    declared_parameters,
    environment_variables,
    example_answers,
    example_arguments,
    example_tools,
    http_address,
    http_headers,
    http_parts,
    http_placeholders,
    http_select,
    input_defaults,
    limit_policy,
    model_names,
    native_calls,
    python_config,
    python_examples,
    python_functions,
    react_labels,
    repeated_tools,
    structured_answers,
    template_mistakes,
    template_variables,
    text_protocol,
    tool_choice,
    tool_retries,
    unknown_tools,
    unused_inputs,
    written_secrets,
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
    example_arguments.check,
    python_examples.check,
    limit_policy.check,
    environment_variables.check,
)
TOOL_RULES: tuple[ToolRule, ...] = (
    python_functions.check_tool,
    python_config.check_tool,
    declared_parameters.check_tool,
    limit_policy.check_tool,
    http_address.check_tool,
    http_headers.check_tool,
    http_parts.check_tool,
    http_placeholders.check_tool,
    http_select.check_tool,
    tool_retries.check_tool,
    environment_variables.check_tool,
    written_secrets.check_tool,
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
    **python_config.CODES,
    **declared_parameters.CODES,
    **model_names.CODES,
    **native_calls.CODES,
    **react_labels.CODES,
    **text_protocol.CODES,
    **structured_answers.CODES,
    **example_answers.CODES,
    **limit_policy.CODES,
    **example_arguments.CODES,
    **http_address.CODES,
    **http_headers.CODES,
    **http_parts.CODES,
    **http_placeholders.CODES,
    **http_select.CODES,
    **tool_retries.CODES,
    **environment_variables.CODES,
    **written_secrets.CODES,
}
