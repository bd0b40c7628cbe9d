"""The system prompt beside a list of messages: in any provider's shape, carried with the list.

Some providers keep the system prompt beside their messages, so a list of messages alone would lose
it at the next switch. ``Messages`` is a list that carries it; a prompt that is kept elsewhere can
be given in any shape.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final, SupportsIndex, overload

from toolcanon.conversion.plain import plain, plain_throughout
from toolcanon.errors import NotAConversation, NoTools, UsageError
from toolcanon.formats.wire.codec import Codec, noted
from toolcanon.formats.wire.odd import is_any_odd
from toolcanon.ir.conversation import Conversation, Media, Message, Text
from toolcanon.jsonio.types import Json, JsonObject

_INSTRUCTING: Final = frozenset({"system", "developer"})
_SHAPES: Final = "give a text, or the system prompt of any provider as its request has it"


class Messages(list[Json]):
    """Messages of a provider that keeps the system prompt beside them, with that prompt.

    Everything that takes a list of messages finds the prompt here. Copies, slices and sums of the
    list carry it; in JSON it has to be kept beside.
    """

    __slots__ = ("format", "system")

    system: Json
    """In the shape of the provider's request."""
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
        """The same messages with the same prompt."""
        return self._like(self)


def with_system(messages: Json, system: Json, format_id: str) -> Json:
    """Messages that carry their system prompt, if there is one beside them.

    What a request has instead of a list, a text, has its prompt in the request.
    """
    return messages if system is None else Messages(messages, system, format_id)


def prompted(conversation: Conversation, system: Message | None) -> Conversation:
    """The conversation with a system prompt; the same where its messages begin with these words."""
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
    """A system prompt in any shape: a text, a message, or what a request has beside its messages.

    ``source`` names the format. Raises UsageError.
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
        found = _best(shape, known)
        if found is not None:
            return found
    raise UsageError(f"system= is no system prompt; {_SHAPES}")


def _is_message(value: Json) -> bool:
    return isinstance(value, dict) and isinstance(value.get("content"), (str, list))


def _dumped(value: Any) -> Json:
    try:
        return plain(value)
    except NoTools as error:
        raise UsageError(f"system= is no system prompt: {error}; {_SHAPES}") from None


def _best(value: Json, known: list[Codec]) -> Message | None:
    """As the provider reads it whose requests look most like this; None where nobody does."""
    for codec in sorted(known, key=lambda one: one.sniff_body(_body(value, one)), reverse=True):
        try:
            found = codec.read_request(_body(value, codec)).system
        except NotAConversation:
            continue
        if found is not None and _is_said(found) and not _is_odd(found, codec.id):
            return found
    return None


def _is_said(system: Message) -> bool:
    """Whether there are words or media in a system prompt."""
    return bool(system.text) or any(isinstance(part, Media) for part in system.parts)


def _is_odd(system: Message, format_id: str) -> bool:
    """Whether the provider of a format does not take a system prompt in this shape."""
    extras = [system.extras, *(getattr(part, "extras", None) for part in system.parts)]
    return any(is_any_odd(noted(one, format_id)) for one in extras)


def _body(value: Json, codec: Codec) -> JsonObject:
    return {codec.history: [], codec.system: value}
