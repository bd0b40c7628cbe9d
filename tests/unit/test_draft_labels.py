"""The draft that a schema names is the one that it is written in."""

import pytest

import toolcanon as tc
from tests.tables import table
from toolcanon.conversion.target import all_dialects
from toolcanon.lowering import lower
from toolcanon.schema.keywords import LATEST_URI, URIS, DraftMeaning, draft_of

D7 = "http://json-schema.org/draft-07/schema#"
OLDER = [D7, "http://json-schema.org/draft-06/schema#", "http://json-schema.org/draft-04/schema#",
         "https://json-schema.org/draft/2019-09/schema"]  # fmt: skip
CLEAN = {"type": "object", "properties": {"a": {"type": "string"}}}


@table("declared", OLDER)
@table("name", all_dialects())
def test_no_schema_goes_out_under_an_older_name(declared, name):
    dialect = all_dialects()[name]
    nested = {"type": "object", "properties": {"a": {"$schema": declared, **CLEAN}}}
    for schema in ({"$schema": declared, **CLEAN}, nested):
        sent = lower(schema, dialect).schema
        wanted = dialect.draft or DraftMeaning.LATEST
        for label in (sent.get("$schema"), sent["properties"]["a"].get("$schema")):
            assert label is None or label == URIS[wanted]


@pytest.mark.parametrize("target", ["anthropic", "openai", "gemini", "mcp", "bedrock"])
def test_changed_name_of_a_draft_is_reported(target):
    converted = tc.convert({"name": "f", "inputSchema": {"$schema": D7, **CLEAN}}, target)
    (loss,) = [loss for loss in converted.losses if loss.code == "L110"]
    assert (loss.before, loss.after) == (D7, LATEST_URI)
    assert loss.effect == tc.Effect.EXACT


def test_names_of_drafts_come_back_with_the_receipt():
    definition = {"name": "f", "inputSchema": {"$schema": D7, **CLEAN}}
    converted = tc.convert(definition, "anthropic")
    (back,) = tc.read(converted.payload, source="anthropic", receipt=converted.binding.receipt())
    assert back.inputs["$schema"] == D7
    assert draft_of(back.input_schema) is DraftMeaning.LATEST


def test_names_of_others_stay():
    schema = {"$schema": "https://example.com/own", **CLEAN}
    assert tc.convert({"name": "f", "inputSchema": schema}, "mcp").payload["inputSchema"] == schema


@pytest.mark.parametrize(
    "label", ["http://json-schema.org/schema#", "https://json-schema.org/draft/x", "nonsense"]
)
def test_a_label_that_names_no_known_draft_is_left_out_and_reported(label):
    schema = {"$schema": label, "type": "object", "properties": {"a": {"type": "string"}}}
    tool = tc.CanonicalTool(name="f", description="Finds words.", inputs=schema)
    for target in ("openai", "anthropic", "gemini", "bedrock", "mcp"):
        (loss,) = tc.bind(tool, target).losses
        assert (loss.code, str(loss.at), loss.before) == ("L233", "/inputs/$schema", label)
    codes = [(one.code, str(one.at)) for one in tc.check(tool, "mcp").findings]
    assert ("L233", "/inputs/$schema") in codes
