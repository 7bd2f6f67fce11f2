"""The language: YAML text in, diagnostics and a compiled `AgentSpec` out. Nothing here runs an agent."""
