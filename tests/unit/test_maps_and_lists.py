"""Maps, tuples, lists of types and of values: odd company for them, and what is claimed of it."""

import pytest

import toolcanon as tc
from tests.corpus.test_lowering import keywords, untold_keywords
from tests.lens_laws import violations
from tests.tables import table, tried
from tests.unit.test_steps import dialect_of
from toolcanon.conversion.target import all_dialects
from toolcanon.diagnostics import Effect
from toolcanon.dialect import Support
from toolcanon.lowering import lower
from toolcanon.schema import upgrade
from toolcanon.schema.validate import judge

DIALECTS = all_dialects()
MAPLESS = [
    name
    for name, dialect in DIALECTS.items()
    if not dialect.maps and not name.startswith("openai-responses")
]
PLAIN = dialect_of(
    "maps=False closed=True type_lists=False union_siblings=False enum_primitives=True "
    + " ".join(
        f"keywords.{word}=REJECTED"
        for word in "allOf not prefixItems patternProperties propertyNames dependentRequired "
        "unevaluatedProperties minProperties maxProperties uniqueItems contains".split()
    )
)
MATERIAL = Effect.WIDENED | Effect.NARROWED
TEXT, WHOLE, NULL = {"type": "string"}, {"type": "integer"}, {"type": "null"}


def obj(**members):
    return {"type": "object", "properties": members}


def needs(*names, **members):
    return {**obj(**members), "required": list(names)}


def patterns(others=None, **rules):
    """An object whose members go by patterns: ``_a`` is the pattern ``^a``."""
    node = {"type": "object", "patternProperties": {"^" + key[1:]: s for key, s in rules.items()}}
    return node if others is None else {**node, "additionalProperties": others}


EVERY = {"type": "object", "patternProperties": {".*": WHOLE}}
PAIR = {"type": "array", "prefixItems": [TEXT, WHOLE], "minItems": 2}
AB = {"anyOf": [needs("b", b=TEXT), needs("c", c=WHOLE)]}

# Schemas of a member, and what may be claimed of it where there are no maps.
EXACT = {
    "nothing but what is evaluated, which is nothing":
        {"type": "object", "unevaluatedProperties": False},
    "anything by another word": {"type": "object", "unevaluatedProperties": True},
    "a map by another word": {"type": "object", "unevaluatedProperties": TEXT},
    "others by another word": {**obj(a=TEXT), "unevaluatedProperties": TEXT},
    "others of a conjunction":
        {"type": "object", "allOf": [obj(a=WHOLE), obj(b=TEXT)], "unevaluatedProperties": False},
    "a pattern, or other members":
        {"anyOf": [patterns(_a=TEXT), needs("b", b={"type": "array", "items": TEXT})]},
    "no key is left for the others": {**EVERY, "additionalProperties": TEXT},
    "a pattern for a declared member": {**patterns(False, _a=WHOLE), "properties": {"ab": {}}},
    "a pattern that narrows a declared member":
        {**patterns(False, _a={**TEXT, "minLength": 1}), "properties": {"ab": TEXT, "b": TEXT}},
    "a pattern for a member that must be there":
        {**patterns(False, _a=WHOLE), "required": ["a1"]},
    "a pattern and no word on other keys": patterns(_a=WHOLE),
    "patterns that forbid, where nothing else is open":
        {**patterns(False, _x=False), "properties": {"a": TEXT}},
    "the same for keys of a pattern and for others": patterns(TEXT, _a=TEXT),
    "no members at all": {"type": "object", "additionalProperties": TEXT, "maxProperties": 0},
    "a count that never counted":
        {"type": "object", "additionalProperties": TEXT, "minProperties": 0},
    "a count that is met anyway":
        {**needs("a", a=WHOLE), "additionalProperties": WHOLE, "minProperties": 1},
    "values of one of the types": {"type": ["string", "boolean"], "enum": ["a"]},
    "values of one of the types, a list being another":
        {"type": ["array", "string"], "items": WHOLE, "enum": ["a", "b"]},
    "values of one of the types, or null": {"type": ["array", "string", "null"],
                                            "enum": ["a", None]},
    "null is the only value": {"type": ["string", "integer", "null"], "enum": [None]},
    "null is not among the values": {"type": ["string", "null"], "enum": ["a"]},
    "one value of one of the types": {"type": ["array", "string", "null"], "const": "a"},
    "a number or null": {"anyOf": [{"enum": [2]}, NULL]},
    "a number or a constant null": {"anyOf": [{"enum": [2, "2"]}, {"const": None}]},
    "an object listed": {"type": "object", "enum": [{}]},
    "a constant object": {"type": "object", "additionalProperties": False, "const": {}},
    "lists listed": {"type": "array", "prefixItems": [TEXT, WHOLE], "enum": [["a", 1], []]},
    "a pair": {**PAIR, "items": False},
    "a pair and what can never follow": {**PAIR, "items": obj(lost=TEXT), "maxItems": 2},
    "a pair and what follows": {**PAIR, "items": TEXT, "maxItems": 4},
    "places that never hold the same": {**PAIR, "items": False, "uniqueItems": True},
    "two alike": {**PAIR, "prefixItems": [TEXT, TEXT], "items": False, "minItems": 0},
    "null among the values of a string": {"type": "string", "enum": [None, "y"]},
    "values given twice": {"enum": ["a", "a", 1, 1.0]},
    "numbers and truths": {"enum": [1, True, [1], [True]]},
}  # fmt: skip
WIDENED = {
    "a declared member among the others": {**obj(a=WHOLE), "additionalProperties": TEXT},
    "others of either branch": {"type": "object", **AB, "unevaluatedProperties": False},
    "patterns for different values": patterns(False, _a=WHOLE, _b=TEXT),
    "a pattern and others": patterns(TEXT, _a=WHOLE),
    "a pattern within every key": {"type": "object", "patternProperties": {".*": TEXT,
                                   "^a": {"maxLength": 1}}},
    "a pattern that forbids": patterns(TEXT, _x=False),
    "a pattern that forbids, and no other word": patterns(_x=False),
    "too many members":
        {**obj(a=TEXT), "additionalProperties": WHOLE, "maxProperties": 1},
    "a member that must come with another":
        {"type": "object", "additionalProperties": TEXT, "dependentRequired": {"a": ["b"]}},
    "no name is right": {"type": "object", "additionalProperties": TEXT, "propertyNames": False},
    "the name of a declared member is wrong":
        {**obj(ab=TEXT), "additionalProperties": WHOLE, "propertyNames": {"maxLength": 1}},
    "values of no type": {"type": ["null"], "enum": ["y"]},
    "values of none of the types": {"type": ["number", "array"], "enum": ["x"]},
    "a place that decides":
        {**PAIR, "prefixItems": [TEXT, WHOLE, TEXT], "minItems": 3, "items": False,
         "contains": {"const": "x"}},
    "places that may hold the same":
        {**PAIR, "prefixItems": [TEXT, {"type": ["string", "integer"]}], "items": False,
         "uniqueItems": True},
}  # fmt: skip
NARROWED = {
    "others are welcome beside a pattern": patterns(True, _a=WHOLE),
    "others are welcome by another word": {**obj(a=TEXT), "unevaluatedProperties": True},
}  # fmt: skip
BOTH = {
    "others are welcome beside members and a pattern":
        {**patterns({}, _a=WHOLE), "properties": {"b": TEXT}},
    "what must be there may follow":
        {**PAIR, "prefixItems": [TEXT, WHOLE, TEXT], "minItems": 3, "contains": {"const": "x"}},
}  # fmt: skip
CLAIMED = {
    **dict.fromkeys(EXACT, Effect.EXACT),
    **dict.fromkeys(WIDENED, Effect.WIDENED),
    **dict.fromkeys(NARROWED, Effect.NARROWED),
    **dict.fromkeys(BOTH, MATERIAL),
}
ALL = {**EXACT, **WIDENED, **NARROWED, **BOTH}


@table("name", ALL)
def test_claims_hold(name, subtests):
    for dialect in MAPLESS:
        with tried(subtests, dialect):
            for schema in (obj(x=ALL[name]), needs("x", x=ALL[name])):
                lowered = lower(schema, DIALECTS[dialect])
                found = violations(upgrade(schema).schema, lowered, DIALECTS[dialect])
                assert not [item for item in found if not item[0].startswith("never")]


@table("name", ALL)
def test_no_less_and_no_more_is_claimed_than_need_be(name):
    claimed = lower(needs("x", x=ALL[name]), PLAIN).effect & MATERIAL
    assert claimed == CLAIMED[name]


# Objects that declare members by patterns, and a value that must get through without them.
BY_PATTERN = [
    (patterns(False, _a=WHOLE), {"a": 1}),
    (patterns(False, _a=WHOLE, _b=TEXT), {"a": 1, "b": "x"}),
    (patterns(False, _a=WHOLE, _b=False), {"a": 1}),
    (patterns(TEXT, _a=WHOLE), {"a": 1, "k": "x"}),
    (patterns(_a=WHOLE), {"a": 1, "k": "x"}),
    (patterns(True, _a=WHOLE), {"a": 1, "k": "x"}),
    (EVERY, {"k": 1}),
    ({**patterns(False, _a={**TEXT, "minLength": 1}), "properties": {"ab": TEXT}}, {"ab": "x"}),
    ({**patterns(False, _a=WHOLE), "required": ["a1"]}, {"a1": 1}),
]


@table("node, value", BY_PATTERN)
@table("text", ["keywords.patternProperties=REJECTED", "name_patterns=0"])
def test_members_outlive_patterns_of_names_that_are_refused(node, value, text):
    schema, dialect = needs("x", x=node), dialect_of(text)
    lowered = lower(schema, dialect)
    assert "patternProperties" not in lowered.schema["properties"]["x"]
    assert judge(lowered.schema).accepts({"x": value})
    assert not violations(upgrade(schema).schema, lowered, dialect)
    assert bool(lowered.effect & Effect.WIDENED) == (node is not EVERY)


# What the model could write before, and the tool would have refused.
SAID = [
    ("no key is left for the others", {"k": "s"}),
    ("a pattern for a declared member", {"ab": "s"}),
    ("nothing but what is evaluated, which is nothing", {"k": 1}),
    ("others by another word", {"k": 1}),
    ("no members at all", {"k": "s"}),
    ("values of one of the types", False),
    ("values of one of the types, a list being another", [1]),
    ("one value of one of the types", None),
    ("null is not among the values", None),
]


@pytest.mark.parametrize("name, value", SAID)
def test_what_was_rejected_cannot_be_expressed(name, value):
    schema = needs("x", x=EXACT[name])
    assert not judge(schema).accepts({"x": value})
    for dialect in (PLAIN, DIALECTS["openai/strict"]):
        lowered = lower(schema, dialect)
        wire = lowered.lens.apply({"x": value}) if lowered.lens else {"x": value}
        assert not judge(lowered.schema).accepts(wire)


def test_null_can_be_sent_beside_strings():
    lowered = lower(needs("x", x=EXACT["a number or null"]), DIALECTS["gemini/openapi"])
    assert lowered.schema["properties"]["x"] == {"type": "string", "enum": ["2"], "nullable": True}
    assert lowered.lens.restore({"x": None}) == {"x": None}


@table("name", ALL)
def test_what_is_gone_is_reported_and_nothing_is_written_twice(name, subtests):
    tool = tc.CanonicalTool(name="f", inputs=needs("x", x=ALL[name]))
    used = list(keywords(tool.input_schema))
    for dialect in DIALECTS:
        with tried(subtests, dialect):
            bound = tc.bind(tool, dialect.partition("/")[0], dialect=dialect)
            (item,) = bound._bound
            written = list(keywords(item.wire.inputs))
            assert not list(untold_keywords(used, written, bound.losses))
            for place in written:
                value = item.wire.inputs
                for step in place:
                    value = value[step]
                if place[-1] in {"enum", "type", "required"} and isinstance(value, list):
                    shown = list(map(repr, value))
                    assert len(shown) == len(set(shown)) or ALL[name].get("enum") == value


@pytest.mark.parametrize("kind", ["array", ["array", "object"], ["array", "null"]])
def test_a_list_keeps_its_items_whatever_is_beside_them(kind):
    for members in ({}, {"a": TEXT}):
        node = {"type": kind, "properties": members}
        lowered = lower(obj(x=node), dialect_of("items=True empty_properties=False"))
        assert lowered.schema["properties"]["x"]["items"] == {}
        lowered = lower(obj(x=node), DIALECTS["openai"])
        assert lowered.schema["properties"]["x"]["items"] == {}


AMONG_OTHERS = [
    # What comes, what is meant, where it was not clear.
    ([("name", "n"), ("age", 2)], {}, {"name": "n", "age": 2}, []),
    ([("name", 1), ("age", 2)], {}, {"name": 1, "age": 2}, []),
    ([("name", 1), ("age", 2)], {"name": "n"}, {"name": "n", "age": 2}, [("name",)]),
    ([("name", "n")], {"name": "n"}, {"name": "n"}, []),
]


@pytest.mark.parametrize("others, own, meant, unclear", AMONG_OTHERS)
def test_a_declared_member_among_the_others_is_that_member(others, own, meant, unclear):
    schema = {**obj(name=TEXT), "additionalProperties": WHOLE}
    lens = lower(schema, DIALECTS["gemini/openapi"]).lens
    troubles = []
    entries = [{"key": key, "value": value} for key, value in others]
    wire = {**own, "additional_properties": entries}
    assert lens.restore(wire, troubles) == meant
    assert [trouble.at for trouble in troubles] == unclear


@table("dialect", MAPLESS)
def test_a_declared_member_among_the_others_is_judged_by_what_was_declared(dialect):
    schema = {**obj(name=WHOLE), "additionalProperties": TEXT}
    bound = tc.bind(tc.CanonicalTool(name="f", inputs=schema), dialect.partition("/")[0],
                    dialect=dialect)  # fmt: skip
    _, wire = bound.render("f", {"age": "young"})
    wire["additional_properties"][0]["key"] = "name"
    (problem,) = bound.restore("f", wire).problems
    assert tuple(problem.at) == ("name",)
    assert any(loss.code == "L221" and loss.effect & Effect.WIDENED for loss in bound.losses)


# Where no other member can be called so, or would be the same, all is as it was.
UNMIXED = [
    {**obj(name=WHOLE), "additionalProperties": WHOLE},
    {**obj(name={}), "additionalProperties": WHOLE},
    {**needs("name", name=TEXT), "additionalProperties": WHOLE},
    {**obj(name=TEXT), "patternProperties": {"^x-": WHOLE}, "additionalProperties": False},
    {**obj(name=TEXT), "additionalProperties": WHOLE, "propertyNames": {"enum": ["a", "b"]}},
]


@pytest.mark.parametrize("schema", UNMIXED)
def test_others_that_are_no_declared_members_are_exact(schema):
    told = lower(needs("x", x=schema), PLAIN).losses("f", "inputs")
    assert not any(loss.code == "L221" and loss.effect & MATERIAL for loss in told)


BOMBS = {
    "many patterns": {**obj(a=TEXT), "patternProperties": {f"^a{i}": WHOLE for i in range(3000)}},
    "many patterns, many members": {
        **obj(**{f"a{i}": TEXT for i in range(500)}),
        "patternProperties": {f"^a{i}": WHOLE for i in range(60)},
    },
    "patterns that no one can run": {**obj(a=TEXT), "patternProperties": {"(?=a)": WHOLE}},
}


@pytest.mark.parametrize("name", BOMBS)
def test_losses_of_patterns_are_reported_at_ignored_keywords(name):
    told = lower(BOMBS[name], DIALECTS["openai/strict"]).losses("f", "inputs")
    assert any(
        loss.code == "L228" and loss.at[-1] == "patternProperties" and loss.effect & Effect.WIDENED
        for loss in told
    )


PAIR = {"type": "array", "prefixItems": [TEXT, WHOLE], "minItems": 2}
APART = {
    "declared beside others": (
        {"type": "object", "properties": {"a": {"type": "array"}, "b": {}},
         "additionalProperties": PAIR},
        {"a": [1], "b": {"item_1": "x", "item_2": 2}, "c": ["x", 2]},
        "keywords.prefixItems=REJECTED",
    ),
    "the first of a list": (
        {"type": "array", "prefixItems": [{}], "items": {"type": "object"}},
        [[1], {"k": 1}],
        "maps=False",
    ),
}  # fmt: skip


@pytest.mark.parametrize("schema, value, text", APART.values(), ids=APART)
def test_what_is_declared_by_itself_does_not_go_the_way_of_the_others(schema, value, text):
    schema = {"type": "object", "properties": {"x": schema}}
    lowered = lower(schema, dialect_of(text))
    wire = lowered.lens.apply({"x": value})
    assert judge(lowered.schema).accepts(wire)
    assert lowered.lens.restore(wire) == {"x": value}


OPEN_ROOTS = [
    {"type": "object", "additionalProperties": True},
    {"type": "object", "properties": {}, "additionalProperties": {}},
    {"type": "object", "properties": {}, "required": [], "additionalProperties": True},
    {"type": "object", "unevaluatedProperties": True},
]


@table("dialect", MAPLESS)
@table("schema", OPEN_ROOTS)
def test_root_that_only_takes_other_members_takes_them_as_entries(schema, dialect):
    bound = tc.bind(tc.CanonicalTool(name="f", inputs=schema), dialect.partition("/")[0],
                    dialect=dialect)  # fmt: skip
    given = {"city": "Oslo", "days": 3, "tags": ["a", {"b": None}]}
    _, wire = bound.render("f", given)
    assert judge(bound._bound[0].wire.inputs).accepts(wire)
    assert wire["additional_properties"]
    assert bound.restore("f", wire).arguments == given
    assert not any(loss.effect & Effect.NARROWED for loss in bound.losses)


@table("dialect", MAPLESS)
def test_root_that_declares_members_or_nothing_at_all_is_closed(dialect):
    for schema in ({"type": "object"}, {**obj(a=TEXT), "additionalProperties": True}):
        written = lower(schema, DIALECTS[dialect]).schema
        assert "additional_properties" not in written.get("properties", {})


EMPTY = [
    {"type": "object", "additionalProperties": False},
    {"type": "object", "properties": {}, "additionalProperties": False},
    {"type": "object", "unevaluatedProperties": False},
]
UNCLOSED = [
    name
    for name, dialect in DIALECTS.items()
    if dialect.support("additionalProperties") is Support.REJECTED and not dialect.closed
]


@table("name", UNCLOSED)
@table("schema", EMPTY)
def test_object_that_may_not_say_that_it_has_no_members_is_a_map(name, schema):
    below = (obj(x=schema), obj(x={"type": "array", "items": schema}))
    for whole in below:
        assert lower(whole, DIALECTS[name]).effect & MATERIAL == Effect.WIDENED
    assert not lower(schema, DIALECTS[name]).effect & MATERIAL  # no parameters, as before
    closed = {**obj(a=TEXT), "additionalProperties": False}
    assert not lower(obj(x=closed), DIALECTS[name]).effect & MATERIAL
