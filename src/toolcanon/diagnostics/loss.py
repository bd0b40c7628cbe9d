"""A loss: one difference between a tool and what the target gets."""

from __future__ import annotations

from collections import Counter
from typing import Any, NamedTuple, TypeAlias

from toolcanon.diagnostics.effect import Effect
from toolcanon.jsonio import Pointer
from toolcanon.jsonio.types import Json, JsonObject


class Loss(NamedTuple):
    """One difference at one place of one tool.

    ``at`` points into the canonical tool. ``before`` and ``after`` are the values there; ``None``
    means absent. Applied in order to the tool, the losses of a conversion give the tool that a
    reader of the written payload sees.
    """

    code: str
    name: str
    effect: Effect
    tool: str
    at: Pointer
    before: Json = None
    after: Json = None

    def to_dict(self) -> JsonObject:
        """Return plain JSON."""
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
"""Codes and effects of losses: enough to count the losses of many conversions."""


class Losses(tuple[Loss, ...]):
    """The losses of a conversion, in the order in which they happened."""

    __slots__ = ()

    @property
    def material(self) -> Losses:
        """The losses that change which arguments can be sent: widened or narrowed."""
        return Losses(loss for loss in self if loss.effect & (Effect.WIDENED | Effect.NARROWED))

    def summary(self) -> dict[str, Any]:
        """Return counts by effect and by code."""
        return {
            "total": len(self),
            "effects": dict(sorted(Counter(loss.effect.words() for loss in self).items())),
            "codes": dict(sorted(Counter(loss.code for loss in self).items())),
        }
