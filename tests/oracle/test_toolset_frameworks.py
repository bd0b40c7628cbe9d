"""Bound tools in the hands of frameworks: what they send is bound, what they call is restored."""

import asyncio
import base64
import json
import sys

import pytest

from tests.loopback.functions import PNG
from toolcanon.define import Context, tool
from toolcanon.define.toolset import Toolset
from toolcanon.errors import UsageError


@tool
def count(words: dict[str, int], context: Context[str], unit: str | None = None) -> dict:
    """Count words."""
    return {"sum": sum(words.values()), "unit": unit, "for": context.state}


@tool
async def draw() -> list:
    """Draw."""
    await asyncio.sleep(0)
    return ["Here.", PNG]


@tool
def fail(why: str) -> str:
    """Fail."""
    raise LookupError(why)


GOOD = {"words": [{"key": "a", "value": 2}], "unit": None}
SUM = {"sum": 2, "unit": None, "for": "Ann"}
BAD = {"words": [{"key": "a", "value": "b"}], "unit": None}
DATA = base64.b64encode(PNG).decode()


@pytest.fixture
def bound():
    return Toolset([count, draw, fail], namespace="my.tools").bind("openai", strict=True)


def test_langchain(bound):
    from langchain_core.messages import ToolMessage
    from langchain_core.utils.function_calling import convert_to_openai_tool

    tools = {one.description: one for one in bound.to_langchain("Ann")}
    sent = [convert_to_openai_tool(one)["function"] for one in tools.values()]
    for theirs, ours in zip(sent, bound.payload, strict=True):
        for key in ("name", "description", "parameters"):
            assert theirs[key] == ours["function"][key]

    def call(about, arguments):
        one = tools[about]
        asked = {"type": "tool_call", "id": "c", "name": one.name, "args": arguments}
        plain = one.invoke(asked)
        assert isinstance(plain, ToolMessage)
        assert asyncio.run(one.ainvoke(asked)) == plain
        return plain

    good = call("Count words.", GOOD)
    assert (json.loads(good.content), good.status) == (SUM, "success")
    image = call("Draw.", {})
    assert image.content == [
        {"type": "text", "text": "Here."},
        {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{DATA}"}},
    ]
    bad = call("Count words.", BAD)
    assert bad.status == "error"
    assert bad.content.startswith("validation: ")
    assert "/words/0/value" in bad.content
    assert call("Fail.", {"why": "x"}).content == "execution: LookupError: x"


def test_pydantic_ai(bound):
    from pydantic_ai import Agent, BinaryContent
    from pydantic_ai.messages import ModelResponse, TextPart, ToolCallPart
    from pydantic_ai.models.function import FunctionModel

    names = {one.tool.name: bound.names[one.tool.id] for one in bound._bound}
    script = [
        [ToolCallPart(names["count"], BAD)],
        [ToolCallPart(names["count"], GOOD), ToolCallPart(names["draw"], {}),
         ToolCallPart(names["fail"], {"why": "x"})],
        [TextPart("done")],
    ]  # fmt: skip
    seen = []

    def model(messages, info):
        seen.append((messages, info.function_tools))
        return ModelResponse(parts=script[len(seen) - 1])

    agent = Agent(FunctionModel(model), tools=bound.to_pydantic_ai("Ann"))
    assert asyncio.run(agent.run("go")).output == "done"
    shown = {one.name: one.parameters_json_schema for one in seen[0][1]}
    assert shown == {one["function"]["name"]: one["function"]["parameters"]
                     for one in bound.payload}  # fmt: skip
    (retry,) = seen[1][0][-1].parts
    assert retry.outcome == "retried"
    assert "/words/0/value" in str(retry.content)
    returned = {part.tool_name: part.content for part in seen[2][0][-1].parts
                if part.part_kind == "tool-return"}  # fmt: skip
    assert returned[names["count"]] == SUM
    assert returned[names["fail"]]["errorType"] == "execution"
    image = [item for item in returned[names["draw"]] if isinstance(item, BinaryContent)]
    found = image or [
        item for part in seen[2][0][-1].parts if part.part_kind == "user-prompt"
        for item in part.content if isinstance(item, BinaryContent)
    ]  # fmt: skip
    assert [one.data for one in found] == [PNG]


def test_openai_agents(bound):
    from agents import FunctionTool, ToolOutputImage, ToolOutputText
    from agents.tool_context import ToolContext

    tools = {one.description: one for one in bound.to_openai_agents("Ann")}
    for theirs, ours in zip(tools.values(), bound.payload, strict=True):
        assert isinstance(theirs, FunctionTool)
        assert theirs.name == ours["function"]["name"]
        shown = {**ours["function"]["parameters"]}
        shown.setdefault("required", [])  # which this package adds itself
        assert theirs.params_json_schema == shown
        assert theirs.strict_json_schema is ours["function"]["strict"]

    def call(about, arguments):
        one, text = tools[about], json.dumps(arguments)
        given = ToolContext(None, tool_name=one.name, tool_call_id="c", tool_arguments=text)
        return asyncio.run(one.on_invoke_tool(given, text))

    assert json.loads(call("Count words.", GOOD)) == SUM
    assert call("Draw.", {}) == [
        ToolOutputText(text="Here."),
        ToolOutputImage(image_url=f"data:image/png;base64,{DATA}"),
    ]
    assert "/words/0/value" in call("Count words.", BAD)
    assert call("Fail.", {"why": "x"}) == "execution: LookupError: x"


@pytest.mark.parametrize("method, module, package", [
    ("to_langchain", "langchain_core.tools", "langchain-core"),
    ("to_pydantic_ai", "pydantic_ai", "pydantic-ai-slim"),
    ("to_openai_agents", "agents", "openai-agents"),
])  # fmt: skip
def test_a_framework_that_is_not_there(bound, monkeypatch, method, module, package):
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(UsageError, match=f"pip install {package}"):
        getattr(bound, method)()
