"""The quick look: can a schema go out as it stands, but perhaps for the words of its types?

Most can, and then nothing else need be done. The loop is made for one dialect, from its data: a
keyword is fine, needs a look at its value, or stops the walk; then the engine takes over. It is
the hottest loop of a conversion, hence written out. A test holds it to what the engine says.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from functools import lru_cache
from typing import Final, TypeAlias

from toolcanon.dialect import JSON_SCHEMA, Dialect, Support
from toolcanon.jsonio.types import Json, JsonObject
from toolcanon.schema.keywords import POSITIONS, TYPES, Position
from toolcanon.schema.legacy import BOUNDS, LEGACY_KEYWORDS, Draft, draft_of
from toolcanon.schema.modern import WORDS, is_plain_word

Look: TypeAlias = Callable[[JsonObject], JsonObject | None]
"""The schema itself, a copy with today's type words, or None: the engine has to look."""

_FINE, _STOP, _TYPE, _SCHEMA, _LIST, _MAP = range(6)
_BOUND, _ENUM, _CONST, _REQUIRED, _FORMAT, _TEXT = range(6, 12)
_SCALARS: Final = TYPES - {"object", "array"}
_SHAPED: Final = frozenset({"object", "array"})
_STRUCTURAL: Final = frozenset("type properties items required enum anyOf description".split())
_UNIONS: Final = frozenset("anyOf oneOf allOf not enum const".split())
_BY_POSITION: Final = {
    Position.SCHEMA: _SCHEMA,
    Position.SCHEMAS: _LIST,
    Position.SCHEMA_MAP: _MAP,
}
_TEXTS: Final = frozenset("title description pattern format $comment $anchor $id $schema".split())
_MOST_NAMES: Final = 50_000
_NOTHING: Final[JsonObject] = {}


def _table(dialect: Dialect) -> dict[str, int]:
    """What to do at each keyword."""
    made: dict[str, int] = {}
    for key in {*JSON_SCHEMA, *dialect.keywords, "definitions"}:
        position = POSITIONS.get(key)
        if key in {"$ref", "$dynamicRef"} or (
            key not in _STRUCTURAL and dialect.support(key) is Support.REJECTED
        ):
            made[key] = _STOP
        elif position is not None:
            made[key] = _BY_POSITION[position]
        elif key in BOUNDS:
            made[key] = _BOUND
        else:
            made[key] = _FINE
    made |= dict.fromkeys(LEGACY_KEYWORDS, _STOP)
    made |= {key: _TEXT for key in _TEXTS if made.get(key) == _FINE}
    made |= {"type": _TYPE, "enum": _ENUM, "required": _REQUIRED}
    if made["const"] == _FINE:
        made["const"] = _CONST
    if dialect.formats is not None:
        made["format"] = _FORMAT
    if dialect.plain_patterns:
        made["pattern"] = _STOP
    if dialect.largest_minimum_items is not None:
        made["minItems"] = _STOP
    if dialect.nullable or not dialect.union_siblings:
        made |= dict.fromkeys(("anyOf", "oneOf"), _STOP)
    if not dialect.maps:
        made |= dict.fromkeys(("additionalProperties", "patternProperties"), _STOP)
    if not (dialect.references.keep and dialect.references.anywhere):
        made |= dict.fromkeys(("$defs", "definitions"), _STOP)
    return made


@lru_cache(maxsize=64)
def quick(dialect: Dialect) -> Look:
    """The look made for a dialect. Where every object is rewritten, it has nothing to offer."""
    if dialect.closed or dialect.all_required:
        return _never
    walk = _Walker(dialect).walk
    refused = frozenset() if dialect.root_unions else _UNIONS
    needs_properties = dialect.root_properties
    are_legal = _legal(dialect)

    def look(schema: JsonObject) -> JsonObject | None:
        kind = schema.get("type")
        if kind != "object" and (kind.__class__ is not str or WORDS.get(kind) != "object"):
            return None
        if not refused.isdisjoint(schema) or (needs_properties and "properties" not in schema):
            return None
        if are_legal is not None and not are_legal(schema.get("properties", ())):
            return None
        found = walk(schema)
        if found is not schema and "$schema" in schema:
            return None  # a rewritten schema declares another draft
        if "$schema" in schema and draft_of(schema) < Draft.D6:
            return None
        return found

    return look


def _never(schema: JsonObject) -> None:
    del schema


def _legal(dialect: Dialect) -> Callable[[Json], bool] | None:
    """Whether all names of members are allowed; names repeat, so legal ones are remembered."""
    policy = dialect.members
    if policy is None:
        return None
    known: set[str] = set()

    def are_legal(names: Json) -> bool:
        if names.__class__ is not dict:
            return not names
        if known.issuperset(names):
            return True
        if not all(map(policy.allows, names)):
            return False
        if len(known) < _MOST_NAMES:
            known.update(names)
        return True

    return are_legal


class _Walker:
    """The loop for one dialect."""

    def __init__(self, dialect: Dialect) -> None:
        self.table = _table(dialect)
        self.other = _STOP if dialect.others is Support.REJECTED else _FINE
        fine = {key for key, act in self.table.items() if act == _FINE}
        self.leaf = frozenset(fine | {"type", "description"})
        self.empty = dialect.empty_properties
        self.typed = dialect.typed
        self.booleans = dialect.booleans
        self.formats = dialect.formats or frozenset()
        self.needs_items = dialect.items
        self.maps = dialect.maps
        self.lists = dialect.type_lists
        self.picky = dialect.enum_strings or dialect.enum_typed or dialect.enum_primitives
        self.are_legal = _legal(dialect) if dialect.nested_members else None

    def walk(self, node: JsonObject) -> JsonObject | None:
        if self.typed and "type" not in node:
            return None
        out = node
        table, other = self.table, self.other
        for key, value in node.items():
            act = table.get(key, other)
            if act == _FINE:
                continue
            if act == _TYPE:
                new = self.word(value, node)
            elif act == _MAP:
                new = self.members(value) if value.__class__ is dict else None
            elif act == _SCHEMA:
                new = self.schema(value)
            elif act == _LIST:
                new = self.branches(value) if value.__class__ is list and value else None
            else:
                new = value if self.fits(act, value, node) else None
            if new is None:
                return None
            if new is not value:
                if out is node:
                    out = node.copy()
                out[key] = new
        return out

    def word(self, kind: Json, node: JsonObject) -> Json:
        """The type in today's word, if the rest of the node suits it."""
        if kind.__class__ is not str:
            if not self.lists or not is_plain_word(kind):
                return None
            shaped = not self.maps and not _SHAPED.isdisjoint(kind)
            bare = self.needs_items and "array" in kind and "items" not in node
            return None if shaped or bare else kind
        word = kind if kind in TYPES else WORDS.get(kind)
        if word == "array":
            return None if self.needs_items and "items" not in node else word
        if word == "object" and not self.maps and not node.get("properties"):
            return None
        return word

    def schema(self, value: Json) -> Json:
        if value.__class__ is dict:
            return self.walk(value)
        return value if value.__class__ is bool and self.booleans else None

    def fits(self, act: int, value: Json, node: JsonObject) -> bool:
        if act == _BOUND:
            return value.__class__ is int or value.__class__ is float
        if act == _TEXT:
            return value.__class__ is str
        if act == _CONST:
            return not self.picky or ("type" in node and value.__class__ not in (dict, list))
        if act == _ENUM:
            if value.__class__ is not list:
                return False
            return not self.picky or (node.get("type") == "string" and all(map(is_word, value)))
        if act == _REQUIRED:
            return (
                value.__class__ is list
                and all(name.__class__ is str for name in value)
                and (self.maps or node.get("properties", _NOTHING).keys() >= set(value))
            )
        return act == _FORMAT and value.__class__ is str and value in self.formats

    def members(self, names: JsonObject) -> JsonObject | None:
        if self.are_legal is not None and not self.are_legal(names):
            return None
        if not names and not self.empty:
            return None
        out = names
        leaf = self.leaf
        for name, inner in names.items():
            kind = inner.get("type") if inner.__class__ is dict else None
            if (
                kind.__class__ is str
                and inner.keys() <= leaf
                and inner.get("description", "").__class__ is str
            ):  # as most are
                if kind in _SCALARS:
                    continue
                word = WORDS.get(kind)
                new = {**inner, "type": word} if word in _SCALARS else self.walk(inner)
            else:
                new = self.schema(inner)
            if new is None:
                return None
            if new is not inner:
                if out is names:
                    out = names.copy()
                out[name] = new
        return out

    def branches(self, items: list[Json]) -> list[Json] | None:
        new = [self.schema(item) for item in items]
        if any(item is None for item in new):
            return None
        return items if all(map(operator.is_, new, items)) else new


def is_word(value: Json) -> bool:
    """Whether an enum value is text, and not the empty one."""
    return value.__class__ is str and value != ""
