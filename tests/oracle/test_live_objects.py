"""Live objects of the providers' libraries are read without importing those libraries."""

import types as python_types

import toolcanon as tc

SCHEMA = {"type": "object", "properties": {"a": {"type": "string"}}}
BASES = {"mcp": {"name": "f", "inputSchema": SCHEMA}}


def test_live_objects():
    import mcp.types
    from anthropic.types import ToolParam
    from google.genai import types
    from langchain_core.tools import tool as as_tool
    from pydantic import BaseModel

    live = mcp.types.Tool(name="f", input_schema=SCHEMA, title="F")
    (tool,) = tc.read(live)
    assert (tool.source_format, tool.title, tool.inputs) == ("mcp", "F", SCHEMA)
    listing = mcp.types.ListToolsResult(tools=[live])
    assert tc.read(listing)[0].inputs == SCHEMA
    declaration = types.FunctionDeclaration(
        name="f",
        parameters=types.Schema(type="OBJECT", properties={"a": types.Schema(type="STRING")}),
    )
    (tool,) = tc.read(types.Tool(function_declarations=[declaration]))
    assert tool.input_schema == SCHEMA
    assert tc.read([ToolParam(name="f", input_schema=SCHEMA)])[0].source_format == "anthropic"

    @as_tool
    def add(a: int, b: int = 1) -> int:
        """Add two numbers."""
        return a + b

    (tool,) = tc.read(add)
    assert (tool.name, tool.description, tool.source_format) == (
        "add", "Add two numbers.", "langchain",
    )  # fmt: skip
    assert tool.inputs["required"] == ["a"]

    class Trip(BaseModel):
        """Plan a trip."""

        city: str

    (tool,) = tc.read([Trip])
    assert (tool.name, tool.description) == ("Trip", "Plan a trip.")
    assert tool.inputs["required"] == ["city"]


def test_bind_takes_what_convert_takes():
    import mcp.types
    from google.genai import types
    from langchain_core.tools import Tool
    from openai.types.shared_params import FunctionDefinition

    live = mcp.types.Tool(name="f", input_schema=SCHEMA)
    expected = {"type": "function", "function": {"name": "f", "parameters": SCHEMA}}
    assert tc.bind(live, "openai").payload == expected
    assert tc.bind(mcp.types.ListToolsResult(tools=[live]), "openai").payload == [expected]
    assert tc.bind(python_types.MappingProxyType(BASES["mcp"]), "openai").payload == expected
    assert tc.bind(tc.read(live), "openai").payload == [expected]
    assert tc.bind(iter(tc.read(live)), "openai").payload == [expected]
    config = types.GenerateContentConfig(
        tools=[types.Tool(function_declarations=[types.FunctionDeclaration(
            name="f", parameters=types.Schema(type="OBJECT", properties={
                "a": types.Schema(type="STRING")}))])]
    )  # fmt: skip
    for body in ({"config": config}, {"tools": config.tools}):
        assert tc.convert(body, "openai").payload == [expected]
    nested = {"functionDeclarations": [types.FunctionDeclaration(name="f",
              parameters=None, parameters_json_schema=SCHEMA)]}  # fmt: skip
    assert tc.convert({"tools": [nested]}, "openai").payload == [expected]
    half = {"type": "function", "function": FunctionDefinition(name="f", parameters=SCHEMA)}
    assert tc.convert(half, "openai").payload == expected
    single = Tool(name="t", description="d", func=str)
    assert list(tc.read(single)[0].inputs["properties"]) == ["tool_input"] or list(
        tc.read(single)[0].inputs["properties"]
    ) == ["__arg1"]


def test_the_helper_of_an_sdk():
    from openai import pydantic_function_tool
    from pydantic import BaseModel

    class Trip(BaseModel):
        city: str

    assert tc.read(pydantic_function_tool(Trip))[0].inputs["required"] == ["city"]
