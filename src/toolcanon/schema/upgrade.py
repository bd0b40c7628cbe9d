"""Any JSON Schema people hand in, as 2020-12.

Drafts 04 to 2019-09, OpenAPI 3.0 and the sloppy words of real catalogs are rewritten; a schema
that needs nothing comes back as the same object. Every rewrite can be told with its place.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, TypeAlias

from toolcanon.diagnostics import CODES, Loss
from toolcanon.errors import LimitExceeded
from toolcanon.jsonio import DEFAULT_LIMITS, Pointer
from toolcanon.jsonio.types import Json, JsonObject
from toolcanon.schema.drafts import LATEST_URI, Draft, draft_of
from toolcanon.schema.keywords import POSITIONS, TYPES, Position
from toolcanon.schema.legacy import ref_siblings_read, triggered
from toolcanon.schema.modern import WORDS, modern, walk
from toolcanon.schema.property_maps import property_map
from toolcanon.schema.references import References
from toolcanon.schema.sound import turned

_Path: TypeAlias = tuple[str | int, ...]  # a Pointer in the making
_Record: TypeAlias = tuple[str, _Path, Json, Json]
_ROOT = Pointer()
_HOPS: Final = 32


class Upgraded:
    """The 2020-12 schema, and what was rewritten to get there."""

    __slots__ = ("_at", "_original", "_tool", "schema")

    def __init__(self, schema: JsonObject, original: JsonObject, tool: str, at: Pointer) -> None:
        self.schema = schema
        self._original = original
        self._tool = tool
        self._at = at

    @property
    def losses(self) -> tuple[Loss, ...]:
        """In order; worked out when asked for, since most conversions are never asked."""
        if self.schema is self._original:
            return ()
        return rewrites(self._original, self._tool, self._at)


def upgrade(schema: JsonObject, tool: str = "", at: Pointer = _ROOT) -> Upgraded:
    """Rewrite a schema to 2020-12. Pure; shares every subtree it need not touch.

    >>> upgrade({"type": "dict", "properties": {"a": {"type": "float"}}}).schema
    {'type': 'object', 'properties': {'a': {'type': 'number'}}}
    """
    try:
        found = None if _is_map(schema) else modern(schema)
        if found is None:
            found, _ = _rewrite(schema, at)
    except RecursionError:
        raise LimitExceeded("depth", DEFAULT_LIMITS.depth) from None
    return Upgraded(found, schema, tool, at)


def rewrites(schema: JsonObject, tool: str, at: Pointer) -> tuple[Loss, ...]:
    """What it takes to make a schema 2020-12, in order."""
    log: list[_Record] = []
    if not _is_map(schema) and schema.get("type").__class__ is str and modern(schema) is not None:
        _tell_words(schema, tuple(at), log, draft_of(schema))  # all that is odd
    else:
        _, log = _rewrite(schema, at)
    told: list[Loss] = []
    for code, place, before, after in log:
        entry = CODES[code]
        effect = turned(entry.effect, place[len(at) :])
        told.append(Loss(code, entry.name, effect, tool, Pointer(place), before, after))
    return tuple(told)


def _tell_words(
    node: JsonObject, at: _Path, log: list[_Record], draft: Draft = Draft.LATEST
) -> None:
    """The type words of a schema in which nothing else is odd but the draft that it declares."""
    kind = node.get("type")
    if kind.__class__ is str and kind not in TYPES:
        log.append(("L101", (*at, "type"), kind, WORDS[kind]))
    if draft is not Draft.LATEST:
        log.append(("L110", (*at, "$schema"), node["$schema"], LATEST_URI))
    for key, value in node.items():
        position = POSITIONS.get(key)
        if position is None:
            continue
        if value.__class__ is dict and position is not Position.SCHEMA_MAP:
            _tell_words(value, (*at, key), log)
        elif value.__class__ is dict or value.__class__ is list:
            for step, item in value.items() if value.__class__ is dict else enumerate(value):
                if item.__class__ is dict and not _is_plain(item):
                    _tell_words(item, (*at, key, step), log)


def _is_plain(node: JsonObject) -> bool:
    """Whether it has a type of today, and nothing below."""
    kind = node.get("type")
    return kind.__class__ is str and kind in TYPES and POSITIONS.keys().isdisjoint(node)


def is_current(schema: JsonObject) -> bool:
    """Whether a schema means the same in 2020-12 as it stands, so that nothing need be done."""
    return modern(schema) is schema and not _is_map(schema)


def is_foreign(schema: JsonObject) -> bool:
    """Whether the root names a type that no draft has (``dict``, ``OBJECT`` …), or is a bare map.

    Such a schema is in another dialect altogether; one of an older draft says so and stands.
    """
    kind = schema.get("type")
    return (kind.__class__ is str and kind not in TYPES) or _is_map(schema)


def _is_map(schema: JsonObject) -> bool:
    """Whether it is the bare map of its members; two looks for nearly all schemas."""
    if schema.get("type").__class__ is str and schema.get("properties"):
        return False
    return property_map(schema) is not None


def _rewrite(schema: JsonObject, at: Pointer) -> tuple[JsonObject, list[_Record]]:
    rewriter = _Rewriter(draft_of(schema), schema)
    place = tuple(at)
    meant = property_map(schema)
    if meant is not None:
        rewriter.log.append(("L112", place, schema, meant))
        schema = meant
    return rewriter.node(schema, place), rewriter.log


class _Rewriter:
    """One rewrite: top-down, node rules first, then into the rewritten node."""

    def __init__(self, draft: Draft, root: JsonObject) -> None:
        self.draft = draft
        self._root = root
        self.log: list[_Record] = []
        self._trusts = draft >= Draft.D6  # older ones rename keywords that look clean
        self._siblings = draft >= Draft.D2019

    def node(self, node: JsonObject, at: _Path) -> JsonObject:
        for code, rule in triggered(node, self.draft):
            for before, found, step in rule(node, self.draft):
                after = self._possible(found) if rule is ref_siblings_read else found
                self.log.append((code, at if step is None else (*at, step), before, after))
                node = after if step is None else {**node, step: after}
        out = node
        for key, value in node.items():
            position = POSITIONS.get(key)
            if position is None:
                continue
            new = self.children(value, (*at, key), position)
            if new is not value:
                if out is node:
                    out = dict(node)
                out[key] = new
        return out

    def _possible(self, node: JsonObject) -> JsonObject:
        """A reference with what stood beside it, which asks for nothing that its target refuses."""
        find = References(self._root).find
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

    def children(self, value: Json, at: _Path, position: Position) -> Json:
        """A schema, or the list or map of schemas that a keyword holds."""
        if value.__class__ is dict:
            if position is not Position.SCHEMA_MAP:
                return self.child(value, at)
            places: Iterable[tuple[str | int, Json]] = value.items()
        elif value.__class__ is list:
            places = enumerate(value)
        else:
            return value
        new = None
        for step, item in places:
            if item.__class__ is dict:
                done = self.child(item, (*at, step))
                if done is not item:
                    if new is None:
                        new = value.copy()
                    new[step] = done
        return value if new is None else new

    def child(self, node: JsonObject, at: _Path) -> JsonObject:
        """A schema below; clean ones are passed by without a closer look."""
        if self._trusts and walk(node, self._siblings) is node:
            return node
        return self.node(node, at)


def _asking(node: JsonObject, members: Json) -> JsonObject:
    """A schema that requires only some members, as do the parts of its conjunction."""
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
