"""The messages that follow from an answer with calls, as its provider accepts them.

Providers, proxies and models produce answers that the same provider then rejects in a history:
calls without an id or with a repeated id, illegal names of tools, arguments that are not an object.
These are repaired; everything else is unchanged.
"""

from __future__ import annotations

import binascii
from base64 import b64decode
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import replace
from functools import cache
from hashlib import sha256
from typing import Any, Final

from toolcanon.conversations.read_write import accumulate, codec_of, read_answer
from toolcanon.conversations.repair_history import HistoryScan, Tale, Terms
from toolcanon.conversations.repair_history.content import lost_digits, mend_blanks
from toolcanon.conversations.repair_history.reasoning import lone_thoughts
from toolcanon.conversations.repair_history.repair_log import rules_of
from toolcanon.conversations.repair_history.scan import finite
from toolcanon.define.results import clean_text
from toolcanon.define.run_calls import CallResult
from toolcanon.diagnostics import Losses
from toolcanon.dialect import NamePolicy
from toolcanon.errors import AnswerFailed, InputError, NotAConversation
from toolcanon.formats.wire.bodies import why_unusable
from toolcanon.formats.wire.codec import NOTES, Content, WriteLog, dump, noted, read_arguments
from toolcanon.formats.wire.streams import payloads
from toolcanon.ir.conversation import (
    Answer,
    Call,
    Conversation,
    Extras,
    Media,
    Message,
    Part,
    Reasoning,
    Result,
    Text,
)
from toolcanon.jsonio.types import Json, JsonObject
from toolcanon.naming.alias import history_names
from toolcanon.text import safe

_BYTES: Final = "bytes"
"""Keys under which an SDK takes bytes and not base64 text."""
_LONGEST: Final = 500
_FIELDS: Final = frozenset({"data", "event", "id", "retry", ""})
"""Prefixes of the lines of a stream; the one without a name is a comment."""


class _Encoded(str):
    """Base64 text of a result, marked to distinguish it from other text."""

    __slots__ = ()


class TurnMessages(list[Json]):
    """The messages to append to the history: the model's turn, then the answers to its calls.

    The turn is always included, also without calls. ``is_final`` ends a loop. ``results`` is for
    histories that have the model's turn already, or that the provider stores.
    """

    answer: Answer
    """The text of the model's answer."""
    calls: list[CallResult]
    """Its calls with their results, in order."""
    turn: list[Json]
    """The model's turn, in the form its provider accepts in a history."""
    results: list[Json]
    """The answers to the calls."""
    losses: Losses
    """What the provider's format cannot express."""

    def __init__(
        self, answer: Answer, sent: Answer, calls: Iterable[CallResult], *, raw_bytes: bool = True
    ) -> None:
        """``sent`` is the answer in the form its provider accepts in a history."""
        self.answer, self.calls = answer, list(calls)
        told = WriteLog()
        if len(answer.candidates) > 1:
            told.lose("L320", ("candidates",), len(answer.candidates), 1)
        codec = codec_of(answer.format)
        turn_length = len(codec.write_messages(sent.messages, WriteLog()))
        for one, call in zip(self.calls, sent.calls, strict=True):
            one.result.call_id, one.result.name = call.id, call.name
        results = [_marked(one.result) if raw_bytes else one.result for one in self.calls]
        written = codec.write_messages([*sent.messages, *_answers(results)], told)
        largest = rules_of(answer.format).largest_integer
        if largest is not None:
            for index, result in enumerate(results):
                for place, number, stored in lost_digits(result, largest):
                    at: list[str | int] = ["messages", len(sent.messages), "parts", index]
                    told.lose("L332", (*at, *place), number, stored)
        whole = [_decoded(item) for item in written]
        super().__init__(whole)
        self.turn, self.results = whole[:turn_length], whole[turn_length:]
        self.losses = Losses(told.losses)

    @property
    def is_final(self) -> bool:
        """Return whether the model is done: it called nothing, and did not only pause."""
        return not self.calls and not _is_paused(self.answer)


def answer_of(response: Any, source: str | None) -> Answer:
    """Return the answer in a body, an object of an SDK, an Answer, or a stream's events.

    Raises AnswerFailed for an error or an empty answer, which would look as if the model had
    called nothing, and where the provider itself marks the calls as invalid.
    """
    response = events_of(response)
    problem = None if isinstance(response, Answer) else _field(response, "error")
    if problem:
        raise AnswerFailed(safe(_field(problem, "message") or problem, _LONGEST))
    answer = (
        accumulate(response, source=source) if _is_stream(response) else _read(response, source)
    )
    why = why_unusable(answer)
    if why is not None:
        raise AnswerFailed(safe(why, _LONGEST))
    return answer


def _read(response: Any, source: str | None) -> Answer:
    """Return the answer; one of another provider than the binding's raises with advice."""
    try:
        return read_answer(response, source=source)
    except NotAConversation as error:
        found = None
        with suppress(InputError):
            found = read_answer(response).format
        if found is None or source is None:
            raise
        reason = f"the answer is in the format {found}, and the binding is for {source}"
        advice = f"run it with toolset.bind({found!r}), whose payload was sent to that provider"
        raise NotAConversation(error.at, f"{reason}; {advice}") from None


def events_of(response: Any) -> Any:
    """Return the stream where an SDK wraps it; other values unchanged."""
    stream = response.get("stream") if isinstance(response, dict) else None
    if isinstance(stream, (str, bytes, dict)):
        return response
    is_stream = hasattr(stream, "__iter__") or hasattr(stream, "__aiter__")
    return stream if is_stream else response


def _field(thing: Any, name: str) -> Any:
    """Return a field of a body or of an SDK object."""
    return thing.get(name) if isinstance(thing, dict) else getattr(thing, name, None)


def _is_stream(response: Any) -> bool:
    """Return whether it is a stream; SDK models can be iterated over, but are not streams."""
    if isinstance(response, (str, bytes)):
        if response.lstrip()[:1] in ("{", b"{"):
            return False
        if response.strip() and not _has_events(response):
            raise NotAConversation("", "the text is neither a JSON object nor events of a stream")
        return True
    if isinstance(response, dict) or hasattr(response, "model_dump"):
        return False
    return hasattr(response, "__iter__")


def _has_events(text: str | bytes) -> bool:
    """Return whether the text has events, or the beginning of one."""
    head = text.lstrip()[:100]
    line = head if isinstance(head, str) else head.decode("utf-8", "replace")
    field, colon, _ = line.lstrip("\ufeff").partition(":")
    return (bool(colon) and field in _FIELDS) or any(True for _ in payloads(text))


def _answers(results: list[Result]) -> list[Message]:
    return [Message("tool", list(results))] if results else []


def _is_paused(answer: Answer) -> bool:
    """Return whether the model goes on when its own turn is sent back."""
    return answer.stop is not None and answer.stop.reason == "pause"


def _marked(result: Result) -> Result:
    if not any(isinstance(part, Media) and part.data is not None for part in result.content):
        return result
    return replace(result, content=[_encoded(part) for part in result.content])


def _encoded(part: Content) -> Content:
    if isinstance(part, Media) and part.data is not None:
        return replace(part, data=_Encoded(part.data))
    return part


def _decoded(value: Json, key: str = "") -> Json:
    """Return the value with bytes where the SDK takes bytes; such text can be sent elsewhere."""
    if value.__class__ is dict:
        return {clean_text(name): _decoded(item, name) for name, item in value.items()}
    if value.__class__ is list:
        return [_decoded(item) for item in value]
    if value.__class__ is str:
        return clean_text(value)
    if value.__class__ is not _Encoded:
        return value
    if key == _BYTES:
        try:
            return b64decode(value, validate=True)
        except binascii.Error:
            pass  # not base64: the provider reports it
    return str(value)


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
    left = mend_blanks(told, HistoryScan(told, terms), terms, log).messages
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
    told = WriteLog()
    codec_of(format_id).write_messages([Message("assistant", [Call("any", {})])], told)
    return any(loss.code == _INVENTED for loss in told.losses)


def _new_id(answer: Answer, call: Call, number: int) -> str:
    """Return an id made of the call's content, so that it is stable and unique to the answer."""
    text = dump([answer.id, number, call.name, call.text or call.arguments])
    return f"call_{sha256(text.encode('utf-8', 'surrogatepass')).hexdigest()[:24]}"
