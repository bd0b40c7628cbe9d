"""A model's turn as its provider takes it back.

Providers, proxies and models let through what the same provider then refuses in a history: calls
without an id or with one id for two, names that no tool may have, arguments that are no object.
Sent back as they came they would end a conversation; here they are mended, and nothing else is.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from hashlib import sha256
from typing import Final

from toolcanon.conversion.conversations import codec_of
from toolcanon.conversion.repairs import Survey, Tale, Terms
from toolcanon.conversion.repairs.blanks import mend_blanks
from toolcanon.conversion.repairs.reasoning import lone_thoughts
from toolcanon.conversion.repairs.terms import rules_of
from toolcanon.conversion.repairs.unsendable import finite
from toolcanon.dialect import NamePolicy
from toolcanon.formats.wire.codec import NOTES, Told, dump, noted, read_arguments
from toolcanon.ir.conversation import (
    Answer,
    Call,
    Conversation,
    Extras,
    Message,
    Part,
    Reasoning,
    Text,
)
from toolcanon.jsonio.types import Json, JsonObject
from toolcanon.naming.history_names import history_names

_INVENTED: Final = "L322"
SILENT: Final = "(The model answered without words.)"


def sendable(answer: Answer, policy: NamePolicy | None) -> Answer:
    """The answer with calls that can be sent back and answered one by one."""
    messages = answer.messages
    mended = _mended(answer, policy)
    if any(new is not old for new, old in zip(mended, answer.calls, strict=True)):
        left = iter(mended)

        def sent(part: Part) -> Part:
            return next(left) if isinstance(part, Call) else part

        messages = [replace(one, parts=[sent(part) for part in one.parts]) for one in messages]
    if not mended or _may_be_silent(messages):
        messages = _audible(messages, answer.format)
    if messages is answer.messages:
        return answer
    first = replace(answer.candidates[0], messages=messages)
    return replace(answer, candidates=[first, *answer.candidates[1:]])


def _may_be_silent(messages: list[Message]) -> bool:
    """Whether there is a blank text, a message without parts, or a thought at the end."""
    return any(
        not one.parts
        or isinstance(one.parts[-1], Reasoning)
        or any(isinstance(part, Text) and not part.text.strip() for part in one.parts)
        for one in messages
    )


def _audible(messages: list[Message], format_id: str) -> list[Message]:
    """The turn without what says nothing, where its provider refuses that in a history.

    Where nothing is left and the sides must alternate, a note takes the place of the turn.
    """
    told = Conversation(messages, format=format_id)
    terms = Terms(rules_of(format_id), format_id, is_request=False)
    tale = Tale(told)
    if terms.refuses("reasoning-alone"):
        lone = lone_thoughts(messages, terms)
        kept = [[part for part in one.parts if id(part) not in lone] for one in messages]
        pairs = zip(messages, kept, strict=True)
        whole = [replace(one, parts=parts) for one, parts in pairs if parts or not one.parts]
        told = replace(told, messages=whole)
    left = mend_blanks(told, Survey(told, terms), terms, tale).messages
    if not left and terms.surely_refuses("same-role-twice"):
        return [Message("assistant", [Text(SILENT)])]
    return left


def _mended(answer: Answer, policy: NamePolicy | None) -> list[Call]:
    out: list[Call] = []
    used: set[str | None] = {None, ""}
    called = [(call.namespace, call.name) for call in answer.calls]
    names = history_names(called, (), policy, None)
    for number, (call, known) in enumerate(zip(answer.calls, called, strict=True)):
        made = _spelled(call, answer.format)
        if names[known] != call.name:
            made = replace(made, name=names[known])
        if call.id in used:
            is_paired = _pairs_by_id(answer.format)
            new_id = _new_id(answer, call, number) if is_paired else None
            made = made if made.id == new_id else replace(made, id=new_id)
        used.add(made.id)
        out.append(made)
    return out


def _spelled(call: Call, format_id: str) -> Call:
    """The call with an object for its arguments; in the model's own words if they say one."""
    is_object = call.arguments.__class__ is dict and call.problem is None
    if call.is_text or (is_object and not noted(call.extras, format_id)):
        return call
    extras = _unnoted(call.extras, format_id)
    if is_object:
        return replace(call, extras=extras)
    return replace(call, arguments=_object(call.arguments), text=None, problem=None, extras=extras)


def _object(arguments: Json) -> JsonObject:
    if isinstance(arguments, str):
        arguments, _ = read_arguments(arguments)
    return finite(arguments) if isinstance(arguments, dict) else {}


def _unnoted(extras: Extras, format_id: str) -> Extras:
    """What is left when nothing is known of how it was spelled."""
    kept = dict(extras or {})
    own = {key: value for key, value in kept.pop(format_id, {}).items() if key != NOTES}
    return {**kept, format_id: own} if own else kept or None


@cache
def _pairs_by_id(format_id: str) -> bool:
    """Whether a call without an id would be given one there."""
    told = Told()
    codec_of(format_id).write_messages([Message("assistant", [Call("any", {})])], told)
    return any(loss.code == _INVENTED for loss in told.losses)


def _new_id(answer: Answer, call: Call, number: int) -> str:
    """Made of what is said, so that it is the same each time and no other answer has it."""
    text = dump([answer.id, number, call.name, call.text or call.arguments])
    return f"call_{sha256(text.encode('utf-8', 'surrogatepass')).hexdigest()[:24]}"
