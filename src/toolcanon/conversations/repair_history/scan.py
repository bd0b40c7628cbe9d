"""A scan of a history that decides which repairs it needs.

Lone surrogates come from names of files that are not Unicode, and from texts cut in the middle.
They are spelled out as an escape, so that a reader sees what was there; numbers become words.
"""

from __future__ import annotations

import math
from typing import Any, Final

import orjson

from toolcanon.conversations.repair_history.ids import OURS, takes_id
from toolcanon.conversations.repair_history.repair_log import Terms
from toolcanon.formats.wire.odd_members import ODD, odd_id
from toolcanon.ir.conversation import (
    Call,
    Conversation,
    Data,
    Extras,
    Message,
    Native,
    Part,
    Reasoning,
    Result,
    Text,
)
from toolcanon.jsonio import DEEPEST
from toolcanon.jsonio.load import repeats_keys
from toolcanon.jsonio.types import Json, JsonObject


def is_whole(text: str) -> bool:
    """Return whether a text can be sent; most are ASCII, and know it."""
    if text.isascii():
        return True
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def is_surely_whole(value: Json) -> bool:
    """Return whether the quick writer takes a value: then all texts in it are whole."""
    try:
        orjson.dumps(value)
    except TypeError:  # or integers beyond 64 bits, depth
        return False
    return True


def whole(value: Json, depth: int = 0) -> Json:
    r"""Return the value with halves spelled out; the very same where there are none.

    >>> whole(["a", chr(0xDC80)])
    ['a', '\\udc80']
    """
    if isinstance(value, str):
        return value if is_whole(value) else value.encode("utf-8", "backslashreplace").decode()
    if not isinstance(value, (dict, list)) or depth > DEEPEST:
        return value
    if isinstance(value, list):
        items = [whole(inner, depth + 1) for inner in value]
        return value if all(map(_is, items, value)) else items
    made = {whole(key): whole(inner, depth + 1) for key, inner in value.items()}
    is_same = all(map(_is, made, value)) and all(map(_is, made.values(), value.values()))
    return value if is_same else made


def _is(one: Json, two: Json) -> bool:
    return one is two


def is_finite(value: Json) -> bool:
    """Return whether every number in a value is finite; the fast writer makes others null."""
    try:
        text = orjson.dumps(value)
    except TypeError:  # lone surrogates, integers beyond 64 bits, depth
        text = b"null"
    if b"null" not in text:
        return True
    waiting = [value]
    while waiting:
        item = waiting.pop()
        kind = item.__class__
        if kind is dict:
            waiting.extend(item.values())
        elif kind is list:
            waiting.extend(item)
        elif kind is float and not math.isfinite(item):
            return False
    return True


def finite(value: Json, depth: int = 0) -> Json:
    """Return the value with words for such numbers; the loader allows no greater depth."""
    if depth > DEEPEST:
        return value
    if isinstance(value, dict):
        return {key: finite(inner, depth + 1) for key, inner in value.items()}
    if isinstance(value, list):
        return [finite(inner, depth + 1) for inner in value]
    if isinstance(value, float) and not math.isfinite(value):
        return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
    return value


_ODD: Final = f'"{ODD}"'.encode()


class HistoryScan:
    """The contents of a history, and whether its calls and results fit every provider."""

    __slots__ = (
        "_ids",
        "_is_legal",
        "_messages",
        "_target",
        "_waiting",
        "blanks",
        "called",
        "empty",
        "halves",
        "infinite",
        "is_paired",
        "misplaced",
        "misshapen",
        "natives",
        "odd_arguments",
        "own",
        "repeats",
        "silent_errors",
        "thoughts",
    )

    def __init__(self, conversation: Conversation, terms: Terms) -> None:
        self.blanks = self.empty = self.misplaced = self.natives = self.odd_arguments = False
        self.own = self.silent_errors = self.thoughts = self.infinite = self.repeats = False
        self.halves = False
        """Whether there may be lone surrogates."""
        self.misshapen = False
        """Whether the target may have kept members that it does not take."""
        self.is_paired = not terms.ids
        """Each call has a legal id of its own, and its result right behind its turn."""
        self.called: dict[str, Call] = {}
        """The first call of each tool, by its id."""
        self._target = terms.target
        self._is_legal = takes_id(terms.rules, is_foreign=terms.is_foreign(conversation))
        self._ids: set[str] = set()
        self._waiting: set[str] = set()
        self._messages = conversation.messages
        self._look(self._messages)
        if self._waiting or (self.own and terms.is_grouping):
            self.is_paired = False
        if conversation.system is not None:
            self._look([conversation.system])

    def _look(self, messages: list[Message]) -> None:  # noqa: C901, PLR0912 - one way, for speed
        target, waiting = self._target, self._waiting
        was_asking = spoke = False
        for message in messages:
            parts: list[Any] = message.parts
            is_asking = message.role == "assistant"
            if is_asking is not was_asking:
                was_asking, spoke = is_asking, False
                if is_asking and waiting:
                    self.is_paired = False
            if message.extras is not None and target in message.extras:
                self.own = True
                self._extras(message.extras)
            if message.name is not None and not is_whole(message.name):
                self.halves = True
            if not parts:
                self.empty = spoke = True
            for part in parts:
                kind = part.__class__
                if kind is Text:
                    spoke = True
                    text = part.text
                    if not text or text.isspace():
                        self.blanks = True
                    elif not text.isascii() and not is_whole(text):
                        self.halves = True
                    if part.extras is not None:
                        self._extras(part.extras)
                elif kind is Result:
                    if spoke or is_asking or part.call_id not in waiting:
                        self.is_paired = False
                    else:
                        waiting.remove(part.call_id)
                    self._result(part)
                elif kind is Call:
                    self._call(part)
                    if not is_asking:
                        self.misplaced = True
                else:
                    spoke = True
                    self.thoughts = self.thoughts or kind is Reasoning
                    self.natives = self.natives or kind is Native
                    self._odd(part)

    def _call(self, call: Call) -> None:
        call_id, name, ids = call.id, call.name, self._ids
        if call_id is None or call_id in ids or call_id[:2] == OURS or not self._is_legal(call_id):
            self.is_paired = False
        else:
            ids.add(call_id)
            self._waiting.add(call_id)
        if call.namespace:
            name = f"{call.namespace}:{name}"
        if name not in self.called:
            self.called[name] = call
            if not is_whole(name):
                self.halves = True
        if call.extras is not None:
            if self._target in call.extras:
                self.own = True
                self._extras(call.extras)
            elif odd_id(call.extras, self._target, call_id) is not None:
                self.is_paired = False
        arguments, text = call.arguments, call.text
        if arguments.__class__ is not dict or call.problem is not None:
            self.odd_arguments = True
            self._odd(call)
        elif text is None:
            self._value(arguments)
        elif text.count(":") != len(arguments):  # asked here already, because that is quick
            self.repeats = self.repeats or repeats_keys(text, arguments)

    def _value(self, value: JsonObject) -> None:
        """Note lone surrogates and infinite numbers, which the fast writer makes null."""
        try:
            is_sure = b"null" not in orjson.dumps(value)
        except TypeError:  # or integers beyond 64 bits, depth
            self.halves, is_sure = True, False
        if not is_sure:
            self.infinite = self.infinite or not is_finite(value)

    def _result(self, result: Result) -> None:
        said = False
        if result.extras is not None:
            self._extras(result.extras)
            if odd_id(result.extras, self._target, result.call_id) is not None:
                self.is_paired = False
        if result.name is not None and not is_whole(result.name):
            self.halves = True
        for part in result.content:
            if part.__class__ is Text:
                text = part.text
                if not text or text.isspace():
                    self.blanks = True
                else:
                    said = True
                    if not text.isascii() and not is_whole(text):
                        self.halves = True
                if part.extras is not None:
                    self._extras(part.extras)
            else:
                said = True
                self._odd(part)
                if part.__class__ is Data:
                    self.infinite = self.infinite or not is_finite(part.value)
        if not said and result.is_error:
            self.silent_errors = True

    def tools_of(self, mended: Conversation) -> list[str] | None:
        """Return the names of the tools that a history calls; None where a repair changed it."""
        if mended.messages is not self._messages or self.misplaced:
            return None
        return list(dict.fromkeys(call.name for call in self.called.values()))

    def _extras(self, extras: Extras) -> None:
        """Skip extras of other providers: they are written to their own provider alone."""
        if extras is not None and self._target in extras:
            try:
                text = orjson.dumps(extras[self._target])
            except TypeError:  # or integers beyond 64 bits, depth
                self.halves = self.misshapen = True
            else:
                self.misshapen = self.misshapen or b"null" in text or _ODD in text

    def _odd(self, part: Part) -> None:
        self._extras(getattr(part, "extras", None))
        if not self.halves:
            self.halves = not all(is_surely_whole(getattr(part, name)) for name in part.__slots__)
