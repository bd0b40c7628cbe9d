"""What a schema can no longer say goes into its description, where the model reads it."""

from __future__ import annotations

from typing import Final

import orjson

from toolcanon.jsonio.types import Json, JsonObject

_LONGEST: Final = 400


def with_notes(node: JsonObject, notes: list[str]) -> JsonObject:
    """The node with remarks behind its description.

    >>> with_notes({"type": "integer", "description": "How many."}, ["minimum: 1"])
    {'type': 'integer', 'description': 'How many. (minimum: 1)'}
    """
    if not notes:
        return node
    remark = f"({'; '.join(notes)})"
    text = node.get("description")
    return {**node, "description": f"{text} {remark}" if isinstance(text, str) and text else remark}


def note(keyword: str, value: Json) -> str | None:
    """A keyword as a remark; None when it says nothing, or would be longer than it is worth.

    >>> note("default", ""), note("default", "a"), note("examples", [])
    ('default: ""', 'default: a', None)
    """
    if keyword == "examples" and not value:
        return None
    text = shown(value)
    return f"{keyword}: {text}" if len(text) <= _LONGEST else None


def shown(value: Json) -> str:
    """A value as text in a remark; quotes show where an empty or blank one begins and ends."""
    if isinstance(value, str) and (not value or value != value.strip()):
        return orjson.dumps(value.encode("utf-8", "replace").decode()).decode()
    return as_text(value)


def as_text(value: Json) -> str:
    """A value as compact JSON, keys as they come; a plain word without quotes."""
    if isinstance(value, str):
        return value
    try:
        return orjson.dumps(value).decode()
    except TypeError:  # an integer beyond 64 bits
        return str(value)
