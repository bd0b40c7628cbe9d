"""The ``openai`` package, 3 on httpx2 and 2 on httpx: Chat Completions and Responses."""

from __future__ import annotations

from typing import Any, Final, TypeVar

from toolcanon.boundary.httpx_transport import ROUTES, wrapped
from toolcanon.boundary.rewriter import RewriterOptions
from toolcanon.errors import UsageError

Client = TypeVar("Client")
_PATHS: Final = {path: format_id for path, format_id in ROUTES.items() if "openai" in format_id}


def adapt(client: Client, **options: Any) -> Client:
    """Return a copy of a client, sync or async, that rewrites in flight; the client is unchanged.

    ``options`` are those of ``Options``: ``strict``, ``dialect``, ``model``, ``via``, ``naming``,
    ``tools``, ``binding``. An error while rewriting reaches the application as the cause of the
    package's own connection error.
    """
    sdk: Any = client
    if not hasattr(sdk, "_client") or not hasattr(sdk, "with_options"):
        raise UsageError(f"adapt needs a client of openai, not {type(client).__name__}")
    made = wrapped(sdk._client, RewriterOptions(**options), _PATHS)  # noqa: SLF001 - no public name
    copy: Client = sdk.with_options(http_client=made)
    return copy
