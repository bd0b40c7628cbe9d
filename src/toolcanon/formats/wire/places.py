"""Where in a wrapper something went wrong."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from toolcanon.errors import UnreadableTool
from toolcanon.jsonio.types import Json, JsonObject


@contextmanager
def located(under: str) -> Iterator[None]:
    """Put the place of a part before the place that its reader reports."""
    try:
        yield
    except UnreadableTool as error:
        raise UnreadableTool(error.format, f"{under}{error.at}", error.reason) from None


def as_object(item: Json, format_id: str) -> JsonObject:
    """The item, if it is an object; SDK objects inside wrappers are dumped."""
    if not isinstance(item, dict) and hasattr(item, "model_dump"):
        item = item.model_dump(mode="json", by_alias=True, exclude_unset=True)
    if not isinstance(item, dict):
        raise UnreadableTool(format_id, "", "a tool is an object")
    return item
