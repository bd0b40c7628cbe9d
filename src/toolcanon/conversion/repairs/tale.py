"""What was mended, in order, and where that stood in the conversation that was handed in.

Repairs replace messages and parts by others and change their order. A tale follows them, so that
every place it tells leads into what the caller knows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from operator import is_
from typing import TypeVar

from toolcanon.diagnostics import CODES, Loss, Repair
from toolcanon.formats.wire.codec import Content, foreign_keys
from toolcanon.ir.conversation import Conversation, Extras, Message, Part, Result
from toolcanon.jsonio import Pointer
from toolcanon.jsonio.types import Json

Thing = Message | Part
T = TypeVar("T", bound=Thing)
_MESSAGE, _PART = 2, 4
_IN_PLACE = frozenset({"R106", "R107", "R112", "R113", "R115", "R116", "R117", "R118", "R119",
                       "R120", "R121", "R124", "R125", "R127", "R128", "R129", "R131",
                       "R140"})  # fmt: skip


class Tale:
    """Collects repairs of one conversation."""

    __slots__ = ("_kept", "_links", "_places", "_source", "losses", "repairs")

    def __init__(self, source: Conversation) -> None:
        self.repairs: list[Repair] = []
        self.losses: list[Loss] = []
        self._source = source
        self._places: dict[int, tuple[str | int, ...]] | None = None
        self._links: dict[int, Thing] = {}
        self._kept: list[Thing] = []
        """What was made: an identity is only worth something while its owner lives."""

    def tell(
        self,
        code: str,
        at: Thing | tuple[str | int, ...],
        *within: str | int,
        before: Json = None,
        after: Json = None,
    ) -> None:
        """``at`` is what was mended, or the way to it from the conversation."""
        place = at if isinstance(at, tuple) else self.place(at)
        pointer = Pointer(map(str, (*place, *within)))
        self.repairs.append(Repair(code, CODES[code].name, pointer, before, after))

    def lose(
        self,
        code: str,
        at: Thing | tuple[str | int, ...],
        *within: str,
        before: Json,
        after: Json,
    ) -> None:
        """What the target has no words for, found before anything is written."""
        entry = CODES[code]
        lead = at if isinstance(at, tuple) else self.place(at)
        place = Pointer(map(str, (*lead, *within)))
        self.losses.append(Loss(code, entry.name, entry.effect, "", place, before, after))

    def instead(self, made: T, of: Thing) -> T:
        """What now stands for something else."""
        self._links[id(made)] = of
        self._kept.append(made)
        return made

    def place(self, thing: Thing) -> tuple[str | int, ...]:
        """Where something stood; nothing for what stood nowhere."""
        while id(thing) in self._links:
            thing = self._links[id(thing)]
        return self._known().get(id(thing), ())

    def _known(self) -> dict[int, tuple[str | int, ...]]:
        if self._places is None:
            places: dict[int, tuple[str | int, ...]] = {}
            system = self._source.system
            if system is not None:
                places[id(system)] = ("system",)
                places |= {id(p): ("system", "parts", n) for n, p in enumerate(system.parts)}
            for index, message in enumerate(self._source.messages):
                places[id(message)] = ("messages", index)
                for number, part in enumerate(message.parts):
                    places[id(part)] = ("messages", index, "parts", number)
            self._places = places
        return self._places

    @property
    def moves(self) -> bool:
        """Whether messages or parts may stand elsewhere than they stood."""
        return any(repair.code not in _IN_PLACE for repair in self.repairs)

    def retold(self, losses: Iterable[Loss], written: Conversation) -> list[Loss]:
        """Losses of the mended conversation, with places in the one that was handed in."""
        return [self._retold(loss, written) for loss in losses]

    def _retold(self, loss: Loss, written: Conversation) -> Loss:
        steps = tuple(loss.at)
        if len(steps) < _MESSAGE or steps[0] != "messages":
            return loss
        message = written.messages[int(steps[1])]
        thing: Thing = message
        size = _MESSAGE
        if len(steps) >= _PART and steps[2] == "parts" and int(steps[3]) < len(message.parts):
            thing, size = message.parts[int(steps[3])], _PART
        place = self.place(thing) or self.place(message)
        at = Pointer(map(str, (*place, *steps[size:])))
        return Loss(loss.code, loss.name, loss.effect, loss.tool, at, loss.before, loss.after)


def same_items(one: Sequence[object], other: Sequence[object]) -> bool:
    """Whether two lists hold the very same things."""
    return len(one) == len(other) and all(map(is_, one, other))


def with_parts(message: Message, parts: list[Part], tale: Tale) -> Message:
    """The message with other parts; the same message where they are the same."""
    if same_items(parts, message.parts):
        return message
    return tale.instead(Message(message.role, parts, message.name, message.extras), message)


def with_content(result: Result, content: list[Content], tale: Tale) -> Result:
    """The result with other content; the same result where it is the same."""
    if same_items(content, result.content):
        return result
    return tale.instead(replace(result, content=content), result)


def with_messages(conversation: Conversation, messages: list[Message]) -> Conversation:
    """The conversation with other messages; the same conversation where they are the same."""
    if same_items(messages, conversation.messages):
        return conversation
    return conversation.copy_with(messages=messages)


def each_part(
    messages: list[Message], change: Callable[[Part], Part | None], tale: Tale
) -> list[Message]:
    """The messages with each part changed; None leaves it out, with a message it was all of."""
    out: list[Message] = []
    for message in messages:
        parts = [made for made in map(change, message.parts) if made is not None]
        if parts or not message.parts:
            out.append(with_parts(message, parts, tale))
    return out


def lose_keys(message: Message, tale: Tale, kept: Extras = None) -> None:
    """Report the unknown keys of a message that goes, but for those of formats ``kept``."""
    found = foreign_keys(message.extras, "")
    keys = {format_: held for format_, held in found.items() if format_ not in (kept or ())}
    if keys:
        tale.lose("L308", message, "extras", before=keys, after=None)
