"""Schemas that become invalid: each is a breaking change, named by keyword and place."""

import pytest

import toolcanon as tc
from tests.tables import table
from tests.unit.test_malformed import KEYWORDS, LATEST, VALUES, is_valid, tool


def changes(before, after):
    return [(change.code, str(change.at or "")) for change in tc.diff(before, after).changes]


@pytest.mark.parametrize("declared", [{}, {"$schema": LATEST}])
def test_metaschema_and_diff_agree_on_what_is_invalid(declared):
    plain = tool({})
    plain["inputSchema"] |= declared
    older = {"exclusiveMinimum", "exclusiveMaximum"} if not declared else set()
    for keyword in KEYWORDS:
        for value in VALUES:
            if keyword == "additionalItems" and not declared:
                continue  # a keyword of older drafts alone
            edited = tool({keyword: value})
            edited["inputSchema"] |= declared
            is_fine = is_valid({keyword: value}) or (keyword in older and value is True)
            found = "D203" in dict(changes(plain, edited))
            assert found is not is_fine, (keyword, value)


@table(
    ("before", "after", "keyword"),
    [
        ({"type": "array", "maxItems": 3}, {"type": "array", "maxItems": -1}, "maxItems"),
        ({"type": "number"}, {"type": "number", "multipleOf": 0}, "multipleOf"),
        ({"type": "string"}, {"type": "string", "enum": {}}, "enum"),
        ({"type": "string"}, {"type": "string", "anyOf": []}, "anyOf"),
        ({"type": "object"}, {"type": "objekt"}, "type"),
        ({"type": "integer"}, {"type": "int"}, "type"),
        ({"type": "number", "minimum": 0}, {"type": "number", "minimum": False}, "minimum"),
        ({"type": "number", "minimum": 0}, {"type": "number", "minimum": "0"}, "minimum"),
        ({"items": {"type": "string"}}, {"items": "string"}, "items"),
        ({"type": "string"}, {"type": "string", "pattern": "(a"}, "pattern"),
        ({"$ref": "#"}, {"$ref": "#/$defs/gone"}, "$ref"),
        ({"$ref": "#"}, {"$ref": "#/properties/m"}, "$ref"),
        ({"$ref": "#"}, {"allOf": [{"$ref": "#/properties/m"}]}, "allOf/0/$ref"),
    ],
)
def test_invalid_keyword_is_one_breaking_change(before, after, keyword):
    found = tc.diff(tool(before), tool(after))
    reported = [one for one in found.changes if one.code == "D203"]
    assert [str(one.at) for one in reported] == [f"/inputs/properties/m/{keyword}"]
    assert found.verdict == "breaking"
    assert reported[0].message.startswith("m: ")
    others = [one for one in found.changes if one not in reported and one.verdict != "unknown"]
    assert not [one for one in others if one.was == reported[0].at]


def test_results_that_become_invalid_are_reported():
    before, after = tool({}), tool({})
    before["outputSchema"] = {"type": "object", "minProperties": 1}
    after["outputSchema"] = {"type": "object", "minProperties": "x"}
    assert ("D203", "/outputs/minProperties") in changes(before, after)


def test_what_was_invalid_before_is_not_reported_again():
    before, after = tool({"maxItems": -1}), tool({"maxItems": -1, "description": "new"})
    assert "D203" not in dict(changes(before, after))


def test_repaired_schema_is_not_reported():
    assert "D203" not in dict(changes(tool({"type": "int"}), tool({"type": "integer"})))


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ({"prefixItems": [{"type": "string"}]}, {"items": [{"type": "string"}]}),
        ({"exclusiveMinimum": 1}, {"minimum": 1, "exclusiveMinimum": True}),
    ],
)
def test_keywords_of_older_drafts_are_valid(before, after):
    assert "D203" not in dict(changes(tool(before), tool(after)))


def test_formats_with_type_names_of_their_own_are_valid():
    before = {"name": "f", "parameters": {"type": "OBJECT", "properties": {"n": {}}}}
    after = {"name": "f", "parameters": {"type": "OBJECT", "properties": {"n": {"type": "STRING"}}}}
    found = tc.diff(tc.read(before, source="gemini"), tc.read(after, source="gemini"))
    assert "D203" not in {change.code for change in found.changes}
    assert tc.diff(tool({"type": "string"}), tc.read(after, source="gemini")).verdict != "identical"
