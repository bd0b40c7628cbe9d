"""Terms and cells: what schemas ask of a value at one place, by kind of value.

A term is a conjunction of schemas, possibly of two documents. Opening it gives the nodes that
``allOf`` and references lead to; nothing is copied, so a node is identified by its identity.

A cell is never narrower than its nodes. Constraints are computed when needed: most cells are only
compared by kind.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from fractions import Fraction
from functools import partial
from typing import Any, Final, NamedTuple, TypeAlias

import orjson

from toolcanon.jsonio.types import Json, JsonObject
from toolcanon.schema.algebra.constraints import at_least, at_most, names_required
from toolcanon.schema.cached_property import kept
from toolcanon.schema.references import (
    DEFINITIONS,
    REFERENCES,
    Place,
    References,
    ReferenceTarget,
    has_references,
    subschemas,
)
from toolcanon.schema.sampling.facets import Facets
from toolcanon.schema.sampling.scalars import Window, exact
from toolcanon.schema.validate import judge
from toolcanon.schema.values import is_anything, is_number, listed, same, table

_WORK: Final = 12_000
_IN_PLACE: Final = ("allOf", "anyOf", "oneOf")
_CONDITIONS: Final = ("if", "then", "else", "not")


class Spent(Exception):
    """The work limit of a query is reached."""


class NormalFormBudget:
    """The work that is left, counted in visited schemas."""

    __slots__ = ("left",)

    def __init__(self, work: int = _WORK) -> None:
        self.left = work

    def spend(self, amount: int = 1) -> None:
        self.left -= amount
        if self.left < 0:
            raise Spent


class TermDocument:
    """A document that contains schemas."""

    def __init__(self, root: Json) -> None:
        self.root = root
        self.cells: dict[int, tuple[TermNode, list[Any]]] = {}
        """The cells of schemas that were needed, by the identity of the schema."""
        self._made: dict[tuple[int | str, ...], tuple[tuple[Json, ...], JsonObject]] = {}

    def make(self, origins: tuple[Json, ...], word: str | int, schema: JsonObject) -> JsonObject:
        """Return a new schema; the same object for the same origins."""
        key = (*map(id, origins), word)
        # The origins are kept, because identities of freed objects are reused.
        return self._made.setdefault(key, (origins, schema))[1]

    @kept
    def _references(self) -> References:
        return References(self.root)

    @kept
    def refers(self) -> bool:
        try:
            text = orjson.dumps(self.root)
        except TypeError:  # orjson rejects integers beyond 64 bits, lone surrogates, depth
            return has_references(self.root)
        return (b'"$ref"' in text or b'"$dynamicRef"' in text) and has_references(self.root)

    @kept
    def definitions(self) -> JsonObject | None:
        """Return all targets of references, if they are all in definitions at the root."""
        stack = [self.root]
        while stack:
            node = stack.pop()
            if node.__class__ is dict:
                ref = node.get("$ref")
                if "$dynamicRef" in node or "$id" in node:
                    return None
                if ref.__class__ is str and not ref.startswith(("#/$defs/", "#/definitions/")):
                    return None
                stack.extend(child for _, child in subschemas(node))
        root = self.root if self.root.__class__ is dict else {}
        return {key: root[key] for key in sorted(DEFINITIONS) if key in root}

    def find(self, ref: Json, holder: JsonObject) -> ReferenceTarget | None:
        """Return what a reference means to a validator; None if that is uncertain.

        A dynamic one means the same as another as long as a single schema has its anchor.
        """
        return self._references.find_exactly(ref, holder) if ref.__class__ is str else None


class TermNode(NamedTuple):
    """A schema and its place."""

    schema: Json
    at: Place
    home: TermDocument

    def below(self, *steps: str | int) -> TermNode:
        """Return the schema at these steps."""
        value = self.schema
        for step in steps:
            value = value[step]
        return _spot((value, (*self.at, *steps), self.home))


_spot: Final = partial(tuple.__new__, TermNode)
"""Makes spots without a Python call: a comparison has many."""
Term: TypeAlias = tuple[TermNode, ...]


class OpenedTerm(NamedTuple):
    """The nodes of a term outside unions, and those that could not be found."""

    nodes: tuple[TermNode, ...]
    unread: tuple[TermNode, ...]
    possible: bool
    """Whether none of them is ``false``."""


_opened: Final = partial(tuple.__new__, OpenedTerm)


def opened(term: Term, budget: NormalFormBudget) -> OpenedTerm:
    """Follow ``allOf`` and references. A node that occurs twice is returned once."""
    if len(term) == 1 and term[0].schema.__class__ is dict:
        schema = term[0].schema
        if "$ref" not in schema and "allOf" not in schema and "$dynamicRef" not in schema:
            return _opened((term, (), True))  # the most common case
    nodes: list[TermNode] = []
    unread: list[TermNode] = []
    seen: set[int] = set()
    stack = list(reversed(term))
    while stack:
        budget.spend()
        spot = stack.pop()
        schema = spot.schema
        if schema is False:
            return OpenedTerm((), (spot,), False)
        if schema is True or id(schema) in seen:
            continue
        if schema.__class__ is not dict:
            unread.append(spot)
            continue
        seen.add(id(schema))
        nodes.append(spot)
        parts = schema.get("allOf")
        if parts.__class__ is list:
            stack.extend(spot.below("allOf", at) for at in range(len(parts) - 1, -1, -1))
        for key in REFERENCES:
            if key in schema:
                found = spot.home.find(schema[key], schema)
                if found is None:
                    unread.append(spot)
                else:
                    stack.append(TermNode(found.schema, found.pointer, spot.home))
    return OpenedTerm(tuple(nodes), tuple(unread), True)


def alike(one: Json, other: Json) -> bool:
    """Return whether two JSON values are equal; fast where Python finds them different."""
    if one is other:
        return True
    if one != other:  # Python has 1 equal to 1.0, as JSON does, and to true, as JSON does not
        return False
    if one.__class__ is str:
        return True
    try:
        is_same_text = orjson.dumps(one) == orjson.dumps(other)  # the order is usually the same
    except TypeError:  # orjson rejects integers beyond 64 bits, lone surrogates or great depth
        return same(one, other)
    if is_same_text:
        return True
    option = orjson.OPT_SORT_KEYS
    return orjson.dumps(one, option=option) == orjson.dumps(other, option=option) or same(
        one, other
    )


def matches(pattern: str, name: str) -> bool | None:
    """Return whether a name matches a pattern; None when no linear engine supports it."""
    found = judge({"pattern": pattern})
    return None if found.skipped else found.accepts(name)


def in_place(spot: TermNode) -> Iterator[TermNode]:
    """Yield the schemas that apply to the same value."""
    schema = spot.schema
    for key in _IN_PLACE:
        if key in schema:
            yield from (spot.below(key, at) for at in range(len(listed(schema, key))))
    for key in _CONDITIONS:
        if key in schema:
            yield spot.below(key)
    for name in table(schema, "dependentSchemas"):
        yield spot.below("dependentSchemas", name)
    for key in REFERENCES:
        found = spot.home.find(schema[key], schema) if key in schema else None
        if found is not None:
            yield TermNode(found.schema, found.pointer, spot.home)


KINDS: Final = ("array", "boolean", "null", "number", "object", "string")
_OBJECT: Final = frozenset({"properties", "patternProperties", "additionalProperties"})
_ARRAY: Final = frozenset({"prefixItems", "items"})
_LARGEST_PART: Final = 10**40  # larger numerators and denominators are not computed with
_COUNTS: Final = {
    "string": ("minLength", "maxLength"),
    "array": ("minItems", "maxItems"),
    "object": ("minProperties", "maxProperties"),
}

_BOUNDS: Final = ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf")
_NUMBERS: Final = Window(None, False, None, False, None)
_INTEGERS: Final = Window(None, False, None, False, Fraction(1))


class Cell:
    """Values of one kind under the constraints of several nodes."""

    def __init__(
        self,
        kind: str,
        nodes: Term,
        *,
        integral: bool = False,
        values: tuple[Json, ...] | None = None,
        taken: frozenset[tuple[int, str]] = frozenset(),
    ) -> None:
        self.kind = kind
        self.nodes = nodes
        self.values = values
        """All values, where they are enumerated."""
        self.taken = taken
        """Keywords of nodes that other nodes replace."""
        self._integral = integral

    def narrowed(self, *spots: TermNode) -> Cell:
        """Return the cell with further constraints, of the same kind."""
        return Cell(self.kind, (*self.nodes, *spots), integral=self._integral, values=self.values,
                    taken=self.taken)  # fmt: skip

    def listing(self, *values: Json) -> Cell:
        """Return the cell with only these of its values."""
        cell = self.narrowed()
        cell.values = values
        return cell

    # Numbers.

    @kept
    def integral(self) -> bool:
        """Return whether all of its numbers are integers."""
        step = self.window.step
        return step is not None and step.denominator == 1

    @kept
    def window(self) -> Window:
        """Return the range of its numbers, with bounds moved to the next multiple of the step."""
        if not self._says_any(_BOUNDS):
            return _INTEGERS if self._integral else _NUMBERS
        lows = [(bound, False) for bound in self._exact("minimum")]
        lows += [(bound, True) for bound in self._exact("exclusiveMinimum")]
        highs = [(bound, True) for bound in self._exact("maximum")]
        highs += [(bound, False) for bound in self._exact("exclusiveMaximum")]
        low, above = max(lows, default=(None, False))
        high, included = min(highs, default=(None, True))
        step = Fraction(1) if self._integral else None
        for factor in self._exact("multipleOf"):
            step = _common_multiple(step, factor) if factor > 0 else step
        found = Window(low, above, high, not included, step)
        if step is not None:
            found = Window(found.least(), False, found.most(), False, step)
        return found

    def _says_any(self, keys: Iterable[str]) -> bool:
        """Return whether a node has one of the keywords."""
        for spot in self.nodes:
            for key in keys:
                if key in spot.schema:
                    return True
        return False

    def _exact(self, key: str) -> Iterator[Fraction]:
        for spot in self.nodes:
            found = exact(spot.schema[key]) if key in spot.schema else None
            if found is not None:
                yield found

    # Lengths and counts.

    @kept
    def least(self) -> int:
        """Return the minimum number of characters, items or members."""
        key = _COUNTS[self.kind][0]
        schemas = [spot.schema for spot in self.nodes if key in spot.schema]
        least = at_least(schemas, key) if schemas else 0
        return max(least, len(self.required)) if self.kind == "object" else max(least, 0)

    @kept
    def most(self) -> float:
        """Return the maximum number of characters, items or members."""
        key = _COUNTS[self.kind][1]
        schemas = [spot.schema for spot in self.nodes if key in spot.schema]
        most = at_most(schemas, key) if schemas else math.inf
        if self.kind == "array":
            return min(most, self._room())
        if self.kind == "object" and self.others is None and not self.patterns:
            return min(most, len(self.names))
        return most

    # Strings.

    @property
    def is_shaped(self) -> bool:
        """Whether it has a pattern or a format."""
        if not self._says_any(("pattern", "format")):
            return False
        return bool(self.facets.patterns or self.facets.formats)

    @kept
    def facets(self) -> Facets:
        """Patterns, formats and bounds in the sampler's form."""
        found = Facets()
        for spot in self.nodes:
            for key, into in (("pattern", found.patterns), ("format", found.formats)):
                said = spot.schema.get(key)
                if said.__class__ is str and said:
                    into.append((said, "") if key == "pattern" else said)  # type: ignore[arg-type]
        if self.kind == "string":
            found.bounds["minLength"] = (self.least, "")
            if self.most < math.inf:
                found.bounds["maxLength"] = (self.most, "")
        return found

    # Objects.

    @kept
    def required(self) -> dict[str, None]:
        """Required members, including those that others entail."""
        return names_required([spot.schema for spot in self.nodes])

    @kept
    def names(self) -> dict[str, None]:
        """Members that are declared by name, or required."""
        found: dict[str, None] = {}
        for spot in self.nodes:
            found |= dict.fromkeys(table(spot.schema, "properties"))
        return found | self.required

    @kept
    def matching(self) -> dict[str, Term]:
        """Return the schemas of members that match a pattern."""
        found: dict[str, Term] = {}
        for spot in self.nodes:
            for pattern in table(spot.schema, "patternProperties"):
                place = spot.below("patternProperties", pattern)
                found[pattern] = (*found.get(pattern, ()), place)
        return found

    @kept
    def patterns(self) -> dict[str, Term]:
        """Return the schema of a member by patterns, without patterns that no member can match."""
        closed = [spot for spot in self.nodes if spot.schema.get("additionalProperties") is False]
        return {
            pattern: term
            for pattern, term in self.matching.items()
            if all(spot.schema is not False for spot in term)
            and all(spot.schema.get("patternProperties") for spot in closed)
        }

    @kept
    def others(self) -> Term | None:
        """Return the schemas of members without declaration or pattern; None: not allowed."""
        found: list[TermNode] = []
        for spot in self.nodes:
            schema = spot.schema.get("additionalProperties", True)
            if schema is False:
                return None
            if not is_anything(schema):
                found.append(spot.below("additionalProperties"))
        return tuple(found)

    def member(self, name: str) -> Term | None:
        """Return the schemas of a member; None when it is not allowed."""
        found: list[TermNode] = []
        for spot in self.nodes:
            schema = spot.schema
            if "propertyNames" in schema and _refuses(schema["propertyNames"], name):
                return None
            if schema.keys().isdisjoint(_OBJECT):
                continue
            said = _said(spot, name)
            for place in said:
                if place.schema is False:
                    return None
                if place.schema is not True:
                    found.append(place)
        return tuple(found)

    def has_plainly(self, name: str) -> bool:
        """Return whether a member has exactly one schema, so that none can contradict it."""
        if len(self.nodes) != 1:
            return False
        schema = self.nodes[0].schema
        said = table(schema, "properties").get(name)
        is_alone = "patternProperties" not in schema and "propertyNames" not in schema
        return is_alone and said.__class__ is dict and "allOf" not in said

    # Arrays.

    @kept
    def prefix(self) -> int:
        """Return the number of positional items."""
        return max((len(listed(spot.schema, "prefixItems")) for spot in self.nodes), default=0)

    def item(self, at: int) -> Term | None:
        """Return the schemas of an item; None when it is not allowed."""
        found: list[TermNode] = []
        for spot in self.nodes:
            schema = spot.schema
            if schema.keys().isdisjoint(_ARRAY):
                continue
            if at < len(listed(schema, "prefixItems")):
                place = spot.below("prefixItems", at)
            elif "items" in schema:
                place = spot.below("items")
            else:
                continue
            if place.schema is False:
                return None
            if not is_anything(place.schema):
                found.append(place)
        return tuple(found)

    def _room(self) -> float:
        """Return the number of items before one that is always rejected."""
        return next((at for at in range(self.prefix + 1) if self.item(at) is None), math.inf)

    @kept
    def unique(self) -> bool:
        return any(spot.schema.get("uniqueItems") is True for spot in self.nodes)

    # All kinds.

    def fits(self, value: Json) -> bool:
        """Return whether a value is within the bounds; members and items are not checked."""
        if value.__class__ is bool or value is None:
            return True
        if is_number(value):
            number = exact(value)
            return number is None or self.window.holds(number)
        return self.least <= len(value) <= self.most

    def is_hollow(self) -> bool:
        """Return whether it is certainly empty, by its bounds alone."""
        if self.values is not None:
            return not self.values
        if not self._says_any(_BOUNDS if self.kind == "number" else _COUNTS[self.kind]):
            return False  # an object has as many members as it requires
        if self.kind == "number":
            low, above, high, below, _ = self.window
            if low is None or high is None:
                return False
            return low > high or (low == high and (above or below))
        return self.least > self.most


def _said(spot: TermNode, name: str) -> list[TermNode]:
    """Return the schemas of one node for a member."""
    schema = spot.schema
    found: list[TermNode] = []
    doubt = False
    if name in table(schema, "properties"):
        found.append(spot.below("properties", name))
        if "patternProperties" not in schema:
            return found
    for pattern in table(schema, "patternProperties"):
        fits = matches(pattern, name)
        if fits:
            found.append(spot.below("patternProperties", pattern))
        doubt |= fits is None
    if not found and not doubt and not is_anything(schema.get("additionalProperties", True)):
        found.append(spot.below("additionalProperties"))
    return found


def _refuses(names: Json, name: str) -> bool:
    return names is not True and not has_references(names) and judge(names).accepts(name) is False


def _common_multiple(one: Fraction | None, other: Fraction) -> Fraction:
    """Return the least common multiple if it is small, else a divisor of it."""
    if one is None:
        return other
    found = Fraction(
        math.lcm(one.numerator, other.numerator), math.gcd(one.denominator, other.denominator)
    )
    return found if max(found.numerator, found.denominator) < _LARGEST_PART else one
