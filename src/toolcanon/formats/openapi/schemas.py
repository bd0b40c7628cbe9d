"""Schemas of a document, rewritten to stand by themselves in a tool.

A request never has read-only members and a response no write-only ones, so every schema is written
for one direction, without the two flags. A base with subtypes is a definition of its own beside the
union of them. Definitions are rewritten once for a document and shared by all of its tools.

References point into a table of definitions. The schemas of one value are handled together: a
member may be flagged in one place and required in another.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Collection, Sequence
from typing import Final, NamedTuple

from toolcanon.formats.openapi.composition import (
    Closures,
    Composition,
    Cost,
    Direction,
    DocumentBudget,
    Subtypes,
    mapping_of,
    same_value,
    stay_apart,
    weight,
)
from toolcanon.formats.openapi.document import (
    COMPONENTS,
    DocumentNote,
    DocumentValue,
    OpenAPIDocument,
    Steps,
    finding,
)
from toolcanon.formats.wire.text_data import fragment
from toolcanon.jsonio import Limits, Pointer
from toolcanon.jsonio.types import Json, JsonObject
from toolcanon.schema.keywords import POSITIONS, Position
from toolcanon.schema.references import is_schema

_FLAGS: Final = ("readOnly", "writeOnly")
_SAME_VALUE: Final = frozenset({"allOf", "anyOf"})
_MOST_COPIES: Final = 64  # of definitions within another
_REMARKS: Final = frozenset(
    "$ref title description summary deprecated example examples default".split()
)


class SchemaMove(NamedTuple):
    """A schema that is copied whole: its place in the document, and in the tool's schema."""

    at: Steps
    within: str = ""


def in_table(table: str, name: str) -> str:
    """Return a reference to a definition."""
    return f"#{fragment(str(Pointer((table, name))))}"


def bare(discriminator: JsonObject) -> JsonObject:
    """Return a discriminator without its mapping."""
    return {key: value for key, value in discriminator.items() if key != "mapping"}


def odd_beside(reference: JsonObject) -> list[str]:
    """Return the keywords beside a reference that are not annotations."""
    return sorted(key for key in map(str, reference) if key not in _REMARKS and key[:2] != "x-")


class SchemaRewriter:
    """Rewrites one schema; unchanged subtrees are shared."""

    def __init__(
        self, schemas: Schemas, direction: Direction, table: str, home: SchemaMove
    ) -> None:
        self.schemas = schemas
        self.direction = direction
        self.table = table
        self.home = home
        self.needs: dict[str, None] = {}
        self.findings: list[DocumentNote] = []
        self.nodes = 0
        self._listed: dict[int, set[str | None]] = {}
        self._roots = [home.at]
        self._copies = 0

    def node(
        self,
        node: Json,
        at: Steps,
        siblings: Sequence[Json] = (),
        behind: frozenset[str] = frozenset(),
    ) -> Json:
        """``behind`` are members that other schemas of the same value exclude."""
        if not isinstance(node, dict) or isinstance(node.get("$id"), str):
            return node  # references below an `$id` are relative to it
        self.nodes += 1
        if behind and (found := self._to_copy(node, at, behind)) is not None:
            self.schemas.budget.spend(Cost.HELD, weight(found.value))
            self._roots.append(found.at)
            self._copies += 1
            copied = self.node(found.value, found.at, siblings, behind)
            self._roots.pop()
            return copied
        new = dict(node)
        if isinstance(node.get("$ref"), str):
            new["$ref"] = self._reference(node["$ref"], (*at, "$ref"), siblings)
            odd = odd_beside(node)
            if odd and not self.schemas.document.siblings:
                self.findings.append(finding("reference-siblings-ignored", at, ", ".join(odd[:6])))
                new = {key: value for key, value in new.items() if key not in odd}
        for flag in _FLAGS:
            if isinstance(node.get(flag), bool):
                new.pop(flag, None)
        behind = self._behind(node, at, behind)
        self._leave_behind(new, behind)
        for key, value in new.items():
            position = POSITIONS.get(key)
            if position is not None:
                on = key in _SAME_VALUE or (key == "oneOf" and stay_apart(value, behind))
                handed = behind if on else frozenset[str]()
                new[key] = self._children(value, (*at, key), position, handed)
        if isinstance(node.get("discriminator"), dict):
            new["discriminator"] = self._discriminator(node, at)
        same = new.keys() == node.keys() and all(new[key] is node[key] for key in node)
        return node if same else new

    def _is_part(self, at: Steps) -> bool:
        return len(at) > len(self._roots[-1]) and at[-2] == "allOf" and isinstance(at[-1], int)

    def _to_copy(self, node: JsonObject, at: Steps, behind: frozenset[str]) -> DocumentValue | None:
        """Return the definition of a part, if it requires excluded members only in this place."""
        ref = node.get("$ref")
        is_part = self._is_part(at) or at in self._roots[1:]
        if not isinstance(ref, str) or len(node) > 1 or not is_part:
            return None
        wanted = self.schemas.composition.demands(ref) & behind
        found = self.schemas.document.find(ref)
        if not wanted or found is None or self._copies == _MOST_COPIES:
            return None
        is_base = found.at[:-1] == COMPONENTS and self.schemas.subtypes.of(str(found.at[-1]))
        own = self.schemas.composition.flagged_members(found.value, self.direction)
        return None if wanted <= own or is_base or found.at in self._roots else found

    def _behind(self, node: JsonObject, at: Steps, behind: frozenset[str]) -> frozenset[str]:
        """Add its own excluded members; a part has none beyond the whole, a reference none."""
        if self._is_part(at) or (len(node) == 1 and "$ref" in node):
            return behind
        own = self.schemas.composition.flagged_members(node, self.direction)
        if not (own and behind):
            return own or behind
        self.schemas.budget.spend(Cost.STEPS, len(own) + len(behind))
        return own | behind

    def _leave_behind(self, new: JsonObject, behind: frozenset[str]) -> None:
        """Remove the excluded members, and their required flags."""
        if not behind:
            return
        is_flagged, members = self.schemas.composition.is_flagged, new.get("properties")
        if isinstance(members, dict) and not behind.isdisjoint(members):
            kept = {n: m for n, m in members.items() if not is_flagged(m, self.direction)}
            new["properties"] = kept if len(kept) < len(members) else members
        required = new.get("required")
        if isinstance(required, list):
            left = [n for n in required if not (isinstance(n, str) and n in behind)]
            if len(left) < len(required):
                new["required"] = left
                if not left:
                    del new["required"]

    def _children(self, value: Json, at: Steps, position: Position, behind: frozenset[str]) -> Json:
        if isinstance(value, list):
            items = [
                self.node(item, (*at, index), value, behind) for index, item in enumerate(value)
            ]
            changed = any(new is not old for new, old in zip(items, value, strict=True))
            return items if changed else value
        if isinstance(value, dict) and position is Position.SCHEMA_MAP:
            table = {name: self.node(item, (*at, name)) for name, item in value.items()}
            return table if any(table[name] is not value[name] for name in value) else value
        return self.node(value, at)

    def _reference(self, ref: str, at: Steps, siblings: Sequence[Json]) -> str:
        found = self.schemas.document.find(ref)
        if found is None or not found.at or not is_schema(found.value):
            self.findings.append(finding("reference-unresolved", at, ref[:80]))
            return ref
        behind = ref.partition("#")[2].split("/")[1:]  # with escapes, as written
        place, home = found.at, self.home
        if place[:-1] == COMPONENTS and self._is_use(str(place[-1]), at[:-1], siblings):
            name = self.schemas.union_of(str(place[-1]))
            self.needs[name] = None
            return in_table(self.table, name)
        if place[:2] == COMPONENTS and place[2:]:
            self.needs[str(place[2])] = None
            return "/".join((f"#/{self.table}", *behind[2:]))
        if place[: len(home.at)] == home.at:
            return "/".join((f"#{home.within}", *behind[len(home.at) :]))
        name = self.schemas.name_of(place)
        self.needs[name] = None
        return f"#/{self.table}/{name}"

    def _is_use(self, base: str, at: Steps, siblings: Sequence[Json]) -> bool:
        """Return whether a reference means a base with its subtypes, and not the base alone.

        It means the base alone in a derived schema, where its subtypes are listed beside it, and
        where the subtypes would lead back with the same value.
        """
        subtypes = self.schemas.subtypes
        if not subtypes.of(base):
            return False
        around = at[-2] if at[2:] else None
        if around == "allOf" and len(siblings) > 1:
            return False
        if around in {"anyOf", "oneOf"} and self._lists_subtypes(base, siblings):
            return False
        return not subtypes.leads_back(base, same_value(at, self._roots[-1]))

    def _lists_subtypes(self, base: str, siblings: Sequence[Json]) -> bool:
        subtypes = self.schemas.subtypes
        named = self._listed.get(id(siblings))
        if named is None:  # a long list is searched once
            refs = (item.get("$ref") for item in siblings if isinstance(item, dict))
            named = self._listed[id(siblings)] = {subtypes.named(ref) for ref in refs}
        return any(name in named for name in subtypes.of(base) if name != base)

    def _discriminator(self, node: JsonObject, at: Steps) -> JsonObject:
        """Rewrite a discriminator, which names schemas too; a base leaves it to its union."""
        stated: JsonObject = node["discriminator"]
        if "mapping" not in stated:
            return stated
        if "anyOf" in node or "oneOf" in node:
            mapped = self.schemas.mapped(stated, at, self.table)
            self.findings += mapped.findings
            self.needs |= dict.fromkeys(mapped.needs)
            return {**stated, "mapping": mapped.schema}
        is_base = at[:-1] == COMPONENTS and self.schemas.subtypes.of(str(at[-1]))
        if not is_base:
            self.findings.append(finding("mapping-ignored", (*at, "discriminator")))
        return bare(stated)


TABLES: Final = ("$defs", "definitions", "x-definitions")
"""Names of the table of definitions: the first that the schema itself does not use."""
_ILLEGAL: Final = re.compile(r"[^A-Za-z0-9_.-]")


class Made(NamedTuple):
    """A rewritten schema, its definitions, its findings, and its size."""

    schema: Json
    needs: tuple[str, ...] = ()
    findings: tuple[DocumentNote, ...] = ()
    weight: int = 0


class Schemas:
    """The schemas of one document, with or without the definitions they refer to."""

    def __init__(self, document: OpenAPIDocument, limits: Limits, *, defining: bool = True) -> None:
        self.document = document
        self.defining = defining
        self.budget = DocumentBudget(limits)
        self.subtypes = Subtypes(document, self.budget)
        self.composition = Composition(document, self.budget)
        self._made: dict[tuple[Direction, str, str], Made] = {}
        self._whole: dict[tuple[Direction, str, SchemaMove], Made] = {}
        self._tables: dict[tuple[Direction, str, frozenset[str]], Made] = {}
        self._closures: dict[tuple[Direction, str], Closures[str]] = {}
        self._places: dict[str, Steps] = {}
        self._unions: dict[str, str] = {}
        self._branches: dict[tuple[str, str], Made] = {}

    def make(
        self, schema: Json, home: SchemaMove, direction: Direction, table: str = TABLES[0]
    ) -> Made:
        """Return a schema for one direction, with references into a table of definitions."""
        if home.at[:-1] == COMPONENTS and self.subtypes.of(str(home.at[-1])):
            made = self._union(str(home.at[-1]), schema, table)
        else:
            made = self._used(schema, home, direction, table)
        self._count(made, direction)
        return made

    def _used(self, schema: Json, home: SchemaMove, direction: Direction, table: str) -> Made:
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
        told: list[DocumentNote] = []
        schema, at = self.resolved(schema, at, told)
        own = schema if isinstance(schema, dict) else {}
        table = next((name for name in TABLES if name not in own), TABLES[-1])
        made = self.make(schema, SchemaMove(at), direction, table)
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

    def resolved(self, schema: Json, at: Steps, told: list[DocumentNote]) -> tuple[Json, Steps]:
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
                self._rewritten(schema, SchemaMove(place, f"/{table}/{name}"), direction, table)
                if base is None
                else self._union(base, schema, table)
            )
        return made

    def _rewritten(self, schema: Json, home: SchemaMove, direction: Direction, table: str) -> Made:
        rewriter = SchemaRewriter(self, direction, table, home)
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
        told: list[DocumentNote] = []
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
