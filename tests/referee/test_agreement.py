"""Where a provider's own library can decide, the referee decides the same."""

import json

import pytest
from pydantic import BaseModel, Field, TypeAdapter, ValidationError

from tests.referee import judge_schema, judge_tool
from tests.referee.sample_schemas import SCHEMAS, TEXT, closed, obj
from tests.referee.sample_tools import TOOLS, spec

# What only the servers refuse, beyond the shape that the libraries know.
UNSEEN = {"name", "strict-flag", "open-object", "root-type", "keyword", "limit-tools"}


def tools_in(envelope):
    return [(row[0], row[2], row[3], row[4]) for row in TOOLS if row[1] == envelope]


def forced(value):
    """Read what a type checks only when it is read."""
    if isinstance(value, dict):
        return {key: forced(item) for key, item in value.items()}
    if isinstance(value, (str, int, float, type(None))):
        return value
    return [forced(item) for item in value]


def accepts(type_, tool):
    adapter = TypeAdapter(type_)  # which must outlive what it reads lazily
    try:
        forced(adapter.validate_python(tool, strict=True, extra="forbid"))
    except ValidationError:
        return False
    return True


@pytest.mark.parametrize("envelope", ["openai", "openai-responses", "anthropic"])
def test_wire_shapes_agree_with_the_types(envelope):
    pytest.importorskip("openai")
    pytest.importorskip("anthropic")
    from anthropic.types import ToolUnionParam
    from openai.types.chat import ChatCompletionToolUnionParam
    from openai.types.responses import ToolParam

    type_ = {
        "openai": ChatCompletionToolUnionParam,
        "openai-responses": ToolParam,
        "anthropic": ToolUnionParam,
    }[envelope]
    for rule, _, good, bad in tools_in(envelope):
        assert accepts(type_, good), good
        assert rule in UNSEEN or not accepts(type_, bad), bad


GEMINI_UNSEEN = {
    # The library's model takes these; the server does not.
    "array-items", "empty-properties", "enum", "format", "malformed", "property-name",
    "required-unknown", "root-type", "union-siblings", "untyped",
}  # fmt: skip


def gemini_takes(schema):
    from google.genai import types

    try:
        types.Schema.model_validate(schema)
    except (ValidationError, AttributeError):  # a list of types is met with the second
        return False
    return True


def test_openapi_schemas_agree_with_the_model():
    pytest.importorskip("google.genai")
    met = 0
    for rule, dialect, good, bad in SCHEMAS:
        if dialect != "gemini/openapi":
            continue
        assert gemini_takes(good), good
        vertex_only = any(key in json.dumps(bad) for key in ('"ref"', '"additionalProperties"'))
        if rule not in GEMINI_UNSEEN and not vertex_only:
            assert not gemini_takes(bad), bad
            met += 1
    assert met > 8
    assert not gemini_takes(obj(a={**TEXT, "enum": [1]}))


@pytest.mark.parametrize("keyword", "const oneOf $ref prefixItems multipleOf anyOf title".split())
def test_openapi_keywords_agree_with_the_model(keyword):
    pytest.importorskip("google.genai")
    value = [TEXT] if keyword in ("anyOf", "oneOf", "prefixItems") else "x"
    schema = obj(a={keyword: value} if keyword == "anyOf" else {**TEXT, keyword: value})
    assert gemini_takes(schema) == (judge_schema(schema, "gemini/openapi") == [])


def test_gemini_declarations_agree_with_the_model():
    types = pytest.importorskip("google.genai.types")
    for rule, _, good, bad in tools_in("gemini"):
        model = types.FunctionDeclaration if "name" in good else types.Tool
        model.model_validate(good)
        if rule == "unknown-key":
            model = types.FunctionDeclaration if "name" in bad else types.Tool
            with pytest.raises(ValidationError):
                model.model_validate(bad)


@pytest.mark.parametrize(
    "dialect, module", [("mcp", "2026_07_28"), ("mcp/2025-11-25", "2025_11_25")]
)
def test_mcp_tools_agree_with_the_versioned_models(dialect, module):
    types = pytest.importorskip(f"mcp_types._v{module}")
    met = 0
    for rule, judged, good, bad in tools_in("mcp"):
        if judged != dialect:
            continue
        types.Tool.model_validate(good)
        if rule in ("missing-key", "wrong-value", "root-type"):
            met += 1
            with pytest.raises(ValidationError):
                types.Tool.model_validate(bad)
    assert met


def test_bedrock_agrees_with_the_service_model():
    session = pytest.importorskip("botocore.session").get_session()
    validate = pytest.importorskip("botocore.validate").ParamValidator().validate
    service = session.get_service_model("bedrock-runtime")
    shape = service.operation_model("Converse").input_shape.members["toolConfig"]

    def takes(tool):
        return not validate({"tools": [tool]}, shape).has_errors()

    for rule, _, good, bad in tools_in("bedrock"):
        assert takes(good), good
        assert rule in UNSEEN or not takes(bad), bad
    name = shape.members["tools"].member.members["toolSpec"].members["name"].metadata
    assert (name["min"], name["max"], name["pattern"]) == (1, 64, "[a-zA-Z0-9_-]+")
    assert judge_tool(spec(name="a" * name["max"]), "bedrock", "bedrock") == []
    assert judge_tool(spec(name="a" * (name["max"] + 1)), "bedrock", "bedrock") != []


class Place(BaseModel):
    city: str = Field(description="a city")
    kind: int | None


class Trip(BaseModel):
    stops: list[Place]
    home: Place


def test_what_openai_makes_strict_passes():
    library = pytest.importorskip("openai.lib._pydantic")
    assert judge_schema(Trip.model_json_schema(), "openai/strict") != []
    assert judge_schema(library.to_strict_json_schema(Trip), "openai/strict") == []


@pytest.mark.parametrize(
    "node",
    [
        {**TEXT, "enum": ["x"]},
        {**TEXT, "const": "x"},
        {"type": "array", "items": TEXT, "minItems": 1},
        {"type": "array", "items": TEXT, "maxItems": 3},
        {"type": "integer", "minimum": 1},
        {**TEXT, "format": "uri"},
        {**TEXT, "format": "regex"},
        {"oneOf": [TEXT, {"type": "null"}]},
        {"type": "object", "additionalProperties": TEXT},
    ],
)
def test_what_anthropic_makes_strict_passes(node):
    anthropic = pytest.importorskip("anthropic")
    assert judge_schema(anthropic.transform_schema(closed(a=node)), "anthropic/strict") == []
