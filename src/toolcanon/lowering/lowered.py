"""What lowering made of a schema, written in the draft of its dialect.

The last thing done to it, since the steps know 2020-12 only. Arguments stay as they are.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Protocol

from orjson import dumps as _dumps

from toolcanon.diagnostics import CODES, Effect, Loss
from toolcanon.dialect import Dialect
from toolcanon.jsonio import Pointer
from toolcanon.jsonio.types import Json, JsonObject
from toolcanon.lowering.lens import Lens
from toolcanon.lowering.limits import surely_fits
from toolcanon.lowering.step import Record
from toolcanon.schema.keywords import POSITIONS, DraftMeaning, Position
from toolcanon.schema.measure import Measures, measure
from toolcanon.schema.references import Place, subschemas
from toolcanon.schema.upgrade.walk import Rewritten, rewrites

_ENTRIES: Final = {code: (entry.name, entry.effect) for code, entry in CODES.items()}
_new = tuple.__new__  # a named tuple's own constructor costs twice as much


class Kept(Protocol):
    """What the memo keeps of a lowered schema, and what it learns of it later."""

    fits: dict[tuple[Dialect, bool], bool]

    def learn(self, side: str, losses: list[Loss]) -> None:
        """Keep the losses of the schema as well."""


class Lowered:
    """A schema as the target accepts it; losses and lens are finished on first access."""

    __slots__ = (
        "_losses",
        "_measures",
        "document",
        "kept",
        "log",
        "rewrites",
        "schema",
        "size",
        "text",
        "upgraded",
    )

    def __init__(  # noqa: PLR0913, PLR0917 - made once for every schema, and keywords cost
        self,
        schema: JsonObject,
        document: JsonObject | None,
        log: list[Record],
        rewrites: Sequence[Rewritten] = (),
        size: int = 0,
        upgraded: JsonObject | None = None,
        text: bytes | None = None,
    ) -> None:
        self.schema = schema
        self.document = document
        """The lens as plain JSON; None when arguments stay as they are."""
        self.log = log
        self.size = size
        """At least the number of nodes visited."""
        self.rewrites = rewrites
        """What it took to make the schema 2020-12, before it was lowered."""
        self.upgraded = upgraded
        """The schema as 2020-12, before it was lowered; None where that has to be found again."""
        self.text = text
        """The schema as JSON, where that is known."""
        self.kept: Kept | None = None
        self._losses: tuple[str, str, list[Loss]] | None = None
        self._measures: Measures | None = None

    @property
    def lens(self) -> Lens | None:
        """The way of the arguments."""
        return None if self.document is None else Lens(self.document)

    @property
    def effect(self) -> Effect:
        """All effects together."""
        found = Effect.EXACT
        for code, effect, *_ in self.log:
            found |= _ENTRIES[code][1] if effect is None else effect
        return found

    @property
    def measures(self) -> Measures:
        """The size of the result."""
        if self._measures is None:
            self._measures = measure(self.schema)
        return self._measures

    def surely_fits(self, dialect: Dialect, *, alone: bool = False) -> bool:
        """Whether nothing can be too much for one strict tool, as ``limits.surely_fits`` has it."""
        known = {} if self.kept is None else self.kept.fits
        if (dialect, alone) not in known:
            try:
                text = self.text or _dumps(self.schema)
            except TypeError:  # integers beyond 64 bits
                return False
            known[dialect, alone] = surely_fits(text, dialect, alone=alone)
        return known[dialect, alone]

    def losses(self, tool: str, side: str) -> list[Loss]:
        """Return the rewrites, in order, each place once."""
        if not self.log and not self.rewrites:
            return []
        known = self._losses
        if known is None or known[0] != tool or known[1] != side:
            known = self._losses = (tool, side, losses_of(self.log, self.rewrites, tool, side))
            if self.kept is not None:
                self.kept.learn(side, known[2])
        return known[2]


def losses_of(
    log: Sequence[Record], rewritten: Sequence[Rewritten], tool: str, side: str
) -> list[Loss]:
    """Return the losses that two logs have of one side of a tool, in order, each place once."""
    out: list[Loss] = list(rewrites(rewritten, tool, (side,))) if rewritten else []
    if not log:
        return out
    found: dict[tuple[str, Place], int] = {}
    for code, effect, at, before, after in log:
        name, usual = _ENTRIES[code]
        worth = usual if effect is None else effect
        index = found.setdefault((code, at), len(out))
        if index == len(out):
            pointer = _new(Pointer, (side, *at))
            out.append(_new(Loss, (code, name, worth, tool, pointer, before, after)))
        elif worth | out[index].effect is not out[index].effect:
            # A part of several merged schemas may be worth more in one than in another.
            out[index] = out[index]._replace(effect=worth | out[index].effect)
    return out


# Below these a laxer schema is a stricter one.
_TURNING: Final = frozenset({"not", "if", "oneOf"})
_SHARED: Final = frozenset({"$defs", "definitions"})
_MATERIAL: Final = Effect.WIDENED | Effect.NARROWED


def spelled(lowered: Lowered, draft: DraftMeaning) -> Lowered:
    """Return the result in the spelling of the draft.

    Drafts have negation, below which a dropped constraint narrows what is accepted.
    """
    from toolcanon.schema.downgrade import downgrade  # noqa: PLC0415 - most targets know 2020-12

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
    """Return the keywords on the way; names of members and places in lists are passed over."""
    found = []
    steps = iter(place)
    for step in steps:
        found.append(str(step))
        if POSITIONS.get(str(step)) in {Position.SCHEMA_MAP, Position.SCHEMAS}:
            next(steps, None)
    return found


def _turns(schema: Json) -> bool:
    """Return whether anything in a schema is negated."""
    stack = [schema]
    while stack:
        node = stack.pop()
        if node.__class__ is dict and not _TURNING.isdisjoint(node):
            return True
        stack.extend(child for _, child in subschemas(node))
    return False
