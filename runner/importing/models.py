"""What other tools call the providers of models -> LiteLLM's names."""

from collections.abc import Mapping

# https://docs.litellm.ai/docs/providers; those not listed have the same name there.
_PROVIDERS: Mapping[str, str] = {
    **dict.fromkeys(("google", "google-gla", "google_gla", "googleai"), "gemini"),
    **dict.fromkeys(("google-vertex", "gcp_vertex_ai", "vertexai"), "vertex_ai"),
    **dict.fromkeys(("amazon-bedrock", "aws_bedrock", "bedrock-converse"), "bedrock"),
    **dict.fromkeys(("azure_openai", "azure-openai"), "azure"),
    **dict.fromkeys(("azure_serverless", "foundry"), "azure_ai"),
    **dict.fromkeys(("openai-chat", "openai-responses"), "openai"),
    **dict.fromkeys(("dmr", "docker-model-runner"), "docker_model_runner"),
    **dict.fromkeys(("github-copilot",), "github_copilot"),
    **dict.fromkeys(("fireworks",), "fireworks_ai"),
    **dict.fromkeys(("together",), "together_ai"),
    **dict.fromkeys(("grok",), "xai"),
    **dict.fromkeys(("moonshotai",), "moonshot"),
}


def model_name(provider: str, model: str) -> str:
    """`provider/model` as LiteLLM takes it."""
    return f"{_PROVIDERS.get(provider, provider)}/{model}"
