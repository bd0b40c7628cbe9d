"""What a live server told of itself and of its tools."""

from __future__ import annotations

from dataclasses import dataclass

from toolcanon.jsonio.types import Json, JsonObject


@dataclass(frozen=True, slots=True)
class Served:
    """The answer of a server, as it came: nothing it said of its tools is dropped or mended."""

    protocol: str
    """The version of the protocol both sides agreed on."""
    server: JsonObject
    """What it says of itself: name, version, title and whatever else."""
    instructions: str | None
    answer: JsonObject
    """What it answered to tools/list, its pages joined."""
    reached: str
    """The command or the address, without secrets."""
    said: str = ""
    """The end of what it wrote to stderr, without secrets."""
    noise: int = 0
    """Lines on stdout that were no messages of the protocol."""

    @property
    def tools(self) -> list[Json]:
        """The definitions, in the order of the server."""
        tools = self.answer["tools"]
        return tools if isinstance(tools, list) else []

    def about(self) -> JsonObject:
        """Everything but the tools, to be printed or kept."""
        return {
            "protocol": self.protocol,
            "server": self.server,
            "instructions": self.instructions,
            "reached": self.reached,
            "tools": len(self.tools),
        }
