"""A lowered schema in the words of the draft that its dialect speaks.

The last thing done to it, since the steps know 2020-12 only. Arguments stay as they are.
"""

from __future__ import annotations

from typing import Final

from toolcanon.diagnostics import CODES, Effect
from toolcanon.jsonio.types import Json
from toolcanon.lowering.lowered import Lowered
from toolcanon.lowering.step import Record
from toolcanon.schema.downgrade import downgrade
from toolcanon.schema.drafts import Draft
from toolcanon.schema.keywords import POSITIONS, Position
from toolcanon.schema.references import Place, subschemas

# Below these a laxer schema is a stricter one.
_TURNING: Final = frozenset({"not", "if", "oneOf"})
_SHARED: Final = frozenset({"$defs", "definitions"})
_MATERIAL: Final = Effect.WIDENED | Effect.NARROWED


def spelled(lowered: Lowered, draft: Draft) -> Lowered:
    """The same, as the draft has it.

    Drafts know negation, below which a constraint that is gone narrows what is accepted.
    """
    schema, told = downgrade(lowered.schema, draft)
    log = _turned(lowered.log, lowered.schema)
    if schema is lowered.schema and log is lowered.log:
        return lowered
    log = [*log, *((code, effect, at, old, new) for code, effect, at, old, new in told)]
    return Lowered(
        schema, lowered.document, log, lowered.rewrites, lowered.size, upgraded=lowered.upgraded
    )


def _turned(log: list[Record], schema: Json) -> list[Record]:
    if not any(_effect(code, effect) & _MATERIAL for code, effect, *_ in log):
        return log
    turns = _turns(schema)
    return [
        (code, _effect(code, effect) | _MATERIAL, at, before, after)
        if _effect(code, effect) & _MATERIAL and _is_turned(at, turns=turns)
        else (code, effect, at, before, after)
        for code, effect, at, before, after in log
    ]


def _effect(code: str, effect: Effect | None) -> Effect:
    return CODES[code].effect if effect is None else effect


def _is_turned(at: Place, *, turns: bool) -> bool:
    words = set(_keywords(at))
    return not words.isdisjoint(_TURNING) or (turns and not words.isdisjoint(_SHARED))


def _keywords(place: Place) -> list[str]:
    """The keywords on the way; names of members and places in lists are passed over."""
    found = []
    steps = iter(place)
    for step in steps:
        found.append(str(step))
        if POSITIONS.get(str(step)) in {Position.SCHEMA_MAP, Position.SCHEMAS}:
            next(steps, None)
    return found


def _turns(schema: Json) -> bool:
    """Whether anything in a schema is negated."""
    stack = [schema]
    while stack:
        node = stack.pop()
        if node.__class__ is dict and not _TURNING.isdisjoint(node):
            return True
        stack.extend(child for _, child in subschemas(node))
    return False
