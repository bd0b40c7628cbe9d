"""The lens as a document: put together from the lenses of a schema and its definitions."""

from __future__ import annotations

from collections.abc import Container, Iterator
from typing import Final

from toolcanon.diagnostics import Effect
from toolcanon.dialect import Dialect
from toolcanon.jsonio.types import Json, JsonObject
from toolcanon.lowering.path import Place
from toolcanon.schema.references import has_references
from toolcanon.schema.sound import turned, worth

_BELOW: Final = frozenset({"items", "additionalProperties"})
_NOTHING: Final[JsonObject] = {}


def assembled(
    lens: JsonObject | None,
    lenses: dict[str, JsonObject | None],
    written: JsonObject,
    own: JsonObject,
    settled: set[str],
) -> JsonObject | None:
    """The lens document, without what turned out to change nothing.

    Of those ``settled`` it is known that all of them do something, and refer to nothing else.
    """
    if lens is None:
        return None
    named = {"#": lens, **{name: found for name, found in lenses.items() if found}}
    live = {name for name, found in named.items() if name in settled or _operates(found)}
    grew = True
    while grew:
        more = {name for name, found in named.items() if name not in live and _leads(found, live)}
        live |= more
        grew = bool(more)
    root = _pruned(lens, live)
    if root is None:
        return None
    document: JsonObject = {"version": 1, "root": root}
    defs: JsonObject = {}
    for name in sorted(live - {"#"}):
        if kept := named[name] if name in settled else _pruned(named[name], live):
            defs[name] = kept
    if defs:
        document["defs"] = defs
    return with_guarded(document, written, own, settled)


def with_guarded(
    document: JsonObject, written: JsonObject, own: JsonObject, settled: Container[str] = ()
) -> JsonObject:
    """The document with the definitions that guards of branches refer to."""
    if (own or written) and _guards(document, settled):
        for side, held in (("own", own), ("wire", written)):
            if held:
                document[side] = held
    return document


def is_settled(lens: JsonObject | None) -> bool:
    """Whether a lens that leads only to itself does something, without definitions of others."""
    return lens is not None and _operates(lens) and not _guards({"root": lens}, ())


def _operates(lens: Json) -> bool:
    return any("ops" in node for node in nodes(lens))


def _leads(lens: Json, live: set[str]) -> bool:
    return any(node.get("$ref") in live for node in nodes(lens))


def nodes(lens: JsonObject) -> Iterator[JsonObject]:
    """All nodes of a lens, one by one; guards are not looked into."""
    open_ = [lens]
    while open_:
        node = open_.pop()
        yield node
        for key, value in node.items():
            if key == "properties":
                open_ += value.values()
            elif key in _BELOW:
                open_.append(value)
            elif key == "prefixItems":
                open_ += [item for item in value if item]
            elif key == "anyOf":
                open_ += [branch["lens"] for branch in value if branch.get("lens")]


def _guards(document: JsonObject, settled: Container[str]) -> bool:
    """Whether guards of branches hold references."""
    defs = document.get("defs", _NOTHING)
    for lens in (document["root"], *(defs[name] for name in defs if name not in settled)):
        for node in nodes(lens):
            for branch in node.get("anyOf", ()):
                for side in ("own", "wire"):
                    if has_references(branch.get(side, _NOTHING).get("schema")):
                        return True
    return False


def _pruned_branch(branch: JsonObject, live: set[str]) -> JsonObject:
    lens = _pruned(branch.get("lens") or {}, live)
    guards: JsonObject = {side: branch[side] for side in ("own", "wire") if side in branch}
    return {**guards, "lens": lens} if lens else guards


def apart(lens: JsonObject, node: JsonObject) -> JsonObject:
    """The lens of a node; what is declared by itself does not go the way of the others."""
    if "additionalProperties" in lens and (declared := node.get("properties")):
        lens["properties"] = {**{name: {} for name in declared}, **lens.get("properties", {})}
    if "items" in lens and "prefixItems" in node:
        lens.setdefault("prefixItems", [None] * len(node["prefixItems"]))
    return lens


def _pruned(lens: JsonObject, live: set[str]) -> JsonObject | None:
    """The lens without nodes that do nothing, but for those that keep others away."""
    out: JsonObject = {}
    others = {key: _pruned(lens[key], live) for key in _BELOW if key in lens}
    for key, value in lens.items():
        kept: Json = value
        if key == "$ref":
            kept = value if value in live else None
        elif key == "properties":
            kept = {name: _pruned(item, live) or {} for name, item in value.items()}
            if not others.get("additionalProperties"):
                kept = {name: item for name, item in kept.items() if item}
        elif key in others:
            kept = others[key]
        elif key == "prefixItems":
            kept = [_pruned(item, live) if item else None for item in value]
            kept = kept if any(kept) or others.get("items") else None
        elif key == "anyOf":
            kept = [_pruned_branch(branch, live) for branch in value]
            kept = kept if any("lens" in branch for branch in kept) else None
        if kept:
            out[key] = kept
    return out or None


def unread(place: Place, value: Json, dialect: Dialect) -> Effect:
    """What it means that a keyword could not be read.

    Members that nobody can read are members nobody can say, where objects are closed.
    """
    closes = dialect.closed or dialect.closed_unless_said or not dialect.maps
    unsaid = closes and place[-1] == "properties" and value
    return turned(Effect.NARROWED, place) if unsaid else worth(place, value)
