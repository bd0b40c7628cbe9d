"""References used again, recursion that is refused, members renamed and unions folded."""

import json
from dataclasses import replace

import pytest

import toolcanon as tc
from tests.lens_laws import violations
from tests.referee import judge_tool, judged
from tests.tables import table
from tests.unit.test_steps import dialect_of
from toolcanon.conversion.target import all_dialects
from toolcanon.diagnostics import Effect
from toolcanon.dialect import Support
from toolcanon.lowering import lower
from toolcanon.lowering.unions import fold
from toolcanon.schema import upgrade
from toolcanon.schema.validate import judge

TEXT, WHOLE, OBJECT = ({"type": word} for word in ("string", "integer", "object"))
DIALECTS = judged(all_dialects())


def obj(members=None, /, **more):
    return {"type": "object", "properties": {**(members or {}), **more}}


def ref(name):
    return {"$ref": f"#/$defs/{name}"}


def bound(schema, dialect):
    tool = tc.CanonicalTool(name="f", inputs=schema)
    return tc.bind(tool, dialect.partition("/")[0], dialect=dialect)


KEPT = "references.anywhere=False references.siblings=False"


def test_a_definition_used_again_is_referred_to_as_the_first_time():
    said = {**ref("i"), "description": "said"}
    inside = {"type": "array", "items": said}
    schema = {**obj(a=said, b=said, c=inside), "$defs": {"i": obj(n=TEXT)}}
    written = lower(schema, dialect_of(KEPT)).schema["properties"]
    assert written["a"] == {"description": "said", "anyOf": [ref("i")]}
    assert written["a"] == written["b"] == written["c"]["items"]


def test_bounds_beside_a_reference_are_kept_at_every_use():
    short = {**ref("t"), "maxLength": 2}
    schema = {**obj(a=ref("t"), b=short, c=short), "$defs": {"t": TEXT}}
    written = lower(schema, dialect_of(KEPT)).schema["properties"]
    assert written == {"a": ref("t"), "b": {**TEXT, "maxLength": 2}, "c": {**TEXT, "maxLength": 2}}


@pytest.mark.parametrize("first", ["a", "b"])
def test_definitions_of_one_name_stay_apart(first):
    both = {"a": {"$ref": "#/definitions/t"}, "b": ref("t")}
    members = {name: both[name] for name in sorted(both, reverse=first == "b")}
    schema = {**obj(members), "$defs": {"t": TEXT}, "definitions": {"t": WHOLE}}
    written = lower(schema, dialect_of(KEPT)).schema
    for name, value, wrong in (("a", 1, "x"), ("b", "x", 1)):
        assert judge(written).accepts({name: value})
        assert not judge(written).accepts({name: wrong})


@table("dialect", DIALECTS)
@table(
    "schema",
    [{"$ref": "#"}, {"$ref": "#", "title": "t"}, {"$ref": "#/$defs/a", "$defs": {"a": ref("a")}}],
    ids=str,
)
def test_a_root_that_refers_to_itself_constrains_nothing(schema, dialect):
    made = bound(schema, dialect)
    written = made._bound[0].wire
    faults = judge_tool(made.payload, dialect.partition("/")[0], written.dialect.id)
    assert faults == []
    if DIALECTS[dialect].root_object:
        assert "$ref" not in written.inputs
        assert written.inputs.get("properties", {}) == {}
        assert [loss.code for loss in made.losses if loss.at == ("inputs", "$ref")] == ["L204"]


def deep(levels, leaf):
    for _ in range(levels):
        leaf = {"kids": [leaf]}
    return leaf


KIDS = {"type": "array", "items": ref("n")}
RECURSIONS = {
    "through a member that must be there": (
        {**obj(t=ref("n")), "$defs": {"n": {**obj(kids=KIDS), "required": ["kids"]}}},
        True,
        {"t": deep(6, {"kids": []})},
    ),
    "through one that need not": (
        {**obj(t=ref("n")), "$defs": {"n": obj(kids=KIDS)}},
        False,
        {"t": deep(6, {})},
    ),
    "through both": (
        {
            **obj(t=ref("n")),
            "$defs": {"n": {**obj(kids=KIDS, other=ref("n")), "required": ["kids"]}},
        },
        True,
        {"t": deep(6, {"kids": [], "other": {"kids": []}})},
    ),
    "through a map": (
        {**obj(t=ref("n")), "$defs": {"n": {**OBJECT, "additionalProperties": ref("n")}}},
        True,
        {"t": {"a": {"b": {"c": {"d": {"e": {}}}}}}},
    ),
    "below a member that need not be there": (
        {**obj(t=obj(u={"type": "array", "items": ref("n")})), "$defs": {"n": KIDS}},
        True,
        {"t": {"u": [[[[[[]]]]]]}},
    ),
    "of the root": ({**obj(kids={"type": "array", "items": {"$ref": "#"}})}, False, deep(6, {})),
}


@pytest.mark.parametrize("schema, unrolled, args", RECURSIONS.values(), ids=RECURSIONS)
def test_only_recursion_that_can_end_at_an_option_is_kept(schema, unrolled, args):
    assert judge(schema).accepts(args)
    made = bound(schema, "gemini")
    assert judge_tool(made.payload, "gemini", "gemini") == []
    assert any(loss.code == "L205" for loss in made.losses) is unrolled
    if not unrolled:
        assert made.payload["parametersJsonSchema"] == schema
    name, wire = made.render("f", args)
    assert judge(made.payload["parametersJsonSchema"]).accepts(wire)
    assert made.restore(name, wire).arguments == args


ODD = {"a b": TEXT, "c": TEXT}
NAMED = {
    "if": {"if": {"not": {"required": ["a b"]}}, "then": {"required": ["c"]}},
    "properties of if": {
        "if": {"properties": {"a b": {"const": "x"}}, "required": ["a b"]},
        "then": {"required": ["c"]},
    },
    "else": {"if": {"required": ["c"]}, "else": {"required": ["a b"]}},
    "a list of names": {"propertyNames": {"enum": ["a b", "c"]}},
    "a pattern for names": {"propertyNames": {"pattern": "^(a b|c)$"}},
    "a pattern that its new name would keep": {"propertyNames": {"pattern": "^[a-z_]+$"}},
    "a length of names": {"propertyNames": {"maxLength": 3}},
    "names under a condition": {
        "if": {"propertyNames": {"pattern": " "}},
        "then": {"required": ["a b"]},
    },
    "dependent schemas": {
        "dependentSchemas": {"a b": {"required": ["c"]}, "c": obj({"a b": {"const": ""}})}
    },
    "dependent names": {"dependentRequired": {"a b": ["c"], "c": ["a b"]}},
    "a pattern of its own name": {"patternProperties": {" ": {"maxLength": 3}}},
    "a pattern of both names": {"patternProperties": {"^a": {"maxLength": 3}}},
    "not": {"not": {"required": ["a b", "c"]}},
    "conjunctions": {"allOf": [{"required": ["a b"]}, {"oneOf": [{"required": ["c"]}, {}]}]},
    "unions": {"anyOf": [{"required": ["a b"]}, {"properties": {"c": {"maxLength": 2}}}]},
    "a reference": {
        "if": ref("d"),
        "then": {"required": ["c"]},
        "$defs": {"d": {"required": ["a b"]}},
    },
    "a reference below": {
        "not": {"allOf": [{**ref("d"), "required": ["c"]}]},
        "$defs": {"d": ref("e"), "e": {"required": ["a b"]}},
    },
    "a name that is taken elsewhere": {
        "if": {"required": ["a_b"]},
        "then": {"properties": {"a_b": WHOLE, "a b": {"maxLength": 2}}},
    },
}  # fmt: skip


@table("more", NAMED.values(), ids=NAMED)
@table("text", ["members=a-z0-9_", "members=a-z0-9_ nested_members=false"])
def test_renamed_members_are_renamed_wherever_the_object_is_spoken_of(more, text):
    dialect = dialect_of(text)
    schema = {**obj(ODD), **more}
    lowered = lower(schema, dialect)
    assert not lowered.effect & (Effect.WIDENED | Effect.NARROWED)
    assert violations(schema, lowered, dialect) == []
    other = [{"a_b": 1, "a b": "long"}, {"a_b": "x"}] if "'a_b'" in str(more) else []
    for args in [*VALUES, *other]:
        wire = lowered.lens.apply(args)
        assert judge(lowered.schema).accepts(wire) is judge(schema).accepts(args), (args, wire)
        assert lowered.lens.restore(wire) == args


VALUES = [{}, {"a b": "x"}, {"a b": "long"}, {"c": "x"}, {"a b": "", "c": ""}]

UNSAYABLE = {
    "a pattern that only the new name matches": {"patternProperties": {"^a_": WHOLE}},
    "a pattern that cannot be run": {"patternProperties": {"^(?!c)": {"minLength": 1}}},
    "the same in a condition": {
        "if": {"patternProperties": {"^a_": WHOLE}, "minProperties": 2},
        "then": {"properties": {"d": TEXT}, "required": ["d"]},
    },
    "a reference in circles": {
        "not": {"allOf": [ref("d")]},
        "$defs": {"d": {"required": ["a b"], "allOf": [ref("d")]}},
    },
}


@pytest.mark.parametrize("more", UNSAYABLE.values(), ids=UNSAYABLE)
def test_what_cannot_be_expressed_for_new_names_is_dropped_and_reported(more):
    schema = {**obj(ODD), **more}
    lowered = lower(schema, dialect_of("members=a-z_"))
    told = [loss for loss in lowered.losses("f", "inputs") if loss.code == "L228"]
    assert {loss.at[1] for loss in told} == more.keys() - {"$defs"}
    assert all(loss.effect is Effect.WIDENED for loss in told)
    written = lowered.schema
    assert written["properties"].keys() >= {"a_b", "c"}
    noted = written.get("description", "")
    for key in more.keys() - {"$defs"}:  # what leads back to itself has no note
        assert key in noted or more is UNSAYABLE["a reference in circles"]
    assert ("d" in written["properties"]) is ("then" in more), "no parameter is lost"


def test_losses_below_a_renamed_member_have_its_former_place():
    text = "members=a-z_ keywords.minLength=REJECTED"
    lowered = lower(obj({"a b": {**TEXT, "minLength": 2}}), dialect_of(text))
    places = {loss.at for loss in lowered.losses("f", "inputs") if loss.code == "L228"}
    assert places == {("inputs", "properties", "a b", "minLength")}


FALSE = {"additionalProperties": False}


def others(schema):
    return {"additionalProperties": schema}


def shut(**members):
    return {"properties": members, **FALSE}


def pattern(text, schema):
    return {"patternProperties": {text: schema}, **FALSE}


FOLDS = {
    "maps of two kinds": (
        {}, [others(OBJECT), others(TEXT)], others({"anyOf": [OBJECT, TEXT]}), False),
    "the same map twice": ({}, [others(TEXT), others(TEXT)], others(TEXT), False),
    "patterns of one": ({}, [pattern("^a", TEXT)], pattern("^a", TEXT), False),
    "patterns of two": (
        {}, [pattern("^a", TEXT), pattern("b", WHOLE)], others({"anyOf": [TEXT, WHOLE]}), False),
    "a member and a map": (
        {}, [shut(a=OBJECT), others(TEXT)],
        {"properties": {"a": {"anyOf": [OBJECT, TEXT]}}, **others(TEXT)}, False),
    "a member and a pattern that matches": (
        {}, [shut(ab=WHOLE, c=WHOLE), pattern("^a", TEXT)],
        {"properties": {"ab": {"anyOf": [WHOLE, TEXT]}, "c": WHOLE}, **others(TEXT)}, False),
    "a member and anything": (
        {}, [shut(a=TEXT), {"properties": {"b": TEXT}, **others(True)}],
        {"properties": {"a": TEXT, "b": TEXT}, **others(True)}, True),
    "a member that another only asks for": (
        {}, [{"properties": {"a": TEXT}}, {"required": ["a"]}], {"properties": {"a": TEXT}}, True),
    "a member and one that speaks of none": (
        {}, [{"properties": {"a": TEXT}}, OBJECT], {"properties": {"a": TEXT}}, True),
    "all closed": ({}, [shut(a=TEXT), FALSE], shut(a=TEXT), False),
    "what the object says itself stays": (
        shut(a=TEXT), [others(TEXT), {"properties": {"a": TEXT}}],
        {"properties": {"a": TEXT}}, False),
}  # fmt: skip


@table("own, branches, expected, narrowed", FOLDS.values(), ids=FOLDS)
@table("closes", [True, False])
def test_folds(own, branches, expected, narrowed, closes):
    found = fold(own, branches, closes=closes)
    assert (found.schema, found.narrowed) == (expected, narrowed)


@pytest.mark.parametrize("closes", [True, False])
def test_one_that_is_silent_leaves_others_open_unless_that_would_close_them(closes):
    silent = {"properties": {"a": WHOLE}}
    made = fold({}, [silent, others(TEXT)], closes=closes).schema
    assert made["properties"] == {"a": {"anyOf": [WHOLE, TEXT]}}
    assert made.get("additionalProperties") == (TEXT if closes else None)


@table("dialect", ["openai", "openai/strict", "anthropic/strict", "gemini/openapi"])
@table(
    "branches, args",
    [
        ([others(OBJECT), others(TEXT)], {"x": "s"}),
        ([{"patternProperties": {"^[0-9]+$": {}}}], {"12": 1}),
        ([obj(a=OBJECT), others(TEXT)], {"a": "s"}),
        ([{"anyOf": [others(TEXT), FALSE]}, shut(a=WHOLE)], {"a": "s"}),
    ],
    ids=str,
)  # fmt: skip
def test_what_one_branch_accepts_can_be_sent_after_the_fold(branches, args, dialect):
    schema = {"type": "object", "anyOf": branches}
    assert judge(schema).accepts(args)
    made = bound(schema, dialect)
    name, wire = made.render("f", args)
    assert made.restore(name, wire).arguments == args
    lowered = lower(schema, DIALECTS[dialect])
    found = violations(schema, lowered, DIALECTS[dialect])
    assert [item for item in found if not item[0].startswith("never")] == []
    assert judge(upgrade(lowered.schema).schema).accepts(wire)


def dealt_out(node, text):
    return lower({**obj(a=node), "required": ["a"]}, dialect_of(text))


# What stands beside a union and what a branch says may have no value in common.
BESIDE = [
    ({"const": "b", "oneOf": [TEXT, {"enum": ["y", None]}]}, [{"type": "string", "const": "b"}]),
    ({"type": "string", "anyOf": [{"type": "integer"}, {"maxLength": 2}]},
     [{"maxLength": 2, "type": "string"}]),
    ({"enum": [1, 2], "anyOf": [{"const": 1}, {"enum": [3]}]}, [{"const": 1}]),
]  # fmt: skip


@pytest.mark.parametrize("node, branches", BESIDE)
def test_a_branch_that_nothing_can_be_is_left_out(node, branches):
    lowered = dealt_out(node, "union_siblings=False")
    (union,) = lowered.schema["properties"]["a"].values()
    assert union == branches
    assert lowered.effect is Effect.EXACT


def test_where_no_branch_is_left_nothing_is_right():
    node = {"type": "null", "oneOf": [{"type": "integer"}]}
    lowered = dealt_out(node, "union_siblings=False")
    assert lowered.schema["properties"]["a"] == {"not": {}}
    assert lowered.effect is Effect.EXACT


def test_branches_that_lose_something_are_no_longer_distinguished():
    node = {"pattern": "^a", "oneOf": [{"pattern": "b$", "type": "string"}, {"maxLength": 2}]}
    lowered = dealt_out(node, "union_siblings=False")
    assert list(lowered.schema["properties"]["a"]) == ["anyOf"]
    assert lowered.effect is Effect.WIDENED
    assert judge(lowered.schema).accepts({"a": "ab"})


def test_products_that_nothing_can_be_are_left_out():
    node = {"anyOf": [TEXT, WHOLE], "oneOf": [TEXT, WHOLE]}
    lowered = dealt_out(node, "keywords.oneOf=REJECTED")
    assert lowered.schema["properties"]["a"] == {"anyOf": [TEXT, WHOLE]}


# Members that nobody can read: nobody can say them, or nothing is said of them any more.
UNREAD = [
    ("closed=True", [1], Effect.NARROWED),
    ("maps=False", "x", Effect.NARROWED),
    ("", [1], Effect.WIDENED),
    ("closed=True", "", Effect.HINT_LOST),
]


@pytest.mark.parametrize("text, members, effect", UNREAD)
def test_members_that_cannot_be_read_are_no_hints(text, members, effect):
    told = dealt_out({"type": "object", "properties": members}, text).losses("f", "inputs")
    assert [loss.effect for loss in told if loss.code == "L233"] == [effect]


# Whatever cannot be read: a constraint that is gone, a choice, a remark, or nothing.
LEFT_OUT = [
    ({"type": "colour"}, Effect.WIDENED),
    ({"type": "array", "items": "a colour"}, Effect.WIDENED),
    ({"type": "string", "minLength": "many"}, Effect.WIDENED),
    ({"type": "object", "required": 5}, Effect.WIDENED),
    ({"type": "object", "required": ["a", 5]}, Effect.WIDENED),
    ({"type": "object", "required": ["a", "a"]}, Effect.EXACT),
    ({"type": "string", "required": True}, Effect.HINT_LOST),
    ({"type": "object", "required": None}, Effect.HINT_LOST),
    ({"anyOf": [{"type": "string"}, "a colour"]}, Effect.NARROWED),
    ({"oneOf": [{"type": "string"}, "a colour"]}, Effect.NARROWED | Effect.WIDENED),
    ({"anyOf": ["a colour"]}, Effect.WIDENED),
    ({"allOf": [{"type": "string"}, "a colour"]}, Effect.WIDENED),
    ({"not": {"type": "colour"}}, Effect.NARROWED),
    ({"type": "string", "title": 5}, Effect.HINT_LOST),
    ({"type": "string", "format": 5}, Effect.HINT_LOST),
]


@table("node, effect", LEFT_OUT)
def test_what_is_left_out_claims_what_it_cost(node, effect):
    told = dealt_out({"type": "array", "items": node}, "").losses("f", "inputs")
    assert [loss.effect for loss in told if loss.code == "L233"] == [effect]


# Objects behind unions and beside silent ones are known by their members, as anywhere.
SEEN = [
    {"oneOf": [{"type": "object", "properties": {"x": WHOLE}}]},
    {"type": "object", "properties": {"x": WHOLE}, "anyOf": [{"required": ["x"]}, {}]},
]


@pytest.mark.parametrize("node", SEEN)
@pytest.mark.parametrize("dialect", ["cohere/strict", "openai/strict", "gemini/openapi"])
def test_a_value_of_a_map_is_not_taken_for_an_object_without_its_members(node, dialect):
    union = {"anyOf": [node, {"type": "object", "additionalProperties": TEXT}]}
    schema = {**obj(a=union), "required": ["a"]}
    lowered = lower(schema, DIALECTS[dialect])
    args = {"a": {"k": "v"}}
    wire = lowered.lens.apply(args)
    assert judge(lowered.schema).accepts(wire)
    assert lowered.lens.restore(wire) == args


# Whatever was made of several places, or by us: what is lost of it is told where it stood.
SHORT = {"type": "string", "minLength": 2}
MADE = [
    # Of two that cannot both be said, the one that goes.
    ("bedrock/strict",
     {**obj(c={**ref("map"), "additionalProperties": ref("both")}),
      "$defs": {"text": TEXT, "both": TEXT,
                "map": {**OBJECT, "additionalProperties": ref("text")}}},
     "L207", ["/$defs/map/additionalProperties/$ref"]),
    ("bedrock",
     {**obj(v={"enum": ["x"]}), "allOf": [{"properties": {"v": {"const": "y"}}}]},
     "L207", ["/properties/v/enum"]),
    ("bedrock",
     {**obj(), "allOf": [obj({"a/b": {"pattern": "x"}}),
                         obj({"a/b": {"allOf": [{"minLength": 1}, {"pattern": "y"}]}})]},
     "L207", ["/allOf/1/properties/a~1b/allOf/1/pattern"]),
    ("bedrock",
     {**obj(), "allOf": [{"properties": {"v": {"enum": [1, 2]}}},
                         {"properties": {"v": {"const": 5}}},
                         {"additionalProperties": {"enum": [2, 3]}}]},
     "L207", ["/allOf/0/properties/v/enum", "/allOf/2/additionalProperties/enum"]),
    ("bedrock/strict",
     obj(v={"type": "string", "pattern": "x", "anyOf": [{"pattern": "y"}, {"minLength": 1}]}),
     "L207", ["/properties/v/pattern"]),
    # Values that several patterns speak of.
    ("anthropic/strict",
     obj(c={**OBJECT, "additionalProperties": False,
            "patternProperties": {".*": SHORT, "^x": {"maxLength": 9}}}),
     "L228", ["/properties/c/patternProperties", "/properties/c/patternProperties/.*/minLength",
              "/properties/c/patternProperties/^x/maxLength"]),
    ("openai/strict",
     obj(c={**OBJECT, "patternProperties": {".*": {**TEXT, "format": "date"},
                                            "^x": {"format": "time"}}}),
     "L228", ["/properties/c/patternProperties/^x/format"]),
    # Keywords of a list and of its keys, for those of a map.
    ("bedrock/strict",
     obj(m={**OBJECT, "maxProperties": 5}), "L228", ["/properties/m/maxProperties"]),
    ("bedrock/strict",
     obj(m={**OBJECT, "additionalProperties": False, "patternProperties": {"^(?=a)": TEXT}}),
     "L228", ["/properties/m/patternProperties/^(?=a)"]),
    ("bedrock/strict",
     obj(m={**OBJECT, "additionalProperties": TEXT, "propertyNames": {"pattern": "^(?=a)"}}),
     "L228", ["/properties/m/propertyNames/pattern"]),
    ("bedrock/strict", obj(m=OBJECT), "L216", ["/properties/m"]),
    # Members that a condition declares, or several.
    ("openai/strict",
     {**obj(x=TEXT), "required": ["x"], "if": obj(x={"const": "1"}),
      "else": {"properties": {"v": {"type": "null"}}}},
     "L224", ["/else/properties/v"]),
    ("openai/strict",
     {**obj(x=TEXT), "required": ["x"], "if": obj(x={"const": "1"}),
      "then": {"properties": {"v": {"type": "null"}}}, "else": {"properties": {"v": WHOLE}}},
     "L224", ["/then/properties/v"]),
    # A union that nobody wrote.
    ("anthropic/strict",
     {"anyOf": [obj(v={**SHORT, "description": "d"}), obj(v={**WHOLE, "description": "d"})]},
     "L228", ["/anyOf/0/properties/v/minLength"]),
    ("anthropic/strict",
     {"anyOf": [obj(v=obj(a=TEXT)), obj(v=obj(a=TEXT, b={}))]},
     "L231", ["/anyOf/0/properties/v"]),
]  # fmt: skip


@table("dialect, schema, code, places", MADE)
def test_losses_of_generated_nodes_have_the_place_of_their_origin(dialect, schema, code, places):
    told = lower(schema, DIALECTS[dialect]).losses("f", "inputs")
    found = {str(loss.at): loss for loss in told if loss.code == code}
    assert sorted(found) == sorted(f"/inputs{place}" for place in places)
    if code in {"L207", "L228"}:
        assert all(loss.effect & Effect.WIDENED for loss in found.values())


def test_looking_for_what_is_left_out_comes_to_an_end():
    """Of many parts that contradict each other in many ways, some are reported together."""
    parts = [obj({f"m{n % 700}": {"pattern": str(n)}}) for n in range(1_400)]
    told = lower({**OBJECT, "allOf": parts}, DIALECTS["bedrock"]).losses("f", "inputs")
    places = {str(loss.at) for loss in told if loss.code == "L207"}
    assert "/inputs/allOf/700/properties/m0/pattern" in places
    assert "/inputs/allOf" in places


@table(
    "schema",
    [
        {"oneOf": [{"const": "b"}]},
        {"anyOf": [{"enum": ["a", 1]}, {"const": 2}]},
        {"allOf": [{"const": "b"}]},
        {"allOf": [{"type": "string"}]},
    ],
)
@table("target", ["mcp", "openai", "anthropic"])
def test_a_root_that_no_object_fits_is_wrapped(schema, target):
    converted = tc.convert({"name": "t", "inputSchema": schema}, target)
    (tool,) = tc.read(converted.payload)
    assert tool.inputs["required"] == ["input"]
    assert "L208" in {loss.code for loss in converted.losses}


def test_a_member_that_a_branch_fixes_is_reported_as_narrowed():
    """Also where the object is closed: the branch that leaves it free is an object of its own."""
    branches = [{"properties": {"p": {"const": "a"}}, "required": ["v"]}, {"required": []}]
    schema = {"type": "object", "properties": {"p": {}}, "additionalProperties": False}
    losses = tc.convert(
        {"name": "t", "inputSchema": {**schema, "anyOf": branches}}, "anthropic"
    ).losses
    assert any(loss.effect & tc.Effect.NARROWED for loss in losses)


def test_an_output_schema_never_describes_another_shape_than_the_results():
    """Arguments have a lens, results have none."""
    outputs = {"type": "object", "additionalProperties": {"type": "string"}}
    tool = {"name": "f", "inputSchema": {"type": "object"}, "outputSchema": outputs}
    kept, left_out = tc.convert(tool, "gemini"), tc.convert(tool, "gemini/openapi")
    assert kept.payload["responseJsonSchema"] == outputs
    assert left_out.payload.keys() == {"name", "parameters"}
    assert [loss.code for loss in left_out.losses if loss.at[0] == "outputs"] == ["L005"]


@pytest.mark.parametrize("rejected", ["if", "then", "if else", "if then", "then else"])
def test_a_condition_is_rewritten_as_a_whole(rejected):
    plain = dialect_of("")
    dialect = replace(
        plain, keywords=plain.keywords | dict.fromkeys(rejected.split(), Support.REJECTED)
    )
    schema = {
        **obj(a=TEXT),
        "if": {"required": ["a"]},
        "then": {"required": ["b"]},
        "else": {"required": ["c"]},
    }
    lowered = lower(schema, dialect)
    assert lowered.schema.keys().isdisjoint({"if", "then", "else"})
    assert lowered.schema["description"] == (
        '(if: {"required":["a"]}; then: {"required":["b"]}; else: {"required":["c"]})'
    )
    assert [loss.code for loss in lowered.losses("f", "inputs")] == ["L210"] * 3
    assert violations(schema, lowered, dialect) == []


@pytest.mark.parametrize(
    "target", ["openai/strict", "anthropic/strict", "gemini/openapi", "ollama"]
)
@pytest.mark.parametrize("nothing", [False, {"not": {}}, {"not": True}], ids=str)
def test_an_optional_member_that_may_have_no_value_is_left_out(target, nothing):
    dialect = DIALECTS[target]
    schema = {**obj(a=TEXT, p=nothing), "required": ["a"]}
    lowered = lower(schema, dialect)
    assert list(lowered.schema["properties"]) == ["a"]
    assert lowered.effect == Effect.EXACT
    assert violations(schema, lowered, dialect) == []
    alone = lower(obj(p=nothing), dialect)
    assert not alone.schema.get("properties")
    assert alone.effect == Effect.EXACT
    needed = lower({**obj(p=nothing), "required": ["p"]}, dialect)
    assert "p" in json.dumps(needed.schema)


def test_a_branch_that_forbids_a_member_keeps_it_where_objects_are_open():
    base = {**obj(a=TEXT, b=TEXT), "anyOf": [obj(b=False), obj(a=False)]}
    lowered = lower(obj(x=base), dialect_of("booleans=False"))
    branches = lowered.schema["properties"]["x"]["anyOf"]
    assert [list(branch["properties"]) for branch in branches] == [["b"], ["a"]]


def test_a_member_left_out_of_an_open_object_is_widened():
    schema = {**obj(a=TEXT, p=False), "additionalProperties": TEXT}
    lowered = lower(schema, dialect_of("booleans=False"))
    assert lowered.effect == Effect.WIDENED
    assert judge(lowered.schema).accepts({"p": "x"})
    assert not judge(schema).accepts({"p": "x"})


@pytest.mark.parametrize("target", ["openai", "openai/strict", "anthropic", "gemini/openapi"])
@pytest.mark.parametrize(
    "branch",
    [
        {"anyOf": [{"const": 2}]},
        {"anyOf": [{"anyOf": [{"const": "b"}]}]},
        {"anyOf": [{"oneOf": [{"enum": [1, 2]}]}]},
        {"anyOf": [{"required": ["a"]}, {"anyOf": [{"required": ["b"]}, {"required": ["c"]}]}]},
    ],
    ids=str,
)
def test_a_root_union_that_decides_below_is_widened(target, branch):
    schema = {**obj(a=TEXT, b=TEXT, c=TEXT), "anyOf": [branch]}
    assert not judge(schema).accepts({})
    lowered = lower(schema, DIALECTS[target])
    assert lowered.effect & Effect.WIDENED
    assert violations(schema, lowered, DIALECTS[target]) == []


@pytest.mark.parametrize("silent", [{}, True, {"anyOf": [{}]}], ids=str)
def test_a_root_union_that_decides_nothing_is_exact(silent):
    schema = {**obj(a=TEXT, b=TEXT), "anyOf": [{"anyOf": [silent]}]}
    assert lower(schema, DIALECTS["openai"]).effect == Effect.EXACT


def test_a_condition_that_forbids_a_member_further_below_is_kept():
    """The member is declared beside the condition, so leaving it out would allow it."""
    items = {"type": "array", "items": obj(a=TEXT, b=TEXT)}
    schema = {
        **obj(kind=TEXT, deps=items),
        "if": {"properties": {"kind": {"const": "v2"}}},
        "else": {"properties": {"deps": {"items": {"properties": {"b": False}}}}},
    }
    dialect = dialect_of("booleans=False")
    lowered = lower(schema, dialect)
    assert violations(schema, lowered, dialect) == []
    assert "b" in json.dumps(lowered.schema["else"])
