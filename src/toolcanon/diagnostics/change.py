"""A change: one difference between two versions of a tool, and who breaks."""

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
"""The result of a witness: a call is rejected, an argument is ignored, or the same call does
something else; a result was impossible before, or lacks a declared member."""

_LEVELS: Final[dict[Severity, Level]] = {
    "high": "error",
    "medium": "warning",
    "low": "warning",
    "info": "info",
}


@dataclass(frozen=True, slots=True)
class Witness:
    """A value that proves the change: the smallest call or result that was found."""

    value: Json
    outcome: Outcome
    says: str = ""
    """The reason for the rejection, as the validator reports it."""

    def to_dict(self) -> JsonObject:
        out: JsonObject = {"value": self.value, "outcome": self.outcome}
        return {**out, "says": self.says} if self.says else out


@dataclass(frozen=True)
class Change:
    """One difference at one place of a tool, or in the set of tools."""

    code: str
    """Its code, such as D101; ``toolcanon explain`` describes it."""
    name: str
    """The name of the code."""
    verdict: DriftVerdict
    """What it means for callers."""
    severity: Severity
    """high, medium, low or info."""
    message: str
    """What changed, in one sentence; reports escape text that comes from the tool."""
    tool: str = ""
    """The name of the tool."""
    at: Pointer | None = None
    """The place in the new canonical tool; None when it was removed."""
    was: Pointer | None = None
    """The place in the old canonical tool; None when it is new."""
    before: Json = None
    """The old value; None where it was absent."""
    after: Json = None
    """The new value; None where it is absent."""
    witness: Witness | None = None
    """Arguments or an answer that prove it, where one was found."""
    reason: str = ""
    """Why the verdict is ``unknown``, or why there is no witness."""
    hint: str = ""
    """An explanation, or a circumstance that lowers the severity."""
    target: str = ""
    """The dialect it applies to; empty when it applies to every target."""
    model_visible: bool = False
    """Whether the text that a model reads changed."""

    @property
    def is_alarm(self) -> bool:
        """Whether the verdict is ``security`` or ``breaking``."""
        return self.verdict in {"security", "breaking"}

    @property
    def level(self) -> Level:
        """The level of findings that reports display it with."""
        return _LEVELS[self.severity]

    @property
    def place(self) -> Pointer:
        """The new place, or the old one if it was removed."""
        return self.at if self.at is not None else self.was or Pointer()

    @cached_property
    def fingerprint(self) -> str:
        """A digest of the change that does not depend on its message or on the order of changes."""
        pointers = [
            None if at is None else [str(step) for step in at] for at in (self.was, self.at)
        ]
        facts = ["change", self.name, self.tool, self.target, pointers]
        return digest([*facts, digest(self.before), digest(self.after)])

    def to_dict(self) -> JsonObject:
        """Return plain JSON without empty fields."""
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
