"""Schemas that have their name beside their members: nothing that they say of values is lost."""

import pytest

import toolcanon as tc

KEYWORDS = {
    "additionalProperties": False,
    "required": ["a"],
    "$defs": {"a": {"type": "string"}},
    "definitions": {"b": {"type": "integer"}},
    "anyOf": [{"required": ["b"]}, {"required": ["c"]}],
    "minProperties": 1,
    "dependentRequired": {"b": ["c"]},
}
BARE = {"name": "f", "description": "d", "type": "object",
        "properties": {"a": {"$ref": "#/$defs/a"}, "b": {"$ref": "#/definitions/b"}, "c": {}},
        **KEYWORDS}  # fmt: skip
DECLARED = {"$schema": "https://json-schema.org/draft/2020-12/schema", **BARE}


@pytest.mark.parametrize("definition", [BARE, DECLARED])
def test_named_schemas_keep_every_keyword(definition):
    (tool,) = tc.read(definition)
    assert (tool.name, tool.description) == ("f", "d")
    own = {key: value for key, value in definition.items() if key not in {"name", "description"}}
    assert tool.inputs == own
    converted = tc.convert(definition, "mcp")
    assert converted.payload["inputSchema"] == own
    assert not converted.losses.material


@pytest.mark.parametrize("definition", [BARE, DECLARED])
def test_named_schemas_come_back_as_they_were(definition):
    (tool,) = tc.read(definition)
    assert tc.convert(tool, tool.source_format, lower=False).payload == definition


def test_document_that_declares_itself_a_schema_is_one():
    assert tc.detect(DECLARED).format == "json-schema"
    assert tc.detect({**DECLARED, "title": "Another"}).format == "json-schema"
    assert tc.read({**DECLARED, "title": "Another"})[0].name == "f"


@pytest.mark.parametrize("key", ["parameters", "inputSchema", "input_schema", "args_schema"])
def test_tool_that_declares_a_schema_beside_its_own_is_no_document(key):
    definition = {**DECLARED, key: {"type": "object", "properties": {"a": {"type": "string"}}}}
    assert tc.detect(definition).format != "json-schema"


def test_file_that_only_names_its_schema_is_no_schema():
    server = {"$schema": "https://static.test/server.schema.json", "name": "s", "packages": []}
    assert tc.detect(server).format != "json-schema"
