"""Rewrite one schema for one direction, without the members of the other.

References point into a table of definitions. The schemas of one value are handled together: a
member may be flagged in one place and required in another.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final, NamedTuple

from toolcanon.formats.openapi.closures import Cost, weight
from toolcanon.formats.openapi.composition import Direction, stay_apart
from toolcanon.formats.openapi.document import COMPONENTS, Found, Steps
from toolcanon.formats.openapi.findings import Finding, finding
from toolcanon.formats.openapi.subtypes import same_value
from toolcanon.formats.wire.percent import fragment
from toolcanon.jsonio import Pointer
from toolcanon.jsonio.types import Json, JsonObject
from toolcanon.schema.keywords import POSITIONS, Position
from toolcanon.schema.references import is_schema

if TYPE_CHECKING:
    from toolcanon.formats.openapi.schemas import Schemas

_FLAGS: Final = ("readOnly", "writeOnly")
_SAME_VALUE: Final = frozenset({"allOf", "anyOf"})
_MOST_COPIES: Final = 64  # of definitions within another
_REMARKS: Final = frozenset(
    "$ref title description summary deprecated example examples default".split()
)


class Home(NamedTuple):
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


class Rewriter:
    """Rewrites one schema; unchanged subtrees are shared."""

    def __init__(self, schemas: Schemas, direction: Direction, table: str, home: Home) -> None:
        self.schemas = schemas
        self.direction = direction
        self.table = table
        self.home = home
        self.needs: dict[str, None] = {}
        self.findings: list[Finding] = []
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

    def _to_copy(self, node: JsonObject, at: Steps, behind: frozenset[str]) -> Found | None:
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
