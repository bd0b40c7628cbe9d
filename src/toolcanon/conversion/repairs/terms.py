"""What repairs go by: the rules of the target, and what is known of the request."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal

from toolcanon.dialect.history import Case, HistoryRules
from toolcanon.formats.wire.codec import own
from toolcanon.ir.conversation import Conversation, Extras, Message, Native, Part, Reasoning
from toolcanon.jsonio.types import Json, JsonObject
from toolcanon.registry import registry

SYSTEM: Final = frozenset({"system", "developer"})
_NO_RULES: Final = HistoryRules()


@dataclass(frozen=True, slots=True)
class Terms:
    """The same for every repair of a conversation."""

    rules: HistoryRules
    target: str
    model: str | None = None
    """The target's, if known."""
    is_request: bool = True
    """Whether there is more than messages: what is not set is then not there."""
    by_place: bool = False
    """Whether results of the source answer by name and place where ids do not tell."""
    system_apart: bool = False
    """Whether the system prompt is no message, so that there may be none left."""
    ids: Mapping[str, str | None] | None = None
    """Ids as they were before an earlier switch, by what that one made; None where nobody says."""
    layout: str = ""
    """In which of its layouts the target's messages are written; empty for the one they are in."""
    origin: str | None = None
    """The format that the earlier switch came from: there its ids are at home."""

    @property
    def is_grouping(self) -> bool:
        """Whether one message has to hold all results of a turn."""
        return self.rules.joined.isdisjoint({"user", "tool"})

    def is_foreign(self, conversation: Conversation) -> bool:
        """Whether the ids of a history never were the target's."""
        return self.target not in {conversation.format, self.origin}

    def refuses(self, rule: str, case: Case = "") -> bool:
        """Whether some model of the target refuses it."""
        refusal = self.rules.refusals.get(rule)
        return refusal is not None and case not in refusal.taken

    def surely_refuses(self, rule: str, case: Case = "") -> bool:
        """Whether every model does."""
        refusal = self.rules.refusals.get(rule)
        return (
            refusal is not None
            and refusal.is_certain
            and case not in refusal.taken
            and case not in refusal.unsure
        )

    def wants(self, rule: str) -> bool:
        """Whether the model that is asked for is one of those that a rule names."""
        refusal = self.rules.refusals.get(rule)
        if refusal is None or not refusal.models or not self.model:
            return False
        return re.search(refusal.models, self.model.lower()) is not None

    def answer_of_model(self, rule: str) -> Literal["refuses", "takes", "unknown"]:
        """What the model does with something that only some refuse."""
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
        """Whether a message was read from the target's format, and is written as it is."""
        return message.extras is not None and self.target in message.extras

    def will_say(self, part: Part) -> bool:
        """Whether a part is written at all: what only another provider knows is left out."""
        if isinstance(part, Native):
            return part.format == self.target and not self.is_quiet(part)
        return not isinstance(part, Reasoning) or part.provider == self.target

    def is_quiet(self, part: Part) -> bool:
        """Whether a part is the target's own and says nothing, like a mark for its cache."""
        return (
            isinstance(part, Native)
            and part.format == self.target
            and part.kind in self.rules.quiet
        )

    def own(self, extras: Extras) -> JsonObject:
        """What the target's codec kept of something."""
        return own(extras, self.target)

    def seal(self, extras: Extras) -> Json:
        """The seal that a part carries beside what it says."""
        kept = self.own(extras)
        return next((kept[key] for key in self.rules.seal if kept.get(key) is not None), None)

    def settings(self, conversation: Conversation) -> JsonObject:
        """What the target's own request says beside messages and tools."""
        return self.own(conversation.extras)


def rules_of(format_id: str) -> HistoryRules:
    """What a format's provider wants of histories; nothing where nobody knows."""
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
