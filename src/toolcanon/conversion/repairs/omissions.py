"""Parts left out as a whole: unreadable calls, results without a call, internal tools."""

from __future__ import annotations

from collections.abc import Iterable

from toolcanon.conversion.repairs.pairs import find_pairs, result_at
from toolcanon.conversion.repairs.survey import Survey
from toolcanon.conversion.repairs.tale import Tale, each_part, with_messages
from toolcanon.conversion.repairs.terms import Terms
from toolcanon.formats.wire.natives import is_unread_call
from toolcanon.ir import CanonicalTool
from toolcanon.ir.conversation import Conversation, Native, Part
from toolcanon.naming.profiles import Profile


def drop_unread_calls(
    conversation: Conversation, survey: Survey, terms: Terms, tale: Tale
) -> Conversation:
    """The conversation without the target's own calls that could not be read.

    Their results answer no call then, and are left out like any other of that kind.
    """
    if not survey.natives or not terms.refuses("call-unreadable"):
        return conversation

    def kept(part: Part) -> Part | None:
        if not is_unread_call(part, terms.target, terms.rules.call_natives):
            return part
        tale.tell("R132", part, before=part.value)  # type: ignore[union-attr]
        return None

    return with_messages(conversation, each_part(conversation.messages, kept, tale))


def mend_natives(
    conversation: Conversation, survey: Survey, terms: Terms, tale: Tale
) -> Conversation:
    """The conversation without results of the target's own tools whose call is gone."""
    rules = terms.rules
    if not survey.natives or not rules.native_result or not terms.refuses("orphan-result"):
        return conversation
    ran: set[str | None] = set()

    def kept(part: Part) -> Part | None:
        if isinstance(part, Native) and part.format == terms.target:
            if part.type in rules.native_calls:
                ran.add(part.id)
            elif part.type.endswith(rules.native_result) and part.id not in ran - {None}:
                tale.tell("R123", part, before=part.value)
                return None
        return part

    return with_messages(conversation, each_part(conversation.messages, kept, tale))


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
    gone: set[int] = set()
    for pair in find_pairs(conversation, terms).all:
        if profile.is_internal(pair.call.name, sent):
            tale.tell("R122", pair.call, before=pair.call.name)
            gone.add(id(pair.call))
            if pair.answer is not None:
                gone.add(id(result_at(conversation, pair.answer)))
    messages = each_part(conversation.messages, lambda p: None if id(p) in gone else p, tale)
    return with_messages(conversation, messages)
