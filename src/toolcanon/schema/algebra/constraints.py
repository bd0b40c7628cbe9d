"""Constraints on one value: bounds, members, null, and bounds that are implied.

Read from the nodes alone: their unions, parts and references are not followed, so that the result
is never narrower than the schema.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Final, NamedTuple

from toolcanon.jsonio.types import Json, JsonObject
from toolcanon.schema.keywords import ANNOTATIONS
from toolcanon.schema.values import strings_in, types_of

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
"""Keywords of a type that accept its empty value."""


class NumberRange(NamedTuple):
    """The numbers that are left; ``above`` and ``below`` exclude the bounds themselves."""

    low: Fraction | None
    above: bool
    high: Fraction | None
    below: bool
    step: int | None
    """An integer that all of them are multiples of."""

    def is_empty(self) -> bool:
        """Return whether the bounds leave nothing between them."""
        if self.low is None or self.high is None or self.low < self.high:
            return False
        return self.low > self.high or self.above or self.below

    def no_integer(self) -> bool:
        """Return whether there is certainly no integer in it."""
        low, high = self.ends()
        return low is not None and high is not None and low > high

    def no_fraction(self) -> bool:
        """Return whether there is certainly none but integers in it."""
        if self.step is not None:
            return True
        if self.is_empty():
            return True
        return self.low is not None and self.low == self.high and self.low.denominator == 1

    def ends(self) -> tuple[int | None, int | None]:
        """Return the lowest and the highest multiple of the step."""
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
    """Return whether the empty value of one type is valid for both, without a validator."""
    if a.__class__ is not dict or b.__class__ is not dict:
        return False
    kind = a.get("type")
    lenient = _LENIENT.get(kind) if kind.__class__ is str and kind == b.get("type") else None
    return lenient is not None and a.keys() <= lenient and b.keys() <= lenient


def span(nodes: Sequence[JsonObject]) -> NumberRange:
    """Return the numbers that several schemas leave together, or more of them, never fewer."""
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
    return NumberRange(low, above, high, not included, step)


def at_least(nodes: Sequence[JsonObject], key: str) -> int:
    """Return the largest of their lower bounds on a length or a number of things."""
    return math.ceil(max(_numbers(nodes, key), default=0))


def at_most(nodes: Sequence[JsonObject], key: str) -> float:
    """Return the smallest of their upper bounds."""
    return min(_numbers(nodes, key), default=math.inf)


def kinds_left(nodes: Sequence[JsonObject]) -> list[str]:
    """Return the kinds of values that their types leave; a number is an integer or a fraction.

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
    """Return the values of an enum or a const, of the shortest one; None without any."""
    lists = [[node["const"]] for node in nodes if "const" in node]
    lists += [node["enum"] for node in nodes if node.get("enum").__class__ is list]
    if len(lists) < 2 or max(map(len, lists)) > _SHORT:  # noqa: PLR2004 - nothing to compare
        return min(lists, key=len, default=None)
    # Strings are compared at once; other values are for a validator.
    return [
        value
        for value in min(lists, key=len)
        if value.__class__ is not str or all(value in values for values in lists)
    ]


def names_required(nodes: Sequence[JsonObject]) -> dict[str, None]:
    """Return the members an object must have, those among them that others entail; in order."""
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
    """Return the types; None for unknown names of types, which may accept anything."""
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


NULL: Final[JsonObject] = {"type": "null"}
"""To be copied: what is written is for its owner to change."""
_DEEPEST: Final = 200
_COMPOUND: Final = frozenset({"anyOf", "oneOf", "allOf", "not", "$ref"})
_LISTING_OR_COMPOUND: Final = _COMPOUND | {"const", "enum"}


def takes_null(schema: Json, find: Callable[[Json], Json]) -> bool:
    """Return whether a schema accepts null; ``find`` gives what a reference leads to, or None.

    >>> takes_null({"anyOf": [{"type": "string"}, {"type": "null"}]}, lambda ref: None)
    True
    """
    return _takes(schema, find, {}, _DEEPEST)


def _takes(schema: Json, find: Callable[[Json], Json], known: dict[str, bool], depth: int) -> bool:
    if schema.__class__ is not dict or depth == 0:
        return schema is True
    kind = schema.get("type")
    if kind is not None and kind != "null" and not (kind.__class__ is list and "null" in kind):
        return False
    if "enum" in schema and None not in schema["enum"]:
        return False
    if "const" in schema and schema["const"] is not None:
        return False
    ref = schema.get("$ref")
    if ref.__class__ is str:
        if ref not in known:
            known[ref] = False  # what leads only to itself takes nothing
            known[ref] = _takes(find(ref), find, known, depth - 1)
        if not known[ref]:
            return False
    if not all(_takes(part, find, known, depth - 1) for part in schema.get("allOf") or ()):
        return False
    for union in ("anyOf", "oneOf"):
        branches = schema.get(union)
        if branches and not any(_takes(branch, find, known, depth - 1) for branch in branches):
            return False
    refused = schema.get("not")
    return not (refused is not None and _takes(refused, find, known, depth - 1))


def with_null(schema: Json) -> JsonObject:
    """Return a schema that accepts null as well. It must not do so already.

    >>> with_null({"type": "string", "enum": ["a"]})
    {'type': ['string', 'null'], 'enum': ['a', None]}
    """
    if schema is False:
        return NULL.copy()
    kind = schema.get("type")
    if kind.__class__ is str and kind != "null" and _LISTING_OR_COMPOUND.isdisjoint(schema):
        return {**schema, "type": [kind, "null"]}  # as most are
    if kind is None or not _COMPOUND.isdisjoint(schema):
        unions = [key for key in ("anyOf", "oneOf") if key in schema]
        asserts = schema.keys() - ANNOTATIONS
        if unions and asserts == set(unions[:1]):
            return {**schema, unions[0]: [*schema[unions[0]], NULL.copy()]}
        said = {key: value for key, value in schema.items() if key in ANNOTATIONS}
        rest = {key: value for key, value in schema.items() if key not in ANNOTATIONS}
        return {"anyOf": [rest, NULL.copy()], **said}
    kinds = kind if kind.__class__ is list else [kind]
    out = {**schema, "type": kinds if "null" in kinds else [*kinds, "null"]}
    if "const" in out:
        out["enum"] = [out.pop("const")]
    if "enum" in out and None not in out["enum"]:
        out["enum"] = [*out["enum"], None]
    return out


_BOUNDS: Final = frozenset({"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"})
_FEW: Final = 64  # numbers that are tried one by one


def is_implied(key: str, value: Json, rest: JsonObject) -> bool:
    """Return whether every value that fits the rest of a node keeps a bound on numbers or lengths.

    >>> is_implied("maximum", 10, {"type": "integer", "exclusiveMaximum": 11})
    True
    >>> is_implied("maxLength", 63, {"type": "string", "pattern": "^[a-z]+$"})
    False
    """
    if key in {"minLength", "maxLength"}:
        pattern = rest.get("pattern")
        least, most = _widths(pattern) if pattern.__class__ is str else (0, None)
        return least >= value if key == "minLength" else most is not None and most <= value
    if key in _BOUNDS or key == "multipleOf":
        left = span([rest])
        whole = left.step is not None or types_of(rest) & {"integer", "number"} == {"integer"}
        if left.is_empty() or (whole and left.no_integer()):
            return True
        if key == "multipleOf":
            return _are_multiples(_exact(value), left, whole=whole)
        return _is_within(key, Fraction(value), left, whole=whole)
    return False


def _widths(pattern: str) -> tuple[int, int | None]:
    from toolcanon.schema.sampling.scalars import widths  # noqa: PLC0415 - few schemas need it

    return widths(pattern)


def _exact(number: Json) -> Fraction | None:
    from toolcanon.schema.sampling.scalars import exact  # noqa: PLC0415 - few schemas need it

    return exact(number)


def _is_within(key: str, limit: Fraction, left: NumberRange, *, whole: bool) -> bool:
    """Return whether all that is left keeps a bound."""
    low, high = left.ends() if whole else (left.low, left.high)
    edge, is_open = (low, left.above) if key.endswith("inimum") else (high, left.below)
    if edge is None:
        return False
    if edge == limit:
        return not key.startswith("exclusive") or (is_open and not whole)
    return edge > limit if key.endswith("inimum") else edge < limit


def _are_multiples(factor: Fraction | None, left: NumberRange, *, whole: bool) -> bool:
    if not factor or factor < 0:
        return False
    if not whole:
        return left.low is not None and left.low == left.high and _is_multiple(left.low, factor)
    step = left.step or 1
    if _is_multiple(Fraction(step), factor):
        return True
    low, high = left.ends()
    if low is None or high is None or (high - low) // step >= _FEW:
        return False
    return all(_is_multiple(Fraction(n), factor) for n in range(low, high + 1, step))


def _is_multiple(number: Fraction, factor: Fraction) -> bool:
    return (number / factor).denominator == 1
