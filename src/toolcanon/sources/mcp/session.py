"""One session: negotiate a version, then ask for the tools, page by page.

The SDK handles the protocol; raw results are kept before the SDK drops or rejects parts of them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

import anyio
import mcp_types as types
from mcp.client.session import ClientSession
from mcp.shared.dispatcher import CallOptions
from mcp.shared.exceptions import MCPError
from mcp.shared.jsonrpc_dispatcher import JSONRPCDispatcher
from mcp.shared.transport_context import TransportContext
from mcp_types.version import LATEST_MODERN_VERSION, MODERN_PROTOCOL_VERSIONS
from pydantic import ValidationError

from toolcanon.jsonio.types import Json, JsonObject
from toolcanon.report.document import our_version
from toolcanon.sources.mcp.wire import Streams, Wire

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


async def converse(streams: Streams, wire: Wire, patience: float, *, probe: bool) -> Heard:
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


async def list_tools(session: ClientSession, listener: Listener, wire: Wire) -> JsonObject:
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
