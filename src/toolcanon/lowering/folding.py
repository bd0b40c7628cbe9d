"""What several schemas for objects, of which one has to hold, say of members when taken together.

The members of all, each with a union of what is said of it. A schema speaks of members that it
does not declare, too: by patterns, or of all others. One that says nothing of others adds nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, NamedTuple, TypeAlias

from toolcanon.jsonio.types import Json, JsonObject
from toolcanon.lowering.members import Added, dependent_names, with_members
from toolcanon.lowering.step import without
from toolcanon.schema.conjunction import conjoin
from toolcanon.schema.judge import judge
from toolcanon.schema.keywords import ANNOTATIONS
from toolcanon.schema.values import same

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
"""Hears of a schema that is made of several."""


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
    """What the branches say of members, besides what the object itself says.

    ``closes``: an object that says nothing of other members will be closed. ``merge`` hears of
    each schema that is made of several, ``extend`` keeps members declared in one of them only.

    >>> words, objects = {"type": "string"}, {"type": "object"}
    >>> fold({}, [{"properties": {"a": objects}}, {"additionalProperties": words}], closes=True)[0]
    {'properties': {'a': {'anyOf': [{'type': 'object'}, {'type': 'string'}]}}, \
'additionalProperties': {'type': 'string'}}
    """
    members: JsonObject = own.get("properties") or {}
    others = own.get("additionalProperties", True)
    said, narrowed, bound = _members(members, branches, merge, extend)
    # What a branch asks for without a word on it may be anything.
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
    """Whether all that a single branch says is said of the object after the fold."""
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
    """What is said of members that none of them declares."""
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
    """What a branch says of members that it does not declare; nothing where it wants none."""
    said = [*(branch.get("patternProperties") or {}).values()]
    said.append(branch.get("additionalProperties", False))
    return [part for part in said if part is not False]


def _members(
    own: JsonObject,
    branches: Sequence[JsonObject],
    merge: Merge,
    extend: Extend,
) -> tuple[JsonObject, bool, bool]:
    """Return what the branches say of each member: one schema if they agree, else a union.

    Also whether a member is narrowed that a branch says nothing of, and whether the object itself
    declares such a member.
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
    """What a branch says of a member that it does not declare."""
    patterns: JsonObject = branch.get("patternProperties") or {}
    matched = [
        schema
        for pattern, schema in patterns.items()
        if judge({"pattern": pattern}).accepts(name) is not False
    ]
    # One that only asks for it lets it be anything, and so does one that speaks of no members.
    speaks = branch if patterns else without(branch, "patternProperties")
    silence = name in (branch.get("required") or ()) or _SPEAKING.isdisjoint(speaks)
    return matched or [branch.get("additionalProperties", silence)]


def is_anything(schema: Json) -> bool:
    """Whether a schema asks for nothing, whatever it remarks."""
    return schema is True or (schema.__class__ is dict and schema.keys() <= ANNOTATIONS)


def union(schemas: Sequence[Json], merge: Merge = _forget) -> Json:
    """One schema for what any of these accepts."""
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
    """The values of a schema that only lists them."""
    if schema.keys() - ANNOTATIONS - {"type", "const", "enum"}:
        return None
    if "const" in schema:
        return [schema["const"]]
    return schema.get("enum")
