"""Repairs of texts and arguments that a target rejects."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import fields, replace
from typing import Any, Final

import orjson

from toolcanon.conversations.repair_history.repair_log import (
    SYSTEM,
    Tale,
    Terms,
    Thing,
    each_part,
    lose_keys,
    with_content,
    with_messages,
    with_parts,
    without,
)
from toolcanon.conversations.repair_history.scan import HistoryScan, finite, is_finite, whole
from toolcanon.dialect.history import Case
from toolcanon.formats.wire.blocks import SILENT_FAILURE
from toolcanon.formats.wire.codec import (
    NOT_FINITE,
    NOT_JSON,
    NOT_WHOLE,
    NOTES,
    read_arguments,
)
from toolcanon.formats.wire.results import once
from toolcanon.ir.conversation import (
    Call,
    Conversation,
    Data,
    Media,
    Message,
    Native,
    Part,
    Result,
    Text,
)
from toolcanon.jsonio import DEEPEST
from toolcanon.jsonio.load import repeats_keys
from toolcanon.jsonio.types import Json, JsonObject


def mend_arguments(
    conversation: Conversation, survey: HistoryScan, terms: Terms, tale: Tale
) -> Conversation:
    """Give every call an object of arguments that JSON can hold."""
    if not (survey.odd_arguments or survey.infinite):
        return conversation
    is_refused = terms.refuses("arguments-no-object")

    def mended(part: Part) -> Part:
        if isinstance(part, Call):
            return _call(part, tale, is_refused=is_refused)
        if isinstance(part, Result):
            return _result(part, tale)
        return part

    return with_messages(conversation, each_part(conversation.messages, mended, tale))


def _call(call: Call, tale: Tale, *, is_refused: bool) -> Call:
    if call.is_text:
        return call
    arguments, is_read = call.arguments, call.text is None or call.problem is None
    if isinstance(arguments, dict) and is_read:
        if call.text is not None or is_finite(arguments):
            return call
        tale.tell("R113", call, "arguments")
        return tale.instead(replace(call, arguments=finite(arguments)), call)
    if not is_refused:
        return call
    made = _object(call)
    tale.tell("R112", call, "arguments", before=_before(call), after=made)
    return tale.instead(replace(call, arguments=made, text=None, problem=None), call)


def _before(call: Call) -> Json:
    return finite(call.arguments) if call.text is None else call.text


def _object(call: Call) -> JsonObject:
    value, text = call.arguments, call.text
    if value is None and not (text and text.strip() and text.strip() != "null"):
        return {}
    if isinstance(value, str):
        again, problem = read_arguments(value)
        if problem is None and isinstance(again, dict):
            return again
    if isinstance(value, dict) and call.problem == NOT_FINITE:
        return finite(value)  # type: ignore[no-any-return]
    if text is not None and call.problem in {NOT_JSON, NOT_WHOLE}:
        return {"arguments": text}
    return {"arguments": finite(value)}


def settle_keys(conversation: Conversation, tale: Tale) -> Conversation:
    """Write arguments whose text repeats a key with the last value, as they were read."""

    def settled(part: Part) -> Part:
        if not isinstance(part, Call) or not has_repeats(part):
            return part
        tale.tell("R129", part, "arguments", before=part.text, after=part.arguments)
        return tale.instead(replace(part, text=None), part)

    return with_messages(conversation, each_part(conversation.messages, settled, tale))


def has_repeats(call: Call) -> bool:
    """Return whether a key repeats in the text of a call, so that its arguments hold less."""
    if call.text is None or call.problem is not None or call.arguments.__class__ is not dict:
        return False
    return repeats_keys(call.text, call.arguments)


def _result(result: Result, tale: Tale) -> Result:
    content = list(result.content)
    for number, part in enumerate(result.content):
        if isinstance(part, Data) and not is_finite(part.value):
            tale.tell("R113", result, "content", number)
            content[number] = Data(finite(part.value), part.extras)
    return with_content(result, content, tale)


_MANY_DIGITS: Final = re.compile(rb"\d{16}")


def report_digits(conversation: Conversation, terms: Terms, tale: Tale) -> None:
    """Report every such integer in arguments, and in results that are sent as values."""
    largest = terms.rules.largest_integer
    if largest is None:
        return
    for message in conversation.messages:
        for part in message.parts:
            if part.__class__ is Call:
                if _may_hold_any(part.arguments):
                    for place, number, stored in _lost(part.arguments, largest, ("arguments",)):
                        tale.lose("L332", part, *place, before=number, after=stored)
            elif part.__class__ is Result:
                for place, number, stored in lost_digits(part, largest):
                    tale.lose("L332", part, *place, before=number, after=stored)


def lost_digits(result: Result, largest: int) -> Iterator[tuple[tuple[str, ...], int, int | None]]:
    """Places in a result whose integers lose digits, with the integer and what is stored.

    Beside other words a value is sent as text, which keeps all digits.
    """
    said = [held for held in once(result.content, values=True) if not isinstance(held, Media)]
    if len(said) == 1 and isinstance(said[0], Data) and _may_hold_any(said[0].value):
        number = next(n for n, held in enumerate(result.content) if held is said[0])
        yield from _lost(said[0].value, largest, ("content", str(number)))


def _may_hold_any(value: Json) -> bool:
    try:
        return _MANY_DIGITS.search(orjson.dumps(value)) is not None
    except TypeError:  # integers beyond 64 bits, depth
        return True


def _lost(
    value: Json, largest: int, lead: tuple[str, ...]
) -> Iterator[tuple[tuple[str, ...], int, int | None]]:
    for place, number in _beyond(value, largest, ()):
        stored = _stored(number)
        if stored != number:
            yield (*lead, *place), number, stored


def _stored(number: int) -> int | None:
    """Return the integer that a double holds in its place; None where it is too large for one."""
    try:
        return int(float(number))
    except OverflowError:
        return None


def _beyond(
    value: Json, largest: int, at: tuple[str, ...]
) -> Iterator[tuple[tuple[str, ...], int]]:
    if value.__class__ is int:
        if abs(value) > largest:
            yield at, value
    elif len(at) > DEEPEST:
        return
    elif value.__class__ is dict:
        for key, item in value.items():
            yield from _beyond(item, largest, (*at, key))
    elif value.__class__ is list:
        for index, item in enumerate(value):
            yield from _beyond(item, largest, (*at, str(index)))


_OTHERS: Final = frozenset({"id", "call_id", "parts", "content"})
"""Repairs of ids can be undone, so ids are repaired first; other values one by one."""


def mend_characters(conversation: Conversation, survey: HistoryScan, tale: Tale) -> Conversation:
    """Make every text valid to send."""
    if not survey.halves:
        return conversation
    messages = [_message(message, tale) for message in conversation.messages]
    system = None if conversation.system is None else _message(conversation.system, tale)
    return conversation.copy_with(messages=messages, system=system)


def _message(message: Message, tale: Tale) -> Message:
    message = with_parts(message, [_part(part, tale) for part in message.parts], tale)
    changes = dict(_changes(message, tale, message))
    return tale.instead(replace(message, **changes), message) if changes else message


def _part(part: Part, tale: Tale) -> Part:
    changes: dict[str, Any] = dict(_changes(part, tale, part))
    if isinstance(part, Result):
        content = list(part.content)
        for number, item in enumerate(content):
            if found := dict(_changes(item, tale, part, "content", number)):
                content[number] = replace(item, **found)
                changes["content"] = content
    return tale.instead(replace(part, **changes), part) if changes else part


def _changes(thing: Thing, tale: Tale, at: Thing, *within: str | int) -> Iterator[tuple[str, Json]]:
    """Yield the fields that must change, each reported."""
    for field in fields(thing):
        if field.name in _OTHERS or (field.name == "arguments" and _is_unread(thing)):
            continue
        value = getattr(thing, field.name)
        made = whole(value)
        if made is not value:
            tale.tell("R128", at, *within, field.name, before=value, after=made)
            yield field.name, made


def _is_unread(thing: Thing) -> bool:
    """Return whether the text of a call will stand for its arguments."""
    return isinstance(thing, Call) and thing.text is not None and thing.problem == NOT_WHOLE


def mend_blanks(
    conversation: Conversation, survey: HistoryScan, terms: Terms, tale: Tale
) -> Conversation:
    """Return the conversation without empty parts; errors without text get one."""
    rules = terms.rules.refusals
    texts = survey.blanks and "empty-text" in rules
    errors = survey.silent_errors and "error-without-words" in rules
    messages = (survey.empty or survey.blanks) and "empty-message" in rules
    lists = survey.own and bool(terms.rules.never_empty)
    if not (texts or errors or messages or lists):
        return conversation
    out: list[Message] = []
    for message in conversation.messages:
        mended = message
        if texts or errors:
            mended = _mended(message, terms, tale)
        if lists and mended.extras is not None:
            mended = _without_empty_lists(mended, terms, tale)
        if mended.parts or not _is_refused(message, mended, terms):
            out.append(mended)
        else:
            tale.tell("R109", message, before=message.role)
            lose_keys(message, tale)  # its content was under unknown keys
    system = conversation.system
    if system is not None and texts and not _is_bare(system, terms):
        mended = _mended(system, terms, tale, "in-system")
        system = mended if mended.parts or mended is system else None
    return conversation.copy_with(messages=out, system=system)


def _mended(message: Message, terms: Terms, tale: Tale, case: Case = "") -> Message:
    if _is_bare(message, terms) and message.role == "assistant":
        return message  # the whole content is the empty text, which is another matter
    if not case and message.role in SYSTEM:
        case = "in-system"
    kept: list[Part] = []
    for part in message.parts:
        if isinstance(part, Text):
            refused = _is_blank(part) and terms.refuses("empty-text", case or _case(part, message))
            if refused and terms.seal(part.extras) is None:  # a text with a signature stays
                tale.tell("R108", part, before=part.text)
                continue
        elif isinstance(part, Result):
            part = _said(part, terms, tale)  # noqa: PLW2901 - the same in better words
        kept.append(part)
    return with_parts(message, kept, tale)


def _is_blank(part: Part) -> bool:
    return isinstance(part, Text) and (not part.text or part.text.isspace())


def _case(blank: Text, message: Message) -> Case:
    if not blank.text:
        return "empty"
    others = [part for part in message.parts if part is not blank]
    if not others:
        return "blank"
    says = any(
        isinstance(part, Call) or (isinstance(part, Text) and not _is_blank(part))
        for part in others
    )
    return "blank-beside-words" if says else "blank-beside-media"


def _said(result: Result, terms: Terms, tale: Tale) -> Result:
    """Return a result without blank texts where those are rejected; an empty one gets a text."""
    content = result.content
    if terms.refuses("empty-text", "in-result") and any(map(_is_blank, content)):
        for number, part in enumerate(content):
            if _is_blank(part):
                tale.tell("R108", result, "content", number, before=part.text)  # type: ignore[union-attr]
        content = [part for part in content if not _is_blank(part)]
    if result.is_error and terms.refuses("error-without-words") and all(map(_is_blank, content)):
        tale.tell("R111", result, after=SILENT_FAILURE)
        content = [Text(SILENT_FAILURE)]
    return with_content(result, content, tale)


def _is_bare(message: Message, terms: Terms) -> bool:
    """Return whether the content of the target's own message as a whole is the empty text."""
    match message.parts:
        case [Text(text="")]:
            notes = terms.own(message.extras).get(NOTES, {})
            return bool(terms.rules.bare_note) and notes.get("content") == terms.rules.bare_note
    return False


def _is_refused(message: Message, mended: Message, terms: Terms) -> bool:
    """Return whether a message without parts has to go."""
    if mended is not message and message.parts:
        return True
    if "empty-message" not in terms.rules.refusals or message.role in SYSTEM:
        return False
    if not terms.is_own(message):
        return not terms.rules.silent_notes  # where there are such notes it is written as ""
    if any(isinstance(part, Native) for part in message.parts):
        return False
    speaker: Case = "assistant" if message.role == "assistant" else "user"
    notes = terms.own(message.extras).get(NOTES, {})
    silent = terms.rules.silent_notes
    return terms.refuses("empty-message", speaker) and (
        not silent or notes.get("content") in silent
    )


def _without_empty_lists(message: Message, terms: Terms, tale: Tale) -> Message:
    own = terms.own(message.extras)
    empty = [key for key in terms.rules.never_empty if own.get(key) == []]
    if not empty:
        return message
    tale.tell("R108", message, "extras", terms.target, empty[0], before=[])
    made = replace(message, extras=without(message.extras, terms.target, *empty))
    return tale.instead(made, message)
