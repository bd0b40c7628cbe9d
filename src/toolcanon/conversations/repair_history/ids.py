"""Ids that the target accepts, each for one call, which can be restored.

An id that cannot stay is written as ``tcid_`` and its base64, letters that every provider accepts,
so that the new id contains the old one; a number in it distinguishes equal ids. An id that is too
long for that is cut and gets its digest, and a call without an id gets one from its place: only the
receipt restores those. All of it follows from the history alone.

No two ids become one: a new or restored id is never the id of another call. With a receipt only the
ids that it lists are restored; two ids become one again where it lists that.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import re
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import Final

from toolcanon.conversations.repair_history.pairs import At, CallPair, Pairs, result_at
from toolcanon.conversations.repair_history.repair_log import Tale, Terms, with_parts
from toolcanon.dialect import NamePolicy
from toolcanon.dialect.history import HistoryRules
from toolcanon.formats.wire.codec import NOTES
from toolcanon.formats.wire.odd_members import odd_id
from toolcanon.ir.conversation import Conversation, Part, Result
from toolcanon.jsonio.types import Json

_SPELLED: Final = re.compile(r"tcid(\d*)_([A-Za-z0-9_-]*)")
_MADE: Final = re.compile(r"tcnone_\d+_\d+")
_DIGEST: Final = 12
OURS: Final = "tc"
"""How ids begin that a switch may have made."""
_ROOM: Final = 64
_WHOLE: Final = r"\x00-\ud7ff\ue000-\U0010ffff"
"""Every character that can be sent at all: halves of one cannot."""
_ANY: Final = NamePolicy(_WHOLE, 1 << 16)


def spelled_out(call_id: str, number: int = 0) -> str:
    """Return an id in letters that every provider accepts.

    >>> spelled_out("a.b")
    'tcid_YS5i'
    """
    text = base64.urlsafe_b64encode(call_id.encode("utf-8", "surrogatepass")).decode().rstrip("=")
    return f"tcid{number or ''}_{text}"


def original(call_id: str) -> str | None:
    """What an id was before a switch changed it; None for one that was made from nothing.

    >>> original("tcid_YS5i"), original("call_1")
    ('a.b', 'call_1')
    """
    if not call_id.startswith(OURS):
        return call_id
    if _MADE.fullmatch(call_id):
        return None
    found = _SPELLED.fullmatch(call_id)
    if found is None:
        return call_id
    text = found[2]
    try:
        was = base64.urlsafe_b64decode(text + "=" * (-len(text) % 4)).decode(
            "utf-8", "surrogatepass"
        )
    except (binascii.Error, UnicodeDecodeError):
        return call_id
    return was if spelled_out(was, int(found[1] or 0)) == call_id else call_id


def takes_id(rules: HistoryRules, *, is_foreign: bool) -> Callable[[str], object]:
    """Asks whether a target takes an id; one of another provider, whether all of its routes do."""
    policy = rules.ids or _ANY
    return _takes((rules.usual_ids or policy) if is_foreign else policy)


@cache
def _takes(policy: NamePolicy) -> Callable[[str], object]:
    return (replace(policy, chars=_WHOLE) if policy.allows("\ud800") else policy).allows


class _Ids:
    """The ids in use, and the replacements of those that cannot stay."""

    def __init__(self, pairs: Pairs, terms: Terms, *, is_foreign: bool) -> None:
        rules = terms.rules
        taken = rules.ids or _ANY
        usual = rules.usual_ids or taken
        self._is_foreign = is_foreign
        self._is_legal = takes_id(rules, is_foreign=is_foreign)
        self._is_legal_new = takes_id(rules, is_foreign=True)
        self._is_legal_again = self._is_legal
        if terms.ids is None:  # of the target's before, or so it seems
            self._is_legal_again = _takes(replace(taken, max_length=usual.max_length))
        self._room = min(usual.max_length, _ROOM)
        self._may_lack = rules.ids is None
        self._ledger = terms.ids
        self._once = terms.refuses("call-id-twice", "apart")
        self._given = {pair.call.id for pair in pairs.all}
        self._kept = self._given.difference(terms.ids or ())
        """Ids that nothing turns back, so that nothing else is turned into them."""
        self._again: dict[str, int] = {}
        self._used: dict[str, tuple[int, str | None]] = {}
        """Every id that went out, with the turn that has it, and whose it was at first."""

    def of(self, pair: CallPair) -> str | None:
        """Return the new id of a call."""
        given = pair.call.id
        was = owner = given
        if given is not None:
            if self._ledger is not None:
                was = owner = self._ledger.get(given, given)
            elif self._is_foreign:  # at home there is nothing to turn back
                was = original(given)
            if was is not None and was != given and self._comes_back(was, pair, owner):
                return self._take(was, pair.turn, owner)
        if was is None and self._may_lack:
            return None
        if given is None:
            return self._take(self._placed(pair.at), pair.turn, given)
        if self._is_legal(given) and self._is_free(given, pair, owner):
            return self._take(given, pair.turn, owner)
        return self._take(self._made(given), pair.turn, owner)

    def _comes_back(self, was: str, pair: CallPair, owner: str | None) -> bool:
        if was in self._kept or not self._is_legal_again(was):
            return False
        return self._is_free(was, pair, owner)

    def _is_free(self, call_id: str, pair: CallPair, owner: str | None) -> bool:
        """Return whether no other call has this id where ids must differ, or had it before."""
        if call_id not in self._used:
            return True
        turn, whose = self._used[call_id]
        return turn != pair.turn and whose == owner and not self._once

    def _take(self, call_id: str, turn: int, owner: str | None) -> str:
        self._used[call_id] = (turn, owner)
        return call_id

    def _is_taken(self, made: str) -> bool:
        return made in self._used or made in self._given

    def _placed(self, at: At) -> str:
        made = f"tcnone_{at[0]}_{at[1]}"
        return self._made(made) if self._is_taken(made) else made

    def _made(self, was: str) -> str:
        number = self._again.get(was, 0)
        if not number and was in self._used:
            number = 2
        made = spelled_out(was, number)
        while self._is_taken(made) or not self._is_legal_new(made):
            if not self._is_legal_new(made):
                made = self._digested(was, number)
                break
            number = max(number + 1, 2)
            made = spelled_out(was, number)
        self._again[was] = max(number + 1, 2)
        return made

    def _digested(self, was: str, number: int) -> str:
        """Return the id cut, with as much of its digest as makes it unique."""
        text = f"{number}:{was}" if number else was
        digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
        clean = re.sub(r"[^A-Za-z0-9_-]", "_", was)
        room = self._room
        for size in range(_DIGEST, len(digest) + 1):
            kept = clean[: max(room - size - 1, 0)]
            made = f"{kept}_{digest[: room - 1 - len(kept)]}"
            if not self._is_taken(made):
                return made
        raise AssertionError(was)  # a sha256 collision


def mend_ids(conversation: Conversation, pairs: Pairs, terms: Terms, tale: Tale) -> Conversation:
    """Return the conversation with an id on every call that the target takes, and on its result."""
    ids = _Ids(pairs, terms, is_foreign=terms.is_foreign(conversation))
    changed: dict[int, dict[int, Part]] = {}
    messages = conversation.messages
    note = terms.rules.idless_note
    calls: Counter[int] | None = None
    for pair in pairs.all:
        call = pair.call
        if call.id is None and note and terms.own(call.extras).get(NOTES, {}).get(note):
            calls = calls or Counter(each.turn for each in pairs.all)
            if calls[pair.turn] == 1 and pair.answer and pair.turn not in pairs.unsettled:
                continue  # of a kind that has none
        new = ids.of(pair)
        was = odd_id(call.extras, terms.target, call.id)
        if new != call.id:
            _put(changed, pair.at, tale.instead(replace(call, id=new), call))
        if new != call.id or was is not None:
            code = "R107" if call.id is None else "R106"
            tale.tell(code, call, "id", before=call.id if was is None else was, after=new)
        if pair.answer is not None:
            result = result_at(conversation, pair.answer)
            _tell_odd(result, was, new, terms, tale)
            if result.call_id != new:
                name = call.name if new is None else result.name
                again = replace(result, call_id=new, name=name)
                _put(changed, pair.answer, tale.instead(again, result))
                if new is None:  # calls of equal ids are paired in order
                    pairs.unsettled.add(pair.turn)
            elif new is None and result.name is None:
                tale.tell("R127", result, "name", after=call.name)
                _put(changed, pair.answer, tale.instead(replace(result, name=call.name), result))
    if not changed:
        return conversation
    mended = list(messages)
    for index, parts in changed.items():
        message = mended[index]
        held = [parts.get(number, part) for number, part in enumerate(message.parts)]
        mended[index] = with_parts(message, held, tale)
    return conversation.copy_with(messages=mended)


def _tell_odd(result: Result, was: Json, new: str | None, terms: Terms, tale: Tale) -> None:
    """Report an id of a result that is no string, unless the one of its call is reported."""
    odd = odd_id(result.extras, terms.target, result.call_id)
    if odd is not None and was is None:
        tale.tell("R106", result, "call_id", before=odd, after=new)


def _put(changed: dict[int, dict[int, Part]], at: At, part: Part) -> None:
    changed.setdefault(at[0], {})[at[1]] = part
