"""Any JSON Schema people hand in, as 2020-12.

Drafts 04 to 2019-09, OpenAPI 3.0 and the sloppy words of real catalogs are rewritten; a schema
that needs nothing comes back as the same object. One walk finds out what is odd, rewrites it, and
records each rewrite with its place.
"""

from __future__ import annotations

from collections.abc import Iterable
from types import NoneType
from typing import Final, TypeAlias

from toolcanon.diagnostics import CODES, Effect, Loss
from toolcanon.errors import LimitExceeded
from toolcanon.jsonio import DEFAULT_LIMITS, Pointer
from toolcanon.jsonio.types import Json, JsonObject
from toolcanon.schema.keywords import (
    LATEST_URI,
    POSITIONS,
    TYPES,
    DraftMeaning,
    Position,
    declares_older,
    draft_of,
    is_latest,
)
from toolcanon.schema.malformed import CHECKED, TEXTS, are_names, is_sound, turned
from toolcanon.schema.references import References
from toolcanon.schema.upgrade.drafts import (
    BOUNDS,
    LEGACY_KEYWORDS,
    has_fragment,
    is_name,
    ref_siblings_read,
    triggered,
)
from toolcanon.schema.upgrade.property_maps import property_map
from toolcanon.schema.upgrade.type_words import WORDS, is_plain_list

_Path: TypeAlias = tuple[str | int, ...]
Rewritten: TypeAlias = tuple[str, _Path, Json, Json]
"""The code of a rewrite, its place in the schema, what was there, what is there now."""
_ROOT = Pointer()
_HOPS: Final = 32

# What a keyword's value has to be like. Plain integers: comparing with the members of an enum
# costs a call for every keyword.
_SCHEMA, _LIST, _MAP = int(Position.SCHEMA), int(Position.SCHEMAS), int(Position.SCHEMA_MAP)
_TYPE, _TEXT, _BOUND, _NAMES, _VALUES, _OTHER, _REFERENCE, _LEGACY, _ID, _LABEL = range(10, 20)
_LOOK: Final[dict[str, int]] = (
    dict.fromkeys((*CHECKED, "pattern"), _OTHER)
    | dict.fromkeys(TEXTS - {"pattern"}, _TEXT)
    | dict.fromkeys(BOUNDS, _BOUND)
    | {key: int(position) for key, position in POSITIONS.items()}
    | dict.fromkeys(LEGACY_KEYWORDS, _LEGACY)
    | {"type": _TYPE, "$ref": _REFERENCE, "required": _NAMES, "enum": _VALUES}
    | {"$id": _ID, "id": _ID, "$schema": _LABEL}
)
"""Keywords that are not looked up here may have any value."""
_MATERIAL: Final = frozenset(
    code for code, entry in CODES.items() if entry.effect & (Effect.WIDENED | Effect.NARROWED)
)
_new = tuple.__new__  # a named tuple's own constructor costs twice as much
_SAID: Final = frozenset({"type", "description", "title", "format", "default", "const"})
_LEAF: Final[dict[str, tuple[object, ...]]] = (
    dict.fromkeys(("default", "const"), (int, float, bool, list, dict, NoneType))
    | dict.fromkeys(("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"), (int, float))
    | {"enum": (list,), "items": (dict,)}
)
"""The keywords of most nodes without members, and the types of values that are not strings."""
_look_of, _leaf_of = _LOOK.get, _LEAF.get
_LATEST, _D6, _D2019 = (
    DraftMeaning.LATEST,
    DraftMeaning.D6,
    DraftMeaning.D2019,
)  # looking a member up costs a call
_KINDS: Final = frozenset({dict, bool})
_FLAGS: Final = (bool, str)  # values of a member's ``required``


def upgrade(schema: JsonObject, tool: str = "", at: Pointer = _ROOT) -> Upgraded:
    """Rewrite a schema to 2020-12. Pure; shares every subtree it need not touch.

    >>> upgrade({"type": "dict", "properties": {"a": {"type": "float"}}}).schema
    {'type': 'object', 'properties': {'a': {'type': 'number'}}}
    """
    made = Upgraded(schema, tool, at)
    try:
        meant = property_map(schema) if _may_be_map(schema) else None
        if meant is None:
            made.schema = made.node(schema, ())
        else:
            made.log.append(("L112", (), schema, meant))
            made.schema = made.node(meant, ())
    except RecursionError:
        raise LimitExceeded("depth", DEFAULT_LIMITS.depth) from None
    return made


def rewrites(log: Iterable[Rewritten], tool: str, at: _Path) -> Iterable[Loss]:
    """Yield the losses that a log stands for."""
    for code, place, before, after in log:
        entry = CODES[code]
        effect = turned(entry.effect, place) if code in _MATERIAL else entry.effect
        yield _new(Loss, (code, entry.name, effect, tool, Pointer((*at, *place)), before, after))


def is_foreign(schema: JsonObject) -> bool:
    """Return whether the root has a type of no draft (``dict``, ``OBJECT``), or is a bare map.

    Such a schema is in another dialect altogether; one of an older draft declares it.
    """
    kind = schema.get("type")
    return (kind.__class__ is str and kind not in TYPES) or (
        _may_be_map(schema) and property_map(schema) is not None
    )


def _may_be_map(schema: JsonObject) -> bool:
    """Return whether it may be the bare map of its members; two looks for nearly all schemas."""
    return not (schema.get("type").__class__ is str and schema.get("properties"))


class Upgraded:
    """The 2020-12 schema, what was rewritten to get there, and what else the walk saw.

    Each node comes first, then what is below the rewritten node.
    """

    __slots__ = (
        "_at",
        "_draft",
        "_tool",
        "_trusts",
        "is_addressed",
        "is_sound",
        "log",
        "schema",
    )

    def __init__(self, schema: JsonObject, tool: str, at: Pointer) -> None:
        self.schema = schema
        self.log: list[Rewritten] = []
        self.is_sound = True
        """Whether no keyword is malformed. False means that ``sound`` has to look."""
        self.is_addressed = False
        """Whether references may need more than a pointer from the root: see ``by_place``."""
        self._tool = tool
        self._at = at
        self._draft = draft = draft_of(schema) if "$schema" in schema else _LATEST
        self._trusts = draft is _LATEST or draft >= _D6  # older ones rename keywords

    @property
    def losses(self) -> tuple[Loss, ...]:
        """The rewrites, in order; built on first access."""
        return tuple(rewrites(self.log, self._tool, tuple(self._at)))

    def node(self, node: JsonObject, at: _Path) -> JsonObject:  # noqa: C901, PLR0911, PLR0912, PLR0915 - the hottest loop
        """Return a schema and everything below it; the same object if nothing is to be done."""
        if not self._trusts:
            return self._by_rules(node, at)
        word = None
        below: list[tuple[str, str | int | None, JsonObject]] = []
        for key, value in node.items():
            look = _look_of(key)
            if look is None:
                continue
            if look == _TYPE:
                if value.__class__ is not str:
                    if not is_plain_list(value):
                        return self._by_rules(node, at)
                elif value not in TYPES:
                    word = WORDS.get(value)
                    if word is None:
                        return self._by_rules(node, at)
            elif look == _MAP:
                if value.__class__ is not dict:
                    return self._by_rules(node, at)
                for name, inner in value.items():
                    if inner.__class__ is dict:
                        kind = inner.get("type")
                        if kind.__class__ is str:
                            if kind in TYPES:
                                size = len(inner)
                                if size == 2 and inner.get("description").__class__ is str:  # noqa: PLR2004
                                    continue  # as most are
                                if size == 1 or _is_usual(inner):
                                    continue
                            elif kind not in WORDS:
                                return self._by_rules(node, at)  # it may say more than a type
                        if inner.get("required").__class__ in _FLAGS:
                            return self._by_rules(node, at)
                        below.append((key, name, inner))
                    elif inner.__class__ is not bool:
                        return self._by_rules(node, at)
                if key == "patternProperties":
                    self.is_sound &= is_sound(key, value)
            elif look == _NAMES:
                if value.__class__ is not list:
                    return self._by_rules(node, at)
                if value and not are_names(value):
                    self.is_sound = False
            elif look == _TEXT:
                if value.__class__ is not str:
                    self.is_sound = False
            elif look == _SCHEMA:
                if value.__class__ is dict:
                    if not _is_leaf(value):
                        below.append((key, None, value))
                elif value.__class__ is not bool:
                    return self._by_rules(node, at)
            elif look == _LIST:
                if not _are_schemas(value):
                    return self._by_rules(node, at)
                for index, inner in enumerate(value):
                    if inner.__class__ is dict and not _is_leaf(inner):
                        below.append((key, index, inner))
            elif self._is_odd(look, key, value, node, at):
                return self._by_rules(node, at)
        out = node
        if word is not None:
            self.log.append(("L101", (*at, "type"), node["type"], word))
            out = {**node, "type": word}
        if self._draft is not _LATEST and not at:
            self.log.append(("L110", ("$schema",), node["$schema"], LATEST_URI))
            out = {**out, "$schema": LATEST_URI}
        return self._below(node, out, below, at) if below else out

    def _is_odd(self, look: int, key: str, value: Json, node: JsonObject, at: _Path) -> bool:
        """Return whether rules must check a keyword; its other properties are noted."""
        if look == _VALUES:
            return value.__class__ is not list
        if look == _BOUND:
            if value.__class__ is str or value.__class__ is bool:
                return True
            self.is_sound &= (value.__class__ is int and value > 0) or is_sound(key, value)
        elif look == _OTHER:
            self.is_sound &= is_sound(key, value)
        elif look == _LABEL:
            if declares_older(value):
                return bool(at)
            self.is_sound &= is_latest(value)
        elif look == _REFERENCE:
            if len(node) > 1 and self._draft < _D2019:
                return True
            self.is_sound &= value.__class__ is str
            self.is_addressed |= value.__class__ is str and not value.startswith("#")
        elif look == _ID:
            if has_fragment(value) if key == "$id" else is_name(value):
                return True
            self.is_addressed = True
            self.is_sound &= value.__class__ is str or key == "id"
        else:
            return True
        return False

    def _below(
        self,
        node: JsonObject,
        out: JsonObject,
        below: list[tuple[str, str | int | None, JsonObject]],
        at: _Path,
    ) -> JsonObject:
        """Return a node with the schemas below it rewritten."""
        for key, step, inner in below:
            new = self.node(inner, (*at, key) if step is None else (*at, key, step))
            if new is inner:
                continue
            if out is node:
                out = node.copy()
            if step is None:
                out[key] = new
            else:
                if out[key] is node[key]:
                    out[key] = node[key].copy()
                out[key][step] = new
        return out

    def _by_rules(self, node: JsonObject, at: _Path) -> JsonObject:
        """Rewrite a node by the rules for older drafts and for catalogs."""
        self.is_sound = False
        self.is_addressed = True
        for code, rule in triggered(node, self._draft):
            for before, found, step in rule(node, self._draft):
                after = self._possible(found) if rule is ref_siblings_read else found
                self.log.append((code, at if step is None else (*at, step), before, after))
                node = after if step is None else {**node, step: after}
        out = node
        for key, value in node.items():
            position = POSITIONS.get(key)
            if position is None:
                continue
            new = self._children(value, (*at, key), position)
            if new is not value:
                if out is node:
                    out = dict(node)
                out[key] = new
        return out

    def _possible(self, node: JsonObject) -> JsonObject:
        """Return a reference with those of its siblings that its target does not contradict."""
        find = References(self.schema).find
        waiting: list[Json] = list(node["allOf"][:1])
        for _ in range(_HOPS):
            part = waiting.pop() if waiting else None
            if part.__class__ is not dict:
                continue
            if isinstance(part.get("$ref"), str):
                found = find(part["$ref"])
                waiting += [found.schema] if found else ()
                continue
            waiting += part.get("allOf") or () if isinstance(part.get("allOf"), list) else ()
            if part.get("additionalProperties") is False and not part.get("patternProperties"):
                node = _asking(node, part.get("properties") or {})
        return node

    def _children(self, value: Json, at: _Path, position: Position) -> Json:
        """Return a schema, or the list or map of schemas that a keyword holds."""
        if value.__class__ is dict:
            if position is not Position.SCHEMA_MAP:
                return self.node(value, at)
            places: Iterable[tuple[str | int, Json]] = value.items()
        elif value.__class__ is list:
            places = enumerate(value)
        else:
            return value
        new = None
        for step, item in places:
            if item.__class__ is dict:
                done = self.node(item, (*at, step))
                if done is not item:
                    if new is None:
                        new = value.copy()
                    new[step] = done
        return value if new is None else new


def _are_schemas(branches: Json) -> bool:
    """Return whether a value is a list of schemas."""
    return bool(branches) and branches.__class__ is list and _KINDS.issuperset(map(type, branches))


def _is_leaf(node: JsonObject) -> bool:
    """Return whether a node needs no work, and has at most the items of a list below it."""
    kind = node.get("type")
    return kind.__class__ is str and kind in TYPES and _is_usual(node)


def _is_usual(node: JsonObject) -> bool:
    """Return whether a node with one of the types needs no work."""
    for key, value in node.items():
        if value.__class__ is str:
            if key not in _SAID:
                return False
        elif value.__class__ not in _leaf_of(key, ()):
            return False
    items = node.get("items")
    return items is None or ("items" not in items and _is_leaf(items))


def _asking(node: JsonObject, members: Json) -> JsonObject:
    """Return a schema that requires only some members, as do the parts of its conjunction."""
    out = dict(node)
    if isinstance(node.get("required"), list):
        out["required"] = [name for name in node["required"] if name in members]
        if not out["required"]:
            del out["required"]
    if isinstance(node.get("allOf"), list):
        parts = [
            _asking(part, members) if isinstance(part, dict) else part for part in node["allOf"]
        ]
        out["allOf"] = parts
    return out
