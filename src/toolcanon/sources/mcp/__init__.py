"""Ask live MCP servers for their tools, over stdin and stdout or over HTTP.

The SDK of the protocol is an extra and is only imported when a server is asked.
"""

from .fetch import Served, fetch_command, fetch_url

__all__ = ["Served", "fetch_command", "fetch_url"]
