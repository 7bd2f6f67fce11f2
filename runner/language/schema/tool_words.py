"""Words people bring along from other tools, for what is declared of a tool; `vocabulary` has the rest."""

from collections.abc import Mapping

RETRIES = ("retry", "max_retries", "num_retries", "max_attempts")
_AUTH = {
    **dict.fromkeys(("token", "bearer", "bearer_token", "access_token"), "auth.bearer"),
    **dict.fromkeys(("api_key", "apikey", "authorization", "authentication", "credentials", "security"), "auth"),
    **dict.fromkeys(("basic", "basic_auth"), "auth.basic"),
}
_SELECT = {
    **dict.fromkeys(("jq", "jsonpath", "json_path", "jmespath", "extract", "transform"), "select"),
    **dict.fromkeys(("max_size", "max_length", "max_response_size", "limit"), "max_bytes"),
}
_DESCRIPTION = dict.fromkeys(("desc", "help", "summary", "docs"), "description")
_OF_EVERY_TOOL = {
    **dict.fromkeys(("kind",), "type"),
    **dict.fromkeys(RETRIES, "retries"),
}
_ARGUMENTS = dict.fromkeys(("args", "arguments", "inputs", "input_schema", "inputSchema", "schema"), "parameters")

FOREIGN: Mapping[str, Mapping[str, str]] = {
    "tools": {
        **dict.fromkeys(("import", "import_path", "entrypoint", "callable", "path", "module", "handler"), "function"),
        **dict.fromkeys(("sandbox", "subprocess"), "isolation"),
        **dict.fromkeys(("environment", "secrets"), "env"),
        **dict.fromkeys(("kwargs", "init", "options", "settings"), "config"),
        **_ARGUMENTS,
        **_DESCRIPTION,
        **_OF_EVERY_TOOL,
    },
    "http": {
        **dict.fromkeys(("endpoint", "uri", "path", "base_url", "api_url", "address", "href"), "url"),
        **dict.fromkeys(("verb", "http_method", "request_method"), "method"),
        **dict.fromkeys(("params", "query_params", "query_parameters", "querystring", "search_params"), "query"),
        **dict.fromkeys(("payload", "data", "request_body", "content"), "body"),
        **dict.fromkeys(("json", "form", "text"), "body.*"),
        **{word: f"response.{ours}" for word, ours in _SELECT.items() if word != "limit"},
        **dict.fromkeys(("select", "max_bytes"), "response.*"),
        **_AUTH,
        **_ARGUMENTS,
        **_DESCRIPTION,
        **_OF_EVERY_TOOL,
    },
    "openapi": {
        **dict.fromkeys(("file", "path", "url", "document", "openapi", "schema", "spec_file", "spec_url"), "spec"),
        **dict.fromkeys(("include", "only", "filter", "tools", "endpoints", "paths", "operation_ids"), "operations"),
        **dict.fromkeys(("prefix", "namespace"), "name"),
        **dict.fromkeys(("servers", "base_url", "host", "endpoint", "api_base"), "server"),
        **_AUTH,
        **_OF_EVERY_TOOL,
    },
    "auth": {
        **dict.fromkeys(("token", "bearer_token", "access_token"), "bearer"),
        **dict.fromkeys(("username", "password"), "basic.*"),
        **dict.fromkeys(("user",), "basic.username"),
    },
    "basic": {
        **dict.fromkeys(("user", "login", "name"), "username"),
        **dict.fromkeys(("pass", "secret", "token"), "password"),
    },
    "body": {
        **dict.fromkeys(("data", "urlencoded", "form_data"), "form"),
        **dict.fromkeys(("raw", "content", "plain", "string"), "text"),
        **dict.fromkeys(("payload", "object"), "json"),
    },
    "response": {
        **dict.fromkeys(("path", "filter", "expression", "query"), "select"),
        **_SELECT,
    },
    "isolation": {
        **dict.fromkeys(("type", "kind"), "mode"),
        **dict.fromkeys(("memory", "memory_limit", "max_ram"), "max_memory"),
        **dict.fromkeys(("cpu", "cpu_time", "cpu_limit"), "max_cpu"),
    },
}

ADVICE: Mapping[str, Mapping[str, str]] = {
    "http": {
        **dict.fromkeys(("path_params", "path_parameters"), "write {{ name }} in 'url' for an argument"),
        "function": "a Python function is 'type: python'",
        "spec": "an OpenAPI document is 'type: openapi'",
        **dict.fromkeys(
            ("follow_redirects", "allow_redirects"), "redirects are followed to the same host only, and never further"
        ),
        **dict.fromkeys(("verify", "verify_ssl", "insecure"), "the certificate of the server is always verified"),
        **dict.fromkeys(("proxy", "proxies"), "proxies are taken from the environment, HTTPS_PROXY and NO_PROXY"),
    },
    "auth": {
        **dict.fromkeys(
            ("api_key", "apikey", "key"),
            "write 'header: {name: X-API-Key, value: …}', or 'query: {name: …, value: …}'",
        ),
        "type": "the way is the key itself: bearer, basic, header or query",
        **dict.fromkeys(("oauth", "oauth2"), "get a token first, and give it as 'bearer'"),
    },
    "body": dict.fromkeys(("multipart", "files", "file"), "files cannot be sent"),
    "response": dict.fromkeys(("type", "format", "content_type"), "the response itself says what it is"),
}
