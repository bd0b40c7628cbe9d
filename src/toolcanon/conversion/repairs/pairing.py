"""Every call is answered once, where the target looks for the answer."""

from __future__ import annotations

from typing import Final

from toolcanon.conversion.repairs.pairs import At, Pair, Pairs, awaited, result_at
from toolcanon.conversion.repairs.tale import Tale, lose_keys, with_parts
from toolcanon.conversion.repairs.terms import Terms
from toolcanon.formats.wire.codec import shown
from toolcanon.formats.wire.echo import result_text
from toolcanon.ir.conversation import Call, Conversation, Message, Native, Result, Text
from toolcanon.jsonio.types import JsonObject

INTERRUPTED: Final = "The call was interrupted: there is no result."
UNREADABLE: Final = "The call was not carried out: its arguments could not be read as JSON."


def mend_pairs(conversation: Conversation, pairs: Pairs, terms: Terms, tale: Tale) -> Conversation:
    """Results are added, left out, or put behind the turn of their calls."""
    open_ = awaited(pairs.all, terms) if terms.refuses("call-without-result") else []
    orphans = _orphans(conversation, pairs, terms)
    again = pairs.again if terms.refuses("two-results") else []
    is_next = terms.rules.pairing == "next"
    unsettled = set(pairs.unsettled) if is_next else {p.turn for p in pairs.all if _is_early(p)}
    if is_next:  # one that is added stands with the others
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


def _is_early(pair: Pair) -> bool:
    return pair.answer is not None and pair.answer < pair.at


def _orphans(conversation: Conversation, pairs: Pairs, terms: Terms) -> list[At]:
    """Results of no call, unless the target itself keeps what was said before."""
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
    """What is left out, such that it can be recovered."""
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
    """The results that go behind each turn, by the place of their call."""
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


def _added(conversation: Conversation, pair: Pair, tale: Tale) -> Result:
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
