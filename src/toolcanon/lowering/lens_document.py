"""The lens as a document: put together from the lenses of a schema and its definitions."""

from __future__ import annotations

from collections.abc import Container, Iterator
from typing import Final

from toolcanon.diagnostics import Effect
from toolcanon.dialect import Dialect
from toolcanon.jsonio import copy_json
from toolcanon.jsonio.types import Json, JsonObject
from toolcanon.schema.malformed import turned, worth
from toolcanon.schema.references import Place, has_references, subschemas

_BELOW: Final = frozenset({"items", "additionalProperties"})
_NOTHING: Final[JsonObject] = {}


def assembled(
    lens: JsonObject | None,
    lenses: dict[str, JsonObject | None],
    settled: set[str],
) -> JsonObject | None:
    """Return the lens document, without what turned out to change nothing.

    Of those ``settled`` it is known that all of them do something, and refer to nothing else.
    """
    if lens is None:
        return None
    named = {"#": lens, **{name: found for name, found in lenses.items() if found}}
    leads: dict[str, set[str]] = {}
    live: set[str] = set()
    for name, found in named.items():
        inner = () if name in settled else nodes(found)
        leads[name] = {node["$ref"] for node in inner if "$ref" in node}
        if not inner or any("ops" in node for node in inner):
            live.add(name)
    grew = len(live) < len(named)
    while grew:
        more = {name for name in named if name not in live and not live.isdisjoint(leads[name])}
        live |= more
        grew = bool(more)
    # All of a lens does something, unless it leads to what does nothing.
    kept = {name: x if leads[name] <= live else _pruned(x, live) for name, x in named.items()}
    if "#" not in live or not kept["#"]:
        return None
    document: JsonObject = {"version": 1, "root": kept["#"]}
    if defs := {name: kept[name] for name in sorted(live - {"#"}) if kept[name]}:
        document["defs"] = defs
    return document


def with_guarded(
    document: JsonObject,
    written: JsonObject,
    own: JsonObject,
    whole: JsonObject,
    settled: Container[str],
) -> JsonObject:
    """Return the document with the definitions that guards of branches refer to."""
    guards = list(_guards(document, settled))
    if not guards:
        return document
    wire = [branch["wire"] for branch in guards if "schema" in branch.get("wire", _NOTHING)]
    if any(_means_root(part) for part in (*written.values(), *(side["schema"] for side in wire))):
        name = "root"
        while name in written:
            name += "_"
        ref = f"#/$defs/{name}"
        for side in wire:
            side["schema"] = _relinked(side["schema"], ref)
        root = {key: value for key, value in whole.items() if key not in {"$defs", "$id"}}
        written = {key: _relinked(value, ref) for key, value in {**written, name: root}.items()}
    for side, held in (("own", own), ("wire", written)):
        if held:
            document[side] = copy_json(held)
    return document


def _means_root(schema: Json) -> bool:
    """Return whether a reference leads to the root: of a guard by itself that is another."""
    if schema.__class__ is not dict:
        return False
    return schema.get("$ref") == "#" or any(_means_root(below) for _, below in subschemas(schema))


def _relinked(schema: Json, ref: str) -> Json:
    """Return the schema with references to the root led elsewhere."""
    if schema.__class__ is not dict:
        return schema
    out = {**schema, "$ref": ref} if schema.get("$ref") == "#" else dict(schema)
    for (key, *rest), below in subschemas(schema):
        if not rest:
            out[key] = _relinked(below, ref)
        else:
            out[key] = out[key] if out[key] is not schema[key] else schema[key].copy()
            out[key][rest[0]] = _relinked(below, ref)
    return out


def is_settled(lens: JsonObject | None) -> bool:
    """Return whether a lens that refers only to itself changes anything."""
    if lens is None or not any("ops" in node for node in nodes(lens)):
        return False
    return not any(_guards({"root": lens}, ()))


def nodes(lens: JsonObject) -> list[JsonObject]:
    """Return all nodes of a lens; guards are not looked into."""
    found = [lens]
    for node in found:  # which grows meanwhile
        for key, value in node.items():
            if key == "properties":
                found += value.values()
            elif key in _BELOW:
                found.append(value)
            elif key == "prefixItems":
                found += [item for item in value if item]
            elif key == "anyOf":
                found += [branch["lens"] for branch in value if branch.get("lens")]
    return found


def _guards(document: JsonObject, settled: Container[str]) -> Iterator[JsonObject]:
    """Yield the branches, if any of their guards holds references."""
    defs = document.get("defs", _NOTHING)
    found: list[JsonObject] = []
    for lens in (document["root"], *(defs[name] for name in defs if name not in settled)):
        found += [branch for node in nodes(lens) if "anyOf" in node for branch in node["anyOf"]]
    for branch in found:
        for side in ("own", "wire"):
            if "schema" in branch.get(side, _NOTHING) and has_references(branch[side]["schema"]):
                yield from found
                return


def _pruned_branch(branch: JsonObject, live: set[str]) -> JsonObject:
    lens = _pruned(branch.get("lens") or {}, live)
    guards: JsonObject = {side: branch[side] for side in ("own", "wire") if side in branch}
    return {**guards, "lens": lens} if lens else guards


def apart(lens: JsonObject, node: JsonObject) -> JsonObject:
    """Return the lens of a node; what is declared by itself does not go the way of the others."""
    if "additionalProperties" in lens and (declared := node.get("properties")):
        lens["properties"] = {**{name: {} for name in declared}, **lens.get("properties", {})}
    if "items" in lens and "prefixItems" in node:
        lens.setdefault("prefixItems", [None] * len(node["prefixItems"]))
    return lens


def _pruned(lens: JsonObject, live: set[str]) -> JsonObject | None:
    """Return the lens without nodes that do nothing, but for those that keep others away."""
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
    """Return the effect of a keyword that could not be read.

    Where objects are closed, members that cannot be read cannot be sent either.
    """
    closes = dialect.closed or dialect.closed_unless_said or not dialect.maps
    unsaid = closes and place[-1] == "properties" and value
    return turned(Effect.NARROWED, place) if unsaid else worth(place, value)
