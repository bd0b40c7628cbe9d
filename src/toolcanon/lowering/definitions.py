"""References while a schema is lowered: kept, moved, written out, or given up past a limit.

Inlining is counted before it is done: a reference whose expansion does not fit the budget is not
expanded at all, so a small document cannot become a large one.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final, TypeAlias

from toolcanon.dialect import Dialect
from toolcanon.jsonio import Pointer
from toolcanon.jsonio.types import Json, JsonObject
from toolcanon.lowering.any_value import ANY, ANY_NAME, ANY_PLACE, ANY_REF
from toolcanon.lowering.lens_document import assembled, unread, with_guarded
from toolcanon.lowering.source_map import Homes
from toolcanon.schema import upgrade
from toolcanon.schema.algebra.constraints import takes_null
from toolcanon.schema.algebra.overlap import Allowance
from toolcanon.schema.cached_property import kept
from toolcanon.schema.malformed import Omission, sound
from toolcanon.schema.measure import count_nodes
from toolcanon.schema.references import (
    Place,
    References,
    ReferenceTarget,
    has_references,
    is_walked,
    may_recur,
    subschemas,
)
from toolcanon.schema.resources import as_part

_Lower: TypeAlias = Callable[[JsonObject, Place], tuple[JsonObject, JsonObject | None]]

MOST_NODES: Final = 50_000
GROWTH: Final = 20
_ALWAYS_FINE: Final = 2_000  # small documents may grow more
_MOST_LOOKS: Final = 50_000  # at schemas, for where they lead
_LONGEST_CHAIN: Final = 48  # references inside references, before recursion is at risk
_LEGAL: Final = re.compile(r"[A-Za-z0-9_.-]{1,64}")
_OF_THE_ROOT: Final = ("$schema", "$id", "$anchor", "$defs", "definitions")
WRAPPED: Final = "input"
"""The member for arguments that are not an object."""


class Definitions:
    """The targets of a schema's references, and their lowered forms."""

    def __init__(self, schema: JsonObject, dialect: Dialect, visit: _Lower) -> None:
        self.dialect = dialect
        self._visit = visit
        self.wrapped_root = False
        self.renamed: dict[str, str] = {}
        """Members of the root by their written names, where those differ."""
        self.set_aside: list[tuple[Place, Json]] = []
        """Definitions taken out of the schema, to be written anew as far as needed."""
        self.homes: Homes | None = None
        """The source map; None while nothing has moved."""
        self._schema = schema
        self._active: dict[Place, int] = {}
        self._depth = 0
        self._names: dict[Place, str] = {}
        self._schemas: dict[str, JsonObject] = {}
        self._lenses: dict[str, JsonObject | None] = {}
        self._written: set[str] = set()
        self._numbers: dict[Place, str] = {}
        self._unwalked: dict[Place, ReferenceTarget] = {}
        self._read_as: list[tuple[Json, ...]] = []
        self.own: JsonObject = {}
        """Definitions of the original, for those who tell branches of unions apart."""
        self.guards = False
        """Whether schemas tell branches of unions apart, which may hold references."""
        self.settled: set[str] = set()
        """Definitions whose lenses are whole as they stand."""
        self._waiting: list[tuple[str, Place, JsonObject]] = []
        self.allowance = Allowance()
        """For telling branches of unions apart: many unions cost no more than a few."""
        self.kinds: dict[str, frozenset[str]] = {}
        """The types of the targets of references in the original, as far as they were needed."""
        self.resolved: dict[Place, Json] = {}  # what became of branches that are mere references
        self._bundled: dict[int, tuple[JsonObject, JsonObject]] = {}
        """By identity; the first of each is kept so that no other gets it."""
        self._unlinked: list[tuple[str, Json]] = []
        self._takes_null: dict[str, bool] = {}
        self._looks = _MOST_LOOKS

    @kept
    def tracks(self) -> bool:
        """Whether kept references lead to lowered definitions, whose lenses have names."""
        rules = self.dialect.references
        return rules.keep and (
            not rules.anywhere
            or _renames(self._schema, self.dialect)
            or (not rules.any_recursion and self._circles)
            or not (rules.escapes or self.references.are_plain)
        )

    @kept
    def references(self) -> References:
        return References(self._schema)

    @kept
    def _unavoidable(self) -> References:
        """The references that are followed whichever members an object leaves out."""
        return References(self._schema, optional=False)

    @kept
    def _budget(self) -> int:
        """Return how many more nodes may be inlined."""
        return min(MOST_NODES, max(_ALWAYS_FINE, GROWTH * count_nodes(self._schema)))

    def follow(self) -> Homes:
        """Start to find schemas by their identity, before some of them move."""
        if self.homes is None:
            self.homes = Homes(self._schema)
        return self.homes

    def succeed(self, schema: Json, heir: Json) -> None:
        """Record that a schema replaces another, which may have been moved."""
        if self.homes is not None:
            self.homes.succeed(schema, heir)

    def find(self, ref: Json) -> ReferenceTarget | None:
        """Return the target of a reference; None when there is none here."""
        if ref == ANY_REF:
            return ReferenceTarget(ANY_PLACE, ANY)
        found = self.references.find(ref) if isinstance(ref, str) else None
        return found if found is None or is_walked(found.pointer) else self._read(found)

    def _read(self, found: ReferenceTarget) -> ReferenceTarget:
        """Upgrade a schema under an unknown keyword, which the walk of the others left out."""
        known = self._unwalked.get(found.pointer)
        if known is None:
            omitted: list[Omission] = []
            upgraded = upgrade({"$defs": {"": found.schema}})
            schema = sound(upgraded.schema, omitted)["$defs"][""]
            known = self._unwalked[found.pointer] = ReferenceTarget(found.pointer, schema)
            if self.tracks or not self.dialect.references.anywhere:  # else it stays as it is
                for loss in upgraded.losses:
                    at = (*found.pointer, *loss.at[2:])
                    self._read_as.append((loss.code, None, at, loss.before, loss.after))
                for place, was, now in omitted:
                    worth = unread(place, was, self.dialect)
                    at = (*found.pointer, *place[2:])
                    self._read_as.append(("L233", worth, at, was, now))
        return known

    @property
    def is_usual(self) -> bool:
        """Whether "anything" is written by its usual name, as for nearly every schema."""
        return self._names.get(ANY_PLACE) == ANY_NAME

    def is_outside_any(self) -> bool:
        """Return whether any value may be written out here, outside another one."""
        return not self._active.get(ANY_PLACE) and self._depth < _LONGEST_CHAIN

    def mark(self) -> tuple[int, ...]:
        """Return a mark that changes when definitions are added."""
        return len(self._names), len(self._written), len(self.own), len(self._numbers)

    def is_any(self, place: Place) -> bool:
        return place == ANY_PLACE

    def is_recursive(self, place: Place) -> bool:
        return place == ANY_PLACE or self.references.is_recursive(place)

    def is_refused(self, place: Place) -> bool:
        """Return whether the schema at a place is recursive in a way that the target rejects."""
        rules = self.dialect.references
        if rules.any_recursion:
            return False
        if not (rules.keep and rules.recursive):
            return self.is_recursive(place)
        return place == ANY_PLACE or self._unavoidable.is_recursive(place)

    def is_unrolled(self, schema: JsonObject) -> bool:
        """Return whether a schema leads to an unrolled recursion, so that values become text.

        No lens reaches below a condition or a conjunction, so such a schema cannot be there.
        """
        rules = self.dialect.references
        return not rules.any_recursion and self._circles and self._leads_round(schema)

    @kept
    def _circles(self) -> bool:
        return may_recur(self._schema) and self._leads_round(self._schema)

    def _leads_round(self, schema: Json) -> bool:
        """Return whether references lead to a recursion; also true after too many of them."""
        stack, seen = [schema], set[int]()
        while stack:
            node = stack.pop()
            if node.__class__ is not dict or id(node) in seen:
                continue
            seen.add(id(node))
            self._looks -= 1
            ref = node.get("$ref", node.get("$dynamicRef"))
            found = self.references.find(ref) if isinstance(ref, str) else None
            if self._looks < 0 or (found and self.is_refused(found.pointer)):
                return True
            stack += [below for _, below in subschemas(node)]
            stack += [found.schema] if found else ()
        return False

    def is_meaningless(self, place: Place) -> bool:
        """Return whether references lead from there to references and never to a schema."""
        return place != ANY_PLACE and self.references.is_meaningless(place)

    def target(self, ref: Json) -> Json:
        """Return the schema a reference leads to, or None; any value, if it is circular."""
        found = self.find(ref)
        if found is None:
            return None
        return True if self.is_meaningless(found.pointer) else found.schema

    def takes_null(self, schema: Json) -> bool:
        """Return whether a schema accepts null."""
        ref = schema.get("$ref") if schema.__class__ is dict and len(schema) == 1 else None
        if ref.__class__ is not str:
            return takes_null(schema, self.target)
        if ref not in self._takes_null:
            self._takes_null[ref] = takes_null(schema, self.target)
        return self._takes_null[ref]

    def may_enter(self, place: Place, schema: Json) -> bool:
        """Return whether a reference may be written out once more; if so, it is paid for."""
        if self._depth >= _LONGEST_CHAIN:
            return False
        if place == ANY_PLACE:
            return not self._active.get(place)
        if self._active.get(place, 0) > self.dialect.references.unroll:
            return False
        if self._depth == 0 and self.references.cost(place) > self._budget:
            return False
        own = count_nodes(schema)
        if own > self._budget:
            return False
        self._budget -= own
        return True

    def enter(self, place: Place) -> None:
        self._depth += 1
        self._active[place] = self._active.get(place, 0) + 1

    def leave(self, places: list[Place]) -> None:
        for place in places:
            self._depth -= 1
            self._active[place] -= 1

    def keep(self, found: ReferenceTarget) -> str:
        """Return the reference to write instead of one that leads there."""
        if not found.pointer and not (self.wrapped_root or self._is_root_apart):
            return "#"
        name = self._names.get(found.pointer)
        if name is None:
            name = self._names[found.pointer] = self._new_name(found.pointer)
            if self._depth < _LONGEST_CHAIN:
                self._lower(name, found.pointer, found.schema)
            else:
                self._waiting.append((name, found.pointer, found.schema))
        self._written.add(f"#/$defs/{name}")
        return f"#/$defs/{name}"

    def moved(self, ref: str, found: ReferenceTarget) -> str:
        """Return a reference that stays in its place, led to where its target is now."""
        if not found.pointer and self._is_root_apart:
            return self.keep(found)
        head, *rest = found.pointer or ("",)
        if head == "properties" and rest and rest[0] in self.renamed:
            return "#" + str(Pointer((head, self.renamed[str(rest[0])], *rest[1:])))
        if not self.wrapped_root or head in {"$defs", "definitions"}:
            return ref
        return "#" + str(Pointer(("properties", WRAPPED, *found.pointer)))

    @property
    def _is_root_apart(self) -> bool:
        """Whether references lead to a copy of the root: the new names are for arguments only."""
        return bool(self.renamed) and not self.dialect.nested_members

    def _new_name(self, place: Place) -> str:
        wanted = str(place[-1]) if place else "root"
        if place == ANY_PLACE:
            wanted = ANY_NAME
        elif not _LEGAL.fullmatch(wanted):
            wanted = re.sub(r"[^A-Za-z0-9_.-]", "_", wanted)[:64] or "definition"
        taken = set(self._names.values())
        name, number = wanted, 2
        while name in taken or (place != ("$defs", name) and self._is_own(name)):
            name, number = f"{wanted}_{number}", number + 1
        return name

    def _is_own(self, name: str) -> bool:
        """Return whether a definition of the schema may still need this name."""
        own = self._schema.get("$defs")
        return isinstance(own, dict) and name in own

    def _lower(self, name: str, place: Place, schema: Json) -> None:
        node = as_part(schema, place)
        if not place:
            node = {key: value for key, value in node.items() if key not in _OF_THE_ROOT}
        self._depth += 1
        self._schemas[name], self._lenses[name] = {}, {"ops": []}  # unknown while it is made
        self._schemas[name], self._lenses[name] = self._visit(node, place)
        self._depth -= 1

    def name_of(self, ref: str) -> str:
        """Return the name of the lens that a written reference leads to."""
        return ref.removeprefix("#/$defs/")

    def lens_of(self, name: str) -> JsonObject | None:
        """Return the lens of a written definition; one that does something while that is open."""
        return self._lenses.get(name, {"ops": []})

    def bundled(self, schema: JsonObject) -> JsonObject:
        """Return an original schema whose references lead into definitions that a lens can hold."""
        known = self._bundled.get(id(schema))
        if known is None:
            made: JsonObject = self._relinked(schema) if has_references(schema) else schema
            while self._unlinked:  # one after the other: chains may be long
                name, target = self._unlinked.pop()
                self.own[name] = self._relinked(target)
            known = self._bundled[id(schema)] = schema, made
        return known[1]

    def _relinked(self, schema: Json) -> Json:
        """Return the schema with references by number; what they lead to is kept with the lens."""
        if schema.__class__ is not dict:
            return schema
        out = dict(schema)
        for steps, below in subschemas(schema):
            if len(steps) == 1:
                out[steps[0]] = self._relinked(below)
            else:
                key, last = steps
                if out[key] is schema[key]:
                    out[key] = schema[key].copy()
                out[key][last] = self._relinked(below)
        found = self.find(out["$ref"]) if "$ref" in out else None
        if found is not None:
            name = self._numbers.get(found.pointer)
            if name is None:
                name = self._numbers[found.pointer] = f"d{len(self._numbers)}"
                self._unlinked.append((name, found.schema))
            out["$ref"] = f"#/$defs/{name}"
        return out

    def is_written(self, ref: Json) -> bool:
        """Return whether a reference is one of those written here."""
        return ref.__class__ is str and ref in self._written

    def is_led(self, ref: Json) -> bool:
        """Return whether a written reference leads to something with a lens of its own."""
        if ref == "#":
            return self.tracks or (bool(self.renamed) and self.dialect.nested_members)
        return self.tracks and ref.__class__ is str and ref in self._written

    def is_open(self, ref: str) -> bool:
        """Return whether a written reference leads to something still being made."""
        return ref == "#" or not self._schemas.get(self.name_of(ref))

    def written(self) -> References:
        """Return the definitions written so far, for steps that follow written references."""
        return References({"$defs": self._schemas})

    def finish(
        self, schema: JsonObject, lens: JsonObject | None, log: list[tuple[Json, ...]]
    ) -> tuple[JsonObject, JsonObject | None]:
        """Return the schema with its definitions, the lens with those of the definitions."""
        while self._waiting:
            self._lower(*self._waiting.pop())
        if self._schemas:
            schema = {**schema, "$defs": {**schema.get("$defs", {}), **self._ordered()}}
            if self._is_root_apart and not self.tracks:
                own = self._schema.get("$defs")
                log.append(("L203", None, ("$defs",), own, schema["$defs"]))
        log.extend(self._read_as)
        for at, before in self.set_aside:
            after = self._schemas if at and at[-1] == "$defs" else None
            if not after or any(after.get(name) is not before[name] for name in before):
                log.append(("L203", None, at, before, after or None))
        if lens is not None and not self.is_led("#"):
            document: JsonObject | None = {"version": 1, "root": lens}  # all of it does something
        else:
            document = assembled(lens, self._lenses, self.settled)
        if document is None or not self.guards:
            return schema, document
        return schema, with_guarded(document, self._schemas, self.own, schema, self.settled)

    def _ordered(self) -> JsonObject:
        own = [name for name in self._schema.get("$defs") or () if name in self._schemas]
        return {name: self._schemas[name] for name in dict.fromkeys([*own, *self._schemas])}


def _renames(schema: JsonObject, dialect: Dialect) -> bool:
    """Return whether members get other names wherever references lead to them."""
    policy, members = dialect.members, schema.get("properties")
    if policy is None or not dialect.nested_members or not isinstance(members, dict):
        return False
    return not all(map(policy.allows, members)) and has_references(schema)
