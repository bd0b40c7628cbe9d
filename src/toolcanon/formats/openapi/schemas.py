"""Schemas that stand alone: references lead into ``$defs``, which hold just what is needed.

A request never has read-only members and a response no write-only ones, so every schema is written
for one direction; the two flags have done their work then and go. A base with subtypes is a
definition of its own beside the union of them. Definitions are rewritten once for a document and
shared by all of its tools.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Collection, Sequence
from enum import StrEnum
from typing import Final, NamedTuple

from toolcanon.formats.openapi.closures import Budget, Closures, Cost, weight
from toolcanon.formats.openapi.document import COMPONENTS, Document, Steps
from toolcanon.formats.openapi.findings import Finding, finding
from toolcanon.formats.openapi.subtypes import Subtypes, mapping_of, same_value
from toolcanon.formats.wire.percent import fragment
from toolcanon.jsonio import Limits, Pointer
from toolcanon.jsonio.types import Json, JsonObject
from toolcanon.schema.keywords import POSITIONS, Position
from toolcanon.schema.references import is_schema

_TABLES: Final = ("$defs", "definitions", "x-definitions")
_FLAGS: Final = ("readOnly", "writeOnly")
_REMARKS: Final = frozenset(
    "$ref title description summary deprecated example examples default".split()
)
_ILLEGAL: Final = re.compile(r"[^A-Za-z0-9_.-]")
_MOST_HOPS: Final = 64


class Direction(StrEnum):
    """Which way a schema goes, by the flag of the members that do not go along."""

    REQUEST = "readOnly"
    RESPONSE = "writeOnly"


class Home(NamedTuple):
    """A schema that is taken over whole: where it stood, and where it stands in the tool's."""

    at: Steps
    within: str = ""


class Made(NamedTuple):
    """A rewritten schema, the definitions it refers to, what was odd, and how much it is."""

    schema: Json
    needs: tuple[str, ...] = ()
    findings: tuple[Finding, ...] = ()
    weight: int = 0


class Schemas:
    """The schemas of one document."""

    def __init__(self, document: Document, limits: Limits) -> None:
        self.document = document
        self.budget = Budget(limits)
        self.subtypes = Subtypes(document, self.budget)
        self._made: dict[tuple[Direction, str, str], Made] = {}
        self._whole: dict[tuple[Direction, str, Home], Made] = {}
        self._tables: dict[tuple[Direction, str, frozenset[str]], Made] = {}
        self._closures: dict[tuple[Direction, str], Closures[str]] = {}
        self._places: dict[str, Steps] = {}
        self._unions: dict[str, str] = {}
        self._branches: dict[tuple[str, str], Made] = {}
        self._flagged: dict[tuple[Direction, str], bool] = {}

    def make(self, schema: Json, home: Home, direction: Direction, table: str = _TABLES[0]) -> Made:
        """A schema for one direction, with references into a table of definitions."""
        if home.at[:-1] == COMPONENTS and self.subtypes.of(str(home.at[-1])):
            made = self._union(str(home.at[-1]), schema, table)
        else:
            made = self._used(schema, home, direction, table)
        self._count(made, direction)
        return made

    def _used(self, schema: Json, home: Home, direction: Direction, table: str) -> Made:
        """A schema as it stands, or with remarks of whoever refers to it: rewritten once."""
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
        """A schema as the root of a tool's, definitions included."""
        told: list[Finding] = []
        schema, at = self.resolved(schema, at, told)
        own = schema if isinstance(schema, dict) else {}
        table = next((name for name in _TABLES if name not in own), _TABLES[-1])
        made = self.make(schema, Home(at), direction, table)
        defined = self.definitions(made.needs, direction, table)
        findings = (*told, *made.findings, *defined.findings)
        if not isinstance(made.schema, dict) or not defined.schema:
            return Made(made.schema, (), findings, made.weight)
        weight = made.weight + defined.weight
        return Made({**made.schema, table: defined.schema}, (), findings, weight)

    def _count(self, made: Made, direction: Direction) -> None:
        """What is asked for; whoever wants an answer counts it himself."""
        if direction is Direction.REQUEST:
            self.budget.spend(Cost.ASKED, made.weight)

    def definitions(
        self, needs: Collection[str], direction: Direction, table: str = _TABLES[0]
    ) -> Made:
        """All definitions that some need, and those that they need in turn, sorted by name."""
        if not needs:
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
        """The schema that a bare reference leads to; remarks beside it are kept."""
        remarks: JsonObject = {}
        first, seen = (schema, at), {at}
        while isinstance(schema, dict) and isinstance(schema.get("$ref"), str):
            odd = _odd(schema)
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

    def is_flagged(self, schema: Json, direction: Direction) -> bool:
        """Whether a member stays behind."""
        if not isinstance(schema, dict) or schema.get(direction) is True:
            return isinstance(schema, dict)
        ref = schema.get("$ref")
        if not isinstance(ref, str):
            return False
        key = (direction, ref)
        if key not in self._flagged:
            self._flagged[key] = self._leads_to_flag(ref, direction)
        return self._flagged[key]

    def _leads_to_flag(self, ref: Json, direction: Direction) -> bool:
        for _ in range(_MOST_HOPS):
            found = self.document.find(ref) if isinstance(ref, str) else None
            if found is None or not isinstance(found.value, dict):
                return False
            if found.value.get(direction) is True:
                return True
            ref = found.value.get("$ref")
        return False

    def name_of(self, place: Steps) -> str:
        """The name under which a schema that is no component is carried."""
        digest = hashlib.sha256(str(Pointer(place)).encode("utf-8", "replace")).hexdigest()[:12]
        name = f"{_ILLEGAL.sub('_', str(place[-1]))[:40]}_{digest}"
        while name in self.document.schemas:  # somebody did this on purpose
            name += "_"
        self._places[name] = place
        return name

    def union_of(self, base: str) -> str:
        """The name under which the subtypes of a base are carried as one."""
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
        rewriter = _Rewriter(self, direction, table, home)
        made = rewriter.node(schema, home.at)
        self.budget.spend(Cost.HELD, rewriter.nodes)
        return Made(made, tuple(rewriter.needs), tuple(rewriter.findings), weight(made))

    def _union(self, base: str, schema: Json, table: str) -> Made:
        """A base where it is used: any of its subtypes, by name."""
        made = self._branches.get((base, table))
        if made is None:
            names = self.subtypes.of(base)
            stated = self.document.schemas[base]["discriminator"]
            mapping, _, told, _ = self.mapped(stated, (*COMPONENTS, base), table)
            branches: JsonObject = {
                "anyOf": [{"$ref": in_table(table, name)} for name in names],
                "discriminator": {**stated, "mapping": mapping} if mapping else _bare(stated),
            }
            made = self._branches[base, table] = Made(branches, names, told, weight(branches))
        words = {key: schema[key] for key in ("type", "title", "description") if key in schema}
        return made._replace(schema={**words, **made.schema})

    def mapped(self, discriminator: JsonObject, at: Steps, table: str) -> Made:
        """The mapping with references into a table; what leads nowhere is told and left out."""
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


def in_table(table: str, name: str) -> str:
    """A reference to a definition."""
    return f"#{fragment(str(Pointer((table, name))))}"


def _bare(discriminator: JsonObject) -> JsonObject:
    return {key: value for key, value in discriminator.items() if key != "mapping"}


def _remarks(schema: Json, stated: Json) -> JsonObject | None:
    """What one schema says beside another to people alone; None when they differ in more."""
    if not isinstance(schema, dict) or not isinstance(stated, dict) or "$ref" in stated:
        return None
    beside = {key: schema[key] for key in schema if schema[key] is not stated.get(key, schema)}
    return None if _odd(beside) or not stated.keys() <= schema.keys() else beside


def _odd(reference: JsonObject) -> list[str]:
    """What stands beside a reference and is more than a remark."""
    return sorted(key for key in map(str, reference) if key not in _REMARKS and key[:2] != "x-")


class _Rewriter:
    """One schema on its way; untouched subtrees are shared."""

    def __init__(self, schemas: Schemas, direction: Direction, table: str, home: Home) -> None:
        self.schemas = schemas
        self.direction = direction
        self.table = table
        self.home = home
        self.needs: dict[str, None] = {}
        self.findings: list[Finding] = []
        self.nodes = 0
        self._listed: dict[int, set[str | None]] = {}

    def node(self, node: Json, at: Steps, siblings: Sequence[Json] = ()) -> Json:
        if not isinstance(node, dict) or isinstance(node.get("$id"), str):
            return node  # references below an identifier are its own
        self.nodes += 1
        new = dict(node)
        if isinstance(node.get("$ref"), str):
            new["$ref"] = self._reference(node["$ref"], (*at, "$ref"), siblings)
            odd = _odd(node)
            if odd and not self.schemas.document.siblings:
                self.findings.append(finding("reference-siblings-ignored", at, ", ".join(odd[:6])))
                new = {key: value for key, value in new.items() if key not in odd}
        for flag in _FLAGS:
            if isinstance(node.get(flag), bool):
                new.pop(flag, None)
        if isinstance(node.get("properties"), dict):
            self._leave_behind(new, node["properties"])
        for key, value in new.items():
            position = POSITIONS.get(key)
            if position is not None:
                new[key] = self._children(value, (*at, key), position)
        if isinstance(node.get("discriminator"), dict):
            new["discriminator"] = self._discriminator(node, at)
        same = new.keys() == node.keys() and all(new[key] is node[key] for key in node)
        return node if same else new

    def _leave_behind(self, new: JsonObject, members: JsonObject) -> None:
        flagged = [
            name
            for name, member in members.items()
            if self.schemas.is_flagged(member, self.direction)
        ]
        if not flagged:
            return
        new["properties"] = {name: members[name] for name in members if name not in flagged}
        required = new.get("required")
        if isinstance(required, list):
            new["required"] = [name for name in required if name not in flagged]
            if not new["required"]:
                del new["required"]

    def _children(self, value: Json, at: Steps, position: Position) -> Json:
        if isinstance(value, list):
            items = [self.node(item, (*at, index), value) for index, item in enumerate(value)]
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
        behind = ref.partition("#")[2].split("/")[1:]  # as it is spelled, escapes and all
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
        """Whether a reference means a base with its subtypes, and not the base alone.

        It means the base alone where something is made of it, where its subtypes are listed beside
        it, and where the subtypes would lead back with the same value.
        """
        subtypes = self.schemas.subtypes
        if not subtypes.of(base):
            return False
        around = at[-2] if at[2:] else None
        if around == "allOf" and len(siblings) > 1:
            return False
        if around in {"anyOf", "oneOf"} and self._lists_subtypes(base, siblings):
            return False
        return not subtypes.leads_back(base, same_value(at, self.home.at))

    def _lists_subtypes(self, base: str, siblings: Sequence[Json]) -> bool:
        subtypes = self.schemas.subtypes
        named = self._listed.get(id(siblings))
        if named is None:  # a list of many is looked through once
            refs = (item.get("$ref") for item in siblings if isinstance(item, dict))
            named = self._listed[id(siblings)] = {subtypes.named(ref) for ref in refs}
        return any(name in named for name in subtypes.of(base) if name != base)

    def _discriminator(self, node: JsonObject, at: Steps) -> JsonObject:
        """It names schemas too, which are carried for its sake; a base leaves that to its union."""
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
        return _bare(stated)
