"""Source positions: from a place in a conversation to the place in the given payload.

Messages keep their order, so they are counted. Parts are found in their message by their content:
an id, a name, a text. No codec is needed, and an uncertain position is not reported.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from functools import cached_property
from typing import Final, NamedTuple, Self, TypeAlias

from toolcanon.checking.history.history import SYSTEM
from toolcanon.ir.conversation import (
    Call,
    Conversation,
    Media,
    Native,
    Part,
    Reasoning,
    Refusal,
    Result,
    Text,
)
from toolcanon.jsonio import Pointer
from toolcanon.jsonio.types import Json

Steps: TypeAlias = tuple[str | int, ...]
_WHOLE: Final = (Call, Result)
"""Parts that are reported as a whole; others are reported at their text."""
_MESSAGE, _PART, _FIELD = 1, 3, 4


class _Said(NamedTuple):
    """A text in a message: the object that contains it, and its key there."""

    owner: Steps
    step: str | int

    @property
    def at(self) -> Steps:
        return (*self.owner, self.step)


class _Index(NamedTuple):
    """Every text in a message."""

    by_text: dict[str, list[_Said]]
    """The outermost first, then in order."""
    inside: dict[tuple[Steps, str], Steps]
    """By an object and the text in it, or one level below."""

    @classmethod
    def of(cls, message: Json) -> Self:
        index = cls({}, {})
        for said, text in _texts(message):
            index.by_text.setdefault(text, []).append(said)
            for owner in (said.owner, said.owner[:-1]):
                index.inside.setdefault((owner, text), said.at)
        for found in index.by_text.values():
            found.sort(key=lambda said: len(said.owner))
        return index


class HistoryOrigins:
    """The positions of messages in one payload.

    ``given`` was read from the payload; ``arranged`` is ``given`` or its form for another provider.
    """

    def __init__(
        self, payload: Json, given: Conversation, arranged: Conversation, history: str, system: str
    ) -> None:
        self._payload, self._history, self._system = payload, history, system
        self._given, self._arranged = given, arranged
        self._indexes: dict[int, _Index] = {}
        self._words: dict[int, list[tuple[str, int]]] = {}

    def of(self, at: Pointer, *, is_end: bool = False) -> Pointer | None:
        """Return the place in the payload, as exactly as it is known; None when it is unknown.

        A message is located by its first part, or with ``is_end`` by its last.
        """
        if not at or at[0] != "messages":
            return self._beside(at)
        message = int(at[_MESSAGE])
        part = int(at[_PART]) if len(at) > _PART and at[2] == "parts" else None
        if self._arranged is not self._given:
            found = self._before(message, part, is_end=is_end)
            if found is None:
                return None
            message, part = found
        place = self._messages.get(message)
        if place is None:
            return None
        if part is None or part >= len(self._given.messages[message].parts):
            return Pointer(place)
        return Pointer((*place, *self._within(message, part, at[_FIELD:])))

    def _beside(self, at: Pointer) -> Pointer:
        """Return the place beside the messages, as far as the payload has the same keys."""
        if at and at[0] == "system" and isinstance(self._payload, dict):
            return Pointer((self._system,)) if self._system in self._payload else Pointer()
        return at.as_far_as(self._payload)

    @cached_property
    def _messages(self) -> dict[int, Steps]:
        """The places of the messages, by number."""
        payload, count = self._payload, len(self._given.messages)
        at: Steps = ()
        if isinstance(payload, dict) and self._history in payload:
            payload, at = payload[self._history], (self._history,)
        if isinstance(payload, list) and len(payload) == count:
            return {number: (*at, number) for number in range(count)}
        return {0: at} if count == 1 else {}

    def _before(
        self, message: int, part: int | None, *, is_end: bool
    ) -> tuple[int, int | None] | None:
        """Return where a part was before the conversation was arranged."""
        number = part or 0
        if is_end and part is None:
            number = max(len(self._arranged.messages[message].parts) - 1, 0)
        found = self._moved.get((message, number))
        return None if found is None else (found[0], None if part is None else found[1])

    @cached_property
    def _moved(self) -> dict[tuple[int, int], tuple[int, int]]:
        """Pair the parts of a kind by order; none are paired if their numbers differ."""
        before, after = _by_kind(self._given), _by_kind(self._arranged)
        # Arranging may move system messages beside the messages.
        apart = {
            kind: [at for at in places if self._given.messages[at[0]].role not in SYSTEM]
            for kind, places in before.items()
        }
        return {
            new: old
            for kind, places in after.items()
            for olds in (before.get(kind, []), apart.get(kind, []))
            if len(places) == len(olds)
            for new, old in zip(places, olds, strict=True)
        }

    def _within(self, message: int, part: int, field: Steps) -> Steps:
        """Return the path from a message to one of its parts, or to a field of the part."""
        value = self._given.messages[message].parts[part]
        word, earlier = self._said(message)[part]
        index = self._index(message)
        found = index.by_text.get(word, [])
        if earlier >= len(found) or len(found[earlier].owner) > len(found[0].owner):
            return ()
        if not isinstance(value, _WHOLE):
            return found[earlier].at
        owner = found[earlier].owner
        wanted = getattr(value, str(field[0]), None) if field else None
        return index.inside.get((owner, wanted), owner) if isinstance(wanted, str) else owner

    def _said(self, message: int) -> list[tuple[str, int]]:
        """Return the identifying text of each part, and how many parts before it have the same."""
        if message not in self._words:
            seen: Counter[str] = Counter()
            out = self._words[message] = []
            for part in self._given.messages[message].parts:
                said = _word(part)
                word = said if isinstance(said, str) else ""  # a reader may pass other values
                out.append((word, seen[word]))
                seen[word] += 1
        return self._words[message]

    def _index(self, message: int) -> _Index:
        if message not in self._indexes:
            place = Pointer(self._messages[message])
            self._indexes[message] = _Index.of(place.resolve(self._payload))
        return self._indexes[message]


def _by_kind(conversation: Conversation) -> dict[type, list[tuple[int, int]]]:
    found: dict[type, list[tuple[int, int]]] = {}
    for number, message in enumerate(conversation.messages):
        for index, part in enumerate(message.parts):
            found.setdefault(part.__class__, []).append((number, index))
    return found


def _word(part: Part) -> Json:
    """Return a text that identifies a part in its message; empty if it has none."""
    match part:
        case Call():
            return part.id or part.name
        case Result():
            return part.call_id or part.name or ""
        case Text() | Refusal():
            return part.text
        case Reasoning():
            return part.seal or part.text or part.id or ""
        case Media():
            return part.data or part.url or part.file_id or part.text or ""
        case Native():
            return part.id or part.type
    return ""


def _texts(root: Json) -> Iterator[tuple[_Said, str]]:
    """Yield every text in a value, in order."""
    stack: list[tuple[Steps, Json]] = [((), root)]
    while stack:
        at, value = stack.pop()
        if isinstance(value, str):
            if at:
                yield _Said(at[:-1], at[-1]), value
        elif isinstance(value, dict):
            stack.extend([((*at, key), item) for key, item in value.items()][::-1])
        elif isinstance(value, list):
            stack.extend([((*at, index), item) for index, item in enumerate(value)][::-1])
