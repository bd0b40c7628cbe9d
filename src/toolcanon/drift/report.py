"""The report of a comparison: a verdict, and changes with their texts."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Final, Literal, TypeAlias

from toolcanon.diagnostics.change import (
    CHANGES,
    DRIFT_VERDICTS,
    SEVERITIES,
    Change,
    DriftVerdict,
    Outcome,
    Severity,
    Witness,
)
from toolcanon.errors import CheckFailed
from toolcanon.jsonio import Pointer
from toolcanon.jsonio.types import Json, JsonObject
from toolcanon.text import safe
from toolcanon.text.display import Tone, table

FailOn: TypeAlias = Literal["security", "breaking", "unknown", "review", "compatible", "any"]
FAIL_ON: Final[tuple[FailOn, ...]] = (
    "security", "breaking", "unknown", "review", "compatible", "any",
)  # fmt: skip
"""The values of ``--fail-on``, each including those before it."""
Semver: TypeAlias = Literal["major", "minor", "patch", "none"]
TONES: Final[dict[str, Tone]] = {
    "security": "bad",
    "breaking": "bad",
    "unknown": "unsure",
    "compatible": "fair",
    "cosmetic": "good",
    "identical": "good",
}
_SEMVER: Final[dict[DriftVerdict, Semver]] = {
    "security": "major",
    "breaking": "major",
    "unknown": "major",
    "compatible": "minor",
    "cosmetic": "patch",
    "identical": "none",
}
_VERDICT_RANKS: Final = {verdict: rank for rank, verdict in enumerate(DRIFT_VERDICTS)}
_SEVERITY_RANKS: Final = {severity: rank for rank, severity in enumerate(SEVERITIES)}
_SCHEMA: Final = "diff.v1"
_SHOWN: Final = 200
_ROWS: Final = 50
_FEW: Final = 5
"""With fewer tools than this no changes are grouped."""


@dataclass(frozen=True, slots=True)
class ChangeGroup:
    """One change that most tools have in common."""

    name: str
    verdict: DriftVerdict
    message: str
    tools: tuple[str, ...]
    changes: tuple[Change, ...]

    def to_dict(self) -> JsonObject:
        return {
            "name": self.name,
            "verdict": self.verdict,
            "message": self.message,
            "tools": list(self.tools),
        }


@dataclass(frozen=True)
class DiffReport:
    """The result of ``diff``."""

    changes: tuple[Change, ...]
    """Worst first, then in the order of the tools."""
    tools: tuple[str, ...] = ()
    """Every tool that was compared, in the order of the new version."""
    suppressed: tuple[Change, ...] = field(default=())
    """Changes that the configuration excludes from the report."""

    @classmethod
    def of(cls, changes: Iterable[Change], tools: Iterable[str]) -> DiffReport:
        """Return a report with the changes in order."""
        names = tuple(dict.fromkeys(tools))
        ranks = {name: rank for rank, name in enumerate(names)}
        found = list(changes)
        if len(found) < 2:  # noqa: PLR2004 - the most common case
            return cls(tuple(found), names)
        found.sort(
            key=lambda one: (
                _VERDICT_RANKS[one.verdict],
                _SEVERITY_RANKS[one.severity],
                ranks.get(one.tool, len(ranks)),
            ),
        )
        return cls(tuple(found), names)

    @property
    def verdict(self) -> DriftVerdict:
        """The worst verdict among the changes; ``identical`` when there is none."""
        return worst(self.changes)

    @property
    def semver(self) -> Semver:
        """The version part to raise."""
        return _SEMVER[self.verdict]

    @cached_property
    def verdicts(self) -> dict[str, DriftVerdict]:
        """The worst verdict of each tool."""
        by_tool: dict[str, list[Change]] = {tool: [] for tool in self.tools}
        for change in self.changes:
            by_tool.setdefault(change.tool, []).append(change)
        return {tool: worst(found) for tool, found in by_tool.items() if tool}

    def counts(self) -> dict[DriftVerdict, int]:
        """The number of changes of each verdict, worst first."""
        found = Counter(change.verdict for change in self.changes)
        return {verdict: found[verdict] for verdict in DRIFT_VERDICTS if verdict != "identical"}

    @cached_property
    def groups(self) -> tuple[ChangeGroup, ...]:
        """The changes that most tools share; security and breaking ones are never grouped."""
        found: dict[tuple[str, str], list[Change]] = {}
        for change in self.changes:
            if change.tool and not change.is_alarm:
                found.setdefault((change.name, change.verdict), []).append(change)
        least = max(_FEW, (len(self.tools) + 1) // 2)
        groups = []
        for (name, _), changes in found.items():
            tools = tuple(dict.fromkeys(change.tool for change in changes))
            if len(tools) >= least:
                first = changes[0]
                message = f"{len(tools):,} tools: {first.message}"
                groups.append(ChangeGroup(name, first.verdict, message, tools, tuple(changes)))
        return tuple(groups)

    @property
    def outliers(self) -> tuple[Change, ...]:
        """The changes that are in no group."""
        grouped = {id(change) for group in self.groups for change in group.changes}
        return tuple(change for change in self.changes if id(change) not in grouped)

    def at_least(self, level: FailOn) -> tuple[Change, ...]:
        """Return the changes of a level and worse ones."""
        if level not in FAIL_ON:
            raise ValueError(f"{level!r} is not one of {', '.join(FAIL_ON)}")
        if level == "any":
            return self.changes
        verdicts = {"security", "breaking", "unknown", "compatible"}
        wanted = {one for one in FAIL_ON[: FAIL_ON.index(level) + 1] if one in verdicts}
        reads = level in {"review", "compatible"}
        return tuple(
            change
            for change in self.changes
            if change.verdict in wanted or (reads and change.model_visible)
        )

    def raise_if(self, level: FailOn = "breaking") -> None:
        """Raise CheckFailed on changes of a level or worse."""
        found = self.at_least(level)
        if found:
            raise CheckFailed(level, [safe(f"{c.tool}: {c.message}", _SHOWN) for c in found])

    def to_dict(self) -> JsonObject:
        """Return plain JSON, as docs/schemas/diff.v1.json describes it."""
        return {
            "schema": _SCHEMA,
            "verdict": self.verdict,
            "semver": self.semver,
            "tools": [{"name": name, "verdict": found} for name, found in self.verdicts.items()],
            "counts": {**self.counts()},
            "changes": [change.to_dict() for change in self.changes],
            "groups": [group.to_dict() for group in self.groups],
            "suppressed": [change.to_dict() for change in self.suppressed],
        }

    def _repr_html_(self) -> str:
        """Return the changes as HTML, worst first, for notebooks."""
        rows: list[list[str | tuple[str, Tone]]] = [
            [change.tool or "all tools", (change.verdict, TONES[change.verdict]), change.message]
            for change in self.changes[:_ROWS]
        ]
        left = len(self.changes) - _ROWS
        more = [f"… and {left:,} more changes"] if left > 0 else []
        total = f"verdict: {self.verdict}; suggested version: {self.semver}"
        return table(("tool", "verdict", "change"), rows, (*more, total))


def worst(changes: Iterable[Change]) -> DriftVerdict:
    found = {change.verdict for change in changes}
    return next((verdict for verdict in DRIFT_VERDICTS if verdict in found), "identical")


_SEVERITIES: Final[dict[DriftVerdict, Severity]] = {
    "security": "high",
    "breaking": "high",
    "unknown": "medium",
    "compatible": "info",
    "cosmetic": "info",
    "identical": "info",
}
_VALUE_SHOWN: Final = 80


def told(  # noqa: PLR0913 - one keyword for each field
    name: str,
    message: str = "",
    *,
    both: Pointer | None = None,
    at: Pointer | None = None,
    was: Pointer | None = None,
    before: Json = None,
    after: Json = None,
    verdict: DriftVerdict | None = None,
    severity: Severity | None = None,
    witness: Witness | None = None,
    reason: str = "",
    hint: str = "",
    target: str = "",
    model_visible: bool = False,
    tool: str = "",
) -> Change:
    """Return a change by its name; fields that are not given come from its code.

    ``both`` is the place before and after.
    """
    entry = CHANGES[name]
    verdict = verdict or entry.verdict
    return _made(
        {
            "code": entry.code,
            "name": name,
            "verdict": verdict,
            "severity": severity or _SEVERITIES[verdict],
            "message": message or entry.says,
            "tool": tool,
            "at": at or both,
            "was": was or both,
            "before": before,
            "after": after,
            "witness": witness,
            "reason": reason,
            "hint": hint,
            "target": target,
            "model_visible": model_visible,
        }
    )


def amended(change: Change, **said: Any) -> Change:
    """Return a copy with other fields, ten times faster than ``dataclasses.replace``."""
    known = {**change.__dict__, **said}
    known.pop("fingerprint", None)  # it is computed anew
    return _made(known)


def _made(fields: dict[str, Any]) -> Change:
    """Return a change with all of these fields: setting each on a frozen class is slow."""
    made = object.__new__(Change)
    made.__dict__.update(fields)
    return made


def here(*steps: str | int) -> Pointer:
    """Return a pointer into the canonical tool."""
    return Pointer(steps)


def short(value: Json, limit: int = _VALUE_SHOWN) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= limit else f"{text[:limit]}… {len(text) - limit:,} more"


OUTCOMES: Final[dict[Outcome, str]] = {
    "refused": "was accepted before, is rejected now",
    "ignored": "was accepted before, is partly ignored now",
    "differs": "has another meaning now",
    "unexpected": "was impossible before, is possible now",
    "missing": "is possible now, and lacks a declared member",
}


def witness_words(witness: Witness) -> str:
    """Return a witness in a line: the value, its outcome, and the reason."""
    says = f": {witness.says}" if witness.says else ""
    return f"{short(witness.value, 200)} {OUTCOMES[witness.outcome]}{says}"
