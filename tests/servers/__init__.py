"""Servers that tests talk to instead of the outside world."""

from tests.servers.openai_server import Call, Drop, Failure, Json, OpenAIServer, Raw, Reply, Request, Stream

__all__ = ["Call", "Drop", "Failure", "Json", "OpenAIServer", "Raw", "Reply", "Request", "Stream"]
