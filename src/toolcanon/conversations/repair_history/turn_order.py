"""Repairs of order: one answer for each call, and sides that alternate."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Final

from toolcanon.conversations.repair_history.pairs import At, CallPair, Pairs, awaited, result_at
from toolcanon.conversations.repair_history.repair_log import (
    SYSTEM,
    Tale,
    Terms,
    disowned,
    lose_keys,
    with_messages,
    with_parts,
)
from toolcanon.conversations.repair_history.scan import HistoryScan
from toolcanon.dialect.history import Case
from toolcanon.formats.wire.codec import shown
from toolcanon.formats.wire.results import result_text
from toolcanon.ir.conversation import Call, Conversation, Message, Native, Part, Result, Text
from toolcanon.jsonio.types import JsonObject

INTERRUPTED: Final = "The call was interrupted: there is no result."
UNREADABLE: Final = "The call was not carried out: its arguments could not be read as JSON."


def mend_pairs(conversation: Conversation, pairs: Pairs, terms: Terms, tale: Tale) -> Conversation:
    """Add, remove, or move results behind the turn of their calls."""
    open_ = awaited(pairs.all, terms) if terms.refuses("call-without-result") else []
    orphans = _orphans(conversation, pairs, terms)
    again = pairs.again if terms.refuses("two-results") else []
    is_next = terms.rules.pairing == "next"
    unsettled = set(pairs.unsettled) if is_next else {p.turn for p in pairs.all if _is_early(p)}
    if is_next:  # an added result is with the others
        unsettled |= {pair.turn for pair in open_}
    if not (open_ or orphans or again or unsettled):
        return conversation
    gone = set(orphans) | set(again)
    for at, code in (*((at, "R102") for at in orphans), *((at, "R103") for at in again)):
        result = result_at(conversation, at)
        tale.tell(code, result, before=_shown(result))
    behind = _behind(conversation, pairs, unsettled, tale)
    for pair in open_:
        behind.setdefault(pair.turn, {})[pair.at] = _added(conversation, pair, tale)
    gone |= {
        pair.answer for pair in pairs.all if pair.turn in unsettled and pair.answer is not None
    }
    gone |= _left_alone(conversation, gone, terms)
    return conversation.copy_with(messages=_rebuilt(conversation, pairs, gone, behind, tale))


def _left_alone(conversation: Conversation, gone: set[At], terms: Terms) -> set[At]:
    """Parts that say nothing, in messages of which nothing else is left."""
    found: set[At] = set()
    if terms.rules.quiet:
        for index in {at[0] for at in gone}:
            parts = conversation.messages[index].parts
            left = [n for n in range(len(parts)) if (index, n) not in gone]
            if all(terms.is_quiet(parts[number]) for number in left):
                found |= {(index, number) for number in left}
    return found


def _is_early(pair: CallPair) -> bool:
    return pair.answer is not None and pair.answer < pair.at


def _orphans(conversation: Conversation, pairs: Pairs, terms: Terms) -> list[At]:
    """Return the results without a call, unless the target stores earlier turns itself."""
    if not pairs.orphans or not terms.refuses("orphan-result"):
        return []
    rules = terms.rules
    if any(terms.settings(conversation).get(name) for name in rules.stored):
        return []
    natives = [
        part
        for message in conversation.messages
        for part in message.parts
        if isinstance(part, Native) and part.format == terms.target
    ]
    if any(part.type.rpartition(".")[2] in rules.stored_items for part in natives):
        return []
    answered = {part.value.get("call_id") for part in natives if isinstance(part.value, dict)}
    answered = {call_id for call_id in answered if isinstance(call_id, str)}
    found = [(at, result_at(conversation, at)) for at in pairs.orphans]
    if rules.pairing != "later":
        return [at for at, _ in found]
    return [at for at, result in found if result.call_id not in answered]


def _shown(result: Result) -> JsonObject:
    """Return the left-out messages, so that they can be recovered from the report."""
    said: JsonObject = {"call_id": result.call_id, "text": result_text(result)}
    if not all(isinstance(part, Text) for part in result.content):
        said["content"] = [shown(part) for part in result.content]
    if result.name is not None:
        said["name"] = result.name
    if result.is_error:
        said["is_error"] = True
    return said


def _behind(
    conversation: Conversation, pairs: Pairs, turns: set[int], tale: Tale
) -> dict[int, dict[At, Result]]:
    """Return the results that go behind each turn, by the place of their call."""
    behind: dict[int, dict[At, Result]] = {}
    for pair in pairs.all:
        if pair.turn in turns and pair.answer is not None:
            result = result_at(conversation, pair.answer)
            behind.setdefault(pair.turn, {})[pair.at] = result
            if pair.is_misplaced:
                tale.tell("R104", result)
            elif pair.answer in pairs.scattered:
                tale.tell("R105", result)
    return behind


def _added(conversation: Conversation, pair: CallPair, tale: Tale) -> Result:
    call: Call = conversation.messages[pair.at[0]].parts[pair.at[1]]  # type: ignore[assignment]
    is_unread = call.problem is not None and not call.is_text and bool(call.text)
    words = UNREADABLE if is_unread else INTERRUPTED
    tale.tell("R101", call, after=words)
    name = call.name if call.id is None else None
    made = Result(call.id, [Text(words)], name, is_error=True, is_text=call.is_text)
    return tale.instead(made, call)


def _rebuilt(
    conversation: Conversation,
    pairs: Pairs,
    gone: set[At],
    behind: dict[int, dict[At, Result]],
    tale: Tale,
) -> list[Message]:
    ends = {index: turn for turn, index in enumerate(pairs.ends)}
    fewer = {at[0] for at in gone}
    out: list[Message] = []
    for index, message in enumerate(conversation.messages):
        kept = message
        if index in fewer:
            parts = [p for n, p in enumerate(message.parts) if (index, n) not in gone]
            kept = with_parts(message, parts, tale)
        if kept.parts or not message.parts:
            out.append(kept)
        else:
            lose_keys(message, tale)
        turn = ends.get(index)
        if turn is not None and turn in behind:
            results = [result for _, result in sorted(behind[turn].items())]
            out.append(tale.instead(Message("tool", list(results)), results[0]))
    return out


BEGINNING: Final = "(The beginning of this conversation is left out.)"
GO_ON: Final = "(Go on.)"
SILENCE: Final = "(Nothing has been said yet.)"


def mend_callers(
    conversation: Conversation, survey: HistoryScan, terms: Terms, tale: Tale
) -> Conversation:
    """Move calls into messages of the assistant, one for each turn."""
    messages = conversation.messages
    if survey.misplaced:
        messages = [part for message in messages for part in _split(message, tale)]
    if survey.own and "assistant" not in terms.rules.joined:
        messages = _joined_turns(messages, terms, tale)
    return with_messages(conversation, messages)


def mend_systems(
    conversation: Conversation, survey: HistoryScan, terms: Terms, tale: Tale
) -> Conversation:
    """Move own system messages beside the messages where the model accepts none among them."""
    refusers = terms.rules.system_refusers
    if not survey.own or not refusers:
        return conversation
    is_refused = re.search(refusers, (terms.model or "").lower()) is not None
    messages = list(conversation.messages)
    spoke = False
    for index, message in enumerate(conversation.messages):
        if message.role not in SYSTEM:
            spoke = True
        elif terms.is_own(message) and (is_refused or not spoke) and _is_words(message):
            tale.tell("R143", message, before=message.text)
            messages[index] = _arranged(message, terms, tale)
    return with_messages(conversation, messages)


def _is_words(message: Message) -> bool:
    return not any(isinstance(part, Native) for part in message.parts)


def _split(message: Message, tale: Tale) -> list[Message]:
    if message.role == "assistant" or not message.calls:
        return [message]
    calls: list[Part] = []
    others: list[Part] = []
    for part in message.parts:
        (calls if isinstance(part, Call) else others).append(part)
    for call in calls:
        tale.tell("R126", call, before=message.role, after="assistant")
    made = tale.instead(Message("assistant", calls), message)
    return [with_parts(message, others, tale), made] if others else [made]


def _joined_turns(messages: list[Message], terms: Terms, tale: Tale) -> list[Message]:
    """Join neighbours that are not one turn, where results would come too late for the first."""
    out = list(messages)
    called = False  # before, in the same turn
    for index in range(1, len(messages)):
        before, message = messages[index - 1], messages[index]
        called = before.role == "assistant" and (called or bool(before.calls))
        if not called or message.role != "assistant":
            continue
        if terms.is_own(before) or terms.is_own(message):
            tale.tell("R105", message)
            out[index - 1] = _arranged(out[index - 1], terms, tale)
            out[index] = _arranged(out[index], terms, tale)
    return out


def _arranged(message: Message, terms: Terms, tale: Tale) -> Message:
    """Return a message that the writer puts into turns, as it does with those of others."""
    if not terms.is_own(message):
        return message
    kept = disowned(message.extras, terms.target)
    lose_keys(message, tale, kept)
    return tale.instead(replace(message, extras=kept), message)


def mend_roles(
    conversation: Conversation, survey: HistoryScan, terms: Terms, tale: Tale
) -> Conversation:
    """Make the sides alternate, beginning with the user."""
    messages = conversation.messages
    if survey.own and terms.surely_refuses("same-role-twice"):
        messages = _alternating(messages, terms, tale)
    first = _first_to_speak(messages, terms)
    if first is not None and messages[first].role == "assistant":
        case: Case = "calling" if _is_calling(messages[first:], terms) else "assistant"
        if terms.surely_refuses("first-not-user", case):
            tale.tell("R110", messages[first], after=BEGINNING)
            made = tale.instead(Message("user", [Text(BEGINNING)]), messages[first])
            messages = [*messages[:first], made, *messages[first:]]
    is_hollow = first is None or (not messages[first].parts and _is_hollow(conversation, terms))
    if is_hollow and _is_nothing(conversation, terms):
        tale.tell("R110", ("messages",), after=SILENCE)
        messages = [*messages, Message("user", [Text(SILENCE)])]
    messages = _ended(messages, terms, tale)
    return with_messages(conversation, messages)


def _ended(messages: list[Message], terms: Terms, tale: Tale) -> list[Message]:
    """Return a history that ends with a user turn, for models that require one.

    Where the model, or what it requires, is not known, the last turn is only reported.
    """
    answer = terms.answer_of_model("ends-with-assistant")
    if answer == "takes":
        return messages
    last = next((one for one in reversed(messages) if _speaks(one, terms)), None)
    if last is None or last.role != "assistant" or last.calls:
        return messages
    said = [part for part in last.parts if not terms.is_quiet(part)]
    if said and isinstance(said[-1], Native):
        return messages  # which the provider paused, and goes on with
    if answer == "unknown":
        tale.lose("L331", last, before=last.role, after=last.role)
        return messages
    tale.tell("R141", last, after=GO_ON)
    return [*messages, Message("user", [Text(GO_ON)])]


def _first_to_speak(messages: list[Message], terms: Terms) -> int | None:
    """Return the index of the first message with content."""
    for number, message in enumerate(messages):
        if _speaks(message, terms):
            return number
    return None


def _speaks(message: Message, terms: Terms) -> bool:
    """Return whether any content of a message will be sent: foreign blocks are left out."""
    return message.role not in SYSTEM and _says(message, terms)


def _says(message: Message, terms: Terms) -> bool:
    return not message.parts or any(map(terms.will_say, message.parts))


def _is_hollow(conversation: Conversation, terms: Terms) -> bool:
    """Return whether only empty messages of others are left, which go with what surrounds them."""
    if conversation.format == terms.target:
        return False
    return not any(one.parts and _speaks(one, terms) for one in conversation.messages)


def _is_nothing(conversation: Conversation, terms: Terms) -> bool:
    """Return whether a request would be rejected for having no messages."""
    elsewhere = terms.rules.said_elsewhere
    if not terms.is_request or elsewhere is None:
        return False
    if any(terms.settings(conversation).get(key) for key in elsewhere):
        return False
    if not terms.rules.system_stays:
        return True
    among = conversation.messages if terms.system_apart else conversation.everything()
    return not any(one.role in SYSTEM and _says(one, terms) for one in among)


def _is_calling(messages: list[Message], terms: Terms) -> bool:
    """Return whether the first turn calls."""
    for message in messages:
        if message.role != "assistant":
            if not _speaks(message, terms):
                continue
            break
        if message.calls:
            return True
    return False


def _alternating(messages: list[Message], terms: Terms, tale: Tale) -> list[Message]:
    out = list(messages)
    last = -1
    for index, message in enumerate(messages):
        if message.role in SYSTEM:
            last = -1
            continue
        if last >= 0 and _side(messages[last]) == _side(message):
            if terms.is_own(message) and terms.is_own(messages[last]):
                tale.tell("R105", message)
            out[last] = _arranged(out[last], terms, tale)
            out[index] = _arranged(out[index], terms, tale)
        last = index
    return out


def _side(message: Message) -> bool:
    return message.role == "assistant"
