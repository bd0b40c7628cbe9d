"""Unions whose branches change arguments differently: which branch is it, on the way back?

Where the written branches cannot be told apart by the values themselves, each is put under a key
of its own. ``anyOf[map<int>, list<bool>]`` written as two kinds of list is the known trap: an
empty list must come back as what it was.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations
from typing import Final, NamedTuple

from toolcanon.jsonio import copy_json
from toolcanon.jsonio.types import Json, JsonObject
from toolcanon.lowering.definitions import Definitions
from toolcanon.lowering.document import nodes
from toolcanon.lowering.step import Record
from toolcanon.schema import upgrade
from toolcanon.schema.overlap import are_apart
from toolcanon.schema.references import Found, Place, References
from toolcanon.schema.values import types_of

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
    """The branches as they are written, how to find the one a value belongs to, and their keys."""
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
    """Whether a lens changes any value, here or behind the references it follows."""
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
    """The types a branch may have; none when that is not certain."""
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
    find: Callable[[str], Found | None],
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
    """The types a branch will have that leads back to what is being written."""
    found = definitions.find(branch.get("$ref")) if branch.__class__ is dict else None
    target: Json = found.schema if found else {}
    kinds = types_of(target)
    return kinds if kinds == {"object"} and target.get("properties") else frozenset()


def _may_meet(own: frozenset[str], shared: set[str]) -> bool:
    """Whether a branch of these types may share any with another."""
    return not own or _ANY_TYPE in shared or not shared.isdisjoint(own)


def _indistinct(
    meeting: dict[int, Json],
    lenses: list[JsonObject | None],
    kinds: list[frozenset[str]],
    definitions: Definitions,
) -> set[int]:
    """The branches that share values with one that treats them differently."""
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
    """A written branch as a schema of today: what says null by another word is read again."""
    says = definitions.dialect.nullable and branch.__class__ is dict and "nullable" in str(branch)
    return upgrade(branch).schema if says else branch


def _guard(branch: Json, own: frozenset[str], *, meets: bool) -> JsonObject:
    """How to tell that a value belongs to a branch: by type if no other branch shares it."""
    guard: JsonObject = {"types": sorted(own)} if own else {}
    if meets:
        # A copy: changes to a payload, which shares branches, must not reach the lens.
        guard["schema"] = copy_json(branch) if branch.__class__ is dict else {}
    return guard


def _shared(kinds: list[frozenset[str]]) -> set[str]:
    """The types that several branches may have; one that may have any counts for all."""
    seen: set[str] = set()
    found: set[str] = set()
    for own in kinds:
        if not own:
            found.add(_ANY_TYPE)
        found |= seen & own
        seen |= own
    return found


def _tags(own: list[Json], kinds: list[frozenset[str]], tagged: set[int]) -> dict[int, str]:
    """A short name for each branch, from what it says of itself."""
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
