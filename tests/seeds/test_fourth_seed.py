"""The fourth document's promises (S3): one definition by a Pydantic model, for every provider."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from pydantic import BaseModel, ConfigDict, ValidationError

import toolcanon as tc
from toolcanon.compat import tool_framework


class Place(BaseModel):
    city: str


class SearchArgs(BaseModel):
    query: str
    limit: int = 10
    near: Place | None = None


@pytest.fixture(autouse=True)
def _fresh(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tool_framework, "_TOOLS", {})


@pytest.fixture
def search() -> Any:
    @tc.register_tool(name="search", description="Search for information", param_model=SearchArgs)
    def search_tool(args: SearchArgs) -> dict[str, str]:
        return {"results": f"Searching for: {args.query}"}

    return search_tool


def test_the_shape_of_the_document(search: Any) -> None:
    schema = tc.get_tool_schema("search")
    assert schema["type"] == "function"
    function = schema["function"]
    assert list(function) == ["name", "description", "parameters"]
    parameters = function["parameters"]
    assert list(parameters)[:4] == ["$schema", "type", "properties", "additionalProperties"]
    assert parameters["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    assert (parameters["type"], parameters["additionalProperties"]) == ("object", False)
    assert parameters["required"] == ["query"]
    assert parameters["properties"]["near"]["anyOf"][0] == {"$ref": "#/$defs/Place"}
    assert "Place" in parameters["$defs"]


def test_type_and_properties_are_always_there() -> None:
    class Nothing(BaseModel):
        pass

    class Open(BaseModel):
        model_config = ConfigDict(extra="allow")

    tc.register_tool(param_model=Nothing)(lambda args: None)
    tc.register_tool(name="open", param_model=Open)(lambda args: None)
    bare = tc.get_tool_schema("<lambda>")["function"]["parameters"]
    assert (bare["type"], bare["properties"]) == ("object", {})
    assert tc.get_tool_schema("open")["function"]["parameters"]["additionalProperties"] is True


def test_the_function_stays_what_it_is_and_names_fall_back(search: Any) -> None:
    assert search(SearchArgs(query="x")) == {"results": "Searching for: x"}

    @tc.register_tool(param_model=SearchArgs)
    def documented(args: SearchArgs) -> None:
        """Say what it does."""

    @tc.register_tool(param_model=SearchArgs)
    def bare(args: SearchArgs) -> None: ...

    assert tc.list_tools() == ["search", "documented", "bare"]
    assert tc.get_tool_schema("documented")["function"]["description"] == "Say what it does."
    assert tc.get_tool_schema("bare")["function"]["description"] == "No description supplied."


def test_duplicates_and_unknown_names(search: Any) -> None:
    with pytest.raises(ValueError, match="already registered"):
        tc.register_tool(name="search", param_model=SearchArgs)(search)
    for ask in (tc.get_tool_schema, tc.validate_tool_compatibility):
        with pytest.raises(ValueError, match="Tool 'x' not found"):
            ask("x")
    with pytest.raises(ValueError, match="Tool 'x' not found"):
        tc.execute_tool("x", {})
    with pytest.raises(KeyError):
        tc.get_tools_for_agent({"tools": ["search", "x"]})
    with pytest.raises(TypeError, match="param_model"):
        tc.register_tool(name="y")
    assert tc.get_tools_for_agent({"tools": ["search"]}) == [tc.get_tool_schema("search")]


@pytest.mark.parametrize("args", [{"query": "x"}, '{"query": "x"}', SearchArgs(query="x")])
def test_execution(search: Any, args: Any) -> None:
    assert tc.execute_tool("search", args) == {"results": "Searching for: x"}
    with pytest.raises(ValidationError):
        tc.execute_tool("search", {"limit": "many"})


def test_async_functions_are_for_the_caller_to_await() -> None:
    @tc.register_tool(name="later", param_model=SearchArgs)
    async def later(args: SearchArgs) -> str:
        return args.query

    assert asyncio.run(tc.execute_tool("later", {"query": "x"})) == "x"


def test_compatibility_in_the_documents_shape(search: Any) -> None:
    found = tc.validate_tool_compatibility("search")
    assert list(found) == ["tool_name", "compatible", "providers", "issues", "schema"]
    assert found["compatible"] is True
    assert list(found["providers"]) == ["openai", "anthropic", "gemini"]
    assert found["providers"]["openai"] == {"compatible": True, "issues": []}
    assert (found["tool_name"], found["issues"]) == ("search", [])
    assert found["schema"] == tc.get_tool_schema("search")


def test_an_unknown_provider_is_no_pass(search: Any) -> None:
    found = tc.validate_tool_compatibility("search", ["openai", "opnai"])
    assert found["compatible"] is None
    assert found["providers"]["opnai"] == {
        "compatible": None,
        "issues": ["Unknown provider: opnai"],
    }
    assert found["issues"] == ["opnai: Unknown provider: opnai"]


@pytest.mark.parametrize(
    ("parameters", "provider", "issues"),
    [
        (
            {"properties": {"a": {"$ref": "#/components/schemas/A"}}},
            "anthropic",
            [
                "Missing $schema identifier for draft 2020-12",
                "Legacy $ref format found: #/components/schemas/A (should use #/$defs/)",
                "Missing 'type' field in parameters schema",
            ],
        ),
        (
            {"$schema": "http://json-schema.org/draft-07/schema#", "type": "array"},
            "anthropic",
            [
                ("Incorrect $schema version: http://json-schema.org/draft-07/schema# "
                "(should include 2020-12)"),
                "Parameters type should be 'object', got 'array'",
                "Missing 'properties' field in parameters schema",
            ],
        ),
        ({}, "openai", ["Missing 'type' field in parameters",
                        "Missing 'properties' field in parameters"]),
        ({"type": "object"}, "gemini", ["Missing 'properties' field in parameters"]),
    ],
)  # fmt: skip
def test_the_documents_texts(
    search: Any, monkeypatch: pytest.MonkeyPatch, parameters: dict, provider: str, issues: list
) -> None:
    held = tool_framework._TOOLS["search"]
    wrong = {"type": "function", "function": {"name": "search", "parameters": parameters}}
    monkeypatch.setattr(type(held), "schema", lambda _: wrong)
    found = tc.validate_tool_compatibility("search", [provider])
    assert found["providers"][provider]["issues"][: len(issues)] == issues
    assert found["compatible"] is False
