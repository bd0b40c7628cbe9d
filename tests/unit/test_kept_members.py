"""No parameter is lost: what a target cannot say may declare members, and they stay."""

import pytest

import toolcanon as tc
from tests.referee import parameters
from tests.tables import table
from toolcanon.conversion.target import all_dialects
from toolcanon.diagnostics import Effect
from toolcanon.lowering import lower
from toolcanon.lowering.steps.folded_unions import remark
from toolcanon.schema import upgrade
from toolcanon.schema.validate import judge

DIALECTS = all_dialects()
FOLDING = ["openai", "anthropic", "bedrock", "xai"]  # unions at the root
NARROW = [
    "openai/strict", "anthropic/strict", "bedrock/strict", "cohere/strict", "deepseek/strict",
    "groq/strict", "mistral/strict", "gemini/openapi", "gemini/openapi/litellm", "ollama",
    "smolagents",
]  # fmt: skip
TEXT, NUMBER = {"type": "string"}, {"type": "integer"}


def having(**members):
    return {"properties": members}


KIND = {"type": "object", "required": ["kind"], **having(kind={"enum": ["a", "b"]})}
CONFIG = {"type": "object", **having(p=TEXT)}
HIDDEN = {
    "then": {"if": having(kind={"const": "a"}), "then": having(x=TEXT)},
    "else": {"if": having(kind={"const": "a"}), "then": {}, "else": having(x=TEXT)},
    "dependentSchemas": {"dependentSchemas": {"kind": having(x=TEXT)}},
    "allOf": {"allOf": [{"if": having(kind={"const": "a"}), "then": {"required": ["kind"]}},
                        {"if": having(kind={"const": "b"}), "then": having(x=TEXT)}]},
    "a reference beside members": {"$ref": "#/$defs/more", **having(y=TEXT)},
    "then of then": {"if": {}, "then": {"if": {}, "then": having(x=TEXT)}},
    "a reference in then": {"if": {}, "then": {"$ref": "#/$defs/more"}},
    "a union in then": {"if": {}, "then": {"anyOf": [having(x=TEXT), having(y=TEXT)]}},
}  # fmt: skip


def placed(schema):
    """At the root and as a member; the definition is available for both."""
    more = {"$defs": {"more": {"type": "object", **having(x=TEXT)}}}
    yield {**schema, **more}, ("x",)
    yield {"type": "object", **having(o=schema), **more}, ("o", "x")


def assert_kept(schema, path, target):
    lowered = lower(schema, DIALECTS[target])
    assert path in parameters(lowered.schema), target
    assert lowered.effect & Effect.WIDENED, target


@table("union", ["anyOf", "oneOf"])
@table("where", HIDDEN)
def test_members_of_a_branch_are_kept_wherever_it_declares_them(where, union):
    schema = {**KIND, union: [HIDDEN[where], having(size=NUMBER)]}
    (root, path), (nested, deep) = placed(schema)
    for target in NARROW:
        assert_kept(root, path, target)
        assert_kept(nested, deep, target)
    for target in FOLDING:
        assert_kept(root, path, target)


DEEPER = {
    "then": {"if": {}, "then": having(c=having(q=TEXT))},
    "a branch": {"anyOf": [having(c=having(q=TEXT)), {"required": ["c"]}]},
    "one of two conditions": {
        "allOf": [{"if": {}, "then": {"required": ["c"]}},
                  {"if": {}, "then": having(c=having(q=TEXT))}]
    },
    "a member of several parts": {
        "allOf": [having(c={"if": {}, "then": {"required": ["p"]}}),
                  having(c={"if": {}, "then": having(q=TEXT)})]
    },
}  # fmt: skip


@pytest.mark.parametrize("where", DEEPER)
def test_members_below_a_declared_member_are_kept(where):
    for config in (CONFIG, {"$ref": "#/$defs/config"}):
        schema = {"type": "object", **having(c=config), **DEEPER[where]}
        schema["$defs"] = {"config": CONFIG}
        for target in NARROW:
            found = parameters(lower(schema, DIALECTS[target]).schema)
            assert {("c", "p"), ("c", "q")} <= set(found), target


@pytest.mark.parametrize("key", ["items", "unevaluatedItems"])
def test_members_of_items_are_kept(key):
    listed = {"type": "array", key: CONFIG}
    schema = {"type": "object", **having(c=listed), "if": {},
              "then": having(c={"items": having(q=TEXT)})}  # fmt: skip
    for target in NARROW:
        assert ("c", "q") in parameters(lower(schema, DIALECTS[target]).schema), target


def test_a_member_that_was_required_and_free_is_narrowed():
    branch = {"if": having(kind={"const": "a"}), "then": having(x=TEXT)}
    schema = {**KIND, "required": ["kind", "x"], "oneOf": [branch, having(size=NUMBER)]}
    assert lower(schema, DIALECTS["openai/strict"]).effect & Effect.NARROWED


MODES = [{**having(mode={"const": "a"}), "required": ["x"]}, having(mode={"const": "b"})]


@table(
    "key, own, branches, text",
    [
        ("oneOf", {}, MODES, "x when mode is a"),
        ("anyOf", {}, [*MODES, having(mode={"enum": ["a"]})], None),  # a is of two branches
        (
            "anyOf",
            {},
            [{**having(m={"enum": [1, 2]}), "required": ["x", "y"]},
             {**having(m={"const": True}), "required": ["z"]}],
            "x and y when m is 1 or 2; z when m is true",
        ),
        ("oneOf", {}, [{"required": ["a"]}, {"required": ["b"]}], "exactly one of: a | b"),
        ("anyOf", {}, [{"required": ["a"]}, {"required": ["b"]}], "at least one of: a | b"),
        ("anyOf", {}, [{"required": ["a"]}, {}], None),
        ("anyOf", {}, [having(a=TEXT), having(b=TEXT)], None),
        # With an a that is a number both are given, and only the second is meant.
        ("oneOf", having(a={}), [{**having(a=TEXT), "required": ["a"]}, {"required": ["b"]}],
         "at least one of: a | b"),
        ("oneOf", {}, [{"required": ["a"]}, {"required": ["b"], "minProperties": 3}],
         "at least one of: a | b"),
        ("oneOf", {}, [{"required": ["a"]}, {**having(b={}), "required": ["b"],
                                            "additionalProperties": False}],
         "at least one of: a | b"),
        ("oneOf", {}, [{"required": ["a" * 400]}, {"required": ["b" * 400]}], None),
    ],
)  # fmt: skip
def test_dependencies_are_stated_where_they_always_hold(key, own, branches, text):
    assert remark(key, own, branches, []) == text


def test_a_discriminator_keeps_its_title_and_the_words_of_its_values():
    mode = {"type": "string", "title": "Mode"}
    described = [having(mode={"const": "a", "description": "first"}),
                 having(mode={"const": "b", "description": "second"})]  # fmt: skip
    for branches, words in ((MODES, None), (described, "(a: first; b: second)")):
        schema = {"type": "object", **having(mode=mode, x=TEXT), "required": ["mode"]}
        schema["oneOf"] = branches
        made = lower(schema, DIALECTS["groq/strict"]).schema["properties"]["mode"]
        assert made["enum"] == ["a", "b"]
        assert (made["title"], made.get("description")) == ("Mode", words)


def test_values_of_several_types_are_listed_without_a_type():
    branches = [having(mode={"type": "string", "const": "a"}), having(mode={"const": 1})]
    schema = {"type": "object", "anyOf": branches}
    assert (
        lower(schema, DIALECTS["openai"]).schema["properties"]
        == having(mode={"enum": ["a", 1]})["properties"]
    )


BESIDE = {
    "properties": having(x=TEXT),
    "a closed object": {**having(x=TEXT), "required": ["x"], "additionalProperties": False},
    "allOf": {"allOf": [having(x=TEXT)]},
    "anyOf": {"anyOf": [having(x=TEXT), having(y=TEXT)]},
    "then": {"if": having(p={"const": "q"}), "then": having(x=TEXT)},
    "dependencies": {"dependencies": {"p": having(x=TEXT)}},
    "another reference": {"allOf": [{"$ref": "#/definitions/more"}]},
    "others": {"additionalProperties": {"type": "object", **having(x=TEXT)}},
    "patterns": {"patternProperties": {"^p_": {"type": "object", **having(x=TEXT)}}},
    "a member of the reference": having(p={"$ref": "#/definitions/config"}, x=TEXT),
}


@table("draft", ["draft-04", "draft-06", "draft-07"])
@table("where", BESIDE)
def test_members_beside_a_reference_are_kept_in_drafts_that_ignore_them(where, draft):
    node = {"$ref": "#/definitions/config", **BESIDE[where]}
    more = {"$schema": f"http://json-schema.org/{draft}/schema#",
            "definitions": {"config": CONFIG, "more": {"type": "object", **having(x=TEXT)},
                            "node": node}}  # fmt: skip
    listed = {"type": "array", "items": node}
    for root in (node, having(o=node), having(o=listed), having(o={"$ref": "#/definitions/node"})):
        schema = {**root, **more} if root is node else {"type": "object", **root, **more}
        for target, dialect in DIALECTS.items():
            found = {path[-1] for path in parameters(lower(schema, dialect).schema)}
            assert {"p", "x"} <= found, target


def test_members_beside_a_reference_can_be_sent():
    node = {"$ref": "#/definitions/config", **having(x=TEXT), "additionalProperties": False}
    schema = {"$schema": "http://json-schema.org/draft-07/schema#", "type": "object",
              **having(o=node), "definitions": {"config": CONFIG}}  # fmt: skip
    args = {"o": {"p": "a", "x": "b"}}
    for target in ("openai", "anthropic", "gemini", "bedrock", "mcp", "json-schema"):
        binding = tc.bind(tc.CanonicalTool(name="f", inputs=schema), target)
        restored = binding.restore(*binding.render("f", args))
        assert (restored.arguments, restored.problems) == (args, ()), target


@pytest.mark.parametrize("draft", ["draft-04", "draft-06", "draft-07"])
@pytest.mark.parametrize(
    "target",
    [
        {"type": "object", **having(p=TEXT), "additionalProperties": False},
        {"allOf": [{"$ref": "#/definitions/closed"}]},
        {"$ref": "#/definitions/closed"},
    ],
)
def test_ignored_siblings_ask_for_nothing_that_a_closed_reference_refuses(target, draft):
    closed = {"type": "object", **having(p=TEXT), "additionalProperties": False}
    beside = {**having(x=TEXT), "required": ["x", "p"]}
    for siblings in (beside, {"allOf": [beside]}):
        schema = {"$schema": f"http://json-schema.org/{draft}/schema#", "type": "object",
                  **having(o={"$ref": "#/definitions/a", **siblings}),
                  "definitions": {"a": target, "closed": closed}}  # fmt: skip
        for name, dialect in DIALECTS.items():
            lowered = lower(schema, dialect)
            args = {"o": {"p": "a"}}
            wire = lowered.lens.apply(args) if lowered.lens else args
            assert judge(upgrade(lowered.schema).schema).accepts(wire) is not False, name


NAMED = {
    "required in a branch": {"anyOf": [{"required": ["x"]}, {"required": ["p"]}]},
    "asked about in if of a branch": {
        "anyOf": [{"if": having(x={"const": "a"}), "then": {}}, {"required": ["p"]}]},
    "asked about in if of a part": {"allOf": [{"if": {"required": ["x"]}, "then": {}}]},
    "required in then": {"if": having(p={"const": "a"}), "then": {"required": ["x"]}},
    "asked about in if": {"if": having(x={"const": "a"}), "then": {"required": ["p"]}},
    "required in if": {"if": {"required": ["x"]}, "then": {"required": ["p"]}},
    "what a schema depends on": {"dependentSchemas": {"x": {"required": ["p"]}}},
    "required in a dependent schema": {"dependentSchemas": {"p": {"required": ["x"]}}},
}  # fmt: skip


@pytest.mark.parametrize("where", NAMED)
def test_members_that_are_named_without_a_schema_can_be_sent(where):
    (root, path), (nested, deep) = placed({**CONFIG, **NAMED[where]})
    for target in NARROW:
        assert path in parameters(lower(root, DIALECTS[target]).schema), target
        assert deep in parameters(lower(nested, DIALECTS[target]).schema), target


@pytest.mark.parametrize("key", ["contains", "unevaluatedItems"])
def test_members_of_items_that_a_list_contains_are_kept(key):
    listed = {"type": "array", "items": CONFIG, key: {"type": "object", **having(q=TEXT)}}
    for target in NARROW:
        found = parameters(lower({"type": "object", **having(c=listed)}, DIALECTS[target]).schema)
        wanted = {("c", "p"), ("c", "q")} if key == "contains" else {("c", "p")}  # the rest is idle
        assert wanted <= set(found), target


def test_unevaluated_items_bind_where_a_target_wants_items():
    listed = {"type": "array", "unevaluatedItems": CONFIG}
    placed_first = {"type": "array", "prefixItems": [TEXT], "unevaluatedItems": CONFIG}
    for target in ("openai", "bedrock", "gemini", "xai"):
        for one in (listed, placed_first):
            lowered = lower({"type": "object", **having(c=one)}, DIALECTS[target])
            assert ("c", "p") in parameters(lowered.schema), target
    assert lower({"type": "object", **having(c=listed)}, DIALECTS["openai"]).schema == {
        "type": "object", **having(c={"type": "array", "items": CONFIG})}  # fmt: skip


RETOLD = {
    "(at least one of: _x | b)": {"anyOf": [{"required": ["$x"]}, {"required": ["b"]}]},
    "(_x when b is p)": {
        "oneOf": [{**having(b={"const": "p"}), "required": ["$x"]}, having(b={"const": "q"})]
    },
    '(if: {"required":["_x"]}; then: {"required":["b"]})': {
        "if": {"required": ["$x"]}, "then": {"required": ["b"]}},
    '(dependentSchemas: {"_x":{"required":["b"]}})': {
        "dependentSchemas": {"$x": {"required": ["b"]}}},
}  # fmt: skip


@pytest.mark.parametrize("note", RETOLD)
def test_notes_name_members_as_they_are_written(note):
    schema = {"type": "object", **having(**{"$x": TEXT}, b=TEXT), **RETOLD[note]}
    schema["description"] = f"Said before: {note.replace('_x', '$x')}"
    lowered = lower(schema, DIALECTS["anthropic/strict"])
    assert lowered.schema["description"] == f"{schema['description']} {note}"
    assert [loss.code for loss in lowered.losses("f", "") if loss.effect] in (
        ["L209"],
        ["L210"],
        ["L210", "L210"],
    )


@table("target", NARROW)
def test_naming_a_required_member_again_without_a_rule_narrows_nothing(target):
    def branch(value, **members):
        return {"if": having(kind={"const": value}), "then": having(kind=True, **members),
                "else": False}  # fmt: skip

    schema = {**KIND, "oneOf": [branch("a", x=TEXT), branch("b", y=NUMBER)]}
    assert not lower(schema, DIALECTS[target]).effect & Effect.NARROWED


def test_members_of_unevaluated_items_are_kept_beside_a_long_contains():
    long = {"type": "object", **having(**{f"m{number}": TEXT for number in range(20)})}
    listed = {"type": "array", "prefixItems": [TEXT], "contains": long, "unevaluatedItems": CONFIG}
    for target in NARROW:
        found = parameters(lower({"type": "object", **having(c=listed)}, DIALECTS[target]).schema)
        assert {"p", "m0", "m19"} <= {path[-1] for path in found}, target


@table("target", [*NARROW, "openai/llguidance"])
def test_conditions_that_declare_one_member_differently_allow_each_of_them(target):
    """Merged conditions are alternatives: the first of them does not bind the others."""
    one, other = {"type": "string", "enum": ["x"]}, {"type": "string", "enum": ["y"]}
    schema = {**KIND, "allOf": [
        {"if": having(kind={"const": "a"}), "then": having(m=one)},
        {"if": having(kind={"const": "b"}), "then": having(m=other)},
    ]}  # fmt: skip
    lowered = lower(schema, DIALECTS[target])
    for value in ({"kind": "a", "m": "x"}, {"kind": "b", "m": "y"}):
        wire = value if lowered.lens is None else lowered.lens.apply(value)
        assert judge(lowered.schema).accepts(wire), (target, value)
        assert value == (wire if lowered.lens is None else lowered.lens.restore(wire))


def test_branches_apart_by_the_type_of_their_union_lose_nothing_as_any_of():
    branches = [
        {"properties": {"kind": {"const": kind}}, "required": ["kind"]} for kind in ("a", "b")
    ]
    schema = {"type": "object", "properties": {"o": {"type": "object", "oneOf": branches}}}
    lowered = lower(schema, DIALECTS["openai/llguidance"])
    assert not lowered.effect & Effect.WIDENED


FREE = {
    "patterns": {"patternProperties": {"^x": NUMBER}},
    "additional ones": {"additionalProperties": NUMBER},
    "unevaluated ones": {"unevaluatedProperties": NUMBER},
    "any": {"additionalProperties": True},
}
SPOKEN = {
    "then": lambda part: {"if": having(kind={"const": "a"}), "then": part},
    "else": lambda part: {"if": having(kind={"const": "b"}), "else": part},
    "a dependent schema": lambda part: {"dependentSchemas": {"kind": part}},
    "then of a part": lambda part: {"allOf": [{"if": having(kind={"const": "a"}), "then": part}]},
    "a branch": lambda part: {"anyOf": [{**part, **having(kind={"const": "a"})},
                                        {"required": ["kind"]}]},
    "then of a branch": lambda part: {"anyOf": [{"if": {"required": ["kind"]}, "then": part},
                                                {"required": ["kind"]}]},
}  # fmt: skip


@table("where", SPOKEN)
@table("free", FREE)
def test_undeclared_members_can_be_sent_or_are_reported_as_narrowed(free, where):
    schema = {**KIND, **SPOKEN[where]({**having(kind=True), **FREE[free]})}
    args = {"kind": "a", "x1": 3}
    assert judge(schema).accepts(args)
    for whole, sent in ((schema, args), ({"type": "object", **having(o=schema)}, {"o": args})):
        for target in NARROW:
            lowered = lower(whole, DIALECTS[target])
            wire = lowered.lens.apply(sent) if lowered.lens else sent
            kept = judge(upgrade(lowered.schema).schema).accepts(wire) is not False
            assert kept or lowered.effect & Effect.NARROWED, target


DEPENDENT = {
    "asked for": {"dependentRequired": {"kind": ["x"]}},
    "asking": {"dependentRequired": {"x": ["kind"]}},
    "in then": {"if": {"required": ["kind"]}, "then": {"dependentRequired": {"kind": ["x"]}}},
    "in a branch": {"anyOf": [{"dependentRequired": {"kind": ["x"]}}, {"required": ["kind"]}]},
    "in a part": {"allOf": [{"dependentRequired": {"kind": ["x"]}}]},
}


@pytest.mark.parametrize("where", DEPENDENT)
def test_members_that_others_depend_on_can_be_sent(where):
    schema = {**KIND, **DEPENDENT[where]}
    for whole, path in ((schema, ("x",)), ({"type": "object", **having(o=schema)}, ("o", "x"))):
        for target in NARROW:
            assert path in parameters(lower(whole, DIALECTS[target]).schema), target


RECURRING = {
    "type": "object",
    "properties": {"name": TEXT, "value": {}, "args": {"items": {"$ref": "#/$defs/arg"}}},
    "additionalProperties": False,
    "anyOf": [
        {"properties": {"name": {"enum": ["a", "b"]}}, "required": ["name"]},
        {"properties": {"value": {"anyOf": [{"type": "integer"}, {"$ref": "#/$defs/one"},
                                            {"$ref": "#/$defs/two"}]}},
         "required": ["value"]},
    ],
}  # fmt: skip
BESIDE_A_UNION = {
    "type": "object",
    **having(arg={"$ref": "#/$defs/arg"}),
    "$defs": {
        "arg": RECURRING,
        "one": {"type": "object", **having(css=TEXT, arg={"$ref": "#/$defs/arg"})},
        "two": {"type": "object", **having(ref={"$ref": "#/$defs/arg"})},
    },
}


@table("target", [*NARROW, "openai/llguidance"])
def test_keywords_beside_a_union_leave_each_branch_possible(target):
    """Members beside a union go along with branches that get a key; a free member stays free."""
    lowered = lower(BESIDE_A_UNION, DIALECTS[target])
    for arg in (
        {"name": "a", "args": [{"name": "b"}]},
        {"value": 1},
        {"value": {"css": "x", "arg": {"name": "b"}}},
    ):
        value = {"arg": arg}
        wire = lowered.lens.apply(value) if lowered.lens else value
        assert judge(upgrade(lowered.schema).schema).accepts(wire), arg
        assert (lowered.lens.restore(wire) if lowered.lens else wire) == value


LED = {"$ref": "#/$defs/pair"}
REFERRING = {
    "then": {"if": {"required": ["kind"]}, "then": {**having(x=LED), "required": ["x"]}},
    "not": {"not": LED},
    "a dependent schema": {"dependentSchemas": {"kind": {"$ref": "#/$defs/chain"}}},
    "recursion": {"dependentSchemas": {"kind": {"$ref": "#/$defs/node"}}},
    "names": {"propertyNames": {"$ref": "#/$defs/word"}},
    "a list": having(x={"type": "array", "items": {}, "contains": LED}),
    "a tuple": having(x={"type": "array", "prefixItems": [TEXT], "contains": LED}),
}


def descriptions(schema):
    if isinstance(schema, list):
        return [text for inner in schema for text in descriptions(inner)]
    if not isinstance(schema, dict):
        return []
    own = [schema["description"]] if isinstance(schema.get("description"), str) else []
    return own + [text for inner in schema.values() for text in descriptions(inner)]


@pytest.mark.parametrize("where", REFERRING)
def test_notes_make_sense_without_definitions(where):
    defs = {"pair": {"type": "object", **having(p=TEXT)}, "chain": LED, "word": {"maxLength": 3},
            "node": having(next={"$ref": "#/$defs/node"})}  # fmt: skip
    schema = {**KIND, **REFERRING[where], "$defs": defs}
    for target, dialect in DIALECTS.items():
        for text in descriptions(lower(schema, dialect).schema):
            assert "$ref" not in text, (target, text)


def test_notes_write_out_what_a_reference_leads_to():
    schema = {**KIND, "not": LED, "$defs": {"pair": {"type": "object", **having(p=TEXT)}}}
    (text,) = descriptions(lower(schema, DIALECTS["openai/strict"]).schema)
    assert text == '(not: {"type":"object","properties":{"p":{"type":"string"}}})'
