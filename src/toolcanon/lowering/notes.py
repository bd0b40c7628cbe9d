"""What a schema can no longer say goes into its description, where the model reads it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Final

import orjson

from toolcanon.jsonio.types import Json, JsonObject
from toolcanon.schema.references import DEFINITIONS, REFERENCES, has_references, subschemas

_LONGEST: Final = 400
_FAR: Final = 8


def with_notes(node: JsonObject, notes: Iterable[str | None]) -> JsonObject:
    """Return the node with notes behind its description; the same node without notes.

    >>> with_notes({"type": "integer", "description": "How many."}, ["minimum: 1"])
    {'type': 'integer', 'description': 'How many. (minimum: 1)'}
    """
    said = [note for note in notes if note]
    return described(node.copy(), said) if said else node


def described(node: JsonObject, notes: list[str]) -> JsonObject:
    """Add notes to a node of the caller's own, which is changed."""
    remark = f"({'; '.join(notes)})"
    text = node.get("description")
    node["description"] = f"{text} {remark}" if text and text.__class__ is str else remark
    return node


def note(keyword: str, value: Json) -> str | None:
    """Return a keyword as a note; None when it is empty or would be too long.

    >>> note("default", ""), note("default", "a"), note("examples", [])
    ('default: ""', 'default: a', None)
    """
    if keyword == "examples" and not value:
        return None
    text = shown(value)
    return f"{keyword}: {text}" if len(text) <= _LONGEST else None


def whole(keyword: str, value: Json, find: Callable[[Json], Json]) -> Json:
    """Return a keyword's value without references; None where one cannot be resolved.

    >>> whole("not", {"$ref": "#/$defs/a"}, {"#/$defs/a": {"type": "null"}}.get)
    {'type': 'null'}
    """
    node = {keyword: value}
    if not has_references(node):
        return value
    try:
        return _written_out(node, find, ())[keyword]
    except _Endless:
        return None


class _Endless(Exception):
    """References lead nowhere, in circles or too far."""


def _written_out(schema: Json, find: Callable[[Json], Json], led: tuple[str, ...]) -> Json:
    if schema.__class__ is not dict:
        return schema
    out = {key: value for key, value in schema.items() if key not in REFERENCES}
    refs = [schema[key] for key in REFERENCES if schema.get(key).__class__ is str]
    for ref in refs:
        target = find(ref)
        if ref in led or len(led) > _FAR or target.__class__ is not dict or target.keys() & out:
            raise _Endless
        out |= {key: value for key, value in target.items() if key not in DEFINITIONS}
    below = (*led, *refs)
    for (key, *rest), inner in [*subschemas(out)]:
        new = _written_out(inner, find, below)
        if not rest:
            out[key] = new
        else:
            out[key] = out[key].copy()
            out[key][rest[0]] = new
        if len(as_text(new)) > _LONGEST:
            raise _Endless  # too long for a note in any case
    return _written_out(out, find, below) if not out.keys().isdisjoint(REFERENCES) else out


def shown(value: Json) -> str:
    """Return a value as text for a note; an empty or blank string is quoted."""
    if value.__class__ is not str:
        return as_text(value)
    if not value or value != value.strip():
        return orjson.dumps(value.encode("utf-8", "replace").decode()).decode()
    return value


def as_text(value: Json) -> str:
    """Return a value as compact JSON, keys as they come; a plain word without quotes."""
    if isinstance(value, str):
        return value
    try:
        return orjson.dumps(value).decode()
    except TypeError:  # an integer beyond 64 bits
        return str(value)
