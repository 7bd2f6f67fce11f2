"""Servers that tests talk to instead of the outside world."""

from tests.servers.openai_server import Call, Drop, Entry, Failure, Json, OpenAIServer, Raw, Reply, Request, Stream

__all__ = ["Call", "Drop", "Entry", "Failure", "Json", "OpenAIServer", "Raw", "Reply", "Request", "Stream"]
