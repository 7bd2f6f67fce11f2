"""Servers that tests talk to instead of the outside world."""

from tests.servers.entries import Call, Drop, Entry, Failure, Json, Raw, Redirect, Reply, Request, Stream
from tests.servers.openai_server import OpenAIServer

__all__ = ["Call", "Drop", "Entry", "Failure", "Json", "OpenAIServer", "Raw", "Redirect", "Reply", "Request", "Stream"]
