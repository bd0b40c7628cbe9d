"""A history as a provider sees it, and the breaches of rules that checks report."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import cached_property
from typing import Final, Literal, NamedTuple, TypeAlias, TypeVar

from toolcanon.dialect.history import Case, HistoryRules
from toolcanon.formats.wire.codec import noted, own
from toolcanon.ir.conversation import (
    Call,
    Conversation,
    Extras,
    Message,
    Native,
    Part,
    Result,
    Text,
)
from toolcanon.jsonio.types import Json, JsonObject

Speaker: TypeAlias = Literal["system", "user", "assistant", "tool"]
SYSTEM: Final = frozenset({"system", "developer"})
P = TypeVar("P", bound=Part)
T = TypeVar("T")


class Placed(NamedTuple):
    """A part and its place: the number of its message and its own."""

    message: int
    part: int
    value: Part

    @property
    def at(self) -> tuple[str | int, ...]:
        """The path from the conversation."""
        return ("messages", self.message, "parts", self.part)


class CheckedTurn(NamedTuple):
    """Consecutive messages that the provider treats as one."""

    speaker: Speaker
    parts: list[Placed]


class CheckedHistory:
    """A conversation and the rules of a target; what several checks need is computed once."""

    def __init__(
        self,
        conversation: Conversation,
        rules: HistoryRules,
        target: str,
        *,
        is_request: bool,
        is_arranged: bool = False,
    ) -> None:
        self.conversation = conversation
        self.messages = conversation.messages
        self.rules = rules
        self.target = target
        self.is_request = is_request
        """Whether this is a whole request, so that absent fields count as missing."""
        self.is_arranged = is_arranged
        """Whether it was another provider's, whose tools it still has."""
        self._made: dict[object, object] = {}

    def once(self, make: Callable[[CheckedHistory], T]) -> T:
        """Return what ``make`` computes, computed for the first check that asks for it."""
        if make not in self._made:
            self._made[make] = make(self)
        return self._made[make]  # type: ignore[return-value]

    @cached_property
    def turns(self) -> list[CheckedTurn]:
        found: list[CheckedTurn] = []
        for number, message in enumerate(self.messages):
            speaker = self.speaker(message)
            if not (found and found[-1].speaker == speaker and speaker in self.rules.joined):
                found.append(CheckedTurn(speaker, []))
            parts = enumerate(message.parts)
            found[-1].parts.extend(Placed(number, index, part) for index, part in parts)
        return found

    def speaker(self, message: Message) -> Speaker:
        """Return whose turn it is in; a result is the user's where there is no tool role."""
        if message.role == "assistant":
            return "assistant"
        if message.role in SYSTEM:
            return "system"
        return "tool" if message.role == "tool" and "tool" in self.rules.joined else "user"

    @cached_property
    def spoken(self) -> list[tuple[int, Message]]:
        """Messages other than instructions, with their numbers."""
        messages = enumerate(self.messages)
        return [(number, message) for number, message in messages if message.role not in SYSTEM]

    def each(self, kind: type[P]) -> Iterator[tuple[Placed, P]]:
        """Yield every part of a kind with its place."""
        for number, message in enumerate(self.messages):
            for index, part in enumerate(message.parts):
                if isinstance(part, kind):
                    yield Placed(number, index, part), part

    @cached_property
    def calls(self) -> list[tuple[Placed, Call]]:
        return [
            found
            for found in self.each(Call)
            if self.messages[found[0].message].role == "assistant"
        ]

    def since_asked(self) -> list[tuple[int, Message]]:
        """Return messages since the last one of the user; a result is not a message of the user."""
        found: list[tuple[int, Message]] = []
        for number, message in reversed(self.spoken):
            if message.role != "assistant" and not any(map(_is_result, message.parts)):
                break
            found.append((number, message))
        return found[::-1]

    def own(self, extras: Extras) -> JsonObject:
        """Return the fields that the target's codec kept of a part or message."""
        return own(extras, self.target)

    def noted(self, extras: Extras) -> JsonObject:
        """Return the codec's notes on how it was written."""
        return noted(extras, self.target)

    def seal(self, extras: Extras) -> Json:
        """Return the signature that a part has beside its content."""
        kept = self.own(extras)
        return next((kept[key] for key in self.rules.seal if kept.get(key) is not None), None)

    @cached_property
    def settings(self) -> JsonObject:
        """The fields of a request beside messages and tools."""
        return self.own(self.conversation.extras)

    def is_native(self, part: Part, kinds: tuple[str, ...]) -> bool:
        """Return whether a part is a provider part of the target, of one of these types."""
        if not isinstance(part, Native) or part.format != self.target:
            return False
        return part.type.rpartition(".")[2] in kinds

    def has_native(self, kinds: tuple[str, ...]) -> bool:
        """Return whether any part is."""
        return bool(kinds) and any(self.is_native(part, kinds) for _, part in self.each(Native))


def _is_result(part: Part) -> bool:
    return isinstance(part, Result)


def is_blank(part: Part) -> bool:
    """Return whether a part is an empty or blank text."""
    return isinstance(part, Text) and not part.text.strip()


class Breach(NamedTuple):
    """One place where a rule is broken."""

    at: tuple[str | int, ...]
    subject: str = ""
    says: str = ""
    """What is wrong here, where the rule's own sentence is too general."""
    case: Case = ""


Check: TypeAlias = "Callable[[CheckedHistory], Iterable[Breach]]"
