"""The fourth document's promises (S3): one definition by a Pydantic model, for every provider."""

from __future__ import annotations

import asyncio
from typing import Any, Literal

import pytest
from pydantic import BaseModel, ConfigDict, Field, RootModel, ValidationError

import toolcanon as tc
from toolcanon.compat import tool_framework
from toolcanon.schema.validate import judge


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
    for model in (None, dict, SearchArgs(query="x")):
        with pytest.raises(TypeError, match="param_model"):
            tc.register_tool(name="y", param_model=model)  # type: ignore[arg-type]
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


def test_one_provider_may_be_given_by_its_name(search: Any) -> None:
    found = tc.validate_tool_compatibility("search", "gemini")
    assert found["compatible"] is True
    assert list(found["providers"]) == ["gemini"]


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


class Dangling(BaseModel):
    city: str

    @classmethod
    def model_json_schema(cls, **_: Any) -> dict[str, Any]:
        return {"type": "object", "properties": {"city": {"$ref": "#/$defs/Nowhere"}}}


class Node(BaseModel):
    value: int
    children: list[Node] = []


class Described(BaseModel):
    """Shapes that some provider takes only in other keywords."""

    near: Place = Field(description="a keyword beside a reference")
    mode: Literal["fast"]
    tags: list = []
    pair: tuple[int, str] = (1, "a")


@pytest.mark.parametrize(
    ("name", "model", "providers"),
    [
        ("bad name!", Place, {"openai", "anthropic", "gemini"}),
        ("x" * 70, Place, {"openai", "anthropic"}),
        ("dangling", Dangling, {"openai", "anthropic", "gemini"}),
        ("union", RootModel[SearchArgs | Node], {"openai", "anthropic"}),
        ("array", RootModel[list[int]], {"openai", "anthropic", "gemini"}),
        ("text", RootModel[str], {"openai", "anthropic", "gemini"}),
    ],
)
def test_a_tool_that_is_sent_unchanged_is_judged_unchanged(
    name: str, model: type[BaseModel], providers: set[str]
) -> None:
    tc.register_tool(name=name, param_model=model)(lambda args: None)
    found = tc.validate_tool_compatibility(name)
    assert tc.get_tools_for_agent({"tools": [name]}) == [found["schema"]]
    assert found["compatible"] is False
    refused = {who for who, each in found["providers"].items() if not each["compatible"]}
    assert refused == providers
    assert all(found["providers"][who]["issues"] for who in refused)


@pytest.mark.parametrize("model", [Described, Node, SearchArgs, RootModel[dict[str, int]]])
def test_a_compatible_tool_needs_no_conversion(model: type[BaseModel]) -> None:
    tc.register_tool(name="t", param_model=model)(lambda args: None)
    found = tc.validate_tool_compatibility("t")
    assert (found["compatible"], found["issues"]) == (True, [])
    (sent,) = tc.get_tools_for_agent({"tools": ["t"]})
    for provider in found["providers"]:
        binding = tc.bind(sent, provider)
        assert not binding.losses
        assert binding._bound[0].wire.inputs == sent["function"]["parameters"]


@pytest.mark.parametrize(
    ("model", "args"),
    [
        (Described, {"near": {"city": "Oslo"}, "mode": "fast", "tags": [1, "a"]}),
        (Node, {"value": 1, "children": [{"value": 2}]}),
        (RootModel[SearchArgs | Node], {"value": 1}),
    ],
)
def test_the_schema_takes_what_the_model_takes(model: type[BaseModel], args: Any) -> None:
    tc.register_tool(name="t", param_model=model)(lambda args: args)
    assert judge(tc.get_tool_schema("t")["function"]["parameters"]).accepts(args)
    assert tc.execute_tool("t", args) == model.model_validate(args)
