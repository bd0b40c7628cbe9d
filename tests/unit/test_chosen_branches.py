"""Arguments are rendered as the branch of a union that takes them on the wire."""

import json

import pytest

import toolcanon as tc
from tests.lens_laws import closed, closes
from tests.tables import table
from toolcanon.conversion.target import all_dialects
from toolcanon.lowering import lower
from toolcanon.schema import upgrade
from toolcanon.schema.validate import judge

DIALECTS = all_dialects()
CLOSING = [name for name, one in DIALECTS.items() if one.closed or not one.maps]
TEXT, NUMBER = {"type": "string"}, {"type": "integer"}


def objects(**members):
    return {"type": "object", "properties": members}


def ref(name):
    return {"$ref": f"#/$defs/{name}"}


ONE, TWO = objects(name=TEXT), objects(name=TEXT, value=NUMBER)
HELD = {"name": "x", "value": 1}
BOTH = {
    "lists": (lambda one: {"type": "array", "items": one}, [HELD]),
    "lists of lists": (lambda one: {"items": {"type": "array", "items": one}}, [[HELD]]),
    "maps": (lambda one: {"type": "object", "additionalProperties": one}, {"k": HELD}),
    "patterns": (lambda one: {"type": "object", "patternProperties": {"^k": one}}, {"k": HELD}),
    "tuples": (lambda one: {"type": "array", "prefixItems": [one, TEXT]}, [HELD, "t"]),
    "members": (lambda one: objects(inner=one), {"inner": HELD}),
    "objects": (lambda one: one, HELD),
    "open objects": (lambda one: {**one, "additionalProperties": True}, HELD),
    "unions": (lambda one: {"type": "array", "items": {"anyOf": [one, NUMBER]}}, [HELD]),
    "conjunctions": (lambda one: {"type": "array", "items": {"allOf": [one]}}, [HELD]),
    "parts": (lambda one: objects(p={"allOf": [one, objects(q=TEXT)]}), {"p": {**HELD, "q": ""}}),
    "then": (lambda one: objects(p={**objects(q=TEXT), "if": {}, "then": one}), {"p": HELD}),
}


@table("how", ["written out", "references", "references below"])
@table("kind", BOTH)
def test_render_chooses_a_branch_that_takes_the_value_on_the_wire(kind, how):
    around, value = BOTH[kind]
    branches = [around(ONE), around(TWO)]
    defs = {}
    if how == "references":
        defs = dict(zip("AB", branches, strict=True))
        branches = [ref("A"), ref("B")]
    elif how == "references below":
        defs, branches = {"one": ONE, "two": TWO}, [around(ref("one")), around(ref("two"))]
    schema = {**objects(m={"anyOf": branches}), "required": ["m"], "$defs": defs}
    for target in CLOSING:
        dialect = DIALECTS[target]
        lowered = lower(schema, dialect)
        written = upgrade(lowered.schema).schema
        wire = lowered.lens.apply({"m": value}) if lowered.lens else {"m": value}
        accepts = judge(closed(written) if closes(dialect) else written).accepts
        assert accepts(wire), (target, wire)
        assert lowered.lens is None or lowered.lens.restore(wire) == {"m": value}, target


def test_a_value_with_other_members_goes_to_the_branch_that_it_is_meant_for():
    def listed(kind, **members):
        one = {**objects(kind={"const": kind}, **members), "required": ["kind"]}
        return {"type": "array", "items": one}

    table = {"type": "object", "additionalProperties": NUMBER}
    inputs = objects(m={"anyOf": [listed("a", name=TEXT), listed("b", table=table)]})
    binding = tc.bind(tc.CanonicalTool(name="f", inputs=inputs), "openai", strict=True)
    again = tc.Binding.from_receipt(json.loads(json.dumps(binding.receipt())))
    value = {"m": [{"kind": "b", "table": {"t": 1}, "other": 1}]}
    assert '[{"key": "t", "value": 1}]' in json.dumps(binding.render("f", value))
    assert binding.render("f", value) == again.render("f", value)


@pytest.mark.parametrize("around", [lambda one: one, lambda one: objects(deep=one)])
def test_branches_that_lead_back_to_the_root_are_distinguished_on_restore(around):
    """A reference to the root means the whole schema, not the branch that holds it."""
    one, two = objects(b=TEXT), objects(u=around({"$ref": "#"}))
    schema = objects(c={"type": "array", "items": {"anyOf": [one, two]}})
    inner = {"c": [{}]}
    args = {"c": [{}, {"u": inner if around(NUMBER) == NUMBER else {"deep": inner}}]}
    for target in CLOSING:
        lowered = lower(schema, DIALECTS[target])
        wire = lowered.lens.apply(args) if lowered.lens else args
        assert judge(upgrade(lowered.schema).schema).accepts(wire), (target, wire)
        assert lowered.lens is None or lowered.lens.restore(wire) == args, target
