"""The rules of the target, and a log of repairs and losses.

Repairs replace messages and parts by others and change their order. A ``Tale`` follows them, so
that every reported place is one of the caller's conversation.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from operator import is_
from typing import Final, Literal, TypeVar

from toolcanon.diagnostics import CODES, Loss, Repair
from toolcanon.dialect.history import Case, HistoryRules
from toolcanon.formats.wire.codec import Content, foreign_keys, own
from toolcanon.ir.conversation import Conversation, Extras, Message, Native, Part, Reasoning, Result
from toolcanon.jsonio import Pointer
from toolcanon.jsonio.types import Json, JsonObject
from toolcanon.registry import registry

SYSTEM: Final = frozenset({"system", "developer"})
_NO_RULES: Final = HistoryRules()


@dataclass(frozen=True, slots=True)
class Terms:
    """What is the same for every repair of a conversation."""

    rules: HistoryRules
    target: str
    model: str | None = None
    """The target's, if known."""
    is_request: bool = True
    """Whether there is more than messages: what is not set is then not there."""
    by_place: bool = False
    """Whether results of the source answer by name and place where ids do not tell."""
    system_apart: bool = False
    """Whether the system prompt is beside the messages, so that no message may be left."""
    ids: Mapping[str, str | None] | None = None
    """Ids before an earlier switch, by the id that it made; None where they are unknown."""
    layout: str = ""
    """In which of its layouts the target's messages are written; empty for the one they are in."""
    origin: str | None = None
    """The format that the earlier switch came from: there its ids are at home."""

    @property
    def is_grouping(self) -> bool:
        """Whether one message has to hold all results of a turn."""
        return self.rules.joined.isdisjoint({"user", "tool"})

    def is_foreign(self, conversation: Conversation) -> bool:
        """Return whether the ids of a history never were the target's."""
        return self.target not in {conversation.format, self.origin}

    def refuses(self, rule: str, case: Case = "") -> bool:
        """Return whether some model of the target rejects it."""
        refusal = self.rules.refusals.get(rule)
        return refusal is not None and case not in refusal.taken

    def surely_refuses(self, rule: str, case: Case = "") -> bool:
        """Return whether every model does."""
        refusal = self.rules.refusals.get(rule)
        return (
            refusal is not None
            and refusal.is_certain
            and case not in refusal.taken
            and case not in refusal.unsure
        )

    def wants(self, rule: str) -> bool:
        """Return whether the requested model is one of those that a rule names."""
        refusal = self.rules.refusals.get(rule)
        if refusal is None or not refusal.models or not self.model:
            return False
        return re.search(refusal.models, self.model.lower()) is not None

    def answer_of_model(self, rule: str) -> Literal["refuses", "takes", "unknown"]:
        """Return what the model does with something that only some models reject."""
        refusal = self.rules.refusals.get(rule)
        if refusal is None:
            return "takes"
        model = (self.model or "").lower()
        if model and refusal.surely and re.search(refusal.surely, model):
            return "refuses"
        if model and refusal.sparing and re.search(refusal.sparing, model):
            return "takes"
        return "refuses" if refusal.is_certain else "unknown"

    def is_own(self, message: Message) -> bool:
        """Return whether a message was read from the target's format, and is written as it is."""
        return message.extras is not None and self.target in message.extras

    def will_say(self, part: Part) -> bool:
        """Return whether a part is written at all: what only another provider knows is left out."""
        if isinstance(part, Native):
            return part.format == self.target and not self.is_quiet(part)
        return not isinstance(part, Reasoning) or part.provider == self.target

    def is_quiet(self, part: Part) -> bool:
        """Return whether a part is the target's own and has no content, like a cache mark."""
        return (
            isinstance(part, Native)
            and part.format == self.target
            and part.kind in self.rules.quiet
        )

    def own(self, extras: Extras) -> JsonObject:
        """Return the extras of the target's codec."""
        return own(extras, self.target)

    def seal(self, extras: Extras) -> Json:
        """Return the signature of a part."""
        kept = self.own(extras)
        return next((kept[key] for key in self.rules.seal if kept.get(key) is not None), None)

    def settings(self, conversation: Conversation) -> JsonObject:
        """Return the settings in the target's own request beside messages and tools."""
        return self.own(conversation.extras)


def rules_of(format_id: str) -> HistoryRules:
    """Return the rules of a format's provider for histories; empty rules where they are unknown."""
    found = registry().formats.get(format_id)
    for dialect in () if found is None else found.dialects:
        if dialect.history is not None:
            return dialect.history
    return _NO_RULES


def without(extras: Extras, target: str, *keys: str) -> Extras:
    """Extras without some keys of a target's."""
    if extras is None or target not in extras:
        return extras
    kept = {key: value for key, value in extras[target].items() if key not in keys}
    return {**extras, target: kept}


def disowned(extras: Extras, target: str) -> Extras:
    """Extras of a message that the target's writer is to arrange like anybody's."""
    if extras is None or target not in extras:
        return extras
    return {key: value for key, value in extras.items() if key != target} or None


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
        """Report a repair; ``at`` is the repaired thing, or its path from the conversation."""
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
        """Report a loss that is found before anything is written."""
        entry = CODES[code]
        lead = at if isinstance(at, tuple) else self.place(at)
        place = Pointer(map(str, (*lead, *within)))
        self.losses.append(Loss(code, entry.name, entry.effect, "", place, before, after))

    def instead(self, made: T, of: Thing) -> T:
        """Record that one thing replaces another."""
        self._links[id(made)] = of
        self._kept.append(made)
        return made

    def place(self, thing: Thing) -> tuple[str | int, ...]:
        """Return where a thing was in the input; an empty place for a new one."""
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
        """Whether messages or parts may have moved."""
        return any(repair.code not in _IN_PLACE for repair in self.repairs)

    def retold(self, losses: Iterable[Loss], written: Conversation) -> list[Loss]:
        """Return losses of the repaired conversation with their places in the input."""
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
    """Return whether two lists hold the very same things."""
    return len(one) == len(other) and all(map(is_, one, other))


def with_parts(message: Message, parts: list[Part], tale: Tale) -> Message:
    """Return the message with other parts; the same message where they are the same."""
    if same_items(parts, message.parts):
        return message
    return tale.instead(Message(message.role, parts, message.name, message.extras), message)


def with_content(result: Result, content: list[Content], tale: Tale) -> Result:
    """Return the result with other content; the same result where it is the same."""
    if same_items(content, result.content):
        return result
    return tale.instead(replace(result, content=content), result)


def with_messages(conversation: Conversation, messages: list[Message]) -> Conversation:
    """Return the conversation with other messages; the same object where they are the same."""
    if same_items(messages, conversation.messages):
        return conversation
    return conversation.copy_with(messages=messages)


def each_part(
    messages: list[Message], change: Callable[[Part], Part | None], tale: Tale
) -> list[Message]:
    """Return the messages with each part changed; None removes it, and a message left empty."""
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
