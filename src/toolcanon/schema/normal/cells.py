"""Values of one kind: the constraints of a term's nodes on numbers, strings, arrays or objects.

A cell is never narrower than its nodes. Constraints are computed when needed: most cells are only
compared by kind.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from fractions import Fraction
from typing import Final

from toolcanon.jsonio.types import Json
from toolcanon.schema.demands import at_least, at_most, names_required
from toolcanon.schema.judge import judge
from toolcanon.schema.normal.keeping import kept
from toolcanon.schema.normal.terms import Spot, Term, matches
from toolcanon.schema.references import has_references
from toolcanon.schema.sampling.facets import Facets
from toolcanon.schema.sampling.scalars import Window, exact
from toolcanon.schema.values import is_anything, is_number, listed, table

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

    def narrowed(self, *spots: Spot) -> Cell:
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
        """Whether all of its numbers are integers."""
        step = self.window.step
        return step is not None and step.denominator == 1

    @kept
    def window(self) -> Window:
        """The range of its numbers, with bounds moved to the next multiple of the step."""
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
        """The minimum number of characters, items or members."""
        key = _COUNTS[self.kind][0]
        schemas = [spot.schema for spot in self.nodes if key in spot.schema]
        least = at_least(schemas, key) if schemas else 0
        return max(least, len(self.required)) if self.kind == "object" else max(least, 0)

    @kept
    def most(self) -> float:
        """The maximum number of characters, items or members."""
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
        """The schemas of members that match a pattern."""
        found: dict[str, Term] = {}
        for spot in self.nodes:
            for pattern in table(spot.schema, "patternProperties"):
                place = spot.below("patternProperties", pattern)
                found[pattern] = (*found.get(pattern, ()), place)
        return found

    @kept
    def patterns(self) -> dict[str, Term]:
        """The same, without patterns that no member can match."""
        closed = [spot for spot in self.nodes if spot.schema.get("additionalProperties") is False]
        return {
            pattern: term
            for pattern, term in self.matching.items()
            if all(spot.schema is not False for spot in term)
            and all(spot.schema.get("patternProperties") for spot in closed)
        }

    @kept
    def others(self) -> Term | None:
        """The schemas of members without a declaration or a matching pattern; None: not allowed."""
        found: list[Spot] = []
        for spot in self.nodes:
            schema = spot.schema.get("additionalProperties", True)
            if schema is False:
                return None
            if not is_anything(schema):
                found.append(spot.below("additionalProperties"))
        return tuple(found)

    def member(self, name: str) -> Term | None:
        """Return the schemas of a member; None when it is not allowed."""
        found: list[Spot] = []
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
        """The number of positional items."""
        return max((len(listed(spot.schema, "prefixItems")) for spot in self.nodes), default=0)

    def item(self, at: int) -> Term | None:
        """Return the schemas of an item; None when it is not allowed."""
        found: list[Spot] = []
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
        """The number of items before one that is always rejected."""
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


def _said(spot: Spot, name: str) -> list[Spot]:
    """Return the schemas of one node for a member."""
    schema = spot.schema
    found: list[Spot] = []
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
