"""LangChain follows references by their letters: what is written for it must not make it raise."""

import pytest

import toolcanon as tc
from tests.tables import table

function_calling = pytest.importorskip("langchain_core.utils.function_calling")
tools = pytest.importorskip("langchain_core.tools")

DEFS = {
    "plain": {"type": "integer"},
    "a b": {"type": "integer"},
    "a%20b": {"type": "boolean"},
    "x~y": {"type": "integer"},
    "café": {"type": "integer"},
    "named": {"$anchor": "foo", "type": "integer"},
}
FOLLOWED = [
    "#/$defs/plain", "#/$defs/a%20b", "#/$defs/a b", "#/$defs/x~0y", "#/$defs/caf%C3%A9", "#foo",
    "#/definitions/a~1b", "#/properties/n", "https://e.org/me.json#/$defs/plain",
]  # fmt: skip
LOST = ["https://e.org/x.json", "other.json#/$defs/plain", "#/$defs/none", "#none", "#/$defs/a%2Gb"]


def definition(ref, wrap=lambda schema: schema):
    schema = {
        "$id": "https://e.org/me.json",
        "type": "object",
        "properties": {"n": {"type": "integer"}, "x": wrap({"$ref": ref, "description": "k"})},
        "$defs": DEFS,
        "definitions": {"a/b": {"type": "integer"}},
    }
    return {"name": "f", "description": "d", "parameters": schema}


def judged(payload):
    """The parameters as LangChain sends them on."""
    tool = tools.StructuredTool(**payload, func=lambda **_: None)
    return function_calling.convert_to_openai_tool(tool)["function"]["parameters"]


def below(schema):
    return {"type": "array", "items": {"type": "object", "properties": {"deep": schema}}}


@table("wrap", [lambda schema: schema, below], ids=["flat", "nested"])
@table("ref", FOLLOWED)
def test_references_that_lead_somewhere_are_followed(ref, wrap):
    done = tc.convert(definition(ref, wrap), "langchain")
    assert "L204" not in {loss.code for loss in done.losses}
    found = judged(done.payload)["properties"]["x"]
    if wrap is below:
        found = found["items"]["properties"]["deep"]
    (found,) = found.get("anyOf", [found])
    assert found["type"] == "integer"


@table("wrap", [lambda schema: schema, below], ids=["flat", "nested"])
@table("ref", LOST)
def test_references_that_lead_nowhere_are_a_loss(ref, wrap):
    done = tc.convert(definition(ref, wrap), "langchain")
    lost = [loss for loss in done.losses if loss.code == "L204"]
    assert [loss.before for loss in lost] == [ref]
    assert lost[0].effect is tc.Effect.WIDENED
    judged(done.payload)


def test_plain_references_stay_as_they_are():
    given = definition("#/$defs/plain")
    given["parameters"]["$defs"] = {"plain": {"type": "integer"}}
    assert tc.convert(given, "langchain").payload["args_schema"] == given["parameters"]


def test_the_earlier_version_passes_references_on():
    done = tc.convert(definition("other.json"), "langchain", dialect="langchain@2026-11")
    assert done.payload["args_schema"]["properties"]["x"]["$ref"] == "other.json"
