"""Conversations read and written: messages, system prompts, requests, responses and streams.

A list may mix providers, like a history that was carried between them: each message is read by the
codec that it matches best. Nothing is repaired here.

Some providers keep the system prompt beside their messages, so a list of messages alone would lose
it at the next switch. ``Messages`` is a list that carries it; a prompt that is stored elsewhere
can be given in any shape.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cache, partial
from operator import attrgetter
from typing import Any, Final, NamedTuple, SupportsIndex, overload

from toolcanon.conversion.sdk_objects import plain, plain_throughout
from toolcanon.conversion.target import Target, parse_target
from toolcanon.diagnostics import Losses
from toolcanon.errors import (
    CutStream,
    NoConversations,
    NotAConversation,
    NoTools,
    UnknownFormat,
    UsageError,
)
from toolcanon.formats.wire.codec import Codec, WriteLog, noted
from toolcanon.formats.wire.odd_members import is_any_odd
from toolcanon.formats.wire.streams import payloads
from toolcanon.ir.conversation import Answer, Conversation, Media, Message, Text
from toolcanon.jsonio.types import Json, JsonObject
from toolcanon.registry import meant, registry

_INSTRUCTING: Final = frozenset({"system", "developer"})
_SHAPES: Final = "give a string, or the system prompt of any provider as its request has it"


class Messages(list[Json]):
    """Messages of a provider that keeps the system prompt beside them, with that prompt.

    Every function that accepts a list of messages finds the prompt here. Copies, slices and sums
    of the list carry it; JSON does not.
    """

    __slots__ = ("format", "system")

    system: Json
    """The system prompt, as the provider's request has it."""
    format: str

    def __init__(
        self, messages: Iterable[Json] = (), system: Json = None, format: str = ""
    ) -> None:
        super().__init__(messages)
        self.system, self.format = system, format

    def _like(self, messages: Iterable[Json]) -> Messages:
        return Messages(messages, self.system, self.format)

    @overload
    def __getitem__(self, index: SupportsIndex, /) -> Json: ...
    @overload
    def __getitem__(self, index: slice, /) -> Messages: ...
    def __getitem__(self, index: Any, /) -> Any:
        found = super().__getitem__(index)
        return self._like(found) if isinstance(index, slice) else found

    def __add__(self, other: Any, /) -> Messages:
        return self._like(super().__add__(other))

    def copy(self) -> Messages:
        """Return the same messages with the same prompt."""
        return self._like(self)


def with_system(messages: Json, system: Json, format_id: str) -> Json:
    """Return messages that carry their system prompt, if there is one beside them.

    A request whose history is one text has its prompt in the request.
    """
    return messages if system is None else Messages(messages, system, format_id)


def prompted(conversation: Conversation, system: Message | None) -> Conversation:
    """Return the conversation with a system prompt, unless its messages begin with that prompt."""
    if system is None or system is conversation.system:
        return conversation
    leading: list[str] = []
    for message in conversation.messages:
        if message.role not in _INSTRUCTING:
            break
        leading.append(message.text)
    if leading and _words("".join(leading)) == _words(system.text):
        return conversation
    return conversation.copy_with(system=system)


def _words(text: str) -> str:
    return "".join(text.split())


def read_system(value: Any, codecs: Iterable[Codec], source: str | None = None) -> Message | None:
    """Return a system prompt from any shape: a text, a message, or the value beside messages.

    ``source`` is the format. Raises UsageError.
    """
    if value is None or isinstance(value, Message):
        return value
    if isinstance(value, str):
        return Message("system", [Text(value)]) if value else None
    known = [codec for codec in codecs if codec.system and source in {None, codec.id}]
    given = [*value] if isinstance(value, (list, tuple)) else _dumped(value)
    told = plain_throughout(given)
    if told in ([], {}):
        return None
    if isinstance(told, list) and all(isinstance(item, str) for item in told):
        return Message("system", [Text(item) for item in told])
    if _is_message(told):
        return read_system(told["content"], known, source)
    if isinstance(told, list) and all(map(_is_message, told)):
        read = [read_system(one["content"], known, source) for one in told]
        return Message("system", [part for one in read if one is not None for part in one.parts])
    for shape in (told, [told], {"parts": [told]}):
        found = _best_system_prompt(shape, known)
        if found is not None:
            return found
    raise UsageError(f"system= is not a system prompt; {_SHAPES}")


def _is_message(value: Json) -> bool:
    return isinstance(value, dict) and isinstance(value.get("content"), (str, list))


def _dumped(value: Any) -> Json:
    try:
        return plain(value)
    except NoTools as error:
        raise UsageError(f"system= is not a system prompt: {error}; {_SHAPES}") from None


def _best_system_prompt(value: Json, known: list[Codec]) -> Message | None:
    """Read a value by the codec whose requests it matches best; None where none matches."""
    for codec in sorted(known, key=lambda one: one.sniff_body(_body(value, one)), reverse=True):
        try:
            found = codec.read_request(_body(value, codec)).system
        except NotAConversation:
            continue
        if found is not None and _is_said(found) and not _is_odd(found, codec.id):
            return found
    return None


def _is_said(system: Message) -> bool:
    """Return whether a system prompt has text or media."""
    return bool(system.text) or any(isinstance(part, Media) for part in system.parts)


def _is_odd(system: Message, format_id: str) -> bool:
    """Return whether the provider of a format rejects a system prompt in this shape."""
    extras = [system.extras, *(getattr(part, "extras", None) for part in system.parts)]
    return any(is_any_odd(noted(one, format_id)) for one in extras)


def _body(value: Json, codec: Codec) -> JsonObject:
    return {codec.history: [], codec.system: value}


_SURE: Final = 0.4
"""The score from which a message may be its own format's: plain text matches every format."""
_UNKNOWN: Final = 0.1
"""The score up to which only the role marks the value as a message."""
_CONTENT: Final = frozenset({"content", "parts"})
_ABOUT: Final = frozenset({"role", "name", "id", "type"})
_WHOLLY: Final = 1.0
"""The highest score."""
_CERTAIN: Final = 0.7
"""The score from which a message is hardly another format's."""
_BODY: Final = attrgetter("sniff_body")
_ANSWER: Final = attrgetter("sniff_answer")
_EVENT: Final = attrgetter("sniff_event")
_MESSAGE: Final = attrgetter("sniff")


class WrittenConversation(NamedTuple):
    """A conversation as one provider accepts it, and what could not be written."""

    payload: Json
    losses: Losses
    system: Json = None
    """The system prompt, where it is beside a list of messages."""


@cache
def codecs() -> dict[str, Codec]:
    """Return every codec by the id of its format, in the order in which formats are preferred."""
    formats = registry().formats.values()
    return {item.id: item.codec() for item in formats if item.codec is not None}


def codec_of(format_id: str) -> Codec:
    """Return the codec of a format, or of one of its layouts; raises UnknownFormat with advice."""
    found = codecs().get(str(format_id)) or layouts().get(str(format_id))
    if found is None:
        known = (*codecs(), *layouts())
        raise UnknownFormat(str(format_id), known, near=meant(str(format_id)))
    return found


@cache
def layouts() -> dict[str, Codec]:
    """Return every layout of formats with several layouts of messages, by the target's name."""
    return {
        f"{codec.id}/{name}": layout
        for codec in codecs().values()
        for name, layout in codec.layouts.items()
    }


def codec_named(to: str | Target) -> Codec:
    """Return the codec of a target. Raises UnknownFormat, UnknownDialect."""
    parsed = parse_target(to)
    if parsed.layout is not None:
        return layouts()[parsed.layout]
    found = codecs().get(parsed.format.id)
    if found is None:
        raise NoConversations(str(to), (*codecs(), *layouts()))
    return found


def read_conversation(payload: Any, *, source: str | None = None) -> Conversation:
    """Read a list of messages, a request body, or a response, of any provider.

    Objects of SDKs are accepted anywhere in it. Raises NotAConversation with a place.
    """
    if isinstance(payload, Conversation):
        return payload
    value = plain_throughout(plain(payload))
    if isinstance(value, list):
        chosen = _for_list(value) if source is None else codec_of(source)
        are_own = _are_own(value, chosen)
        if source is None and not are_own:
            _refuse_unknown(value, chosen, "")
        read = chosen.read_messages if are_own else partial(_read_list, chosen)
        found = Conversation(read(value, None), format=chosen.id)
        if not isinstance(payload, Messages):
            return found
        return prompted(found, system_of(payload.system, payload.format or None))
    if not isinstance(value, dict):
        raise NotAConversation("", f"{type(value).__name__} does not hold messages")
    chosen, score = _best(value, _BODY, source)
    if score or (source is not None and chosen.history in value):
        return _read_body(value, chosen, is_found=source is None)
    chosen, score = _best(value, _ANSWER, source)
    if score:
        answer = chosen.read_answer(value)
        return Conversation(list(answer.messages), model=answer.model, format=chosen.id)
    chosen, score = _best(value, _MESSAGE, source)
    if score or source is not None:
        if source is None:
            _refuse_unknown([value], chosen, "")
        return Conversation(chosen.read_messages([value], None), format=chosen.id)
    raise NotAConversation("", "no provider writes messages, requests or responses like this")


def read_answer(payload: Any, *, source: str | None = None) -> Answer:
    """Read the response of a provider: a body, or an object of its SDK."""
    if isinstance(payload, Answer):
        return payload
    value = plain_throughout(plain(payload))
    if not isinstance(value, dict):
        raise NotAConversation("", f"{type(value).__name__} is not a response")
    chosen, score = _best(value, _ANSWER, source)
    if not score and source is None:
        raise NotAConversation("", "this is not a response of any known provider")
    return chosen.read_answer(value)


def write_conversation(conversation: Conversation, to: str | Target) -> WrittenConversation:
    """Write a whole request body for a target. Tools are written unchanged: bind them first."""
    told = WriteLog()
    payload = codec_named(to).write_request(conversation, told)
    return WrittenConversation(payload, Losses(told.losses))


def write_messages(conversation: Conversation, to: str | Target) -> WrittenConversation:
    """Write only the messages, and the system prompt where the target keeps it beside them."""
    told = WriteLog()
    codec = codec_named(to)
    body = codec.write_request(
        Conversation(conversation.messages, conversation.system, format=conversation.format), told
    )
    system = body.get(codec.system) if codec.system else None
    messages = with_system(body.get(codec.history, []), system, codec.id)
    return WrittenConversation(messages, Losses(told.losses), system)


def system_of(value: Any, source: str | None = None) -> Message | None:
    """Return a system prompt from any provider's shape. Raises UsageError."""
    return read_system(value, codecs().values(), source)


def write_answer(answer: Answer, to: str | Target) -> WrittenConversation:
    """Write a response body as the target would have sent it."""
    told = WriteLog()
    payload = codec_named(to).write_answer(answer, told)
    return WrittenConversation(payload, Losses(told.losses))


def accumulate(stream: Any, *, source: str | None = None) -> Answer:
    """Return the answer of a stream: bytes, texts, events or objects of an SDK, however split.

    Raises CutStream when the stream ends without its provider's end event; ``partial`` of the
    error has the answer so far.
    """
    gathered = None if source is None else codec_of(source).accumulate()
    for event in payloads(stream):
        if gathered is None:
            chosen, score = _best(event, _EVENT, None)
            if not score:
                raise NotAConversation("", "no provider streams events like this; name the format")
            gathered = chosen.accumulate()
        gathered.feed(event)
    if gathered is None:
        raise CutStream("", "it is empty")
    return gathered.finish()


def _best(
    value: JsonObject,
    score_of: Callable[[Codec], Callable[[JsonObject], float]],
    source: str | None,
) -> tuple[Codec, float]:
    """Return the codec that a value matches best; of equals the first."""
    if source is not None:
        codec = codec_of(source)
        return codec, score_of(codec)(value)
    chosen, best = next(iter(codecs().values())), 0.0
    for codec in codecs().values():
        score = score_of(codec)(value)
        if score > best:
            chosen, best = codec, score
            if score >= _WHOLLY:
                break
    return chosen, best


def _for_list(items: list[Json]) -> Codec:
    """Return the codec of a list: by messages that only one provider writes, then by all."""
    found: dict[str, tuple[float, float]] = {}
    for name, codec in codecs().items():
        scores = [codec.sniff(item) for item in items if item.__class__ is dict]
        found[name] = sum(score for score in scores if score >= _CERTAIN), sum(scores)
    best = max(found, key=found.__getitem__)
    if items and not found[best][1]:
        raise NotAConversation("/0", "no provider writes messages like this")
    return codecs()[best]


def _refuse_unknown(items: list[Json], codec: Codec, at: str) -> None:
    """Raise NotAConversation for messages whose content is under no known key.

    They would be read as empty. A list of messages that all match the codec has none.
    """
    for index, item in enumerate(items):
        if item.__class__ is not dict or not _CONTENT.isdisjoint(item):
            continue
        if _says_elsewhere(item) and codec.sniff(item) < _SURE:
            if max(other.sniff(item) for other in codecs().values()) > _UNKNOWN or _answerer(item):
                continue
            keys = ", ".join(sorted(map(str, item)))
            why = f"no provider writes messages like this ({keys}); name the format to read it"
            raise NotAConversation(f"{at}/{index}" if len(items) > 1 or at else "", why)


def _says_elsewhere(message: JsonObject) -> bool:
    """Return whether a message without content has another member with text or parts."""
    held = (value for key, value in message.items() if key not in _ABOUT)
    return any(value and isinstance(value, (str, list, dict)) for value in held)


def _are_own(items: list[Json], codec: Codec) -> bool:
    """Return whether one provider may have written the whole list, as most histories are."""
    sniff = codec.sniff
    for item in items:  # noqa: SIM110 - asked of every message
        if item.__class__ is dict and sniff(item) < _SURE:
            return False
    return True


def _read_body(body: JsonObject, codec: Codec, *, is_found: bool) -> Conversation:
    """Read a request; ``is_found`` is true of a codec that was detected, not given."""
    items = body.get(codec.history)
    if not isinstance(items, list) or _are_own(items, codec):
        return codec.read_request(body)
    if is_found:
        _refuse_unknown(items, codec, f"/{codec.history}")
    read = codec.read_request({**body, codec.history: []})
    read.messages = [*read.messages, *_read_list(codec, items, read.model)]
    return read


def _read_list(codec: Codec, items: list[Json], model: str | None) -> list[Message]:
    """Read adjacent messages of one format together; a whole response is its messages."""
    found: list[Message] = []
    row: list[Json] = []
    reader = codec
    for item in items:
        own = codec if _is_own(item, codec) else _owner(item, codec)
        answerer = None if own is codec and _is_own(item, codec) else _answerer(item)
        if (own is not reader or answerer is not None) and row:
            found += reader.read_messages(row, model)
            row = []
        if answerer is not None:
            found += answerer.read_answer(item).messages
            continue
        reader = own
        row.append(item)
    return found + reader.read_messages(row, model) if row else found


def _answerer(item: JsonObject) -> Codec | None:
    """Return the codec of a whole response, which programs append in place of its message."""
    chosen, score = _best(item, _ANSWER, None)
    if score < _CERTAIN or max(codec.sniff(item) for codec in codecs().values()) >= score:
        return None
    return chosen


def _is_own(item: Json, codec: Codec) -> bool:
    return not isinstance(item, dict) or codec.sniff(item) >= _SURE


def _owner(item: JsonObject, codec: Codec) -> Codec:
    """Return the codec of a message: another provider's only where that matches clearly."""
    chosen, score = _best(item, _MESSAGE, None)
    return chosen if score >= _SURE and score > codec.sniff(item) else codec
