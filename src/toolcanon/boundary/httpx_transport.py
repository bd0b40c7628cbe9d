"""The same transport for httpx and for httpx2, sync and async.

They are two packages with the same classes, and neither takes the other's. A client that rewrites
sends through the client it was made from, so pools, proxies, certificates and hooks stay as set up.
Errors of the provider pass untouched; what is compressed is opened, and then no longer said to be.
"""

from __future__ import annotations

import gzip
import re
from collections.abc import AsyncIterator, Iterator, Mapping
from functools import cache
from importlib import import_module
from typing import Any, Final, NamedTuple

from toolcanon.boundary.rewriter import Exchange, Options, Rewriter
from toolcanon.boundary.sse import StreamRewriter
from toolcanon.errors import MissingPackage, NotAConversation, UsageError

PACKAGES: Final = ("httpx2", "httpx")
_GONE: Final = frozenset({"content-length", "content-encoding", "transfer-encoding"})
"""What is said of bytes that are no longer there."""
_ERRORS: Final = 400
_STREAM: Final = "text/event-stream"
ROUTES: Final[Mapping[str, str]] = {
    r"/chat/completions": "openai",
    r"/responses(/input_tokens)?": "openai-responses",
    r"/messages(/count_tokens)?": "anthropic",
    r":(streamG|g)enerateContent": "gemini",
}
"""Ends of paths, and the formats that go there; anything else passes."""


class Routes:
    """Finds the rewriter for a request."""

    def __init__(self, options: Options, routes: Mapping[str, str] = ROUTES) -> None:
        only = None if options.binding is None else options.binding.format
        self._found = [
            (re.compile(f"(?:{path})$"), Rewriter(format_id, options))
            for path, format_id in routes.items()
            if only in (None, format_id)
        ]
        if not self._found:
            raise UsageError(f"nothing here goes to {only}; bind the tools for who is asked")

    def rewriter(self, method: str, path: str) -> Rewriter | None:
        """Whoever knows this method of this provider."""
        if method.upper() != "POST":
            return None
        return next((found for path_, found in self._found if path_.search(path)), None)


def package_of(client: object) -> str:
    """The package that a client, or whatever it derives from, is made of; raises UsageError."""
    for kind in type(client).__mro__:
        package = kind.__module__.partition(".")[0]
        if package in PACKAGES:
            return package
    raise UsageError(f"this takes a client of httpx or httpx2, not {type(client).__name__}")


class _Stream:
    """Bytes on their way in."""

    def __init__(self, response: Any, rewriter: StreamRewriter) -> None:
        self._response, self._rewriter = response, rewriter

    def __iter__(self) -> Iterator[bytes]:
        for data in self._response.iter_bytes():
            if out := self._rewriter.feed(data):
                yield out
        if out := self._rewriter.close():
            yield out

    def close(self) -> None:
        self._response.close()


class _AsyncStream:
    """The same, awaited."""

    def __init__(self, response: Any, rewriter: StreamRewriter) -> None:
        self._response, self._rewriter = response, rewriter

    async def __aiter__(self) -> AsyncIterator[bytes]:
        async for data in self._response.aiter_bytes():
            if out := self._rewriter.feed(data):
                yield out
        if out := self._rewriter.close():
            yield out

    async def aclose(self) -> None:
        await self._response.aclose()


class _Transport:
    """Rewrites, and sends through another client."""

    package: str

    def __init__(self, client: Any, routes: Routes) -> None:
        self._client, self._routes, self._kit = client, routes, kit_for(self.package)

    def handle_request(self, request: Any) -> Any:
        request.read()
        request, exchange = outgoing(self._kit.http, request, self._routes)
        response = self._client.send(request, stream=True, follow_redirects=False)
        if exchange is None or not concerns(exchange, response):
            return response
        if is_stream(response):
            stream = self._kit.stream(response, exchange.stream())
            return incoming(self._kit.http, response, stream=stream)
        try:
            content = exchange.answer(response.read())
        finally:
            response.close()
        return incoming(self._kit.http, response, content=content)

    def close(self) -> None:
        self._client.close()


class _AsyncTransport:
    """The same, awaited."""

    package: str

    def __init__(self, client: Any, routes: Routes) -> None:
        self._client, self._routes, self._kit = client, routes, kit_for(self.package)

    async def handle_async_request(self, request: Any) -> Any:
        await request.aread()
        request, exchange = outgoing(self._kit.http, request, self._routes)
        response = await self._client.send(request, stream=True, follow_redirects=False)
        if exchange is None or not concerns(exchange, response):
            return response
        if is_stream(response):
            stream = self._kit.async_stream(response, exchange.stream())
            return incoming(self._kit.http, response, stream=stream)
        try:
            content = exchange.answer(await response.aread())
        finally:
            await response.aclose()
        return incoming(self._kit.http, response, content=content)

    async def aclose(self) -> None:
        await self._client.aclose()


class Kit(NamedTuple):
    """One of the packages, and our classes as kinds of its own."""

    http: Any
    transport: Any
    async_transport: Any
    stream: Any
    async_stream: Any


@cache
def kit_for(package: str) -> Kit:
    """The classes for a package; raises MissingPackage."""
    try:
        http: Any = import_module(package)
    except ModuleNotFoundError:
        raise MissingPackage(package, "boundary", "rewrite requests in flight") from None
    own = {"package": package}
    return Kit(
        http,
        type("Transport", (_Transport, http.BaseTransport), own),
        type("AsyncTransport", (_AsyncTransport, http.AsyncBaseTransport), own),
        type("Stream", (_Stream, http.SyncByteStream), {}),
        type("AsyncStream", (_AsyncStream, http.AsyncByteStream), {}),
    )


def outgoing(http: Any, request: Any, routes: Routes) -> tuple[Any, Exchange | None]:
    """The request to send; a new one where the body changes, with all that goes with it."""
    rewriter = routes.rewriter(request.method, request.url.path)
    if rewriter is None:
        return request, None
    is_packed = request.headers.get("content-encoding", "") == "gzip"
    body = gzip.decompress(request.content) if is_packed else request.content
    exchange = rewriter.request(body)
    if not exchange.is_changed:
        return request, exchange
    gone = {"content-length", "transfer-encoding"}
    headers = [(k, v) for k, v in request.headers.multi_items() if k.lower() not in gone]
    content = gzip.compress(exchange.body, mtime=0) if is_packed else exchange.body
    new = http.Request(
        request.method,
        request.url,
        headers=headers,
        content=content,
        extensions=request.extensions,
    )
    return new, exchange


def concerns(exchange: Exchange, response: Any) -> bool:
    """Whether an answer has to be rewritten: errors, and what holds no calls, pass."""
    if response.status_code >= _ERRORS or not exchange.changes_answer:
        return False
    kind = kind_of(response)
    if kind == _STREAM or kind.endswith("json") or kind.startswith("text/") or not kind:
        return True
    raise NotAConversation("", f"calls in an answer of the type {kind!r} cannot be put back")


def kind_of(response: Any) -> str:
    """The type of its content."""
    kind: str = response.headers.get("content-type", "")
    return kind.partition(";")[0].strip().lower()


def is_stream(response: Any) -> bool:
    """Whether it is to be read while it comes."""
    return kind_of(response) == _STREAM


def incoming(http: Any, response: Any, **body: Any) -> Any:
    """A response with another body, and otherwise the same."""
    headers = [(k, v) for k, v in response.headers.multi_items() if k.lower() not in _GONE]
    return http.Response(
        response.status_code, headers=headers, extensions=response.extensions, **body
    )


def wrapped(client: Any, options: Options, routes: Mapping[str, str] = ROUTES) -> Any:
    """A client of httpx or httpx2 that rewrites, and sends through the one given.

    Closing it closes that one. Raises UsageError for any other kind of client.
    """
    kit = kit_for(package_of(client))
    is_async = isinstance(client, kit.http.AsyncClient)
    transport = kit.async_transport if is_async else kit.transport
    make = kit.http.AsyncClient if is_async else kit.http.Client
    return make(
        transport=transport(client, Routes(options, routes)),
        base_url=client.base_url,
        headers=client.headers,
        params=client.params,
        cookies=client.cookies,
        timeout=client.timeout,
        follow_redirects=client.follow_redirects,
        max_redirects=client.max_redirects,
        trust_env=False,  # what the environment says, the other client has heard
    )


def client(http_client: Any, **options: Any) -> Any:
    """The same for whoever takes an HTTP client; see ``Options`` for the options.

    It knows the paths of every provider that has an adapter, so that it serves applications which
    speak to several, such as gateways.
    """
    return wrapped(http_client, Options(**options))
