"""A change: one thing that differs between two versions of a tool, and whom it hurts."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Final, Literal, TypeAlias, get_args

from toolcanon.diagnostics.finding import Level
from toolcanon.jsonio import Pointer, digest
from toolcanon.jsonio.types import Json, JsonObject

DriftVerdict: TypeAlias = Literal[
    "security", "breaking", "unknown", "compatible", "cosmetic", "identical"
]
DRIFT_VERDICTS: Final[tuple[DriftVerdict, ...]] = get_args(DriftVerdict)
"""Worst first."""
Severity: TypeAlias = Literal["high", "medium", "low", "info"]
SEVERITIES: Final[tuple[Severity, ...]] = get_args(Severity)
Outcome: TypeAlias = Literal["refused", "ignored", "differs", "unexpected", "missing"]
"""What becomes of a witness: a call is refused, an argument is ignored, the same call does
something else; a result was not possible before, or lacks what was promised."""

_LEVELS: Final[dict[Severity, Level]] = {
    "high": "error",
    "medium": "warning",
    "low": "warning",
    "info": "info",
}


@dataclass(frozen=True, slots=True)
class Witness:
    """A value that shows the change: the smallest call, or the smallest result, that was found."""

    value: Json
    outcome: Outcome
    says: str = ""
    """Why it is refused, in the validator's words."""

    def to_dict(self) -> JsonObject:
        out: JsonObject = {"value": self.value, "outcome": self.outcome}
        return {**out, "says": self.says} if self.says else out


@dataclass(frozen=True)
class Change:
    """What changed at one place of a tool, or in the set of tools."""

    code: str
    name: str
    verdict: DriftVerdict
    severity: Severity
    message: str
    """What changed, in one sentence; texts of the tool in it are made safe when shown."""
    tool: str = ""
    at: Pointer | None = None
    """Where it stands now, in the canonical tool; None when it is gone."""
    was: Pointer | None = None
    """Where it stood before; None when it is new."""
    before: Json = None
    after: Json = None
    witness: Witness | None = None
    reason: str = ""
    """Why nothing is known, when the verdict is ``unknown``; why there can be no witness."""
    hint: str = ""
    """What may make it less bad, or explains it."""
    target: str = ""
    """The provider's dialect it matters for; empty when it matters everywhere."""
    model_visible: bool = False
    """Whether a model reads other words than before."""

    @property
    def is_alarm(self) -> bool:
        """Whether somebody should be woken."""
        return self.verdict in {"security", "breaking"}

    @property
    def level(self) -> Level:
        """How reports paint it."""
        return _LEVELS[self.severity]

    @property
    def place(self) -> Pointer:
        """Where it is, or was."""
        return self.at if self.at is not None else self.was or Pointer()

    @cached_property
    def fingerprint(self) -> str:
        """The same for the same change, whatever the words and the order in which it is told."""
        pointers = [
            None if at is None else [str(step) for step in at] for at in (self.was, self.at)
        ]
        facts = ["change", self.name, self.tool, self.target, pointers]
        return digest([*facts, digest(self.before), digest(self.after)])

    def to_dict(self) -> JsonObject:
        """Plain JSON; what says nothing is left out."""
        out: JsonObject = {
            "code": self.code,
            "name": self.name,
            "verdict": self.verdict,
            "severity": self.severity,
            "tool": self.tool,
            "message": self.message,
            "before": self.before,
            "after": self.after,
            "model_visible": self.model_visible,
            "fingerprint": self.fingerprint,
        }
        for key in ("reason", "hint", "target"):
            if value := getattr(self, key):
                out[key] = value
        for key in ("was", "at"):
            if (place := getattr(self, key)) is not None:
                out[key] = str(place)
        if self.witness is not None:
            out["witness"] = self.witness.to_dict()
        return out
