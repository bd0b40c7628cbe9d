"""A step that folds a union of objects into one object with the members of all.

Why: providers reject a union at the root, and grammars reject one beside an object's own members.
Members that every branch requires stay required; which groups belong together is stated in the
description ("at least one of" is kept as such) and checked when arguments come back.
Tag: WIDENED; EXACT when the union never decided anything. NARROWED where no type was given and
values that are not objects were valid, or where a branch accepts a member that another declares.

A note is never wider than the schema: arguments that follow it are accepted by the schema.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from toolcanon.diagnostics import Effect
from toolcanon.dialect import Dialect, Support
from toolcanon.jsonio.types import Json, JsonObject
from toolcanon.lowering.members import Added
from toolcanon.lowering.notes import as_text, with_notes
from toolcanon.lowering.step import Renamed, Step, StepExample, StepNode, without
from toolcanon.lowering.unions import fold, is_whole
from toolcanon.schema.algebra.conjunction import Conjunction, conjoin
from toolcanon.schema.keywords import ANNOTATIONS, APPLIES
from toolcanon.schema.validate import judge
from toolcanon.schema.values import identity, types_of

_LONGEST: Final = 600
_PURE: Final = ANNOTATIONS | {"type", "required", "properties", "additionalProperties"}


def remark(
    key: str, own: JsonObject, branches: Sequence[JsonObject], required: Sequence[str]
) -> str | None:
    """Return which members belong together; None where nothing holds for every value.

    >>> modes = [{"properties": {"mode": {"const": "a"}}, "required": ["x"]},
    ...          {"properties": {"mode": {"const": "b"}}}]
    >>> remark("oneOf", {}, modes, ["mode"])
    'x when mode is a'
    >>> remark("anyOf", {}, [{"required": ["a", "b"]}, {"required": ["c"]}], [])
    'at least one of: a and b | c'
    """
    needs = [
        [name for name in branch.get("required") or () if name not in required]
        for branch in branches
    ]
    if not any(needs):
        return None
    switch = _switch(branches)
    if switch is not None:
        name, values = switch
        parts = [
            f"{' and '.join(needed)} when {name} is {' or '.join(map(as_text, listed))}"
            for needed, listed in zip(needs, values, strict=True)
            if needed
        ]
        text = "; ".join(parts)
    elif all(needs):
        how = "exactly" if key == "oneOf" and _excludes(own, branches) else "at least"
        text = f"{how} one of: {' | '.join(dict.fromkeys(map(' and '.join, needs)))}"
    else:
        return None  # one of them requires nothing
    return text if len(text) <= _LONGEST else None


def _switch(branches: Sequence[JsonObject]) -> tuple[str, list[list[Json]]] | None:
    """Return the member whose value decides which branch it is, and its values in each of them."""
    for name in branches[0].get("properties") or ():
        listed = [_listed((branch.get("properties") or {}).get(name)) for branch in branches]
        values = [value for some in listed for value in some]
        if all(listed) and len(set(map(identity, values))) == len(values):
            return name, listed
    return None


def _listed(schema: Json) -> list[Json]:
    """Return the values of a schema that lists them; none where it does not."""
    if schema.__class__ is not dict:
        return []
    if "const" in schema:
        return [schema["const"]]
    values: list[Json] = schema.get("enum") or []
    return list({identity(value): value for value in values}.values())


def _excludes(own: JsonObject, branches: Sequence[JsonObject]) -> bool:
    """Return whether a value with all that one branch requires always belongs to that branch."""
    if not all(branch.keys() <= _PURE for branch in branches):
        return False
    closed = [branch.get("additionalProperties") for branch in branches]
    if any(said not in (None, False) or said is not closed[0] for said in closed):
        return False
    tables: list[JsonObject] = [own.get("properties") or {}]
    tables += [branch.get("properties") or {} for branch in branches]
    return all(
        schema is True or schema == {} or sum(name in table for table in tables) == 1
        for table in tables[1:]
        for name, schema in table.items()
    )


_UNIONS: Final = ("anyOf", "oneOf")
_OBJECT: Final = frozenset(key for key, types in APPLIES.items() if "object" in types)
_ASSERTING: Final = APPLIES.keys() | {"type", "enum", "const", "not", "format"}
_OTHERS: Final[tuple[Json, ...]] = ("text", 0, True, None, [])
_HOPS: Final = 32
_DECLARING: Final = ("if", "then", "else", "dependentSchemas")
_ANYTHING: Final[tuple[Json, ...]] = (True, {})
_MOST_FLAT: Final = 1_000
_UNEVALUATED: Final = "unevaluatedProperties"


def rewrite(node: JsonObject, site: StepNode) -> JsonObject:
    dialect = site.dialect
    at_root = site.is_root and not dialect.root_unions
    for key in _UNIONS:
        if key not in node:
            continue
        beside = not dialect.union_siblings and not _ASSERTING.isdisjoint(node)
        if not (at_root or beside):
            continue
        branches = [_resolved(branch, site) for branch in node[key]]
        if any(branch is None for branch in branches):
            beside_it = [name for name in node if name in _ASSERTING]
            for name in beside_it:
                site.lose("L207", name, node[name], None)
            return without(node, *beside_it)
        if (at_root or not _OBJECT.isdisjoint(node)) and all(
            _is_object(branch, node) for branch in branches
        ):
            node = _folded(node, key, branches, site)
        elif beside and not at_root:
            node = _distributed(node, key, branches, site)
    return node


def _distributed(node: JsonObject, key: str, branches: list[Json], site: StepNode) -> JsonObject:
    """Return the node with the siblings of a union moved into each of its branches."""
    beside = {name: value for name, value in node.items() if name in _ASSERTING}
    apart = without(node, key, *beside)
    merged = [(branch, conjoin([branch, beside])) for branch in branches]
    held = [pair for pair in merged if not pair[1].is_nothing]
    site.lose("L206", key, node[key], None)
    for name, value in beside.items():
        site.lose("L206", name, value, None)
    if not held and _can_refuse(site.dialect):
        return {"not": {}, **apart}
    merged = held or merged
    site.run.follow().place(beside, site.at, site.homes(beside))
    made: list[JsonObject] = []
    for branch, found in merged:
        site.merge(found.schema, [branch, beside])
        site.leave_out("L207", found.residue, [branch, beside], site.place(key))
        made.append(_whole(found, [branch, beside], site))
    written = key
    if key == "oneOf" and "anyOf" not in apart and any(found.residue for _, found in merged):
        written = "anyOf"  # more values are of two branches than were
        site.rename(node, key, written)
    return {written: made, **apart}


def _whole(found: Conjunction, parts: Sequence[Json], site: StepNode) -> JsonObject:
    """Return one schema for several, with the members of those that it cannot include."""
    return site.extend(found.schema, parts).schema if found.residue else found.schema


def _can_refuse(dialect: Dialect) -> bool:
    """Return whether the dialect can express a schema without any valid value."""
    return dialect.support("not") is not Support.REJECTED and not dialect.typed


def _resolved(branch: Json, site: StepNode) -> Json:
    """Return a branch without references; None when a recursion was written out often enough.

    What many branches name is resolved once, or ladders of ``allOf`` would take forever.
    """
    found = None
    if branch.__class__ is dict and len(branch) == 1 and "$ref" in branch:
        found = site.run.find(branch["$ref"])
    if found is None or site.run.is_recursive(found.pointer):
        return _resolve(branch, site)
    known = site.run.resolved
    if found.pointer not in known:
        known[found.pointer] = _resolve(branch, site)
    return known[found.pointer]


def _resolve(branch: Json, site: StepNode) -> Json:
    for _ in range(_HOPS):
        if branch.__class__ is not dict:
            return branch
        if "$ref" in branch:
            found = site.run.find(branch["$ref"])
            if found is None or found.schema.__class__ is not dict:
                return without(branch, "$ref")
            if site.run.is_recursive(found.pointer):
                if not site.run.may_enter(found.pointer, found.schema):
                    return None
                site.run.enter(found.pointer)
                site.entered = [*(site.entered or ()), found.pointer]
            target = without(found.schema, "$defs", "definitions")
            branch = _conjoined(branch, [without(branch, "$ref"), target], site)
        elif "allOf" in branch:
            parts = [_resolved(part, site) or {} for part in branch["allOf"]]
            branch = _conjoined(branch, [without(branch, "allOf"), *parts], site)
        else:
            return branch
    return branch


def _conjoined(branch: JsonObject, parts: Sequence[Json], site: StepNode) -> JsonObject:
    """Return a branch as one schema; the first of its parts is its own."""
    merged = conjoin(parts)
    own, *others = parts
    homes = site.run.follow()
    homes.succeed(branch, own)
    site.merge(merged.schema, [branch, *others])
    if merged.residue:
        at = next((home.at for home in homes.of(branch).get("allOf", ())), site.at)
        site.leave_out("L207", merged.residue, [branch, *others], at)
    return _whole(merged, parts, site)


def _is_object(branch: Json, node: JsonObject) -> bool:
    if branch.__class__ is not dict:
        return branch is True
    types = types_of(branch)
    if types:
        return types == {"object"}
    if any(union in branch for union in _UNIONS):
        return all(_is_object(inner, node) for key in _UNIONS for inner in branch.get(key) or ())
    return bool(branch.keys() & _OBJECT) or types_of(node) == {"object"}


def _folded(node: JsonObject, key: str, branches: Sequence[Json], site: StepNode) -> JsonObject:
    site.run.follow()
    base = without(node, key)
    whole = [branch if branch.__class__ is dict else {} for branch in branches]
    folding = _Folding(site, base.get("required") or ())
    inner = [folding.flat(branch) for branch in whole]
    required = list(base.get("required") or ())
    shared = set.intersection(*(set(branch.get("required") or ()) for branch in inner))
    required += [
        name
        for branch in inner[:1]
        for name in branch.get("required") or ()
        if name in shared and name not in required
    ]
    if "type" not in base and not site.is_root and _takes_others(base, key, whole):
        site.lose("L215", "type", None, "object")
    out = {**base, "type": base.get("type", "object"), **folding.fold(base, inner)}
    if required:
        out["required"] = required
    silent = [_is_silent(flat, base) and id(flat) not in folding.decided for flat in inner]
    decides = not any(silent) or (key == "oneOf" and len(inner) > 1)
    decides = decides and not is_whole(base, whole)
    effect = Effect.WIDENED if decides or folding.widened else Effect.EXACT
    effect |= Effect.NARROWED if folding.narrowed else Effect.EXACT
    site.lose("L209", key, node[key], None, effect)
    site.become(base, out, inner)
    text = remark(key, base, inner, required) if decides else None

    def again(renamed: Renamed) -> str | None:
        own = {"properties": renamed("properties", base.get("properties") or {})}
        return remark(key, own, renamed(key, inner), renamed("required", required))

    site.tell(text, again)
    if "description" not in out and len(inner) == 1 and inner[0].get("description"):
        out["description"] = inner[0]["description"]
    return with_notes(out, [text])


class _Folding:
    """One fold, with the branches below branches."""

    def __init__(self, site: StepNode, required: Sequence[str]) -> None:
        self._required = required
        self.narrowed = self.widened = False
        self.decided: dict[int, JsonObject] = {}
        """Flat branches that state less than their own unions did, by identity."""
        self._site = site
        self._left = _MOST_FLAT
        self._closes = site.closes

    def fold(self, own: JsonObject, branches: Sequence[JsonObject]) -> JsonObject:
        site = self._site
        found = fold(own, branches, closes=self._closes, merge=site.merge, extend=self._extend)
        self.narrowed |= found.narrowed
        self.widened |= found.widened
        return found.schema

    def _extend(self, node: JsonObject, said: Sequence[Json]) -> Added:
        found = self._site.extend(node, said)
        self.narrowed |= found.frees
        return found

    def flat(self, branch: JsonObject) -> JsonObject:
        """Return a branch whose own unions are folded in turn, as far as that leads to an end."""
        for key in _UNIONS:
            self._left -= 1
            if key in branch and self._left > 0:
                below = [_resolved(item, self._site) or {} for item in branch[key]]
                below = [self.flat(item) for item in below if item.__class__ is dict]
                rest = without(branch, key)
                flat = {**rest, **self.fold(rest, below)} if below else rest
                self._site.merge(flat, [branch, *below])
                says = len(below) == len(branch[key]) and not any(
                    _is_silent(item, rest) and id(item) not in self.decided for item in below
                )
                if says or id(branch) in self.decided:
                    self.decided[id(flat)] = flat
                branch = flat
        conditions = {key: branch[key] for key in _DECLARING if key in branch}
        if conditions:
            found = self._site.extend(without(branch, *_DECLARING), [conditions])
            branch = {**branch, **found.schema}
            members = found.schema.get("properties") or {}
            needed = [members[name] for name in self._required if name in found.names]
            self.narrowed |= (
                found.binding or found.frees or any(member not in _ANYTHING for member in needed)
            )
        if self._closes and branch.get(_UNEVALUATED, False) is not False:
            # Nothing beside its members is left that would evaluate others.
            flat = {"additionalProperties": branch[_UNEVALUATED], **without(branch, _UNEVALUATED)}
            self._site.merge(flat, [branch])
            branch = flat
        return branch


def _takes_others(base: JsonObject, key: str, branches: Sequence[JsonObject]) -> bool:
    """Return whether values that are not objects were valid, which object keywords ignore."""
    rule = judge({**without(base, *_OBJECT), key: [without(part, *_OBJECT) for part in branches]})
    return any(rule.accepts(value) is not False for value in _OTHERS)


def _is_silent(branch: JsonObject, base: JsonObject) -> bool:
    """Return whether a branch requires nothing beyond the object itself."""
    asks = branch.keys() - ANNOTATIONS - {"type", "required"}
    needs = set(branch.get("required") or ()) - set(base.get("required") or ())
    return not asks and not needs


def _needed(dialect: Dialect) -> bool:
    return not (dialect.root_unions and dialect.union_siblings)


STEP = Step(
    id="folded-unions",
    codes=("L206", "L207", "L209", "L215"),
    needed=_needed,
    meets=lambda _dialect, _kinds, keys: not keys.isdisjoint(_UNIONS),
    rewrite=rewrite,
    examples=(
        StepExample(
            before={"type": "object",
                    "properties": {"a": {"type": "string"}, "b": {"type": "string"}},
                    "anyOf": [{"required": ["a"]}, {"required": ["b"]}]},
            after={"type": "object",
                   "properties": {"a": {"type": "string"}, "b": {"type": "string"}},
                   "description": "(at least one of: a | b)"},
            args={"a": "x"},
            wire_args={"a": "x"},
            dialect="root_unions=False",
        ),
    ),
)  # fmt: skip
