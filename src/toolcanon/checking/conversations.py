"""Check a conversation against a target: read it, arrange it for the target, apply its rules."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any, Final

from toolcanon.checking.history import lint_history
from toolcanon.checking.history.source_positions import HistoryOrigins
from toolcanon.conversations.read_write import codec_of, codecs, read_conversation
from toolcanon.conversion.target import Target, merged, parse_target
from toolcanon.diagnostics import Finding
from toolcanon.dialect.history import HistoryRules
from toolcanon.errors import UnknownDialect
from toolcanon.formats.wire.codec import WriteLog
from toolcanon.ir.conversation import Conversation
from toolcanon.jsonio.types import Json
from toolcanon.registry import registry

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
