"""Live objects of anybody's library as plain JSON, without importing that library."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from toolcanon.errors import MalformedJson, NoTools
from toolcanon.jsonio import DEEPEST, loads
from toolcanon.jsonio.types import Json
from toolcanon.registry import registry

DEFINITION = "__toolcanon__"
"""Where a decorated function keeps what it is as a tool."""
_SCALARS = (str, int, float, bool, type(None))
_EXACT = frozenset(_SCALARS)


def plain(thing: Any) -> Json:
    """Return a dict, a list, or what an SDK object dumps to. JSON text is parsed strictly."""
    if isinstance(thing, (dict, list)):
        return thing
    if isinstance(thing, (str, bytes)):
        return _parse(thing)
    if isinstance(thing, _SCALARS):
        return thing
    found = _dumped(thing)
    if found is None:
        kind = type(thing).__name__
        if isinstance(getattr(thing, "tools", None), list):  # a toolset, a binding
            raise NoTools(f"a {kind} is not a definition; pass its tools ({kind.lower()}.tools)")
        raise NoTools(f"{kind} is not JSON and has neither model_dump nor to_dict")
    return found


def plain_throughout(value: Any, depth: int = 0) -> Json:
    """Return the value if it is plain throughout, otherwise a copy with live objects dumped."""
    if isinstance(value, _SCALARS) or depth > DEEPEST or (not depth and _is_plain(value)):
        return value
    if isinstance(value, dict):
        table = {}
        for key, item in value.items():
            table[key] = plain_throughout(item, depth + 1)
        changed = type(value) is not dict or any(table[key] is not value[key] for key in table)
        return table if changed else value
    if isinstance(value, list):
        items = []
        for item in value:
            items.append(plain_throughout(item, depth + 1))  # noqa: PERF401 - one frame a level
        return items if any(a is not b for a, b in zip(items, value, strict=True)) else value
    found = _dumped(value)
    return value if found is None else found


def _is_plain(value: Any) -> bool:
    """Return whether nothing needs to be dumped: a look that costs a fraction of the walk above."""
    level = [value]
    for _ in range(DEEPEST):
        below: list[Any] = []
        for item in level:
            if item.__class__ is dict:
                held: Iterable[Any] = item.values()
            elif item.__class__ is list:
                held = item
            else:
                return False
            for inner in held:
                if inner.__class__ not in _EXACT:
                    below.append(inner)  # noqa: PERF401 - a list of its own for each costs more
        if not below:
            return True
        level = below
    return False


def _dumped(thing: Any) -> Json | None:
    held = getattr(getattr(thing, "__func__", thing), "__dict__", {}).get(DEFINITION)
    if held is not None:  # a decorated function, method or class
        return held.to_dict()
    if isinstance(thing, Mapping):
        return dict(thing)
    for candidate in registry().formats.values():
        if candidate.adopt is not None and (found := candidate.adopt(thing)) is not None:
            return found
    if isinstance(thing, type):
        return None
    if hasattr(thing, "model_dump"):  # fields that were never set are left out
        return thing.model_dump(mode="json", by_alias=True, exclude_unset=True)
    if hasattr(thing, "to_dict"):
        return thing.to_dict()
    if isinstance(thing, (tuple, set, frozenset)) or hasattr(thing, "__next__"):
        return list(thing)
    return None


def _parse(text: str | bytes) -> Json:
    """One document, or one document a line."""
    raw = text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text
    try:
        return loads(raw).value
    except MalformedJson as whole:
        lines = [(n, line) for n, line in enumerate(raw.splitlines(), 1) if line.strip()]
        if len(lines) < 2 or not _is_json(lines[0][1]):  # noqa: PLR2004
            raise whole from None
    documents = []
    for number, line in lines:
        try:
            documents.append(loads(line).value)
        except MalformedJson as error:
            raise MalformedJson(error.reason, number, error.column) from None
    return documents


def _is_json(line: bytes) -> bool:
    try:
        loads(line)
    except MalformedJson:
        return False
    return True
