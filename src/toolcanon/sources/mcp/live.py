"""A live MCP server with an open connection: its tools in a toolset, its answers to calls.

The connection runs in its own event loop and thread, so that synchronous and asynchronous code can
share it. Limits hold as for any server: the strict loader reads what it sends, and it is ended with
all its children when the block is left.
"""

from __future__ import annotations

import asyncio
import shlex
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, ExitStack, asynccontextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from types import TracebackType
from typing import TYPE_CHECKING, Any, Final, Self

from toolcanon.conversion import read
from toolcanon.errors import MissingPackage, ServerFailed, UsageError
from toolcanon.ir import CanonicalTool
from toolcanon.jsonio import DEFAULT_LIMITS, Limits
from toolcanon.jsonio.types import Json, JsonObject
from toolcanon.report.document import our_version
from toolcanon.sources.mcp.child import (
    CannotStart,
    Child,
    environment,
    running,
    working_folder,
)
from toolcanon.sources.mcp.fetch import TIMEOUT
from toolcanon.text.secrets import (
    mask_command,
    mask_text,
    mask_url,
    secrets_of_command,
    secrets_of_url,
)

if TYPE_CHECKING:
    from anyio.from_thread import BlockingPortal
    from mcp.client.session import ClientSession

    from toolcanon.sources.mcp.session import ServerSession, Streams

_REFUSED: Final = -32000
_KEPT: ContextVar[list[JsonObject]] = ContextVar("kept")
"""Holds the raw answer to the current task's request."""


@dataclass(slots=True)
class _Line:
    """An open connection."""

    session: ClientSession
    wire: ServerSession
    answer: JsonObject


class McpServer:
    """A server, reached by a command or an address, connected inside the block.

        with McpServer(["npx", "some-server"]) as server:
            toolset = Toolset([server])

    ``async with`` works as well. ``env`` is added to the few variables that a command gets, and no
    shell is involved. ``timeout`` is for connecting: calls have limits of their own. Entering
    raises ServerFailed, and MissingPackage without the SDK of the protocol.
    """

    def __init__(  # noqa: PLR0913 - two ways to be reached
        self,
        command: Sequence[str] | None = None,
        *,
        url: str | None = None,
        env: Mapping[str, str] | None = None,
        cwd: str | None = None,
        headers: Mapping[str, str] | None = None,
        timeout: float = TIMEOUT,
        limits: Limits = DEFAULT_LIMITS,
    ) -> None:
        if (command is None) == (url is None) or isinstance(command, str):
            raise UsageError("McpServer needs either a list of words to start or a url")
        self._command, self._url = command, url
        self._env, self._cwd, self._headers = dict(env or {}), cwd, dict(headers or {})
        self._timeout, self._limits = timeout, limits
        self._stack = ExitStack()
        self._portal: BlockingPortal | None = None
        self._line: _Line | None = None
        secrets = secrets_of_command(command) if command else secrets_of_url(url or "")
        self._secrets = (*secrets, *self._env.values(), *self._headers.values())

    @property
    def reached(self) -> str:
        """Return the command or the address, without secrets."""
        if self._command is not None:
            return shlex.join(mask_command(self._command))
        return mask_url(self._url or "")

    def tools(self) -> list[CanonicalTool]:
        """Return the tools listed when the connection was opened."""
        return read(self._open().answer, source="mcp") if self._open().answer["tools"] else []

    def call(self, name: str, arguments: Json) -> JsonObject:
        """Return the CallToolResult of a call, or the error that the server answered with."""
        self._open()
        return self._running().call(self._call, name, arguments)

    async def acall(self, name: str, arguments: Json) -> JsonObject:
        """Return the same as ``call``, awaited; cancelling it notifies the server."""
        self._open()
        future = self._running().start_task_soon(self._call, name, arguments)
        return await asyncio.wrap_future(future)

    def __enter__(self) -> Self:
        try:
            import mcp  # noqa: F401, PLC0415 - an extra
            from anyio.from_thread import start_blocking_portal  # noqa: PLC0415
        except ImportError:
            raise MissingPackage("mcp", "mcp", "call a live server") from None
        with ExitStack() as stack:
            self._portal = stack.enter_context(start_blocking_portal())
            # Some servers exit when the first message is not a handshake.
            if not self._connect(stack, probe=True):
                self._connect(stack, probe=False)
            self._stack = stack.pop_all()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._line = None
        self._stack.close()

    async def __aenter__(self) -> Self:
        return await asyncio.to_thread(self.__enter__)

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await asyncio.to_thread(self.__exit__, kind, error, trace)

    def _connect(self, stack: ExitStack, *, probe: bool) -> bool:
        """Connect; return False when the server closed without a message and may be retried."""
        from toolcanon.sources.mcp.session import innermost, is_end, reason_of  # noqa: PLC0415

        child: Child | None = None
        states: list[ServerSession] = []
        with ExitStack() as own:
            try:
                if self._command is not None:
                    env, folder = environment(self._env), working_folder(self._cwd)
                    child = own.enter_context(running(self._command, env, folder))
                opened = self._connected(child, states, probe=probe)
                self._line = own.enter_context(self._running().wrap_async_context_manager(opened))
            except CannotStart as error:
                raise ServerFailed("start", self.reached, str(error)) from None
            except Exception as error:  # noqa: BLE001 - task groups wrap what they raise
                failure = None if isinstance(error, TimeoutError) else innermost(error)
                wire = states[0]
                if probe and child is not None and is_end(failure) and not wire.messages:
                    return False
                reason = wire.reason or reason_of(failure, wire, self._timeout)
                stderr = mask_text(child.tail.text(), self._secrets) if child else ""
                reason = mask_text(reason, self._secrets)
                stage = "connect" if child is None and not wire.messages else wire.stage
                raise ServerFailed(stage, self.reached, reason, stderr) from None
            if child is not None:
                child.has_answered = True
            stack.push(own.pop_all())
        return True

    @asynccontextmanager
    async def _connected(
        self, child: Child | None, states: list[ServerSession], *, probe: bool
    ) -> AsyncIterator[_Line]:
        import anyio  # noqa: PLC0415 - an extra
        import mcp_types as types  # noqa: PLC0415
        from mcp.client.session import ClientSession  # noqa: PLC0415

        from toolcanon.sources.mcp.session import (  # noqa: PLC0415
            ServerSession,
            list_tools,
            negotiate,
        )

        us = types.Implementation(name="toolcanon", version=our_version())
        with anyio.CancelScope() as scope:
            wire = ServerSession(self._limits, scope)
            states.append(wire)
            async with self._streams(child, wire) as streams:
                listener = _listener(streams)
                async with ClientSession(dispatcher=listener, client_info=us) as session:
                    with anyio.fail_after(self._timeout):
                        await negotiate(session, self._timeout / 3, probe=probe)
                        wire.stage = "tools/list"
                        answer = await list_tools(session, listener, wire)
                    wire.stage = "tools/call"
                    yield _Line(session, wire, answer)

    def _streams(
        self, child: Child | None, wire: ServerSession
    ) -> AbstractAsyncContextManager[Streams]:
        if child is not None:
            from toolcanon.sources.mcp.transports import pipe_streams  # noqa: PLC0415 - an extra

            return pipe_streams(child, wire)
        from toolcanon.sources.mcp.transports import web_streams  # noqa: PLC0415 - an extra

        return web_streams(self._url or "", self._headers, wire, self._timeout)

    async def _call(self, name: str, arguments: Json) -> JsonObject:
        import mcp_types as types  # noqa: PLC0415 - an extra
        from mcp.shared.exceptions import MCPError  # noqa: PLC0415
        from pydantic import ValidationError  # noqa: PLC0415

        line = self._open()
        line.wire.size = 0  # the limit is for each answer, not for the whole connection
        kept: list[JsonObject] = []
        _KEPT.set(kept)
        given = arguments if isinstance(arguments, dict) else {}
        params = types.CallToolRequestParams(name=name, arguments=given)
        try:
            await line.session.send_request(types.CallToolRequest(params=params), types.EmptyResult)
        except ValidationError:
            pass  # an invalid answer is reported where it is read
        except MCPError as error:
            message = mask_text(line.wire.reason or error.message, self._secrets)
            return _error(message, error.code)
        if not kept:
            return _error("the server gave no answer")
        if kept[-1].get("resultType") == "input_required":
            return _error("the server asks for something that only a person can tell")
        return kept[-1]

    def _open(self) -> _Line:
        if self._line is None:
            raise UsageError("the server is not connected; use it within its `with` block")
        return self._line

    def _running(self) -> BlockingPortal:
        if self._portal is None:
            raise UsageError("the server is not connected; use it within its `with` block")
        return self._portal


def _listener(streams: Streams) -> Any:
    """Return a listener that keeps the raw answer of each request, by task."""
    from toolcanon.sources.mcp.session import Listener  # noqa: PLC0415 - an extra

    class Keeper(Listener):
        async def send_raw_request(self, method: str, *given: Any, **more: Any) -> dict[str, Any]:
            result = await super().send_raw_request(method, *given, **more)
            if method == "tools/call":
                _KEPT.get().append(dict(result))
            return result

    return Keeper(streams)


def _error(message: str, code: int = _REFUSED) -> JsonObject:
    return {"jsonrpc": "2.0", "error": {"code": code, "message": message}}
