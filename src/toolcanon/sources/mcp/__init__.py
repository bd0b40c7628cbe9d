"""Live MCP servers, asked for their tools over their stdin and stdout or over HTTP.

The SDK of the protocol is an extra and is imported when a server is asked, not before.
"""

from .fetch import TIMEOUT, fetch_command, fetch_url
from .served import Served

__all__ = ["TIMEOUT", "Served", "fetch_command", "fetch_url"]
