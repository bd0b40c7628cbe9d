"""Shapes as plain JSON, read with a check of every member, because stored data may be damaged.

Tables of counts are objects, and sets of names are lists of the indexes of their names among the
sorted members.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from toolcanon.drift.shapes.buckets import LAST
from toolcanon.drift.shapes.forms import FORMATS
from toolcanon.drift.shapes.nodes import (
    KINDS,
    MOST_MEMBERS,
    MOST_SETS,
    MOST_VALUES,
    POOL,
    Booleans,
    Lists,
    Node,
    Numbers,
    Records,
    Tally,
    Texts,
)
from toolcanon.drift.shapes.wary import WARY
from toolcanon.errors import BadShape
from toolcanon.jsonio.types import JsonObject

_DEEPEST: Final = 200
_HEX: Final = frozenset("0123456789abcdef")
_HASH: Final = 16


def written(node: Node) -> JsonObject:
    """Return a node and everything below it as JSON."""
    out: JsonObject = {"samples": node.samples}
    if node.is_end:
        out["is_end"] = True
    for kind, tally in node.tallies():
        said: JsonObject = {"count": tally.count, "samples": tally.samples}
        writer = _WRITERS.get(tally.__class__)
        out[kind] = said if writer is None else {**said, **writer(tally)}
    return out


def _booleans(tally: Booleans) -> JsonObject:
    return {"true": tally.true}


def _numbers(tally: Numbers) -> JsonObject:
    out: JsonObject = {"whole": tally.whole}
    if tally.wide:
        out |= {"wide": tally.wide, "rounded": tally.rounded}
    if tally.exact:
        out["exact"] = tally.exact
    return {**out, "buckets": _counts(tally.buckets)}


def _texts(tally: Texts) -> JsonObject:
    out: JsonObject = {"lengths": _counts(tally.lengths), "formats": _counts(tally.formats)}
    if tally.values is not None:
        out["values"] = _counts(tally.values)
    if tally.wary:
        out["wary"] = _counts(tally.wary)
    return out if tally.json is None else {**out, "json": written(tally.json)}


def _lists(tally: Lists) -> JsonObject:
    out: JsonObject = {
        "filled": tally.filled,
        "longest": tally.longest,
        "at_longest": tally.at_longest,
        "lengths": _counts(tally.lengths),
    }
    return out if tally.items is None else {**out, "items": written(tally.items)}


def _records(tally: Records) -> JsonObject:
    names = sorted(tally.members)
    out: JsonObject = {"members": {name: written(tally.members[name]) for name in names}}
    if tally.wary:
        out["wary"] = _counts(tally.wary)
    if tally.is_map:
        return {**out, "is_map": True}
    if tally.sets is None:
        return out
    places = {name: place for place, name in enumerate(names)}
    known = sorted(([places[name] for name in found], times) for found, times in tally.sets.items())
    return {**out, "sets": [[found, times] for found, times in known]}


_WRITERS: Final[dict[type[Tally], Any]] = {
    Booleans: _booleans,
    Numbers: _numbers,
    Texts: _texts,
    Lists: _lists,
    Records: _records,
}


def _counts(table: Mapping[Any, int]) -> JsonObject:
    return {str(key): table[key] for key in sorted(table)}


def read(document: Any, at: str = "", depth: int = 0) -> Node:
    """Return a node from its JSON. Raises BadShape."""
    if depth > _DEEPEST:
        raise BadShape("it is nested too deeply", at)
    said = _object(document, at, {"samples", "is_end", *KINDS})
    node = Node()
    node.is_end = said.get("is_end", False) is True
    node.samples = _whole(said, "samples", at)
    for kind, make in KINDS.items():
        if kind in said:
            place = f"{at}/{kind}"
            tally = make()
            inner = _object(said[kind], place, _FIELDS.get(make, _PLAIN))
            tally.count = _whole(inner, "count", place)
            tally.samples = _whole(inner, "samples", place)
            reader = _READERS.get(make)
            if reader is not None:
                reader(tally, inner, place, depth + 1)
            setattr(node, kind, tally)
    return node


def _read_booleans(tally: Booleans, said: JsonObject, at: str, _: int) -> None:
    tally.true = _whole(said, "true", at)


def _read_numbers(tally: Numbers, said: JsonObject, at: str, _: int) -> None:
    tally.whole = _whole(said, "whole", at)
    tally.wide = _whole(said, "wide", at) if "wide" in said else 0
    tally.rounded = _whole(said, "rounded", at) if "rounded" in said else 0
    tally.exact = _whole(said, "exact", at) if "exact" in said else 0
    tally.buckets = _buckets(said, "buckets", at)


def _read_texts(tally: Texts, said: JsonObject, at: str, depth: int) -> None:
    tally.lengths = _buckets(said, "lengths", at)
    tally.formats = _words(said, "formats", at, FORMATS)
    tally.wary = _words(said, "wary", at, WARY)
    tally.values = None
    if "values" in said:
        tally.values = _table(said, "values", at)
        if len(tally.values) > MOST_VALUES or not all(map(_is_hash, tally.values)):
            raise BadShape("these are not hashes, or too many", f"{at}/values")
    if "json" in said:
        tally.json = read(said["json"], f"{at}/json", depth)


def _read_lists(tally: Lists, said: JsonObject, at: str, depth: int) -> None:
    tally.filled = _whole(said, "filled", at)
    tally.longest = _whole(said, "longest", at)
    tally.at_longest = _whole(said, "at_longest", at)
    tally.lengths = _buckets(said, "lengths", at)
    if "items" in said:
        tally.items = read(said["items"], f"{at}/items", depth)


def _read_records(tally: Records, said: JsonObject, at: str, depth: int) -> None:
    members = said.get("members")
    if not isinstance(members, dict) or len(members) > MOST_MEMBERS + 1:
        raise BadShape("members are not an object, or too many", at)
    for name in members:
        tally.members[name] = read(members[name], f"{at}/members/{name}", depth)
    tally.wary = _words(said, "wary", at, WARY)
    tally.is_map = said.get("is_map", False) is True
    if tally.is_map and not members.keys() <= {POOL}:
        raise BadShape("a map has no names", at)
    if "sets" not in said:
        tally.sets = None
        return
    names, sets = sorted(members), said["sets"]
    if not isinstance(sets, list) or len(sets) > MOST_SETS:
        raise BadShape("sets are not a list, or too many", at)
    for row in sets:
        if not isinstance(row, list) or len(row) != 2 or not isinstance(row[0], list):  # noqa: PLR2004
            raise BadShape("a set must be a list of members and a count", f"{at}/sets")
        found = [names[place] for place in row[0] if _is_count(place) and place < len(names)]
        if len(found) != len(row[0]) or not _is_count(row[1]) or tally.sets is None:
            raise BadShape("a set has no member or no count", f"{at}/sets")
        tally.sets[tuple(found)] = row[1]


_READERS: Final[dict[type[Tally], Any]] = {
    Booleans: _read_booleans,
    Numbers: _read_numbers,
    Texts: _read_texts,
    Lists: _read_lists,
    Records: _read_records,
}
_PLAIN: Final = frozenset({"count", "samples"})
_FIELDS: Final[dict[type[Tally], frozenset[str]]] = {
    Booleans: _PLAIN | {"true"},
    Numbers: _PLAIN | {"whole", "wide", "rounded", "exact", "buckets"},
    Texts: _PLAIN | {"lengths", "formats", "values", "wary", "json"},
    Lists: _PLAIN | {"filled", "longest", "at_longest", "lengths", "items"},
    Records: _PLAIN | {"members", "is_map", "sets", "wary"},
}


def _object(value: Any, at: str, known: frozenset[str] | set[str]) -> JsonObject:
    if not isinstance(value, dict):
        raise BadShape("an object is missing", at)
    if not value.keys() <= known:
        raise BadShape("it has unknown members", at)
    return value


def _is_count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _is_hash(text: str) -> bool:
    return len(text) == _HASH and _HEX.issuperset(text)


def _whole(said: JsonObject, key: str, at: str) -> int:
    value: Any = said.get(key)
    if not _is_count(value):
        raise BadShape(f"{key} is not a count", at)
    return int(value)


def _table(said: JsonObject, key: str, at: str) -> dict[str, int]:
    table = said.get(key, {})
    if not isinstance(table, dict) or not all(map(_is_count, table.values())):
        raise BadShape(f"{key} is not a table of counts", at)
    return dict(table)


def _words(said: JsonObject, key: str, at: str, known: Any) -> dict[str, int]:
    table = _table(said, key, at)
    if not all(word in known for word in table):
        raise BadShape(f"{key} has unknown names", at)
    return table


def _buckets(said: JsonObject, key: str, at: str) -> dict[int, int]:
    out = {}
    for text, times in _table(said, key, at).items():
        if not text.removeprefix("-").isdecimal() or len(text) > 6 or abs(int(text)) > LAST:  # noqa: PLR2004
            raise BadShape(f"{key} has a bucket that does not exist", at)
        out[int(text)] = times
    return out
