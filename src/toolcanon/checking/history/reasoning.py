"""Checks of reasoning and signatures, which only the model that wrote them accepts."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from toolcanon.checking.history.breach import Breach, Check
from toolcanon.checking.history.declared import thinking_of
from toolcanon.checking.history.history import Placed
from toolcanon.checking.history.labels import items
from toolcanon.dialect.history import Case
from toolcanon.ir.conversation import Call, Message, Native, Part, Reasoning
from toolcanon.jsonio.types import Json

if TYPE_CHECKING:
    from toolcanon.checking.history.history import History


def foreign(history: History) -> Iterator[Breach]:
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


def _signature(history: History, part: Part) -> Json:
    if isinstance(part, Reasoning):
        return part.seal
    return None if isinstance(part, Native) else history.seal(part.extras)


def _is_malformed(history: History, seal: Json) -> bool:
    rules = history.rules
    if seal in rules.foreign_seals:
        return True
    if not rules.seals:
        return False
    return not isinstance(seal, str) or re.fullmatch(rules.seals, seal) is None


def unsealed(history: History) -> Iterator[Breach]:
    rules = history.rules
    kept = bool(rules.store) and history.settings.get(rules.store) is not False
    for placed, reasoning in history.each(Reasoning):
        if not reasoning.seal:
            yield Breach(placed.at, reasoning.id or "", case="stored" if kept else "")


def alone(history: History) -> Iterator[Breach]:
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


def missing(history: History) -> Iterator[Breach]:
    if (thinking := thinking_of(history)) is not None:
        yield from _missing_at_start(history, thinking)
    if history.rules.is_follower_bound:
        yield from _missing_before_items(history)


def _missing_at_start(history: History, thinking: Case) -> Iterator[Breach]:
    """Report the turn that now gets its results if it does not begin with reasoning."""
    if not history.spoken or not history.spoken[-1][1].results:
        return
    for number, message in history.since_asked():
        if message.role == "assistant":
            if message.parts and not isinstance(message.parts[0], Reasoning):
                yield Breach(("messages", number, "parts", 0), case=thinking)
            return


def _missing_before_items(history: History) -> Iterator[Breach]:
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


def seal_missing(history: History) -> Iterator[Breach]:
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
