"""Words people bring along from other tools, and words of later versions of this language."""

from collections.abc import Mapping

# Place (the last name of the path, or the kind of document at its top) -> foreign key -> ours.
FOREIGN: Mapping[str, Mapping[str, str]] = {
    "agent": {
        **dict.fromkeys(
            ("instruction", "system", "system_prompt", "system_message", "system_instruction", "backstory", "persona"),
            "instructions",
        ),
        **dict.fromkeys(("user_prompt", "user_message", "user", "query", "task", "template"), "prompt"),
        **dict.fromkeys(("llm", "models", "model_name", "engine"), "model"),
        **dict.fromkeys(("model_params", "model_settings", "generation_config"), "model.params"),
        **dict.fromkeys(("temperature", "max_tokens", "api_base", "api_key"), "model.*"),
        **dict.fromkeys(("base_url", "endpoint"), "model.api_base"),
        **dict.fromkeys(("toolsets", "functions", "plugins", "actions", "extensions"), "tools"),
        **dict.fromkeys(("max_steps", "timeout", "tool_timeout", "max_tool_calls", "max_parallel_tools"), "limits.*"),
        **dict.fromkeys(
            ("max_iterations", "max_iter", "max_turns", "max_rounds", "recursion_limit"), "limits.max_steps"
        ),
        **dict.fromkeys(("variables", "vars", "parameters", "args", "arguments", "params", "input"), "inputs"),
        **dict.fromkeys(
            ("structured_output", "response_format", "output_type", "response_schema", "response"), "output_schema"
        ),
        **dict.fromkeys(("parser", "parsing_mode", "output_parser", "mode", "strategy"), "parsing"),
        **dict.fromkeys(("few_shot", "few_shots", "shots", "demos"), "examples"),
        **dict.fromkeys(("base", "inherits", "inherit", "include", "includes", "parent"), "extends"),
        **dict.fromkeys(("id", "title", "agent_name"), "name"),
        **dict.fromkeys(("summary", "role", "goal"), "description"),
    },
    "model": {
        **dict.fromkeys(("id", "model", "model_name", "model_id"), "name"),
        **dict.fromkeys(("base_url", "url", "endpoint", "host"), "api_base"),
        **dict.fromkeys(("key", "token", "api_token"), "api_key"),
        **dict.fromkeys(("max_completion_tokens", "max_output_tokens"), "max_tokens"),
        **dict.fromkeys(("request_timeout",), "timeout"),
        **dict.fromkeys(("extra", "extra_body", "options", "kwargs", "settings", "parameters"), "params"),
        **dict.fromkeys(
            ("top_p", "top_k", "seed", "stop", "presence_penalty", "frequency_penalty", "reasoning_effort", "min_p"),
            "params.*",
        ),
    },
    "limits": {
        **dict.fromkeys(("steps", "max_iterations", "max_iter", "max_turns", "max_rounds"), "max_steps"),
        **dict.fromkeys(("max_time", "max_seconds", "deadline"), "timeout"),
        **dict.fromkeys(("tool_calls", "max_calls"), "max_tool_calls"),
        **dict.fromkeys(("parallel_tools", "max_parallel", "max_concurrency"), "max_parallel_tools"),
        **dict.fromkeys(("tool_output_chars", "max_tool_output", "max_result_chars"), "max_tool_result_chars"),
    },
    "tools": {
        **dict.fromkeys(("import", "import_path", "entrypoint", "callable", "path", "module", "handler"), "function"),
        **dict.fromkeys(("args", "arguments", "inputs", "input_schema", "inputSchema", "schema"), "parameters"),
        **dict.fromkeys(("desc", "help", "summary", "docs"), "description"),
        **dict.fromkeys(("kind",), "type"),
    },
    "parsing": {
        **dict.fromkeys(("retries", "max_attempts", "attempts"), "max_retries"),
        **dict.fromkeys(("type", "name", "format"), "mode"),
        **dict.fromkeys(("language", "lang", "keywords"), "labels"),
        **dict.fromkeys(("system", "prompt", "template", "explanation"), "instructions"),
        **dict.fromkeys(("call_pattern", "tool_call", "pattern", "regex"), "call"),
        **dict.fromkeys(("answer_pattern", "final_answer", "final"), "answer"),
        **dict.fromkeys(("args", "parameters", "argument_format"), "arguments"),
        **dict.fromkeys(("observation", "tool_result", "result_template"), "result"),
        **dict.fromkeys(("stop_sequences", "stop_words", "stops"), "stop"),
    },
    "project": {
        **dict.fromkeys(("packages", "modules", "allowed_packages"), "python_packages"),
        **dict.fromkeys(("model", "limits"), "defaults.*"),
    },
}

# Foreign keys that have no counterpart: what to do instead.
ADVICE: Mapping[str, Mapping[str, str]] = {
    "agent": {
        "provider": "the provider is part of the model's name, 'provider/model'",
        "messages": "write 'instructions' for the system prompt, 'prompt' for the first user message, and 'examples'",
        **dict.fromkeys(
            ("agents", "sub_agents", "subagents", "handoffs", "team"),
            "a file declares one agent, and this version has no teams",
        ),
    },
    "model": {"provider": "the provider is part of the name, 'provider/model'"},
}

# Keys and values that are planned, and that this version does not have; whoever builds one deletes it here.
LATER: Mapping[str, frozenset[str]] = {
    "agent": frozenset(("permissions",)),
    "project": frozenset(("models", "inline_tools", "max_risk", "state_dir")),
}
LATER_VALUES: Mapping[str, frozenset[str]] = {
    "type": frozenset(("mcp",)),
}

# What JSON Schema's types are called elsewhere.
OTHER_TYPE_NAMES: Mapping[str, str] = {
    "str": "string",
    "text": "string",
    "int": "integer",
    "long": "integer",
    "float": "number",
    "double": "number",
    "decimal": "number",
    "bool": "boolean",
    "list": "array",
    "tuple": "array",
    "dict": "object",
    "map": "object",
    "mapping": "object",
    "none": "null",
}
