"""The second seed's fingerprints, and alerts when two of them differ.

Hashes, change types and severities are those of its document. Who breaks and why is added:
``verdict``, ``changes`` and ``model_visible``.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Any, Final, Literal, TypeAlias

import orjson
from pydantic import BaseModel, ConfigDict, Field

from toolcanon.drift.diff import diff
from toolcanon.drift.digests import digests
from toolcanon.drift.fingerprint import (
    ToolFingerprint,
    copied,
    response_pattern_hash,
    schema_hash,
)
from toolcanon.drift.report import DiffReport
from toolcanon.errors import ToolcanonError
from toolcanon.jsonio import loads
from toolcanon.jsonio.types import Json
from toolcanon.watch.capturing import named_definition, readable

__all__ = ["MutationAlert", "MutationDetector", "ToolFingerprint", "ToolFingerprinter"]

ChangeType: TypeAlias = Literal["schema_change", "response_change", "behavior_change"]
_PLAIN_ONLY: Final = (
    orjson.OPT_PASSTHROUGH_SUBCLASS
    | orjson.OPT_PASSTHROUGH_DATACLASS
    | orjson.OPT_PASSTHROUGH_DATETIME
)
_SEVERITY_MAP: Final = {0: "low", 1: "medium", 2: "high"}
_TYPES: Final[dict[tuple[bool, bool], ChangeType]] = {
    (True, False): "schema_change",
    (False, True): "response_change",
    (True, True): "behavior_change",
}


class MutationAlert(BaseModel):
    """An alert about two different fingerprints of one tool."""

    model_config = ConfigDict(title="MutationAlert")

    tool_name: str
    change_type: ChangeType
    old_fingerprint: ToolFingerprint
    new_fingerprint: ToolFingerprint
    detected_at: datetime = Field(default_factory=lambda: datetime.now(UTC))
    severity: Literal["low", "medium", "high"]
    verdict: str = Field(
        "unknown", description="Who breaks; unknown when a definition or responses are missing."
    )
    changes: list[dict[str, Any]] = Field(default_factory=list)
    model_visible: bool = False


class ToolFingerprinter:
    """Makes fingerprints."""

    def fingerprint(
        self,
        tool_name: str,
        schema: dict[str, Any],
        sample_responses: Iterable[dict[str, Any]] = (),
        version: str = "unknown",
    ) -> ToolFingerprint:
        """Return the fingerprint of a schema or a whole definition, and of responses."""
        return ToolFingerprint(
            tool_name=tool_name,
            version=version,
            schema_hash=schema_hash(schema),
            response_pattern_hash=response_pattern_hash(sample_responses),
            digests=_digests(tool_name, schema),
            definition=copied(schema),
        )


class MutationDetector:
    """Compares fingerprints."""

    def detect_mutation(
        self, old_fp: ToolFingerprint, new_fp: ToolFingerprint
    ) -> MutationAlert | None:
        """Return an alert, or None when both hashes are equal."""
        changed = (
            old_fp.schema_hash != new_fp.schema_hash,
            old_fp.response_pattern_hash != new_fp.response_pattern_hash,
        )
        if not any(changed):
            return None
        report = _compared(old_fp, new_fp) if changed[0] else None
        return MutationAlert(
            tool_name=old_fp.tool_name,
            change_type=_TYPES[changed],
            old_fingerprint=old_fp,
            new_fingerprint=new_fp,
            severity=_SEVERITY_MAP[sum(changed)],
            verdict=_verdict(report, old_fp, new_fp, answers_differ=changed[1]),
            changes=[] if report is None else [change.to_dict() for change in report.changes],
            model_visible=report is not None and any(c.model_visible for c in report.changes),
        )


def _verdict(
    report: DiffReport | None, old: ToolFingerprint, new: ToolFingerprint, *, answers_differ: bool
) -> str:
    """Return the verdict. Changed responses are unknown: their effect cannot be decided."""
    if report is not None:
        is_alarm = report.verdict in {"security", "breaking"}
        return report.verdict if is_alarm or not answers_differ else "unknown"
    same = bool(old.digests) and old.digests == new.digests
    return "identical" if same and not answers_differ else "unknown"


def _compared(old: ToolFingerprint, new: ToolFingerprint) -> DiffReport | None:
    before, after = _json_or_none(old.definition), _json_or_none(new.definition)
    if before is None or after is None:
        return None
    try:
        return diff(named_definition(old.tool_name, before), named_definition(new.tool_name, after))
    except ToolcanonError:  # not a readable tool: the hashes decide
        return None


def _digests(name: str, schema: Any) -> dict[str, str]:
    tool = readable(name, _json_or_none(schema))
    try:
        return {} if tool is None else digests(tool)._asdict()
    except ToolcanonError:  # lone surrogates
        return {}


def _json_or_none(definition: Any) -> Json:
    try:
        return as_json(definition)
    except (ToolcanonError, TypeError):  # over a limit, or a key that JSON does not allow
        return None


def as_json(definition: Any) -> Json:
    """Return a definition as JSON; other objects count by their ``str``, as in the hash."""
    try:
        return orjson.loads(orjson.dumps(definition, option=_PLAIN_ONLY))
    except TypeError:  # types, keys and numbers that orjson cannot write
        return loads(json.dumps(definition, default=str)).value
