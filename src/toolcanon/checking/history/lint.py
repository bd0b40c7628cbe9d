"""Apply every rule of a target to a history; report each breach with the provider's error."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from toolcanon.checking.history.declared import LABELS, REQUEST
from toolcanon.checking.history.history import Check, CheckedHistory
from toolcanon.checking.history.pairing import PAIRING
from toolcanon.checking.history.turns import REASONING, SHAPE
from toolcanon.diagnostics import FINDINGS, Finding, Level
from toolcanon.dialect.history import HistoryRules, RuleRefusal
from toolcanon.ir.conversation import Conversation
from toolcanon.jsonio import Pointer

CHECKS: Final[dict[str, Check]] = {**PAIRING, **LABELS, **SHAPE, **REASONING, **REQUEST}
"""Checks by the name of their rule."""
_DIGITS: Final = 9


def lint_history(  # noqa: PLR0913 - what is known of a history
    conversation: Conversation,
    rules: HistoryRules,
    target: str,
    *,
    is_request: bool = True,
    is_arranged: bool = False,
    guests: Mapping[str, tuple[str, ...]] | None = None,
) -> list[Finding]:
    """Return findings for what the target rejects in a conversation that is arranged for it.

    Findings come in the order of the history. What only some models or routes reject is a warning.
    Without ``is_request`` there are only messages, and nothing beside them is reported as missing.
    ``is_arranged`` states that the tools are those of another provider.
    ``guests`` are patterns of other providers' models, by rule.
    """
    history = CheckedHistory(
        conversation, rules, target, is_request=is_request, is_arranged=is_arranged
    )
    found: list[Finding] = []
    by_name = {entry.name: entry for entry in FINDINGS.values()}
    for name, refusal in rules.refusals.items():
        patterns = (guests or {}).get(name, ()) if refusal.is_guests else (refusal.models,)
        known = _of_model(refusal, patterns, conversation.model or "")
        if known is None:
            continue
        entry = by_name[name]
        found += [
            Finding(
                entry.code,
                entry.name,
                known if breach.case not in refusal.unsure else "warning",
                Pointer(tuple(map(str, breach.at))),
                breach.says or entry.says,
                entry.remedy,
                breach.subject,
                target,
                refusal.quotes.get(breach.case, refusal.quote),
            )
            for breach in CHECKS[name](history)
            if breach.case not in refusal.taken
        ]
    return sorted(found, key=lambda finding: [_order(str(step)) for step in finding.at])


def _of_model(refusal: RuleRefusal, patterns: tuple[str, ...], model: str) -> Level | None:
    """Return the level at which a model rejects it; None if it accepts it or is unknown."""
    if refusal.surely and model:
        if re.search(refusal.surely, model.lower()):
            return "error"
        if re.search(refusal.sparing, model.lower()):
            return None
    if any(re.search(pattern, model.lower()) for pattern in patterns):
        return "error" if refusal.is_certain else "warning"
    if not model or not refusal.sparing or re.search(refusal.sparing, model.lower()):
        return None
    return "warning"


def _order(step: str) -> tuple[int, str]:
    is_number = len(step) <= _DIGITS and step.isdecimal()
    return (int(step), "") if is_number else (-1, step)
