"""Nodes of a shape: counts of types and values, in buckets.

Everything here is a sum, a maximum, or a table that is dropped for good once it is too full, so
merging is exact: any split of the same responses, in any order, gives the same result. ``count``
counts values and ``samples`` the responses with them. Below a map, and in recursive structures,
every value is a sample of its own, because the keys of one response are not kept there.

Nodes change while they are learned and never again; merged ones may share parts.

The bucket of a number depends on the number alone, so sketches can be added exactly, in any order.
Integers up to fifteen have a bucket of their own; above, a bucket is at most an eighth of its lower
end wide.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final, TypeVar

_SMALLEST, _LARGEST = -32, 65
"""Powers of two; larger numbers share the last bucket on their side."""
_BELOW: Final = 1 - 8 * _SMALLEST
LAST: Final = 8 * _LARGEST + _BELOW + 8


def bucket(number: float) -> int:
    """Return the bucket of a finite number; larger numbers have larger ones.

    >>> bucket(0), bucket(-3) == -bucket(3), bucket(15) < bucket(16) == bucket(17) < bucket(18)
    (0, True, True)
    """
    return _SMALL[number] if number in _SMALL else _placed(number)


def _placed(number: float) -> int:
    if number == 0:
        return 0
    try:
        mantissa, power = math.frexp(abs(number))
    except OverflowError:
        mantissa, power = 0.5, _LARGEST + 1
    if power < _SMALLEST:
        mantissa, power = 0.5, _SMALLEST
    elif power > _LARGEST:
        mantissa, power = 0.5, _LARGEST + 1
    place = 8 * power + int(mantissa * 16) - 8 + _BELOW
    return place if number > 0 else -place


_SMALL: Final[dict[float, int]] = {number: _placed(number) for number in range(256)}
"""Buckets of small integers, computed in advance: most lengths, and many numbers."""


def middle(place: int) -> float:
    """Return a representative number of a bucket."""
    if place == 0:
        return 0.0
    power, eighth = divmod(abs(place) - _BELOW, 8)
    return math.copysign(math.ldexp(8.5 + eighth, power - 4), place)


def quantile(sketch: Mapping[int, int], share: float) -> float:
    """Return approximately the number below which this share of all numbers is."""
    wanted, passed = share * sum(sketch.values()), 0
    for place in sorted(sketch):
        passed += sketch[place]
        if passed >= wanted:
            return middle(place)
    return 0.0


def superiority(one: Mapping[int, int], other: Mapping[int, int]) -> float:
    """Return the share of pairs in which the other number is larger; ties count half."""
    ones, others = sum(one.values()), sum(other.values())
    passed, wins = 0, 0.0
    for place in sorted(one.keys() | other.keys()):
        here = one.get(place, 0)
        wins += other.get(place, 0) * (passed + here / 2)
        passed += here
    return wins / (ones * others) if ones and others else 0.5


POOL: Final = "{}"
"""The member that represents every key that is data."""
ITEMS: Final = "*"
JSON: Final = "(json)"
MOST_MEMBERS: Final = 128
"""An object with more names than this is a map."""
MOST_SETS: Final = 32
MOST_VALUES: Final = 64
MOST_NODES: Final = 20_000
"""A tree with more places than this loses its lowest levels; up to it, merging is exact."""
_Key = TypeVar("_Key")


def added(one: dict[_Key, int], other: dict[_Key, int]) -> dict[_Key, int]:
    """Return the sum of two tables of counts."""
    if not one or not other:
        return one or other
    out = dict(one)
    for key, count in other.items():
        out[key] = out.get(key, 0) + count
    return out


def capped(
    one: dict[_Key, int] | None, other: dict[_Key, int] | None, most: int
) -> dict[_Key, int] | None:
    """Return the sum, or None when it is too large or one of them is None."""
    if one is None or other is None:
        return None
    both = added(one, other)
    return both if len(both) <= most else None


class TypeCounts:
    """How many values of one type there were, in how many responses."""

    __slots__ = ("count", "last", "samples")

    def __init__(self) -> None:
        self.count = 0
        self.samples = 0
        self.last = -1
        """The response that was counted last."""

    def merged(self, other: Any) -> Any:
        """Return the sum of two tallies."""
        out = self.__class__()
        out.count = self.count + other.count
        out.samples = self.samples + other.samples
        self._merge(other, out)
        return out

    def loosened(self) -> Any:
        """Return a copy with every value as a sample of its own."""
        out = self.__class__()
        self._copy(out)
        out.count = out.samples = self.count
        return out

    def shortened(self, depth: int) -> Any:  # noqa: ARG002 - only some have anything below
        """Return a copy with so many levels below it."""
        return self

    def _merge(self, other: Any, out: Any) -> None: ...

    def _copy(self, out: Any) -> None: ...


class Booleans(TypeCounts):
    """true and false."""

    __slots__ = ("true",)

    def __init__(self) -> None:
        super().__init__()
        self.true = 0

    def _merge(self, other: Booleans, out: Booleans) -> None:
        out.true = self.true + other.true

    def _copy(self, out: Booleans) -> None:
        out.true = self.true


class Numbers(TypeCounts):
    """Numbers, in buckets."""

    __slots__ = ("buckets", "exact", "pending", "rounded", "whole", "wide")

    def __init__(self) -> None:
        super().__init__()
        self.whole = 0
        self.wide = 0
        """Integers that may not fit a double."""
        self.rounded = 0
        """Those of them that fit."""
        self.exact = 0
        """Those of them that were written as integers; none in shapes of earlier versions."""
        self.buckets: dict[int, int] = {}
        self.pending: dict[float, int] = {}

    def _merge(self, other: Numbers, out: Numbers) -> None:
        out.whole = self.whole + other.whole
        out.wide = self.wide + other.wide
        out.rounded = self.rounded + other.rounded
        out.exact = self.exact + other.exact
        out.buckets = added(self.buckets, other.buckets)

    def _copy(self, out: Numbers) -> None:
        out.whole, out.wide, out.rounded = self.whole, self.wide, self.rounded
        out.exact = self.exact
        out.buckets = self.buckets


class Texts(TypeCounts):
    """Texts: lengths, formats, distinct values if they are few, and suspicious content."""

    __slots__ = ("formats", "json", "lengths", "pending", "values", "wary")

    def __init__(self) -> None:
        super().__init__()
        self.lengths: dict[int, int] = {}
        self.formats: dict[str, int] = {}
        self.values: dict[str, int] | None = {}
        """Hashes; None when there are too many for an enumeration."""
        self.wary: dict[str, int] = {}
        self.json: Node | None = None
        """The contents of texts that are JSON."""
        self.pending: dict[str, int] = {}

    def _merge(self, other: Texts, out: Texts) -> None:
        out.lengths = added(self.lengths, other.lengths)
        out.formats = added(self.formats, other.formats)
        out.values = capped(self.values, other.values, MOST_VALUES)
        out.wary = added(self.wary, other.wary)
        out.json = merged(self.json, other.json)

    def _copy(self, out: Texts) -> None:
        out.lengths, out.formats = self.lengths, self.formats
        out.values, out.wary = self.values, self.wary
        out.json = None if self.json is None else self.json.loosened()

    def shortened(self, depth: int) -> Texts:
        out: Texts = self.merged(Texts())
        out.json = None if self.json is None or not depth else _cut(self.json, depth - 1)
        return out


class Lists(TypeCounts):
    """Lists: lengths, how often not empty, and their items."""

    __slots__ = ("at_longest", "filled", "items", "lengths", "longest", "touched")

    def __init__(self) -> None:
        super().__init__()
        self.lengths: dict[int, int] = {}
        self.filled = 0
        """Responses with a list that is not empty."""
        self.touched = -1
        self.longest = 0
        self.at_longest = 0
        self.items: Node | None = None

    def _merge(self, other: Lists, out: Lists) -> None:
        out.lengths = added(self.lengths, other.lengths)
        out.filled = self.filled + other.filled
        out.longest = max(self.longest, other.longest)
        out.at_longest = sum(one.at_longest for one in (self, other) if one.longest == out.longest)
        out.items = merged(self.items, other.items)

    def _copy(self, out: Lists) -> None:
        out.lengths = self.lengths
        out.filled = self.count - self.lengths.get(0, 0)
        out.longest, out.at_longest = self.longest, self.at_longest
        out.items = None if self.items is None else self.items.loosened()

    def shortened(self, depth: int) -> Lists:
        out: Lists = self.merged(Lists())
        out.items = None if self.items is None or not depth else _cut(self.items, depth - 1)
        return out


class Records(TypeCounts):
    """Objects: members by name, sets of them that occur together, and suspicious names."""

    __slots__ = ("is_map", "members", "pending", "sets", "wary", "words")

    def __init__(self) -> None:
        super().__init__()
        self.members: dict[str, Node] = {}
        self.is_map = False
        self.sets: dict[tuple[str, ...], int] | None = {}
        """Names that occurred together, sorted; None when there are too many such sets."""
        self.wary: dict[str, int] = {}
        """Of every key, whether or not it is kept as a name: a model reads them all."""
        self.pending: dict[tuple[Any, ...], int] = {}
        self.words: dict[str, int] = {}
        """Keys that are long enough for a sentence and were not inspected yet."""

    def _merge(self, other: Records, out: Records) -> None:
        out.wary = added(self.wary, other.wary)
        ours, theirs = self.members, other.members
        names = {**ours, **theirs}
        if self.is_map or other.is_map or len(names) - (POOL in names) > MOST_MEMBERS:
            out.pool([*ours.values(), *theirs.values()])
            return
        both = {name: merged(ours.get(name), theirs.get(name)) for name in names}
        out.members = {name: node for name, node in both.items() if node is not None}
        out.sets = capped(self.sets, other.sets, MOST_SETS)

    def _copy(self, out: Records) -> None:
        out.wary = self.wary
        if self.is_map or self.is_crowded:  # a response may have crowded its container as well
            out.pool(self.members.values())
            return
        out.members = {name: node.loosened() for name, node in self.members.items()}
        out.sets = self.sets

    @property
    def is_crowded(self) -> bool:
        """Whether it has too many names to be anything but a map."""
        return len(self.members) - (POOL in self.members) > MOST_MEMBERS

    def shortened(self, depth: int) -> Records:
        out: Records = self.merged(Records())
        out.members = {}
        if depth:
            out.members = {name: _cut(node, depth - 1) for name, node in self.members.items()}
        else:
            out.sets = None
        return out

    def pool(self, nodes: Iterable[Node]) -> None:
        """Become a map with the merged values of these nodes."""
        whole = together(node.loosened() for node in nodes)
        self.members = {} if whole is None else {POOL: whole}
        self.is_map, self.sets = True, None


class Node:
    """One place in responses."""

    __slots__ = (
        "again", "array", "boolean", "is_end", "last", "null", "number", "object", "other",
        "samples", "string",
    )  # fmt: skip

    def __init__(self) -> None:
        self.samples = 0
        self.last = -1
        self.is_end = False
        """Whether the levels below are dropped, because the whole became too large."""
        self.null: TypeCounts | None = None
        self.boolean: Booleans | None = None
        self.number: Numbers | None = None
        self.string: Texts | None = None
        self.array: Lists | None = None
        self.object: Records | None = None
        self.other: TypeCounts | None = None
        """Values that are not JSON."""
        self.again: TypeCounts | None = None
        """Values that contain themselves, counted further up."""

    @property
    def count(self) -> int:
        return sum(tally.count for _, tally in self.tallies())

    def tallies(self) -> Iterator[tuple[str, TypeCounts]]:
        """Yield the types that occurred, in a fixed order."""
        for kind in KINDS:
            tally = getattr(self, kind)
            if tally is not None:
                yield kind, tally

    def below(self) -> Iterator[tuple[str, Node]]:
        """Yield the nodes below, with the step that leads there."""
        if self.string is not None and self.string.json is not None:
            yield JSON, self.string.json
        if self.array is not None and self.array.items is not None:
            yield ITEMS, self.array.items
        if self.object is not None:
            yield from self.object.members.items()

    def loosened(self) -> Node:
        """Return a copy with every value as a sample of its own."""
        out = Node()
        out.samples, out.is_end = self.count, self.is_end
        for kind, tally in self.tallies():
            setattr(out, kind, tally.loosened())
        return out


KINDS: Final[dict[str, type[TypeCounts]]] = {
    "null": TypeCounts,
    "boolean": Booleans,
    "number": Numbers,
    "string": Texts,
    "array": Lists,
    "object": Records,
    "other": TypeCounts,
    "again": TypeCounts,
}


def merged(one: Node | None, other: Node | None) -> Node | None:
    """Return the sum of two nodes; None stands for an empty one."""
    if one is None or other is None:
        return one or other
    out = Node()
    out.samples = one.samples + other.samples
    for kind in KINDS:
        ours, theirs = getattr(one, kind), getattr(other, kind)
        both = ours.merged(theirs) if ours is not None and theirs is not None else ours or theirs
        setattr(out, kind, both)
    return _cut(out, 0) if one.is_end or other.is_end else out


def together(nodes: Iterable[Node]) -> Node | None:
    """Return the sum of all nodes."""
    out: Node | None = None
    for node in nodes:
        out = merged(out, node)
    return out


def trimmed(root: Node, most: int) -> Node:
    """Return the upper levels of a tree that is too large, as many as fit."""
    level, kept, depth = [root], 1, 0
    while level and kept <= most:
        level = [below for node in level for _, below in node.below()]
        kept += len(level)
        depth += 1
    return _cut(root, depth - 1) if level else root


def _cut(node: Node, depth: int) -> Node:
    """Return a copy with so many levels below it."""
    out = Node()
    out.samples, out.is_end = node.samples, node.is_end or depth == 0
    for kind, tally in node.tallies():
        setattr(out, kind, tally.shortened(depth))
    return out
