"""Objects closed, and nothing else done: the short way to a strict dialect that asks no more.

A validator that is not written in Python sees whether there is anything else to do (``unchanged``).
A test holds what is made here to what the engine makes. For values that the loader read, as there.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Final, TypeAlias

from toolcanon.diagnostics import Effect
from toolcanon.dialect import Dialect
from toolcanon.jsonio.types import Json, JsonObject
from toolcanon.lowering.lowered import Lowered
from toolcanon.lowering.path import Path
from toolcanon.lowering.quick import never
from toolcanon.lowering.step import Record
from toolcanon.lowering.unchanged import only_open
from toolcanon.schema.keywords import POSITIONS, Position

Close: TypeAlias = Callable[[JsonObject], Lowered | None]
"""A schema with its objects closed; None where the engine has to look."""

_KEY: Final = "additionalProperties"
_BELOW: Final = {key: int(at) for key, at in POSITIONS.items() if key != _KEY}
_SCHEMA, _MAP = int(Position.SCHEMA), int(Position.SCHEMA_MAP)
_NONE: Final[list[Json]] = []


class _UndeclaredMember(Exception):
    """Something is required that is nowhere declared."""


@lru_cache(maxsize=128)
def closing(dialect: Dialect) -> Close:
    """The short way made for a dialect."""
    fits = only_open(dialect)
    if fits is never:
        return never

    def close(schema: JsonObject) -> Lowered | None:
        if not fits(schema):
            return None
        log: list[Record] = []
        try:
            return Lowered(_closed(schema, None, log), None, log)
        except _UndeclaredMember:
            return None

    return close


def _closed(node: JsonObject, at: Path, log: list[Record]) -> JsonObject:
    out = node
    if node.get("type") == "object":
        if not node["properties"].keys() >= set(node.get("required", _NONE)):
            raise _UndeclaredMember
        if _KEY not in node:
            log.append(("L222", Effect.EXACT, (at, _KEY), None, False))
            out = {**node, _KEY: False}
    for key, value in node.items():
        if key not in _BELOW:
            continue
        new = _below(value, _BELOW[key], (at, key), log)
        if new is not value:
            if out is node:
                out = node.copy()
            out[key] = new
    return out


def _below(value: Json, position: int, at: Path, log: list[Record]) -> Json:
    if position == _SCHEMA:
        return _closed(value, at, log) if value.__class__ is dict else value
    out = value
    for step, node in value.items() if position == _MAP else enumerate(value):
        if node.__class__ is not dict or _BELOW.keys().isdisjoint(node):
            continue  # an object declares its members
        new = _closed(node, (at, step), log)
        if new is not node:
            if out is value:
                out = value.copy()
            out[step] = new
    return out
