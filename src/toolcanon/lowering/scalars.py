"""Schemas of single values, which cost nothing to write out: never a reason to give up."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from toolcanon.jsonio.types import Json
from toolcanon.schema.keywords import POSITIONS, TYPES
from toolcanon.schema.references import DEFINITIONS, REFERENCES
from toolcanon.schema.values import types_of

_SCALARS: Final = TYPES - {"object", "array"}
_UNIONS: Final = ("anyOf", "oneOf")
_BELOW: Final = frozenset(POSITIONS) - DEFINITIONS - {*_UNIONS}
_MOST: Final = 64  # looks at schemas


def is_scalar(schema: Json, target: Callable[[Json], Json]) -> bool:
    """Whether a schema is of texts, numbers, booleans or null alone, behind whichever references.

    ``target`` is the schema that a reference leads to.
    """
    ahead = [schema]
    for _ in range(_MOST):
        if not ahead:
            return True
        node = ahead.pop()
        if node.__class__ is not dict or not _BELOW.isdisjoint(node):
            return False
        led = [target(node[key]) for key in REFERENCES if key in node]
        led += [branch for key in _UNIONS for branch in node.get(key) or ()]
        kinds = types_of(node)
        if not (_lists_scalars(node) or (kinds and kinds <= _SCALARS)):
            if not led:
                return False
            ahead += led
    return False


def _lists_scalars(node: Json) -> bool:
    values = [node["const"]] if "const" in node else node.get("enum")
    return bool(values) and not any(isinstance(value, dict | list) for value in values)
