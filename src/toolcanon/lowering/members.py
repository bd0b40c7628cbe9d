"""Members that are declared anywhere in a schema, and kept when their place goes.

A condition, a branch or a part of a conjunction that a target cannot read may declare members, at
any depth. They are added to the schema that takes its place, where they may be left out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Final, NamedTuple, TypeAlias

from toolcanon.jsonio.types import Json, JsonObject
from toolcanon.schema.keywords import ANNOTATIONS
from toolcanon.schema.references import subschemas

Find: TypeAlias = Callable[[Json], Json]
"""The schema that a reference leads to."""

_HOPS: Final = 16
_DEEPEST: Final = 12
_MOST: Final = 5_000
_VALUES: Final = ("additionalProperties", "unevaluatedProperties")
_EACH: Final = ("items", "unevaluatedItems")
_ITEMS: Final = (*_EACH, "contains")


class Added(NamedTuple):
    """A schema with more members, and what is known of those."""

    schema: JsonObject
    names: frozenset[str]
    """New members of the object itself."""
    binding: bool
    """Whether some of the new members, at any depth, had to be there before."""
    frees: bool = False
    """Whether other branches accept undeclared members that this schema does not mention."""


def with_members(own: JsonObject, said: Sequence[Json], find: Find) -> Added:
    """The schema with the members that others declare and it does not; the same if there are none.

    >>> then = {"properties": {"b": {"type": "string"}}}
    >>> with_members({"properties": {"a": {}}}, [then], lambda ref: None).schema
    {'properties': {'a': {}, 'b': {'type': 'string'}}}
    """
    adding = _Adding(find)
    more = adding.beyond([own], said, 0)
    if not more:
        return Added(own, frozenset(), binding=False, frees=adding.frees)
    new = frozenset(more.get("properties") or ()).difference(own.get("properties") or ())
    return Added(_joined(own, more), new & adding.new, adding.binding, adding.frees)


def applied(schemas: Sequence[Json], find: Find) -> Iterator[JsonObject]:
    """Yield all schemas for the same value, whatever it depends on, without negations."""
    seen: set[str] = set()
    waiting: list[tuple[Json, int]] = [(schema, _HOPS) for schema in reversed(schemas)]
    left = _MOST
    while waiting and left:
        part, hops = waiting.pop()
        if part.__class__ is not dict or hops == 0:
            continue
        left -= 1
        yield part
        below: list[Json] = [part.get("then"), part.get("else")]
        below += (part.get("dependentSchemas") or {}).values()
        below += [inner for key in ("allOf", "anyOf", "oneOf") for inner in part.get(key) or ()]
        ref = part.get("$ref")
        if ref.__class__ is str and ref not in seen:
            seen.add(ref)
            below.append(find(ref))
        waiting += [(inner, hops - 1) for inner in reversed(below)]


class _Adding:
    """One search for members that are not declared yet."""

    def __init__(self, find: Find) -> None:
        self.new: set[str] = set()
        """Those of the outermost object."""
        self.binding = False
        self.frees = False
        self._find = find
        self._left = _MOST

    def beyond(self, own: Sequence[Json], said: Sequence[Json], depth: int) -> JsonObject:
        """Return a schema for members declared beyond the schema's own; empty for none."""
        self._left -= 1
        if depth > _DEEPEST or self._left < 0:
            return {}
        ours = list(applied(own, self._find))
        theirs = list(applied(said, self._find))
        self.frees |= _frees(theirs, ours) and (depth == 0 or bool(_by_name(ours, "properties")))
        out: JsonObject = {}
        if members := self._members(ours, theirs, depth):
            out["properties"] = members
        patterns = self._tables("patternProperties", ours, theirs, depth)
        if patterns:
            out["patternProperties"] = patterns
        values = [part[key] for part in theirs for key in _VALUES if key in part]
        values += [v for part in theirs for v in (part.get("patternProperties") or {}).values()]
        for key in _VALUES:
            held = [part[key] for part in ours if part.get(key).__class__ is dict]
            if held and values and (more := self.beyond(held, values, depth + 1)):
                out[key] = more
        return out | self._items(ours, theirs, depth)

    def _members(
        self, ours: Sequence[JsonObject], theirs: Sequence[JsonObject], depth: int
    ) -> JsonObject:
        mine, told = _by_name(ours, "properties"), _by_name(theirs, "properties")
        if depth and not mine and all(_welcomes(part) for part in ours):
            return {}  # anything goes there, so nothing is lost
        needed = _needed(ours)
        named = [*_needed(theirs), *self._asked(theirs)]
        told |= {name: [{}] for name in named if name not in told}
        out: JsonObject = {}
        for name, schemas in told.items():
            if name in mine:
                more = self.beyond(mine[name], schemas, depth + 1)
                if more:
                    out[name] = more
                continue
            plain = _distinct(schemas)
            if plain:
                out[name] = plain[0] if len(plain) == 1 else {"anyOf": plain}
                self.binding |= name in needed and plain != [{}]
                if depth == 0:
                    self.new.add(name)
        return out

    def _asked(self, parts: Sequence[JsonObject]) -> list[str]:
        """Return the members that conditions ask about, which may be anything."""
        conditions = [part["if"] for part in parts if "if" in part]
        inner = list(applied(conditions, self._find))
        names = [name for part in parts for name in part.get("dependentSchemas") or ()]
        for part in parts:
            names += dependent_names(part)
        return [
            *names,
            *(n for part in inner for n in part.get("properties") or ()),
            *_needed(inner),
        ]

    def _tables(
        self, key: str, ours: Sequence[JsonObject], theirs: Sequence[JsonObject], depth: int
    ) -> JsonObject:
        """Add more schemas of members with the same pattern."""
        mine, told = _by_name(ours, key), _by_name(theirs, key)
        found = {
            name: self.beyond(schemas, told[name], depth + 1)
            for name, schemas in mine.items()
            if name in told
        }
        return {name: more for name, more in found.items() if more}

    def _items(
        self, ours: Sequence[JsonObject], theirs: Sequence[JsonObject], depth: int
    ) -> JsonObject:
        said = [part[key] for part in theirs for key in _ITEMS if key in part]
        places = [part.get("prefixItems") or () for part in theirs]
        out: JsonObject = {}
        first = [part["prefixItems"] for part in ours if part.get("prefixItems")]
        if first:
            more = [
                self.beyond(
                    [table[i] for table in first if i < len(table)],
                    [*(table[i] for table in places if i < len(table)), *said],
                    depth + 1,
                )
                for i in range(max(map(len, first)))
            ]
            if any(more):
                out["prefixItems"] = more
            behind = [item for table in places for item in table[min(map(len, first)) :]]
        else:
            behind = [item for table in places for item in table]
        said += behind
        for key in _EACH:
            held = [part[key] for part in ours if part.get(key).__class__ is dict]
            if held and said and (inner := self.beyond(held, said, depth + 1)):
                out[key] = inner
        return out


def dependent_names(node: JsonObject) -> list[str]:
    """Return the members that some of them ask for, and those that ask.

    >>> dependent_names({"dependentRequired": {"a": ["b"]}})
    ['a', 'b']
    """
    table: dict[str, list[str]] = node.get("dependentRequired") or {}
    return [name for asking, asked in table.items() for name in (asking, *asked)]


def _frees(theirs: Sequence[JsonObject], ours: Sequence[JsonObject]) -> bool:
    """Return whether branches accept other members that the schema itself does not mention."""
    if any(key in part for part in ours for key in _VALUES):
        return False
    if any(part.get(key, False) is not False for part in theirs for key in _VALUES):
        return True
    known = _by_name(ours, "patternProperties")
    told = _by_name(theirs, "patternProperties")
    return any(schema is not False for name in told if name not in known for schema in told[name])


def _needed(parts: Sequence[JsonObject]) -> dict[str, None]:
    return dict.fromkeys(name for part in parts for name in part.get("required") or ())


def _welcomes(part: JsonObject) -> bool:
    """Return whether a schema without members accepts any, or is not about objects."""
    return part.get("additionalProperties", True) in (True, {}) or "object" not in (
        part.get("type") or ("object",)
    )


def _by_name(parts: Sequence[JsonObject], key: str) -> dict[str, list[Json]]:
    found: dict[str, list[Json]] = {}
    for part in parts:
        for name, schema in (part.get(key) or {}).items():
            found.setdefault(name, []).append(schema)
    return found


def _distinct(schemas: Sequence[Json]) -> list[Json]:
    found: list[Json] = []
    for schema in schemas:
        plain = {} if schema is True else schema
        if plain is not False and plain not in found:
            found.append(plain)
    return found


def _joined(own: Json, more: Json) -> Json:
    """Return the conjunction of two schemas, of which the second only adds members."""
    if own is False or not more:
        return own
    if own.__class__ is not dict:
        return more
    out = dict(own)
    for key, added in more.items():
        held: Json = own.get(key)
        if added.__class__ is list:
            known = held or [{} for _ in added]
            out[key] = list(map(_joined, known, _padded(added, len(known))))
        elif key in own and (key in _VALUES or key in _EACH):
            out[key] = _joined(held, added)
        elif key in _EACH:
            out[key] = added
        elif key in _VALUES:
            continue  # others are not what those of a part are
        else:
            table = dict(held or {})
            for name, schema in added.items():
                table[name] = _joined(table[name], schema) if name in table else schema
            out[key] = table
    return out


def _padded(items: list[Json], length: int) -> list[Json]:
    return [*items, *({} for _ in range(length - len(items)))][:length]


_DECLARING: Final = frozenset({"properties", "patternProperties"})
_UNIONS: Final = ("anyOf", "oneOf")
_INNER: Final = ("allOf", *_UNIONS)
_OPENING: Final = frozenset({"additionalProperties", "$ref", *_INNER})
_SILENT: Final = ANNOTATIONS | {"type", "required"}
_PARTS: Final = frozenset({*_INNER, "then", "else", "dependentSchemas", "$defs"})
_UNDECIDED: Final = frozenset({"if", "not", "propertyNames"})
_PREFIX: Final = "#/$defs/"


def declared(part: Json, find: Callable[[Json], Json]) -> JsonObject:
    """Return every member with its schema; a union where several places differ."""
    found: dict[str, list[Json]] = {}
    _collect(part, found, _once(find), _HOPS)
    return {
        name: schemas[0] if len(schemas) == 1 else {"anyOf": schemas}
        for name, schemas in found.items()
    }


def _once(find: Callable[[Json], Json]) -> Callable[[Json], Json]:
    """Return the target of a reference on the first call; None after that."""
    seen: set[str] = set()

    def find_once(ref: Json) -> Json:
        if ref in seen:
            return None
        seen.add(ref)
        return find(ref)

    return find_once


def _collect(
    part: Json, found: dict[str, list[Json]], find: Callable[[Json], Json], hops: int
) -> None:
    if part.__class__ is not dict or hops == 0 or len(found) > _MOST:
        return
    for name, schema in (part.get("properties") or {}).items():
        held = found.setdefault(name, [])
        plain = {} if schema is True else schema
        if plain is not False and plain not in held:
            held.append(plain)
        if not held:
            del found[name]
    for key in ("then", "else"):
        _collect(part.get(key), found, find, hops - 1)
    for schema in (part.get("dependentSchemas") or {}).values():
        _collect(schema, found, find, hops - 1)
    for key in ("allOf", "anyOf", "oneOf"):
        for inner in part.get(key) or ():
            _collect(inner, found, find, hops - 1)
    if "$ref" in part:
        _collect(find(part["$ref"]), found, find, hops - 1)


def by_declared(branch: Json, find: Callable[[Json], Json]) -> Json:
    """Return a schema by its declared members: objects without a rule for others are closed."""
    for _ in range(_HOPS):
        if branch.__class__ is not dict or "$ref" not in branch or len(branch) > 1:
            break
        branch = find(branch["$ref"])
    return _closed(branch, _HOPS)


def _closed(branch: Json, hops: int) -> Json:
    if branch.__class__ is not dict or hops == 0:
        return branch
    if not branch.keys() & _DECLARING:
        union = next((key for key in _UNIONS if branch.keys() - ANNOTATIONS == {key}), None)
        if union is None or any("$ref" in part for part in branch[union] if part.__class__ is dict):
            return branch
        return {**branch, union: [_closed(part, hops - 1) for part in branch[union]]}
    if branch.keys().isdisjoint(_OPENING) or _declares_all(branch):
        return {**branch, "additionalProperties": False}
    return branch


def _declares_all(branch: JsonObject) -> bool:
    """Return whether the keywords beside an object's members do not mention other members."""
    inner = [part for key in _INNER for part in branch.get(key) or ()]
    return branch.keys() & _OPENING <= {*_INNER} and all(
        part is True or (part.__class__ is dict and part.keys() <= _SILENT) for part in inner
    )


def only_declared(schema: JsonObject) -> JsonObject:
    """A schema as a closed target has it: objects that declare members take no others, deep inside.

    >>> only_declared({"items": {"properties": {"a": True}, "additionalProperties": True}})
    {'items': {'properties': {'a': True}, 'unevaluatedProperties': False}}
    """
    defs: JsonObject = schema.get("$defs") or {}

    def find(ref: Json) -> Json:
        return defs.get(ref.removeprefix(_PREFIX)) if ref.__class__ is str else None

    closed: JsonObject = _shut(schema, find)
    return closed


def _shut(schema: Json, find: Callable[[Json], Json]) -> Json:
    """Return a schema for a whole value."""
    if schema.__class__ is not dict:
        return schema
    parts = list(applied([schema], find))
    bare = schema.keys() - ANNOTATIONS - {"type"}
    whole = _UNIONS if len(bare) == 1 else ()  # each of its branches is a whole schema
    out = _shut_below(schema, find, whole)
    if any(not part.keys().isdisjoint(_DECLARING) for part in parts):
        out.setdefault("unevaluatedProperties", False)
    return out


def _shut_below(schema: Json, find: Callable[[Json], Json], whole: tuple[str, ...] = ()) -> Json:
    """Return a schema for a value with further schemas, unless a keyword is in ``whole``."""
    if schema.__class__ is not dict:
        return schema
    out = dict(schema)
    for steps, below in subschemas(schema):
        key, *rest = steps
        if key in _UNDECIDED:
            continue
        is_part = key in _PARTS and key not in whole
        new = _shut_below(below, find) if is_part else _shut(below, find)
        if not rest:
            out[key] = new
        else:
            if out[key] is schema[key]:
                out[key] = schema[key].copy()
            out[key][rest[0]] = new
    if not schema.keys().isdisjoint(_DECLARING):
        for key in _VALUES:
            if key in out and (out[key] is True or out[key] == {}):
                del out[key]  # welcome, but not where only members can be sent that are declared
    return out
