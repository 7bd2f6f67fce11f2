"""Words people bring along from other tools, and words of later versions of this language."""

from collections.abc import Mapping
from dataclasses import fields

from runner.language.schema import tool_words
from runner.language.schema.tool_words import RETRIES
from runner.spec import Limits

# Place (as `place_of` of `findings` calls it) -> foreign key -> ours.
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
        **dict.fromkeys((field.name for field in fields(Limits)), "limits.*"),
        **dict.fromkeys(
            ("max_iterations", "max_iter", "max_turns", "max_rounds", "recursion_limit"), "limits.max_steps"
        ),
        **dict.fromkeys(("budget", "max_budget", "max_budget_usd", "cost_limit"), "limits.max_cost"),
        **dict.fromkeys(("token_budget", "token_limit"), "limits.max_total_tokens"),
        **dict.fromkeys(("fallbacks", "retries", "price"), "model.*"),
        **dict.fromkeys(("fallback", "fallback_models", "fallback_model"), "model.fallbacks"),
        **dict.fromkeys(RETRIES, "model.retries"),
        **dict.fromkeys(("context_management", "compaction", "history", "truncation"), "context"),
        **dict.fromkeys(("context_window", "max_context_tokens"), "context.max_tokens"),
        **dict.fromkeys(("on_max_steps", "on_limit_reached", "on_exceeded", "early_stopping_method"), "on_limit"),
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
        **dict.fromkeys(RETRIES, "retries"),
        **dict.fromkeys(("fallback", "fallback_models", "backup", "backups"), "fallbacks"),
        **dict.fromkeys(("cost", "costs", "prices", "pricing"), "price"),
        **dict.fromkeys(("extra", "extra_body", "options", "kwargs", "settings", "parameters"), "params"),
        **dict.fromkeys(
            ("top_p", "top_k", "seed", "stop", "presence_penalty", "frequency_penalty", "reasoning_effort", "min_p"),
            "params.*",
        ),
    },
    "price": {
        **dict.fromkeys(("prompt", "in", "input_tokens"), "input"),
        **dict.fromkeys(("completion", "out", "output_tokens"), "output"),
        **dict.fromkeys(("cached", "cache", "cache_read"), "cached_input"),
    },
    "context": {
        **dict.fromkeys(
            ("max_context_tokens", "max_input_tokens", "context_window", "window", "limit", "budget"), "max_tokens"
        ),
        **dict.fromkeys(("mode", "type", "policy", "method", "truncation", "on_overflow"), "strategy"),
        **dict.fromkeys(("keep", "keep_recent", "keep_turns", "last", "recent", "window_size"), "keep_last"),
        **dict.fromkeys(("summarizer", "summary_model", "llm"), "model"),
    },
    "limits": {
        **dict.fromkeys(("steps", "max_iterations", "max_iter", "max_turns", "max_rounds"), "max_steps"),
        **dict.fromkeys(("max_time", "max_seconds", "deadline"), "timeout"),
        **dict.fromkeys(("tool_calls", "max_calls"), "max_tool_calls"),
        **dict.fromkeys(
            ("budget", "max_budget", "max_budget_usd", "cost", "cost_limit", "max_cost_usd", "max_usd"), "max_cost"
        ),
        **dict.fromkeys(
            ("max_tokens", "tokens", "total_tokens", "token_budget", "token_limit", "total_tokens_limit"),
            "max_total_tokens",
        ),
        **dict.fromkeys(("max_repeats", "repeat_calls", "max_identical_calls"), "max_repeat_calls"),
        **dict.fromkeys(("parallel_tools", "max_parallel", "max_concurrency"), "max_parallel_tools"),
        **dict.fromkeys(("tool_output_chars", "max_tool_output", "max_result_chars"), "max_tool_result_chars"),
    },
    **tool_words.FOREIGN,
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
        **dict.fromkeys(("allowed_hosts", "allow_hosts", "hosts", "host_allowlist", "private_hosts"), "http_hosts"),
        **dict.fromkeys(("max_limits", "maximum"), "limits.maximum"),
        **dict.fromkeys(("required", "required_limits"), "limits.required"),
        **dict.fromkeys(("allowed_models", "model_allowlist", "allow_models"), "models"),
        **dict.fromkeys(("allow_inline_tools", "inline"), "inline_tools"),
        **dict.fromkeys(("risk", "maximum_risk", "risk_ceiling"), "max_risk"),
        **dict.fromkeys(("model",), "defaults.*"),
    },
    "policy": {
        **dict.fromkeys(("max", "upper", "highest", "at_most"), "maximum"),
        **dict.fromkeys(("require", "mandatory", "must_have"), "required"),
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
    "model": {
        "provider": "the provider is part of the name, 'provider/model'",
        **dict.fromkeys(
            ("input_cost_per_token", "output_cost_per_token"),
            "write 'price: {input: …, output: …}', in dollars per million tokens",
        ),
    },
    "price": dict.fromkeys(
        ("input_cost_per_token", "output_cost_per_token"),
        "prices are in dollars per million tokens here, 'input' and 'output'",
    ),
    "limits": {
        **dict.fromkeys(
            ("retries", "max_retries"),
            "'model.retries' are for calls that fail, 'parsing.max_retries' for replies that cannot be read",
        ),
        "on_limit": "it stands beside 'limits', not inside of it",
    },
    **tool_words.ADVICE,
    "policy": dict.fromkeys(
        (field.name for field in fields(Limits)),
        "write it under 'defaults.limits' for what agents have when they do not say otherwise, "
        "or under 'limits.maximum' for the most they may have",
    ),
}

# Keys and values that are planned, and that this version does not have; whoever builds one deletes it here.
LATER: Mapping[str, frozenset[str]] = {
    "agent": frozenset(("memory", "team")),
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
