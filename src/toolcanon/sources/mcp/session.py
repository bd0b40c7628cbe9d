"""One session with a live server: versions, pages of tools, and how it ended.

The SDK handles the protocol; raw results are kept before the SDK drops or rejects parts of them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from typing import Any, Final, NamedTuple, TypeAlias

import anyio
import httpx2
import mcp_types as types
from anyio import CancelScope
from mcp.client.session import ClientSession
from mcp.shared.dispatcher import CallOptions
from mcp.shared.exceptions import MCPError
from mcp.shared.jsonrpc_dispatcher import JSONRPCDispatcher
from mcp.shared.transport_context import TransportContext
from mcp_types import CONNECTION_CLOSED
from mcp_types.version import LATEST_MODERN_VERSION, MODERN_PROTOCOL_VERSIONS
from pydantic import ValidationError

from toolcanon.errors import ToolcanonError
from toolcanon.jsonio import Limits, loads
from toolcanon.jsonio.types import Json, JsonObject
from toolcanon.report.document import our_version

Streams: TypeAlias = tuple[Any, Any]
"""The read and write streams of a session; the SDK has no public name for their types."""

_SHOWN = 80


class Refused(Exception):
    """The session is over; the wire has the reason."""


class ServerSession:
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


PAGES: Final = 1000


class Heard(NamedTuple):
    """The answer of a server."""

    protocol: str
    server: JsonObject
    instructions: str | None
    answer: JsonObject


class Listener(JSONRPCDispatcher[TransportContext]):
    """Keeps the last raw result of each method, before the SDK validates it."""

    def __init__(self, streams: Streams) -> None:
        super().__init__(*streams)
        self.results: dict[str, JsonObject] = {}

    async def send_raw_request(
        self,
        method: str,
        params: Mapping[str, Any] | None,
        opts: CallOptions | None = None,
        **more: Any,
    ) -> dict[str, Any]:
        result = await super().send_raw_request(method, params, opts, **more)
        self.results[method] = dict(result)
        return result


async def converse(streams: Streams, wire: ServerSession, patience: float, *, probe: bool) -> Heard:
    """Ask for everything. ``probe`` first tries the versions without a handshake.

    ``patience`` is how long to wait for an answer to that before a handshake is sent.
    """
    listener = Listener(streams)
    us = types.Implementation(name="toolcanon", version=our_version())
    async with ClientSession(dispatcher=listener, client_info=us) as session:
        await negotiate(session, patience, probe=probe)
        wire.stage = "tools/list"
        answer = await list_tools(session, listener, wire)
        server = _server(session, listener)
        return Heard(session.protocol_version or "", server, session.instructions, answer)


async def negotiate(session: ClientSession, patience: float, *, probe: bool) -> None:
    """Negotiate a version: the newest without a handshake, older ones with a handshake."""
    if probe and await _discover(session, patience):
        return
    try:
        await session.initialize()
    except MCPError as error:
        # A server that starts slowly may answer the first request after the timeout, and then does
        # not expect a handshake.
        if error.code != types.UNSUPPORTED_PROTOCOL_VERSION or not probe:
            raise
        if not await _discover(session, patience):
            raise


async def _discover(session: ClientSession, patience: float) -> bool:
    with anyio.move_on_after(patience):
        try:
            raw = await session.send_discover(LATEST_MODERN_VERSION)
            result = types.DiscoverResult.model_validate(raw)
        except (MCPError, ValidationError):
            return False
        if set(result.supported_versions).isdisjoint(MODERN_PROTOCOL_VERSIONS):
            return False
        session.adopt(result)
        return True
    return False


async def list_tools(session: ClientSession, listener: Listener, wire: ServerSession) -> JsonObject:
    answer: JsonObject = {}
    tools: list[Json] = []
    seen: set[str] = set()
    cursor: str | None = None
    while True:
        page = await _page(session, listener, cursor)
        found = page.get("tools")
        if not isinstance(found, list):
            raise wire.refuse("its answer has no list of tools")
        answer |= page
        tools += found
        cursor = page.get("nextCursor")
        if len(tools) > wire.limits.tools:
            raise wire.refuse(f"it lists more than {wire.limits.tools:,} tools")
        if cursor is None:
            break
        if not isinstance(cursor, str):
            raise wire.refuse("the cursor of its next page is not a string")
        if cursor in seen:
            raise wire.refuse("its pages repeat: a cursor came twice")
        seen.add(cursor)
        if len(seen) >= PAGES:
            raise wire.refuse(f"its list has more than {PAGES:,} pages")
    answer.pop("nextCursor", None)
    return {**answer, "tools": tools}


async def _page(session: ClientSession, listener: Listener, cursor: str | None) -> JsonObject:
    params = None if cursor is None else types.PaginatedRequestParams(cursor=cursor)
    listener.results.pop("tools/list", None)
    try:
        await session.send_request(types.ListToolsRequest(params=params), types.EmptyResult)
    except ValidationError:
        pass  # an invalid tool is reported where the answer is read
    except MCPError as error:
        offered = session.server_capabilities
        if error.code != types.METHOD_NOT_FOUND or (offered and offered.tools):
            raise
        return {"tools": []}  # it does not declare that it has tools
    return listener.results["tools/list"]


def _server(session: ClientSession, listener: Listener) -> JsonObject:
    """Return what the server reports about itself, at the place of each protocol version."""
    if session.discover_result is None:
        value: Json = listener.results["initialize"].get("serverInfo")
    else:
        about = listener.results["server/discover"].get("_meta")
        value = about.get(types.SERVER_INFO_META_KEY) if isinstance(about, dict) else None
    return value if isinstance(value, dict) else {}


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
    opened: Callable[[ServerSession], AbstractAsyncContextManager[Streams]],
    limits: Limits,
    seconds: float,
    *,
    probe: bool,
) -> Outcome:
    """Run the session over the streams of ``opened``, for at most this time."""
    return anyio.run(_ask, opened, limits, seconds, probe)


async def _ask(
    opened: Callable[[ServerSession], AbstractAsyncContextManager[Streams]],
    limits: Limits,
    seconds: float,
    probe: bool,  # noqa: FBT001 - anyio.run passes no keyword arguments
) -> Outcome:
    heard: Heard | None = None
    failure: Exception | None = None
    scope = anyio.move_on_after(seconds)
    wire = ServerSession(limits, scope)
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


def reason_of(failure: Exception | None, wire: ServerSession, seconds: float) -> str:
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
