"""What both ways to a server share: how far it came, how much it sent, why it was stopped."""

from __future__ import annotations

from typing import Any, TypeAlias

from anyio import CancelScope

from toolcanon.errors import ToolcanonError
from toolcanon.jsonio import Limits, loads
from toolcanon.jsonio.types import Json

Streams: TypeAlias = tuple[Any, Any]
"""What a session reads from and writes to; the SDK has no public name for their types."""

_SHOWN = 80


class Refused(Exception):
    """The conversation is over; the reason stands on the wire."""


class Wire:
    """One conversation with a server, watched while it is had."""

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
        """Whether what came last is part of a message."""
        self.status = ""
        """What HTTP said of the last request, if that was no success."""
        self.is_explained = False
        """Whether that is all there is to say."""

    def refuse(self, reason: str) -> Refused:
        """End the conversation at once, wherever the SDK is waiting; the first reason counts."""
        self.reason = self.reason or reason
        self.scope.cancel()
        return Refused(reason)

    def count(self, received: int) -> None:
        """Refuse a server that never stops talking."""
        self.size += received
        if self.size > self.limits.bytes:
            raise self.refuse(f"it sent more than {self.limits.bytes:,} bytes")

    def load(self, text: bytes | str) -> Json:
        """One message, by the same strict loader as any document."""
        try:
            value = loads(text, self.limits).value
        except ToolcanonError as error:
            raise self.refuse(f"it sent what cannot be read: {what(error)}") from None
        self.messages += 1
        return value

    def hear_noise(self, line: bytes) -> None:
        """Pass over a line that is no message, as clients do; it is told when nothing follows."""
        self.noise += 1
        if not self.rubbish:
            self.rubbish = line[:_SHOWN].decode("utf-8", "replace").strip()

    def observed(self) -> str:
        """What may explain a failure, for the end of a sentence."""
        told = []
        if self.status:
            told.append(self.status)
        if self.is_cut:
            told.append("its last message is not complete")
        if self.noise:
            told.append(f"{self.noise} lines on stdout are no messages, first: {self.rubbish!r}")
        return f" ({'; '.join(told)})" if told else ""


def what(error: ToolcanonError) -> str:
    """What is wrong, without the advice that ends each of our sentences: it is for authors."""
    said = str(error)
    return said.rpartition("; ")[0] or said
