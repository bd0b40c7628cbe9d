"""What a live server answered. Nothing here needs the SDK."""

from __future__ import annotations

from dataclasses import dataclass

from toolcanon.jsonio.types import Json, JsonObject


@dataclass(frozen=True, slots=True)
class Served:
    """The raw answer of a server; tools are neither dropped nor repaired."""

    protocol: str
    """The negotiated version of the protocol."""
    server: JsonObject
    """What it reports about itself: name, version, title and so on."""
    instructions: str | None
    answer: JsonObject
    """Its answer to tools/list, with the pages joined."""
    reached: str
    """The command or the address, without secrets."""
    said: str = ""
    """The end of its stderr, without secrets."""
    noise: int = 0
    """The number of lines on stdout that were not messages."""

    @property
    def tools(self) -> list[Json]:
        """Return the definitions, in the order of the server."""
        tools = self.answer["tools"]
        return tools if isinstance(tools, list) else []

    def about(self) -> JsonObject:
        """Return everything but the tools, for printing or storing."""
        return {
            "protocol": self.protocol,
            "server": self.server,
            "instructions": self.instructions,
            "reached": self.reached,
            "tools": len(self.tools),
        }
