"""The ``google-genai`` package, by the HTTP clients that it accepts."""

from __future__ import annotations

from typing import Any, Final

from toolcanon.boundary.httpx_transport import (
    PACKAGES,
    ROUTES,
    Routes,
    kit_for,
    package_of,
    wrapped,
)
from toolcanon.boundary.rewriter import RewriterOptions
from toolcanon.errors import MissingPackage

_PATHS: Final = {path: format_id for path, format_id in ROUTES.items() if format_id == "gemini"}


def http_options(given: Any = None, **options: Any) -> Any:
    """Return options for ``genai.Client(http_options=…)`` with which it rewrites in flight.

    ``given`` are the package's own options, a dict or ``HttpOptions``: all of them are kept, and
    requests go through HTTP clients in them. ``options`` are those of ``Options``: ``strict``,
    ``dialect``, ``model``, ``via``, ``naming``, ``tools``, ``binding``.
    """
    try:
        from google.genai.types import HttpOptions  # noqa: PLC0415 - installed with the client
    except ImportError:
        raise MissingPackage("google-genai", "boundary", "adapt its client") from None
    own = HttpOptions.model_validate(given or {})
    kit = kit_for(_package(own))
    chosen = RewriterOptions(**options)
    routes = Routes(chosen, _PATHS)
    # The package also closes the clients that it makes itself, and our transport with them.
    changes: dict[str, Any] = {}
    if own.httpx_client is not None:
        changes["httpx_client"] = wrapped(own.httpx_client, chosen, _PATHS)
    else:
        inner = kit.http.Client(**(own.client_args or {}))
        changes["client_args"] = {"transport": kit.transport(inner, routes)}
    if own.httpx_async_client is not None:
        changes["httpx_async_client"] = wrapped(own.httpx_async_client, chosen, _PATHS)
    else:
        inner = kit.http.AsyncClient(**(own.async_client_args or {}))
        changes["async_client_args"] = {"transport": kit.async_transport(inner, routes)}
    return own.model_copy(update=changes)


def _package(own: Any) -> str:
    """Return the name of the HTTP package, which is the same for both clients."""
    for client in (own.httpx_client, own.httpx_async_client):
        if client is not None:
            return package_of(client)
    return PACKAGES[0]
