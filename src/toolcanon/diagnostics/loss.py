"""A loss: one thing that a conversion changed or could not carry."""

from __future__ import annotations

from collections import Counter
from typing import Any, NamedTuple, TypeAlias

from toolcanon.diagnostics.effect import Effect
from toolcanon.jsonio import Pointer
from toolcanon.jsonio.types import Json, JsonObject


class Loss(NamedTuple):
    """What happened to one place of one tool.

    ``at`` points into the canonical tool. ``before`` and ``after`` are the values there; ``None``
    stands for nothing. Applied in order to the tool, the losses of a conversion give the tool that
    a reader of the written payload sees.
    """

    code: str
    name: str
    effect: Effect
    tool: str
    at: Pointer
    before: Json = None
    after: Json = None

    def to_dict(self) -> JsonObject:
        """Plain JSON."""
        return {
            "code": self.code,
            "name": self.name,
            "effect": self.effect.words(),
            "tool": self.tool,
            "at": str(self.at),
            "before": self.before,
            "after": self.after,
        }


LossKinds: TypeAlias = tuple[tuple[str, Effect], ...]
"""Codes and effects of losses: all that sums over many conversions need."""


class Losses(tuple[Loss, ...]):
    """The losses of a conversion, in the order in which they happened."""

    __slots__ = ()

    @property
    def material(self) -> Losses:
        """Those that change which arguments can be said: widened or narrowed."""
        return Losses(loss for loss in self if loss.effect & (Effect.WIDENED | Effect.NARROWED))

    def summary(self) -> dict[str, Any]:
        """Counts by effect and by code, for logs and tests."""
        return {
            "total": len(self),
            "effects": dict(sorted(Counter(loss.effect.words() for loss in self).items())),
            "codes": dict(sorted(Counter(loss.code for loss in self).items())),
        }
