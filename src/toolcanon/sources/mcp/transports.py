"""Transports to live servers: the pipes of a child process, and streamable HTTP.

The SDK's own transport reads lines of any length, accepts duplicate keys and NaN, and leaves
processes behind that a server forked. The SDK's session takes any pair of streams.

The SDK follows redirects within the origin only, so headers never reach another host. Bodies must
not be compressed: a small compressed body can be endless.
"""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Final

import anyio
import httpx2
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.message import SessionMessage
from mcp_types import jsonrpc_message_adapter
from pydantic import ValidationError

from toolcanon.errors import ToolcanonError
from toolcanon.formats.wire.streams import EventDecoder
from toolcanon.sources.mcp.child import Child
from toolcanon.sources.mcp.session import Refused, ServerSession, Streams, what
from toolcanon.text.secrets import mask_url

_CHUNK: Final = 65536


@asynccontextmanager
async def pipe_streams(child: Child, wire: ServerSession) -> AsyncIterator[Streams]:
    """Yield the two streams of a session over a child's pipes; the caller ends the child."""
    incoming, reading = anyio.create_memory_object_stream[SessionMessage | Exception](0)
    writing, outgoing = anyio.create_memory_object_stream[SessionMessage](0)
    for pipe in (child.input, child.output, child.errors):
        os.set_blocking(pipe, False)
    async with incoming, reading, writing, outgoing, anyio.create_task_group() as tasks:
        tasks.start_soon(_listen, child, wire, incoming)
        tasks.start_soon(_write, child, outgoing)
        tasks.start_soon(_drain, child)
        yield reading, writing
        tasks.cancel_scope.cancel()


async def _listen(
    child: Child, wire: ServerSession, incoming: MemoryObjectSendStream[SessionMessage | Exception]
) -> None:
    """Pass on each line that is a message; close the session's stream when the output ends."""
    parts: list[bytes] = []
    size = 0
    async with incoming:
        try:
            async for data in _chunks(child.output):
                wire.count(len(data))
                *lines, rest = data.split(b"\n")
                for line in lines:
                    await _pass_on(b"".join((*parts, line)), wire, incoming)
                    parts, size = [], 0
                size += len(rest)
                if size > wire.limits.line:
                    raise wire.refuse(f"it sent a line of more than {wire.limits.line:,} bytes")
                if rest:
                    parts.append(rest)
                wire.is_cut = bool(parts)
        except (Refused, anyio.BrokenResourceError, anyio.ClosedResourceError):
            return


async def _pass_on(
    line: bytes, wire: ServerSession, incoming: MemoryObjectSendStream[SessionMessage | Exception]
) -> None:
    line = line.strip()
    if not line:
        return
    if not line.startswith(b"{"):
        wire.skip_noise(line)
        return
    value = wire.load(line)
    try:
        message = jsonrpc_message_adapter.validate_python(value, by_name=False)
    except ValidationError:
        wire.skip_noise(line)
        return
    await incoming.send(SessionMessage(message))


async def _write(child: Child, outgoing: MemoryObjectReceiveStream[SessionMessage]) -> None:
    try:
        async for item in outgoing:
            text = item.message.model_dump_json(by_alias=True, exclude_unset=True)
            data = f"{text}\n".encode()
            while data:
                await anyio.wait_writable(child.input)
                data = data[os.write(child.input, data) :]
    except OSError:
        return  # it stopped reading; its output shows why


async def _drain(child: Child) -> None:
    async for data in _chunks(child.errors):
        child.tail.add(data)


async def _chunks(pipe: int) -> AsyncIterator[bytes]:
    """Yield the bytes that arrive at a descriptor, until the other side closes it."""
    while True:
        await anyio.wait_readable(pipe)
        try:
            data = os.read(pipe, _CHUNK)
        except BlockingIOError:
            continue
        except OSError:
            return
        if not data:
            return
        yield data


_FAILED: Final = 400
_REDIRECTS: Final = 300
_ACCEPTED: Final = 202
_HINTS: Final = {
    401: "it requires authentication: pass --header",
    403: "it denies access to this caller",
    404: "it has nothing at this path",
    405: "this path does not accept POST, so it is not an MCP endpoint",
}


@asynccontextmanager
async def web_streams(
    url: str, headers: Mapping[str, str], wire: ServerSession, patience: float
) -> AsyncIterator[Streams]:
    """Yield the two streams of a session over HTTP."""

    async def look(response: httpx2.Response) -> None:
        _judge(response, wire)
        if isinstance(response.stream, httpx2.AsyncByteStream):
            response.stream = _Watched(response.stream, response, wire)

    client = httpx2.AsyncClient(
        headers={**headers, "accept-encoding": "identity"},
        timeout=httpx2.Timeout(patience),
        event_hooks={"response": [look]},
    )
    async with (
        client,
        streamable_http_client(
            url, http_client=client, max_sse_event_size=wire.limits.line
        ) as streams,
    ):
        yield streams


def _judge(response: httpx2.Response, wire: ServerSession) -> None:
    """Keep the HTTP reason of a failure, which the SDK replaces by a general error."""
    if response.request.method != "POST":
        return
    status, kind = response.status_code, response.headers.get("content-type", "").lower()
    wire.status = ""
    wire.is_explained = not kind.startswith("application/json")  # JSON may hold a better reason
    if status >= _FAILED:
        hint = _HINTS.get(status, response.reason_phrase)
        wire.status = f"HTTP {status}: {hint}" if hint else f"HTTP {status}"
    elif status >= _REDIRECTS:
        place = mask_url(response.headers.get("location", "nowhere"))
        wire.status = f"HTTP {status}: it redirects to {place}, which is not followed"
    elif status != _ACCEPTED and not kind.startswith(("application/json", "text/event-stream")):
        wire.status = f"it answers with {kind or 'nothing'}, so this is not an MCP endpoint"
    if response.headers.get("content-encoding", "identity").lower() != "identity":
        raise wire.refuse("its answer is compressed, although the request excludes that")


class _Watched(httpx2.AsyncByteStream):
    """A body that is counted and, where it is JSON, checked by the strict loader."""

    def __init__(
        self, stream: httpx2.AsyncByteStream, response: httpx2.Response, wire: ServerSession
    ) -> None:
        kind = response.headers.get("content-type", "").lower()
        self._stream = stream
        self._wire = wire
        self._is_json = kind.startswith("application/json") and response.status_code < _FAILED
        self._is_events = kind.startswith("text/event-stream")

    async def __aiter__(self) -> AsyncIterator[bytes]:
        try:
            async for chunk in self._checked():
                yield chunk
        except Refused:
            raise httpx2.StreamError("refused") from None

    async def _checked(self) -> AsyncIterator[bytes]:
        events = EventDecoder(self._wire.limits.line)
        body: list[bytes] = []
        async for chunk in self._stream:
            self._wire.count(len(chunk))
            if self._is_json:
                body.append(chunk)
            elif self._is_events:
                self._check_events(events, chunk)
            yield chunk
        if self._is_json:
            self._wire.load(b"".join(body))

    def _check_events(self, events: EventDecoder, chunk: bytes) -> None:
        try:
            found = events.feed(chunk)
        except ToolcanonError as error:
            raise self._wire.refuse(f"it sent an unreadable message: {what(error)}") from None
        for _, text in found:
            if text:
                self._wire.load(text)

    async def aclose(self) -> None:
        await self._stream.aclose()
