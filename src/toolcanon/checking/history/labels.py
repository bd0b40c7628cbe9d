"""Checks of ids and names: legal characters and length, and one id for one call."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from toolcanon.checking.history.breach import Breach, Check
from toolcanon.dialect.history import Case
from toolcanon.ir.conversation import Call, Reasoning

if TYPE_CHECKING:
    from toolcanon.checking.history.history import History

_SHOWN = 80


def ids_twice(history: History) -> Iterator[Breach]:
    """Report ids of more than one call, anywhere in the history."""
    seen: dict[str, int] = {}
    for placed, call in history.calls:
        if call.id is None:
            continue
        if call.id in seen:
            case: Case = "same-message" if seen[call.id] == placed.message else "apart"
            says = f"two calls have the id {call.id[:_SHOWN]!r}"
            yield Breach((*placed.at, "id"), call.id, says, case)
        seen[call.id] = placed.message


def ids_illegal(history: History) -> Iterator[Breach]:
    policy, usual = history.rules.ids, history.rules.usual_ids
    if policy is None:
        return
    for placed, call in history.calls:
        if call.id is None:
            if not history.noted(call.extras).get(history.rules.idless_note):
                yield Breach(placed.at, call.name, "the call has no id", "no-id")
        elif not policy.allows(call.id) or (usual is not None and not usual.allows(call.id)):
            says = f"the id {call.id[:_SHOWN]!r} is not {(usual or policy).words()}"
            case: Case = "unusual" if policy.allows(call.id) else "" if call.id else "empty-id"
            yield Breach((*placed.at, "id"), call.id, says, case)


def items_illegal(history: History) -> Iterator[Breach]:
    """Report ids of items, where those are not the ids of calls."""
    for at, kind, item in items(history):
        prefix = history.rules.item_prefixes.get(kind, "")
        if not item.startswith(prefix):
            says = f"the id {item[:_SHOWN]!r} does not begin with {prefix!r}"
            yield Breach(at, item, says, kind)


def items(history: History) -> Iterator[tuple[tuple[str | int, ...], Case, str]]:
    """Yield every assistant item with an id: its place, its kind, its id."""
    target = history.target
    for number, message in enumerate(history.messages):
        item = history.own(message.extras).get("id")
        if message.role == "assistant" and isinstance(item, str):
            yield ("messages", number, "extras", target, "id"), "message", item
        for index, part in enumerate(message.parts):
            at = ("messages", number, "parts", index)
            if isinstance(part, Reasoning) and part.id is not None:
                yield (*at, "id"), "thought", part.id
            elif isinstance(part, Call):
                item = history.own(part.extras).get("id")
                if isinstance(item, str):
                    kind: Case = "text-call" if part.is_text else "call"
                    yield (*at, "extras", target, "id"), kind, item


def names_illegal(history: History) -> Iterator[Breach]:
    policy, usual = history.rules.names, history.rules.usual_names
    if policy is None:
        return
    for placed, call in history.calls:
        if policy.allows(call.name) and (usual is None or usual.allows(call.name)):
            continue
        says = f"the name {call.name[:_SHOWN]!r} is not {(usual or policy).words()}"
        case: Case = "unusual" if policy.allows(call.name) else ""
        yield Breach((*placed.at, "name"), call.name, says, case)


LABELS: dict[str, Check] = {
    "call-id-twice": ids_twice,
    "call-id-illegal": ids_illegal,
    "item-id-illegal": items_illegal,
    "call-name-illegal": names_illegal,
}
