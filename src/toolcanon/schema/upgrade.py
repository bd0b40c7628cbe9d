"""Any JSON Schema people hand in, as 2020-12.

Drafts 04 to 2019-09, OpenAPI 3.0 and the sloppy words of real catalogs are rewritten; a schema
that needs nothing comes back as the same object. Every rewrite is recorded with its place.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypeAlias

from toolcanon.diagnostics import CODES, Loss
from toolcanon.errors import LimitExceeded
from toolcanon.jsonio import DEFAULT_LIMITS, Pointer
from toolcanon.jsonio.types import Json, JsonObject
from toolcanon.schema.keywords import PLAIN, POSITIONS, TYPES, Position
from toolcanon.schema.legacy import BOUNDS, LEGACY_KEYWORDS, Draft, draft_of, triggered

# Plain integers: comparing with an enum's members costs a call in the hottest loop there is.
_SCHEMA, _LIST, _MAP = int(Position.SCHEMA), int(Position.SCHEMAS), int(Position.SCHEMA_MAP)
_TYPE, _BOUND, _LEGACY, _REFERENCE = 10, 11, 12, 13

# What may stand in a schema and how to look at it: one lookup per keyword.
_LOOK: dict[str, int] = (
    {key: int(position) for key, position in POSITIONS.items()}
    | dict.fromkeys(BOUNDS, _BOUND)
    | dict.fromkeys(LEGACY_KEYWORDS, _LEGACY)
    | {"type": _TYPE, "$ref": _REFERENCE}
)


_Path: TypeAlias = tuple[str | int, ...]  # a Pointer in the making


_Record: TypeAlias = tuple[str, _Path, Json, Json]
_ROOT = Pointer()


class Upgraded:
    """The 2020-12 schema, and what was rewritten to get there."""

    __slots__ = ("_log", "_tool", "schema")

    def __init__(self, schema: JsonObject, log: Sequence[_Record] = (), tool: str = "") -> None:
        self.schema = schema
        self._log = log
        self._tool = tool

    @property
    def losses(self) -> tuple[Loss, ...]:
        """In order; made when asked for, since most conversions are never asked."""
        return tuple(
            Loss(code, CODES[code].name, CODES[code].effect, self._tool, Pointer(at), before, after)
            for code, at, before, after in self._log
        )


def upgrade(schema: JsonObject, tool: str = "", at: Pointer = _ROOT) -> Upgraded:
    """Rewrite a schema to 2020-12. Pure; shares every subtree it need not touch.

    >>> upgrade({"type": "dict", "properties": {"a": {"type": "float"}}}).schema
    {'type': 'object', 'properties': {'a': {'type': 'number'}}}
    """
    try:
        if is_current(schema):
            return Upgraded(schema)
        rewriter = _Rewriter(draft_of(schema))
        return Upgraded(rewriter.node(schema, tuple(at)), rewriter.log, tool)
    except RecursionError:
        raise LimitExceeded("depth", DEFAULT_LIMITS.depth) from None


def is_foreign(schema: JsonObject) -> bool:
    """Whether the root names a type that no draft of JSON Schema has (``dict``, ``OBJECT`` …).

    Such a schema is in another dialect altogether; one of an older draft says so and stands.
    """
    kind = schema.get("type")
    return kind.__class__ is str and kind not in TYPES


def is_current(schema: JsonObject) -> bool:
    """Whether a schema means the same in 2020-12 as it stands, so that nothing need be done."""
    if "$schema" not in schema:
        return _is_clean(schema, True)
    draft = draft_of(schema)
    return draft >= Draft.D6 and _is_clean(schema, draft >= Draft.D2019)


def _is_clean(node: JsonObject, ref_siblings: bool) -> bool:  # noqa: C901, PLR0912, FBT001
    """No word in it is older than 2020-12. ``ref_siblings``: the draft reads them.

    The hottest loop of a conversion, hence written out: leaves, which most nodes are, are settled
    by one comparison of sets without a call.
    """
    for key, value in node.items():
        look = _LOOK.get(key)
        if look is None:
            continue
        if look == _MAP:
            if value.__class__ is not dict:
                continue
            for inner in value.values():
                if inner.__class__ is not dict:
                    continue
                kind = inner.get("type")
                if kind.__class__ is str and kind in TYPES and inner.keys() <= PLAIN:
                    continue
                if inner.get("required").__class__ is bool or not _is_clean(inner, ref_siblings):
                    return False
        elif look == _TYPE:
            if not (value in TYPES if value.__class__ is str else _is_clean_list(value)):
                return False
        elif look == _SCHEMA:
            if value.__class__ is dict:
                if not _is_clean(value, ref_siblings):
                    return False
            elif value.__class__ is not bool:
                return False
        elif look == _LIST:
            if value.__class__ is list:
                for inner in value:
                    if inner.__class__ is dict and not _is_clean(inner, ref_siblings):
                        return False
        elif look == _BOUND:
            if value.__class__ is str or value.__class__ is bool:
                return False
        elif look == _LEGACY or not (ref_siblings or len(node) == 1):
            return False
    return True


def _is_clean_list(kinds: Json) -> bool:
    return isinstance(kinds, list) and all(
        kind.__class__ is str and kind in TYPES for kind in kinds
    )


class _Rewriter:
    """One rewrite: top-down, node rules first, then into the rewritten node."""

    def __init__(self, draft: Draft) -> None:
        self.draft = draft
        self.log: list[_Record] = []

    def node(self, node: JsonObject, at: _Path) -> JsonObject:
        for code, rule in triggered(node, self.draft):
            for before, after, step in rule(node, self.draft):
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

    def children(self, value: Json, at: _Path, position: Position) -> Json:
        """A schema, or the list or map of schemas that a keyword holds."""
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
                kind = item.get("type")
                if kind.__class__ is str and kind in TYPES and item.keys() <= PLAIN:
                    continue  # a clean leaf, as most are
                done = self.node(item, (*at, step))
                if done is not item:
                    if new is None:
                        new = value.copy()
                    new[step] = done
        return value if new is None else new
