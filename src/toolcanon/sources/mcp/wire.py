"""State that both transports share: progress, bytes received, and why the session ended."""

from __future__ import annotations

from typing import Any, TypeAlias

from anyio import CancelScope

from toolcanon.errors import ToolcanonError
from toolcanon.jsonio import Limits, loads
from toolcanon.jsonio.types import Json

Streams: TypeAlias = tuple[Any, Any]
"""The read and write streams of a session; the SDK has no public name for their types."""

_SHOWN = 80


class Refused(Exception):
    """The session is over; the wire has the reason."""


class Wire:
    """The observed state of one session with a server."""

    def __init__(self, limits: Limits, scope: CancelScope) -> None:
        self.limits = limits
        self.scope = scope
        self.stage = "initialize"
        self.reason = ""
        self.size = 0
        self.messages = 0
        self.noise = 0
        self.rubbish = ""
        self.is_cut = False
        """Whether the last bytes are part of a message."""
        self.status = ""
        """The HTTP status of the last request, if it failed."""
        self.is_explained = False
        """Whether ``status`` explains the failure completely."""

    def refuse(self, reason: str) -> Refused:
        """End the session at once, wherever the SDK waits; the first reason is kept."""
        self.reason = self.reason or reason
        self.scope.cancel()
        return Refused(reason)

    def count(self, received: int) -> None:
        """Count received bytes; end the session over the limit."""
        self.size += received
        if self.size > self.limits.bytes:
            raise self.refuse(f"it sent more than {self.limits.bytes:,} bytes")

    def load(self, text: bytes | str) -> Json:
        """Parse one message with the strict loader."""
        try:
            value = loads(text, self.limits).value
        except ToolcanonError as error:
            raise self.refuse(f"it sent an unreadable message: {what(error)}") from None
        self.messages += 1
        return value

    def skip_noise(self, line: bytes) -> None:
        """Skip a line that is not a message, as clients do; reported if the session then fails."""
        self.noise += 1
        if not self.rubbish:
            self.rubbish = line[:_SHOWN].decode("utf-8", "replace").strip()

    def observed(self) -> str:
        """Return what may explain a failure, as the end of a sentence."""
        notes = []
        if self.status:
            notes.append(self.status)
        if self.is_cut:
            notes.append("its last message is not complete")
        if self.noise:
            notes.append(f"{self.noise} lines on stdout are not messages, first: {self.rubbish!r}")
        return f" ({'; '.join(notes)})" if notes else ""


def what(error: ToolcanonError) -> str:
    """Return the problem without the advice, which is for authors of documents."""
    message = str(error)
    return message.rpartition("; ")[0] or message
