"""Run one session in its own event loop, and describe how it ended."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from typing import Final

import anyio
import httpx2
from mcp.shared.exceptions import MCPError
from mcp_types import CONNECTION_CLOSED
from pydantic import ValidationError

from toolcanon.jsonio import Limits
from toolcanon.sources.mcp.session import Heard, converse
from toolcanon.sources.mcp.wire import Refused, Streams, Wire

_LONGEST_PROBE: Final = 10.0


@dataclass(slots=True)
class Outcome:
    """The result of a session, or how far it came and why it failed."""

    heard: Heard | None
    stage: str
    reason: str = ""
    noise: int = 0
    has_left: bool = False
    """Whether the server closed the connection."""
    is_mute: bool = False
    """Whether the server sent no message."""


def ask(
    opened: Callable[[Wire], AbstractAsyncContextManager[Streams]],
    limits: Limits,
    seconds: float,
    *,
    probe: bool,
) -> Outcome:
    """Run the session over the streams of ``opened``, for at most this time."""
    return anyio.run(_ask, opened, limits, seconds, probe)


async def _ask(
    opened: Callable[[Wire], AbstractAsyncContextManager[Streams]],
    limits: Limits,
    seconds: float,
    probe: bool,  # noqa: FBT001 - anyio.run passes no keyword arguments
) -> Outcome:
    heard: Heard | None = None
    failure: Exception | None = None
    scope = anyio.move_on_after(seconds)
    wire = Wire(limits, scope)
    with scope:
        try:
            async with opened(wire) as streams:
                patience = min(_LONGEST_PROBE, seconds / 3)
                heard = await converse(streams, wire, patience, probe=probe)
        except Exception as error:  # noqa: BLE001 - task groups wrap what they raise
            failure = innermost(error)
    if heard is not None:  # errors after that are of closing the connection
        return Outcome(heard, wire.stage, noise=wire.noise)
    has_left = is_end(failure)
    stage = "connect" if isinstance(failure, httpx2.TransportError) else wire.stage
    reason = wire.reason or reason_of(failure, wire, seconds)
    return Outcome(None, stage, reason, wire.noise, has_left, not wire.messages)


def reason_of(failure: Exception | None, wire: Wire, seconds: float) -> str:
    if failure is None:
        return f"no answer within {round(seconds, 1):g} seconds{wire.observed()}"
    if wire.status and wire.is_explained:
        return wire.status
    return _words(failure) + wire.observed()


def innermost(error: Exception) -> Exception:
    """Return the first cause. Raises it when it is an internal error, not the server's."""
    found: BaseException = error
    while isinstance(found, BaseExceptionGroup):
        found = found.exceptions[0]
    known = (MCPError, ValidationError, Refused, RuntimeError, OSError)
    if isinstance(found, (*known, httpx2.HTTPError, httpx2.InvalidURL)):
        return found
    raise error


def is_end(failure: Exception | None) -> bool:
    """Return whether the connection ended; servers use the same code for errors of their own."""
    is_coded = isinstance(failure, MCPError) and failure.code == CONNECTION_CLOSED
    return is_coded and str(failure) == "Connection closed"


def _words(failure: Exception) -> str:
    match failure:
        case MCPError() if is_end(failure):
            return "it closed the connection without an answer"
        case MCPError():
            return f"it answered with error {failure.code}: {failure.message}"
        case ValidationError():
            first = failure.errors(include_url=False, include_input=False)[0]
            place = ".".join(map(str, first["loc"]))
            return f"its answer violates the protocol: {place}: {first['msg'].lower()}"
        case httpx2.TimeoutException():
            return "it did not answer in time"
        case httpx2.TransportError():
            return f"no server answers there: {str(failure) or type(failure).__name__}"
        case _:
            return str(failure) or type(failure).__name__
