"""Defaults and examples are values, too: they are written as the written schema has values.

Where arguments need a lens, so do they; one that the written schema refuses all the same would
mislead a model, and some targets refuse the schema for it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, TypeAlias

from toolcanon.jsonio.types import Json, JsonObject
from toolcanon.lowering.document import nodes
from toolcanon.lowering.lens import VERSION, Lens
from toolcanon.schema import upgrade
from toolcanon.schema.judge import judge
from toolcanon.schema.values import same

_Tell: TypeAlias = Callable[[str, str, Json, Json], None]
"""Takes a code, a keyword, what it said and what it says now."""

_VALUES: Final = ("default", "examples")


def restated(schema: JsonObject, lens: JsonObject, tell: _Tell) -> JsonObject:
    """A written schema whose defaults and examples are values of its own.

    Where a lens leads to others, which may still be made, they stay as they are.
    """
    stated = [key for key in _VALUES if key in schema]
    if not stated or any("$ref" in node for node in nodes(lens)):
        return schema
    apply = Lens({"version": VERSION, "root": lens}).apply
    rest = {key: value for key, value in schema.items() if key not in _VALUES}
    accepts = judge(upgrade(rest).schema).accepts  # which knows how some targets spell null
    out = dict(schema)
    for key in stated:
        values = schema[key] if key == "examples" else [schema[key]]
        if values.__class__ is not list:
            continue
        made = [value for value in map(apply, values) if accepts(value) is not False]
        if not made:
            tell("L229", key, schema[key], None)
            del out[key]
        elif not same(made, values):
            out[key] = made if key == "examples" else made[0]
            tell("L250", key, schema[key], out[key])
    return out
