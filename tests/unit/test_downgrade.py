"""2020-12 in the words of older drafts: valid there, and the same instances are accepted."""

import copy
import json
import os
from itertools import islice

import jsonschema_rs
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import toolcanon as tc
from tests.conftest import LABELS, rows
from tests.referee import judge_schema
from tests.sampling import sample
from tests.tables import table
from toolcanon.conversion.target import find_dialect
from toolcanon.conversion.verify import verify
from toolcanon.diagnostics import CODES, Effect
from toolcanon.lowering import lower
from toolcanon.schema import upgrade
from toolcanon.schema.downgrade import downgrade
from toolcanon.schema.keywords import URIS, DraftMeaning
from toolcanon.schema.malformed import sound
from toolcanon.schema.validate import judge

VALIDATORS = {
    "2019-09": jsonschema_rs.Draft201909Validator,
    "draft-07": jsonschema_rs.Draft7Validator,
    "draft-06": jsonschema_rs.Draft6Validator,
    "draft-04": jsonschema_rs.Draft4Validator,
}
OLDER = {name: find_dialect(f"json-schema/{name}") for name in VALIDATORS}
D4, D6, D7, D2019 = DraftMeaning.D4, DraftMeaning.D6, DraftMeaning.D7, DraftMeaning.D2019
TEXT, WHOLE = {"type": "string"}, {"type": "integer"}


def node_of(name):
    return {"type": "object", "properties": {"below": {"$ref": f"#/{name}/node"}}}


# What, the draft, before, after, the codes that tell it.
SPELLINGS = [
    ("nothing to do", D4, {"properties": {"a": TEXT}}, {"properties": {"a": TEXT}}, []),
    (
        "definitions",
        D7,
        {"$defs": {"node": node_of("$defs")}},
        {"definitions": {"node": node_of("definitions")}},
        ["L202", "L401"],
    ),
    (
        "definitions stay",
        D2019,
        {"$defs": {"node": node_of("$defs")}},
        {"$defs": {"node": node_of("$defs")}},
        [],
    ),
    (
        "definitions twice",
        D7,
        {
            "$defs": {"a": TEXT},
            "definitions": {"a": WHOLE},
            "anyOf": [{"$ref": "#/$defs/a"}, {"$ref": "#/definitions/a"}],
        },
        {
            "definitions": {"a": TEXT, "a_2": WHOLE},
            "anyOf": [{"$ref": "#/definitions/a"}, {"$ref": "#/definitions/a_2"}],
        },
        ["L401", "L202", "L202"],
    ),
    (
        "by place",
        D2019,
        {"prefixItems": [TEXT], "items": False},
        {"items": [TEXT], "additionalItems": False},
        ["L401", "L401"],
    ),
    (
        "a reference to a place",
        D7,
        {
            "properties": {
                "a b": {"prefixItems": [TEXT]},
                "c": {"$ref": "#/properties/a%20b/prefixItems/0"},
            }
        },
        {"properties": {"a b": {"items": [TEXT]}, "c": {"$ref": "#/properties/a%20b/items/0"}}},
        ["L401", "L202"],
    ),
    (
        "dependencies",
        D7,
        {"dependentRequired": {"a": ["b"], "c": []}, "dependentSchemas": {"d": False}},
        {"dependencies": {"a": ["b"], "c": [], "d": False}},
        ["L401", "L401"],
    ),
    (
        "both kinds of dependency",
        D4,
        {"dependentSchemas": {"a": TEXT}, "dependentRequired": {"a": ["b", "b"], "c": []}},
        {"dependencies": {"a": {"required": ["b"], "allOf": [TEXT]}}},
        ["L401", "L401"],
    ),
    (
        "beside a reference",
        D7,
        {
            "properties": {"a": {"$ref": "#/definitions/t", "description": "d"}},
            "definitions": {"t": TEXT},
        },
        {
            "properties": {"a": {"description": "d", "allOf": [{"$ref": "#/definitions/t"}]}},
            "definitions": {"t": TEXT},
        },
        ["L402"],
    ),
    (
        "a root that refers",
        D7,
        {"$ref": "#/definitions/t", "definitions": {"t": TEXT}},
        {"definitions": {"t": TEXT}, "allOf": [{"$ref": "#/definitions/t"}]},
        ["L402"],
    ),
    (
        "anchors",
        D7,
        {"items": {"$ref": "#n"}, "contains": {"$anchor": "n", "type": "string"}},
        {"items": {"$ref": "#/contains"}, "contains": TEXT},
        ["L202", "L229"],
    ),
    (
        "anchors stay",
        D2019,
        {"items": {"$ref": "#n"}, "contains": {"$anchor": "n"}},
        {"items": {"$ref": "#n"}, "contains": {"$anchor": "n"}},
        [],
    ),
    (
        "a dynamic reference",
        D2019,
        {"$dynamicAnchor": "n", "properties": {"a": {"$dynamicRef": "#n"}}},
        {"$anchor": "n", "properties": {"a": {"$ref": "#"}}},
        ["L401", "L403"],
    ),
    (
        "a document within",
        D7,
        {
            "$id": "http://x.test/a",
            "properties": {
                "p": {
                    "$id": "http://x.test/b",
                    "items": {"$ref": "#/definitions/q"},
                    "definitions": {"q": {"$anchor": "r"}},
                }
            },
        },
        {
            "$id": "http://x.test/a",
            "properties": {
                "p": {"items": {"$ref": "#/properties/p/definitions/q"}, "definitions": {"q": {}}}
            },
        },
        ["L229", "L202", "L229"],
    ),
    (
        "a schema under a word nobody knows",
        D4,
        {"properties": {"a": {"$ref": "#/x-own/0/b"}}, "x-own": [{"b": {"const": 1}, "const": 2}]},
        {"properties": {"a": {"$ref": "#/x-own/0/b"}}, "x-own": [{"b": {"enum": [1]}, "const": 2}]},
        ["L401"],
    ),
    (
        "condition",
        D6,
        {"if": {"required": ["a"]}, "then": {"required": ["b"]}},
        {"allOf": [{"anyOf": [{"not": {"required": ["a"]}}, {"required": ["b"]}]}]},
        ["L402", "L402"],
    ),
    (
        "condition with two ends",
        D4,
        {"if": {"const": 1}, "then": TEXT, "else": WHOLE},
        {"allOf": [{"anyOf": [{"not": {"enum": [1]}}, TEXT]}, {"anyOf": [{"enum": [1]}, WHOLE]}]},
        ["L402", "L401", "L402", "L402"],
    ),
    (
        "a reference into a condition",
        D6,
        {"if": {"items": TEXT}, "then": WHOLE, "not": {"$ref": "#/if/items"}},
        {
            "not": {"$ref": "#/allOf/0/anyOf/0/not/items"},
            "allOf": [{"anyOf": [{"not": {"items": TEXT}}, WHOLE]}],
        },
        ["L402", "L402", "L202"],
    ),
    ("condition without end", D6, {"if": TEXT}, {}, ["L402"]),
    ("condition stays", D7, {"if": TEXT, "then": WHOLE}, {"if": TEXT, "then": WHOLE}, []),
    (
        "contains",
        D4,
        {"contains": TEXT},
        {"allOf": [{"not": {"type": "array", "items": {"not": TEXT}}}]},
        ["L402"],
    ),
    ("const", D4, {"const": None}, {"enum": [None]}, ["L401"]),
    (
        "const and enum",
        D4,
        {"const": 1, "enum": [2]},
        {"enum": [2], "allOf": [{"enum": [1]}]},
        ["L401"],
    ),
    (
        "exclusive bounds",
        D4,
        {"exclusiveMinimum": 1, "minimum": 1, "exclusiveMaximum": 9},
        {"minimum": 1, "exclusiveMinimum": True, "maximum": 9, "exclusiveMaximum": True},
        ["L401", "L401"],
    ),
    (
        "an exclusive bound that decides nothing",
        D4,
        {"minimum": 2, "exclusiveMinimum": 1},
        {"minimum": 2},
        ["L401"],
    ),
    ("empty lists", D4, {"required": [], "enum": []}, {"allOf": [{"not": {}}]}, ["L401", "L402"]),
    ("values twice", D6, {"enum": [1, 1.0, True]}, {"enum": [1, True]}, ["L401"]),
    ("counts", D4, {"minItems": 2.0}, {"minItems": 2}, ["L401"]),
    (
        "identifiers",
        D4,
        {"$id": "http://x.test/a", "id": "b"},
        {"id": "http://x.test/a"},
        ["L401", "L229"],
    ),
    (
        "what contains found",
        D2019,
        {"contains": TEXT, "unevaluatedItems": False},
        {"contains": TEXT, "unevaluatedItems": {"anyOf": [TEXT, False]}},
        ["L402"],
    ),
    ("declared", D7, {"$schema": URIS[DraftMeaning.LATEST]}, {"$schema": URIS[D7]}, ["L404"]),
    (
        "declared by somebody",
        D7,
        {"$schema": "http://x.test/meta"},
        {"$schema": URIS[D7]},
        ["L404"],
    ),
    (
        "declared older",
        DraftMeaning.LATEST,
        {"$schema": URIS[D7]},
        {"$schema": URIS[DraftMeaning.LATEST]},
        ["L404"],
    ),
    (
        "names are no keywords",
        D4,
        {"properties": {"$defs": TEXT, "const": WHOLE, "if": {}}},
        {"properties": {"$defs": TEXT, "const": WHOLE, "if": {}}},
        [],
    ),
    (
        "values are no schemas",
        D4,
        {"default": {"const": 1, "$defs": {}}},
        {"default": {"const": 1, "$defs": {}}},
        [],
    ),
]


@pytest.mark.parametrize(
    "draft, before, after, codes",
    [pytest.param(*row[1:], id=f"{row[1].name} {row[0]}") for row in SPELLINGS],
)
def test_spelled(draft, before, after, codes):
    given_ = copy.deepcopy(before)
    done = downgrade(given_, draft)
    assert given_ == before, "must not be changed"
    assert done.schema == after
    assert [code for code, *_ in done.log] == codes
    assert (done.schema is given_) == (not codes)
    again = upgrade({"$schema": URIS[draft], **after}).schema
    assert downgrade(again, draft).schema == {"$schema": URIS[draft], **after}


# What cannot be said everywhere: the schema, and by draft what becomes of the claim.
EXACT, WIDENED, NARROWED = Effect.EXACT, Effect.WIDENED, Effect.NARROWED
COUNTED = {"type": "array", "contains": WHOLE, "minContains": 2}
UNSAID = [
    ({"contains": WHOLE, "minContains": 1}, {"2019-09": EXACT, "draft-07": EXACT}),
    (COUNTED, {"2019-09": EXACT, "draft-07": WIDENED, "draft-04": WIDENED}),
    ({"not": COUNTED}, {"draft-07": WIDENED | NARROWED}),
    ({**COUNTED, "minContains": 0}, {"draft-07": EXACT, "draft-04": EXACT}),
    ({**COUNTED, "minContains": 0, "maxContains": 1}, {"draft-06": WIDENED}),
    ({"propertyNames": {"pattern": "^a"}}, {"draft-06": EXACT, "draft-04": EXACT}),
    ({"propertyNames": {"enum": ["a"], "pattern": "a"}}, {"draft-04": EXACT}),
    ({"propertyNames": {"type": "integer"}}, {"draft-04": EXACT}),
    ({"propertyNames": False}, {"draft-04": EXACT}),
    ({"propertyNames": {"maxLength": 2}}, {"draft-06": EXACT, "draft-04": WIDENED}),
    ({"properties": {"a": TEXT}, "unevaluatedProperties": False}, {"draft-07": EXACT}),
    ({"$ref": "#/$defs/n", "unevaluatedProperties": WHOLE,
      "$defs": {"n": {"allOf": [{"patternProperties": {"^a": TEXT}}, {"$ref": "#/$defs/n"}]}}},
     {"2019-09": EXACT, "draft-07": EXACT, "draft-04": EXACT}),
    ({"anyOf": [{"required": ["a"]}, {"required": ["b"]}], "properties": {"a": TEXT},
      "unevaluatedProperties": False}, {"draft-07": EXACT}),
    ({"anyOf": [{"properties": {"a": TEXT}}, {"properties": {"b": TEXT}}],
      "unevaluatedProperties": False}, {"2019-09": EXACT, "draft-07": WIDENED}),
    ({"additionalProperties": TEXT, "unevaluatedProperties": False}, {"draft-07": EXACT}),
    ({"prefixItems": [TEXT], "contains": WHOLE, "unevaluatedItems": False}, {"draft-07": EXACT}),
    ({"allOf": [{"prefixItems": [TEXT]}], "unevaluatedItems": False}, {"draft-07": WIDENED}),
    ({"allOf": [{"contains": WHOLE}], "unevaluatedItems": TEXT}, {"2019-09": NARROWED}),
    ({"$id": "http://x.test/a", "$dynamicAnchor": "n", "items": {"$dynamicRef": "#n"},
      "$defs": {"b": {"$id": "b", "$dynamicAnchor": "n"}}},
     {"2019-09": WIDENED | NARROWED, "draft-07": WIDENED | NARROWED}),
]  # fmt: skip


@pytest.mark.parametrize(
    "schema, name, effect",
    [
        pytest.param(schema, name, effect, id=f"{name} {json.dumps(schema)[:60]}")
        for schema, effects in UNSAID
        for name, effect in effects.items()
    ],
)
def test_what_cannot_be_expressed_is_reported(schema, name, effect):
    lowered = lower(schema, OLDER[name], is_root=False)
    assert lowered.effect & ~Effect.HINT_LOST == effect
    assert refuted(schema, name) is None


def whole(value):
    """Integers without a fraction: ``1.0`` was no integer in draft 04."""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, list):
        return [whole(item) for item in value]
    if isinstance(value, dict):
        return {key: whole(item) for key, item in value.items()}
    return value


def refuted(schema, name, most=24):
    """An instance that is judged differently without a loss; None if all is well."""
    before = judge(schema)
    if not before.judged or before.skipped:
        return None
    lowered = lower(schema, OLDER[name], is_root=False)
    document = {**lowered.schema, "$schema": URIS[OLDER[name].draft]}
    jsonschema_rs.meta.validate(document)
    after = VALIDATORS[name](document, validate_formats=False)
    again = judge(upgrade(document).schema)
    found = sample(schema, most=most)
    for value in map(whole, [*found.valid, *found.invalid]):
        was, is_ = before.accepts(value), after.is_valid(value)
        if was is None:
            continue
        if was and not is_ and not lowered.effect & Effect.NARROWED:
            return "narrowed", value, document
        if is_ and not was and not lowered.effect & Effect.WIDENED:
            return "widened", value, document
        if again.accepts(value) not in {is_, None}:
            return "upgraded", value, document
    return None


few = settings(
    max_examples=150,
    database=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
names = st.sampled_from(["a", "b", "c"])
values = st.sampled_from([1, 2, "a", "b", None, True, 1.5, [1], {"a": 1}])
leaves = st.one_of(
    st.sampled_from([{}, True, False, TEXT, WHOLE, {"type": ["integer", "null"]}]),
    st.sampled_from(["x", "y", "z"]).map(lambda name: {"$ref": f"#/$defs/{name}"}),
    values.map(lambda value: {"const": value}),
    st.lists(values, max_size=3).map(lambda found: {"enum": found}),
)


def grown(inner):
    one, some = inner, st.lists(inner, min_size=1, max_size=2)
    members, lists = st.dictionaries(names, inner, max_size=2), st.lists(names, unique=True)
    few_, bound = st.integers(0, 2), st.integers(0, 3)
    words = {
        **dict.fromkeys(("properties", "dependentSchemas"), members),
        **dict.fromkeys(("allOf", "anyOf", "oneOf", "prefixItems"), some),
        **dict.fromkeys(("not", "if", "then", "else", "items", "contains"), one),
        **dict.fromkeys(("unevaluatedProperties", "unevaluatedItems"), st.just(False) | one),
        **dict.fromkeys(("minimum", "exclusiveMinimum", "maximum", "exclusiveMaximum"), bound),
        **dict.fromkeys(("minItems", "maxProperties", "minContains", "maxContains"), few_),
        "additionalProperties": one,
        "patternProperties": st.dictionaries(st.sampled_from(["^a", "b$"]), inner, max_size=1),
        "propertyNames": st.sampled_from([{"pattern": "^[ab]"}, {"enum": ["a"]}]) | one,
        "required": lists,
        "dependentRequired": st.dictionaries(names, lists, max_size=2),
        "$ref": st.sampled_from(["#/$defs/x", "#/$defs/y", "#z"]),
        "const": values,
    }
    chosen = st.lists(st.sampled_from(sorted(words)), min_size=1, max_size=4, unique=True)
    return chosen.flatmap(lambda keys: st.fixed_dictionaries({key: words[key] for key in keys}))


schemas = st.recursive(leaves, grown, max_leaves=8)
documents = st.builds(
    lambda root, x, y: {**root, "$defs": {"x": x, "y": y, "z": {"$anchor": "z", **WHOLE}}},
    grown(schemas),
    schemas,
    schemas,
)


@pytest.mark.parametrize("name", OLDER)
@few
@given(documents)
def test_the_same_instances_are_accepted(name, schema):
    assert refuted(schema, name) is None


@pytest.mark.parametrize("name", OLDER)
@few
@given(documents)
def test_what_comes_out_is_a_document_of_its_draft_and_stays_so(name, schema):
    tool = tc.CanonicalTool(name="f", inputs=schema)
    written = tc.bind(tool, "json-schema", dialect=f"json-schema/{name}").payload
    assert judge_schema(written, f"json-schema/{name}") == []
    again = tc.convert(written, "json-schema", dialect=f"json-schema/{name}")
    assert again.payload == written
    assert all(loss.effect == Effect.EXACT for loss in again.losses if loss.code >= "L200")


OPTIONAL = {"contentEncoding", "contentMediaType"}  # remarks today; some validators checked them


def without_remarks(value):
    if isinstance(value, dict):
        return {key: without_remarks(item) for key, item in value.items() if key not in OPTIONAL}
    return [without_remarks(item) for item in value] if isinstance(value, list) else value


@pytest.mark.corpus
@pytest.mark.parametrize("name", OLDER)
@pytest.mark.parametrize("label", LABELS)
def test_the_corpus_in_older_words(label, name):
    tried = 0
    step = 1 if os.environ.get("TOOLCANON_CORPUS_ALL") else 6  # every one takes its time
    for row in islice(rows(label), 0, None, step):
        try:
            found = tc.read(row["definition"])
        except tc.ToolcanonError:
            continue
        for tool in found:
            schema = sound(upgrade(without_remarks(tool.inputs)).schema, [])
            if schema and len(json.dumps(schema)) < 20_000:
                tried += 1
                assert refuted(schema, name) is None, row.get("id")
    assert tried or label == "gemini_builtin"


def test_documents_declare_their_draft():
    members = {"a": {"type": "integer", "exclusiveMinimum": 1}}
    tool = {
        "name": "f",
        "description": "d",
        "inputSchema": {"type": "object", "properties": members},
    }
    made = tc.convert(tool, "json-schema", dialect="json-schema/draft-04")
    assert made.payload == {
        "$schema": "http://json-schema.org/draft-04/schema#",
        "title": "f",
        "description": "d",
        "type": "object",
        "properties": {"a": {"type": "integer", "minimum": 1, "exclusiveMinimum": True}},
    }
    assert [(loss.code, str(loss.at)) for loss in made.losses] == [
        ("L401", "/inputs/properties/a/exclusiveMinimum"),
        ("L012", "/inputs/$schema"),
    ]
    assert not verify(made).violations
    assert tc.convert(tool, "json-schema").payload["$schema"] == URIS[DraftMeaning.LATEST]


def test_a_document_of_an_older_draft_is_brought_up_to_date():
    old = {"$schema": URIS[D4], "title": "t", "minimum": 1, "exclusiveMinimum": True}
    made = tc.convert(old, "json-schema").payload
    assert made == {"$schema": URIS[DraftMeaning.LATEST], "title": "t", "exclusiveMinimum": 1}
    assert tc.convert(made, "json-schema", dialect="json-schema/draft-04").payload == old
    clean = {"$schema": URIS[D7], "title": "t", "type": "object"}
    assert tc.convert(clean, "json-schema").payload["$schema"] == URIS[DraftMeaning.LATEST]
    assert tc.convert(clean, "json-schema", dialect="json-schema/draft-07").payload == clean


def test_emitted_documents_speak_their_draft():
    tool = tc.CanonicalTool(
        name="f", inputs={"prefixItems": [TEXT]}, outputs={"$defs": {"a": {"const": 1}}}
    )
    before = copy.deepcopy(tool.inputs)
    assert tc.emit_json_schema(tool)["items"] == [TEXT]
    assert "prefixItems" in tc.emit_json_schema(tool, dialect="2020-12")
    assert "prefixItems" in tc.emit_json_schema(tool, dialect="http://x.test/of-my-own")
    seventh = tc.emit_json_schema(tool, dialect="http://json-schema.org/draft-07/schema")
    assert seventh["x-outputs"] == {"definitions": {"a": {"const": 1}}}
    assert seventh["$schema"] == "http://json-schema.org/draft-07/schema"
    assert tool.inputs == before


def test_every_code_is_reported():
    said = {code for *_, codes in SPELLINGS for code in codes}
    spelling = {code for code in CODES if "L401" <= code <= "L404"}  # L405 is of names
    assert spelling <= said


@pytest.mark.parametrize("name", OLDER)
@pytest.mark.parametrize(
    "wrapped",
    [
        lambda inner, number: {"if": inner, "then": {"const": number}, "else": TEXT},
        lambda inner, number: {"contains": inner, "unevaluatedItems": {"const": number}},
    ],
    ids=["conditions", "items"],
)
def test_what_is_needed_twice_stays_small(name, wrapped):
    schema = TEXT
    for number in range(40):
        schema = wrapped(schema, number)
    lowered = lower(schema, OLDER[name], is_root=False)
    assert len(json.dumps(lowered.schema)) < 20 * len(json.dumps(schema))


@table("name", OLDER)
@table("word", ["not", "items", "if", "contains", "propertyNames"])
def test_depth_is_bounded(name, word):
    schema = {"prefixItems": [TEXT], "const": 1}
    for _ in range(250):
        schema = {word: schema, "then": TEXT} if word == "if" else {word: schema}
    lowered = lower(schema, OLDER[name], is_root=False)
    assert lowered.schema or lowered.effect
