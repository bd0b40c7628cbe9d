"""Media types: which of them a body is written in, and how."""

from __future__ import annotations

from enum import StrEnum
from typing import Final

from toolcanon.jsonio.types import Json, JsonObject

JSON: Final = "application/json"


class Kind(StrEnum):
    """How a body is written, the best one first."""

    JSON = "json"
    FORM = "form"
    MULTIPART = "multipart"
    TEXT = "text"


def essence(media: Json) -> str:
    """A media type without its parameters."""
    return str(media).partition(";")[0].strip().lower()


def is_json(media: Json) -> bool:
    """Whether a media type is JSON, by name or by suffix."""
    name = essence(media)
    return name in {JSON, "text/json"} or name.endswith("+json")


def is_any(media: Json) -> bool:
    """Whether it is a range that JSON is in."""
    return essence(media) in {"*/*", "application/*"}


def kind_of(media: Json) -> Kind:
    """How a body of this type is written."""
    name = essence(media)
    if is_json(media) or is_any(media):
        return Kind.JSON
    if name == "application/x-www-form-urlencoded":
        return Kind.FORM
    return Kind.MULTIPART if name == "multipart/form-data" else Kind.TEXT


def preferred(content: JsonObject) -> str | None:
    """The type to use: JSON, then forms, then the first of the others; a range comes last."""
    order = list(Kind)
    ranked = sorted(content, key=lambda media: (order.index(kind_of(media)), is_any(media)))
    return next(iter(ranked), None)


def is_binary(schema: Json) -> bool:
    """Whether a schema describes raw bytes: ``format: binary``, a media type, or nothing at all."""
    if not isinstance(schema, dict):
        return False
    items = schema.get("items")
    if isinstance(items, dict) and schema.get("type") == "array":
        return is_binary(items)
    typed = isinstance(schema.get("contentMediaType"), str) and "contentEncoding" not in schema
    return not schema or schema.get("format") == "binary" or typed
