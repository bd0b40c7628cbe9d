"""Arguments that are no object, keys that stand twice, and numbers that no JSON can hold."""

from __future__ import annotations

from dataclasses import replace

from toolcanon.conversion.repairs.survey import Survey
from toolcanon.conversion.repairs.tale import Tale, each_part, with_content, with_messages
from toolcanon.conversion.repairs.terms import Terms
from toolcanon.conversion.repairs.unsendable import finite, is_finite
from toolcanon.formats.wire.codec import (
    NOT_FINITE,
    NOT_JSON,
    NOT_WHOLE,
    read_arguments,
    repeats_keys,
)
from toolcanon.ir.conversation import Call, Conversation, Data, Part, Result
from toolcanon.jsonio.types import Json, JsonObject


def mend_arguments(
    conversation: Conversation, survey: Survey, terms: Terms, tale: Tale
) -> Conversation:
    """Every call has an object of arguments that JSON can hold."""
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
    """Arguments whose text has a key twice say what was read: the last of them."""

    def settled(part: Part) -> Part:
        if not isinstance(part, Call) or not has_repeats(part):
            return part
        tale.tell("R129", part, "arguments", before=part.text, after=part.arguments)
        return tale.instead(replace(part, text=None), part)

    return with_messages(conversation, each_part(conversation.messages, settled, tale))


def has_repeats(call: Call) -> bool:
    """Whether the text of a call says more than its arguments."""
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
