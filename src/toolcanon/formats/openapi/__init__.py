"""OpenAPI 3.0 and 3.1: every operation of a document is a tool.

Parameters and body become one object of arguments; a recipe in the tool's extras splits it again
(``http_request``). Guesses are noted there as well, each with its place.
"""

from __future__ import annotations

from collections.abc import Sequence

from toolcanon.dialect import Source
from toolcanon.formats.openapi.document import ID, minor_version
from toolcanon.formats.wire import Format, LoweredTool, Match
from toolcanon.ir import CanonicalTool
from toolcanon.jsonio.types import Json, JsonObject

_WITH_PATHS = Match(1.0, "'openapi' 3 and 'paths'", many=True)
_WITHOUT_PATHS = Match(0.9, "'openapi' 3", many=True)
_SWAGGER = Match(0.95, "'swagger' and 'paths', the version before", many=True)


def sniff(definition: JsonObject) -> Match | None:
    if minor_version(definition.get("openapi")) is not None:
        return _WITH_PATHS if "paths" in definition else _WITHOUT_PATHS
    if str(definition.get("swagger", "")).startswith("2") and "paths" in definition:
        return _SWAGGER
    return None


# Reader and writer are large, and few runs meet a document: they are loaded when one is used.


def read(definition: JsonObject) -> CanonicalTool:
    from toolcanon.formats.openapi import reading  # noqa: PLC0415

    return reading.read(definition)


def spread(definition: JsonObject) -> list[CanonicalTool]:
    from toolcanon.formats.openapi import reading  # noqa: PLC0415

    return reading.spread(definition)


def write(tool: CanonicalTool, wire: LoweredTool) -> JsonObject:
    from toolcanon.formats.openapi import writing  # noqa: PLC0415

    return writing.write(tool, wire)


def assemble(items: Sequence[tuple[CanonicalTool, JsonObject]]) -> Json:
    from toolcanon.formats.openapi import writing  # noqa: PLC0415

    return writing.assemble(items)


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
