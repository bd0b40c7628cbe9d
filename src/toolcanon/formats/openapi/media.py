"""Media types: which of them a body is written in, and how."""

from __future__ import annotations

from enum import StrEnum
from typing import Final

from toolcanon.jsonio.types import Json, JsonObject

JSON: Final = "application/json"
OCTETS: Final = "application/octet-stream"
_PLAINEST: Final = {"text": "text/plain", "multipart": "multipart/form-data"}


class Kind(StrEnum):
    """How a body is written, the preferred one first."""

    JSON = "json"
    FORM = "form"
    MULTIPART = "multipart"
    TEXT = "text"


def essence(media: Json) -> str:
    """Return a media type without its parameters."""
    return str(media).partition(";")[0].strip().lower()


def is_json(media: Json) -> bool:
    """Return whether a media type is JSON, by name or by suffix."""
    name = essence(media)
    return name in {JSON, "text/json"} or name.endswith("+json")


def is_any(media: Json) -> bool:
    """Return whether it is a range that includes JSON."""
    return essence(media) in {"*/*", "application/*"}


def is_range(media: Json) -> bool:
    """Return whether it is a range of types."""
    return "*" in essence(media)


def concrete(media: str) -> str:
    """Return the type to send: itself, or the most general one of a range.

    >>> concrete("text/*;q=0.5"), concrete("image/*"), concrete("text/csv; header=present")
    ('text/plain', 'application/octet-stream', 'text/csv; header=present')
    """
    if not is_range(media):
        return media
    return JSON if is_any(media) else _PLAINEST.get(essence(media).partition("/")[0], OCTETS)


def kind_of(media: Json) -> Kind:
    """Return how a body of this type is written."""
    name = essence(media)
    if is_json(media) or is_any(media):
        return Kind.JSON
    if name == "application/x-www-form-urlencoded":
        return Kind.FORM
    return Kind.MULTIPART if name in {_PLAINEST["multipart"], "multipart/*"} else Kind.TEXT


def preferred(content: JsonObject) -> str | None:
    """Return the type to use: JSON, then forms, then the first of the others; a range comes last.

    A type with ``+json`` is often a patch or a problem, so it comes after JSON itself.

    """
    order = list(Kind)

    def rank(media: str) -> tuple[int, bool, bool]:
        return order.index(kind_of(media)), is_range(media), essence(media) != JSON

    return min(content, key=rank, default=None)
