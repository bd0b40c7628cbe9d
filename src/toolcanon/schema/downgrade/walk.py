"""A schema being written in the words of an older draft: the walk, and where everything goes.

Handlers (``downgrade``) answer for the keywords that do not stay as they are.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Mapping
from typing import Final, NamedTuple, TypeAlias

from toolcanon.diagnostics import Effect
from toolcanon.jsonio.types import Json, JsonObject
from toolcanon.schema.keywords import LATEST_URI, POSITIONS, DraftMeaning, Position, draft_of
from toolcanon.schema.references import Place, References, subschemas
from toolcanon.schema.resources import reference_to

URIS: Final[Mapping[DraftMeaning, str]] = {
    DraftMeaning.D4: "http://json-schema.org/draft-04/schema#",
    DraftMeaning.D6: "http://json-schema.org/draft-06/schema#",
    DraftMeaning.D7: "http://json-schema.org/draft-07/schema#",
    DraftMeaning.D2019: "https://json-schema.org/draft/2019-09/schema",
    DraftMeaning.LATEST: LATEST_URI,
}
"""What a document of each draft declares."""

Record: TypeAlias = tuple[str, Effect | None, Place, Json, Json]
"""A loss in the making: its code, its effect unless the code's own, where, before, after."""

SAID, MOVED = "L402", "L202"
_MOST_DOUBLED: Final = 3  # a schema that is needed twice, inside one that is, and so on
_BESIDE: Final = frozenset({"$ref", "$schema", "$comment", "definitions"})


class SchemaScan:
    """The facts about the whole schema that writing needs."""

    def __init__(self, schema: JsonObject, draft: DraftMeaning, odd: Collection[str]) -> None:
        self.references = References(schema)
        self.is_odd = False
        self.has_resources = False
        """Whether identifiers below the root open documents within the document."""
        self.dynamic: Counter[str] = Counter()
        """How many schemas have a dynamic name."""
        self.targets: set[Place] = set()
        """Where references lead."""
        self.astray: set[Place] = set()
        """The same, and all places on the way there."""
        self._draft = draft
        self._words = frozenset(odd) - _quiet(draft)
        seen: set[Place] = set()
        stack: list[tuple[Place, Json]] = [((), schema)]
        later: list[tuple[Place, Json]] = []  # most turn out to be ordinary schemas
        while stack or later:
            place, node = (stack or later).pop()
            if node.__class__ is not dict or place in seen:
                continue
            seen.add(place)
            self._look(node, place)
            found = self.references.find(node["$ref"]) if _refers(node) else None
            if found is not None and found.pointer not in seen:
                self._mark(found.pointer)
                later.append(found)
            stack.extend(((*place, *steps), child) for steps, child in subschemas(node))

    def _look(self, node: JsonObject, place: Place) -> None:
        crowded = self._draft <= DraftMeaning.D7 and "$ref" in node and is_crowded(node, place)
        if crowded or not self._words.isdisjoint(node) or declares_other(node, self._draft):
            self.is_odd = True
        self.has_resources |= bool(place) and opens_resource(node)
        if node.get("$dynamicAnchor").__class__ is str:
            self.dynamic[node["$dynamicAnchor"]] += 1

    def _mark(self, place: Place) -> None:
        """Remember the way to a schema that perhaps no keyword leads to."""
        self.targets.add(place)
        self.astray |= {place[:size] for size in range(1, len(place) + 1)}


def _quiet(draft: DraftMeaning) -> set[str]:
    """Return the keywords that need no handler."""
    found = {"$schema", "$ref"}
    if draft > DraftMeaning.D4:
        found |= {"$id", "contains"}
    if draft > DraftMeaning.D7:
        found.add("$anchor")
    return found


def _refers(node: JsonObject) -> bool:
    return node.get("$ref").__class__ is str


def is_crowded(node: JsonObject, place: Place) -> bool:
    """Return whether a reference has siblings, or will have: a document has a title."""
    return not place or not node.keys() <= _BESIDE


def declares_other(node: JsonObject, draft: DraftMeaning) -> bool:
    """Return whether ``$schema`` must change; an unknown dialect counts as the latest draft."""
    if "$schema" not in node:
        return False
    if draft is DraftMeaning.LATEST:
        return draft_of(node) is not draft
    return bool(node["$schema"] != URIS[draft])


def opens_resource(node: JsonObject) -> bool:
    identifier = node.get("$id")
    return identifier.__class__ is str and "#" not in identifier[:-1] and bool(identifier)


class WrittenNode(NamedTuple):
    """A node with its old and new place, and the schema that is being made of it."""

    node: JsonObject
    old: Place
    new: Place
    out: JsonObject
    parts: list[JsonObject]
    """What has to hold beside, in ``allOf``."""

    def part(self, further: int = 0) -> Place:
        """Return the place of the next part, or of one behind it."""
        own = len(self.node.get("allOf") or ())
        return (*self.new, "allOf", own + len(self.parts) + further)


class DowngradeWriter:
    """One walk over a schema, top-down, with a handler for each keyword that does not stay."""

    def __init__(
        self,
        draft: DraftMeaning,
        survey: SchemaScan,
        handlers: Mapping[str, Handler],
        known: Mapping[Place, Place] | None = None,
    ) -> None:
        self.draft = draft
        self.survey = survey
        self.references = survey.references
        self.moves: dict[Place, Place] = {}
        """The new place of each schema."""
        self.log: list[Record] = []
        self.refers = False
        self._known = known
        self._handlers = handlers
        self._doubled = 0

    def node(self, node: JsonObject, old: Place, new: Place) -> JsonObject:
        """Return a schema and everything below it."""
        self.moves[old] = new
        spot = WrittenNode(node, old, new, {}, [])
        for key, value in node.items():
            handle = self._handlers.get(key)
            if handle is not None:
                handle(self, spot, key)
            elif key in POSITIONS:
                spot.out[key] = self.below(value, key, (*old, key), (*new, key))
            else:
                spot.out[key] = self.stray(value, (*old, key), (*new, key))
        out = spot.out
        if self.draft <= DraftMeaning.D7 and "$ref" in out and (spot.parts or is_crowded(out, old)):
            self.tell(SAID, spot, "$ref" if "$ref" in node else "$dynamicRef", None)
            spot.parts.append({"$ref": out.pop("$ref")})
        if spot.parts:
            out["allOf"] = [*(out.get("allOf") or ()), *spot.parts]
        return out

    def below(self, value: Json, key: str, old: Place, new: Place) -> Json:
        """Return a schema, or the list or map of schemas that a keyword holds."""
        if value.__class__ is list:
            return [
                self.child(item, (*old, index), (*new, index)) for index, item in enumerate(value)
            ]
        if POSITIONS[key] is Position.SCHEMA_MAP:
            return {
                name: self.child(item, (*old, name), (*new, name)) for name, item in value.items()
            }
        return self.child(value, old, new)

    def child(self, value: Json, old: Place, new: Place) -> Json:
        """Write one schema below."""
        if value.__class__ is dict:
            return self.node(value, old, new)
        self.moves[old] = new
        return value

    def stray(self, value: Json, old: Place, new: Place) -> Json:
        """Return the value of an unknown keyword, in which references may find schemas."""
        if old not in self.survey.astray:
            return value
        if old in self.survey.targets:
            return self.child(value, old, new)
        if value.__class__ is list:
            return [
                self.stray(item, (*old, index), (*new, index)) for index, item in enumerate(value)
            ]
        return {name: self.stray(item, (*old, name), (*new, name)) for name, item in value.items()}

    def twice(self, value: Json, old: Place, one: Place, other: Place) -> tuple[Json, Json]:
        """Return a schema that is needed in two places."""
        self._doubled += 1
        first = self.child(value, old, one)
        told = len(self.log)
        second = self.child(value, old, other)
        del self.log[told:]
        self._doubled -= 1
        return first, second

    @property
    def _keeps_names(self) -> bool:
        return self.draft > DraftMeaning.D7 and not self.survey.dynamic

    @property
    def may_double(self) -> bool:
        """Whether what is doubled within what is doubled stays small."""
        return self._doubled < _MOST_DOUBLED

    def tell(
        self, code: str, spot: WrittenNode, key: str, after: Json, effect: Effect | None = None
    ) -> None:
        """Report the new form of a keyword."""
        self.log.append((code, effect, (*spot.old, key), spot.node[key], after))

    def led(self, ref: str, holder: JsonObject) -> str:
        """Return a reference as it has to be spelled now."""
        self.refers = True
        found = self.references.find_exactly(ref, holder) or self.references.find(ref)
        if found is None or self._known is None:
            return ref
        place = self._known.get(found.pointer)
        if place is None:
            return ref
        fragment = ref.partition("#")[2]
        fine = not fragment or fragment.startswith("/") or self._keeps_names
        if place == found.pointer and fine and not self.survey.has_resources:
            return ref
        return reference_to(place)


Handler: TypeAlias = Callable[[DowngradeWriter, WrittenNode, str], None]
"""Writes one keyword of a node: fills ``out`` and ``parts``, and reports what it changed."""
