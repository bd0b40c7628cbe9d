"""One transport for httpx and for httpx2, sync and async.

They are two packages with the same classes, which do not mix. A rewriting client sends through the
client it was made from, so its pools, proxies, certificates and hooks still apply. Errors of the
provider pass unchanged; compressed bodies are unpacked, and their headers adjusted.
"""

from __future__ import annotations

import gzip
import re
from collections.abc import AsyncIterator, Iterator, Mapping
from functools import cache
from importlib import import_module
from typing import Any, Final, NamedTuple

from toolcanon.boundary.rewriter import Exchange, Rewriter, RewriterOptions, StreamRewriter
from toolcanon.errors import MissingPackage, NotAConversation, UsageError

PACKAGES: Final = ("httpx2", "httpx")
_GONE: Final = frozenset({"content-length", "content-encoding", "transfer-encoding"})
"""Headers about a body that was replaced."""
_ERRORS: Final = 400
_STREAM: Final = "text/event-stream"
ROUTES: Final[Mapping[str, str]] = {
    r"/chat/completions": "openai",
    r"/responses(/input_tokens)?": "openai-responses",
    r"/messages(/count_tokens)?": "anthropic",
    r":(streamG|g)enerateContent": "gemini",
}
"""Ends of paths, with the formats used there; other paths pass unchanged."""


class Routes:
    """Finds the rewriter of a request."""

    def __init__(self, options: RewriterOptions, routes: Mapping[str, str] = ROUTES) -> None:
        only = None if options.binding is None else options.binding.format
        self._found = [
            (re.compile(f"(?:{path})$"), Rewriter(format_id, options))
            for path, format_id in routes.items()
            if only in (None, format_id)
        ]
        if not self._found:
            raise UsageError(f"no route here is for {only}; bind the tools for the provider in use")

    def rewriter(self, method: str, path: str) -> Rewriter | None:
        """Return the rewriter for this method of a provider, None if it is not one."""
        if method.upper() != "POST":
            return None
        return next((found for path_, found in self._found if path_.search(path)), None)


def package_of(client: object) -> str:
    """Return the package of a client or of its base class; raises UsageError."""
    for kind in type(client).__mro__:
        package = kind.__module__.partition(".")[0]
        if package in PACKAGES:
            return package
    raise UsageError(f"a client of httpx or httpx2 is needed, not {type(client).__name__}")


class _Stream:
    """A stream of rewritten bytes."""

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
    """An asynchronous stream of rewritten bytes."""

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
    """Rewrites, and sends through another asynchronous client."""

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
    """One of the packages, with subclasses of its classes."""

    http: Any
    transport: Any
    async_transport: Any
    stream: Any
    async_stream: Any


@cache
def kit_for(package: str) -> Kit:
    """Return the classes for a package; raises MissingPackage."""
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
    """Return the request to send; a new one with matching headers where the body changes."""
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
    """Return whether an answer has to be rewritten; errors and bodies without calls do not."""
    if response.status_code >= _ERRORS or not exchange.changes_answer:
        return False
    kind = kind_of(response)
    if kind == _STREAM or kind.endswith("json") or kind.startswith("text/") or not kind:
        return True
    raise NotAConversation("", f"calls in an answer of the type {kind!r} cannot be restored")


def kind_of(response: Any) -> str:
    """Return the content type of a response."""
    kind: str = response.headers.get("content-type", "")
    return kind.partition(";")[0].strip().lower()


def is_stream(response: Any) -> bool:
    """Return whether the response is a stream."""
    return kind_of(response) == _STREAM


def incoming(http: Any, response: Any, **body: Any) -> Any:
    """Return a response with another body, otherwise the same."""
    headers = [(k, v) for k, v in response.headers.multi_items() if k.lower() not in _GONE]
    return http.Response(
        response.status_code, headers=headers, extensions=response.extensions, **body
    )


def wrapped(client: Any, options: RewriterOptions, routes: Mapping[str, str] = ROUTES) -> Any:
    """Return a client of httpx or httpx2 that rewrites, and sends through the given one.

    Closing it closes the given one. Raises UsageError for any other kind of client.
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
        trust_env=False,  # the other client applies the environment
    )


def client(http_client: Any, **options: Any) -> Any:
    """Return an HTTP client that rewrites, for libraries that accept one; see ``Options``.

    It knows the paths of every provider with an adapter, so it also serves applications that call
    several, such as gateways.
    """
    return wrapped(http_client, RewriterOptions(**options))
