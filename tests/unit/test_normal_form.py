"""One spelling for schemas that say the same in other words, and none for those that do not."""

import copy
import time
import unicodedata

import pytest

from tests.sampling import sample
from tests.tables import table
from toolcanon.schema.algebra.normal import normal_form
from toolcanon.schema.upgrade.walk import upgrade
from toolcanon.schema.validate import judge

S, INT, N = {"type": "string"}, {"type": "integer"}, {"type": "null"}
TREE = {"type": "object", "properties": {"kids": {"type": "array", "items": {"$ref": "#/$defs/t"}}}}

# What is said, one schema, another that says the same.
SAME = [
    ("order of members", {"type": "string", "minLength": 1}, {"minLength": 1, "type": "string"}),
    ("order of required", {"required": ["a", "b"]}, {"required": ["b", "a"]}),
    ("order of enum", {"enum": ["a", "b"]}, {"enum": ["b", "a", "b"]}),
    ("order of types", {"type": ["string", "null"]}, {"type": ["null", "string"]}),
    ("order of branches", {"anyOf": [S, INT]}, {"anyOf": [INT, S]}),
    ("order of parts", {"allOf": [S, {"minLength": 1}]}, {"allOf": [{"minLength": 1}, S]}),
    ("spelling of numbers", {"const": 1}, {"const": 1.0}),
    ("spelling of bounds", {"type": "number", "minimum": 10}, {"type": "number", "minimum": 1e1}),
    ("spelling of numbers inside", {"enum": [{"a": [1]}]}, {"enum": [{"a": [1.0]}]}),
    ("inlined reference", {"$ref": "#/$defs/x", "$defs": {"x": S}}, S),
    (
        "renamed definition",
        {"properties": {"a": {"$ref": "#/$defs/t"}}, "$defs": {"t": TREE}},
        {"properties": {"a": {"$ref": "#/$defs/u"}},
         "$defs": {"u": {"type": "object", "properties": {"kids": {"type": "array", "items": {
             "$ref": "#/$defs/u"}}}}}},
    ),
    ("another group of definitions", {"$ref": "#/definitions/x", "definitions": {"x": S}},
     {"$ref": "#/$defs/x", "$defs": {"x": S}}),
    ("unused definition", S, {**S, "$defs": {"x": INT}}),
    ("siblings of a reference", {"$ref": "#/$defs/x", "minLength": 1, "$defs": {"x": S}},
     {**S, "minLength": 1}),
    ("const", {"const": "a"}, {"enum": ["a"]}),
    ("implied type", {"enum": ["a"]}, {"type": "string", "enum": ["a"]}),
    ("value the type forbids", {"enum": ["a"]}, {"type": "string", "enum": ["a", 1]}),
    ("value the bounds forbid", {"enum": [3]}, {"minimum": 2, "enum": [1, 3]}),
    ("type list", {"type": ["string", "integer"]}, {"anyOf": [S, INT]}),
    ("integer next to number", {"type": "number"}, {"type": ["integer", "number"]}),
    ("integer branch next to number", {"type": "number"}, {"anyOf": [INT, {"type": "number"}]}),
    ("nullable by anyOf", {"type": ["string", "null"]}, {"anyOf": [S, N]}),
    ("nullable by oneOf", {"type": ["string", "null"]}, {"oneOf": [S, N]}),
    ("nullable enum", {"enum": ["a", None]}, {"anyOf": [{"const": "a"}, N]}),
    ("disjoint oneOf by type", {"oneOf": [S, INT]}, {"anyOf": [S, INT]}),
    ("disjoint oneOf by values", {"oneOf": [{"const": 1}, {"const": 2}]}, {"enum": [1, 2]}),
    (
        "disjoint oneOf by a tag",
        {"oneOf": [{"type": "object", "properties": {"k": {"const": k}}, "required": ["k"]}
                   for k in "ab"]},
        {"anyOf": [{"type": "object", "properties": {"k": {"const": k}}, "required": ["k"]}
                   for k in "ba"]},
    ),
    ("absorbed branch", S, {"anyOf": [S, {**S, "minLength": 3}]}),
    ("absorbed value", S, {"anyOf": [S, {"const": "a"}]}),
    ("single branch", S, {"anyOf": [S]}),
    ("single oneOf", S, {"oneOf": [S]}),
    ("nested unions", {"anyOf": [S, INT, N]}, {"anyOf": [S, {"anyOf": [INT, N]}]}),
    (
        "merged parts",
        {"allOf": [{"properties": {"a": S}, "required": ["a"]}, {"properties": {"b": INT}}],
         "type": "object"},
        {"type": "object", "properties": {"a": S, "b": INT}, "required": ["a"]},
    ),
    ("a closed part refuses what others declare",
     {"type": "object", "allOf": [{"properties": {"a": S}},
                                  {"properties": {"b": INT}, "additionalProperties": False}]},
     {"type": "object", "properties": {"b": INT}, "additionalProperties": False}),
    ("exclusive bound of integers", {**INT, "exclusiveMinimum": 0}, {**INT, "minimum": 1}),
    ("fraction as a bound of integers", {**INT, "minimum": 0.5}, {**INT, "minimum": 1}),
    ("bound between multiples", {**INT, "multipleOf": 5, "maximum": 13},
     {**INT, "multipleOf": 5, "maximum": 10}),
    ("multiples of one", {"type": "number", "multipleOf": 1}, INT),
    ("one number left", {**INT, "minimum": 3, "maximum": 3}, {"const": 3}),
    ("neutral lengths", S, {**S, "minLength": 0, "pattern": ""}),
    ("neutral counts", {"type": "array"},
     {"type": "array", "minItems": 0, "uniqueItems": False, "items": {}}),
    ("neutral members", {"type": "object"},
     {"type": "object", "minProperties": 0, "required": [], "properties": {}, "$defs": {},
      "additionalProperties": True, "dependentRequired": {}}),
    ("keywords of other types", S, {**S, "minimum": 3, "items": INT, "required": ["a"]}),
    ("items: true", {"type": "array", "items": True}, {"type": "array"}),
    ("true", True, {}),
    ("false", False, {"not": {}}),
    ("false by contradiction", False, {**S, "enum": [1]}),
    ("false by bounds", False, {**INT, "minimum": 0.2, "maximum": 0.8}),
    ("a required member that cannot be", False,
     {"type": "object", "properties": {"a": False}, "required": ["a"]}),
    ("tuples", {"type": "array", "prefixItems": [S, INT], "items": False},
     {"type": "array", "prefixItems": [S, INT], "maxItems": 2}),
    ("place as good as the rest", {"type": "array", "items": S},
     {"type": "array", "prefixItems": [S], "items": S}),
    ("a pattern that nothing can match in a closed object",
     {"type": "object", "additionalProperties": False},
     {"type": "object", "patternProperties": {"^a": {**S, "enum": [1]}},
      "additionalProperties": False}),
    ("both booleans", {"type": "boolean"}, {"enum": [True, False]}),
    ("texts", S, {**S, "title": "A", "$comment": "c", "examples": ["x"], "deprecated": False,
                  "description": "d", "default": "x", "$id": "urn:x", "readOnly": False}),
    ("vendor keywords", S, {**S, "x-order": 1}),
    ("not a type", {"type": ["array", "boolean", "null", "number", "object"]}, {"not": S}),
    ("not a value", {"enum": ["a"]}, {"enum": ["a", "b"], "not": {"const": "b"}}),
    ("twice not", S, {"not": {"not": S}}),
    ("not what cannot be anyway", S, {**S, "not": {**INT, "minimum": 3}}),
    ("a condition without consequence", S, {**S, "if": {"minLength": 1}}),
    ("contains nothing in particular", {"type": "array"},
     {"type": "array", "contains": S, "minContains": 0}),
]  # fmt: skip

# What older drafts and catalogs spell otherwise is made alike before.
UPGRADED = [
    ("tuples of older drafts", {"$schema": "http://json-schema.org/draft-07/schema#",
                                "type": "array", "items": [S, INT], "additionalItems": False},
     {"type": "array", "prefixItems": [S, INT], "items": False}),
    ("dependencies", {"$schema": "http://json-schema.org/draft-07/schema#", "type": "object",
                      "dependencies": {"a": ["b"], "c": {"required": ["d"]}}},
     {"type": "object", "dependentRequired": {"a": ["b"]},
      "dependentSchemas": {"c": {"required": ["d"]}}}),
    ("flags for exclusive bounds", {"$schema": "http://json-schema.org/draft-04/schema#", **INT,
                                    "minimum": 0, "exclusiveMinimum": True},
     {**INT, "minimum": 1}),
]  # fmt: skip

OTHER = [
    ("items: false is not absent", {"type": "array", "items": False}, {"type": "array"}),
    ("names are not normalized", {"properties": {unicodedata.normalize("NFC", "é"): S}},
     {"properties": {unicodedata.normalize("NFD", "é"): S}}),
    ("oneOf whose branches overlap", {"oneOf": [S, {"minLength": 3}]},
     {"anyOf": [S, {"minLength": 3}]}),
    ("oneOf with null twice", {"oneOf": [{"type": ["string", "null"]}, N]},
     {"type": ["string", "null"]}),
    ("oneOf with a branch twice", {"oneOf": [S, S]}, S),
    ("a closed part is not merged naively",
     {"type": "object", "allOf": [{"properties": {"a": S}},
                                  {"properties": {"b": INT}, "additionalProperties": False}]},
     {"type": "object", "properties": {"a": S, "b": INT}, "additionalProperties": False}),
    ("exclusive bound of numbers", {"type": "number", "exclusiveMinimum": 0},
     {"type": "number", "minimum": 1}),
    ("true is not one", {"const": True}, {"const": 1}),
    ("text is not a number", {"const": "1"}, {"const": 1}),
    ("a member that may be anything is declared", {"type": "object", "properties": {"a": {}}},
     {"type": "object"}),
    ("bounds of safe integers", INT, {**INT, "maximum": 2**53 - 1}),
    ("large integers", {"const": 2**53}, {"const": 2**53 + 1}),
    ("a format", S, {**S, "format": "date"}),
    ("a pattern next to a format", {**S, "format": "date"},
     {**S, "format": "date", "pattern": "^"}),
    ("an unknown keyword", S, {**S, "nullable": True}),
    ("a closed object", {"type": "object"}, {"type": "object", "additionalProperties": False}),
    ("a parameter called type", {"properties": {"type": S}}, {"properties": {"type": INT}}),
]  # fmt: skip


@table("name, one, other", SAME, ids=[row[0] for row in SAME])
def test_the_same_in_other_words(name, one, other):
    before = copy.deepcopy((one, other))
    assert normal_form(one) == normal_form(other)
    assert (one, other) == before


@pytest.mark.parametrize("name, one, other", UPGRADED, ids=[row[0] for row in UPGRADED])
def test_the_same_in_the_words_of_older_drafts(name, one, other):
    assert normal_form(upgrade(one).schema) == normal_form(other)


@table("name, one, other", OTHER, ids=[row[0] for row in OTHER])
def test_not_the_same(name, one, other):
    forms = normal_form(one), normal_form(other)
    assert repr(forms[0]) != repr(forms[1])


ALL = [schema for _, *pair in SAME + OTHER for schema in pair]


@table("schema", ALL, ids=lambda s: str(s)[:60])
def test_a_form_is_its_own_and_accepts_the_same(schema):
    form = normal_form(schema)
    assert normal_form(form) == form
    one, other = judge(schema), judge(form)
    assert one.judged
    found = sample(schema)
    for value in (*found.valid, *found.invalid, None, True, 0, 1.5, "a", [], [1], {}, {"a": 1}):
        assert one.accepts(value) == other.accepts(value), value


UNREADABLE = [
    {"$ref": "#/$defs/none"},
    {"$ref": "https://example.com/schema"},
    {"anyOf": [{"$ref": "#/nowhere"}, S]},
    {"$dynamicRef": "#x"},
    {"type": "colour"},
    {"minimum": "1"},
    {"allOf": [{"properties": {"a": S}}], "unevaluatedProperties": False},
    {"$ref": "#/$defs/x", "$defs": {"x": {"anyOf": [{"$ref": "#/$defs/x"}, S]}}},
]


@pytest.mark.parametrize("schema", UNREADABLE, ids=str)
def test_what_cannot_be_read_stays_as_it_is(schema):
    assert normal_form(schema) is schema


def doubling(depth):
    """A reference bomb: 2 to that many places."""
    defs = {f"d{i}": {"properties": {"x": {"$ref": f"#/$defs/d{i + 1}"},
                                     "y": {"$ref": f"#/$defs/d{i + 1}"}}}
            for i in range(depth)}  # fmt: skip
    return {"$ref": "#/$defs/d0", "$defs": {**defs, f"d{depth}": INT}}


@pytest.mark.parametrize(
    "schema",
    [
        doubling(30),
        {"allOf": [{"anyOf": [{"required": [f"a{i}"]}, {"required": [f"b{i}"]}]}
                   for i in range(30)]},
    ],
    ids=["references", "unions"],
)  # fmt: skip
def test_bombs_do_not_go_off(schema):
    start = time.process_time()
    normal_form(schema)
    assert time.process_time() - start < 3
