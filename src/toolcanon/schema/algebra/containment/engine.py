"""Prove, keyword by keyword, that every value of one term is a value of another.

The first term is a union of cells, never narrower than it; the second a list of keywords, each of
which has to hold for every cell. So *yes* is sound, and an unknown keyword makes the answer
unknown. Places under comparison already count as contained: values are finite, and a failure on
the way back to the same query would be found there.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, Literal, TypeAlias

from toolcanon.jsonio.types import Json
from toolcanon.schema.algebra.containment import structure_provers, value_provers
from toolcanon.schema.algebra.containment.protocol import (
    CellExamples,
    Failure,
    Goal,
    PlacePair,
    ValuePlace,
    failure,
)
from toolcanon.schema.algebra.normal.printing import is_vendor
from toolcanon.schema.algebra.normal.terms import (
    Cell,
    NormalFormBudget,
    Term,
    TermDocument,
    TermNode,
    alike,
    opened,
)
from toolcanon.schema.algebra.normal.unions import cells_of
from toolcanon.schema.cached_property import kept
from toolcanon.schema.keywords import ANNOTATIONS, APPLIES
from toolcanon.schema.references import DEFINITIONS, has_references
from toolcanon.schema.validate import judge
from toolcanon.schema.values import is_anything, table

GOALS: Final[dict[str, Goal]] = {  # the prover of each keyword
    "type": value_provers.types,
    "enum": value_provers.values,
    "const": value_provers.values,
    "minimum": value_provers.bound,
    "maximum": value_provers.bound,
    "exclusiveMinimum": value_provers.bound,
    "exclusiveMaximum": value_provers.bound,
    "multipleOf": value_provers.multiple,
    "minLength": value_provers.length,
    "maxLength": value_provers.length,
    "pattern": value_provers.pattern,
    "format": value_provers.text_format,
    "anyOf": value_provers.any_of,
    "oneOf": value_provers.one_of,
    "not": value_provers.denied,
    "if": value_provers.conditional,
    "properties": structure_provers.declared,
    "patternProperties": structure_provers.matching,
    "additionalProperties": structure_provers.additional,
    "unevaluatedProperties": structure_provers.unevaluated,
    "required": structure_provers.required,
    "minProperties": structure_provers.member_count,
    "maxProperties": structure_provers.member_count,
    "propertyNames": structure_provers.names,
    "dependentRequired": structure_provers.entailed,
    "dependentSchemas": structure_provers.dependent,
    "prefixItems": structure_provers.prefix,
    "items": structure_provers.rest,
    "minItems": structure_provers.item_count,
    "maxItems": structure_provers.item_count,
    "uniqueItems": structure_provers.unique,
    "contains": structure_provers.contains,
}

SAYABLE: Final = frozenset(
    "anyOf oneOf not if patternProperties propertyNames dependentSchemas contains "
    "pattern format".split()
)
"""Keywords with the same meaning at every place, so that equal values are proof enough."""
Reading: TypeAlias = Literal["inputs", "outputs", "plain"]

_MOST_FAILURES: Final = 12
_SILENT: Final = (
    ANNOTATIONS | DEFINITIONS | {"$schema", "$id", "$anchor", "$dynamicAnchor", "$vocabulary"}
)
# Evaluated together with others, or resolved before.
_ELSEWHERE: Final = frozenset("allOf $ref $dynamicRef then else minContains maxContains".split())
_MISSING: Final = object()
_GROUPS: Final = {"if": ("then", "else"), "contains": ("minContains", "maxContains")}


class ContainmentEngine:
    """One query, with its work limit."""

    def __init__(
        self, one: TermDocument, other: TermDocument, reading: Reading, budget: NormalFormBudget
    ) -> None:
        self.budget = budget
        self.examples = CellExamples(budget)
        self.neutral = reading != "plain"
        self._closes = reading == "inputs"
        self._homes = one, other
        self._compared: set[tuple[int, ...]] = set()
        self._known: dict[tuple[int, ...], tuple[list[Failure], Term, Term]] = {}
        """The terms are kept, because identities of freed objects are reused."""
        self._assumed = 0

    def root(self) -> list[Failure]:
        """Return the failures of the whole of one being contained in the other."""
        one, other = (((TermNode(home.root, (), home)),) for home in self._homes)
        return self.term(
            one, other, PlacePair(ValuePlace(one, self.budget), ValuePlace(other, self.budget))
        )

    def term(self, one: Term, other: Term, pair: PlacePair) -> list[Failure]:
        """Return the failures for two terms at a place of values."""
        if not [spot for spot in other if not is_anything(spot.schema)] and not (
            self._closes and pair.one.declared.names
        ):
            return []
        if len(one) == len(other) == 1 and self.alike(one[0].schema, other[0].schema):
            return []
        if not self._refers:
            return self._term(one, other, pair)
        key = (*(id(s.schema) for s in one), 0, *(id(s.schema) for s in other))
        if key in self._known:
            return self._known[key][0]
        if key in self._compared:
            self._assumed += 1
            return []
        before = self._assumed
        self._compared.add(key)
        found = self._term(one, other, pair)
        self._compared.discard(key)
        # A yes that depends on an assumption holds for this query only.
        if found or self._assumed == before:
            self._known[key] = (found, one, other)
        return found

    def _term(self, one: Term, other: Term, pair: PlacePair) -> list[Failure]:
        self.budget.spend()
        wanted = opened(other, self.budget)
        found: list[Failure] = []
        for cell in cells_of(one, self.budget):
            found += self.cell(cell, wanted.nodes, wanted.unread, pair, value=True)
            if len(found) >= _MOST_FAILURES:
                break
        return found[:_MOST_FAILURES]

    def in_branch(self, cell: Cell, branch: TermNode, pair: PlacePair) -> list[Failure]:
        """Return the failures of a cell being contained in a schema at the same place."""
        wanted = opened((branch,), self.budget)
        return self.cell(cell, wanted.nodes, wanted.unread, pair)

    def cell(self, cell: Cell, nodes: Term, unread: Term, pair: PlacePair, *, value: bool = False) -> list[Failure]:  # fmt: skip # noqa: E501
        """Return the failures of a cell being contained in nodes that are already open."""
        found: list[Failure] = []
        if value and self._closes and cell.kind == "object":
            cell, closing = self._closed(cell, nodes, pair)
            if closing is not None:
                key = "additionalProperties"
                key = key if key in closing.schema else "properties"
                found += GOALS[key](self, cell, closing, pair, key)
        for spot in unread:
            if spot.schema is False:
                found.append(failure(spot.at, "nothing is accepted", self.examples.of(cell)))
            elif not any(self.alike(spot.schema, own.schema) for own in cell.nodes):
                found.append(failure(spot.at, "a reference cannot be resolved"))
        for spot in nodes:
            self.budget.spend()
            if cell.values is not None and cell.kind in {"array", "object"}:
                found += self._listed(cell, spot)
                continue
            for key in spot.schema:
                if key not in _SILENT and key not in _ELSEWHERE:
                    found += self._keyword(cell, spot, key, pair)
        return found

    def _keyword(self, cell: Cell, spot: TermNode, key: str, pair: PlacePair) -> Iterator[Failure]:
        applies = APPLIES.get(key)
        if applies is not None and cell.kind not in applies:
            return
        goal = GOALS.get(key)
        if (goal is None or key in SAYABLE) and self._says(cell, spot, key):
            return
        if goal is not None:
            yield from goal(self, cell, spot, pair, key)
        elif not is_vendor(key):
            yield failure((*spot.at, key), f"{key} is not supported", self.examples.of(cell))

    def _says(self, cell: Cell, spot: TermNode, key: str) -> bool:
        """Return whether the cell has the same constraint."""
        together = (key, *_GROUPS.get(key, ()))
        return any(
            own.schema is spot.schema
            or all(
                self.alike(own.schema.get(word, _MISSING), spot.schema.get(word, _MISSING))
                for word in together
            )
            for own in cell.nodes
            if key in own.schema
        )

    def _listed(self, cell: Cell, spot: TermNode) -> Iterator[Failure]:
        """Validate enumerated objects and arrays, one by one."""
        if has_references(spot.schema):
            yield failure(spot.at, "its references cannot be validated", cell.values or ())
            return
        judged = judge(spot.schema)
        bad = [value for value in cell.values or () if judged.accepts(value) is not True]
        if bad:
            yield failure(spot.at, "an enumerated value is rejected", bad)

    def _closed(self, cell: Cell, nodes: Term, pair: PlacePair) -> tuple[Cell, TermNode | None]:
        """Return an object without undeclared members, and what closes its counterpart.

        Undeclared members that were allowed still are, unless they are rejected now or were
        declared before.
        """
        own, other = pair.one.declared, pair.other.declared
        at = nodes[0].at if nodes else ()
        is_free = pair.one.is_free and not own.mapped
        if is_free and pair.one.is_root:
            # An undeclared argument had no meaning before.
            new = {name: False for name in other.names if not own.knows(name)}
            cell = cell.narrowed(TermNode({"properties": new}, (), self._homes[0])) if new else cell
        elif not own.mapped and not is_free:
            # A caller that uses one branch sends a member of another only as that declares it.
            here = {name for spot in cell.nodes for name in table(spot.schema, "properties")}
            apart = {n: pair.one.alternatives(n) for n in own.names if n not in here}
            cell = cell.narrowed(TermNode(own.closing(apart), (), self._homes[0]))
        if other.mapped or (own.none and pair.other.is_free):
            return cell, None
        if is_free:
            gone = {name: False for name in own.names if not other.knows(name)}
            return cell, TermNode({"properties": gone}, at, self._homes[1]) if gone else None
        asked = dict.fromkeys(own.needed, True)
        return cell, TermNode(other.closing(asked), at, self._homes[1])

    def alike(self, one: Json, other: Json) -> bool:
        """Return whether two schemas, or parts of them, are equal with the same meaning here."""
        return self._same_meaning and one.__class__ is other.__class__ and alike(one, other)

    @kept
    def _refers(self) -> bool:
        return self._homes[0].refers or self._homes[1].refers

    @kept
    def _same_meaning(self) -> bool:
        """Return whether equal values have equal meanings: references resolve to the same."""
        if not self._refers:
            return True
        one, other = (home.definitions for home in self._homes)
        return one is not None and other is not None and alike(one, other)
