"""The messages that follow an answer with calls, in its provider's format."""

from __future__ import annotations

import binascii
from base64 import b64decode
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import replace
from typing import Any, Final

from toolcanon.conversion.conversations import accumulate, codec_of, read_answer
from toolcanon.conversion.repairs.digits import lost_digits
from toolcanon.conversion.repairs.terms import rules_of
from toolcanon.define.results import clean_text
from toolcanon.define.running import CallResult
from toolcanon.diagnostics import Losses
from toolcanon.errors import AnswerFailed, InputError, NotAConversation
from toolcanon.formats.wire.answers import why_unusable
from toolcanon.formats.wire.codec import Content, Told
from toolcanon.formats.wire.sse import payloads
from toolcanon.ir.conversation import Answer, Media, Message, Result
from toolcanon.jsonio.types import Json
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
        told = Told()
        if len(answer.candidates) > 1:
            told.lose("L320", ("candidates",), len(answer.candidates), 1)
        codec = codec_of(answer.format)
        turn_length = len(codec.write_messages(sent.messages, Told()))
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
