"""Free-form maps become lists of key and value.

Why: a target that closes every object cannot express ``dict[str, T]``; others return maps empty.
Where an object declares members as well, the others go into one more member, as such a list.
Tag: EXACT. Of repeated keys the last counts, as in JSON parsers. An object that only allows others
beside its own members is closed instead (see ``closed``); one that declares none is a map, unless
it is the root and does not mention other members. A declared member that is sent among the others
is taken from there, unless its own place has it as well.
WIDENED where such a member need not follow its declaration, where patterns of keys require
different values, and by rules on the number of members.
"""

from __future__ import annotations

from typing import Final

from toolcanon.diagnostics import Effect
from toolcanon.dialect import Dialect
from toolcanon.jsonio.types import Json, JsonObject
from toolcanon.lowering.notes import with_notes
from toolcanon.lowering.source_map import Origins, SourcePlace
from toolcanon.lowering.step import Glance, Op, Step, StepExample, StepNode, Trouble, without
from toolcanon.lowering.unions import is_anything
from toolcanon.schema.algebra.conjunction import conjoin
from toolcanon.schema.keywords import ANNOTATIONS, APPLIES
from toolcanon.schema.validate import judge
from toolcanon.schema.values import same

_OTHERS: Final = "additionalProperties"
_UNEVALUATED: Final = "unevaluatedProperties"
_GONE: Final = (
    _OTHERS, "patternProperties", _UNEVALUATED, "propertyNames", "minProperties", "maxProperties",
    "properties", "required",
)  # fmt: skip
_LISTED: Final = ("enum", "const")  # whole values, which stay as they are
_COMPOSED: Final = frozenset(("allOf", "anyOf", "oneOf", "$ref", "if", "dependentSchemas"))
_SIZES: Final = (("minProperties", "minItems"), ("maxProperties", "maxItems"))
_MEMBERS: Final = frozenset({"object"})
_REST: Final = "additional_properties"
_FEW: Final = 32  # members of which it is proved that they may be given among others
EVERY: Final = frozenset({"", ".*", "^.*$", ".+", "^.+$"})
_MOST_PATTERNS: Final = 64
_MOST_LOOKS: Final = 4_096  # at names, whether a pattern matches them


def rewrite(node: JsonObject, site: StepNode) -> JsonObject:
    declared: JsonObject = node.get("properties") or {}
    says_none = not declared and "properties" in node and node.keys().isdisjoint(_GONE[:3])
    if says_none and (not site.at or not node.keys().isdisjoint(_COMPOSED)):
        return node  # it takes nothing, or others declare its members
    # Other steps put what evaluates members into the node, so both keywords mean the same here.
    about = _OTHERS if _OTHERS in node else _UNEVALUATED
    said = node.get(about)
    patterns: JsonObject = node.get("patternProperties") or {}
    others = None if said is True or said == {} else said
    beside = bool(declared or node.get("required") or site.is_root)
    # Where other members are not what it is about, closing is enough.
    is_about_others = said is not None and not (declared or node.get("required"))
    is_about_others = is_about_others and node.keys().isdisjoint(_COMPOSED)
    closed = others is False or (others is None and beside and not is_about_others)
    if closed and not patterns:
        return node
    site.run.follow()
    if beside:
        declared = declared_members(node, declared, patterns, others, site)
    if closed and all(schema is False for schema in patterns.values()):
        out = without(node, "patternProperties")
        if declared:
            out["properties"] = declared
    else:
        values = values_of(patterns, others, site)
        value = either(values)
        if values:
            site.merge(value, values)
        names = _key(node, patterns, others, values, site)
        entry = _entry(node, names, value, site)
        effect = Effect.EXACT
        if beside:
            effect = _mixing(names, value, without(declared, *(node.get("required") or ())))
            out, written = _beside(node, declared, entry, site)
        else:
            out, written = _alone(node, entry, site)
        # Others are allowed, but those that do not fit the patterns cannot be sent.
        partly = said is not None and others is None and value != {} and EVERY.isdisjoint(patterns)
        place = about if said is not None else _OTHERS if beside else None
        effect = effect | Effect.NARROWED if partly else effect
        site.lose("L221", place, said, written, effect)
    for key in ("patternProperties", "propertyNames"):
        if key in node and key not in out:
            site.lose("L221", key, node[key], None)
    return out


def _alone(node: JsonObject, entry: JsonObject, site: StepNode) -> tuple[JsonObject, Json]:
    """Return a list instead of a map, and its type."""
    rules = [key for key in node if APPLIES.get(key) == _MEMBERS and key not in _GONE]
    out = _without_rules(without(node, *_GONE), rules, site)
    out["type"] = ["array", "null"] if "null" in (node.get("type") or ()) else "array"
    out["items"] = entry
    for key, written in _SIZES:
        if key in node:
            # A repeated key counts twice in a list.
            loose = written == "minItems" and node[key] > 1
            site.lose("L228", key, node[key], None, Effect.WIDENED if loose else Effect.EXACT)
            if node[key] or written == "maxItems":
                out[written] = node[key]
                site.rename(node, key, written)
    for key in ("properties", "required"):
        if key in node:
            site.lose("L221", key, node[key], None)
    site.op("entries")
    return out, out["type"]


def _beside(
    node: JsonObject, declared: JsonObject, entry: JsonObject, site: StepNode
) -> tuple[JsonObject, str]:
    """Return one more member, for those that are not declared, and its name."""
    name = _REST
    while name in declared:
        name += "_"
    rest = {
        "type": "array",
        "items": entry,
        "description": "members beyond those declared, as key and value",
    }
    site.make(rest, node, _source(node))
    sizes = [key for key, _ in _SIZES if key in node]  # they counted the others one by one
    out = without(node, *_GONE[:4])
    out = _without_rules(out, sizes, site)
    out["properties"] = {**declared, name: rest}
    site.op("rest", key=name, known=list(declared))
    return out, name


def _mixing(key: JsonObject, value: Json, optional: JsonObject) -> Effect:
    """Return whether a declared member may only come among the others, and differ there."""
    differing = {name: schema for name, schema in optional.items() if not is_anything(schema)}
    if differing and key.keys() - ANNOTATIONS != {"type"}:
        rule = judge(key)
        differing = {
            name: schema for name, schema in differing.items() if rule.accepts(name) is not False
        }
    fits = len(differing) <= _FEW and all(_fits(value, schema) for schema in differing.values())
    return Effect.EXACT if fits else Effect.WIDENED


def _fits(value: Json, declared: Json) -> bool:
    """Return whether every value of one schema is proved valid for the other."""
    from toolcanon.schema.algebra.containment import contained  # noqa: PLC0415 - hardly ever asked

    return same(value, declared) or contained(value, declared).answer == "yes"


def _without_rules(node: JsonObject, rules: list[str], site: StepNode) -> JsonObject:
    """Return a copy of our schema without rules for members that are no longer siblings."""
    if not rules:
        return node
    remarks = []
    sure = len({*(node.get("required") or ())})
    for key in rules:
        value = node[key]
        idle = value <= sure if key == "minProperties" else value == {}
        site.lose("L228", key, value, None, Effect.EXACT if idle else None)
        if not idle:
            remarks.append(site.note(key, value))
    return with_notes(without(node, *rules), remarks)


def values_of(patterns: JsonObject, others: Json, site: StepNode) -> list[Json]:
    """Return the schemas of values for any key; empty where there are none."""
    every = [schema for pattern, schema in patterns.items() if pattern in EVERY]
    some = [schema for pattern, schema in patterns.items() if pattern not in EVERY]
    if every:  # every key meets these, and none is left for the others
        whole = _together(every, site)
        some = [*(_together([whole, schema], site) for schema in some), whole]
    elif others is not None and others is not False:
        some.append(others)
    found: list[Json] = []
    for schema in some:
        if schema is not False and not any(same(schema, known) for known in found):
            found.append(schema)
    return found


def either(values: list[Json]) -> Json:
    if len(values) > 1:
        return {"anyOf": list(values)}
    return {} if not values or values[0] is True else values[0]


def _together(schemas: list[Json], site: StepNode) -> Json:
    """Return the conjunction of schemas, including those of patterns, for one value."""
    asking = [schema for schema in schemas if schema is not True and schema != {}]
    if any(schema is False for schema in asking):
        return False
    if len(asking) <= 1:
        return asking[0] if asking else {}
    found = conjoin(asking)
    site.merge(found.schema, asking)
    site.leave_out("L228", found.residue, asking, site.place("patternProperties"))
    return site.extend(found.schema, asking).schema if found.residue else found.schema


def declared_members(
    node: JsonObject, declared: JsonObject, patterns: JsonObject, others: Json, site: StepNode
) -> JsonObject:
    """Return the members that have a place of their own, with what patterns say of them."""
    undeclared = [name for name in node.get("required") or () if name not in declared]
    names = dict.fromkeys([*declared, *undeclared])
    met = _met(names, patterns)
    if met is None:
        site.lose("L228", "patternProperties", list(patterns), None)
        met = {name: [] for name in names}
    if undeclared:  # they are of the others, but must be there: members of their own
        site.lose("L236", "properties", None, undeclared)
    if "propertyNames" in node:
        rule = judge(node["propertyNames"])
        if any(rule.accepts(name) is False for name in names):
            site.lose("L228", "propertyNames", node["propertyNames"], None)
    out: JsonObject = {}
    for name in names:
        own = declared.get(name, True if met[name] or others is None else others)
        if not met[name] or own is False:
            out[name] = own
            if name not in declared and own is True:
                out[name] = site.make({}, node, "required")
            continue
        if False in met[name]:
            out[name] = False
            continue
        out[name] = _together([own, *met[name]], site)
    return out


def _met(names: dict[str, None], patterns: JsonObject) -> dict[str, list[Json]] | None:
    """Return the schemas of patterns for each of these members; None where that is unknown."""
    if len(patterns) > _MOST_PATTERNS or len(patterns) * len(names) > _MOST_LOOKS:
        return None
    found: dict[str, list[Json]] = {name: [] for name in names}
    for pattern, schema in patterns.items():
        rule = judge({"pattern": pattern})
        for name in names:
            fits = None if rule.skipped else rule.accepts(name)
            if fits is None:
                return None
            if fits:
                found[name].append(schema)
    return found


def _key(
    node: JsonObject, patterns: JsonObject, others: Json, values: list[Json], site: StepNode
) -> JsonObject:
    """Return the schema of keys."""
    key: JsonObject = {"type": "string"}
    names = node.get("propertyNames")
    known: Origins = {}
    if names.__class__ is dict:
        key = {**without(names, "type"), **key}
        known = {**site.run.follow().of(names)}
    elif names is False:
        key["not"] = {}
    if len(patterns) == 1 and others is False and "pattern" not in key:
        ((pattern, schema),) = patterns.items()
        key["pattern"] = pattern
        known["pattern"] = [SourcePlace(site.member(pattern, "patternProperties"), schema)]
    elif EVERY.issuperset(patterns):
        pass
    elif len(patterns) == 1 and others is None and values:  # no key is refused
        key = with_notes(key, [f"pattern: {next(iter(patterns))}"])
    elif len(values) > 1 or others is False or False in patterns.values():
        site.lose("L228", "patternProperties", list(patterns), None)
    source = "propertyNames" if "propertyNames" in node else _source(node)
    return site.make(key, node, source, known)


def _entry(node: JsonObject, key: JsonObject, value: Json, site: StepNode) -> JsonObject:
    made: JsonObject = {
        "type": "object",
        "properties": {"key": key, "value": value},
        "required": ["key", "value"],
    }
    if site.dialect.closed:
        made["additionalProperties"] = False
    if value == {}:
        site.make(value, node, _source(node))
    return site.make(made, node, _source(node))


def _source(node: JsonObject) -> str | None:
    """Return the keyword of a map that has the schema of its values; None for an object."""
    return next((key for key in _GONE[:3] if key in node), None)


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
    places: dict[str, int] = {}
    for index, entry in enumerate(value):
        if entry.__class__ is dict and entry.get("key").__class__ is str and "value" in entry:
            key = entry["key"]
            if key in out and not same(out[key], entry["value"]):
                says = f"the key {key!r} occurs again with another value"
                troubles.append(Trouble((places[key],), says, repair="R129"))
            out[key], places[key] = entry["value"], index
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
    troubles += [
        Trouble((name,), "it was given among the others as well, and there otherwise")
        for name in sorted(others.keys() & own)
        if not same(others[name], own[name])
    ]
    return {**own, **others, **own}


def glance(dialect: Dialect, keys: frozenset[str]) -> Glance | bool:
    del dialect
    if keys.isdisjoint(_GONE[:3]):
        return _has_no_members if "properties" in keys else True
    return "patternProperties" in keys or _OTHERS not in keys or _is_open


def _has_no_members(node: JsonObject) -> bool:
    return not node["properties"]


def _is_open(node: JsonObject) -> bool:
    return node[_OTHERS] is not False


STEP = Step(
    id="maps",
    codes=("L221", "L228", "L236"),
    needed=lambda dialect: not dialect.maps,
    meets=lambda _dialect, kinds, keys: "object" in kinds
    and kinds <= {"object", "null"}
    and keys.isdisjoint(_LISTED),
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
        StepExample(
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
