"""Could references lead back to where they stand? Told from a schema's text, at a glance."""

from __future__ import annotations

import re
from typing import Final

from orjson import dumps

from toolcanon.jsonio.types import JsonObject
from toolcanon.schema.references import DEFINITIONS

_REFERENCE: Final = re.compile(rb'"\$(?:ref|dynamicRef)":"([^"]*)"')
_PLAIN: Final = re.compile(rb"#/(?:\$defs|definitions)/[^/%~\\]+")

_MOST_ROUNDS: Final = 32  # each takes the definitions away that lead to none that are left


def may_recur(schema: JsonObject) -> bool:
    """No only where all references lead to definitions of the root, and those to no circle.

    >>> may_recur({"$defs": {"a": {"items": {"$ref": "#/$defs/b"}}, "b": {}}})
    False
    >>> may_recur({"properties": {"a": {"$ref": "#"}}})
    True
    """
    try:
        text = dumps(schema)
    except TypeError:  # orjson writes no integers beyond 64 bits, lone surrogates or great depth
        return True
    if not all(map(_PLAIN.fullmatch, _REFERENCE.findall(text))):
        return True
    left: dict[bytes, set[bytes]] = {}
    for key in DEFINITIONS.intersection(schema):  # in any order: the answer is the same
        table = schema[key]
        if table.__class__ is not dict:
            return True
        for name, held in table.items():
            left[f"#/{key}/{name}".encode()] = set(_REFERENCE.findall(dumps(held)))
    for _ in range(_MOST_ROUNDS):
        ends = [name for name, leads in left.items() if left.keys().isdisjoint(leads)]
        if not ends:
            break
        for name in ends:
            del left[name]
    return bool(left)
