"""Self-contained schemas: references point into ``$defs``, with only the needed definitions.

A request never has read-only members and a response no write-only ones, so every schema is written
for one direction, without the two flags. A base with subtypes is a definition of its own beside the
union of them. Definitions are rewritten once for a document and shared by all of its tools.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Collection
from typing import Final, NamedTuple

from toolcanon.formats.openapi.closures import Budget, Closures, Cost, weight
from toolcanon.formats.openapi.composition import Composition, Direction
from toolcanon.formats.openapi.document import COMPONENTS, Document, Steps
from toolcanon.formats.openapi.findings import Finding, finding
from toolcanon.formats.openapi.rewriting import Home, Rewriter, bare, in_table, odd_beside
from toolcanon.formats.openapi.subtypes import Subtypes, mapping_of
from toolcanon.jsonio import Limits, Pointer
from toolcanon.jsonio.types import Json, JsonObject
from toolcanon.schema.references import is_schema

TABLES: Final = ("$defs", "definitions", "x-definitions")
"""Names of the table of definitions: the first that the schema itself does not use."""
_ILLEGAL: Final = re.compile(r"[^A-Za-z0-9_.-]")


class Made(NamedTuple):
    """A rewritten schema, its definitions, its findings, and its size."""

    schema: Json
    needs: tuple[str, ...] = ()
    findings: tuple[Finding, ...] = ()
    weight: int = 0


class Schemas:
    """The schemas of one document, with or without the definitions they refer to."""

    def __init__(self, document: Document, limits: Limits, *, defining: bool = True) -> None:
        self.document = document
        self.defining = defining
        self.budget = Budget(limits)
        self.subtypes = Subtypes(document, self.budget)
        self.composition = Composition(document, self.budget)
        self._made: dict[tuple[Direction, str, str], Made] = {}
        self._whole: dict[tuple[Direction, str, Home], Made] = {}
        self._tables: dict[tuple[Direction, str, frozenset[str]], Made] = {}
        self._closures: dict[tuple[Direction, str], Closures[str]] = {}
        self._places: dict[str, Steps] = {}
        self._unions: dict[str, str] = {}
        self._branches: dict[tuple[str, str], Made] = {}

    def make(self, schema: Json, home: Home, direction: Direction, table: str = TABLES[0]) -> Made:
        """Return a schema for one direction, with references into a table of definitions."""
        if home.at[:-1] == COMPONENTS and self.subtypes.of(str(home.at[-1])):
            made = self._union(str(home.at[-1]), schema, table)
        else:
            made = self._used(schema, home, direction, table)
        self._count(made, direction)
        return made

    def _used(self, schema: Json, home: Home, direction: Direction, table: str) -> Made:
        """Return a schema rewritten once, as it is or with annotations of a reference."""
        found = self.document.at(home.at)
        stated = None if found is None else found.value
        remarks = {} if stated is schema else _remarks(schema, stated)
        if remarks is None:
            return self._rewritten(schema, home, direction, table)
        key = (direction, table, home)
        if key not in self._whole:
            self._whole[key] = self._rewritten(stated, home, direction, table)
        made = self._whole[key]
        return made._replace(schema={**made.schema, **remarks}) if remarks else made

    def whole(self, schema: Json, at: Steps, direction: Direction) -> Made:
        """Return a schema as the root of a tool's, definitions included."""
        told: list[Finding] = []
        schema, at = self.resolved(schema, at, told)
        own = schema if isinstance(schema, dict) else {}
        table = next((name for name in TABLES if name not in own), TABLES[-1])
        made = self.make(schema, Home(at), direction, table)
        defined = self.definitions(made.needs, direction, table)
        findings = (*told, *made.findings, *defined.findings)
        if not isinstance(made.schema, dict) or not defined.schema:
            return Made(made.schema, (), findings, made.weight)
        weight = made.weight + defined.weight
        return Made({**made.schema, table: defined.schema}, (), findings, weight)

    def _count(self, made: Made, direction: Direction) -> None:
        """Count the size of an argument schema; the caller counts result schemas."""
        if direction is Direction.REQUEST:
            self.budget.spend(Cost.ASKED, made.weight)

    def definitions(
        self, needs: Collection[str], direction: Direction, table: str = TABLES[0]
    ) -> Made:
        """Return all definitions that are needed, directly and transitively, sorted by name."""
        if not needs or not self.defining:
            return Made({})
        way = (direction, table)
        if way not in self._closures:
            self._closures[way] = Closures(
                lambda name: self._definition(name, direction, table).needs, self.budget
            )
        closure = self._closures[way].of(needs)
        made = self._tables.get((*way, closure))
        if made is None:
            self.budget.spend(Cost.HELD, len(closure))
            found = {name: self._definition(name, direction, table) for name in sorted(closure)}
            told = tuple(item for one in found.values() for item in one.findings)
            schemas = {name: one.schema for name, one in found.items()}
            total = sum(one.weight for one in found.values())
            made = self._tables[*way, closure] = Made(schemas, (), told, total)
        self._count(made, direction)
        return made

    def resolved(self, schema: Json, at: Steps, told: list[Finding]) -> tuple[Json, Steps]:
        """Return the schema that a bare reference resolves to, with annotations beside it."""
        remarks: JsonObject = {}
        first, seen = (schema, at), {at}
        while isinstance(schema, dict) and isinstance(schema.get("$ref"), str):
            odd = odd_beside(schema)
            if odd and self.document.siblings:
                break
            found = self.document.find(schema["$ref"])
            if found is None or not is_schema(found.value) or found.at[: len(at)] == at:
                break
            if found.at in seen:
                return first
            seen.add(found.at)
            if odd:
                told.append(finding("reference-siblings-ignored", at, ", ".join(odd[:6])))
            beside = {key: schema[key] for key in schema if key != "$ref" and key not in odd}
            remarks = {**beside, **remarks}
            at, schema = found
        return ({**schema, **remarks} if isinstance(schema, dict) and remarks else schema), at

    def name_of(self, place: Steps) -> str:
        """Return the name of the definition for a schema that is not a component."""
        digest = hashlib.sha256(str(Pointer(place)).encode("utf-8", "replace")).hexdigest()[:12]
        name = f"{_ILLEGAL.sub('_', str(place[-1]))[:40]}_{digest}"
        while name in self.document.schemas:  # only by intent
            name += "_"
        self._places[name] = place
        return name

    def union_of(self, base: str) -> str:
        """Return the name of the definition for the subtypes of a base."""
        name = f"{base}_subtypes"
        while name in self.document.schemas:
            name += "_"
        self._unions[name] = base
        return name

    def _definition(self, name: str, direction: Direction, table: str) -> Made:
        key = (direction, table, name)
        made = self._made.get(key)
        if made is None:
            base = self._unions.get(name)
            place = self._places.get(name, (*COMPONENTS, name if base is None else base))
            found = self.document.at(place)
            schema = None if found is None else found.value
            made = self._made[key] = (
                self._rewritten(schema, Home(place, f"/{table}/{name}"), direction, table)
                if base is None
                else self._union(base, schema, table)
            )
        return made

    def _rewritten(self, schema: Json, home: Home, direction: Direction, table: str) -> Made:
        rewriter = Rewriter(self, direction, table, home)
        made = rewriter.node(schema, home.at)
        self.budget.spend(Cost.HELD, rewriter.nodes)
        return Made(made, tuple(rewriter.needs), tuple(rewriter.findings), weight(made))

    def _union(self, base: str, schema: Json, table: str) -> Made:
        """Return a base as it is used: any of its subtypes, by name."""
        made = self._branches.get((base, table))
        if made is None:
            names = self.subtypes.of(base)
            stated = self.document.schemas[base]["discriminator"]
            mapping, _, told, _ = self.mapped(stated, (*COMPONENTS, base), table)
            branches: JsonObject = {
                "anyOf": [{"$ref": in_table(table, name)} for name in names],
                "discriminator": {**stated, "mapping": mapping} if mapping else bare(stated),
            }
            made = self._branches[base, table] = Made(branches, names, told, weight(branches))
        words = {key: schema[key] for key in ("type", "title", "description") if key in schema}
        return made._replace(schema={**words, **made.schema})

    def mapped(self, discriminator: JsonObject, at: Steps, table: str) -> Made:
        """Return the mapping with references into a table; unresolvable ones are reported."""
        found: dict[str, str] = {}
        told: list[Finding] = []
        for key, value in mapping_of(discriminator).items():
            name = self.subtypes.named(value)
            if name is None:
                place = (*at, "discriminator", "mapping", key)
                told.append(finding("reference-unresolved", place, str(value)[:80]))
            else:
                found[key] = name
        moved = {key: in_table(table, name) for key, name in found.items()}
        return Made(moved, tuple(found.values()), tuple(told))


def _remarks(schema: Json, stated: Json) -> JsonObject | None:
    """Return the annotations that one schema adds to another; None for other differences."""
    if not isinstance(schema, dict) or not isinstance(stated, dict) or "$ref" in stated:
        return None
    beside = {key: schema[key] for key in schema if schema[key] is not stated.get(key, schema)}
    return None if odd_beside(beside) or not stated.keys() <= schema.keys() else beside
