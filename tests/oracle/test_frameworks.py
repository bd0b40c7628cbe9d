"""Agent frameworks judge what we write, and their live objects are read without importing them."""

import inspect
import json

import pytest

import toolcanon as tc
from tests.conftest import LABELS, format_cases, rows
from toolcanon.errors import ToolcanonError

CASES = [(f, c["definition"]) for f, c in format_cases()]
ADD = {
    "type": "object",
    "properties": {"a": {"type": "integer"}, "b": {"type": "integer"}},
    "required": ["a"],
}


def smolagents_judge():
    smolagents = pytest.importorskip("smolagents")

    def judge(item):
        """The library validates a class with these attributes when it is made."""
        body = {**item, "skip_forward_signature_validation": True}
        made = type("Made", (smolagents.Tool,), body)()
        called = smolagents.models.get_tool_json_schema(made)["function"]
        optional = {name for name, entry in item["inputs"].items() if entry.get("nullable")}
        assert set(called["parameters"]["required"]) == item["inputs"].keys() - optional

    return judge


def utcp_judge():
    pytest.importorskip("utcp")
    from utcp.data.call_template import CallTemplate, CallTemplateSerializer
    from utcp.data.tool import Tool
    from utcp.interfaces.serializer import Serializer

    class Anything(Serializer):
        def to_dict(self, obj):
            return obj.model_dump()

        def validate_dict(self, obj):
            return CallTemplate.model_validate({**obj, "call_template_type": "any", "auth": None})

    CallTemplateSerializer.call_template_serializers["any"] = Anything()

    def judge(item):
        assert item.keys() <= Tool.model_fields.keys()
        Tool.model_validate({**item, "tool_call_template": {"call_template_type": "any"}})

    return judge


JUDGES = {"smolagents": smolagents_judge, "utcp": utcp_judge}


@pytest.mark.parametrize("target", JUDGES)
def test_every_case_is_accepted(target):
    judge = JUDGES[target]()
    for source, definition in CASES:
        try:
            payload = tc.convert(definition, target, source=source).payload
        except ToolcanonError:
            continue
        for item in payload if isinstance(payload, list) else [payload]:
            judge(json.loads(json.dumps(item)))


@pytest.mark.corpus
@pytest.mark.parametrize("target", JUDGES)
@pytest.mark.parametrize("label", LABELS)
def test_every_row_is_accepted(label, target):
    judge = JUDGES[target]()
    for row in rows(label):
        try:
            payload = tc.convert(row["definition"], target).payload
        except ToolcanonError:
            continue
        for item in payload if isinstance(payload, list) else [payload]:
            judge(json.loads(json.dumps(item)))


def test_the_judges_are_awake():
    smolagents, utcp = smolagents_judge(), utcp_judge()
    good = {"name": "f", "description": "d", "inputs": {}, "output_type": "any"}
    smolagents(good)
    for bad in ({"name": "class"}, {"inputs": {"a": {"type": "string"}}}, {"output_type": "text"}):
        with pytest.raises((Exception, AssertionError)):
            smolagents({**good, **bad})
    utcp({"name": "f"})
    for bad in ({"name": None}, {"inputs": {"properties": {"a": True}}}, {"parameters": {}}):
        with pytest.raises((ValueError, AssertionError)):
            utcp({"name": "f", **bad})


def test_live_smolagents_tools():
    smolagents = pytest.importorskip("smolagents")

    class Add(smolagents.Tool):
        name = "add"
        description = "Add two numbers."
        inputs = {  # noqa: RUF012 - as the library wants it
            "a": {"type": "integer", "description": "A."},
            "b": {"type": "integer", "description": "B.", "nullable": True},
        }
        output_type = "integer"

        def forward(self, a: int, b: int | None = None) -> int:
            return a + (b or 0)

    (tool,) = tc.read(Add())
    assert (tool.source_format, tool.name, tool.outputs) == (
        "smolagents", "add", {"type": "integer"},
    )  # fmt: skip
    assert tool.inputs["required"] == ["a"]
    assert list(tool.inputs["properties"]) == ["a", "b"]
    assert tc.convert([Add()], "smolagents", lower=False).payload == [
        {name: getattr(Add, name) for name in ("name", "description", "inputs", "output_type")}
    ]


def test_live_llamaindex_tools():
    tools = pytest.importorskip("llama_index.core.tools")

    def add(a: int, b: int = 1) -> int:
        """Add two numbers."""
        return a + b

    live = tools.FunctionTool.from_defaults(add)
    for thing in (live, live.metadata):
        (tool,) = tc.read(thing)
        assert (tool.source_format, tool.name) == ("llamaindex", "add")
        assert tool.description.endswith("Add two numbers.")
        assert tool.inputs["required"] == ["a"]
        written = tc.convert(thing, "llamaindex").payload["function"]
        theirs = live.metadata.to_openai_tool()["function"]
        assert {**written, "parameters": {**written["parameters"], "title": ""}} == {
            **theirs, "parameters": {**theirs["parameters"], "title": ""},
        }  # fmt: skip
    single = tools.ToolMetadata(description="d", name="t", fn_schema=None)
    assert list(tc.read(single)[0].inputs["properties"]) == ["input"]


def test_what_transformers_makes_of_a_function():
    utils = pytest.importorskip("transformers.utils")

    def add(a: int, b: int | None = None) -> int:
        """Add two numbers.

        Args:
            a: One.
            b: Another.

        Returns:
            The sum.
        """
        return a + (b or 0)

    made = utils.get_json_schema(add)
    assert inspect.getdoc(add)
    (tool,) = tc.read(made)
    assert (tool.source_format, tool.outputs["type"]) == ("huggingface", "integer")
    assert tool.input_schema["properties"]["b"]["type"] == ["integer", "null"]
    assert tc.convert(made, "huggingface", lower=False).payload == made
