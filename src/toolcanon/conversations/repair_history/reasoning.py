"""Remove reasoning of the target's own provider that its model would reject.

Reasoning of other providers is left to the writers: no target accepts it.
"""

from __future__ import annotations

import re
from collections.abc import Set as AbstractSet
from dataclasses import replace
from typing import Final

from toolcanon.conversations.repair_history.repair_log import (
    Tale,
    Terms,
    disowned,
    each_part,
    with_messages,
    with_parts,
    without,
)
from toolcanon.conversations.repair_history.scan import HistoryScan
from toolcanon.formats.wire.codec import NOTES
from toolcanon.ir.conversation import Call, Conversation, Message, Native, Part, Reasoning, Text
from toolcanon.jsonio.types import Json

_DATED: Final = re.compile(r"(?:-latest|[-@]\d{8})(?=$|-v\d)")


def mend_reasoning(
    conversation: Conversation, survey: HistoryScan, terms: Terms, tale: Tale
) -> Conversation:
    """Remove rejected reasoning; what followed it loses the id that binds them."""
    if not survey.own and not survey.thoughts:
        return conversation
    messages = conversation.messages
    if survey.thoughts:
        messages = _without_thoughts(conversation, terms, tale)
    if survey.own:
        messages = _without_seals(messages, terms, tale)
        if terms.rules.item_prefixes:
            messages = _without_ids(messages, terms, tale)
    return with_messages(conversation, messages)


def _without_thoughts(conversation: Conversation, terms: Terms, tale: Tale) -> list[Message]:
    messages = conversation.messages
    settings, rules = terms.settings(conversation), terms.rules
    is_stored = not rules.store or settings.get(rules.store) is not False
    dropped: set[int] = set()
    for message in messages:
        for part in message.parts:
            if isinstance(part, Reasoning) and _is_refused(part, terms, is_stored=is_stored):
                dropped.add(id(part))
    if terms.refuses("reasoning-alone"):
        dropped |= lone_thoughts(messages, terms, dropped)
    if not dropped:
        return messages

    def kept(part: Part) -> Part | None:
        if id(part) not in dropped:
            return part
        if isinstance(part, Reasoning):
            tale.tell("R114", part, before=part.model or part.provider)
        return None

    return each_part(messages, kept, tale)


def _is_refused(thought: Reasoning, terms: Terms, *, is_stored: bool) -> bool:
    if thought.provider != terms.target:
        return False
    if thought.seal is None:
        return terms.surely_refuses("reasoning-unsealed") or (
            not is_stored and terms.refuses("reasoning-unsealed")
        )
    if _is_malformed(thought.seal, terms):
        return True
    is_others = not is_same_model(thought.model, terms.model)
    return is_others and terms.refuses("foreign-reasoning", "other-model")


def _is_malformed(seal: Json, terms: Terms) -> bool:
    rules = terms.rules
    if seal in rules.foreign_seals:
        return True
    if not rules.seals or "foreign-reasoning" not in rules.refusals:
        return False
    return not isinstance(seal, str) or re.fullmatch(rules.seals, seal) is None


def is_same_model(wrote: str | None, reads: str | None) -> bool:
    """Return whether a signature is valid for both models; dates and regions may differ."""
    if wrote is None or reads is None or wrote == reads:
        return True
    one, other = _DATED.sub("", wrote), _DATED.sub("", reads)
    return one == other or one.endswith(f".{other}") or other.endswith(f".{one}")


def lone_thoughts(
    messages: list[Message], terms: Terms, dropped: AbstractSet[int] = frozenset()
) -> set[int]:
    """Return the identities of own reasoning that no other content of the assistant follows."""
    found: set[int] = set()
    waiting: Reasoning | None = None
    for message in messages:
        if message.role != "assistant":
            if waiting is not None:
                found.add(id(waiting))
            waiting = None
            continue
        for part in message.parts:
            if id(part) in dropped or not terms.will_say(part):
                continue
            if waiting is not None and isinstance(part, Reasoning):
                found.add(id(waiting))
            waiting = part if isinstance(part, Reasoning) else None
    if waiting is not None:
        found.add(id(waiting))
    return found


def _without_seals(messages: list[Message], terms: Terms, tale: Tale) -> list[Message]:
    """Return the messages without foreign signatures beside text and calls."""
    if not terms.rules.seals:
        return messages

    def bare(part: Part) -> Part:
        if isinstance(part, (Reasoning, Native)) or part.extras is None:
            return part
        seal = terms.seal(part.extras)
        if seal is None or not _is_malformed(seal, terms):
            return part
        tale.tell("R114", part, before="a seal that is none")
        made: Part = replace(part, extras=without(part.extras, terms.target, *terms.rules.seal))
        return tale.instead(made, part)

    return each_part(messages, bare, tale)


def _without_ids(messages: list[Message], terms: Terms, tale: Tale) -> list[Message]:
    """Yield items with an id of another provider, or one that depends on removed reasoning."""
    is_bound = terms.rules.is_follower_bound
    led = False
    out: list[Message] = []
    for message in messages:
        if any(_is_own_thought(part, terms) for part in message.parts):
            led = True
        elif message.role != "assistant":
            led = led and message.role == "tool"
        if message.role == "assistant":
            message = _without_id(message, terms, tale, is_bound=is_bound and not led)  # noqa: PLW2901
        out.append(message)
    return out


def _bare(part: Part, terms: Terms, tale: Tale) -> Part:
    """Return a text without its provider's extras, where those are empty."""
    if not isinstance(part, Text) or any(terms.own(part.extras).values()):
        return part
    return tale.instead(Text(part.text, disowned(part.extras, terms.target)), part)


def _is_own_thought(part: Part, terms: Terms) -> bool:
    return isinstance(part, Reasoning) and part.provider == terms.target


def _without_id(message: Message, terms: Terms, tale: Tale, *, is_bound: bool) -> Message:
    prefixes, target = terms.rules.item_prefixes, terms.target
    mended = message
    item = terms.own(message.extras).get("id")
    if isinstance(item, str) and (is_bound or not item.startswith(prefixes.get("message", ""))):
        tale.tell("R115", message, "extras", target, "id", before=item)
        # Without it, the form that it came in is none that a request can have.
        bare = without(message.extras, target, "id", "status", NOTES)
        kept = bare if terms.own(bare) else disowned(bare, target)
        words = [_bare(part, terms, tale) for part in message.parts]
        mended = tale.instead(replace(message, extras=kept, parts=words), message)
    parts: list[Part] = list(mended.parts)
    for number, part in enumerate(mended.parts):
        if not isinstance(part, Call):
            continue
        item = terms.own(part.extras).get("id")
        prefix = prefixes.get("text-call" if part.is_text else "call", "")
        if isinstance(item, str) and (is_bound or not item.startswith(prefix)):
            tale.tell("R115", part, "extras", target, "id", before=item)
            made_part = replace(part, extras=without(part.extras, target, "id"))
            parts[number] = tale.instead(made_part, part)
    return with_parts(mended, parts, tale)


def mend_seals(conversation: Conversation, terms: Terms, tale: Tale) -> Conversation:
    """Give the first call of each turn a signature, or the documented word in its place."""
    if not terms.rules.stand_in or not terms.wants("seal-missing"):
        return conversation
    out = list(conversation.messages)
    is_sealed = False
    for index, message in enumerate(conversation.messages):
        is_own = terms.is_own(message)  # which stays a message by itself
        if message.role != "assistant" or is_own:
            is_sealed = False
        if message.role != "assistant" or is_sealed:
            continue
        calls = ((n, part) for n, part in enumerate(message.parts) if isinstance(part, Call))
        number, call = next(calls, (0, None))
        if call is None:
            continue
        is_sealed = not is_own
        if terms.seal(call.extras):
            continue
        key, word = terms.rules.seal[0], terms.rules.stand_in
        extras = {**(call.extras or {}), terms.target: {**terms.own(call.extras), key: word}}
        parts = list(message.parts)
        parts[number] = tale.instead(replace(call, extras=extras), call)
        out[index] = with_parts(message, parts, tale)
        tale.tell("R116", call, after=word)
    return with_messages(conversation, out)
