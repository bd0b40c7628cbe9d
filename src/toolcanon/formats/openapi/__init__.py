"""OpenAPI 3.0 and 3.1: every operation of a document is a tool.

Parameters and body become one object of arguments; a recipe in the tool's extras splits it again
(``http_request``). Guesses are noted there as well, each with its place.
"""

from __future__ import annotations

from toolcanon.dialect import Source
from toolcanon.formats.openapi.document import ID, minor_version
from toolcanon.formats.openapi.reading import read, spread
from toolcanon.formats.openapi.request import HttpRequest, http_request
from toolcanon.formats.openapi.writing import assemble, write
from toolcanon.formats.wire import Format, Match
from toolcanon.jsonio.types import Json, JsonObject

__all__ = ["FORMAT", "HttpRequest", "http_request"]

_WITH_PATHS = Match(1.0, "'openapi' 3 and 'paths'", many=True)
_WITHOUT_PATHS = Match(0.9, "'openapi' 3", many=True)
_SWAGGER = Match(0.95, "'swagger' and 'paths', the version before", many=True)


def sniff(definition: JsonObject) -> Match | None:
    if minor_version(definition.get("openapi")) is not None:
        return _WITH_PATHS if "paths" in definition else _WITHOUT_PATHS
    if str(definition.get("swagger", "")).startswith("2") and "paths" in definition:
        return _SWAGGER
    return None


def request(tools: Json, strict: bool) -> JsonObject:  # noqa: FBT001
    """Return the tools under their own name; no model accepts a document."""
    del strict
    return {"openapi": tools}


FORMAT = Format(
    id=ID,
    title="OpenAPI document",
    sources=(
        Source("github.com/OAI/OpenAPI-Specification 3.1.2.md", "2026-11", "styles, encodings"),
        Source("RFC 9110 section 9.2", "2026-11", "safe and idempotent methods"),
    ),
    signals=frozenset({"openapi", "swagger"}),
    sniff=sniff,
    read=read,
    spread=spread,
    write=write,
    is_document=True,
    assemble=assemble,
    request=request,
)
