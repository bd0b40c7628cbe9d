"""Older drafts and catalog dialects as 2020-12: the same instances, judged by a validator."""

import copy

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.laws import patched
from tests.tables import table
from toolcanon.diagnostics import Effect
from toolcanon.errors import LimitExceeded
from toolcanon.jsonio import Pointer
from toolcanon.schema import upgrade

D4 = "http://json-schema.org/draft-04/schema#"
D7 = "http://json-schema.org/draft-07/schema#"
D2019 = "https://json-schema.org/draft/2019-09/schema"
NEW = "https://json-schema.org/draft/2020-12/schema"

CASES = [
    ("dict", {"type": "dict"}, {"type": "object"}, ["L101"]),
    ("upper case", {"type": "STRING"}, {"type": "string"}, ["L101"]),
    ("Java", {"type": "HashMap"}, {"type": "object"}, ["L101"]),
    ("any", {"type": "any", "description": "d"}, {"description": "d"}, ["L101"]),
    ("empty word", {"type": ""}, {}, ["L101"]),
    ("list of words", {"type": ["str", "None"]}, {"type": ["string", "null"]}, ["L101"]),
    ("any in a list", {"type": ["str", "any"]}, {}, ["L101"]),
    ("unknown word stays", {"type": "colour"}, {"type": "colour"}, []),
    ("nullable", {"type": "string", "nullable": True}, {"type": ["string", "null"]}, ["L102"]),
    ("not nullable", {"type": "string", "nullable": False}, {"type": "string"}, ["L102"]),
    (
        "nullable enum",
        {"type": "string", "enum": ["a"], "nullable": True},
        {"type": ["string", "null"], "enum": ["a", None]},
        ["L102"],
    ),
    (
        "nullable union",
        {"anyOf": [{"type": "string"}], "nullable": True},
        {"anyOf": [{"type": "string"}, {"type": "null"}]},
        ["L102"],
    ),
    (
        "nullable reference",
        {"$ref": "#/x", "nullable": True},
        {"anyOf": [{"$ref": "#/x"}, {"type": "null"}]},
        ["L102"],
    ),
    (
        "exclusive bound",
        {"minimum": 1, "exclusiveMinimum": True, "maximum": 9, "exclusiveMaximum": False},
        {"maximum": 9, "exclusiveMinimum": 1},
        ["L104"],
    ),
    (
        "tuple",
        {"items": [{"type": "int"}], "additionalItems": False},
        {"prefixItems": [{"type": "integer"}], "items": False},
        ["L103", "L101"],
    ),
    ("lonely additionalItems", {"additionalItems": False}, {}, ["L103"]),
    (
        "dependencies",
        {"dependencies": {"a": ["b"], "c": {"type": "dict"}, "d": "e"}},
        {
            "dependentRequired": {"a": ["b"], "d": ["e"]},
            "dependentSchemas": {"c": {"type": "object"}},
        },
        ["L105", "L101"],
    ),
    (
        "required flags",
        {"properties": {"a": {"required": True}, "b": {"required": False}}, "required": ["z"]},
        {"properties": {"a": {}, "b": {}}, "required": ["z", "a"]},
        ["L108"],
    ),
    ("example", {"example": 1}, {"examples": [1]}, ["L107"]),
    ("both spellings", {"example": 1, "examples": [2]}, {"example": 1, "examples": [2]}, []),
    ("snake case", {"any_of": [{"type": "STRING"}]}, {"anyOf": [{"type": "string"}]},
     ["L107", "L101"]),
    ("number in text", {"minItems": "2", "minimum": "1.5"}, {"minItems": 2, "minimum": 1.5},
     ["L109", "L109"]),
    ("no number in text", {"minItems": "two"}, {"minItems": "two"}, []),
    (
        "draft 04",
        {"$schema": D4, "id": "x", "properties": {"id": {"type": "string"}}},
        {"$schema": NEW, "$id": "x", "properties": {"id": {"type": "string"}}},
        ["L107", "L110"],
    ),
    ("name as identifier", {"$schema": D7, "$ref": "#a", "definitions": {"A": {"$id": "#a"}}},
     {"$schema": NEW, "$ref": "#a", "definitions": {"A": {"$anchor": "a"}}}, ["L110", "L107"]),
    ("name as identifier, draft 04", {"$schema": D4, "items": {"id": "#a", "type": "string"}},
     {"$schema": NEW, "items": {"$anchor": "a", "type": "string"}}, ["L110", "L107"]),
    ("name as identifier of no draft", {"items": {"id": "#a"}, "contains": {"$id": "#b"}},
     {"items": {"$anchor": "a"}, "contains": {"$anchor": "b"}}, ["L107", "L107"]),
    ("name behind an address", {"$id": "urn:a", "items": {"$id": "urn:a#b", "type": "string"}},
     {"$id": "urn:a", "items": {"$anchor": "b", "type": "string"}}, ["L107"]),
    ("name of a document", {"$id": "urn:a#b", "$defs": {"c": {}}},
     {"$id": "urn:a", "$anchor": "b", "$defs": {"c": {}}}, ["L107"]),
    ("name beside an anchor", {"$id": "#a", "$anchor": "b"}, {"$anchor": "b"}, ["L107"]),
    ("pointer as identifier", {"properties": {"a": {"$id": "#/properties/a", "type": "null"}}},
     {"properties": {"a": {"type": "null"}}}, ["L107"]),
    ("pointer as identifier, draft 04", {"$schema": D4, "items": {"id": "#/items"}},
     {"$schema": NEW, "items": {}}, ["L110", "L107"]),
    ("identifiers that stand", {"$id": "urn:a#", "items": {"$id": "b"}, "contains": {"id": "c#d"}},
     None, []),
    (
        "draft 07 reference with siblings",
        {"$schema": D7, "properties": {"a": {"$ref": "#", "minLength": 1, "title": "t"}}},
        {"$schema": NEW, "properties": {"a": {"$ref": "#", "title": "t"}}},
        ["L110", "L106"],
    ),
    (
        "draft 07 reference with members",
        {"$schema": D7, "properties": {"a": {"$ref": "#", "title": "t", "minProperties": 1,
         "properties": {"b": True}, "additionalProperties": False,
         "allOf": [{"required": ["b"]}]}}},
        {"$schema": NEW, "properties": {"a": {"title": "t", "minProperties": 1,
         "properties": {"b": True}, "allOf": [{"$ref": "#"}, {"required": ["b"]}]}}},
        ["L110", "L116"],
    ),
    (
        "draft 07 reference with members of others",
        {"$schema": D7, "properties": {"a": {"$ref": "#", "additionalProperties": {
         "properties": {"b": True}}}}},
        {"$schema": NEW, "properties": {"a": {"allOf": [{"$ref": "#"}], "unevaluatedProperties": {
         "properties": {"b": True}}}}},
        ["L110", "L116"],
    ),
    (
        "draft 07 reference with remarks",
        {"$schema": D7, "properties": {"a": {"$ref": "#", "description": "d", "default": 1}}},
        {"$schema": NEW, "properties": {"a": {"$ref": "#", "description": "d", "default": 1}}},
        ["L110"],
    ),
    (
        "draft 07 reference to another file",
        {"$schema": D7, "$ref": "base.json", "properties": {"a": {"type": "string"}}},
        {"$schema": NEW, "$ref": "base.json", "properties": {"a": {"type": "string"}}},
        ["L110"],
    ),
    ("clean draft 07 says that it is 2020-12", {"$schema": D7, "type": "object"},
     {"$schema": NEW, "type": "object"}, ["L110"]),
    ("words and a draft", {"$schema": D7, "type": "dict", "items": {"type": "int"}},
     {"$schema": NEW, "type": "object", "items": {"type": "integer"}}, ["L101", "L110", "L101"]),
    ("draft of a part", {"properties": {"a": {"$schema": D7, "type": "string"}}},
     {"properties": {"a": {"$schema": NEW, "type": "string"}}}, ["L110"]),
    ("draft of a part, older than the whole", {"$schema": D7, "items": {"$schema": D4}},
     {"$schema": NEW, "items": {"$schema": NEW}}, ["L110", "L110"]),
    ("draft of somebody's own", {"$schema": "https://x.test/mine", "type": "object"}, None, []),
    (
        "2019-09 recursion",
        {"$schema": D2019, "$recursiveAnchor": True, "items": {"$recursiveRef": "#"}},
        {"$schema": NEW, "$dynamicAnchor": "recursion", "items": {"$dynamicRef": "#recursion"}},
        ["L107", "L110", "L107"],
    ),
    (
        "members are no keywords",
        {"properties": {"type": {"type": "string"}, "nullable": {"type": "boolean"},
                        "items": {"type": "array"}, "required": {"type": "boolean"}}},
        None,
        [],
    ),
    ("data is no schema", {"default": {"type": "dict"}, "enum": [{"nullable": True}],
                           "const": {"type": "any"}, "examples": [{"type": "int"}]}, None, []),
    ("expression", {"type": "List[str]", "description": "d"},
     {"type": "array", "items": {"type": "string"}, "description": "d"}, ["L111"]),
    ("keywords beside count more", {"type": "list of strings", "items": {"type": "int"}},
     {"type": "array", "items": {"type": "integer"}}, ["L111", "L101"]),
    ("expressions in a list", {"type": ["List[int]", "None"]},
     {"type": ["array", "null"], "items": {"type": "integer"}}, ["L101", "L111"]),
    ("choices as a type", {"type": "one of a, b"}, {"type": "string", "enum": ["a", "b"]},
     ["L111"]),
    ("a date", {"type": "DATE (YYYY-MM-DD)"}, {"type": "string", "format": "date"}, ["L111"]),
    ("half an expression stays", {"type": "List[Colour]"}, {"type": "List[Colour]"}, []),
    (
        "required in the type",
        {"type": "object", "properties": {"a": {"type": "str, required"},
                                          "b": {"type": "int, optional"},
                                          "c": {"type": "int", "required": "yes"}}},
        {"type": "object", "properties": {"a": {"type": "string"}, "b": {"type": "integer"},
                                          "c": {"type": "integer"}}, "required": ["a", "c"]},
        ["L108", "L111", "L111", "L101"],
    ),
    (
        "required among the members",
        {"type": "object", "properties": {"a": {"type": "str"}, "required": ["a"]}},
        {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]},
        ["L108", "L101"],
    ),
    ("no list of members", {"type": "object", "properties": {"required": ["a"]}}, None, []),
    (
        "a map of members",
        {"city": {"type": "str"}, "type": {"type": "string"}, "required": ["city"]},
        {"type": "object", "properties": {"city": {"type": "string"}, "type": {"type": "string"}},
         "required": ["city"]},
        ["L112", "L101"],
    ),
    (
        "a map of texts",
        {"city": "string", "days": "int, optional", "where": "the place"},
        {"type": "object", "properties": {"city": {"type": "string"}, "days": {"type": "integer"},
                                          "where": {"description": "the place"}},
         "required": ["city", "where"]},
        ["L112", "L113", "L108", "L111"],
    ),
    (
        "a member called properties",
        {"properties": {"type": "object", "description": "d"}},
        {"type": "object", "properties": {"properties": {"type": "object", "description": "d"}}},
        ["L112"],
    ),
    ("a map is only read at the top", {"items": {"city": {"type": "string"}}}, None, []),
    ("no map: references", {"$ref": "#/a", "a": {"type": "string"}}, None, []),
    ("no map: what a union uses", {"anyOf": [{"$ref": "#/a"}], "a": {"type": "string"}}, None, []),
    ("no map: extensions", {"x-a": {"type": "string"}}, None, []),
    (
        "an odd neighbour vetoes nothing",
        {"a": {"type": "string"}, "b": 1, "c": None, "anyOf": [{"required": ["a"]}]},
        {"type": "object", "b": 1, "anyOf": [{"required": ["a"]}],
         "properties": {"a": {"type": "string"}}},
        ["L112"],
    ),
    ("members as texts", {"type": "object", "properties": {"a": "string", "b": "some words"}},
     {"type": "object", "properties": {"a": {"type": "string"},
                                       "b": {"description": "some words"}}}, ["L113"]),
    ("members in a list", {"type": "object", "properties": [{"name": "a", "type": "string",
                                                              "required": True},
                                                             {"name": "b", "type": "int"}]},
     {"type": "object", "properties": {"a": {"type": "string"}, "b": {"type": "integer"}},
      "required": ["a"]}, ["L115", "L108", "L101"]),
    ("members in a list without names", {"type": "object", "properties": [{"type": "string"}]},
     {"type": "object", "properties": [{"type": "string"}]}, []),
    ("members in a list of one name", {"properties": [{"name": "a"}, {"name": "a"}]},
     {"properties": [{"name": "a"}, {"name": "a"}]}, []),
    ("choices in text", {"type": "string", "enum": "one of asc, desc"},
     {"type": "string", "enum": ["asc", "desc"]}, ["L114"]),
    ("numbers in text", {"type": "integer", "enum": "[1, 2]"}, {"type": "integer", "enum": [1, 2]},
     ["L114"]),
    ("choices follow the type", {"type": "boolean", "enum": "true, false"},
     {"type": "boolean", "enum": [True, False]}, ["L114"]),
    ("choices of a list are those of its items",
     {"type": "list", "items": {"type": "int"}, "enum": "1, 2"},
     {"type": "array", "items": {"type": "integer", "enum": [1, 2]}}, ["L101", "L114", "L101"]),
    ("choices of a list without items", {"type": ["array", "null"], "enum": "a or b"},
     {"type": ["array", "null"], "items": {"type": "string", "enum": ["a", "b"]}}, ["L114"]),
    ("choices with a null where it can be", {"type": ["string", "null"], "enum": "['a', None]"},
     {"type": ["string", "null"], "enum": ["a", None]}, ["L114"]),
    ("choices with a null where it cannot be", {"type": "string", "enum": "['a', None]"},
     {"type": "string", "enum": ["a"]}, ["L114"]),
    ("choices of no type of the node", {"type": "integer", "enum": "low, high"},
     {"type": "integer", "description": "low, high"}, ["L119"]),
    ("choices of an object", {"type": "object", "enum": "a, b"},
     {"type": "object", "description": "a, b"}, ["L119"]),
    ("choices beside those of the items",
     {"type": "array", "items": {"enum": ["x"]}, "enum": "a, b"},
     {"type": "array", "items": {"enum": ["x"]}, "description": "a, b"}, ["L119"]),
    *((f"no choices: {text}", {"type": "string", "description": "d", "enum": text},
       {"type": "string", "description": f"d ({text})"}, ["L119"])
      for text in ("any string", "1-5", "salt and pepper", "string", "optional", "a, b, etc.",
                   "https://x.y/z")),
    ("words about values beside a null", {"type": "string", "description": None, "enum": "1-5"},
     {"type": "string", "description": "1-5"}, ["L119"]),
    ("no text at all", {"type": "string", "enum": " "}, None, []),
    ("one word", {"type": "string", "enum": "celsius"}, {"type": "string", "enum": ["celsius"]},
     ["L116"]),
    ("one word that is told", {"enum": "one of: celsius"}, {"enum": ["celsius"]}, ["L114"]),
    ("one text in quotes", {"enum": "'any string'"}, {"enum": ["any string"]}, ["L114"]),
    ("values with remarks", {"type": "string", "enum": "A (first), B (second)"},
     {"type": "string", "enum": ["A", "B"], "description": "A (first), B (second)"}, ["L116"]),
    ("numbers with remarks", {"type": "integer", "enum": "0: off; 1: on", "description": "d"},
     {"type": "integer", "enum": [0, 1], "description": "d (0: off; 1: on)"}, ["L116"]),
    ("one value with a remark", {"type": "string", "enum": "a (new), b"},
     {"type": "string", "enum": ["a (new)", "b"]}, ["L116"]),
    ("values or a phrase", {"type": "string", "enum": "city or state name"},
     {"type": "string", "enum": ["city", "state name"]}, ["L116"]),
    ("a type of two readings", {"type": "list of str or int"},
     {"anyOf": [{"type": "integer"}, {"type": "array", "items": {"type": "string"}}]}, ["L116"]),
    ("a word of two readings", {"properties": {"a": {"type": "JSON"}}},
     {"properties": {"a": {"type": "object"}}}, ["L116"]),
    ("a word for a form", {"properties": {"a": {"type": "datetime", "description": "d"}}},
     {"properties": {"a": {"type": "string", "format": "date-time", "description": "d"}}},
     ["L101"]),
    ("items in text", {"type": "array", "items": "string"},
     {"type": "array", "items": {"type": "string"}}, ["L117"]),
    ("one type in a list of items", {"type": "array", "items": ["str"]},
     {"type": "array", "items": {"type": "string"}}, ["L116", "L101"]),
    ("types in a list of items", {"type": "array", "items": ["string", "int"]},
     {"type": "array", "prefixItems": [{"type": "string"}, {"type": "integer"}]},
     ["L116", "L103", "L101"]),
    ("schemas and types in a list of items", {"items": [{"type": "string"}, "number"]},
     {"prefixItems": [{"type": "string"}, {"type": "number"}]}, ["L117", "L103"]),
    ("a map of a type in text", {"type": "object", "additionalProperties": "str"},
     {"type": "object", "additionalProperties": {"type": "string"}}, ["L117", "L101"]),
    ("closed in text", {"additionalProperties": "False"}, {"additionalProperties": False},
     ["L117"]),
    ("branches in text", {"anyOf": ["string", "List[int]", None]},
     {"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "integer"}},
                {"type": "null"}]}, ["L117", "L111"]),
    ("branches in one text", {"items": {"any_of": "string or null"}},
     {"items": {"anyOf": [{"type": ["string", "null"]}]}}, ["L107", "L117", "L111"]),
    ("definitions in text", {"$defs": {"a": "string"}, "patternProperties": {"^a": "string"}},
     {"$defs": {"a": {"type": "string"}}, "patternProperties": {"^a": {"type": "string"}}},
     ["L117", "L117"]),
    ("texts that are no types", {"items": "a colour", "anyOf": ["colours"], "not": "so"}, None, []),
    ("names are no types", {"dependencies": {"a": "string"}},
     {"dependentRequired": {"a": ["string"]}}, ["L105"]),
    *((f"required in text: {text}", {"type": "object", "properties": {"u": {}, "v v": {}, "w": {}},
                                     "required": text},
       {"type": "object", "properties": {"u": {}, "v v": {}, "w": {}}, "required": names},
       ["L118"])
      for text, names in (
          ("u", ["u"]), (" u ", ["u"]), ("v v", ["v v"]), ("u, v v", ["u", "v v"]),
          ("['u']", ["u"]), ('["u", "v v"]', ["u", "v v"]), ("u and w", ["u", "w"]),
          ("u w", ["u", "w"]), ("u, w, u", ["u", "w"]), ({"u": True, "w": False}, ["u"]),
          ({"u": "yes"}, ["u"]), ({"u": False}, []))),
    *((f"no members in text: {text}", {"properties": {"u": {}, "w": {}}, "required": text},
       {"properties": {"u": {}, "w": {}}, "description": f"required: {said}"}, ["L119"])
      for text, said in (
          ("u or w", "u or w"), ("u/w", "u/w"), ("u, x", "u, x"), ("all", "all"),
          ("u if w is missing", "u if w is missing"), ({"x": True}, '{"x": true}'),
          ({"u": "often"}, '{"u": "often"}'))),
    ("a flag of nobody", {"properties": {"u": {}}, "required": "yes"}, None, []),
    ("required in text and by a flag",
     {"properties": {"u": {}, "q": {"required": True}}, "required": "u"},
     {"properties": {"u": {}, "q": {}}, "required": ["u", "q"]}, ["L118", "L108"]),
    ("required in words and by a flag",
     {"properties": {"u": {}, "q": {"required": True}}, "required": "u, sometimes"},
     {"properties": {"u": {}, "q": {}}, "required": ["q"],
      "description": "required: u, sometimes"}, ["L119", "L108"]),
    ("required and not",
     {"properties": {"a": {"required": False}, "b": {"type": "int, optional"}},
      "required": ["a", "b"]},
     {"properties": {"a": {}, "b": {"type": "integer"}}, "required": ["a", "b"]},
     ["L116", "L108", "L111"]),
    ("required in text and not", {"properties": {"a": {"required": "no"}}, "required": "a"},
     {"properties": {"a": {}}, "required": ["a"]}, ["L116", "L118", "L108"]),
    ("required by a flag, not by a map",
     {"properties": {"a": {"required": True}}, "required": {"a": False}},
     {"properties": {"a": {}}, "required": ["a"]}, ["L116", "L118", "L108"]),
    ("a null among types", {"type": ["str", None]}, {"type": ["string", "null"]}, ["L101"]),
    ("malformed stays", {"properties": [1], "items": 3, "anyOf": {"a": 1}, "type": 4}, None, []),
]  # fmt: skip


@table("name, schema, expected, codes", CASES, ids=[case[0] for case in CASES])
def test_cases(name, schema, expected, codes):
    given_schema = copy.deepcopy(schema)
    done = upgrade(schema, "t", Pointer(("inputs",)))
    assert schema == given_schema
    assert done.schema == (schema if expected is None else expected)
    assert [loss.code for loss in done.losses] == codes
    if not codes:
        assert done.schema is schema, "nothing to do must cost nothing"
    assert upgrade(done.schema).schema is done.schema
    if expected is not None:
        assert patched({"inputs": schema}, done.losses).get("inputs", {}) == expected


@pytest.mark.parametrize(
    "schema, effect",
    [({"a": {"enum": "1-5"}}, Effect.WIDENED), ({"not": {"enum": "1-5"}}, Effect.WIDENED),
     ({"a": {"not": {"enum": "1-5"}}}, Effect.NARROWED),
     ({"a": {"if": {"enum": "1-5"}}}, Effect.WIDENED | Effect.NARROWED),
     ({"a": {"not": {"not": {"enum": "1-5"}}}}, Effect.WIDENED)],
)  # fmt: skip
def test_what_is_widened_below_a_negation_narrows(schema, effect):
    told = upgrade({"type": "object", "properties": schema}, "t", Pointer(("inputs",))).losses
    assert [loss.effect for loss in told] == [effect]


def test_deep_schemas_end_in_our_error():
    schema: dict = {}
    for _ in range(5000):
        schema = {"items": schema}
    with pytest.raises(LimitExceeded):
        upgrade(schema)


leaves = st.fixed_dictionaries(
    {},
    optional={
        "type": st.sampled_from(["string", "int", "dict", "NUMBER", "any", ["str", "null"]]),
        "nullable": st.booleans(),
        "minimum": st.integers(0, 3),
        "exclusiveMinimum": st.booleans() | st.integers(0, 3),
        "minItems": st.sampled_from(["1", 1]),
        "example": st.integers(),
    },
)
schemas = st.recursive(
    leaves,
    lambda inner: st.fixed_dictionaries(
        {},
        optional={
            "type": st.sampled_from(["object", "dict", "array"]),
            "properties": st.dictionaries(st.sampled_from(["type", "a", "required"]), inner),
            "items": inner | st.lists(inner, max_size=2),
            "additionalItems": inner | st.booleans(),
            "anyOf": st.lists(inner, max_size=2),
            "dependencies": st.dictionaries(st.sampled_from("ab"), inner | st.just(["a"])),
            "definitions": st.dictionaries(st.sampled_from("xy"), inner),
        },
    ),
    max_leaves=8,
)


@given(schemas)
def test_idempotent_and_its_losses_are_a_patch(schema):
    before = copy.deepcopy(schema)
    done = upgrade(schema, "t", Pointer(("inputs",)))
    assert schema == before
    assert upgrade(done.schema).schema == done.schema
    if schema:
        assert patched({"inputs": schema}, done.losses).get("inputs", {}) == done.schema
    assert bool(done.losses) == (done.schema != schema)


OPTIONAL = {"type": "int, optional", "default": 5}
WHOLE = {"type": "integer", "default": 5}


@table(
    "given, required",
    [
        ({"a": {"type": "str"}, "b": OPTIONAL}, ["a"]),
        ({"b": OPTIONAL, "z": {"type": "List[int]"}, "a": {"type": "str", "default": ""}},
         ["z", "a"]),
        ({"a": "str", "b": "int, optional"}, ["a"]),
        ({"type": "object", "properties": {"a": {"type": "string"}, "b": OPTIONAL}}, ["a"]),
        # Nothing tells that the others are required:
        ({"a": {"type": "str, optional"}, "b": OPTIONAL}, None),
        ({"a": {"type": "str"}, "b": {"type": "int"}}, None),
        ({"a": {"type": "str"}, "b": {"type": "Optional[int]"}}, None),
        ({"a": {"type": "str", "required": False}, "b": {"type": "int"}}, None),
        # Something else does:
        ({"a": {"type": "str"}, "b": OPTIONAL, "c": {"type": "str", "required": True}}, ["c"]),
        ({"type": "object", "properties": {"a": {"type": "str"}, "b": OPTIONAL}, "required": []},
         []),
    ],
)  # fmt: skip
def test_types_that_say_optional_make_the_other_members_required(given, required):
    found = upgrade(given).schema
    assert found.get("required") == required
    nested = upgrade({"type": "object", "properties": {"o": {"type": "object", **found}}}).schema
    assert nested["properties"]["o"].get("required") == required


@pytest.mark.parametrize(
    "text",
    ["optional str", "Optional string", "(optional) str", "optional: str", "str [optional]",
     "str; optional", "str - Optional", "STR, OPTIONAL", "str , optional"],
)  # fmt: skip
def test_a_type_may_say_optional_before_it_and_behind_it(text):
    schema = upgrade({"properties": {"a": {"type": text}, "b": {"type": "str"}}}).schema
    assert schema["properties"]["a"] == {"type": "string"}
    assert schema["required"] == ["b"]


@pytest.mark.parametrize(
    ("text", "required"),
    [
        ("np.ndarray, optional", ["b"]),
        ("List[Foo] (optional)", ["b"]),
        ("np.ndarray", None),
        ("this is optional", None),
        ("optional", None),
        ("Optional[str]", None),
    ],
)
def test_a_type_that_is_unknown_may_still_say_optional(text, required):
    schema = upgrade({"properties": {"a": {"type": text}, "b": {"type": "str"}}}).schema
    assert schema.get("required") == required


def test_types_that_say_optional_count_below_the_root():
    inner = {"type": "object", "properties": {"a": {"type": "str"}, "b": OPTIONAL}}
    found = upgrade({"type": "object", "properties": {"l": {"type": "array", "items": inner}}})
    assert found.schema["properties"]["l"]["items"] == {
        "type": "object",
        "properties": {"a": {"type": "string"}, "b": WHOLE},
        "required": ["a"],
    }


@pytest.mark.parametrize(
    "kind", ["Optional[float]", "str | None", "Optional[Literal['a']]", "int?"]
)
def test_a_type_that_allows_none_is_not_required_beside_optional_ones(kind):
    given = {"type": "object", "properties": {
        "a": {"type": kind}, "b": {"type": "str, optional"}, "c": {"type": "int"}}}  # fmt: skip
    assert upgrade(given).schema["required"] == ["c"]
