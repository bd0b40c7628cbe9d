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
from toolcanon.schema.drafts import Draft, draft_of, is_latest
from toolcanon.schema.keywords import POSITIONS, TYPES, Position
from toolcanon.schema.legacy import BOUNDS, LEGACY_KEYWORDS
from toolcanon.schema.modern import WORDS, is_plain_word, relabelled
from toolcanon.schema.property_maps import property_map
from toolcanon.schema.sound import COUNTS, FLAGS, TEXTS, is_sound

Look: TypeAlias = Callable[[JsonObject], JsonObject | None]
"""The schema itself, a copy with today's type words, or None: the engine has to look."""

_Handler: TypeAlias = Callable[[Json, JsonObject], Json]

FINE, _STOP, TYPE, SCHEMA, LIST, MAP = range(6)
BOUND, ENUM, CONST, REQUIRED, FORMAT, TEXT = range(6, 12)
# 12 is an act of the compiled reader alone.
COUNT, FACTOR, FLAG, VALUES, LABEL = range(13, 18)
_SCALARS: Final = TYPES - {"object", "array"}
_SHAPED: Final = frozenset({"object", "array"})
_STRUCTURAL: Final = frozenset("type properties items required enum anyOf description".split())
UNIONS: Final = frozenset("anyOf oneOf allOf not enum const".split())
_BY_POSITION: Final = {
    Position.SCHEMA: SCHEMA,
    Position.SCHEMAS: LIST,
    Position.SCHEMA_MAP: MAP,
}
_BY_VALUE: Final[dict[str, int]] = (
    dict.fromkeys(TEXTS, TEXT)
    | dict.fromkeys(COUNTS, COUNT)
    | dict.fromkeys(FLAGS, FLAG)
    | {"multipleOf": FACTOR, "examples": VALUES, "$schema": LABEL}
    | dict.fromkeys(("dependentRequired", "$vocabulary"), _STOP)
)
"""Keywords whose values may be malformed; rare ones are left to the engine."""
_NOTHING: Final[JsonObject] = {}
_USUAL_LENGTH: Final = 32
_NO_VALUES: Final[list[Json]] = []


def acts_of(dialect: Dialect) -> dict[str, int]:
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
            made[key] = BOUND
        else:
            made[key] = FINE
    made |= dict.fromkeys((*LEGACY_KEYWORDS, "$id", "id"), _STOP)
    made |= {key: act for key, act in _BY_VALUE.items() if made.get(key) in {FINE, BOUND}}
    made |= {"type": TYPE, "enum": ENUM, "required": REQUIRED}
    if made["const"] == FINE:
        made["const"] = CONST
    if dialect.formats is not None:
        made["format"] = FORMAT
    made |= dict.fromkeys((*_looked_at(dialect), "pattern", "patternProperties"), _STOP)
    if dialect.nullable or dialect.lone_unions or not dialect.union_siblings:
        made |= dict.fromkeys(("anyOf", "oneOf"), _STOP)
    if not dialect.maps:
        made |= dict.fromkeys(("additionalProperties", "patternProperties"), _STOP)
    if not (dialect.references.keep and dialect.references.anywhere):
        made |= dict.fromkeys(("$defs", "definitions"), _STOP)
    return made


def _looked_at(dialect: Dialect) -> set[str]:
    """Keywords that the dialect takes or refuses by their values."""
    found: set[str] = set()
    if dialect.plain_patterns or dialect.lengths_beside_pattern is not None:
        found.add("pattern")
    if dialect.largest_minimum_items is not None:
        found.add("minItems")
    if dialect.largest_bound is not None:
        found |= BOUNDS
    if dialect.plain_patterns or dialect.name_patterns is not None:
        found.add("patternProperties")
    if not dialect.empty_enums:
        found.add("enum")
    return found


@lru_cache(maxsize=128)
def quick(dialect: Dialect, is_root: bool = True) -> Look:  # noqa: FBT001, FBT002 - asked for all
    """The look made for a dialect. Where every object is rewritten, it has nothing to offer."""
    if dialect.closed or rewrites_members(dialect):
        return never
    walk = _Walker(dialect).walk
    if not is_root:
        return lambda schema: _current(schema, walk)
    refused = frozenset() if dialect.root_unions else UNIONS
    if not dialect.root_remarks:
        refused |= {"title", "description"}
    needs_properties = dialect.root_properties
    are_legal = None if dialect.nested_members else _legal(dialect)  # else told on the way

    def look(schema: JsonObject) -> JsonObject | None:
        kind = schema.get("type")
        if kind != "object" and (kind.__class__ is not str or WORDS.get(kind) != "object"):
            return None
        if not refused.isdisjoint(schema) or (needs_properties and "properties" not in schema):
            return None
        if are_legal is not None and not are_legal(schema.get("properties", ())):
            return None
        return _current(schema, walk)

    return look


def rewrites_members(dialect: Dialect) -> bool:
    """Whether objects are rewritten by more than being closed, or all there is in other words."""
    required = dialect.all_required or dialect.some_required or dialect.empty_required
    return bool(required or dialect.draft)


def _current(schema: JsonObject, walk: Look) -> JsonObject | None:
    """The schema looked at; none where it may be a map of members, or of a draft of its own."""
    if schema.get("type").__class__ is not str:
        return None
    if not schema.get("properties") and property_map(schema) is not None:
        return None
    draft = draft_of(schema)
    if draft is Draft.LATEST:
        return walk(schema)
    return walk(relabelled(schema)) if draft >= Draft.D6 else None


def never(schema: JsonObject) -> None:
    del schema


def _legal(dialect: Dialect) -> Callable[[Json], bool] | None:
    """Whether all names of members are allowed; plain words of usual length are told at once."""
    policy = dialect.members
    if policy is None:
        return None
    allows, longest = policy.allows, policy.max_length
    takes_words = not policy.reserved and all(
        map(allows, ("a", "Z", "0", "_" * min(longest, _USUAL_LENGTH)))
    )

    def are_legal(names: Json) -> bool:
        if names.__class__ is not dict:
            return not names
        try:
            text = "_".join(("", *names))
        except TypeError:  # keys that are no text
            return False
        if takes_words and len(text) <= longest and text.isascii() and text.isidentifier():
            return "" not in names
        return all(map(allows, names))

    return are_legal


class _Walker:
    """The loop for one dialect: a handler for every keyword that is not fine whatever it says.

    A handler returns the value, its replacement, or None: the engine has to look.
    """

    def __init__(self, dialect: Dialect) -> None:
        table = acts_of(dialect)
        self.empty = dialect.empty_properties
        self.typed = dialect.typed
        self.booleans = dialect.booleans
        self.formats = dialect.formats or frozenset()
        self.needs_items = dialect.items
        self.maps = dialect.maps
        self.bare_objects = dialect.maps and not dialect.closed_unless_said
        self.lists = dialect.type_lists
        self.picky = dialect.enum_strings or dialect.enum_typed or dialect.enum_primitives
        self.picky |= not dialect.empty_enums
        self.are_legal = _legal(dialect) if dialect.nested_members else None
        fine = {key for key, act in table.items() if act == FINE}
        texts = {key for key in ("title", "description") if table.get(key) in {FINE, TEXT}}
        texts |= set() if self.picky else {"enum"}
        self.is_leaf = frozenset(fine | texts | {"type"}).issuperset
        """Whether a node has only keywords that a scalar may have; texts are to be looked at."""
        handlers: dict[int, _Handler | None] = {
            FINE: None,
            _STOP: _stop,
            TYPE: self.word,
            SCHEMA: self.schema,
            LIST: self.branches,
            MAP: self.members,
            BOUND: _bound,
            ENUM: self.enum,
            CONST: self.const,
            REQUIRED: self.required,
            FORMAT: self.format,
            TEXT: _text,
            COUNT: _count,
            FACTOR: _factor,
            FLAG: _flag,
            VALUES: _values,
            LABEL: _label,
        }
        self.handlers = {key: handlers[act] for key, act in table.items()}
        self.other = _stop if dialect.others is Support.REJECTED else None

    def walk(self, node: JsonObject) -> JsonObject | None:
        if self.typed and "type" not in node:
            return None
        out = node
        handler_of, other = self.handlers.get, self.other
        for key, value in node.items():
            handle = handler_of(key, other)
            if handle is None or (handle is _text and value.__class__ is str):
                continue
            new = handle(value, node)
            if new is not value:
                if new is None:
                    return None
                if out is node:
                    out = node.copy()
                out[key] = new
            elif new is None:
                return None
        return out

    def word(self, kind: Json, node: JsonObject) -> Json:
        """The type in today's word, if the rest of the node suits it."""
        if kind.__class__ is not str:
            if not self.lists or not is_plain_word(kind):
                return None
            shaped = not self.bare_objects and not _SHAPED.isdisjoint(kind)
            bare = self.needs_items and "array" in kind and "items" not in node
            return None if shaped or bare else kind
        if kind in _SCALARS:
            return kind
        word = kind if kind in TYPES else WORDS.get(kind)
        if word == "array":
            return None if self.needs_items and "items" not in node else word
        if word == "object" and not self.bare_objects and not node.get("properties"):
            return None
        return word

    def schema(self, value: Json, _: JsonObject) -> Json:
        if value.__class__ is dict:
            return self.walk(value)
        return value if value.__class__ is bool and self.booleans else None

    def const(self, value: Json, node: JsonObject) -> Json:
        """Null is left to the engine, too: here it would mean that."""
        if self.picky and ("type" not in node or value.__class__ in {dict, list}):
            return None
        return value

    def enum(self, value: Json, node: JsonObject) -> Json:
        if value.__class__ is not list:
            return None
        fits = not self.picky or (node.get("type") == "string" and all(map(is_word, value)))
        return value if fits else None

    def required(self, value: Json, node: JsonObject) -> Json:
        if value.__class__ is not list:
            return None
        for name in value:
            if name.__class__ is not str:
                return None
        names = set(value)
        if len(names) < len(value):
            return None
        return value if self.maps or node.get("properties", _NOTHING).keys() >= names else None

    def format(self, value: Json, _: JsonObject) -> Json:
        return value if value.__class__ is str and value in self.formats else None

    def members(self, names: Json, _: JsonObject) -> JsonObject | None:  # noqa: C901, PLR0912
        if names.__class__ is not dict:
            return None
        if self.are_legal is not None and not self.are_legal(names):
            return None
        if not names and not self.empty:
            return None
        out: JsonObject = names
        is_leaf = self.is_leaf
        for name, inner in names.items():
            if inner.__class__ is not dict:
                new = self.schema(inner, names)
            else:
                kind = inner.get("type")
                if kind.__class__ is not str:
                    new = self.walk(inner)
                elif kind in _SCALARS:  # as most are
                    size = len(inner)
                    if size == 1 or (size == 2 and inner.get("description").__class__ is str):  # noqa: PLR2004
                        continue
                    if is_leaf(inner) and _has_texts(inner):
                        continue
                    new = self.walk(inner)
                elif kind == "array" and self.is_plain_list(inner):
                    continue
                elif WORDS.get(kind) in _SCALARS and is_leaf(inner) and _has_texts(inner):
                    new = {**inner, "type": WORDS[kind]}
                else:
                    new = self.walk(inner)
            if new is None:  # also for a member that is null itself
                return None
            if new is not inner:
                if out is names:
                    out = names.copy()
                out[name] = new
        return out

    def is_plain_list(self, node: JsonObject) -> bool:
        """Whether a node is a list of scalars and says nothing else but a description."""
        size, items = len(node), node.get("items")
        if items.__class__ is not dict or len(items) != 1:
            return False
        if not (size == 2 or (size == 3 and node.get("description").__class__ is str)):  # noqa: PLR2004
            return False
        kind = items.get("type")
        return kind.__class__ is str and kind in _SCALARS

    def branches(self, items: Json, node: JsonObject) -> list[Json] | None:
        if items.__class__ is not list or not items:
            return None
        new = [self.schema(item, node) for item in items]
        if any(item is None for item in new):
            return None
        return items if all(map(operator.is_, new, items)) else new


def _has_texts(node: JsonObject) -> bool:
    return (
        node.get("description", "").__class__ is str
        and node.get("title", "").__class__ is str
        and node.get("enum", _NO_VALUES).__class__ is list
    )


def _stop(value: Json, node: JsonObject) -> None:
    del value, node


def _bound(value: Json, _: JsonObject) -> Json:
    return value if value.__class__ is int or value.__class__ is float else None


def _count(value: Json, _: JsonObject) -> Json:
    return value if is_sound("minItems", value) else None


def _factor(value: Json, _: JsonObject) -> Json:
    return value if is_sound("multipleOf", value) else None


def _flag(value: Json, _: JsonObject) -> Json:
    return value if value.__class__ is bool else None


def _values(value: Json, _: JsonObject) -> Json:
    return value if value.__class__ is list else None


def _label(value: Json, _: JsonObject) -> Json:
    return value if is_latest(value) else None


def _text(value: Json, _: JsonObject) -> Json:
    return value if value.__class__ is str else None


def is_word(value: Json) -> bool:
    """Whether an enum value is text, and not the empty one."""
    return value.__class__ is str and value != ""
