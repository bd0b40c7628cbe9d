"""Checks of turns: who speaks when, what must not be empty, and whose reasoning is accepted."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from toolcanon.checking.history.declared import items, thinking_of
from toolcanon.checking.history.history import (
    SYSTEM,
    Breach,
    Check,
    CheckedHistory,
    Placed,
    is_blank,
)
from toolcanon.conversion.detect import foreign_tools
from toolcanon.dialect.history import Case
from toolcanon.formats.wire.odd_members import AS, WAS, Misshapen, misshapen, nulls
from toolcanon.formats.wire.results import is_unread_call
from toolcanon.ir.conversation import Call, Extras, Message, Native, Part, Reasoning, Result, Text
from toolcanon.jsonio.types import Json


def empty_texts(history: CheckedHistory) -> Iterator[Breach]:
    """Report empty and blank texts in messages, results and the system prompt."""
    for number, message in history.spoken:
        if not _is_bare_nothing(history, message):
            yield from _in_message(history, number, message)
    system = history.conversation.system
    if system is not None and not _is_bare_nothing(history, system):
        for index, part in enumerate(system.parts):
            if is_blank(part):
                yield Breach(("system", "parts", index), case="in-system")


def _is_bare_nothing(history: CheckedHistory, message: Message) -> bool:
    """Return whether the content as a whole is the empty text."""
    note = history.rules.bare_note
    match message.parts:
        case [Text(text="")]:
            return bool(note) and history.noted(message.extras).get("content") == note
    return False


def _in_message(history: CheckedHistory, number: int, message: Message) -> Iterator[Breach]:
    said = [part for part in message.parts if not history.is_native(part, history.rules.quiet)]
    more = any(
        isinstance(part, Call) or (isinstance(part, Text) and not is_blank(part)) for part in said
    )
    blank: Case = "blank-beside-words" if more else "blank-beside-media"
    for index, part in enumerate(message.parts):
        at = ("messages", number, "parts", index)
        if isinstance(part, Result):
            for place, inner in enumerate(part.content):
                if is_blank(inner):
                    yield Breach((*at, "content", place), part.call_id or "", case="in-result")
        elif isinstance(part, Text) and not part.text:
            if history.seal(part.extras) is None:  # a part with a signature must be kept
                yield Breach(at, case="empty")
        elif is_blank(part):
            yield Breach(at, case="blank" if len(said) == 1 else blank)


def empty_messages(history: CheckedHistory) -> Iterator[Breach]:
    for number, message in history.spoken:
        own = history.own(message.extras)
        speaker: Case = "assistant" if message.role == "assistant" else "user"
        if _is_silent(history, message):
            yield Breach(("messages", number), message.role, case=speaker)
        elif any(own.get(key) == [] for key in history.rules.never_empty):
            says = "the list of calls in a message is empty"
            yield Breach(("messages", number), message.role, says, "no-calls")


def _is_silent(history: CheckedHistory, message: Message) -> bool:
    notes = history.rules.silent_notes
    if message.parts:
        return _is_bare_nothing(history, message)
    return not notes or history.noted(message.extras).get("content") in notes


def errors_without_words(history: CheckedHistory) -> Iterator[Breach]:
    for placed, result in history.each(Result):
        silent = all(isinstance(part, Text) and not part.text for part in result.content)
        if result.is_error and silent:
            yield Breach(placed.at, result.call_id or "")


def first_not_user(history: CheckedHistory) -> Iterator[Breach]:
    if history.spoken and history.spoken[0][1].role == "assistant":
        number, message = history.spoken[0]
        yield Breach(("messages", number), case=_manner(message))


def same_role(history: CheckedHistory) -> Iterator[Breach]:
    speakers = [history.speaker(message) for message in history.messages]
    for number, (before, speaker) in enumerate(pairwise(speakers), 1):
        if before == speaker != "system":
            message = history.messages[number]
            case: Case = _manner(message) if speaker == "assistant" else "user"
            yield Breach(("messages", number), message.role, case=case)


def _manner(message: Message) -> Case:
    return "calling" if message.calls else "assistant"


def systems_misplaced(history: CheckedHistory) -> Iterator[Breach]:
    """Report system messages before the first user message, or where the model accepts none."""
    refusers, model = history.rules.system_refusers, history.conversation.model or ""
    is_refused = bool(refusers) and re.search(refusers, model.lower()) is not None
    spoke = False
    for number, message in enumerate(history.messages):
        if message.role not in SYSTEM:
            spoke = True
        elif is_refused or not spoke:
            yield Breach(("messages", number), message.role)


def ends_with_assistant(history: CheckedHistory) -> Iterator[Breach]:
    """Report a last assistant message without calls, unless the provider paused it."""
    if not history.spoken or history.spoken[-1][1].role != "assistant":
        return
    number, last = history.spoken[-1]
    said = [part for part in last.parts if not history.is_native(part, history.rules.quiet)]
    if not last.calls and not (said and isinstance(said[-1], Native)):
        yield Breach(("messages", number))


def arguments_no_object(history: CheckedHistory) -> Iterator[Breach]:
    """Report arguments that are neither an object nor the JSON text of one."""
    for placed, call in history.calls:
        if call.is_text:
            continue
        is_unread = call.text is not None and call.problem is not None
        if is_unread or not isinstance(call.arguments, dict):
            yield Breach((*placed.at, "arguments"), call.id or call.name)


def members_misshapen(history: CheckedHistory) -> Iterator[Breach]:
    """Report members of a type that the provider rejects, in messages, parts and results."""
    placed: list[tuple[tuple[str | int, ...], Extras]] = []
    for at, message in _messages(history):
        placed.append((at, message.extras))
        for index, part in enumerate(message.parts):
            if isinstance(part, Native):
                if part.format == history.target:
                    if part.value is None:
                        yield Breach((*at, "parts", index))
                    for member in nulls(part.value, history.rules.never_null.__contains__):
                        yield Breach((*at, "parts", index), member.name, case="null")
                continue
            placed.append(((*at, "parts", index), part.extras))
            if isinstance(part, Result):
                placed += [
                    ((*at, "parts", index, "content", number), held.extras)
                    for number, held in enumerate(part.content)
                    if not isinstance(held, Native)
                ]
    if not history.is_arranged:
        for place, other in foreign_tools(history.conversation.tools, history.target).items():
            yield Breach(("tools", place), other, f"the tool is written for {other}")
    for at, extras in placed:
        for member in misshapen(extras, history.target, history.rules.nullable):
            yield Breach(at, member.name, case=_case(member))


def _case(member: Misshapen) -> Case:
    if member.is_null:
        return "null"
    return "calling" if member.entry == {WAS: [], AS: None} else ""


def _messages(history: CheckedHistory) -> Iterator[tuple[tuple[str | int, ...], Message]]:
    if history.conversation.system is not None:
        yield ("system",), history.conversation.system
    for number, message in enumerate(history.messages):
        yield ("messages", number), message


def calls_unreadable(history: CheckedHistory) -> Iterator[Breach]:
    for placed, part in history.each(Native):
        if is_unread_call(part, history.target, history.rules.call_natives):
            yield Breach(placed.at)


SHAPE: dict[str, Check] = {
    "member-misshapen": members_misshapen,
    "call-unreadable": calls_unreadable,
    "empty-text": empty_texts,
    "empty-message": empty_messages,
    "error-without-words": errors_without_words,
    "first-not-user": first_not_user,
    "same-role-twice": same_role,
    "system-misplaced": systems_misplaced,
    "ends-with-assistant": ends_with_assistant,
    "arguments-no-object": arguments_no_object,
}


def foreign(history: CheckedHistory) -> Iterator[Breach]:
    """Report reasoning signed by another provider or model, or with a malformed signature."""
    model = history.conversation.model
    for number, message in enumerate(history.messages):
        for index, part in enumerate(message.parts):
            at = Placed(number, index, part).at
            seal = _signature(history, part)
            if seal is None:
                continue
            if _is_malformed(history, seal):
                says = "the value of the signature is not one of this provider"
                yield Breach(at, says=says, case="malformed")
            elif isinstance(part, Reasoning):
                if part.provider not in {None, history.target}:
                    yield Breach(at, part.provider or "", case="other-provider")
                elif None not in {part.model, model} and part.model != model:
                    yield Breach(at, part.model or "", case="other-model")


def _signature(history: CheckedHistory, part: Part) -> Json:
    if isinstance(part, Reasoning):
        return part.seal
    return None if isinstance(part, Native) else history.seal(part.extras)


def _is_malformed(history: CheckedHistory, seal: Json) -> bool:
    rules = history.rules
    if seal in rules.foreign_seals:
        return True
    if not rules.seals:
        return False
    return not isinstance(seal, str) or re.fullmatch(rules.seals, seal) is None


def unsealed(history: CheckedHistory) -> Iterator[Breach]:
    rules = history.rules
    kept = bool(rules.store) and history.settings.get(rules.store) is not False
    for placed, reasoning in history.each(Reasoning):
        if not reasoning.seal:
            yield Breach(placed.at, reasoning.id or "", case="stored" if kept else "")


def alone(history: CheckedHistory) -> Iterator[Breach]:
    """Report reasoning that no other part of the assistant follows."""
    waiting: tuple[Placed, Reasoning] | None = None
    for number, message in enumerate(history.messages):
        if message.role != "assistant":
            if waiting:
                yield _alone(*waiting)
            waiting = None
            continue
        for index, part in enumerate(message.parts):
            is_reasoning = isinstance(part, Reasoning)
            waiting = (Placed(number, index, part), part) if is_reasoning else None  # type: ignore[assignment]
    if waiting:
        yield _alone(*waiting)


def _alone(placed: Placed, reasoning: Reasoning) -> Breach:
    return Breach(placed.at, reasoning.id or "", case="no-id" if reasoning.id is None else "")


def missing(history: CheckedHistory) -> Iterator[Breach]:
    if (thinking := thinking_of(history)) is not None:
        yield from _missing_at_start(history, thinking)
    if history.rules.is_follower_bound:
        yield from _missing_before_items(history)


def _missing_at_start(history: CheckedHistory, thinking: Case) -> Iterator[Breach]:
    """Report the turn that now gets its results if it does not begin with reasoning."""
    if not history.spoken or not history.spoken[-1][1].results:
        return
    for number, message in history.since_asked():
        if message.role == "assistant":
            if message.parts and not isinstance(message.parts[0], Reasoning):
                yield Breach(("messages", number, "parts", 0), case=thinking)
            return


def _missing_before_items(history: CheckedHistory) -> Iterator[Breach]:
    """Report items with an id in a turn without reasoning."""
    unled: set[int] = set()
    has_thought = False
    for number, message in enumerate(history.messages):
        if _has_reasoning(message):
            has_thought = True
        elif message.role == "assistant":
            unled |= set() if has_thought else {number}
        else:
            has_thought = has_thought and message.role == "tool"
    for at, kind, item in items(history):
        if kind in {"call", "message"} and at[1] in unled:
            yield Breach(at, item)


def _has_reasoning(message: Message) -> bool:
    return any(isinstance(part, Reasoning) for part in message.parts)


def seal_missing(history: CheckedHistory) -> Iterator[Breach]:
    """Report messages since the last one of the user whose first call has no signature."""
    for number, message in history.since_asked():
        if message.role != "assistant":
            continue
        for index, part in enumerate(message.parts):
            if isinstance(part, Call):
                if not history.seal(part.extras):
                    yield Breach(("messages", number, "parts", index), part.id or part.name)
                break


REASONING: dict[str, Check] = {
    "foreign-reasoning": foreign,
    "reasoning-unsealed": unsealed,
    "reasoning-alone": alone,
    "reasoning-missing": missing,
    "seal-missing": seal_missing,
}
