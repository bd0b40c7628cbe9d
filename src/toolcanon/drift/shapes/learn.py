"""Shapes learned from what tools answer.

Values wait in a table of their place until it is full or the samples end; then each distinct one is
hashed, bucketed and inspected once. None of them is kept.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import fields, is_dataclass
from hashlib import blake2b
from itertools import count, islice
from typing import Any, Final

import orjson

from toolcanon.drift.shapes.nodes import (
    ITEMS,
    JSON,
    MOST_NODES,
    MOST_SETS,
    MOST_VALUES,
    POOL,
    Booleans,
    Lists,
    Node,
    Numbers,
    Records,
    Texts,
    TypeCounts,
    bucket,
    trimmed,
)
from toolcanon.drift.shapes.text_formats import SHORTEST, form, is_data, wary_of
from toolcanon.ir.conversation import Data, Result, Text
from toolcanon.ir.response import ToolResponse
from toolcanon.jsonio.types import Json, JsonObject

_PLAIN: Final = frozenset({dict, list, str, int, float, bool, type(None)})
_FLAGS: Final = (("ok", False), ("success", False), ("isError", True), ("is_error", True))
_ERRORS: Final = ("error", "errors")
_STATES: Final = frozenset({"error", "failed", "failure", "fail"})
_SAYING: Final = frozenset({"status", *_ERRORS, *(flag for flag, _ in _FLAGS)})
_STRUCTURED: Final = "structuredContent"
_MOST_TEXT: Final = 1 << 20


def plain_response(response: Any) -> Any:
    """Return a response as plain JSON, as far as possible."""
    if response.__class__ in _PLAIN:
        return response
    if isinstance(response, ToolResponse):
        return response.to_dict()
    if isinstance(response, Result):
        return _result(response)
    if isinstance(response, (bytes, bytearray)):
        return bytes(response).decode("utf-8", "replace")
    if is_dataclass(response) and not isinstance(response, type):
        return {field.name: getattr(response, field.name) for field in fields(response)}
    for dump in ("model_dump", "to_dict"):
        if callable(made := getattr(response, dump, None)) and not isinstance(response, type):
            return made()
    return response


def _result(result: Result) -> JsonObject:
    content: list[Json] = []
    for part in result.content:
        if isinstance(part, Text):
            content.append({"type": "text", "text": part.text})
        elif isinstance(part, Data):
            content.append({"type": "json", "value": part.value})
        else:
            kind = getattr(part, "kind", "")
            content.append({"type": kind if isinstance(kind, str) else ""})
    return {"content": content, "isError": bool(result.is_error)}


def is_failure(response: Any) -> bool:
    """Return whether a response states that the call failed.

    >>> [is_failure(one) for one in ({"ok": False}, {"error": None, "data": 1}, {"error": "no"})]
    [True, False, True]
    """
    if isinstance(response, str) and response[:1] == "{" and len(response) <= _MOST_TEXT:
        try:
            response = orjson.loads(response)
        except ValueError:
            return False
    if not isinstance(response, Mapping) or _SAYING.isdisjoint(response):
        return False
    for flag, bad in _FLAGS:
        if isinstance(said := response.get(flag), bool):
            return said is bad
    if any(response.get(name) for name in _ERRORS) and not response.get("data"):
        return True
    state = response.get("status")
    return isinstance(state, str) and state.lower() in _STATES


def structured(response: Any) -> tuple[tuple[str, ...], Any] | None:
    """Return what an output schema describes, and its path; None for a failure.

    This is the structured content if there is any, else the JSON in the one text of a result, else
    the response itself.
    """
    plain = plain_response(response)
    if not isinstance(plain, Mapping):
        return ((), _parsed(plain)) if isinstance(plain, str) else ((), plain)
    if plain.get("isError") is True:
        return None
    if _STRUCTURED in plain:
        return (_STRUCTURED,), plain[_STRUCTURED]
    content = plain.get("content")
    if not isinstance(content, list) or not plain.keys() <= {"content", "isError", "_meta"}:
        return (), plain
    texts = [block.get("text") for block in content if isinstance(block, Mapping)]
    if len(content) == 1 and len(texts) == 1 and isinstance(texts[0], str):
        return ("content", "*", "text", "(json)"), _parsed(texts[0])
    return (), plain


def _parsed(text: str) -> Any:
    if text[:1] not in "{[" or not text or len(text) > _MOST_TEXT:
        return text
    try:
        return orjson.loads(text)
    except ValueError:
        return text


_DEEPEST: Final = 40
_MOST_ITEMS: Final = 2_000
_MOST_VALUES: Final = 100_000
_MOST_PENDING: Final = 256
_MOST_JSON: Final = 1 << 20
_LONGEST_VALUE: Final = 64
_EXACT: Final = 1 << 53
_TWICE: Final = 2
_BRACES: Final = {"{": "}", "[": "]"}


class Learner:
    """Learns from responses, one after the other."""

    def __init__(self, key: bytes) -> None:
        self.root = Node()
        self.failed = Node()
        """The shape of failed calls: their content is no change of what answers contain."""
        self.cut = 0
        """The number of responses that were inspected only in part."""
        self._key = key
        self._ids = count()
        self._now = 0
        self._made = 0
        self._loose = 0
        self._left = 0
        self._partial = False
        self._path: list[tuple[str, Node]] = []
        self._crowded: list[Records] = []

    def take(self, response: Any, *, failed: bool) -> None:
        self._now = next(self._ids)
        self._left = _MOST_VALUES
        self._partial = False
        self._value(self.failed if failed else self.root, response, 0)
        self.cut += self._partial
        self._pool_crowded()
        if self._made > 2 * MOST_NODES:
            self.root, self.failed = (trimmed(node, MOST_NODES) for node in self.done())
            self._made = 0

    def _pool_crowded(self) -> None:
        while self._crowded:  # only at the end: the walk may be inside one of its members
            crowded = self._crowded.pop()
            if not crowded.is_map:
                for node in crowded.members.values():
                    self._flush(node)
                _flush_sets(crowded)
                crowded.pool(crowded.members.values())

    def _node(self) -> Node:
        self._made += 1
        return Node()

    def done(self) -> tuple[Node, Node]:
        """Return the nodes of answers and of failures, with all waiting values counted."""
        self._flush(self.root)
        self._flush(self.failed)
        return self.root, self.failed

    def _value(self, node: Node, value: Any, depth: int) -> None:
        if self._loose:
            self._now = next(self._ids)
        if node.last != self._now:
            node.last = self._now
            node.samples += 1
        kind = value.__class__
        if kind is str:
            self._text(node, value, depth)
        elif kind is int or kind is float:
            self._number(node, value)
        elif kind is dict:
            self._object(node, value, depth)
        elif kind is list or kind is tuple:
            self._list(node, value, depth)
        elif value is None:
            node.null = node.null or TypeCounts()
            self._counted(node.null)
        elif kind is bool:
            flags = node.boolean = node.boolean or Booleans()
            self._counted(flags)
            flags.true += value
        else:
            self._unusual(node, value, depth)

    def _counted(self, tally: TypeCounts) -> None:
        tally.count += 1
        if tally.last != self._now:
            tally.last = self._now
            tally.samples += 1

    def _unusual(self, node: Node, value: Any, depth: int) -> None:
        """Count subclasses of JSON types as these, and anything else without its content."""
        if isinstance(value, Mapping):
            self._object(node, dict(islice(value.items(), _MOST_VALUES)), depth)
        elif isinstance(value, str):
            self._text(node, str.__str__(value), depth)
        elif isinstance(value, (int, float)):
            self._number(node, value)
        else:
            node.other = node.other or TypeCounts()
            self._counted(node.other)

    def _text(self, node: Node, value: str, depth: int) -> None:
        texts = node.string
        if texts is None:
            texts = node.string = Texts()
        texts.count += 1  # as _counted does, without a call: most values are texts
        if texts.last != self._now:
            texts.last = self._now
            texts.samples += 1
        if value[:1] in _BRACES and not node.is_end and self._parsed(texts, value, depth):
            return
        waiting = texts.pending
        waiting[value] = waiting.get(value, 0) + 1
        if len(waiting) > _MOST_PENDING:
            self._flush_texts(texts)

    def _parsed(self, texts: Texts, value: str, depth: int) -> bool:
        """Learn from the content of a text that is JSON."""
        closing = value.rstrip()[-1:]
        if _BRACES[value[0]] != closing or len(value) > _MOST_JSON or depth >= _DEEPEST:
            return False
        try:
            inner = orjson.loads(value)
        except ValueError:
            return False
        place = bucket(len(value))
        texts.lengths[place] = texts.lengths.get(place, 0) + 1
        texts.formats["json"] = texts.formats.get("json", 0) + 1
        texts.values = None
        if texts.json is None:
            texts.json = self._node()
        self._below(JSON, texts.json, inner, depth)
        return True

    def _number(self, node: Node, value: float) -> None:
        numbers = node.number
        if numbers is None:
            numbers = node.number = Numbers()
        self._counted(numbers)
        # Converted here, since equal numbers of both types would share a key.
        if isinstance(value, int) and not -_EXACT <= value <= _EXACT:
            numbers.exact += 1
        waiting = numbers.pending
        waiting[value] = waiting.get(value, 0) + 1
        if len(waiting) > _MOST_PENDING:
            self._flush_numbers(numbers)

    def _list(self, node: Node, value: Any, depth: int) -> None:
        lists = node.array
        if lists is None:
            lists = node.array = Lists()
        self._counted(lists)
        size = len(value)
        place = bucket(size)
        lists.lengths[place] = lists.lengths.get(place, 0) + 1
        if size > lists.longest:
            lists.longest, lists.at_longest = size, 1
        elif size == lists.longest:
            lists.at_longest += 1
        if not size:
            return
        if lists.touched != self._now:
            lists.touched = self._now
            lists.filled += 1
        if node.is_end or not self._affordable(size, depth):
            return
        items = lists.items
        if items is None:
            items = lists.items = self._node()
        now = self._now
        self._path.append((ITEMS, items))
        for item in islice(value, _MOST_ITEMS):
            self._value(items, item, depth + 1)
        self._path.pop()
        self._now = now

    def _affordable(self, size: int, depth: int) -> bool:
        """Return whether to descend; values beyond the limits are inspected in part."""
        self._left -= min(size, _MOST_ITEMS)
        is_within = depth < _DEEPEST and self._left >= 0
        self._partial |= size > _MOST_ITEMS or not is_within
        return is_within

    def _object(self, node: Node, value: dict[Any, Any], depth: int) -> None:
        records = node.object
        if records is None:
            records = node.object = Records()
        self._counted(records)
        if node.is_end or not self._affordable(len(value), depth):
            return
        if not records.is_map:
            names = tuple(islice(value, _MOST_ITEMS))
            records.pending[names] = records.pending.get(names, 0) + 1
            if len(records.pending) > MOST_SETS:
                _flush_sets(records)
        else:
            _note_keys(records, islice(value, _MOST_ITEMS), 1)
        members = records.members
        for key, item in islice(value.items(), _MOST_ITEMS):
            member = members.get(key)
            if member is None:
                if records.is_map or is_data(key):
                    self._entry(records, key, item, depth)
                    continue
                member = members[key] = self._node()
                if records.is_crowded:
                    self._crowded.append(records)
            elif key == POOL:
                self._entry(records, key, item, depth)
                continue
            kind = item.__class__
            if kind in _SCALARS or (kind is str and item[:1] not in _BRACES):
                self._value(member, item, depth + 1)
            else:
                self._below(key, member, item, depth)

    def _entry(self, records: Records, key: Any, item: Any, depth: int) -> None:
        """Learn a value under a key that is data, or in an object that is a map."""
        pool = records.members.get(POOL)
        if pool is None:
            pool = records.members[POOL] = self._node()
        now = self._now
        self._loose += 1
        self._below(POOL if is_data(key) else key, pool, item, depth)
        self._loose -= 1
        self._now = now

    def _below(self, step: str, node: Node, value: Any, depth: int) -> None:
        """Descend; a value that contains itself is counted where it was found first."""
        path = self._path
        above = [one for name, one in path if name == step] if len(path) > _TWICE else ()
        if len(above) >= _TWICE and step != ITEMS:
            if node.last != self._now:
                node.last = self._now
                node.samples += 1
            node.again = node.again or TypeCounts()
            self._counted(node.again)
            node, now = above[1], self._now
            self._loose += 1
            self._value(node, value, depth + 1)
            self._loose -= 1
            self._now = now
            return
        path.append((step, node))
        self._value(node, value, depth + 1)
        path.pop()

    def _flush(self, node: Node) -> None:
        if node.number is not None and node.number.pending:
            self._flush_numbers(node.number)
        if node.string is not None and node.string.pending:
            self._flush_texts(node.string)
        if node.object is not None and (node.object.pending or node.object.words):
            _flush_sets(node.object)
        for _, below in node.below():
            self._flush(below)

    def _flush_texts(self, texts: Texts) -> None:
        lengths, formats, values = texts.lengths, texts.formats, texts.values
        for text, times in texts.pending.items():
            size = len(text)
            place = bucket(size)
            lengths[place] = lengths.get(place, 0) + times
            look = form(text)
            formats[look] = formats.get(look, 0) + times
            if values is not None:
                if size > _LONGEST_VALUE:
                    values = None
                else:
                    mark = self._hash(text)
                    values[mark] = values.get(mark, 0) + times
                    values = values if len(values) <= MOST_VALUES else None
        _add_suspicious(texts.wary, texts.pending)
        texts.values = values
        texts.pending = {}

    def _hash(self, text: str) -> str:
        data = text.encode("utf-8", "surrogatepass")
        return blake2b(data, key=self._key, digest_size=8).hexdigest()

    @staticmethod
    def _flush_numbers(numbers: Numbers) -> None:
        buckets = numbers.buckets
        for number, times in numbers.pending.items():
            is_float = isinstance(number, float)
            if is_float and not math.isfinite(number):
                continue
            place = bucket(number)
            buckets[place] = buckets.get(place, 0) + times
            if is_float and not number.is_integer():
                continue
            numbers.whole += times
            if abs(number) > _EXACT:
                numbers.wide += times
                numbers.rounded += times if _is_double(number) else 0
        numbers.pending = {}


_SCALARS: Final = frozenset({int, float, bool, type(None)})


def _is_double(number: float) -> bool:
    try:
        return float(number) == number
    except OverflowError:
        return False


def _add_suspicious(wary: dict[str, int], texts: dict[str, int]) -> None:
    for text, found in wary_of(texts):
        for word in found:
            wary[word] = wary.get(word, 0) + texts[text]


def _note_keys(records: Records, keys: Iterable[Any], times: int) -> None:
    """Note keys that are long enough for a sentence; many are inspected at once."""
    words = records.words
    for key in keys:
        if isinstance(key, str) and len(key) >= SHORTEST:
            words[key] = words.get(key, 0) + times
    if len(words) > _MOST_PENDING:
        _flush_keys(records)


def _flush_keys(records: Records) -> None:
    _add_suspicious(records.wary, records.words)
    records.words = {}


def _flush_sets(records: Records) -> None:
    sets = records.sets
    for names, times in records.pending.items():
        _note_keys(records, names, times)
        if sets is None:
            continue
        known = tuple(sorted({POOL if is_data(name) else name for name in names}))
        sets[known] = sets.get(known, 0) + times
        sets = sets if len(sets) <= MOST_SETS else None
    _flush_keys(records)
    records.sets = sets
    records.pending = {}
