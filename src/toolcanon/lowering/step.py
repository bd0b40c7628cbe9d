"""A step of lowering: one rewrite of one schema node, and its effect on arguments.

A step returns a node unchanged or rewritten, reports losses (``Site.lose``) and adds operations of
the lens (``Site.op``). It knows the dialect and nothing else of the target.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Final, Protocol, TypeAlias

from toolcanon.diagnostics import Effect
from toolcanon.dialect import Dialect
from toolcanon.jsonio.types import Json, JsonObject
from toolcanon.lowering.definitions import Definitions
from toolcanon.lowering.members import Added, with_members
from toolcanon.lowering.notes import note, whole
from toolcanon.lowering.source_map import Homes, Origins, SourcePlace
from toolcanon.schema.algebra.constraints import takes_null
from toolcanon.schema.references import Place, subschemas

_new = tuple.__new__  # a named tuple's own constructor costs twice as much

Record: TypeAlias = tuple[str, Effect | None, Place, Json, Json]
"""A loss in the making: its code, its effect unless the code's own, where, before, after."""


@dataclass(frozen=True, slots=True)
class Trouble:
    """A value that a way back could not make sense of."""

    at: tuple[str | int, ...]
    says: str
    is_kept: bool = False
    """Whether the value stays unchanged, so that it may be valid nevertheless."""
    repair: str = ""
    """The code that reports it where the arguments fit: the operation has settled it."""


Way: TypeAlias = Callable[[Json, JsonObject, list[Trouble]], Json]
"""One direction of an operation on a value: the value, the operation, where to complain."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Op:
    """The operation of a step on arguments. Both directions keep values they do not recognize."""

    name: str
    apply: Way
    restore: Way
    needs: tuple[tuple[str, type], ...] = ()
    """What it must come with in a lens."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StepExample:
    """A schema that needs the step, and an argument before and after."""

    before: JsonObject
    after: JsonObject
    args: Json = None
    wire_args: Json = None
    dialect: str = ""
    """A field of Dialect that makes the step needed, as ``field=value``; see the tests."""


Renamed: TypeAlias = Callable[[str, Json], Json]
"""Returns the value of a keyword with other names of members."""
Retell: TypeAlias = Callable[[Renamed], str | None]


class Owner(Protocol):
    """The walk a site belongs to."""

    log: list[Record]
    known: Definitions | None

    @property
    def definitions(self) -> Definitions: ...


class StepNode:
    """A node as steps see it."""

    __slots__ = (
        "at",
        "dialect",
        "entered",
        "is_root",
        "log",
        "notes",
        "ops",
        "origins",
        "owner",
        "restart",
    )

    ops: list[JsonObject] | None
    entered: list[Place] | None
    origins: Origins | None
    """The original places of keywords that came from another node."""
    notes: list[tuple[str, Retell]] | None
    """Notes in the description about members, and how to write them with other names."""

    def __init__(self, owner: Owner, dialect: Dialect, at: Place, is_root: bool = False) -> None:  # noqa: FBT001, FBT002 - made once for every node
        self.owner = owner
        self.dialect = dialect
        self.at = at
        self.is_root = is_root
        self.log = owner.log
        self.ops = self.entered = self.origins = self.notes = None
        self.restart = False

    def find(self, node: JsonObject, homes: Homes) -> None:
        """Set the original places of a node that may have been moved or merged."""
        self.at = homes.places.get(id(node), self.at)
        self.origins = homes.merged.get(id(node))

    @property
    def run(self) -> Definitions:
        """What is known of the whole schema."""
        known = self.owner.known
        return self.owner.definitions if known is None else known

    def takes_null(self, schema: Json) -> bool:
        """Return whether a schema accepts null."""
        known = self.owner.known
        return takes_null(schema, self.target) if known is None else known.takes_null(schema)

    def target(self, ref: Json) -> Json:
        """Return the schema a reference leads to."""
        return self.run.target(ref)

    @property
    def known_homes(self) -> Homes | None:
        """Return the source map; None while nothing has moved."""
        return None if self.owner.known is None else self.owner.known.homes

    def lose(
        self, code: str, key: str | None, before: Json, after: Json, effect: Effect | None = None
    ) -> None:
        """Report the rewrite of a keyword, or of the node itself; the code's effect by default."""
        if self.origins is None:
            place = self.at if key is None else (*self.at, key)
            self.log.append((code, effect, place, before, after))
            return
        homes = () if key is None else self.origins.get(key, ())
        if len(homes) <= 1 or before is None:
            self.log.append((code, effect, self.place(key), before, after))
        else:
            self.log += [(code, effect, home.at, home.value, after) for home in homes]

    def place(self, key: str | None) -> Place:
        """Return the original place of a keyword of this node."""
        if key is None:
            return self.at
        if self.origins is not None and key in self.origins:
            return self.origins[key][0].at
        return (*self.at, key)

    def member(self, name: str, table: str = "properties") -> Place:
        """Return the original place of a declared member, or of an entry in another table."""
        for home in (self.origins or _NOWHERE).get(table, ()):
            if home.value.__class__ is dict and name in home.value:
                return (*home.at, name)
        return (*self.place(table), name)

    def homes(self, node: JsonObject) -> Origins:
        """Return the original places of this node's keywords."""
        known = self.origins or _NOWHERE
        return {
            key: known[key] if key in known else [_new(SourcePlace, ((*self.at, key), value))]
            for key, value in node.items()
        }

    def merge(self, made: Json, parts: Sequence[Json], owner: SourcePlace | None = None) -> None:
        """Remember what a schema was made of, and tell what went with that."""
        for home in self.run.follow().merge(made, parts, owner):
            self.log.append(("L206", None, home.at, home.value, None))

    def leave_out(
        self,
        code: str,
        residue: Iterable[tuple[str, Json]],
        parts: Sequence[Json],
        otherwise: Place,
        effect: Effect | None = None,
    ) -> None:
        """Report what a conjunction lacks, at those of its parts that have it.

        ``otherwise`` is the place of the report where no part is known.
        """
        for home in self.run.follow().left_out(residue, parts, otherwise):
            self.log.append((code, effect, home.at, home.value, None))

    def make(
        self, made: JsonObject, node: JsonObject, key: str | None, known: Origins | None = None
    ) -> JsonObject:
        """Return a new schema that replaces a keyword of this node, or all of it.

        Its keywords belong to that place, except those with known places of their own.
        """
        home = SourcePlace(self.place(key), node if key is None else node[key])
        origins = {word: [home] for word in made} | (known or _NOWHERE)
        self.run.follow().place(made, home.at, origins)
        return made

    def rename(self, node: JsonObject, key: str, written: str) -> None:
        """Record that another keyword replaces a keyword of this node."""
        self.origins = {**(self.origins or _NOWHERE), written: self.homes(node)[key]}

    def adopt(self, node: JsonObject, members: JsonObject) -> None:
        """Record that this node declares members that were declared elsewhere."""
        homes = self.run.follow()
        tables: dict[Place, JsonObject] = {}
        for name, schema in members.items():
            at = homes.places.get(id(schema))
            if at and at[-1] == name:
                tables.setdefault(at[:-1], {})[name] = schema
        if tables:
            found = [SourcePlace(at, table) for at, table in tables.items()]
            found = [*self.homes(node).get("properties", ()), *found]
            self.origins = {**(self.origins or _NOWHERE), "properties": found}

    def extend(self, node: JsonObject, said: Sequence[Json]) -> Added:
        """Return a schema with the members that only others declare, at any depth."""
        found = with_members(node, said, self.run.target)
        if found.schema is not node:
            homes = self.run.follow()
            was = dict(subschemas(node))
            for steps, below in subschemas(found.schema):
                old = was.get(steps)
                if old is None and below.__class__ is dict:
                    self.merge(below, below.get("anyOf") or ())  # where several places declare it
                elif below is not old:
                    self.merge(below, [old])
            homes.succeed(node, found.schema)
        return found if self.closes else found._replace(frees=False)

    @property
    def closes(self) -> bool:
        """Whether an object that does not mention other members accepts none at the target."""
        dialect = self.dialect
        return dialect.closed or dialect.closed_unless_said or not dialect.maps

    def become(self, node: JsonObject, made: JsonObject, parts: Sequence[Json]) -> None:
        """Record that this node was merged with others, into one that replaces it."""
        homes = self.run.follow()
        own = dict(node)  # other nodes may share it
        homes.place(own, self.at, self.homes(node))
        self.merge(made, [own, *parts], SourcePlace(self.at, node))
        self.origins = homes.of(made)

    def enter(self, key: str, index: int, inner: JsonObject, beside: JsonObject) -> None:
        """Replace this node by one below it, with the siblings of that keyword."""
        origins = self.homes(beside)
        self.at = (*self.place(key), index)
        homes = self.known_homes
        if homes is not None:
            self.at = homes.places.get(id(inner), self.at)
            origins = {**homes.merged.get(id(inner), _NOWHERE), **origins}
        self.origins = origins or None

    def note(self, key: str, value: Json) -> str | None:
        """Return a keyword as a note for the description; None when that would be too long."""
        said = whole(key, value, self.target)
        if said is None and value is not None:
            return None
        return self.tell(note(key, said), lambda renamed: note(key, renamed(key, said)))

    def remark(self, key: str, value: Json) -> str | None:
        """Return a note that does not mention members."""
        said = whole(key, value, self.target)
        return None if said is None and value is not None else note(key, said)

    def tell(self, text: str | None, again: Retell) -> str | None:
        """Record a note about members, which may get other names later."""
        if text is not None:
            self.notes = [*(self.notes or ()), (text, again)]
        return text

    def op(self, name: str, **details: Json) -> None:
        """Add an operation of the lens, so that arguments follow the rewrite."""
        if self.ops is None:
            self.ops = []
        self.ops.append({"op": name, **details})


_NOWHERE: Final[Origins] = {}


Rewrite: TypeAlias = Callable[[JsonObject, StepNode], JsonObject]
"""The node as it should be: the same object when nothing is to be done."""
Glance: TypeAlias = Callable[[JsonObject], bool]
"""Whether a node that could need a step does need it: cheap, and wrong only on the safe side."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One rewrite. The module's docstring has its reasons; ``codes`` lists its losses."""

    id: str
    codes: tuple[str, ...]
    needed: Callable[[Dialect], bool]
    """Whether a dialect can ever need it."""
    meets: Callable[[Dialect, frozenset[str], frozenset[str]], bool]
    """Whether a node with these types (none: untyped) and these keywords could need it."""
    rewrite: Rewrite
    glance: Callable[[Dialect, frozenset[str]], Glance | bool] | None = None
    """Made for a dialect and the keywords of a node: yes or no where these settle it.

    Without one every node that could need the step does.
    """
    keeps: Callable[[Dialect, frozenset[str]], bool] | None = None
    """Whether a node with these keywords needs the same later steps once it is rewritten.

    It has the same keywords with schemas below them then, but for what need not be visited.
    """
    root_only: bool = False
    ops: tuple[Op, ...] = ()
    examples: tuple[StepExample, ...] = ()


def without(node: JsonObject, *keys: str) -> JsonObject:
    """Return the node but for some keywords."""
    out = node.copy()
    for key in keys:
        out.pop(key, None)
    return out
