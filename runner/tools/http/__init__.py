"""The tool type `http`: an endpoint declared in YAML, called with checked arguments."""

from runner.tools.http.failures import UnpreparedError
from runner.tools.http.prepared import PreparedRequest, as_text
from runner.tools.http.tool import HttpTool, open_http_tool

__all__ = ["HttpTool", "PreparedRequest", "UnpreparedError", "as_text", "open_http_tool"]
