"""The providers' own types judge what we write: extra keys refused, strict, nothing left lazy."""

import json

import pytest
from pydantic import TypeAdapter, ValidationError

import toolcanon as tc
from tests.conftest import LABELS, format_cases, rows
from toolcanon.errors import ToolcanonError

CASES = [(f, c["definition"]) for f, c in format_cases()]


def consume(value):
    """Force fields that a type checks only when they are read."""
    if isinstance(value, dict):
        return {key: consume(item) for key, item in value.items()}
    if isinstance(value, (str, bytes, int, float, bool, type(None))):
        return value
    return [consume(item) for item in value]


def openai_chat():
    from openai.types.chat import ChatCompletionToolUnionParam

    return strict(ChatCompletionToolUnionParam)


def openai_responses():
    from openai.types.responses import ToolParam

    return strict(ToolParam)


def anthropic():
    from anthropic.types import ToolUnionParam

    return strict(ToolUnionParam)


def strict(type_):
    adapter = TypeAdapter(type_)
    return lambda item: consume(adapter.validate_python(item, strict=True, extra="forbid"))


def gemini():
    from google.genai import types

    def judge(item):
        if "name" in item:
            types.FunctionDeclaration.model_validate(item)
        else:
            types.Tool.model_validate(item)

    return judge


def mcp():
    from mcp.types import Tool
    from mcp_types._v2026_07_28 import Tool as LatestTool

    known = {field.alias or name for name, field in Tool.model_fields.items()} | {"execution"}

    def judge(item, given=()):
        """The protocol is open: a tool may have other keys, but only those it was given."""
        LatestTool.model_validate(item)
        Tool.model_validate(item)
        assert set(item) <= known | set(given), set(item) - known

    return judge


def bedrock():
    import botocore.session
    from botocore.validate import ParamValidator

    model = botocore.session.Session().get_service_model("bedrock-runtime")
    shape = model.operation_model("Converse").input_shape.members["toolConfig"]
    name = shape.members["tools"].member.members["toolSpec"].members["name"]

    def judge(item):
        report = ParamValidator().validate({"tools": [item]}, shape).generate_report()
        assert not report, report
        if "toolSpec" in item:  # lengths and patterns are in the model but not checked by it
            import re

            text = item["toolSpec"]["name"]
            assert len(text) <= name.metadata["max"]
            assert re.fullmatch(name.metadata["pattern"], text)

    return judge


def langchain():
    from langchain_core.utils.function_calling import convert_to_openai_tool

    def judge(item):
        if item["args_schema"].get("properties"):
            made = convert_to_openai_tool(
                {"title": item["name"], **item["args_schema"], "description": "d"}
            )
            assert made["function"]["parameters"]["properties"]

    return judge


JUDGES = {
    "anthropic": anthropic,
    "bedrock": bedrock,
    "gemini": gemini,
    "langchain": langchain,
    "mcp": mcp,
    "openai": openai_chat,
    "openai-responses": openai_responses,
}


OPEN = {"mcp"}


@pytest.fixture(scope="module", params=JUDGES)
def judged(request):
    return request.param, JUDGES[request.param]()


def plain_object(schema):
    """A schema that no target needs to have lowered at its root."""
    return not schema or (
        schema.get("type") == "object"
        and isinstance(schema.get("properties", {}), dict)
        and isinstance(schema.get("required", []), list)
    )


def accepted(tool, target, judge, where):
    if tool.kind is tc.Kind.BUILTIN or not plain_object(tool.inputs):
        return 0
    payload = tc.bind(tool, target).payload
    item = payload["tools"][0] if payload.get("type") == "namespace" else payload
    try:
        copy = json.loads(json.dumps(payload))
        judge(copy, tool.extras.get(target, ())) if target in OPEN else judge(copy)
    except (ValidationError, AssertionError, AttributeError) as error:
        raise AssertionError(f"{where}: {target} refuses {item}: {error}") from error
    return 1


def test_every_case_is_accepted(judged):
    target, judge = judged
    seen = sum(
        accepted(tool, target, judge, definition)
        for source, definition in CASES
        for tool in tc.read(definition, source=source)
    )
    assert seen > 40


@pytest.mark.corpus
@pytest.mark.parametrize("label", LABELS)
def test_every_row_is_accepted(judged, label):
    target, judge = judged
    for row in rows(label):
        try:
            tools = tc.read(row["definition"], source=LABELS[label])
        except ToolcanonError:
            continue
        for tool in tools:
            accepted(tool, target, judge, row["id"])


def test_the_judges_can_say_no(judged):
    """A judge that accepts anything proves nothing."""
    target, judge = judged
    if target == "langchain":
        return
    wrong = {"openai": {"type": "function", "function": {"name": "f", "x": 1}}}
    with pytest.raises((ValidationError, AssertionError)):
        judge(wrong.get(target, {"type": "nothing", "toolSpec": {}, "x": 1}))


def test_lists_and_built_in_tools_are_accepted():
    definitions = {
        "openai-responses": [{"type": "web_search"}, {"type": "custom", "name": "t"}],
        "anthropic": [{"type": "web_search_20260318", "name": "web_search"}],
        "gemini": [{"googleSearch": {}}, {"name": "f", "behavior": "BLOCKING"}],
        "bedrock": [{"systemTool": {"name": "s"}}, {"cachePoint": {"type": "default"}}],
    }
    for target, items in definitions.items():
        payload = tc.convert(items, target).payload
        judge = JUDGES[target]()
        for item in payload:
            judge(item)
