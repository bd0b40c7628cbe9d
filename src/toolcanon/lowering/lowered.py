"""What lowering made of a schema, written in the draft of its dialect.

The last thing done to it, since the steps know 2020-12 only. Arguments stay as they are.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from toolcanon.diagnostics import CODES, Effect, Loss
from toolcanon.jsonio import Pointer
from toolcanon.jsonio.types import Json, JsonObject
from toolcanon.lowering.lens import Lens
from toolcanon.lowering.step import Record
from toolcanon.schema.downgrade.keywords import downgrade
from toolcanon.schema.keywords import POSITIONS, DraftMeaning, Position
from toolcanon.schema.measure import Measures, measure
from toolcanon.schema.references import Place, subschemas
from toolcanon.schema.upgrade.walk import Rewritten, rewrites

_ENTRIES: Final = {code: (entry.name, entry.effect) for code, entry in CODES.items()}
_new = tuple.__new__  # a named tuple's own constructor costs twice as much
_object = object.__new__


class Lowered:
    """A schema as the target accepts it; losses and lens are finished on first access."""

    __slots__ = (
        "_losses",
        "_measures",
        "document",
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

    def losses(self, tool: str, side: str) -> list[Loss]:
        """Return the rewrites, in order, each place once."""
        if not self.log and not self.rewrites:
            return []
        known = self._losses
        if known is None or known[0] != tool or known[1] != side:
            known = self._losses = (tool, side, self.made(tool, side))
        return known[2]

    def made(self, tool: str, side: str) -> list[Loss]:
        """Return the result, made again."""
        out: list[Loss] = list(rewrites(self.rewrites, tool, (side,))) if self.rewrites else []
        if not self.log:
            return out
        found: dict[tuple[str, Place], int] = {}
        for code, effect, at, before, after in self.log:
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


def unchanged(schema: JsonObject) -> Lowered:
    """Return the result of a schema that is written unchanged; ``__init__`` costs more."""
    made = _object(Lowered)
    made.schema = made.upgraded = schema
    made.document = made.text = None
    made.log = []
    made.rewrites = ()
    made.size = 0
    made._losses = made._measures = None  # noqa: SLF001 - its own kind
    return made


# Below these a laxer schema is a stricter one.
_TURNING: Final = frozenset({"not", "if", "oneOf"})
_SHARED: Final = frozenset({"$defs", "definitions"})
_MATERIAL: Final = Effect.WIDENED | Effect.NARROWED


def spelled(lowered: Lowered, draft: DraftMeaning) -> Lowered:
    """Return the result in the spelling of the draft.

    Drafts have negation, below which a dropped constraint narrows what is accepted.
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
