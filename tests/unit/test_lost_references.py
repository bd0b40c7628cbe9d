"""References that lead nowhere, back to themselves or elsewhere: never taken for harmless."""

import json

import pytest

import toolcanon as tc
from tests.tables import table
from tests.unit.test_malformed import tool
from toolcanon.conversion.target import all_dialects
from toolcanon.diagnostics import Effect
from toolcanon.lowering import lower
from toolcanon.schema.malformed import lost_references

LOOP = {"$ref": "#/$defs/a"}
CYCLES = [
    {"a": LOOP},
    {"a": {"$ref": "#/$defs/b"}, "b": LOOP},
    {"a": {"allOf": [LOOP], "type": "string"}},
    {"a": {"anyOf": [{"type": "string"}, LOOP]}},
    {"a": {"if": LOOP, "then": {"type": "string"}}},
    {"a": {"not": {"oneOf": [LOOP]}}},
    {"a": {"dependentSchemas": {"x": LOOP}}},
]
RECURSIONS = [
    {"a": {"properties": {"next": LOOP}}},
    {"a": {"items": LOOP}},
    {"a": {"anyOf": [{"type": "string"}, {"items": LOOP}]}},
    {"a": {"additionalProperties": LOOP}},
    {"a": {"$ref": "#/$defs/b"}, "b": {"type": "string"}},
]


def with_definitions(definitions):
    made = tool(LOOP)
    made["inputSchema"]["$defs"] = definitions
    return made


def found(definition, code):
    return [one for one in tc.check(definition, "mcp").findings if one.code == code]


@pytest.mark.parametrize("definitions", CYCLES)
def test_references_that_lead_back_to_themselves_are_errors(definitions):
    (finding,) = found(with_definitions(definitions), "C210")
    assert finding.level == "error"
    assert finding.at[:3] == ("inputs", "$defs", "a")


@pytest.mark.parametrize("definitions", CYCLES)
def test_conversion_reports_references_that_lead_back_to_themselves(definitions):
    schema = json.loads(json.dumps(with_definitions(definitions)["inputSchema"]))
    for target, dialect in all_dialects().items():
        lowered = lower(schema, dialect)
        if not dialect.references.unresolved:
            assert lowered.effect & (Effect.WIDENED | Effect.NARROWED), target
            flaws = [flaw for flaw in lost_references(lowered.schema) if flaw.is_circular]
            assert not flaws, target


@pytest.mark.parametrize("definitions", RECURSIONS)
def test_recursion_that_uses_up_values_stays(definitions):
    schema = with_definitions(definitions)["inputSchema"]
    for target in ("openai", "openai/strict", "gemini", "mcp"):
        codes = {loss.code for loss in lower(schema, all_dialects()[target]).losses("f", "inputs")}
        assert "L204" not in codes, target


@pytest.mark.parametrize("definitions", RECURSIONS)
def test_recursion_that_uses_up_values_is_fine(definitions):
    assert not found(with_definitions(definitions), "C210")


@pytest.mark.parametrize("target", ["anthropic", "openai", "gemini", "bedrock"])
@pytest.mark.parametrize("definitions", CYCLES[:2])
def test_reference_cycles_that_become_anything_widen(definitions, target):
    losses = tc.convert(with_definitions(definitions), target).losses
    reported = [loss for loss in losses if loss.code == "L204"]
    assert reported
    assert {loss.effect for loss in reported} == {tc.Effect.WIDENED}


@table(
    "reference",
    [
        "https://example.net/a.json",
        "file:///etc/passwd",
        "//example.net/a",
        "urn:example:a",
        "other.json#/a",
        "other",
        "../a",
        "http://json-schema.org/draft-07/schema#",
    ],
)
@table("keyword", ["$ref", "$dynamicRef"])
def test_references_to_other_documents_are_errors(reference, keyword):
    (finding,) = found(tool({keyword: reference}), "S114")
    assert (finding.level, finding.at[-1]) == ("error", keyword)


def test_references_to_an_own_identifier_are_fine():
    made = tool({"$ref": "https://example.net/a.json"})
    made["inputSchema"]["$defs"] = {"a": {"$id": "https://example.net/a.json", "type": "string"}}
    report = tc.check(made, "mcp")
    assert not {one.code for one in report.findings} & {"S114", "C211"}


def test_dangling_references_are_errors_on_both_sides():
    made = tool({"$ref": "#/$defs/gone"})
    made["outputSchema"] = {"type": "object", "properties": {"a": {"$ref": "#gone"}}}
    assert [str(one.at) for one in found(made, "C211")] == [
        "/inputs/properties/m/$ref",
        "/outputs/properties/a/$ref",
    ]


def test_many_cycles_are_found_in_bounded_work():
    size = 3000
    names = [f"d{number}" for number in range(size)]
    chain = {
        name: {"allOf": [{"$ref": f"#/$defs/{other}"} for other in (names[(at + 1) % size], "d0")]}
        for at, name in enumerate(names)
    }
    assert 0 < len(list(lost_references({"$defs": chain}))) <= 20
