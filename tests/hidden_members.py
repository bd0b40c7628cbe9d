"""Schemas that declare members wherever a schema may do so, for the laws of lowering.

A name stands for one kind of value, so that what two places say of a member can hold together:
otherwise a member could be lost rightly.
"""

import json

from hypothesis import strategies as st

TEXT, NUMBER = {"type": "string"}, {"type": "integer"}
SCALARS, OBJECTS, LIST, UNION = ["kind", "$x", "x y", "value", "title"], ["a", "b"], "c", "u"
names = st.sampled_from([*SCALARS, *OBJECTS, LIST, UNION])
leaves = st.sampled_from(
    [
        TEXT,
        NUMBER,
        {"type": ["string", "null"]},
        {"type": "string", "minLength": 1, "title": "T"},
        {"type": "integer", "minimum": 0, "maximum": 3, "description": "d"},
        {"enum": ["p", "q"]},
        {"const": "p"},
        {"type": "boolean", "default": False},
    ]
)
references = st.sampled_from(["#", "#/$defs/pair", "#/$defs/node"]).map(lambda ref: {"$ref": ref})
DEFS = {
    "pair": {"type": "object", "properties": {"p1": TEXT, "$p2": NUMBER}, "required": ["p1"]},
    "node": {
        "type": "object",
        "properties": {"label": TEXT, "next": {"$ref": "#/$defs/node"}},
    },
    "bag": {"type": "object", "patternProperties": {"^[a-z]+$": {"$ref": "#/$defs/pair"}}},
    "either": {"anyOf": [{"$ref": "#/$defs/pair"}, {"type": "array", "items": TEXT}]},
}


def merged(*strategies):
    return st.tuples(*strategies).map(
        lambda found: {key: value for part in found for key, value in part.items()}
    )


def members(inner):
    tables = merged(
        st.dictionaries(st.sampled_from(SCALARS), leaves, max_size=2),
        st.dictionaries(st.sampled_from(OBJECTS), inner, max_size=1),
        st.dictionaries(st.just(LIST), lists(inner), max_size=1),
        st.dictionaries(st.just(UNION), unions(inner), max_size=1),
    )
    return tables.filter(bool)


def objects(inner):
    def made(table, required):
        needed = [name for name in table if name in required]
        return {"type": "object", "properties": table} | ({"required": needed} if needed else {})

    return st.builds(made, members(inner), st.sets(names, max_size=2))


def parts(inner):
    """The schema of a condition, a conjunction or a branch, often without a type."""
    bare = members(inner).map(lambda table: {"properties": table})
    needing = names.map(lambda name: {"required": [name]})
    chosen = st.sampled_from(["p", "q"]).map(lambda v: {"properties": {"kind": {"const": v}}})
    return st.one_of(bare, bare, objects(inner), chosen, needing, references)


def switches(part):
    """Branches distinguished by the value of a member, now and then by the same value."""
    cases = st.lists(st.tuples(st.sampled_from(["p", "q", "r"]), part), min_size=2, max_size=3)
    return cases.map(
        lambda cases: [
            {**case, "properties": {**case.get("properties", {}), "kind": {"const": value}}}
            for value, case in cases
        ]
    )


def beside(inner):
    """Keywords beside the members of an object that speak of members as well."""
    part = parts(inner)
    conditions = st.fixed_dictionaries({"if": part, "then": part}, optional={"else": part})
    branches = st.lists(st.one_of(part, conditions), min_size=1, max_size=3) | switches(part)
    choices = st.tuples(st.sampled_from(["anyOf", "oneOf"]), branches)
    patterns = st.sampled_from(["^[p-r]$", "^s_"])
    others = st.sampled_from(["unevaluatedProperties", "additionalProperties"])
    return st.one_of(
        conditions,
        choices.map(lambda said: {said[0]: said[1]}),
        choices.map(lambda said: {said[0]: said[1]}),
        st.dictionaries(names, part, min_size=1, max_size=2).map(lambda t: {"dependentSchemas": t}),
        st.lists(st.one_of(part, conditions), min_size=1, max_size=2).map(lambda p: {"allOf": p}),
        st.tuples(patterns, inner).map(lambda said: {"patternProperties": {said[0]: said[1]}}),
        st.tuples(others, st.booleans()).map(lambda said: {said[0]: said[1]}),
        references,
        st.just({}),
    )


def whole(inner):
    def made(node, tables):
        out = {**node, **{key: value for table in tables for key, value in table.items()}}
        if "additionalProperties" in out:
            out.pop("unevaluatedProperties", None)  # it would be idle
        return out

    return st.builds(made, objects(inner), st.lists(beside(inner), max_size=2))


def maps(inner):
    key = st.sampled_from(["additionalProperties", "patternProperties", "unevaluatedProperties"])
    return st.tuples(key, inner).map(
        lambda said: {
            "type": "object",
            said[0]: {"^[a-z_]+$": said[1]} if said[0] == "patternProperties" else said[1],
        }
    )


def lists(inner):
    rest = st.sampled_from(["items", "items", "unevaluatedItems"])
    some = {"contains": inner, "prefixItems": st.lists(inner, min_size=1, max_size=2)}
    return merged(
        st.fixed_dictionaries({"type": st.just("array")}, optional=some),
        st.tuples(rest, inner).map(lambda said: {said[0]: said[1]}),
    )


def unions(inner):
    """Objects, lists and maps of them, whose branches may look alike on the wire."""
    led = st.sampled_from(["#/$defs/bag", "#/$defs/either"]).map(lambda ref: {"$ref": ref})
    branch = st.one_of(inner, lists(inner), maps(inner), leaves, led)
    return st.tuples(
        st.sampled_from(["anyOf", "anyOf", "oneOf"]), st.lists(branch, min_size=2, max_size=3)
    ).map(lambda said: {said[0]: said[1]})


shapes = st.recursive(references, whole, max_leaves=4)


def with_definitions(schema):
    return {**schema, "$defs": DEFS} if "#/$defs/" in json.dumps(schema) else schema


def of_draft(schema, draft):
    return {"$schema": f"http://json-schema.org/{draft}/schema#", **schema} if draft else schema


drafts = st.sampled_from([None, None, None, "draft-07"])
roots = st.builds(of_draft, whole(shapes).map(with_definitions), drafts)


def having(**table):
    return {"properties": table}


KIND = {"type": "object", **having(kind={"enum": ["p", "q"]}), "required": ["kind"]}
FIRST, SECOND = having(kind={"const": "p"}), having(kind={"const": "q"})
ONE, TWO = (
    {"type": "array", "items": {"type": "object", **having(**table)}}
    for table in ({"title": TEXT}, {"title": TEXT, "value": NUMBER})
)
KNOWN = {
    "members of conditions in branches": {
        **KIND,
        "oneOf": [{"if": FIRST, "then": having(kind=True, title=TEXT), "else": False},
                  {"if": SECOND, "then": having(kind=True, value=NUMBER), "else": False}],
    },
    "members beside a reference of draft 07": {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "type": "object",
        **having(a={"$ref": "#/definitions/pair", **having(title=TEXT)}),
        "definitions": {"pair": DEFS["pair"]},
    },
    "branches that differ below": {"type": "object", **having(u={"anyOf": [ONE, TWO]})},
    "branches behind references": {
        "type": "object",
        **having(u={"anyOf": [{"$ref": "#/$defs/one"}, {"$ref": "#/$defs/two"}]}),
        "$defs": {"one": ONE, "two": TWO},
    },
    "a renamed root below patterns": {
        "type": "object",
        **having(**{"$x": NUMBER}, a={"patternProperties": {"^[a-z]+$": {"$ref": "#"}}}),
    },
    "a discriminator that is required": {
        **KIND, **having(**KIND["properties"], title=TEXT),
        "oneOf": [{**FIRST, "required": ["title"]}, SECOND]},
}  # fmt: skip
"""What once refuted a law: each is tried before any other schema."""
