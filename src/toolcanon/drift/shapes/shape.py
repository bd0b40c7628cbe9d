"""A shape, and its document.

Tables of counts are objects, and sets of names are lists of the indexes of their names among the
sorted members.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any, Final, Self

from toolcanon.drift.shapes.learn import Learner, is_failure, plain_response
from toolcanon.drift.shapes.nodes import (
    KINDS,
    LAST,
    MOST_MEMBERS,
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
    merged,
    trimmed,
)
from toolcanon.drift.shapes.text_formats import FORMATS, WARY
from toolcanon.errors import BadShape
from toolcanon.jsonio import digest
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


_WRITERS: Final[dict[type[TypeCounts], Any]] = {
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
            inner = _object(said[kind], place, _COUNT_FIELDS.get(make, _PLAIN))
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


_READERS: Final[dict[type[TypeCounts], Any]] = {
    Booleans: _read_booleans,
    Numbers: _read_numbers,
    Texts: _read_texts,
    Lists: _read_lists,
    Records: _read_records,
}
_PLAIN: Final = frozenset({"count", "samples"})
_COUNT_FIELDS: Final[dict[type[TypeCounts], frozenset[str]]] = {
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


VERSION: Final = "shape.v1"
_DEFAULT_KEY: Final = b"toolcanon shape.v1"
_COUNTS: Final = ("samples", "failures", "cut")
_DOCUMENT_FIELDS: Final = frozenset({"schema", "digest", "keyed", "root", "failed", *_COUNTS})


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Shape:
    """The structure of responses. Immutable; ``merge`` returns a new one.

    >>> one, other = Shape.learn([{"a": 1}]), Shape.learn([{"a": 2, "b": "x"}])
    >>> one.merge(other) == other.merge(one) == Shape.learn([{"a": 1}, {"a": 2, "b": "x"}])
    True
    """

    root: Node
    """The structure of answers."""
    failed: Node
    """The structure of responses that state a failure."""
    samples: int = 0
    """The number of responses."""
    failures: int = 0
    """The number of responses that state a failure."""
    cut: int = 0
    """The number of responses that were inspected only in part, because they were too large."""
    keyed: str = ""
    """The id of the key that values were hashed with, not the key itself."""

    @classmethod
    def learn(
        cls,
        responses: Iterable[Any],
        *,
        redact: Callable[[Any], Any] | None = None,
        key: bytes = b"",
    ) -> Self:
        """Learn from samples: any JSON values, results of tools, texts.

        ``redact`` is called with each response before anything else. ``key`` prevents guessing the
        values of short lists from their hashes; only shapes of the same key can be merged.
        """
        learner = Learner(_made_key(key))
        samples = failures = 0
        for response in responses:
            plain = plain_response(response if redact is None else redact(response))
            failed = is_failure(plain)
            samples += 1
            failures += failed
            learner.take(plain, failed=failed)
        root, broken = (trimmed(node, MOST_NODES) for node in learner.done())
        return cls(root, broken, samples, failures, learner.cut, _mark(key))

    def merge(self, other: Shape) -> Shape:
        """Return the merged shape, equal to learning from all samples at once, in any order."""
        if not other.samples:
            return self
        if not self.samples:
            return other
        self.ensure_comparable(other)
        return Shape(
            trimmed(merged(self.root, other.root) or Node(), MOST_NODES),
            trimmed(merged(self.failed, other.failed) or Node(), MOST_NODES),
            self.samples + other.samples,
            self.failures + other.failures,
            self.cut + other.cut,
            self.keyed,
        )

    def ensure_comparable(self, other: Shape) -> None:
        """Raise BadShape when values were hashed with different keys."""
        if self.samples and other.samples and self.keyed != other.keyed:
            raise BadShape("its values were hashed with another key")

    @property
    def answers(self) -> int:
        """The number of responses that are not failures."""
        return self.samples - self.failures

    @property
    def digest(self) -> str:
        """A digest of the content."""
        return digest(["toolcanon", VERSION, self._body()])

    def to_dict(self) -> JsonObject:
        """Return plain JSON without any value, as docs/schemas/shape.v1.json describes it."""
        body = self._body()
        return {"schema": VERSION, "digest": digest(["toolcanon", VERSION, body]), **body}

    def _body(self) -> JsonObject:
        counts = {name: getattr(self, name) for name in _COUNTS}
        roots = {"root": written(self.root), "failed": written(self.failed)}
        return {**counts, "keyed": self.keyed, **roots}

    @classmethod
    def from_dict(cls, document: Any) -> Self:
        """Return the shape that ``to_dict`` wrote. Raises BadShape."""
        if not isinstance(document, dict) or not isinstance(document.get("schema"), str):
            raise BadShape("it is not a shape")
        if document["schema"] != VERSION:
            raise BadShape("its version is unknown")
        keyed = document.get("keyed")
        if not isinstance(keyed, str) or len(keyed) not in {0, _HASH}:
            raise BadShape("it does not name its key")
        counts: list[Any] = [document.get(name) for name in _COUNTS]
        if any(one.__class__ is not int or one < 0 for one in counts):
            raise BadShape("it has no number of samples")
        root, failed = (read(document.get(name), f"/{name}") for name in ("root", "failed"))
        made = cls(root, failed, counts[0], counts[1], counts[2], keyed)
        if not document.keys() <= _DOCUMENT_FIELDS or document.get("digest") != made.digest:
            raise BadShape("its digest does not match its content: it was damaged or edited")
        return made

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Shape) and self._body() == other._body()

    def __hash__(self) -> int:
        return hash((self.samples, self.failures))

    def __repr__(self) -> str:
        return f"<Shape of {self.samples:,} responses>"


def _made_key(key: bytes) -> bytes:
    """Return a key of the right size; without one, a public constant."""
    return blake2b(key, digest_size=32, person=b"toolcanon").digest() if key else _DEFAULT_KEY


def _mark(key: bytes) -> str:
    return blake2b(_made_key(key), digest_size=8, person=b"which key").hexdigest() if key else ""
