"""What several schemas ask of a value together: its kind, its bounds, its members.

Read from the nodes themselves: what stands in their unions, parts and references is not looked at,
so that never less is left than they leave.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Final, NamedTuple

from toolcanon.jsonio.types import Json, JsonObject
from toolcanon.schema.values import strings_in

_KINDS: Final = ("null", "boolean", "integer", "fraction", "string", "array", "object")
_ONLY_TYPE: Final = frozenset({"type", "title", "description", "default", "examples", "$comment"})
_SHORT: Final = 64  # values of an enum that are compared one by one
_LARGEST_STEP: Final = 10**30  # larger ones are left out, lest their product grow


_REMARKS: Final = frozenset({"type", "title", "description", "nullable", "$comment"})
_LENIENT: Final = {
    "array": _REMARKS | {"items", "prefixItems", "uniqueItems"},
    "object": _REMARKS | {"properties", "additionalProperties", "patternProperties"},
    "string": _REMARKS,
}
"""What may be said of a type without refusing its empty value."""


class Span(NamedTuple):
    """The numbers that are left; ``above`` and ``below`` exclude the bounds themselves."""

    low: Fraction | None
    above: bool
    high: Fraction | None
    below: bool
    step: int | None
    """An integer that all of them are multiples of."""

    def is_empty(self) -> bool:
        """Whether the bounds leave nothing between them."""
        if self.low is None or self.high is None or self.low < self.high:
            return False
        return self.low > self.high or self.above or self.below

    def no_integer(self) -> bool:
        """Whether there is certainly no integer in it."""
        low, high = self.ends()
        return low is not None and high is not None and low > high

    def no_fraction(self) -> bool:
        """Whether there is certainly none but integers in it."""
        if self.step is not None:
            return True
        if self.is_empty():
            return True
        return self.low is not None and self.low == self.high and self.low.denominator == 1

    def ends(self) -> tuple[int | None, int | None]:
        """The lowest and the highest multiple of the step."""
        low = high = None
        step = self.step or 1
        if self.low is not None:
            lowest = math.floor(self.low) + 1 if self.above else math.ceil(self.low)
            low = -(-lowest // step) * step
        if self.high is not None:
            highest = math.ceil(self.high) - 1 if self.below else math.floor(self.high)
            high = highest // step * step
        return low, high


def shares_empty(a: Json, b: Json) -> bool:
    """Whether the empty value of one type is valid for both, told at a glance."""
    if a.__class__ is not dict or b.__class__ is not dict:
        return False
    kind = a.get("type")
    lenient = _LENIENT.get(kind) if kind.__class__ is str and kind == b.get("type") else None
    return lenient is not None and a.keys() <= lenient and b.keys() <= lenient


def span(nodes: Sequence[JsonObject]) -> Span:
    """The numbers that several schemas leave together, or more of them, never fewer."""
    lows = [(Fraction(number), False) for number in _numbers(nodes, "minimum")]
    lows += [(Fraction(number), True) for number in _numbers(nodes, "exclusiveMinimum")]
    highs = [(Fraction(number), True) for number in _numbers(nodes, "maximum")]
    highs += [(Fraction(number), False) for number in _numbers(nodes, "exclusiveMaximum")]
    low, above = max(lows, default=(None, False))
    high, included = min(highs, default=(None, True))
    step = None
    for factor in _numbers(nodes, "multipleOf"):
        if factor.__class__ is int and 0 < factor < _LARGEST_STEP and (step or 1) < _LARGEST_STEP:
            step = math.lcm(step or 1, factor)
    return Span(low, above, high, not included, step)


def at_least(nodes: Sequence[JsonObject], key: str) -> int:
    """The largest of their lower bounds on a length or a number of things."""
    return math.ceil(max(_numbers(nodes, key), default=0))


def at_most(nodes: Sequence[JsonObject], key: str) -> float:
    """The smallest of their upper bounds."""
    return min(_numbers(nodes, key), default=math.inf)


def kinds_left(nodes: Sequence[JsonObject]) -> list[str]:
    """The kinds of values that their types leave; a number is an integer or a fraction.

    >>> kinds_left([{"type": ["number", "null"]}, {"not": {"type": "integer"}}])
    ['null', 'fraction']
    """
    left = list(_KINDS)
    for node in nodes:
        if "type" in node:
            said = _kinds(node["type"])
            left = [kind for kind in left if said is None or kind in said]
        other = node.get("not")
        if other.__class__ is dict and "type" in other and other.keys() <= _ONLY_TYPE:
            said = _kinds(other["type"])
            left = [kind for kind in left if said is None or kind not in said]
    return left


def values_left(nodes: Sequence[JsonObject]) -> list[Json] | None:
    """The values that an enum or a const leaves, by the shortest of them; None without any."""
    lists = [[node["const"]] for node in nodes if "const" in node]
    lists += [node["enum"] for node in nodes if node.get("enum").__class__ is list]
    if len(lists) < 2 or max(map(len, lists)) > _SHORT:  # noqa: PLR2004 - nothing to compare
        return min(lists, key=len, default=None)
    # Words are told apart at once; other values are for a validator.
    return [
        value
        for value in min(lists, key=len)
        if value.__class__ is not str or all(value in values for values in lists)
    ]


def names_required(nodes: Sequence[JsonObject]) -> dict[str, None]:
    """The members an object must have, those among them that others entail; in order."""
    names = [name for node in nodes for name in strings_in(node.get("required"))]
    entailed: dict[str, list[str]] = {}
    for node in nodes:
        table = node.get("dependentRequired")
        for name, more in table.items() if table.__class__ is dict else ():
            entailed.setdefault(name, []).extend(strings_in(more))
    found: dict[str, None] = {}
    while names:
        found.update(dict.fromkeys(names))
        more_names = (more for name in names for more in entailed.pop(name, ()))
        names = [name for name in more_names if name not in found]
    return found


def _kinds(types: Json) -> set[str] | None:
    """None for words that are no types: nobody knows what they leave."""
    words = types if types.__class__ is list else [types]
    if not words or not all(word.__class__ is str for word in words):
        return None
    kinds = {"integer" if word == "number" else word for word in words}
    kinds |= {"fraction"} if "number" in words else set()
    return kinds if kinds <= set(_KINDS) and "fraction" not in words else None


def _numbers(nodes: Sequence[JsonObject], key: str) -> list[Json]:
    found = (node.get(key) for node in nodes)
    return [
        number
        for number in found
        if number.__class__ is int or (number.__class__ is float and math.isfinite(number))
    ]
