"""A model's turn in the form that its provider accepts in a history.

Providers, proxies and models produce answers that the same provider then rejects in a history:
calls without an id or with a repeated id, illegal names of tools, arguments that are not an object.
These are repaired; everything else is unchanged.
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
    """Return the answer with calls that can be sent back and answered one by one."""
    messages = answer.messages
    mended = _repaired_calls(answer, policy)
    if any(new is not old for new, old in zip(mended, answer.calls, strict=True)):
        left = iter(mended)

        def sent(part: Part) -> Part:
            return next(left) if isinstance(part, Call) else part

        messages = [replace(one, parts=[sent(part) for part in one.parts]) for one in messages]
    if not mended or _may_be_empty(messages):
        messages = _without_empty(messages, answer.format)
    if messages is answer.messages:
        return answer
    first = replace(answer.candidates[0], messages=messages)
    return replace(answer, candidates=[first, *answer.candidates[1:]])


def _may_be_empty(messages: list[Message]) -> bool:
    """Return whether there is an empty text, an empty message, or reasoning at the end."""
    return any(
        not one.parts
        or isinstance(one.parts[-1], Reasoning)
        or any(isinstance(part, Text) and not part.text.strip() for part in one.parts)
        for one in messages
    )


def _without_empty(messages: list[Message], format_id: str) -> list[Message]:
    """Return the turn without empty parts, where its provider rejects them in a history.

    Where nothing is left and roles must alternate, a note replaces the turn.
    """
    told = Conversation(messages, format=format_id)
    terms = Terms(rules_of(format_id), format_id, is_request=False)
    log = Tale(told)
    if terms.refuses("reasoning-alone"):
        lone = lone_thoughts(messages, terms)
        kept = [[part for part in one.parts if id(part) not in lone] for one in messages]
        pairs = zip(messages, kept, strict=True)
        whole = [replace(one, parts=parts) for one, parts in pairs if parts or not one.parts]
        told = replace(told, messages=whole)
    left = mend_blanks(told, Survey(told, terms), terms, log).messages
    if not left and terms.surely_refuses("same-role-twice"):
        return [Message("assistant", [Text(SILENT)])]
    return left


def _repaired_calls(answer: Answer, policy: NamePolicy | None) -> list[Call]:
    out: list[Call] = []
    used: set[str | None] = {None, ""}
    called = [(call.namespace, call.name) for call in answer.calls]
    names = history_names(called, (), policy, None)
    for number, (call, known) in enumerate(zip(answer.calls, called, strict=True)):
        made = _with_object(call, answer.format)
        if names[known] != call.name:
            made = replace(made, name=names[known])
        if call.id in used:
            is_paired = _pairs_by_id(answer.format)
            new_id = _new_id(answer, call, number) if is_paired else None
            made = made if made.id == new_id else replace(made, id=new_id)
        used.add(made.id)
        out.append(made)
    return out


def _with_object(call: Call, format_id: str) -> Call:
    """Return the call with an object as arguments, decoded from the model's text if possible."""
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
    """Return the extras without the notes about the original spelling."""
    kept = dict(extras or {})
    own = {key: value for key, value in kept.pop(format_id, {}).items() if key != NOTES}
    return {**kept, format_id: own} if own else kept or None


@cache
def _pairs_by_id(format_id: str) -> bool:
    """Return whether a call without an id gets one there."""
    told = Told()
    codec_of(format_id).write_messages([Message("assistant", [Call("any", {})])], told)
    return any(loss.code == _INVENTED for loss in told.losses)


def _new_id(answer: Answer, call: Call, number: int) -> str:
    """Return an id made of the call's content, so that it is stable and unique to the answer."""
    text = dump([answer.id, number, call.name, call.text or call.arguments])
    return f"call_{sha256(text.encode('utf-8', 'surrogatepass')).hexdigest()[:24]}"
