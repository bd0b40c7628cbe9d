"""A second opinion on conversations: would a provider answer 400 to this history?

    judge_history("anthropic", body) == []

`body` is a request as it goes over the wire, or only its list of messages; then what depends on the
rest of the request is not judged. Paths are JSON pointers into `body`. Retyped from the written
facts, and from public reports where those are silent. A fault is certain if the refusal is
documented or reported; otherwise only some models are known, or believed, to refuse.

Not judged here: unknown keys and wrong types (see bodies.py), what the service itself has stored,
kinds of media a model does not take, and a name in the history that no tool has (all accept it).
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable
from typing import Any, NamedTuple

from tests.referee.history_pairs import pair_faults, result_faults
from tests.referee.history_requests import request_faults
from tests.referee.history_thoughts import thought_faults
from tests.referee.history_turns import (
    LISTS,
    Block,
    Faults,
    History,
    HistoryFault,
    holder,
    read_history,
    spelling,
)
from tests.referee.history_words import emptiness_faults, null_faults, role_faults, word_faults
from tests.referee.walk import token

FAMILIES = tuple(LISTS)

__all__ = ["FAMILIES", "HistoryFault", "certain_faults", "judge_history"]


def judge_history(
    family: str,
    body: Any,
    *,
    model: str | None = None,
    foreign_seals: frozenset[str] = frozenset(),
) -> list[HistoryFault]:
    """Every fault, those of the messages first.

    `model` is for families that name it in the address; `foreign_seals` are signatures that
    another model is known to have written.
    """
    history = read_history(family, body, model, foreign_seals)
    faults = [fault for judge in _JUDGES for fault in judge(history)]
    return faults + list(_number_faults(body))


def certain_faults(family: str, body: Any, **known: Any) -> list[HistoryFault]:
    """Those that every model of the provider refuses."""
    return [fault for fault in judge_history(family, body, **known) if fault.certain]


class Names(NamedTuple):
    pattern: re.Pattern[str]
    sure: int  # longer is refused
    safe: int  # longer is refused by some


_PLAIN = re.compile(r"[a-zA-Z0-9_-]+")
_NAMES = {
    "openai": Names(_PLAIN, 64, 64),
    "openai-responses": Names(_PLAIN, 128, 64),
    "anthropic": Names(_PLAIN, 128, 64),
    "gemini": Names(re.compile(r"[a-zA-Z_][a-zA-Z0-9_.:-]*"), 128, 64),
    "bedrock": Names(_PLAIN, 64, 64),
}
_NO_END = 10**9
_ANY = Names(re.compile(r".*", re.DOTALL), _NO_END, _NO_END)
_IDS = {
    "openai": Names(re.compile(r".+", re.DOTALL), 64, 40),
    "openai-responses": Names(re.compile(r".+", re.DOTALL), 64, 64),
    "anthropic": Names(_PLAIN, _NO_END, _NO_END),
    "bedrock": Names(re.compile(r"[a-zA-Z0-9_.:-]+"), 64, 64),
}
_MISTRAL_ID = re.compile(r"[a-zA-Z0-9]{9}")


def _call_faults(history: History) -> Faults:
    """Each call by itself: its id, its name, its arguments; and its id among all ids."""
    seen: dict[str, str] = {}  # the id: the turn that had it last
    for turn in history.turns:
        for call in turn.of("call"):
            yield from _id_faults(history, call)
            yield from _name_faults(history, call)
            yield from _argument_faults(history, call)
            if isinstance(call.id, str):
                if call.id in seen:
                    yield from _same_id(history, call, same_turn=seen[call.id] == turn.at)
                seen[call.id] = turn.at


def _id_faults(history: History, call: Block) -> Faults:
    rule = "call-id-illegal"
    if (allowed := _IDS.get(history.family)) is None:
        if call.id is not None and not isinstance(call.id, str):
            yield HistoryFault(rule, call.at, "no text")
    elif not isinstance(call.id, str):
        yield HistoryFault(rule, call.at, "no id" if call.id is None else "no text")
    elif not allowed.pattern.fullmatch(call.id) or len(call.id) > allowed.sure:
        # An empty id is reported of Responses; in Chat nobody has told.
        yield HistoryFault(
            rule, call.at, repr(call.id), history.family != "openai" or call.id != ""
        )
    elif len(call.id) > allowed.safe or not _is_usual(history, call.id):
        yield HistoryFault(rule, call.at, f"{call.id!r}, for some models", False)


def _is_usual(history: History, call_id: str) -> bool:
    if history.family == "bedrock" and "mistral" in history.model:
        return bool(_MISTRAL_ID.fullmatch(call_id))
    return bool(_PLAIN.fullmatch(call_id))


def _name_faults(history: History, call: Block) -> Faults:
    allowed, name = _NAMES.get(history.family, _ANY), call.name
    if not isinstance(name, str) or not allowed.pattern.fullmatch(name) or len(name) > allowed.sure:
        yield HistoryFault("call-name-illegal", call.at, repr(name))
    elif len(name) > allowed.safe:
        yield HistoryFault("call-name-illegal", call.at, f"{name!r}, for some models", False)


def _argument_faults(history: History, call: Block) -> Faults:
    rule = "arguments-no-object"
    if history.family == "vercel":  # any value is passed on
        return
    if not history.family.startswith("openai"):
        if not isinstance(call.value, dict):
            yield HistoryFault(rule, _arguments_at(history.family, call), type(call.value).__name__)
    elif not isinstance(call.value, str):
        yield HistoryFault("arguments-no-text", call.at, type(call.value).__name__)
    elif not call.takes_text and not _is_object(call.value):
        # The providers themselves take any text; servers like theirs do not.
        yield HistoryFault(rule, call.at, "no JSON object in the text", False)


def _arguments_at(family: str, call: Block) -> str:
    if family == "gemini":
        return f"{call.at}/{spelling(call.raw, 'functionCall')}/args"
    return f"{call.at}/input" if family == "anthropic" else f"{call.at}/toolUse/input"


def _no_number(_: str) -> float:
    raise ValueError


def _is_object(text: str) -> bool:
    try:
        return isinstance(json.loads(text, parse_constant=_no_number), dict)
    except (ValueError, RecursionError):
        return False


def _same_id(history: History, call: Block, *, same_turn: bool) -> Faults:
    match history.family:
        case "anthropic":
            certain = True
        case "bedrock":  # reported of one message; across messages only remembered
            certain = same_turn
        case "openai-responses":
            certain = False
        case _ if same_turn:
            certain = False
        case _:  # paired by neighbourhood: local servers count anew in each turn
            return
    yield HistoryFault("call-id-twice", call.at, repr(call.id), certain)


def _stored_faults(history: History) -> Faults:
    """What is only referred to must have been kept by the service."""
    if (history.request or {}).get("store") is False:
        for turn in history.turns:
            if holder(turn.raw).get("type") == "item_reference":
                yield HistoryFault("item-not-stored", turn.at, "nothing is stored", False)


_JUDGES: tuple[Callable[[History], Faults], ...] = (
    pair_faults,
    _call_faults,
    result_faults,
    word_faults,
    emptiness_faults,
    role_faults,
    thought_faults,
    _stored_faults,
    null_faults,
    request_faults,
)


def _number_faults(body: Any) -> Faults:
    """JSON has no word for infinity, nor for what is no number."""
    waiting = [("", body)]
    while waiting:
        at, value = waiting.pop()
        if isinstance(value, float) and not math.isfinite(value):
            yield HistoryFault("number-not-finite", at, repr(value))
        elif isinstance(value, dict):
            waiting += [(at + token(str(key)), item) for key, item in value.items()]
        elif isinstance(value, list):
            waiting += [(f"{at}/{index}", item) for index, item in enumerate(value)]
