"""Keywords with values that the metaschema rejects: reported by conversion, and never sent."""

import jsonschema_rs
import pytest

import toolcanon as tc
from tests.tables import table
from toolcanon.dialect import JSON_SCHEMA
from toolcanon.schema.keywords import POSITIONS

VALUES = [
    *(None, True, -1, 0, 1.5, "text", "", [], {}, [1], {"a": 1}, [{}, 3]),
    *(["a", "a"], ["string", "string"], {"a": ["b", "b"]}, {"a": {"type": "colour"}}),
]
# References are checked by themselves, and an anchor stays where references may lead to it.
KEYWORDS = sorted({*JSON_SCHEMA, *POSITIONS} - {"$ref", "$dynamicRef", "$anchor", "$dynamicAnchor"})
LATEST = "https://json-schema.org/draft/2020-12/schema"


def is_valid(schema):
    return jsonschema_rs.meta.is_valid({"$schema": LATEST, "not": schema})


def tool(member):
    return {"name": "f", "inputSchema": {"type": "object", "properties": {"m": member}}}


def sent(payload):
    return payload.get("input_schema") or payload.get("inputSchema") or payload["parameters"]


@pytest.mark.parametrize("target", ["anthropic", "openai-responses", "mcp"])
def test_malformed_keywords_are_reported_and_not_sent(target):
    seen = 0
    for keyword in KEYWORDS:
        for value in VALUES:
            found = tc.convert(tool({keyword: value}), target)
            assert is_valid(sent(found.payload)), (keyword, value)
            if not is_valid({keyword: value}):
                seen += 1
                assert found.losses, (keyword, value)
    assert seen > 400


@table(
    ("member", "wanted", "effect"),
    [
        ({"type": "array", "maxItems": -1}, {"type": "array"}, tc.Effect.WIDENED),
        ({"type": "number", "multipleOf": 0}, {"type": "number"}, tc.Effect.WIDENED),
        ({"type": "array", "uniqueItems": "yes"}, {"type": "array"}, tc.Effect.WIDENED),
        ({"type": "string", "examples": "one"}, {"type": "string"}, tc.Effect.HINT_LOST),
        ({"type": "string", "readOnly": 1}, {"type": "string"}, tc.Effect.HINT_LOST),
        ({"type": ["string", "string"]}, {"type": "string"}, tc.Effect.EXACT),
        (
            {"type": "object", "dependentRequired": {"a": ["b", "b"]}},
            {"type": "object", "dependentRequired": {"a": ["b"]}},
            tc.Effect.EXACT,
        ),
    ],
)
@table("target", ["anthropic", "mcp"])
def test_fast_path_declines_malformed_values(member, wanted, effect, target):
    found = tc.convert(tool(member), target)
    assert sent(found.payload)["properties"] == {"m": wanted}
    (loss,) = found.losses
    assert loss.effect is effect


def test_check_reports_every_malformed_keyword():
    for keyword in KEYWORDS:
        for value in VALUES:
            findings = tc.check(tool({keyword: value}), "mcp").findings
            if not is_valid({keyword: value}):
                assert {one.code for one in findings} & {"C205", "C207", "C209"}, (keyword, value)
            else:
                assert "C209" not in {one.code for one in findings}, (keyword, value)


def test_check_names_the_keyword_its_place_and_the_edit():
    made = tool({"type": "array", "maxItems": -1})
    (finding,) = [one for one in tc.check(made, "mcp").findings if one.code == "C209"]
    assert (finding.level, str(finding.at)) == ("error", "/inputs/properties/m/maxItems")
    assert finding.message == "maxItems must be a whole number of 0 or more, found -1"
    assert finding.remedy == "write a whole number of 0 or more, or remove maxItems"
