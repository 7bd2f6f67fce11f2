"""Models behind the engine's port: any provider through LiteLLM, the embedded one, and a scripted one for tests."""
