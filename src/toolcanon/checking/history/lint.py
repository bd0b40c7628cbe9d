"""Check a conversation against a target: read it, arrange it for the target, apply its rules.

Each breach is reported with the provider's error.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from toolcanon.checking.history.declared import LABELS, REQUEST
from toolcanon.checking.history.history import Check, CheckedHistory
from toolcanon.checking.history.pairing import PAIRING
from toolcanon.checking.history.source_positions import HistoryOrigins
from toolcanon.checking.history.turns import REASONING, SHAPE
from toolcanon.conversations.read_write import codec_of, codecs, read_conversation
from toolcanon.conversion.target import Target, merged, parse_target
from toolcanon.diagnostics import FINDINGS, Finding, Level
from toolcanon.dialect.history import HistoryRules, RuleRefusal
from toolcanon.errors import UnknownDialect
from toolcanon.formats.wire.codec import WriteLog
from toolcanon.ir.conversation import Conversation
from toolcanon.jsonio import Pointer
from toolcanon.jsonio.types import Json
from toolcanon.registry import registry

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


_END: Final = "ends-with-assistant"
"""The finding whose place is the last part of its message."""


def lint(
    payload: Any,
    to: str | Target | None = None,
    *,
    source: str | None = None,
    model: str | None = None,
    document: Json = None,
) -> list[Finding]:
    """Return what a target rejects in a conversation, with its error messages; nothing is repaired.

    ``to`` is a target, by default the format of the conversation. For another format the
    conversation is first arranged as that format requires, and places point into the arranged one.
    the model that will read it, if not the one that the conversation names. Origins point into
    ``document``, the payload that the conversation was read from.
    """
    conversation = given = read_conversation(payload, source=source)
    family, known = parse_target(to or conversation.format).format.id, _known()
    if isinstance(to, Target):
        model = merged("model", to, model)
    if family not in known:
        raise UnknownDialect(family, tuple(known))
    if conversation.format != family:
        codec = codec_of(family)
        named = conversation.model
        conversation = codec.read_request(codec.write_request(_bare(conversation), WriteLog()))
        conversation.model = named if _is_one_of(known[family], named) else None
    if model is not None:
        conversation = conversation.copy_with(model=model)
    found = lint_history(
        conversation,
        known[family],
        family,
        is_request=not isinstance(payload, list | tuple),
        is_arranged=given.format != family,
        guests=_guests(known, family),
    )
    read_from = payload if document is None else document
    if not found or not isinstance(read_from, dict | list):
        return found
    codec = codec_of(given.format)
    origins = HistoryOrigins(read_from, given, conversation, codec.history, codec.system)
    return [
        replace(finding, origin=origins.of(finding.at, is_end=finding.name == _END))
        for finding in found
    ]


def _bare(conversation: Conversation) -> Conversation:
    """Replace tools of another provider: only whether there are tools matters here."""
    return Conversation(
        conversation.messages,
        conversation.system,
        conversation.tools,
        conversation.tool_choice,
        conversation.parallel_calls,
        conversation.model,
        conversation.format,
    )


def _is_one_of(rules: HistoryRules, model: str | None) -> bool:
    """Return whether a target's rules name a model; aliases of other providers do not count."""
    patterns = [
        name
        for rule in rules.refusals.values()
        for name in (rule.models, rule.sparing, rule.surely)
    ]
    return any(re.search(pattern, (model or "").lower()) for pattern in patterns if pattern)


def _known() -> dict[str, HistoryRules]:
    """Return the rules of histories, by format."""
    formats = registry().formats
    return {
        name: dialect.history
        for name in codecs()
        for dialect in formats[name].dialects
        if dialect.history is not None
    }


def _guests(known: dict[str, HistoryRules], family: str) -> dict[str, tuple[str, ...]]:
    """Return, by rule, patterns of other providers' models, which this format may serve too."""
    found: dict[str, tuple[str, ...]] = {}
    for other, rules in known.items():
        for name, refusal in rules.refusals.items():
            if other != family and refusal.models:
                found[name] = (*found.get(name, ()), refusal.models)
    return found
