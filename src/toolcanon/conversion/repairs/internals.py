"""Calls of tools that a naming profile keeps to itself are not replayed."""

from __future__ import annotations

from collections.abc import Iterable

from toolcanon.conversion.repairs.pairs import At, find_pairs
from toolcanon.conversion.repairs.tale import Tale, with_parts
from toolcanon.conversion.repairs.terms import Terms
from toolcanon.ir import CanonicalTool
from toolcanon.ir.conversation import Conversation, Message
from toolcanon.naming.profiles import Profile


def drop_internal(
    conversation: Conversation,
    profile: Profile,
    tools: Iterable[CanonicalTool],
    terms: Terms,
    tale: Tale,
) -> Conversation:
    """The conversation without those calls and their results; ``tools`` are those that are sent."""
    if not profile.internal:
        return conversation
    sent = frozenset(tool.id for tool in tools)
    gone: set[At] = set()
    for pair in find_pairs(conversation, terms).all:
        if profile.is_internal(pair.call.name, sent):
            tale.tell("R122", pair.call, before=pair.call.name)
            gone |= {pair.at} if pair.answer is None else {pair.at, pair.answer}
    if not gone:
        return conversation
    out: list[Message] = []
    for index, message in enumerate(conversation.messages):
        kept = [part for n, part in enumerate(message.parts) if (index, n) not in gone]
        if len(kept) == len(message.parts):
            out.append(message)
        elif kept:
            out.append(with_parts(message, kept, tale))
    return conversation.copy_with(messages=out)
