"""The ``anthropic`` package, by its middleware: within its retries, before requests are signed.

So it also works for the clients of other clouds. ToolcanonErrors reach the application unchanged.
"""

from __future__ import annotations

from functools import cache
from typing import Any, Final, TypeVar

from toolcanon.boundary.httpx_transport import concerns, incoming, is_stream, kit_for, package_of
from toolcanon.boundary.rewriter import Exchange, Rewriter, RewriterOptions, dumped, parsed
from toolcanon.errors import MissingPackage, UsageError

Client = TypeVar("Client")
_PATHS: Final = ("/messages", "/messages/count_tokens")


class _Boundary:
    """Rewrites each attempt; every attempt starts from the application's own request."""

    def __init__(self, rewriter: Rewriter) -> None:
        self._rewriter = rewriter

    def handle(self, request: Any, call_next: Any) -> Any:
        request, exchange = self._begin(request)
        response = call_next(request)
        http = response.http_response
        if exchange is None or not concerns(exchange, http):
            return response
        if is_stream(http) and not http.is_stream_consumed:
            stream = kit_for(package_of(http)).stream(http, exchange.stream())
            response.http_response = _with(http, stream=stream)
        else:
            response.http_response = _read(http, http.read(), exchange)
        return response

    async def handle_async(self, request: Any, call_next: Any) -> Any:
        request, exchange = self._begin(request)
        response = await call_next(request)
        http = response.http_response
        if exchange is None or not concerns(exchange, http):
            return response
        if is_stream(http) and not http.is_stream_consumed:
            stream = kit_for(package_of(http)).async_stream(http, exchange.stream())
            response.http_response = _with(http, stream=stream)
        else:
            response.http_response = _read(http, await http.aread(), exchange)
        return response

    def _begin(self, request: Any) -> tuple[Any, Exchange | None]:
        path = request.url.partition("?")[0]
        if request.method.upper() != "POST" or not path.endswith(_PATHS):
            return request, None
        if not isinstance(request.json, dict):
            return request, None
        exchange = self._rewriter.request(dumped(request.json))
        if not exchange.is_changed:
            return request, exchange
        return request.copy(body=parsed(exchange.body)), exchange


@cache
def _middleware() -> Any:
    """Return the class as a subclass of the package's Middleware."""
    try:
        from anthropic import Middleware  # noqa: PLC0415 - installed with the client
    except ImportError:
        raise MissingPackage("anthropic", "boundary", "adapt its client") from None
    return type("Boundary", (_Boundary, Middleware), {})


def _with(response: Any, **body: Any) -> Any:
    """Return the response for the application, as an answer to its own request."""
    made = incoming(kit_for(package_of(response)).http, response, **body)
    made.request = response.request
    return made


def _read(response: Any, body: bytes, exchange: Exchange) -> Any:
    """Return a response that was read, with its original elapsed time."""
    rewrite = exchange.stream() if is_stream(response) else None
    content = exchange.answer(body) if rewrite is None else rewrite.feed(body) + rewrite.close()
    made = _with(response, content=content)
    made.elapsed = response.elapsed
    return made


def adapt(client: Client, **options: Any) -> Client:
    """Return a copy of a client, sync or async, that rewrites in flight; the client is unchanged.

    ``options`` are those of ``Options``: ``strict``, ``dialect``, ``model``, ``via``, ``naming``,
    ``tools``, ``binding``. It is the innermost middleware: others see the application's names.
    """
    sdk: Any = client
    if not hasattr(sdk, "with_middleware"):
        raise UsageError(f"adapt needs a client of anthropic 2, not {type(client).__name__}")
    copy: Client = sdk.with_middleware(
        _middleware()(Rewriter("anthropic", RewriterOptions(**options)))
    )
    return copy
