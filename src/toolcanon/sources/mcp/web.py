"""The streamable HTTP transport of the SDK, with limits on every body.

The SDK follows redirects within the origin only, so headers never reach another host. Bodies must
not be compressed: a small compressed body can be endless.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Final

import httpx2
from mcp.client.streamable_http import streamable_http_client

from toolcanon.errors import ToolcanonError
from toolcanon.formats.wire.sse import Events
from toolcanon.sources.mcp.wire import Refused, Streams, Wire, what
from toolcanon.text.secrets import mask_url

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
    url: str, headers: Mapping[str, str], wire: Wire, patience: float
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


def _judge(response: httpx2.Response, wire: Wire) -> None:
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
        self, stream: httpx2.AsyncByteStream, response: httpx2.Response, wire: Wire
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
        events = Events(self._wire.limits.line)
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

    def _check_events(self, events: Events, chunk: bytes) -> None:
        try:
            found = events.feed(chunk)
        except ToolcanonError as error:
            raise self._wire.refuse(f"it sent an unreadable message: {what(error)}") from None
        for _, text in found:
            if text:
                self._wire.load(text)

    async def aclose(self) -> None:
        await self._stream.aclose()
