"""Every parameter a schema declares, however deep, so that none is lost unseen."""

from __future__ import annotations

from typing import Any

from tests.referee.walk import DEFINITIONS, References, children, is_text

# What a value is not, and what other rules say of names, declares nothing.
_SILENT = DEFINITIONS | {"not", "propertyNames", "contains", "contentSchema"}
_MOST = 100_000


def parameters(schema: Any) -> list[tuple[str, ...]]:
    """Paths made of parameter names only: arrays, maps, unions and references are seen through.

    A member whose schema is `false` can never be given, so it is not declared. Where a schema
    contains itself, the walk ends at the second meeting.
    """
    references = References(schema)
    found: dict[tuple[str, ...], None] = {}
    seen: set[tuple[int, tuple[str, ...]]] = set()
    waiting: list[tuple[Any, tuple[str, ...], frozenset[int]]] = [(schema, (), frozenset())]
    while waiting:
        node, path, around = waiting.pop()
        if path and node is not False:
            found.setdefault(path)
        if not isinstance(node, dict) or id(node) in around or (id(node), path) in seen:
            continue
        seen.add((id(node), path))
        if len(seen) > _MOST:
            raise OverflowError(f"more than {_MOST} places to look at")
        inside = around | {id(node)}
        nested = [
            (child.node, (*path, child.name) if child.via == "properties" else path, inside)
            for child in children(node)
            if child.via not in _SILENT
        ]
        if is_text(reference := node.get("$ref")):
            nested.append((references.target(reference), path, inside))
        waiting.extend(reversed(nested))
    return list(found)
