"""Schemas that stand alone: references lead into ``$defs``, which hold just what is needed.

A request never has read-only members and a response no write-only ones, so every schema is written
for one direction; the two flags have done their work then and go. Definitions are rewritten once
for a document and shared by all of its tools.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable
from enum import StrEnum
from typing import Final, NamedTuple

from toolcanon.errors import LimitExceeded
from toolcanon.formats.openapi.document import Document, Steps
from toolcanon.formats.openapi.findings import Finding, finding
from toolcanon.jsonio import DEFAULT_LIMITS, Pointer
from toolcanon.jsonio.types import Json, JsonObject
from toolcanon.schema.keywords import POSITIONS, Position
from toolcanon.schema.references import is_schema

_COMPONENTS: Final = ("components", "schemas")
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
    """A rewritten schema, the definitions it refers to, and what was odd."""

    schema: Json
    needs: tuple[str, ...]
    findings: tuple[Finding, ...]


class Schemas:
    """The schemas of one document."""

    def __init__(self, document: Document) -> None:
        self.document = document
        self._made: dict[tuple[Direction, str, str], Made] = {}
        self._places: dict[str, Steps] = {}
        self._budget = DEFAULT_LIMITS.values

    def make(self, schema: Json, home: Home, direction: Direction, table: str = _TABLES[0]) -> Made:
        """A schema for one direction, with references into a table of definitions."""
        rewriter = _Rewriter(self, direction, table, home)
        made = rewriter.node(schema, home.at)
        return Made(made, tuple(rewriter.needs), tuple(rewriter.findings))

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
            return Made(made.schema, (), findings)
        return Made({**made.schema, table: defined.schema}, (), findings)

    def definitions(
        self, needs: Iterable[str], direction: Direction, table: str = _TABLES[0]
    ) -> Made:
        """All definitions that some need, and those that they need in turn, sorted by name."""
        found: dict[str, Made] = {}
        ahead = list(needs)
        while ahead:
            name = ahead.pop()
            if name not in found:
                found[name] = self._definition(name, direction, table)
                ahead.extend(found[name].needs)
        self.spend(len(found))
        names = sorted(found)
        told = tuple(item for name in names for item in found[name].findings)
        return Made({name: found[name].schema for name in names}, (), told)

    def spend(self, count: int) -> None:
        """Definitions are carried by every tool that needs them: a bomb unless counted."""
        self._budget -= count
        if self._budget < 0:
            where = ", once every tool carries the definitions it needs"
            raise LimitExceeded("values", DEFAULT_LIMITS.values, None, where)

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
        for _ in range(_MOST_HOPS):
            if not isinstance(schema, dict):
                return False
            if schema.get(direction) is True:
                return True
            ref = schema.get("$ref")
            found = self.document.find(ref) if isinstance(ref, str) else None
            if found is None:
                return False
            schema = found.value
        return False

    def name_of(self, place: Steps) -> str:
        """The name under which a schema that is no component is carried."""
        digest = hashlib.sha256(str(Pointer(place)).encode("utf-8", "replace")).hexdigest()[:12]
        name = f"{_ILLEGAL.sub('_', str(place[-1]))[:40]}_{digest}"
        while name in self.document.schemas:  # somebody did this on purpose
            name += "_"
        self._places[name] = place
        return name

    def _definition(self, name: str, direction: Direction, table: str) -> Made:
        key = (direction, table, name)
        made = self._made.get(key)
        if made is None:
            place = self._places.get(name, (*_COMPONENTS, name))
            found = self.document.at(place)
            schema = None if found is None else found.value
            made = self._made[key] = self.make(schema, Home(place, f"/{table}/{name}"), direction,
                                               table)  # fmt: skip
        return made


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

    def node(self, node: Json, at: Steps) -> Json:
        if not isinstance(node, dict) or isinstance(node.get("$id"), str):
            return node  # references below an identifier are its own
        new = dict(node)
        if isinstance(node.get("$ref"), str):
            new["$ref"] = self._reference(node["$ref"], (*at, "$ref"))
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
            new["discriminator"] = self._discriminator(node["discriminator"])
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
            items = [self.node(item, (*at, index)) for index, item in enumerate(value)]
            changed = any(new is not old for new, old in zip(items, value, strict=True))
            return items if changed else value
        if isinstance(value, dict) and position is Position.SCHEMA_MAP:
            table = {name: self.node(item, (*at, name)) for name, item in value.items()}
            return table if any(table[name] is not value[name] for name in value) else value
        return self.node(value, at)

    def _reference(self, ref: str, at: Steps) -> str:
        found = self.schemas.document.find(ref)
        if found is None or not found.at or not is_schema(found.value):
            self.findings.append(finding("reference-unresolved", at, ref[:80]))
            return ref
        behind = ref.partition("#")[2].split("/")[1:]  # as it is spelled, escapes and all
        place, home = found.at, self.home
        if place[:2] == _COMPONENTS and place[2:]:
            self.needs[str(place[2])] = None
            return "/".join((f"#/{self.table}", *behind[2:]))
        if place[: len(home.at)] == home.at:
            return "/".join((f"#{home.within}", *behind[len(home.at) :]))
        name = self.schemas.name_of(place)
        self.needs[name] = None
        return f"#/{self.table}/{name}"

    def _discriminator(self, stated: JsonObject) -> JsonObject:
        """Its table names schemas as well, but nothing is needed for its sake."""
        mapping = stated.get("mapping")
        if not isinstance(mapping, dict):
            return stated
        prefix = f"#/{'/'.join(_COMPONENTS)}/"
        moved = {
            key: f"#/{self.table}/{ref[len(prefix) :]}"
            if isinstance(ref, str) and ref.startswith(prefix)
            else ref
            for key, ref in mapping.items()
        }
        return {**stated, "mapping": moved}
