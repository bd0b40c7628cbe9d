"""Tools of Python modules from the shell: written, checked, offered over MCP."""

import asyncio
import json
import sys

import pytest
from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client

from tests.commands import run

MODULE = '''
from toolcanon import Toolset, tool

print("hello from the module")

@tool
def add(a: int, b: int = 1) -> int:
    """Add two numbers."""
    print("adding")
    return a + b

@tool
def fail(reason: str) -> str:
    """Fail for a reason."""
    raise RuntimeError(reason)

def plain(text: str) -> str:
    """Say it again."""
    return text

TOOLS = Toolset([add, plain])
NUMBER = 3
'''


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "shop_tools.py").write_text(MODULE, encoding="utf-8")
    (tmp_path / "broken_tools.py").write_text("import nowhere_at_all\n", encoding="utf-8")
    (tmp_path / "failing_tools.py").write_text("1 / 0\n", encoding="utf-8")
    (tmp_path / "empty_tools.py").write_text("", encoding="utf-8")
    return tmp_path


def names(done):
    payload = json.loads(done.stdout)
    return [item["name"] for item in (payload if isinstance(payload, list) else [payload])]


@pytest.mark.parametrize(
    ("word", "found"),
    [
        ("shop_tools.py", ["add", "fail"]),
        ("shop_tools.py:plain", ["plain"]),
        ("shop_tools:add", ["add"]),
        ("shop_tools:TOOLS", ["add", "plain"]),
    ],
)
def test_tools_are_written_for_a_provider(folder, word, found):
    done = run("define", word, "--to", "anthropic", "-q")
    assert done.returncode == 0, done.stderr
    assert b"hello from the module" in done.stderr
    assert names(done) == found


@pytest.mark.parametrize(
    ("word", "said"),
    [
        ("nowhere.py", b"there is no such file"),
        ("nowhere.tools", b"there is no such module"),
        ("broken_tools.py", b"it imports nowhere_at_all, which is missing"),
        ("failing_tools.py", b"ZeroDivisionError"),
        ("empty_tools.py", b"it has no function with @tool"),
        ("shop_tools.py:plan", b"did you mean 'plain'?"),
        ("shop_tools.py:NUMBER", b"it is a int, not a function"),
    ],
)
def test_an_unknown_function_is_an_error(folder, word, said):
    done = run("define", word, "--to", "openai")
    assert done.returncode == 2
    assert said in done.stderr
    assert b"error[E213]" in done.stderr


def test_a_module_is_checked(folder):
    done = run("check", "shop_tools.py:TOOLS", "--json")
    told = json.loads(done.stdout)
    assert [tool["name"] for tool in told["tools"]] == ["add", "plain"]
    assert done.returncode == 0


def test_a_module_is_offered_over_mcp(folder):
    """By the official client; what functions print does not get in the way."""

    async def talk():
        parameters = StdioServerParameters(
            command=sys.executable,
            args=["-m", "toolcanon", "mcp", "shop_tools.py", "--name", "shop"],
        )
        async with stdio_client(parameters) as streams, ClientSession(*streams) as session:
            hello = await session.initialize()
            listed = await session.list_tools()
            good = await session.call_tool("add", {"a": 2})
            wrong = await session.call_tool("add", {"a": "x"})
            failed = await session.call_tool("fail", {"reason": "out of paper"})
            return hello, listed, good, wrong, failed

    hello, listed, good, wrong, failed = asyncio.run(talk())
    assert hello.server_info.name == "shop"
    assert [tool.name for tool in listed.tools] == ["add", "fail"]
    assert listed.tools[0].input_schema["required"] == ["a"]
    assert "3" in good.content[0].text
    assert not good.is_error
    assert wrong.is_error
    assert "a" in wrong.content[0].text
    assert failed.is_error
    assert "out of paper" in failed.content[0].text
