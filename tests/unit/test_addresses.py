"""Schemas that give themselves addresses: references still lead where they led before."""

import itertools

import pytest
from jsonschema import Draft7Validator, Draft202012Validator
from jsonschema.validators import validator_for
from referencing.exceptions import Unresolvable

import toolcanon as tc
from tests.tables import table
from toolcanon.schema.resources import by_place, resolved

HOME = "https://a.test/dir/s.json"
WORD, COUNT = {"type": "string"}, {"type": "integer"}
LIST = {"$id": HOME, "type": "array", "definitions": {"A": {"type": "object", "required": ["n"],
        "properties": {"n": COUNT, "next": {"$ref": "#/definitions/A"}}}}}  # fmt: skip
PART = {"$id": "https://a.test/part", "type": "object", "required": ["q"],
        "properties": {"q": {"$ref": "#/$defs/q"}}, "$defs": {"q": COUNT}}  # fmt: skip
OBJECT = {"type": "object", "required": ["p"]}

# A schema, arguments that it takes and arguments that it refuses.
ADDRESSED = {
    "pointer": ({**LIST, "items": {"$ref": "#/definitions/A"}}, [{"n": 1}], ["x"]),
    "absolute": ({**LIST, "items": {"$ref": f"{HOME}#/definitions/A"}}, [{"n": 1}], [{}]),
    "relative": ({**LIST, "items": {"$ref": "s.json#/definitions/A"}}, [{"n": 1}], [{}]),
    "from-root": ({**LIST, "items": {"$ref": "/dir/s.json#/definitions/A"}}, [{"n": 1}], [{}]),
    "anchor": ({"$id": HOME, "type": "array", "items": {"$ref": "#a"},
                "$defs": {"A": {"$anchor": "a", **WORD}}}, ["x"], [1]),
    "itself": ({"$id": HOME, "type": "array", "items": {"anyOf": [{"$ref": "#"}, COUNT]}},
               [[1], 1], [["x"]]),
    "itself-by-address": ({"$id": HOME, "type": "array",
                           "items": {"anyOf": [{"$ref": HOME}, COUNT]}}, [[1], 1], [["x"]]),
    "member": ({"$id": HOME, "type": "array", "prefixItems": [COUNT],
                "items": {"$ref": "#/prefixItems/0"}}, [1, 2], [1, "x"]),
    "own-document": ({"type": "array", "items": PART}, [{"q": 1}], [{"q": "x"}]),
    "rival-definitions": ({**OBJECT, "properties": {"p": PART}, "$defs": {"q": WORD}},
                          {"p": {"q": 1}}, {"p": {"q": "x"}}),
    "rival-anchors": ({**OBJECT, "properties": {"p": {"$id": "part", "type": "array",
                       "items": {"$ref": "#a"}, "$defs": {"A": {"$anchor": "a", **COUNT}}},
                       "w": {"$ref": "#a"}}, "$defs": {"A": {"$anchor": "a", **WORD}}},
                      {"p": [1], "w": "x"}, {"p": ["x"]}),
    "document-by-address": ({**OBJECT, "properties": {"p": {"$ref": "https://a.test/part"}},
                             "$defs": {"part": PART}}, {"p": {"q": 1}}, {"p": {"q": "x"}}),
    "document-beside": ({**OBJECT, "$id": HOME, "properties": {"p": {"$ref": "../t#/$defs/q"}},
                         "$defs": {"t": {"$id": "../t", "$defs": {"q": COUNT}}}},
                        {"p": 1}, {"p": "x"}),
    "document-around": ({**OBJECT, "$id": HOME, "$defs": {"q": WORD}, "properties": {"p": {
        "$id": "part", **OBJECT, "$defs": {"q": COUNT}, "properties": {"p": {
            "$id": "inner", "type": "array", "items": {"$ref": "part#/$defs/q"}}}}}},
        {"p": {"p": [1]}}, {"p": {"p": ["x"]}}),
    "urn": ({**OBJECT, "$id": "urn:a", "properties": {"p": {"$ref": "urn:a#/$defs/q"}},
             "$defs": {"q": COUNT}}, {"p": 1}, {"p": "x"}),
    "name": ({**OBJECT, "properties": {"p": {"$ref": "#a"}},
              "definitions": {"A": {"$id": "#a", **COUNT}}}, {"p": 1}, {"p": "x"}),
    "name-of-old": ({**OBJECT, "$schema": "http://json-schema.org/draft-04/schema#",
                     "properties": {"p": {"$ref": "#a"}},
                     "definitions": {"A": {"id": "#a", **COUNT}}}, {"p": 1}, {"p": "x"}),
    "name-of-root": ({"$id": "#a", "type": "array", "items": {"anyOf": [{"$ref": "#a"}, COUNT]}},
                     [[1], 1], [["x"]]),
    "pointer-as-name": ({**OBJECT, "properties": {"p": {"$id": "#/properties/p", **COUNT},
                         "r": {"$ref": "#/properties/p"}}}, {"p": 1, "r": 1}, {"p": 1, "r": "x"}),
}  # fmt: skip
TARGETS = (
    "openai",
    "openai/strict",
    "anthropic",
    "gemini",
    "gemini/openapi",
    "langchain",
    "mcp",
    "json-schema",
)


def bound(schema, target):
    envelope, _, dialect = target.partition("/")
    tool = {"name": "t", "description": "d", "inputSchema": schema}
    chosen = {"dialect": target} if dialect else {}
    return tc.bind(tc.read(tool, source="mcp"), envelope, **chosen)


def accepts(schema, value, validator=Draft202012Validator):
    try:
        return validator(schema).is_valid(value)
    except Unresolvable as lost:
        return f"dangling: {lost}"


def wire_schema(binding, target):
    return tc.read(binding.payload, source=target.partition("/")[0])[0].input_schema


@table("case", ADDRESSED)
@table("target", TARGETS)
def test_references_lead_where_they_led_before(case, target):
    schema, taken, refused = ADDRESSED[case]
    own = validator_for(
        schema, Draft7Validator if case.startswith("name") else Draft202012Validator
    )
    assert accepts(schema, taken, own) is True
    assert accepts(schema, refused, own) is False
    binding = bound(schema, target)
    sent = wire_schema(binding, target)
    assert accepts(sent, binding.render("t", taken)[1]) is True
    assert not [loss for loss in binding.losses if loss.code == "L204"]
    if tc.Effect.WIDENED not in {loss.effect for loss in binding.losses}:
        assert accepts(sent, binding.render("t", refused)[1]) is False


@table("case", ADDRESSED)
def test_calls_are_judged_by_what_references_lead_to(case):
    schema, taken, refused = ADDRESSED[case]
    binding = bound(schema, "anthropic")
    right = binding.restore("t", binding.render("t", taken)[1])
    assert (right.arguments, right.problems) == (taken, ())
    wrong = binding.restore("t", binding.render("t", refused)[1])
    assert wrong.problems or wrong.repairs


def test_part_that_takes_itself_for_a_part_of_the_document_around_is_understood():
    inner = {"$id": "inner", "type": "array", "items": {"$ref": "#/$defs/q"}}
    part = {"$id": "part", **OBJECT, "$defs": {"q": COUNT}, "properties": {"p": inner}}
    schema = {**OBJECT, "$id": HOME, "$defs": {"q": WORD}, "properties": {"p": part}}
    written, _ = by_place(schema)
    assert accepts(written, {"p": {"p": [1]}}) is True
    assert accepts(written, {"p": {"p": ["x"]}}) is False


@pytest.mark.parametrize("target", ["openai", "anthropic", "gemini"])
def test_wrapped_root_gives_up_its_address(target):
    binding = bound(ADDRESSED["pointer"][0], target)
    (lost,) = [loss for loss in binding.losses if loss.code == "L229"]
    assert lost.at == ("inputs", "$id")
    assert (lost.effect, lost.before) == (tc.Effect.HINT_LOST, HOME)


def test_addresses_stay_where_nothing_refers():
    schema = {"$id": HOME, "type": "object", "properties": {"a": {"$id": "/a", **WORD}}}
    assert by_place(schema) == (schema, [])
    binding = bound(schema, "anthropic")
    assert wire_schema(binding, "anthropic") == schema
    assert not binding.losses


def test_references_out_of_the_document_stay():
    schema = {"$id": HOME, "properties": {"a": {"$ref": "other.json#/a"}}}
    assert by_place(schema) == (schema, [])


def test_check_takes_relative_addresses_for_what_they_are():
    tool = {"name": "t", "inputSchema": ADDRESSED["document-beside"][0]}
    codes = {finding.code for finding in tc.check(tool, "mcp").findings}
    assert not codes & {"S114", "C211"}


# From RFC 3986, 5.4.
BASE = "http://a/b/c/d?q"
JOINED = {
    "g:h": "g:h", "g": "http://a/b/c/g", "./g": "http://a/b/c/g", "g/": "http://a/b/c/g/",
    "/g": "http://a/g", "//g": "http://g", "?y": "http://a/b/c/d?y", "g?y": "http://a/b/c/g?y",
    "": "http://a/b/c/d?q", ".": "http://a/b/c/", "./": "http://a/b/c/", "..": "http://a/b/",
    "../": "http://a/b/", "../g": "http://a/b/g", "../..": "http://a/", "../../g": "http://a/g",
    "../../../g": "http://a/g",
}  # fmt: skip


@table("address", JOINED)
def test_addresses_are_resolved_as_the_standard_has_it(address):
    assert resolved(BASE, address) == JOINED[address]


def test_addresses_without_a_host_are_joined_by_their_paths():
    for base, address in itertools.product(("", "a/b", "urn:x"), ("c", "d/e")):
        assert resolved(base, address).endswith(address)
