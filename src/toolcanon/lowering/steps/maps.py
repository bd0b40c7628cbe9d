"""Free-form maps become lists of key and value.

Why: a target that closes every object cannot say ``dict[str, T]``; others hand maps over empty.
Where an object declares members as well, the others go into one more member, as such a list.
Tag: EXACT. Of repeated keys the last counts, as JSON parsers have it. An object that is merely
declared open beside its own members is closed instead (see ``closed``).
"""

from __future__ import annotations

from typing import Final

from toolcanon.diagnostics import Effect
from toolcanon.dialect import Dialect
from toolcanon.jsonio.types import Json, JsonObject
from toolcanon.lowering.step import Example, Glance, Op, Site, Step, Trouble, without

_GONE: Final = (
    "additionalProperties", "patternProperties", "propertyNames", "minProperties", "maxProperties",
    "properties", "required", "unevaluatedProperties",
)  # fmt: skip
_REST: Final = "additional_properties"
_EVERY: Final = frozenset({"", ".*", "^.*$", ".+", "^.+$"})


def rewrite(node: JsonObject, site: Site) -> JsonObject:
    declared: JsonObject = node.get("properties") or {}
    said = node.get("additionalProperties")
    patterns: JsonObject = node.get("patternProperties") or {}
    if said is False and not patterns:
        return node
    is_open = said is None or said is True or said == {}
    if is_open and not patterns and (declared or node.get("required") or site.is_root):
        return node  # other members are not what it is about: closing is enough
    values = [*patterns.values()]
    if said is not False and not (is_open and patterns):
        values.append({} if is_open else said)
    value = values[0] if len(values) == 1 else {"anyOf": list(values)}
    site.run.follow()
    entry = _entry(_key(node, patterns, said, site), {} if value is True else value, site)
    if declared or node.get("required") or site.is_root:
        undeclared = [name for name in node.get("required") or () if name not in declared]
        if undeclared:  # they are of the others, but must be there: members of their own
            site.lose("L236", "properties", None, undeclared)
            free = is_open and not _EVERY.issuperset(patterns)
            declared = {**declared, **dict.fromkeys(undeclared, {} if free else value)}
        return _beside(node, declared, entry, site)
    out = without(node, *_GONE)
    out["type"] = ["array", "null"] if "null" in (node.get("type") or ()) else "array"
    out["items"] = entry
    for key, written in (("minProperties", "minItems"), ("maxProperties", "maxItems")):
        if node.get(key):
            # A repeated key counts twice in a list.
            loose = written == "minItems" and node[key] > 1
            site.lose("L228", key, node[key], None, Effect.WIDENED if loose else Effect.EXACT)
            out[written] = node[key]
    site.lose("L221", "additionalProperties" if said is not None else None, said, out["type"])
    _tell_patterns(node, site)
    site.op("entries")
    return out


def _beside(node: JsonObject, declared: JsonObject, entry: JsonObject, site: Site) -> JsonObject:
    name = _REST
    while name in declared:
        name += "_"
    rest = {
        "type": "array",
        "items": entry,
        "description": "members beyond those declared, as key and value",
    }
    out = without(node, "additionalProperties", "patternProperties", "propertyNames")
    out["properties"] = {**declared, name: rest}
    site.lose("L221", "additionalProperties", node.get("additionalProperties"), name)
    _tell_patterns(node, site)
    site.op("rest", key=name, known=list(declared))
    return out


def _tell_patterns(node: JsonObject, site: Site) -> None:
    if "patternProperties" in node:
        site.lose("L221", "patternProperties", node["patternProperties"], None)
    if "propertyNames" in node:
        site.lose("L221", "propertyNames", node["propertyNames"], None)


def _key(node: JsonObject, patterns: JsonObject, said: Json, site: Site) -> JsonObject:
    """What keys look like."""
    key: JsonObject = {"type": "string"}
    names = node.get("propertyNames")
    if names.__class__ is dict:
        key = {**without(names, "type"), **key}
    if patterns:
        if len(patterns) == 1 and said is False and "pattern" not in key:
            key["pattern"] = next(iter(patterns))
        elif not all(pattern in _EVERY for pattern in patterns):
            site.lose("L228", "patternProperties", list(patterns), None)
    return key


def _entry(key: JsonObject, value: Json, site: Site) -> JsonObject:
    made: JsonObject = {
        "type": "object",
        "properties": {"key": key, "value": value},
        "required": ["key", "value"],
    }
    return {**made, "additionalProperties": False} if site.dialect.closed else made


def apply_entries(value: Json, op: JsonObject, troubles: list[Trouble]) -> Json:
    del op, troubles
    if value.__class__ is not dict:
        return value
    return [{"key": key, "value": member} for key, member in value.items()]


def restore_entries(value: Json, op: JsonObject, troubles: list[Trouble]) -> Json:
    del op
    if value.__class__ is not list:
        return value
    out: JsonObject = {}
    for index, entry in enumerate(value):
        if entry.__class__ is dict and entry.get("key").__class__ is str and "value" in entry:
            out[entry["key"]] = entry["value"]
        else:
            troubles.append(Trouble((index,), "an entry needs a key, which is text, and a value"))
    return out


def apply_rest(value: Json, op: JsonObject, troubles: list[Trouble]) -> Json:
    if value.__class__ is not dict:
        return value
    known = op["known"]
    own = {name: member for name, member in value.items() if name in known}
    others = {name: member for name, member in value.items() if name not in known}
    return {**own, op["key"]: apply_entries(others, op, troubles)} if others else own


def restore_rest(value: Json, op: JsonObject, troubles: list[Trouble]) -> Json:
    if value.__class__ is not dict or op["key"] not in value:
        return value
    own = without(value, op["key"])
    others = restore_entries(value[op["key"]] or [], op, troubles)
    if others.__class__ is not dict:
        return value
    for name in sorted(others.keys() & op["known"]):
        troubles.append(Trouble((op["key"],), f"{name!r} is a member of its own"))
        del others[name]
    return {**own, **others}


def glance(dialect: Dialect) -> Glance:
    del dialect

    def is_map(node: JsonObject) -> bool:
        return node.get("additionalProperties") is not False or "patternProperties" in node

    return is_map


STEP = Step(
    id="maps",
    codes=("L221", "L228", "L236"),
    needed=lambda dialect: not dialect.maps,
    meets=lambda _dialect, kinds, keys: "object" in kinds
    and kinds <= {"object", "null"}
    and ("properties" not in keys or not keys.isdisjoint(_GONE[:2])),
    rewrite=rewrite,
    glance=glance,
    ops=(
        Op(name="entries", apply=apply_entries, restore=restore_entries),
        Op(
            name="rest",
            apply=apply_rest,
            restore=restore_rest,
            needs=(("key", str), ("known", list)),
        ),
    ),
    examples=(
        Example(
            before={"type": "object", "additionalProperties": {"type": "integer"}},
            after={"type": "array", "items": {
                "type": "object",
                "properties": {"key": {"type": "string"}, "value": {"type": "integer"}},
                "required": ["key", "value"]}},
            args={"a": 1},
            wire_args=[{"key": "a", "value": 1}],
            dialect="maps=False",
        ),
    ),
)  # fmt: skip
