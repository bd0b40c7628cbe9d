"""Unions: branches distinguished on the way back, and branches merged.

Where values of written branches cannot be distinguished, each branch is put under a key of its own.
``anyOf[map<int>, list<bool>]`` written as two kinds of list is the known trap: an empty list must
come back as what it was. Keywords beside such a union apply to the whole value, which is under the
key now. So they move there, with the operations on what they declare.

Merged branches have the members of all, each with a union of its schemas. A schema may also have
schemas for undeclared members: by patterns, or for all others. One without those adds nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import combinations
from typing import Final, NamedTuple, TypeAlias

from toolcanon.jsonio import copy_json
from toolcanon.jsonio.types import Json, JsonObject
from toolcanon.lowering.definitions import Definitions
from toolcanon.lowering.lens_document import nodes
from toolcanon.lowering.members import Added, dependent_names, with_members
from toolcanon.lowering.step import Record, without
from toolcanon.schema import upgrade
from toolcanon.schema.algebra.conjunction import conjoin
from toolcanon.schema.algebra.overlap import are_apart
from toolcanon.schema.keywords import ANNOTATIONS
from toolcanon.schema.references import DEFINITIONS, Place, References, ReferenceTarget
from toolcanon.schema.validate import judge
from toolcanon.schema.values import same, types_of

_STAYING: Final = frozenset({*ANNOTATIONS, *DEFINITIONS, "nullable"})


class Tagged(NamedTuple):
    """A written union, its keyword, where it is, and the key of each branch that has one."""

    keyword: str
    at: Place
    keys: dict[int, str]


def into_branches(
    node: JsonObject, lens: JsonObject, union: Tagged, log: list[Record]
) -> tuple[JsonObject, JsonObject]:
    """Return the written node and its lens, with the siblings of the union in each branch."""
    said = {
        key: value for key, value in node.items() if key != union.keyword and key not in _STAYING
    }
    if said.keys() <= {"type"} and said.get("type", "object") == "object":
        return node, lens
    moved = {key: value for key, value in lens.items() if key != "anyOf"}
    branches, lenses = list(node[union.keyword]), list(lens["anyOf"])
    for index, branch in enumerate(branches):
        key = union.keys.get(index)
        if key is None:
            continue
        inner = _joined(branch["properties"][key], said, union.at, log)
        branches[index] = {**branch, "properties": {key: inner}}
        if moved:
            lenses[index] = _with_lens(lenses[index], key, moved)
    rest = {key: value for key, value in node.items() if key not in said}
    return {**rest, union.keyword: branches}, {"anyOf": lenses}


def _joined(branch: Json, said: JsonObject, at: Place, log: list[Record]) -> Json:
    if branch.__class__ is not dict:
        return said if branch is True else branch
    if "$ref" in branch:
        log.extend(("L207", None, at, {key: value}, None) for key, value in said.items())
        return branch
    both = conjoin([branch, said])
    log.extend(("L207", None, at, {key: value}, None) for key, value in both.residue)
    return both.schema


def _with_lens(entry: JsonObject, key: str, moved: JsonObject) -> JsonObject:
    """Return the lens of a branch, with the operations on the members beside the union."""
    lens = entry["lens"]
    inner = (lens.get("properties") or {}).get(key) or {}
    joined = {**moved, **inner}
    if "properties" in moved and "properties" in inner:
        joined["properties"] = {**moved["properties"], **inner["properties"]}
    return {**entry, "lens": {**lens, "properties": {key: joined}}}


_SCALARS: Final = frozenset({"string", "number", "integer", "boolean", "null", "array"})
_HOPS: Final = 16
_ANY_TYPE: Final = "any"
_MOST_BRANCHES: Final = 48  # each is compared with each


class Union(NamedTuple):
    """A union after its branches were lowered."""

    own: list[Json]
    written: list[Json]
    lenses: list[JsonObject | None]
    at: Place


def settle(
    union: Union, definitions: Definitions, log: list[Record]
) -> tuple[list[Json], list[JsonObject] | None, dict[int, str]]:
    """Return the written branches, the test for each, and their keys."""
    own, written, lenses, at = union
    lenses = [lens if _matters(lens, definitions) else None for lens in lenses]
    if not any(lenses):
        return written, None, {}
    if all(lens == lenses[0] for lens in lenses):
        return written, [{"lens": lenses[0]}], {}
    kinds = [
        _foreseen(mine, definitions)
        if branch.__class__ is dict and "$ref" in branch and definitions.is_open(branch["$ref"])
        else _types(branch, definitions, written=True)
        for mine, branch in zip(own, written, strict=True)
    ]
    own_kinds = [_types(branch, definitions, written=False) for branch in own]
    shared, own_shared = _shared(kinds), _shared(own_kinds)
    meeting = {
        i: _plain(written[i], definitions)
        for i, kind in enumerate(kinds)
        if _may_meet(kind, shared)
    }
    tagged = _indistinct(meeting, lenses, kinds, definitions)
    names: dict[int, str] = {}
    if tagged:
        tagged |= {i for i, kind in enumerate(kinds) if not kind or not kind <= _SCALARS}
        names = _tags(own, own_kinds, tagged)
        written = [
            _tag(branch, names[i], definitions) if i in tagged else branch
            for i, branch in enumerate(written)
        ]
        lenses = [_under(lens, names[i]) if i in tagged else lens for i, lens in enumerate(lenses)]
        log.append(("L231", None, at, own, written))
    branches = []
    for i, lens in enumerate(lenses):
        if i in tagged:
            guard: JsonObject = {"types": ["object"], "schema": {"required": [names[i]]}}
        else:
            guard = _guard(meeting.get(i), kinds[i], meets=i in meeting)
            definitions.guards |= i in meeting
        mine = _guard(own[i], own_kinds[i], meets=_may_meet(own_kinds[i], own_shared))
        if "schema" in mine:
            definitions.guards = True
            mine["schema"] = definitions.bundled(mine["schema"])
        entry: JsonObject = {"own": mine, "wire": guard}
        if lens:
            entry["lens"] = lens
        branches.append(entry)
    return written, branches, names


def _matters(lens: JsonObject | None, definitions: Definitions) -> bool:
    """Return whether a lens changes any value, here or behind the references it follows."""
    if lens is None or "ops" in lens:
        return lens is not None
    waiting: list[JsonObject | None] = [lens]
    seen: set[str] = set()
    while waiting:
        for node in nodes(waiting.pop() or {}):
            if "ops" in node:
                return True
            name = node.get("$ref")
            if name in definitions.settled:
                return True
            if name is not None and name not in seen:
                seen.add(name)
                waiting.append(definitions.lens_of(name))
    return False


def _types(branch: Json, definitions: Definitions, *, written: bool) -> frozenset[str]:
    """Return the types a branch may have; none when that is not certain."""
    kinds = types_of(branch)
    if not kinds:
        kinds = _looked_up(branch, definitions, written=written)
    elif branch.get("nullable") is True:
        kinds |= {"null"}
    return kinds | {"integer"} if "number" in kinds else kinds


def _looked_up(branch: Json, definitions: Definitions, *, written: bool) -> frozenset[str]:
    if written:  # and more may be written soon
        return _kinds(branch, definitions.written().find, {}, _HOPS)
    ref = branch.get("$ref") if branch.__class__ is dict and len(branch) == 1 else None
    if ref is None:
        return _kinds(branch, definitions.find, {}, _HOPS)
    if ref not in definitions.kinds:
        definitions.kinds[ref] = _kinds(branch, definitions.find, {}, _HOPS)
    return definitions.kinds[ref]


def _kinds(
    branch: Json,
    find: Callable[[str], ReferenceTarget | None],
    known: dict[str, frozenset[str]],
    hops: int,
) -> frozenset[str]:
    if branch.__class__ is not dict or hops == 0:
        return frozenset()
    kinds = types_of(branch)
    if not kinds and "$ref" in branch:
        ref = branch["$ref"]
        if ref not in known:
            found = find(ref)
            known[ref] = frozenset()  # uncertain if it leads only to itself
            known[ref] = _kinds(found.schema if found else None, find, known, hops - 1)
        return known[ref]
    if not kinds:
        below = [_kinds(item, find, known, hops - 1) for item in branch.get("anyOf") or ()]
        if not below or not all(below):
            return frozenset()
        kinds = frozenset().union(*below)
    return kinds | {"null"} if branch.get("nullable") is True else kinds


def _foreseen(branch: Json, definitions: Definitions) -> frozenset[str]:
    """Return the types a branch will have that leads back to what is being written."""
    found = definitions.find(branch.get("$ref")) if branch.__class__ is dict else None
    target: Json = found.schema if found else {}
    kinds = types_of(target)
    return kinds if kinds == {"object"} and target.get("properties") else frozenset()


def _may_meet(own: frozenset[str], shared: set[str]) -> bool:
    """Return whether a branch of these types may share any with another."""
    return not own or _ANY_TYPE in shared or not shared.isdisjoint(own)


def _indistinct(
    meeting: dict[int, Json],
    lenses: list[JsonObject | None],
    kinds: list[frozenset[str]],
    definitions: Definitions,
) -> set[int]:
    """Return the branches that share values with one that treats them differently."""
    if len(lenses) > _MOST_BRANCHES:
        return set(range(len(lenses)))
    found: set[int] = set()
    references: References | None = None
    for i, j in combinations(meeting, 2):
        if (kinds[i] and kinds[j] and kinds[i].isdisjoint(kinds[j])) or lenses[i] == lenses[j]:
            continue
        if references is None:
            references = definitions.written()
        if not are_apart(meeting[i], meeting[j], references, definitions.allowance):
            found |= {i, j}
    return found


def _plain(branch: Json, definitions: Definitions) -> Json:
    """Return a written branch as JSON Schema 2020-12, where null may have another spelling."""
    says = definitions.dialect.nullable and branch.__class__ is dict and "nullable" in str(branch)
    return upgrade(branch).schema if says else branch


def _guard(branch: Json, own: frozenset[str], *, meets: bool) -> JsonObject:
    """Return the test that a value belongs to a branch: its type, if no other branch has it."""
    guard: JsonObject = {"types": sorted(own)} if own else {}
    if meets:
        # A copy: changes to a payload, which shares branches, must not reach the lens.
        guard["schema"] = copy_json(branch) if branch.__class__ is dict else {}
    return guard


def _shared(kinds: list[frozenset[str]]) -> set[str]:
    """Return the types that several branches may have; one that may have any counts for all."""
    seen: set[str] = set()
    found: set[str] = set()
    for own in kinds:
        if not own:
            found.add(_ANY_TYPE)
        found |= seen & own
        seen |= own
    return found


def _tags(own: list[Json], kinds: list[frozenset[str]], tagged: set[int]) -> dict[int, str]:
    """Return a short name for each branch, from its own keywords."""
    names: dict[int, str] = {}
    times: dict[str, int] = {}
    for i in sorted(tagged):
        branch = own[i] if own[i].__class__ is dict else {}
        words = [branch.get("title"), str(branch.get("$ref", "")).rpartition("/")[2]]
        words += sorted(kinds[i] - {"null", "integer"})
        word = next((w for w in words if isinstance(w, str) and w.isidentifier()), "option")
        word = word[:48]
        times[word] = times.get(word, 0) + 1
        names[i] = word if times[word] == 1 else f"{word}__{times[word]}"
    return names


def _tag(branch: Json, name: str, definitions: Definitions) -> JsonObject:
    made: JsonObject = {"type": "object", "properties": {name: branch}, "required": [name]}
    if definitions.dialect.closed:
        made["additionalProperties"] = False
    return made


def _under(lens: JsonObject | None, name: str) -> JsonObject:
    made: JsonObject = {"ops": [{"op": "wrap", "key": name}]}
    return {**made, "properties": {name: lens}} if lens else made


_OPEN: Final[tuple[str, ...]] = ("patternProperties", "additionalProperties")
_SPEAKING: Final = frozenset({"properties", "required", "unevaluatedProperties", *_OPEN})
_TAKEN_UP: Final = ANNOTATIONS | {"type", "properties", "required", *_OPEN}


class Folded(NamedTuple):
    """The keywords of the one object, and what they do to members.

    ``narrowed``: they refuse some that were let pass. ``widened``: they declare some that the
    object itself refused.
    """

    schema: JsonObject
    narrowed: bool
    widened: bool


Merge: TypeAlias = Callable[[Json, Sequence[Json]], None]
"""Called with a schema that is made of several."""


Extend: TypeAlias = Callable[[JsonObject, Sequence[Json]], Added]
"""Adds the members to a schema that only others declare."""


def _forget(made: Json, parts: Sequence[Json]) -> None:
    del made, parts


def _extend(own: JsonObject, said: Sequence[Json]) -> Added:
    return with_members(own, said, lambda _: None)


def fold(
    own: JsonObject,
    branches: Sequence[JsonObject],
    *,
    closes: bool,
    merge: Merge = _forget,
    extend: Extend = _extend,
) -> Folded:
    """Return the members of all branches, besides those of the object itself.

    ``closes``: an object that does not mention other members will be closed. ``merge`` is called
    with each schema that is made of several, ``extend`` keeps members that only one declares.

    >>> words, objects = {"type": "string"}, {"type": "object"}
    >>> fold({}, [{"properties": {"a": objects}}, {"additionalProperties": words}], closes=True)[0]
    {'properties': {'a': {'anyOf': [{'type': 'object'}, {'type': 'string'}]}}, \
'additionalProperties': {'type': 'string'}}
    """
    members: JsonObject = own.get("properties") or {}
    others = own.get("additionalProperties", True)
    said, narrowed, bound = _members(members, branches, merge, extend)
    # A member that a branch requires without a schema may be anything.
    asked = [name for branch in branches for name in branch.get("required") or ()]
    asked += [name for branch in branches for name in dependent_names(branch)]
    said |= {name: {} for name in asked if name not in said and name not in members}
    new = [schema for name, schema in said.items() if name not in members]
    widened = bool(new) and not is_anything(others) and any(one != others for one in new)
    if widened and others is False and not own.get("patternProperties"):
        narrowed = bound  # no branch let other members pass
    out: JsonObject = {"properties": {**members, **said}} if members or said else {}
    if "additionalProperties" not in own:
        out |= _others(own, branches, merge, closes=closes)
    return Folded(out, narrowed, widened)


def is_whole(own: JsonObject, branches: Sequence[JsonObject]) -> bool:
    """Return whether the object after the fold has everything of a single branch."""
    if (
        len(branches) != 1
        or not branches[0].keys() <= _TAKEN_UP
        or not own.keys().isdisjoint(_OPEN)
    ):
        return False
    members, named = own.get("properties") or {}, branches[0].get("properties") or {}
    is_open = not branches[0].keys().isdisjoint(_OPEN)
    return not members if is_open else members.keys().isdisjoint(named)


def _others(
    own: JsonObject, branches: Sequence[JsonObject], merge: Merge, *, closes: bool
) -> JsonObject:
    """Return the schema of members that no branch declares."""
    said = [{key: branch[key] for key in _OPEN if key in branch} for branch in branches]
    if all(one == said[0] for one in said) and own.keys().isdisjoint(said[0]):
        return said[0]
    if not all(said) and not closes:
        return {}
    parts = [part for branch in branches for part in _open_parts(branch)]
    if any(map(is_anything, parts)):
        return {"additionalProperties": True}
    return {"additionalProperties": union(parts, merge) if parts else False}


def _open_parts(branch: JsonObject) -> list[Json]:
    """Return the schemas of members that a branch does not declare; empty where it accepts none."""
    said = [*(branch.get("patternProperties") or {}).values()]
    said.append(branch.get("additionalProperties", False))
    return [part for part in said if part is not False]


def _members(
    own: JsonObject,
    branches: Sequence[JsonObject],
    merge: Merge,
    extend: Extend,
) -> tuple[JsonObject, bool, bool]:
    """Return the schema of each member: one schema if the branches agree, else a union.

    Also return whether a member is narrowed that a branch does not mention, and whether the object
    itself declares such a member.
    """
    tables: list[JsonObject] = [branch.get("properties") or {} for branch in branches]
    found: JsonObject = {}
    narrowed = bound = False
    for name in dict.fromkeys(name for table in tables for name in table):
        is_free = name in own and is_anything(own[name])
        if name in own and not is_free and not all(name in table for table in tables):
            found[name] = own[name]
            if own[name].__class__ is dict:
                told = [table[name] for table in tables if name in table]
                found[name] = extend(own[name], told).schema
            continue
        schemas: list[Json] = []
        for branch, table in zip(branches, tables, strict=True):
            silent = [True] if is_free else _said_of(name, branch)
            for schema in [table[name]] if name in table else silent:
                refined = schema
                if name in own:
                    refined, residue = conjoin([own[name], schema])
                    merge(refined, [own[name], schema])
                    if residue:
                        refined = extend(refined, [own[name], schema]).schema
                if name not in table and is_anything(schema):
                    narrowed = True  # or nothing would be left of what is declared
                    bound = bound or name in own
                elif refined is not False and refined not in schemas:
                    schemas.append(refined)
        if schemas:
            found[name] = union(schemas, merge)
    return found, narrowed, bound


def _said_of(name: str, branch: JsonObject) -> list[Json]:
    """Return the schemas of a member that the branch does not declare."""
    patterns: JsonObject = branch.get("patternProperties") or {}
    matched = [
        schema
        for pattern, schema in patterns.items()
        if judge({"pattern": pattern}).accepts(name) is not False
    ]
    # A branch that only requires it allows any value, and so does one without members.
    speaks = branch if patterns else without(branch, "patternProperties")
    silence = name in (branch.get("required") or ()) or _SPEAKING.isdisjoint(speaks)
    return matched or [branch.get("additionalProperties", silence)]


def is_anything(schema: Json) -> bool:
    """Return whether a schema accepts every value; annotations do not matter."""
    return schema is True or (schema.__class__ is dict and schema.keys() <= ANNOTATIONS)


def union(schemas: Sequence[Json], merge: Merge = _forget) -> Json:
    """Return one schema that accepts what any of these accepts."""
    made = _union(schemas, merge)
    merge(made, schemas)
    return made


def _union(schemas: Sequence[Json], merge: Merge) -> Json:
    plain: list[JsonObject] = []
    for schema in schemas:
        one: JsonObject = {} if schema is True else schema
        if one not in plain:
            plain.append(one)
    if len(plain) == 1:
        return plain[0]
    shared = {
        key: value
        for key, value in plain[0].items()
        if key in ANNOTATIONS and all(key in one and same(one[key], value) for one in plain)
    }
    listed = [_values(schema) for schema in plain]
    if all(values is not None for values in listed) and all(
        schema.keys() & ANNOTATIONS == shared.keys() for schema in plain
    ):
        values: list[Json] = []
        for part in listed:
            values += [value for value in part or () if not any(same(value, one) for one in values)]
        kind = plain[0].get("type")
        typed = kind.__class__ is str and all(schema.get("type") == kind for schema in plain)
        return {**({"type": kind} if typed else {}), "enum": values, **shared}
    if not shared:
        return {"anyOf": plain}
    bare = [without(schema, *shared) for schema in plain]
    for made, schema in zip(bare, plain, strict=True):
        merge(made, [schema])
    return {"anyOf": bare, **shared}


def _values(schema: JsonObject) -> list[Json] | None:
    """Return the values of a schema that only lists them."""
    if schema.keys() - ANNOTATIONS - {"type", "const", "enum"}:
        return None
    if "const" in schema:
        return [schema["const"]]
    return schema.get("enum")
