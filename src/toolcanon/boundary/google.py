"""The ``google-genai`` package, by the HTTP clients that it takes."""

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
from toolcanon.boundary.rewriter import Options
from toolcanon.errors import MissingPackage

_PATHS: Final = {path: format_id for path, format_id in ROUTES.items() if format_id == "gemini"}


def http_options(given: Any = None, **options: Any) -> Any:
    """Options for ``genai.Client(http_options=…)`` with which it rewrites in flight.

    ``given`` are options of the package's own, a dict or its ``HttpOptions``: everything in them
    holds, and HTTP clients in them are sent through. ``options`` are those of ``Options``:
    ``strict``, ``dialect``, ``model``, ``via``, ``naming``, ``tools``, ``binding``.
    """
    try:
        from google.genai.types import HttpOptions  # noqa: PLC0415 - whoever has a client has it
    except ImportError:
        raise MissingPackage("google-genai", "boundary", "adapt its client") from None
    own = HttpOptions.model_validate(given or {})
    kit = kit_for(_package(own))
    chosen = Options(**options)
    routes = Routes(chosen, _PATHS)
    # Where the package makes its own clients it also closes them, and our transport with them.
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
    """Both clients are of the same package."""
    for client in (own.httpx_client, own.httpx_async_client):
        if client is not None:
            return package_of(client)
    return PACKAGES[0]
