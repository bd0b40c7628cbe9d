"""The stdio transport: one message a line, within limits, read by the strict loader.

The SDK's own transport reads lines of any length, accepts duplicate keys and NaN, and leaves
processes behind that a server forked. The SDK's session takes any pair of streams.
"""

from __future__ import annotations

import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final

import anyio
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.shared.message import SessionMessage
from mcp_types import jsonrpc_message_adapter
from pydantic import ValidationError

from toolcanon.sources.mcp.child import Child
from toolcanon.sources.mcp.wire import Refused, Streams, Wire

_CHUNK: Final = 65536


@asynccontextmanager
async def pipe_streams(child: Child, wire: Wire) -> AsyncIterator[Streams]:
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
    child: Child, wire: Wire, incoming: MemoryObjectSendStream[SessionMessage | Exception]
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
    line: bytes, wire: Wire, incoming: MemoryObjectSendStream[SessionMessage | Exception]
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
