"""Arguments get other names than the same members have wherever else the root is meant."""

import json

import toolcanon as tc
from tests.tables import table
from toolcanon.conversion.target import all_dialects
from toolcanon.lowering import lower
from toolcanon.schema import upgrade
from toolcanon.schema.validate import judge

DIALECTS = all_dialects()
ROOT = {"$ref": "#"}
HELD = {"properties": {"k": ROOT}}
LIST, TABLE = [{"$x": 2}], {"k": {"$x": 2, "kids": None}}
# Where the root may be meant again, with a value that has a renamed member there.
PLACES = {
    "itself": (ROOT, {"$x": 2}),
    "patternProperties": ({"type": "object", "patternProperties": {"^[a-z]+$": ROOT}}, TABLE),
    "additionalProperties": ({"type": "object", "additionalProperties": ROOT}, TABLE),
    "unevaluatedProperties": ({"type": "object", "unevaluatedProperties": ROOT}, TABLE),
    "items": ({"type": "array", "items": ROOT}, LIST),
    "prefixItems": ({"type": "array", "prefixItems": [ROOT]}, LIST),
    "unevaluatedItems": ({"type": "array", "unevaluatedItems": ROOT}, LIST),
    "contains": ({"type": "array", "contains": ROOT}, LIST),
    "dependentSchemas": ({"type": "object", "dependentSchemas": {"k": HELD}}, TABLE),
    "then": ({"type": "object", "if": {"required": ["k"]}, "then": HELD}, TABLE),
    "else": ({"type": "object", "if": {"required": ["z"]}, "else": HELD}, TABLE),
    "allOf": ({"allOf": [{"type": "object"}, HELD]}, TABLE),
    "anyOf": ({"anyOf": [{"type": "string"}, ROOT]}, {"$x": 2}),
    "oneOf": ({"oneOf": [{"type": "string"}, ROOT]}, {"$x": 2}),
    "a definition": ({"$ref": "#/$defs/held"}, TABLE),
    "beside other keywords": ({**ROOT, "minProperties": 1}, {"$x": 2}),
}
RENAMING = [
    name
    for name, dialect in DIALECTS.items()
    if dialect.members is not None and not dialect.members.allows("$x")
]


def rooted(kids):
    more = {"$defs": {"held": {"type": "object", **HELD}}} if "#/$defs/" in json.dumps(kids) else {}
    members = {"$x": {"type": "integer"}, "kids": {"anyOf": [kids, {"type": "null"}]}}
    return {"type": "object", "properties": members, "required": ["$x"], **more}


@table("place", PLACES)
def test_renamed_members_are_rendered_and_restored_wherever_the_root_is_meant(place):
    kids, value = PLACES[place]
    schema, args = rooted(kids), {"$x": 1, "kids": value}
    assert judge(schema).accepts(args)
    for target in RENAMING:
        lowered = lower(schema, DIALECTS[target])
        wire = lowered.lens.apply(args)
        assert "$x" not in wire, target
        assert judge(upgrade(lowered.schema).schema).accepts(wire), (target, wire)
        assert lowered.lens.restore(wire) == args, target


def test_a_copy_of_the_root_is_beside_its_definitions():
    schema = {**rooted({"items": ROOT}), "$id": "urn:a", "$defs": {"root": {"type": "string"}}}
    done = tc.convert({"name": "f", "inputSchema": schema}, "anthropic")
    written = done.payload["input_schema"]
    copy = written["$defs"]["root_2"]
    assert written["$defs"]["root"] == {"type": "string"}
    assert copy["properties"]["$x"] == written["properties"]["_x"] == {"type": "integer"}
    assert {"$id", "$defs"}.isdisjoint(copy)
    assert [loss.after for loss in done.losses if loss.code == "L203"] == [written["$defs"]]
