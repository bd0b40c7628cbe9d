"""The pass-through check: is a schema written unchanged?

Most are, and then nothing else needs to be done. The check is compiled from the data of one
dialect: a keyword is accepted with any value, has its value checked, or ends the check. It is true
only where the engine would change nothing and report nothing, which a test verifies. Where it is
false, nothing is known.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Final, TypeAlias

from toolcanon.dialect import JSON_SCHEMA, Dialect, Support
from toolcanon.jsonio.types import Json, JsonObject
from toolcanon.schema.keywords import POSITIONS, TYPES, Position, is_latest
from toolcanon.schema.malformed import COUNTS, FLAGS, TEXTS, is_sound
from toolcanon.schema.upgrade.drafts import BOUNDS, LEGACY_KEYWORDS
from toolcanon.schema.upgrade.property_maps import property_map
from toolcanon.schema.upgrade.type_words import is_plain_list

Check: TypeAlias = Callable[[JsonObject], bool]
"""Whether a schema goes out as it is."""

_Handler: TypeAlias = Callable[[Json, JsonObject], bool]

_Handlers: TypeAlias = Callable[[str, "_Handler | None"], "_Handler | None"]

_FINE, _STOP, _TYPE, _SCHEMA, _LIST, _MAP = range(6)
_BOUND, _ENUM, _CONST, _REQUIRED, _FORMAT, _TEXT = range(6, 12)
_COUNT, _FACTOR, _FLAG, _VALUES, _LABEL = range(12, 17)
_SCALARS: Final = TYPES - {"object", "array"}
_SHAPED: Final = frozenset({"object", "array"})
_STRUCTURAL: Final = frozenset("type properties items required enum anyOf description".split())
_UNIONS: Final = frozenset("anyOf oneOf allOf not enum const".split())
_BY_POSITION: Final = {
    Position.SCHEMA: _SCHEMA,
    Position.SCHEMAS: _LIST,
    Position.SCHEMA_MAP: _MAP,
}
_BY_VALUE: Final[dict[str, int]] = (
    dict.fromkeys(TEXTS, _TEXT)
    | dict.fromkeys(COUNTS, _COUNT)
    | dict.fromkeys(FLAGS, _FLAG)
    | {"multipleOf": _FACTOR, "examples": _VALUES, "$schema": _LABEL}
    | dict.fromkeys(("dependentRequired", "$vocabulary"), _STOP)
)
"""Keywords whose values may be malformed; rare ones are left to the engine."""
_NOTHING: Final[JsonObject] = {}
_USUAL_LENGTH: Final = 32
_ONLY_STRINGS: Final = frozenset({str})


def _acts_of(dialect: Dialect) -> dict[str, int]:
    """Return the action at each keyword."""
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
    made |= dict.fromkeys((*LEGACY_KEYWORDS, "$id", "id"), _STOP)
    made |= {key: act for key, act in _BY_VALUE.items() if made.get(key) in {_FINE, _BOUND}}
    made |= {"type": _TYPE, "enum": _ENUM, "required": _REQUIRED}
    if made["const"] == _FINE:
        made["const"] = _CONST
    if dialect.formats is not None:
        made["format"] = _FORMAT
    made |= dict.fromkeys((*_looked_at(dialect), "pattern", "patternProperties"), _STOP)
    if dialect.nullable or dialect.lone_unions or not dialect.union_siblings:
        made |= dict.fromkeys(("anyOf", "oneOf"), _STOP)
    if not dialect.maps:
        made |= dict.fromkeys(("additionalProperties", "patternProperties"), _STOP)
    if not (dialect.references.keep and dialect.references.anywhere):
        made |= dict.fromkeys(("$defs", "definitions"), _STOP)
    return made


def _looked_at(dialect: Dialect) -> set[str]:
    """Keywords that the dialect accepts or rejects by their values."""
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
    if dialect.items:
        found.add("unevaluatedItems")
    return found


@lru_cache(maxsize=128)
def passthrough(dialect: Dialect, is_root: bool = True) -> Check | None:  # noqa: FBT001, FBT002 - asked for all
    """Return the check for a dialect; None where every object is rewritten, so that none passes."""
    if dialect.closed or _rewrites_members(dialect):
        return None
    walker = _Walker(dialect)
    walk = walker.walk
    if not is_root:
        return lambda schema: _is_current(schema) and walk(schema)
    refused = frozenset() if dialect.root_unions else _UNIONS
    if not dialect.root_remarks:
        refused |= {"title", "description"}
    root = walker.handlers | {"type": None if walker.bare_objects else walker.word}
    needs_properties = dialect.root_properties
    are_legal = None if dialect.nested_members else _legal(dialect)  # else seen on the way

    def check(schema: JsonObject) -> bool:
        if schema.get("type") != "object" or not refused.isdisjoint(schema):
            return False
        if "$schema" in schema and not is_latest(schema["$schema"]):
            return False
        members = schema.get("properties")
        if not members and ((needs_properties and members is None) or not _is_current(schema)):
            return False
        if are_legal is not None and members is not None and not are_legal(members):
            return False
        return walk(schema, root.get)

    return check


def _rewrites_members(dialect: Dialect) -> bool:
    """Return whether objects are rewritten beyond being closed, or have another spelling."""
    required = dialect.all_required or dialect.some_required or dialect.empty_required
    return bool(required or dialect.draft)


def _is_current(schema: JsonObject) -> bool:
    """Return whether a schema is none of an older draft, and no bare map of members."""
    if schema.get("type").__class__ is not str:
        return False
    return bool(schema.get("properties")) or property_map(schema) is None


def _legal(dialect: Dialect) -> Callable[[Json], bool] | None:
    """Return whether all names of members are allowed; usual words of usual length at once."""
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
            text = "_".join(names)
        except TypeError:  # keys that are not strings
            return False
        if takes_words and len(text) <= longest and text.isascii() and text.isidentifier():
            return "" not in names
        return all(map(allows, names))

    return are_legal


class _Walker:
    """Return the loop for one dialect: a handler for every keyword whose value matters."""

    def __init__(self, dialect: Dialect) -> None:
        table = _acts_of(dialect)
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
        fine = {key for key, act in table.items() if act == _FINE}
        texts = {key for key in ("title", "description") if table.get(key) in {_FINE, _TEXT}}
        texts |= set() if self.picky else {"enum"}
        self.is_leaf = frozenset(fine | texts | {"type"}).issuperset
        """Return whether a node has only keywords of scalars; strings need a check."""
        handlers: dict[int, _Handler | None] = {
            _FINE: None,
            _STOP: _stop,
            _TYPE: self.word,
            _SCHEMA: self.schema,
            _LIST: self.branches,
            _MAP: self.members,
            _BOUND: _bound,
            _ENUM: self.enum,
            _CONST: self.const,
            _REQUIRED: self.required,
            _FORMAT: self.format,
            _TEXT: _text,
            _COUNT: _count,
            _FACTOR: _factor,
            _FLAG: _flag,
            _VALUES: _values,
            _LABEL: _label,
        }
        self.handlers = {key: handlers[act] for key, act in table.items()}
        self.handler_of = self.handlers.get
        self.other = _stop if dialect.others is Support.REJECTED else None

    def walk(self, node: JsonObject, handler_of: _Handlers | None = None) -> bool:
        """Return whether a node is fine; the root has handlers of its own."""
        if self.typed and "type" not in node:
            return False
        handler_of, other = handler_of or self.handler_of, self.other
        for key, value in node.items():
            handle = handler_of(key, other)
            if handle is None or (handle is _text and value.__class__ is str):
                continue
            if not handle(value, node):
                return False
        return True

    def word(self, kind: Json, node: JsonObject) -> bool:
        """Return whether the rest of the node suits its type."""
        if kind.__class__ is not str:
            if not self.lists or not is_plain_list(kind):
                return False
            shaped = not self.bare_objects and not _SHAPED.isdisjoint(kind)
            return not (shaped or (self.needs_items and "array" in kind and "items" not in node))
        if kind in _SCALARS:
            return True
        if kind == "object":
            return self.bare_objects or bool(node.get("properties"))
        return kind == "array" and not (self.needs_items and "items" not in node)

    def schema(self, value: Json, _: JsonObject) -> bool:
        if value.__class__ is dict:
            return self.walk(value)
        return value.__class__ is bool and self.booleans

    def const(self, value: Json, node: JsonObject) -> bool:
        """Null is left to the engine."""
        if value is None:
            return False
        return not (self.picky and ("type" not in node or value.__class__ in {dict, list}))

    def enum(self, value: Json, node: JsonObject) -> bool:
        if value.__class__ is not list:
            return False
        return not self.picky or (node.get("type") == "string" and all(map(_is_word, value)))

    def required(self, value: Json, node: JsonObject) -> bool:
        if value.__class__ is not list:
            return False
        if not _ONLY_STRINGS.issuperset(map(type, value)):
            return False
        names = set(value)
        if len(names) < len(value):
            return False
        if self.maps:
            return True
        members = node.get("properties", _NOTHING)
        return members.__class__ is dict and members.keys() >= names

    def format(self, value: Json, _: JsonObject) -> bool:
        return value.__class__ is str and value in self.formats

    def members(self, names: Json, _: JsonObject) -> bool:  # noqa: C901 - a hot loop
        if names.__class__ is not dict:
            return False
        if self.are_legal is not None and not self.are_legal(names):
            return False
        if not names and not self.empty:
            return False
        is_leaf = self.is_leaf
        for inner in names.values():
            if inner.__class__ is not dict:
                if inner.__class__ is not bool or not self.booleans:
                    return False
                continue
            kind = inner.get("type")
            if kind.__class__ is str:
                if kind in _SCALARS:  # as most are
                    if len(inner) == 2 and inner.get("description").__class__ is str:  # noqa: PLR2004
                        continue
                    if is_leaf(inner) and _has_texts(inner):
                        continue
                elif kind == "array" and _is_list_of_scalars(inner):
                    continue
            if not self.walk(inner):
                return False
        return True

    def branches(self, items: Json, node: JsonObject) -> bool:
        if items.__class__ is not list or not items:
            return False
        return all(self.schema(item, node) for item in items)


def _is_list_of_scalars(node: JsonObject) -> bool:
    """Return whether a node is a list of scalars and has nothing else but a description."""
    size, items = len(node), node.get("items")
    if items.__class__ is not dict or len(items) != 1:
        return False
    if not (size == 2 or (size == 3 and node.get("description").__class__ is str)):  # noqa: PLR2004
        return False
    kind = items.get("type")
    return kind.__class__ is str and kind in _SCALARS


def _has_texts(node: JsonObject) -> bool:
    return (
        ("description" not in node or node["description"].__class__ is str)
        and ("title" not in node or node["title"].__class__ is str)
        and ("enum" not in node or node["enum"].__class__ is list)
    )


def _stop(value: Json, node: JsonObject) -> bool:
    del value, node
    return False


def _bound(value: Json, _: JsonObject) -> bool:
    return value.__class__ is int or value.__class__ is float


def _count(value: Json, _: JsonObject) -> bool:
    return is_sound("minItems", value)


def _factor(value: Json, _: JsonObject) -> bool:
    return is_sound("multipleOf", value)


def _flag(value: Json, _: JsonObject) -> bool:
    return value.__class__ is bool


def _values(value: Json, _: JsonObject) -> bool:
    return value.__class__ is list


def _label(value: Json, _: JsonObject) -> bool:
    return is_latest(value)


def _text(value: Json, _: JsonObject) -> bool:
    return value.__class__ is str


def _is_word(value: Json) -> bool:
    """Return whether an enum value is text, and not the empty one."""
    return value.__class__ is str and bool(value)
