"""The constraints of a conjunction of schemas, from references, ``allOf`` and siblings.

Several schemas may apply to one value. Their keywords are merged greedily; where that fails, a
validator rejects the sample.
"""

from __future__ import annotations

import copy
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from toolcanon.jsonio import Pointer
from toolcanon.jsonio.types import Json, JsonObject
from toolcanon.schema.keywords import TYPES
from toolcanon.schema.references import References
from toolcanon.schema.validate import judge
from toolcanon.schema.values import identity, is_number, listed, table

_LOWER: Final = frozenset({"minLength", "minItems", "minProperties", "minimum", "exclusiveMinimum"})
_UPPER: Final = frozenset({"maxLength", "maxItems", "maxProperties", "maximum", "exclusiveMaximum"})
BOUNDS: Final = _LOWER | _UPPER | {"multipleOf"}
_MOST_READINGS: Final = 48
_MOST_MEMBERS: Final = 400
_MOST_PATTERNS: Final = 32
_MOST_VALUES: Final = 200


class SampledNode(NamedTuple):
    """A schema and its place in its document."""

    node: Json
    at: str


def step(at: str, name: str) -> str:
    """Return a JSON Pointer in text form with one more step."""
    if "~" in name or "/" in name:
        name = name.replace("~", "~0").replace("/", "~1")
    return f"{at}/{name}"


class Branch(NamedTuple):
    """One alternative of a choice: further schemas, members to include and to omit."""

    goal: str
    spots: tuple[SampledNode, ...]
    present: str | None = None
    absent: str | None = None


class BranchGroup(NamedTuple):
    """A choice between branches."""

    word: str
    at: str
    branches: tuple[Branch, ...]


@dataclass(slots=True)
class Facets:
    """The merged keywords, each with its place."""

    at: str = ""
    impossible: bool = False
    types: tuple[str, ...] | None = None
    type_at: str = ""
    bounds: dict[str, tuple[Json, str]] = field(default_factory=dict)
    values: list[tuple[Json, str]] | None = None
    values_at: str = ""
    patterns: list[tuple[str, str]] = field(default_factory=list)
    formats: list[str] = field(default_factory=list)
    properties: dict[str, tuple[SampledNode, ...]] = field(default_factory=dict)
    required: dict[str, str] = field(default_factory=dict)
    absent: tuple[str, ...] = ()
    closed: str = ""
    extra: tuple[SampledNode, ...] = ()
    by_pattern: list[tuple[str, SampledNode]] = field(default_factory=list)
    names: tuple[SampledNode, ...] = ()
    needs: dict[str, dict[str, str]] = field(default_factory=dict)
    prefix: list[tuple[SampledNode, ...]] = field(default_factory=list)
    items: tuple[SampledNode, ...] = ()
    contains: list[tuple[SampledNode, int]] = field(default_factory=list)
    unique: str = ""
    nots: tuple[SampledNode, ...] = ()
    groups: tuple[BranchGroup, ...] = ()
    chosen: tuple[str, ...] = ()
    targets: tuple[str, ...] = ()
    words: set[str] = field(default_factory=set)
    seen: set[str] = field(default_factory=set)

    def copied(self) -> Facets:
        out = copy.copy(self)
        for name in ("bounds", "properties", "required", "needs"):
            setattr(out, name, dict(getattr(self, name)))
        for name in ("patterns", "formats", "by_pattern", "prefix", "contains"):
            setattr(out, name, list(getattr(self, name)))
        out.words, out.seen = set(self.words), set(self.seen)
        return out

    def bound(self, word: str) -> Json:
        found = self.bounds.get(word)
        return None if found is None else found[0]


class FacetReader:
    """Reads conjunctions of spots of one document as facets."""

    def __init__(self, document: Json) -> None:
        self._references = References(document)
        self._known: dict[tuple[str, ...], Facets] = {}
        self._matches: dict[tuple[str, str], bool] = {}

    def facets(self, spots: tuple[SampledNode, ...]) -> Facets:
        """Return merged facets with the choices still open; the caller must not change them."""
        key = tuple(spot.at for spot in spots)
        found = self._known.get(key)
        if found is None:
            found = Facets(at=spots[0].at if spots else "")
            for spot in spots:
                self._absorb(found, spot)
            self._known[key] = found
        return found

    def readings(self, facets: Facets) -> list[Facets]:
        """Return facets for every branch of every choice, with the others at their first branch."""
        if not facets.groups:
            return [facets]
        sizes = [len(group.branches) for group in facets.groups]
        picks = [[0] * len(sizes)]
        picks += [
            [i if g == group else 0 for g in range(len(sizes))]
            for group, size in enumerate(sizes)
            for i in range(1, size)
        ]
        if len(sizes) > 1:
            picks += [[i % size for size in sizes] for i in range(1, max(sizes))]
        out: list[Facets] = []
        for pick in picks[:_MOST_READINGS]:
            branches = [group.branches[i] for group, i in zip(facets.groups, pick, strict=True)]
            out += self.readings(self.read(facets, branches))
            if len(out) >= _MOST_READINGS:
                break
        return out

    def read(self, facets: Facets, branches: list[Branch]) -> Facets:
        """Return the facets with these branches of all their choices taken."""
        out = facets.copied()
        out.groups = ()
        for branch in branches:
            out.chosen += (branch.goal,)
            for spot in branch.spots:
                self._absorb(out, spot)
            if branch.present is not None:
                out.required.setdefault(branch.present, "")
            if branch.absent is not None:
                out.absent += (branch.absent,)
        out.impossible = out.impossible or any(name in out.required for name in out.absent)
        return out

    def joined(self, facets: Facets, spot: SampledNode) -> Facets:
        """Return the facets with one more schema."""
        out = facets.copied()
        self._absorb(out, spot)
        return out

    def member(self, facets: Facets, name: str) -> tuple[SampledNode, ...]:
        """Return the schemas that apply to a member."""
        spots = facets.properties.get(name, ())
        for pattern, spot in facets.by_pattern:
            key = (pattern, name)
            if key not in self._matches:
                self._matches[key] = judge({"pattern": pattern}).accepts(name) is True
            if self._matches[key]:
                spots += (spot,)
        return spots or facets.extra

    def _absorb(self, into: Facets, spot: SampledNode) -> None:
        node, at = spot
        if node is False:
            into.impossible = True
        if not isinstance(node, dict) or at in into.seen:
            return
        into.seen.add(at)
        into.words.update(node)
        ref = node.get("$ref")
        found = self._references.find_exactly(ref, node) if isinstance(ref, str) else None
        if found is not None:
            target = SampledNode(found.schema, str(Pointer(found.pointer)))
            into.targets += (target.at,)
            self._absorb(into, target)
        for i, item in enumerate(listed(node, "allOf")):
            self._absorb(into, SampledNode(item, f"{at}/allOf/{i}"))
        _absorb_values(into, node, at)
        _absorb_members(into, node, at)
        _absorb_items(into, node, at)
        _absorb_choices(into, node, at)


def _absorb_values(into: Facets, node: JsonObject, at: str) -> None:
    kinds = node.get("type")
    if kinds is not None:
        kinds = kinds if isinstance(kinds, list) else [kinds]
        named = tuple(kind for kind in kinds if _text(kind) and kind in TYPES)
        into.types = named if into.types is None else _common(into.types, named)
        into.type_at = f"{at}/type"
        into.impossible = into.impossible or not into.types
    for word, value in node.items():
        if word not in BOUNDS or not is_number(value):
            continue
        known = into.bound(word)
        if known is None or (value > known if word in _LOWER else value < known):
            into.bounds[word] = (value, f"{at}/{word}")
    listed_values: list[tuple[Json, str]] | None = None
    if "const" in node:
        listed_values = [(node["const"], f"{at}/const")]
        into.values_at = f"{at}/const"
    elif isinstance(node.get("enum"), list):
        listed_values = [(v, f"{at}/enum/{i}") for i, v in enumerate(node["enum"])]
        into.values_at = f"{at}/enum"
    if listed_values is not None:
        if into.values is not None:
            allowed = {identity(value) for value, _ in listed_values[:_MOST_VALUES]}
            listed_values = [pair for pair in into.values if identity(pair[0]) in allowed]
        into.values = listed_values
        into.impossible = into.impossible or not listed_values
    if isinstance(node.get("pattern"), str):
        into.patterns.append((node["pattern"], f"{at}/pattern"))
    if isinstance(node.get("format"), str):
        into.formats.append(node["format"])
    if isinstance(node.get("not"), dict | bool):
        into.nots += (SampledNode(node["not"], f"{at}/not"),)


def _absorb_members(into: Facets, node: JsonObject, at: str) -> None:
    for name, inner in list(table(node, "properties").items())[:_MOST_MEMBERS]:
        spot = SampledNode(inner, step(f"{at}/properties", name))
        into.properties[name] = (*into.properties.get(name, ()), spot)
    for i, name in enumerate(listed(node, "required")):
        if isinstance(name, str):
            into.required.setdefault(name, f"{at}/required/{i}")
    for pattern, inner in list(table(node, "patternProperties").items())[:_MOST_PATTERNS]:
        into.by_pattern.append(
            (pattern, SampledNode(inner, step(f"{at}/patternProperties", pattern)))
        )
    for word in ("additionalProperties", "unevaluatedProperties"):
        inner = node.get(word)
        if inner is False:
            into.closed = f"{at}/{word}"
        elif inner is True or isinstance(inner, dict):
            into.extra += (SampledNode(inner, f"{at}/{word}"),)
    if isinstance(node.get("propertyNames"), dict | bool):
        into.names += (SampledNode(node["propertyNames"], f"{at}/propertyNames"),)
    needs = table(node, "dependentRequired")
    for name in needs:
        place = step(f"{at}/dependentRequired", name)
        others = enumerate(listed(needs, name))
        needed = {other: f"{place}/{i}" for i, other in others if _text(other)}
        into.needs[name] = into.needs.get(name, {}) | needed


def _absorb_items(into: Facets, node: JsonObject, at: str) -> None:
    for i, inner in enumerate(listed(node, "prefixItems")[:_MOST_MEMBERS]):
        spot = SampledNode(inner, f"{at}/prefixItems/{i}")
        if i < len(into.prefix):
            into.prefix[i] += (spot,)
        else:
            into.prefix.append((spot,))
    for word in ("items", "unevaluatedItems"):
        if isinstance(node.get(word), dict | bool):
            into.items += (SampledNode(node[word], f"{at}/{word}"),)
    if isinstance(node.get("contains"), dict | bool):
        least = node.get("minContains", 1)
        least = int(least) if isinstance(least, int | float) and least < _MOST_MEMBERS else 1
        into.contains.append((SampledNode(node["contains"], f"{at}/contains"), least))
    if node.get("uniqueItems") is True:
        into.unique = f"{at}/uniqueItems"


def _absorb_choices(into: Facets, node: JsonObject, at: str) -> None:
    for word in ("anyOf", "oneOf"):
        schemas = listed(node, word)
        if schemas:
            place = f"{at}/{word}"
            branches = (
                Branch(f"{place}/{i}", (SampledNode(inner, f"{place}/{i}"),))
                for i, inner in enumerate(schemas[:_MOST_READINGS])
            )
            into.groups += (BranchGroup(word, place, tuple(branches)),)
    if "if" in node and ("then" in node or "else" in node):
        yes = (
            SampledNode(node["if"], f"{at}/if"),
            SampledNode(node.get("then", True), f"{at}/then"),
        )
        no = (SampledNode(node.get("else", True), f"{at}/else"),)
        # Several conditions are rarely all true, so "does not hold" comes first.
        both = (Branch(f"{at}/else", no), Branch(f"{at}/then", yes))
        into.groups += (BranchGroup("if", at, both),)
    for name, inner in list(table(node, "dependentSchemas").items())[:_MOST_MEMBERS]:
        place = step(f"{at}/dependentSchemas", name)
        with_it = Branch(f"{place} present", (SampledNode(inner, place),), present=name)
        without = Branch(f"{place} absent", (), absent=name)
        into.groups += (BranchGroup("dependentSchemas", place, (without, with_it)),)


def _common(one: tuple[str, ...], other: tuple[str, ...]) -> tuple[str, ...]:
    out = [kind for kind in one if kind in other]
    if "integer" not in out and (
        ("integer" in one and "number" in other) or ("number" in one and "integer" in other)
    ):
        out.append("integer")
    return tuple(out)


def _text(value: Json) -> bool:
    return isinstance(value, str)
