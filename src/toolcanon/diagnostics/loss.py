"""Losses and repairs: code, effect, place, before and after."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from enum import Flag
from typing import Any, NamedTuple, TypeAlias

from toolcanon.jsonio import Pointer
from toolcanon.jsonio.types import Json, JsonObject


class Effect(Flag):
    """A set relation between C, the arguments valid before, and W, those valid after.

    Both sets are compared by declared members: a caller sends what is declared.
    """

    EXACT = 0
    """Every argument can be sent, comes back as it was, and nothing else is accepted."""
    WIDENED = 1
    """Some arguments accepted after are not valid before: validate what comes back."""
    NARROWED = 2
    """Some valid arguments can no longer be sent."""
    HINT_LOST = 4
    """The same arguments are valid; guidance for the model or its host is gone."""

    def words(self) -> str:
        """Return ``exact``, or the effects joined by ``+``, in a fixed order."""
        return _WORDS[self.value]


def _words(effect: Effect) -> str:
    names = [str(member.name).lower().replace("_", "-") for member in Effect if member in effect]
    return "+".join(names) if effect else "exact"


_WORDS = [_words(Effect(value)) for value in range(8)]


@dataclass(frozen=True, slots=True)
class Code:
    """One kind of loss or repair."""

    code: str
    name: str
    effect: Effect
    says: str
    """What happened, as a clause without a full stop."""
    why: str
    """Why it happens, and what that means for callers."""
    edit: str = ""
    """What the author of a tool can change to avoid it; empty where nothing needs to change."""


class Loss(NamedTuple):
    """One difference at one place of one tool.

    ``at`` points into the canonical tool. ``before`` and ``after`` are the values there; ``None``
    means absent. Applied in order to the tool, the losses of a conversion give the tool that a
    reader of the written payload sees.
    """

    code: str
    """Its code, such as L101; ``toolcanon explain`` describes it."""
    name: str
    """The name of the code."""
    effect: Effect
    """What it means for arguments; no flag means exact."""
    tool: str
    """The id of the tool."""
    at: Pointer
    """The place in the canonical tool."""
    before: Json = None
    """The value there; None where it is absent."""
    after: Json = None
    """The value in the tool as the target sees it; None where it is absent."""

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


@dataclass(frozen=True, slots=True)
class Repair:
    """A repaired value: the code, the place, and the value before and after."""

    code: str
    """Its code, such as R101; ``toolcanon explain`` describes it."""
    name: str
    """The name of the code."""
    at: Pointer
    """The place of the value."""
    before: Json = None
    """The value before; None where it was absent."""
    after: Json = None
    """The value after; None where it was removed."""

    def to_dict(self) -> JsonObject:
        """Return plain JSON."""
        return {
            "code": self.code,
            "name": self.name,
            "at": str(self.at),
            "before": self.before,
            "after": self.after,
        }
