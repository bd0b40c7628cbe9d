"""Live objects of anybody's library as plain JSON, without importing that library."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from toolcanon.errors import NoTools
from toolcanon.jsonio import loads
from toolcanon.jsonio.types import Json
from toolcanon.registry import registry


def plain(thing: Any) -> Json:
    """A dict, a list, or what an SDK object dumps to. JSON text is parsed strictly."""
    if isinstance(thing, (dict, list)):
        return thing
    if isinstance(thing, (str, bytes)):
        return _parse(thing)
    if isinstance(thing, Mapping):
        return dict(thing)
    if isinstance(thing, (tuple, set, frozenset)) or hasattr(thing, "__next__"):
        return list(thing)
    for candidate in registry().formats.values():
        if candidate.adopt is not None and (found := candidate.adopt(thing)) is not None:
            return found
    if not isinstance(thing, type):
        if hasattr(thing, "model_dump"):  # what was never set says nothing, so it is left out
            return thing.model_dump(mode="json", by_alias=True, exclude_unset=True)
        if hasattr(thing, "to_dict"):
            return thing.to_dict()
    msg = f"{type(thing).__name__} is not JSON and has neither model_dump nor to_dict"
    raise NoTools(msg)


def _parse(text: str | bytes) -> Json:
    """One document, or one document a line."""
    raw = text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text
    lines = [line for line in raw.splitlines() if line.strip()]
    first_is_whole = lines and lines[0].lstrip()[:1] == b"{" and lines[0].rstrip()[-1:] == b"}"
    if len(lines) > 1 and first_is_whole and lines[1].lstrip()[:1] == b"{":
        return [loads(line).value for line in lines]
    return loads(raw).value
