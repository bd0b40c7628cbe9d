"""Every step does what its examples say, and reports the codes it declares and no others."""

import copy
import dataclasses
import json
import re

import pytest

import toolcanon as tc
from tests import tables
from toolcanon.conversion.target import all_dialects
from toolcanon.diagnostics import CODES, Effect
from toolcanon.dialect import Dialect, NamePolicy, ReferenceRules, Support, table
from toolcanon.lowering import Lens, lower
from toolcanon.lowering.engine import Lowerer, PlanCache
from toolcanon.lowering.steps import OPS, STEPS
from toolcanon.schema import upgrade
from toolcanon.schema.malformed import sound
from toolcanon.schema.validate import judge

FAMILIES = {"if": ("if", "then", "else")}  # which nobody refuses singly


def dialect_of(text):
    """A dialect that accepts everything, less what the text names: ``maps=False closed=True``."""
    keywords, references, fields = table(Support.ACCEPTED), {}, {"root_object": False}
    for part in text.split():
        name, _, value = part.partition("=")
        holder, _, key = name.rpartition(".")
        if holder == "keywords":
            keywords |= dict.fromkeys(FAMILIES.get(key, (key,)), Support[value])
        elif holder == "references":
            references[key] = json.loads(value.lower())
        elif key == "others":
            fields[key] = Support[value]
        elif key == "formats":
            fields[key] = frozenset(value.split(","))
        elif key == "members":
            fields |= {key: NamePolicy(value, 64), "nested_members": True}
        else:
            fields[key] = json.loads(value.lower())
    rules = ReferenceRules(**references)
    return Dialect(id="test", version="0", title="", keywords=keywords, references=rules, **fields)


def refers(schema):
    return "$ref" in json.dumps(schema)


def is_about_the_root(step, example):
    return step.root_only or example.dialect.startswith("root_")


EXAMPLES = [
    pytest.param(step, example, id=f"{step.id}-{number}")
    for step in STEPS
    for number, example in enumerate(step.examples)
]


def follows(lowered, args, wire):
    """Arguments go there and come back."""
    given = copy.deepcopy(args)
    if lowered.lens is None:
        assert args == wire, "without a lens nothing may change"
        return
    assert lowered.lens.apply(args) == wire
    assert lowered.lens.restore(wire) == args
    assert args == given
    again = Lens(json.loads(json.dumps(lowered.document)))
    assert again.restore(again.apply(args)) == args


@tables.table("step", STEPS, ids=lambda step: step.id)
def test_every_step_has_an_example_that_needs_it(step):
    assert step.examples
    for example in step.examples:
        dialect = dialect_of(example.dialect)
        assert step.needed(dialect)
        kind = example.before.get("type", [])
        kinds = frozenset(kind if isinstance(kind, list) else [kind])
        if not refers(example.before):
            assert step.meets(dialect, kinds, frozenset(example.before))


@tables.table("step, example", EXAMPLES)
def test_examples_are_true(step, example):
    dialect = dialect_of(example.dialect)
    before = copy.deepcopy(example.before)
    lowered = lower(example.before, dialect, is_root=is_about_the_root(step, example))
    assert lowered.schema == example.after
    assert example.before == before, "must not be changed"
    assert {loss.code for loss in lowered.losses("f", "inputs")} & set(step.codes)
    follows(lowered, example.args, example.wire_args)


def below_the_root():
    for step in STEPS:
        for example in step.examples:
            if not is_about_the_root(step, example) and not refers(example.before):
                yield pytest.param(step, example, id=step.id)


@tables.table("step, example", list(below_the_root()))
def test_examples_hold_below_the_root(step, example):
    """As a member, as the items of a list, and in a list within a member."""
    dialect = dialect_of(example.dialect)
    inner = {"type": "array", "items": example.before}
    schema = {
        "type": "object",
        "properties": {"x": example.before, "y": inner},
        "required": ["x", "y"],
    }
    lowered = lower(schema, dialect)
    assert lowered.schema["properties"]["x"] == example.after
    assert lowered.schema["properties"]["y"]["items"] == example.after
    args, wire = example.args, example.wire_args
    follows(lowered, {"x": args, "y": [args, args]}, {"x": wire, "y": [wire, wire]})


@tables.table("step, example", EXAMPLES)
def test_where_the_dialect_needs_nothing_nothing_is_done(step, example):
    lowered = lower(example.before, dialect_of(""))
    assert lowered.schema is example.before
    assert lowered.losses("f", "inputs") == []
    assert lowered.lens is None


TEXT, WHOLE = {"type": "string"}, {"type": "integer"}
TREE = {
    "type": "object",
    "properties": {"tree": {"$ref": "#/$defs/tree"}},
    "$defs": {
        "tree": {
            "type": "object",
            "properties": {"kids": {"type": "array", "items": {"$ref": "#/$defs/tree"}}},
        }
    },
}


def obj(**members):
    return {"type": "object", "properties": members}


def entry(value):
    return {"type": "object", "additionalProperties": value}


# What a step may say, on the shortest schema that makes it say so.
SAID = [
    ("definitions", "L203", "references.keep=False", TREE),
    ("all-of", "L206", "keywords.allOf=REJECTED", obj(a={"allOf": [TEXT, {"minLength": 1}]})),
    ("all-of", "L207", "keywords.allOf=REJECTED",
     obj(a={"allOf": [{"pattern": "a"}, {"pattern": "b"}]})),
    ("unevaluated", "L228", "keywords.unevaluatedProperties=REJECTED",
     obj(a={"type": "object", "anyOf": [{**obj(b=TEXT), "required": ["b"]}, obj(c=TEXT)],
            "unevaluatedProperties": False})),
    ("unevaluated", "L245", "keywords.unevaluatedItems=REJECTED",
     obj(a={"type": "array", "prefixItems": [TEXT], "unevaluatedItems": WHOLE})),
    ("property-names", "L246", "keywords.propertyNames=REJECTED",
     obj(a={**entry(WHOLE), "propertyNames": {"enum": ["b", "c"]}})),
    ("lone-unions", "L247", "lone_unions=True",
     obj(a={"anyOf": [TEXT, WHOLE], "default": 1, "title": "A"})),
    ("root-words", "L229", "root_remarks=False", {**obj(a=TEXT), "description": "d"}),
    ("conditions", "L210", "keywords.not=REJECTED",
     obj(a={"type": "string", "not": {"enum": ["x"]}})),
    ("folded-unions", "L209", "root_unions=False",
     {**obj(a=TEXT, b=TEXT), "anyOf": [{"required": ["a"]}, {"required": ["b"]}]}),
    ("references", "L201", "references.keep=False", TREE),
    ("references", "L202", "references.anywhere=False", obj(a=TEXT, b={"$ref": "#/properties/a"})),
    ("references", "L202", "references.anywhere=False",
     {**obj(a={"$ref": "#/$defs/t", "description": "d"}), "$defs": {"t": TEXT}}),
    ("references", "L204", "", obj(a={"$ref": "https://example.com/a.json"})),
    ("references", "L205", "references.keep=False", TREE),
    ("references", "L207", "references.keep=False",
     {**obj(a={"$ref": "#/$defs/p", "pattern": "a"}), "$defs": {"p": {"pattern": "b"}}}),
    ("references", "L229", "references.keep=False",
     {**obj(a={"$ref": "#/$defs/t"}),
      "$defs": {"t": obj(again={"$ref": "#/$defs/t", "default": {}})}}),
    ("conditions", "L228", "references.anywhere=False references.recursive=False",
     {**obj(a=TEXT), "patternProperties": {"^t": {"$ref": "#/$defs/tree"}},
      "additionalProperties": False, "$defs": TREE["$defs"]}),
    ("one-of", "L206", "keywords.oneOf=REJECTED",
     obj(a={"anyOf": [TEXT, {"type": "integer"}], "oneOf": [{"minLength": 1}, {"minimum": 1}]})),
    ("one-of", "L207", "keywords.oneOf=REJECTED",
     obj(a={"anyOf": [{"pattern": "a"}, WHOLE], "oneOf": [{"pattern": "b"}, WHOLE]})),
    ("one-of", "L211", "keywords.oneOf=REJECTED", obj(a={"oneOf": [WHOLE, {"type": "number"}]})),
    ("const-as-enum", "L212", "keywords.const=REJECTED", obj(a={"const": 1})),
    ("root-object", "L208", "root_object=True", {"type": "array", "items": TEXT}),
    ("root-object", "L229", "root_object=True", {"$id": "urn:a", "type": "array", "items": TEXT}),
    ("root-object", "L235", "root_object=True", {"properties": {"a": TEXT}}),
    ("enum-values", "L213", "enum_strings=True", obj(a={"type": "integer", "enum": [1, 2]})),
    ("enum-values", "L214", "enum_typed=True", obj(a={"type": "string", "enum": [1, 2]})),
    ("enum-values", "L228", "enum_strings=True",
     obj(a={"type": "integer", "enum": [1, 2], "minimum": 2})),
    ("enum-values", "L228", "empty_enums=False",
     {**obj(a={"type": "string", "enum": []}), "required": ["a"]}),
    ("forbidden-members", "L234", "empty_enums=False", obj(a={"type": "string", "enum": []})),
    ("forbidden-members", "L222", "closed=True booleans=False", obj(a=False)),
    ("enum-values", "L234", "enum_typed=True", obj(a={"type": "string", "enum": ["x", 2]})),
    ("enum-values", "L214", "enum_typed=True",
     obj(a={"type": ["integer", "null"], "enum": ["1", None]})),
    ("types", "L215", "typed=True", obj(a={"minLength": 1})),
    ("types", "L216", "typed=True", obj(a={"description": "anything"})),
    ("types", "L228", "typed=True", {**obj(a={"enum": []}), "required": ["a"]}),
    ("types", "L229", "typed=True", obj(a={"$comment": "said", "x-invented": 1})),
    ("type-lists", "L217", "type_lists=False", obj(a={"type": ["string", "integer"]})),
    ("type-lists", "L218", "type_lists=False", obj(a={"type": ["string", "null"]})),
    ("type-lists", "L214", "type_lists=False",
     obj(a={"type": ["string", "integer"], "enum": [True]})),
    ("type-lists", "L228", "type_lists=False",
     obj(a={"type": ["string", "array"], "enum": ["x"], "maxItems": 2})),
    ("type-lists", "L234", "type_lists=False",
     obj(a={"type": ["string", "integer"], "enum": ["x", True]})),
    ("null-branches", "L218", "nullable=True", obj(a={"anyOf": [TEXT, {"type": "null"}]})),
    ("tuples", "L219", "keywords.prefixItems=REJECTED",
     obj(a={"type": "array", "prefixItems": [TEXT, WHOLE]})),
    ("tuples", "L220", "keywords.prefixItems=REJECTED",
     obj(a={"type": "array", "prefixItems": [TEXT, TEXT]})),
    ("tuples", "L228", "keywords.prefixItems=REJECTED",
     obj(a={"type": "array", "prefixItems": [TEXT, WHOLE, TEXT], "contains": {"const": "x"}})),
    ("maps", "L221", "maps=False", obj(a=entry(WHOLE))),
    ("maps", "L221", "maps=False", obj(a={"type": "object", "properties": {}})),
    ("maps", "L228", "maps=False", obj(a={**entry(WHOLE), "maxProperties": 2})),
    ("maps", "L236", "maps=False", obj(a={**entry(TEXT), "required": ["b"]})),
    ("name-patterns", "L228", "name_patterns=1",
     obj(a={"type": "object", "patternProperties": {"^a": TEXT, "b$": WHOLE}})),
    ("name-patterns", "L236", "keywords.patternProperties=REJECTED",
     obj(a={"type": "object", "patternProperties": {"^a": TEXT}, "required": ["ab"],
            "additionalProperties": False})),
    ("closed-objects", "L222", "closed=True", obj(a=TEXT)),
    ("closed-objects", "L236", "closed=True", {**obj(a=TEXT), "required": ["b"]}),
    ("member-names", "L226", "members=a-z_", obj(**{"a b": TEXT})),
    ("member-names", "L201", "members=a-z_",
     {**obj(**{"a b": TEXT, "c": TEXT}), "if": {"$ref": "#/$defs/d"}, "then": {"required": ["c"]},
      "$defs": {"d": {"required": ["a b"]}}}),
    ("member-names", "L228", "members=a-z_",
     {**obj(**{"a b": TEXT}), "patternProperties": {"^a_": WHOLE}}),
    ("optional-members", "L223", "closed=True all_required=True", obj(a=TEXT)),
    ("optional-members", "L224", "closed=True all_required=True",
     obj(a={"type": ["string", "null"]})),
    ("optional-members", "L225", "closed=True all_required=True",
     obj(a={"type": ["string", "null"], "default": None})),
    ("optional-members", "L235", "closed=True all_required=True empty_required=True",
     obj(a={"type": "object", "properties": {}, "additionalProperties": False})),
    ("folded-unions", "L206", "union_siblings=False",
     obj(a={"type": "string", "minLength": 1, "anyOf": [{"maxLength": 3}, {"pattern": "^a"}]})),
    ("folded-unions", "L207", "union_siblings=False",
     obj(a={"type": "string", "pattern": "b", "anyOf": [{"pattern": "^a"}, {"maxLength": 3}]})),
    ("folded-unions", "L215", "union_siblings=False",
     obj(a={"properties": {"b": TEXT}, "anyOf": [{"required": ["b"]}, {"required": ["c"]}]})),
    ("enum-values", "L218", "nullable=True enum_strings=True", obj(a={"enum": [None]})),
    ("constant-unions", "L238", "typed=True", obj(a={"anyOf": [{"const": 1}, {"const": 2}]})),
    ("closed-objects", "L235", "closed=True",
     obj(a={"type": "object", "additionalProperties": False})),
    ("items", "L227", "items=True", obj(a={"type": "array"})),
    ("items", "L235", "empty_properties=False keywords.const=REJECTED",
     obj(a={"type": "object", "properties": {}}, b={"const": 1})),
    ("keywords", "L228", "keywords.minimum=REJECTED", obj(a={"type": "integer", "minimum": 1})),
    ("keywords", "L229", "keywords.title=REJECTED", obj(a={"type": "string", "title": "A"})),
    ("keywords", "L230", "formats=date", obj(a={"type": "string", "format": "uri"})),
]  # fmt: skip

# What the engine itself may say.
ENGINE = [
    ("L231", "maps=False", obj(a={"anyOf": [entry(WHOLE), {"type": "array", "items": TEXT}]})),
    ("L232", "booleans=False", obj(a=True)),
    ("L233", "", obj(a={"type": "string", "minLength": "many"})),
    ("L250", "enum_strings=True", obj(a={"type": "integer", "enum": [1, 2], "default": 1})),
]


def codes(schema, text):
    return {loss.code for loss in lower(schema, dialect_of(text)).losses("f", "inputs")}


@tables.table("step, code, text, schema", SAID)
def test_codes_are_reported_by_their_steps(step, code, text, schema):
    assert code in codes(schema, text)
    assert (step, code) in told_by_steps(schema, text)


@pytest.mark.parametrize("code, text, schema", ENGINE)
def test_codes_are_reported_by_the_engine(code, text, schema):
    assert code in codes(schema, text)


# Branches made of one node: what they lose is told where it stood.
TOLD_AT = [
    ("type_lists=False formats=date",
     {"type": ["string", "null"], "format": "uri"}, ("format",)),
    ("type_lists=False keywords.default=REJECTED",
     {"type": ["object", "null"], "properties": {"b": {"type": "string", "default": "x"}}},
     ("properties", "b", "default")),
    ("type_lists=False nullable=True keywords.minLength=REJECTED",
     {"type": ["string", "integer", "null"], "minLength": 2}, ("minLength",)),
    ("type_lists=False lone_unions=True keywords.uniqueItems=REJECTED",
     {"type": ["string", "array"], "description": "d", "uniqueItems": True}, ("uniqueItems",)),
    ("nullable=True keywords.minLength=REJECTED",
     {"anyOf": [{"type": "null"}, {"type": "string", "minLength": 2}]}, ("anyOf", 1, "minLength")),
    ("keywords.oneOf=REJECTED keywords.minLength=REJECTED",
     {"oneOf": [{"type": "string", "minLength": 2}, {"type": "integer"}]},
     ("oneOf", 0, "minLength")),
    ("all_required=True keywords.minLength=REJECTED", {"not": {"type": "null"}, "minLength": 2},
     ("minLength",)),
]  # fmt: skip


@pytest.mark.parametrize("text, node, place", TOLD_AT)
def test_losses_of_branches_have_their_place(text, node, place):
    told = lower(obj(a=node), dialect_of(text)).losses("f", "inputs")
    assert ("inputs", "properties", "a", *place) in {tuple(loss.at) for loss in told}


# Schemas made of several: what each of them said and is gone is told where it stood.
NO_BOUNDS = "keywords.minLength=REJECTED keywords.maxLength=REJECTED "
ALL_TOLD = [
    # Each branch of one union with each of another.
    ("keywords.oneOf=REJECTED",
     {"anyOf": [{"type": "string", "minLength": 2}, {"type": "integer"}],
      "oneOf": [{"maxLength": 9, "minLength": 1}, {"not": {"const": "a"}}]},
     [("anyOf", 0, "minLength"), ("oneOf", 0, "maxLength"), ("oneOf", 0, "minLength")]),
    # A conjunction, and what is below.
    ("keywords.allOf=REJECTED",
     {"type": "string", "minLength": 1, "allOf": [{"minLength": 2}, {"maxLength": 3}]},
     [("minLength",), ("allOf", 0, "minLength"), ("allOf", 1, "maxLength")]),
    ("keywords.allOf=REJECTED",
     {"allOf": [obj(b={"type": "string", "minLength": 2}), obj(b={"maxLength": 3})]},
     [("allOf", 0, "properties", "b", "minLength"), ("allOf", 1, "properties", "b", "maxLength")]),
    ("keywords.allOf=REJECTED",
     {**obj(), "allOf": [{"additionalProperties": {"minLength": 2}},
                         {"additionalProperties": False}]},
     [("allOf", 0, "additionalProperties")]),
    # A reference with siblings, in a conjunction or alone.
    ("references.keep=False",
     {"$ref": "#/$defs/t", "minLength": 2}, [("minLength",), ("$defs", "t", "minLength")]),
    ("keywords.allOf=REJECTED",
     {"allOf": [{"$ref": "#/$defs/t", "maxLength": 3}, {"minLength": 2}]},
     [("allOf", 0, "maxLength"), ("allOf", 1, "minLength"), ("$defs", "t", "minLength")]),
    # What stands beside a union, said in its branches.
    ("union_siblings=False",
     {"type": "string", "minLength": 2, "anyOf": [{"maxLength": 3}, {"pattern": "a"}]},
     [("minLength",), ("anyOf", 0, "maxLength")]),
    # Members of branches, folded into the object's own.
    ("union_siblings=False",
     {**obj(b={"type": "string", "minLength": 2, "allOf": [{"maxLength": 9}]}),
      "anyOf": [obj(b={"maxLength": 3}), obj(b={"minLength": 4})]},
     [("properties", "b", "minLength"), ("anyOf", 0, "properties", "b", "maxLength"),
      ("anyOf", 1, "properties", "b", "minLength"), ("properties", "b", "allOf"),
      ("properties", "b", "allOf", 0, "maxLength")]),
    # What a pattern says of a declared member.
    ("maps=False",
     {**obj(b={"type": "string", "minLength": 2}), "patternProperties": {"b": {"maxLength": 3}},
      "additionalProperties": False},
     [("properties", "b", "minLength"), ("patternProperties", "b", "maxLength")]),
]  # fmt: skip


@pytest.mark.parametrize("text, node, places", ALL_TOLD)
def test_losses_of_merged_schemas_have_every_place(text, node, places):
    schema = {**obj(a=node), "$defs": {"t": {"type": "string", "minLength": 1}}}
    told = lower(schema, dialect_of(NO_BOUNDS + text)).losses("f", "inputs")
    found = {tuple(loss.at) for loss in told}
    for place in places:
        home = ("inputs",) if place[0] == "$defs" else ("inputs", "properties", "a")
        assert (*home, *place) in found
    for loss in told:
        if loss.code == "L228":  # nothing is told of a place that never was
            value = schema
            for step in loss.at[1:]:
                value = value[step]
            assert loss.before == value


def test_a_part_of_several_is_worth_the_most_it_is_worth_in_any():
    node = {"anyOf": [{"type": "string"}, {"type": "integer"}], "oneOf": [{"minimum": 3}, TEXT]}
    told = lower(obj(a=node), dialect_of("keywords.oneOf=REJECTED keywords.minimum=REJECTED"))
    (loss,) = [loss for loss in told.losses("f", "inputs") if loss.code == "L228"]
    assert loss.effect is Effect.WIDENED


# Where no lens reaches, nothing may become text.
BELOW = [
    obj(tree={"allOf": [{"$ref": "#/$defs/tree"}, {"required": ["kids"]}]}),
    {**obj(a=TEXT), "if": {"required": ["tree"]}, "then": TREE},
    {**obj(a=TEXT), "if": TREE, "else": {"required": ["a"]}},
    {**obj(a=TEXT), "dependentSchemas": {"tree": TREE}},
    {**obj(tree={"type": "object"}), "not": {"not": TREE}},
    {"type": "object", "patternProperties": {"^t": {"$ref": "#/$defs/tree"}}},
    {**obj(a=TEXT), "patternProperties": {"^t": {"$ref": "#/$defs/tree"}},
     "additionalProperties": False},
    {"type": "object", "patternProperties": {"^t": {"$ref": "#/$defs/tree"}, "^x": TEXT},
     "additionalProperties": {"type": "integer"}},
    {**obj(a=TEXT), "unevaluatedProperties": {"$ref": "#/$defs/tree"}},
    obj(tree=obj(kids={"type": "array", "contains": {"$ref": "#/$defs/tree"}, "maxContains": 1})),
    obj(tree=obj(kids={"type": "array", "prefixItems": [{}],
                       "unevaluatedItems": {"$ref": "#/$defs/tree"}})),
]  # fmt: skip


@tables.table("schema", BELOW)
def test_recursion_is_written_out_where_a_lens_finds_it(schema):
    args = {"tree": {"kids": []}}
    for _ in range(5):
        args = {"tree": {"kids": [args["tree"]]}}
    schema = {**schema, "$defs": TREE["$defs"]}
    assert judge(schema).accepts(args)
    lowered = lower(schema, dialect_of("references.anywhere=False references.recursive=False"))
    wire = lowered.lens.apply(args) if lowered.lens else args
    follows(lowered, args, wire)
    assert judge(lowered.schema).accepts(wire)


def test_what_is_upgraded_for_a_reference_is_reported():
    odd = {"type": "array", "items": [{"$ref": "#/$defs/group/c"}], "minItems": "many"}
    schema = {**obj(a={"$ref": "#/$defs/group/b"}), "$defs": {"group": {"b": odd, "c": TEXT}}}
    lowered = lower(schema, dialect_of("references.anywhere=False"))
    assert lowered.schema["$defs"] == {
        "b": {"type": "array", "prefixItems": [{"$ref": "#/$defs/c"}]},
        "c": TEXT,
    }
    places = {(loss.code, tuple(loss.at)) for loss in lowered.losses("f", "inputs")}
    assert ("L233", ("inputs", "$defs", "group", "b", "minItems")) in places
    assert any(code < "L2" and at[1:4] == ("$defs", "group", "b") for code, at in places)


def test_rejected_strictness_is_reported():
    deep = TEXT
    for _ in range(12):
        deep = obj(a=deep)
    tool = tc.CanonicalTool(name="f", inputs=deep)
    told = [loss for loss in tc.bind(tool, "openai", strict=True).losses if loss.code == "L237"]
    assert told
    assert told[0].before == "strict"


def lowered_by(engine, schema):
    """The schema, its lens and the records, with a root that describes arguments."""
    run = Lowerer(engine, schema)
    return *run.top(schema, is_root=True), run.log


PICKY = (
    "closed=true all_required=true lone_unions=true keywords.title=REJECTED",
    "closed=true some_required=true root_remarks=false keywords.minProperties=REJECTED",
    "keywords.not=REJECTED keywords.contains=REJECTED keywords.additionalProperties=REJECTED",
)
KEEPING = {**all_dialects(), **{text: dialect_of(text) for text in PICKY}}


@tables.table("name", KEEPING)
def test_a_kept_plan_does_what_a_new_one_does(name):
    kept, anew = PlanCache(KEEPING[name]), PlanCache(KEEPING[name])
    anew.steps = [(order, dataclasses.replace(step, keeps=None)) for order, step in anew.steps]
    schemas = [obj(a=TEXT) | {"minProperties": 1}, *(row[3] for row in SAID)] + [
        {**example.before, "title": "T", "description": "D", "minimum": 1, "default": None}
        for step in STEPS
        for example in step.examples
    ]
    for given in schemas:
        schema = sound(upgrade(given).schema, [])
        for root in (schema, {"type": "object", "properties": {"a": schema, "b": schema}}):
            assert lowered_by(kept, root) == lowered_by(anew, root)


def test_no_code_of_lowering_is_unreachable():
    said = {row[1] for row in SAID} | {row[0] for row in ENGINE} | {"L237", "L239"}
    assert said == {code for code in CODES if re.fullmatch("L2..", code)}


def test_every_code_a_step_declares_has_a_case():
    assert {row[:2] for row in SAID} == {(step.id, code) for step in STEPS for code in step.codes}


def test_operations_belong_to_one_step_each():
    assert len(OPS) == sum(len(step.ops) for step in STEPS)
    assert all(name == op.name for name, op in OPS.items())


class Heard:
    """Engines whose steps are recorded: which of them reported which code."""

    ENGINES_OWN = frozenset({"L205", "L231", "L232", "L250"})  # said between steps

    def __init__(self):
        self.told = set()
        self._claimed = set()

    def step(self, step):
        def rewrite(node, site):
            start = len(site.log)
            new = step.rewrite(node, site)
            for index in range(start, len(site.log)):
                code = site.log[index][0]
                if index not in self._claimed:  # by a step within, of a definition being made
                    self._claimed.add(index)
                    if code not in self.ENGINES_OWN or code in step.codes:
                        self.told.add((step.id, code))
            return new

        return dataclasses.replace(step, rewrite=rewrite)


def told_by_steps(schema, text):
    heard = Heard()
    engine = PlanCache(dialect_of(text))
    engine.steps = tuple((order, heard.step(step)) for order, step in engine.steps)
    schema = sound(upgrade(schema).schema, [])
    run = Lowerer(engine, schema)
    out, lens = run.top(schema, is_root=True)
    if run.known is not None:
        start = len(run.log)
        run.known.finish(out, lens, run.log)
        heard.told |= {("definitions", code) for code, *_ in run.log[start:] if code == "L203"}
    return heard.told


DECLARED = {(step.id, code) for step in STEPS for code in step.codes}
UNSAID = [
    *(pytest.param(text, schema, id=f"{step}-{code}") for step, code, text, schema in SAID),
    pytest.param(
        "union_siblings=False",
        obj(a={"type": "string", "minLength": 1, "anyOf": [{"maxLength": 3}, {"pattern": "^a"}]}),
        id="a union beside other keywords",
    ),
    pytest.param(
        "union_siblings=False",
        obj(a={"type": "string", "pattern": "b", "anyOf": [{"pattern": "^a"}, {"maxLength": 3}]}),
        id="a union beside a rival",
    ),
]


@tables.table("text, schema", UNSAID)
def test_steps_say_nothing_that_they_do_not_declare(text, schema):
    assert told_by_steps(schema, text) - DECLARED == set()
