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
        if not all(map(_PLAIN.fullmatch, _REFERENCE.findall(dumps(schema)))):
            return True
        left = {
            f"#/{key}/{name}".encode(): set(_REFERENCE.findall(dumps(held)))
            for key in DEFINITIONS & schema.keys()
            for name, held in schema[key].items()
        }
    except (TypeError, AttributeError, RecursionError, UnicodeEncodeError):
        return True  # numbers or texts that only this writer minds, or no table at all
    for _ in range(_MOST_ROUNDS):
        ends = [name for name, leads in left.items() if left.keys().isdisjoint(leads)]
        if not ends:
            break
        for name in ends:
            del left[name]
    return bool(left)
