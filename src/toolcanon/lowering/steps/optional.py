"""Optional members become required ones that may be null.

Why: a grammar that knows no optional members wants every one of them written; another wants one
at least in every object, so the first becomes required where none is. Some want the list of
required members even where there are no members.
Tag: EXACT. Null comes back as absent where the original refuses null; where it accepts null, the
value is put under a key of its own so that both can be said, and where null is the declared
default the two are merged, which is NARROWED.
"""

from __future__ import annotations

from typing import Final

from toolcanon.dialect import Dialect
from toolcanon.jsonio.types import Json, JsonObject
from toolcanon.lowering.step import Example, Glance, Op, Site, Step, Trouble
from toolcanon.schema.nulls import NULL, with_null
from toolcanon.schema.references import Place

_VALUE: Final = "value"


def rewrite(node: JsonObject, site: Site) -> JsonObject:
    members = node.get("properties")
    if not members:
        return _spelled_out(node, site)
    stated, is_all = node.get("required"), site.dialect.all_required
    required = set(stated or ())
    optional = [name for name in members if name not in required]
    if not is_all:
        optional = optional[:1] if required.isdisjoint(members) else []
    if not optional:
        return node
    new = members.copy()
    absent: list[str] = []
    merged: list[str] = []
    tagged: list[str] = []
    tell, is_merged = site.log.append, site.origins is not None
    at = site.place("properties") if is_merged else (*site.at, "properties")
    homes = site.known_homes
    for name in optional:
        schema = members[name]
        where = site.member(name) if is_merged else (*at, name)
        kind = schema.get("type") if schema.__class__ is dict else None
        if (kind is not None and "null" not in kind) or not site.takes_null(schema):
            made = new[name] = with_null(schema)
            if homes is not None or "anyOf" in made:
                _settle(made, schema, where, site)
            absent.append(name)
            code = "L223"
        elif schema.__class__ is dict and schema.get("default", ...) is None:
            merged.append(name)
            code = "L225"
        else:
            site.run.follow()
            new[name] = _tagged(schema, site)
            tagged.append(name)
            code = "L224"
        tell((code, None, where, None, "null"))
    kept = {"null": merged} if merged else {}
    if absent or merged:
        site.op("absent", keys=absent, **kept)
    if tagged:
        site.op("options", keys=tagged)
    names = list(members) if is_all else [*(stated or ()), *optional]
    tell(("L223", None, site.place("required"), stated, names))
    out = node.copy()
    out["properties"], out["required"] = new, names
    return out


def _spelled_out(node: JsonObject, site: Site) -> JsonObject:
    """An object without members, with the empty list of required ones where it has to be there."""
    if not site.dialect.empty_required or "required" in node:
        return node
    site.lose("L235", "required", None, [])
    return {**node, "required": []}


def _settle(made: JsonObject, schema: Json, at: Place, site: Site) -> None:
    """Remember where a member stood that takes null now."""
    first = made["anyOf"][0] if "anyOf" in made else schema
    wraps = first is not schema and first is not (schema.get("anyOf") or [None])[0]
    homes = site.run.follow() if wraps else site.known_homes
    if homes is not None:
        homes.succeed(schema, made)
    if homes is not None and wraps:  # what is said of the value is said one level below
        at = homes.places.get(id(schema), at)
        homes.place(first, at, homes.merged.get(id(schema)))


def _tagged(schema: Json, site: Site) -> JsonObject:
    said = schema.get("description") if schema.__class__ is dict else None
    inner: JsonObject = {
        "type": "object",
        "properties": {_VALUE: schema},
        "required": [_VALUE],
    }
    if site.dialect.closed:
        inner["additionalProperties"] = False
    remark = "null: not given; otherwise the value"
    described = f"{said} ({remark})" if said else remark
    return {"anyOf": [inner, NULL.copy()], "description": described}


def apply_absent(value: Json, op: JsonObject, troubles: list[Trouble]) -> Json:
    del troubles
    if value.__class__ is not dict:
        return value
    missing = [key for key in (*op["keys"], *op.get("null", ())) if key not in value]
    return {**value, **dict.fromkeys(missing)} if missing else value


def restore_absent(value: Json, op: JsonObject, troubles: list[Trouble]) -> Json:
    del troubles
    if value.__class__ is not dict:
        return value
    keys = op["keys"]
    return {key: held for key, held in value.items() if held is not None or key not in keys}


def apply_options(value: Json, op: JsonObject, troubles: list[Trouble]) -> Json:
    del troubles
    if value.__class__ is not dict:
        return value
    told = {key: {_VALUE: value[key]} if key in value else None for key in op["keys"]}
    return {**value, **told}


def restore_options(value: Json, op: JsonObject, troubles: list[Trouble]) -> Json:
    if value.__class__ is not dict:
        return value
    out = {}
    for key, held in value.items():
        if key not in op["keys"]:
            out[key] = held
        elif held.__class__ is dict and held.keys() == {_VALUE}:
            out[key] = held[_VALUE]
        elif held is not None:
            troubles.append(Trouble((key,), f"an object with {_VALUE!r}, or null, was expected"))
            out[key] = held
    return out


def glance(dialect: Dialect, keys: frozenset[str]) -> Glance | bool:
    if "required" not in keys:
        return True
    return _has_optional if dialect.all_required or dialect.empty_required else _has_only_optional


def _has_optional(node: JsonObject) -> bool:
    """Cheaper than finding out which: fewer names are required than there are."""
    return len(node["required"]) < len(node["properties"])


def _has_only_optional(node: JsonObject) -> bool:
    return bool(node["properties"].keys().isdisjoint(node["required"]))


STEP = Step(
    id="optional-members",
    codes=("L223", "L224", "L225", "L235"),
    needed=lambda dialect: (
        dialect.all_required or dialect.some_required or dialect.empty_required
    ),
    meets=lambda _dialect, kinds, keys: "object" in kinds and "properties" in keys,
    rewrite=rewrite,
    glance=glance,
    ops=(
        Op(name="absent", apply=apply_absent, restore=restore_absent, needs=(("keys", list),)),
        Op(name="options", apply=apply_options, restore=restore_options, needs=(("keys", list),)),
    ),
    examples=(
        Example(
            before={"type": "object", "properties": {"a": {"type": "string"}}},
            after={"type": "object", "properties": {"a": {"type": ["string", "null"]}},
                   "required": ["a"]},
            args={},
            wire_args={"a": None},
            dialect="all_required=True",
        ),
        Example(
            before={"type": "object", "properties": {"a": {"type": "string"},
                                                     "b": {"type": "string"}}},
            after={"type": "object", "properties": {"a": {"type": ["string", "null"]},
                                                    "b": {"type": "string"}},
                   "required": ["a"]},
            args={"b": "x"},
            wire_args={"b": "x", "a": None},
            dialect="some_required=True",
        ),
        Example(
            before={"type": "object", "properties": {}},
            after={"type": "object", "properties": {}, "required": []},
            args={},
            wire_args={},
            dialect="empty_required=True",
        ),
    ),
)  # fmt: skip
