"""Results of the target's own tools whose call is gone."""

from __future__ import annotations

from toolcanon.conversion.repairs.survey import Survey
from toolcanon.conversion.repairs.tale import Tale, with_parts
from toolcanon.conversion.repairs.terms import Terms
from toolcanon.formats.wire.natives import is_unread_call
from toolcanon.ir.conversation import Conversation, Message, Native, Part


def drop_unread_calls(
    conversation: Conversation, survey: Survey, terms: Terms, tale: Tale
) -> Conversation:
    """The conversation without the target's own calls that could not be read.

    Their results answer no call then, and are left out like any other of that kind.
    """
    if not survey.natives or not terms.refuses("call-unreadable"):
        return conversation
    out: list[Message] = []
    for message in conversation.messages:
        kept: list[Part] = []
        for part in message.parts:
            if is_unread_call(part, terms.target, terms.rules.call_natives):
                tale.tell("R132", part, before=part.value)  # type: ignore[union-attr]
            else:
                kept.append(part)
        same = len(kept) == len(message.parts)
        out.append(message if same else with_parts(message, kept, tale))
    left = [message for message, was in zip(out, conversation.messages, strict=True)
            if message.parts or message is was]  # fmt: skip
    return conversation.copy_with(messages=left)


def mend_natives(
    conversation: Conversation, survey: Survey, terms: Terms, tale: Tale
) -> Conversation:
    """The conversation without them."""
    rules = terms.rules
    if not survey.natives or not rules.native_result or not terms.refuses("orphan-result"):
        return conversation
    ran: set[str | None] = set()
    out: list[Message] = []
    for message in conversation.messages:
        kept: list[Part] = []
        for part in message.parts:
            if isinstance(part, Native) and part.format == terms.target:
                if part.type in rules.native_calls:
                    ran.add(part.id)
                elif part.type.endswith(rules.native_result) and part.id not in ran - {None}:
                    tale.tell("R123", part, before=part.value)
                    continue
            kept.append(part)
        same = len(kept) == len(message.parts)
        out.append(message if same else with_parts(message, kept, tale))
    left = [message for message, was in zip(out, conversation.messages, strict=True)
            if message.parts or message is was]  # fmt: skip
    return conversation.copy_with(messages=left)
