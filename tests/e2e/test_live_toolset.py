"""A toolset of a live MCP server: a real process, real pipes."""

import asyncio
import sys
import time

import pytest

import toolcanon as tc
from tests.conftest import ROOT
from toolcanon.define.toolset import Toolset
from toolcanon.errors import ServerFailed, UsageError
from toolcanon.sources.mcp.live import McpServer

pytest.importorskip("mcp", reason="the SDK of the protocol is not installed")

COMMAND = [sys.executable, str(ROOT / "tests" / "servers" / "calls.py")]
IMAGE = tc.Media("image", "image/png", "iVBORw0KGgo=", extras={"mcp": {"$": {"type": "image"}}})


def add(a: int, b: int) -> int:
    """Add."""
    return a + b


def asked(bound, *calls):
    parts = [tc.Call(bound.names[name], sent, f"c{n}") for n, (name, sent) in enumerate(calls)]
    return tc.Answer([tc.Candidate([tc.Message("assistant", parts)])], format="openai")


def test_plain_code():
    with McpServer(COMMAND) as server:
        tools = Toolset([Toolset([server], namespace="far"), add])
        far = ("echo", "picture", "fail", "refuse", "wait", "leave")
        assert tools.names == [*(f"far:{name}" for name in far), "add"]
        bound = tools.bind("openai", strict=True)
        ran = bound.run(asked(bound, ("far:echo", {"text": "hi"}), ("add", {"a": 1, "b": 2}),
                              ("far:fail", {})))  # fmt: skip
        assert [one["content"] for one in ran.results] == [
            [{"type": "text", "text": "hi"}, {"type": "text", "text": '{"length":2}'}],
            "3",
            '{"ok":false,"error":"out of paper"}',
        ]
        assert tools.call("far:picture", {}).result.content == [IMAGE]
        assert tools.call("far:refuse", {}).response.error_type == "validation"
        assert tools.call("far:echo", {}).response.error_type == "validation"
        begun = time.monotonic()
        assert tools.call("far:wait", {}, timeout=0.3).response.error_type == "timeout"
        assert time.monotonic() - begun < 2
        assert tools.call("far:echo", {"text": "still"}).ok
        left = tools.call("far:leave", {}).response
        assert (left.error, left.error_type) == ("Connection closed", "execution")
        assert not tools.call("far:echo", {"text": "gone"}).ok
    with pytest.raises(UsageError, match="with"):
        server.tools()


def test_async_code_has_calls_side_by_side():
    async def main():
        async with McpServer(COMMAND) as server:
            tools = Toolset([server], at_once=20)
            bound = tools.bind("openai")
            many = [("echo", {"text": "x" * n}) for n in range(1, 11)]
            begun = time.monotonic()
            ran = await tools.arun(asked(bound, *many, ("wait", {})), timeout=1)
            assert time.monotonic() - begun < 2
            assert [one.result.content[0].text for one in ran.calls[:-1]] == [
                sent["text"] for _, sent in many
            ]
            assert ran.calls[-1].response.error_type == "timeout"

    asyncio.run(main())


@pytest.mark.parametrize("server, stage", [
    (McpServer(["false"]), "initialize"),
    (McpServer(["no-such-command-anywhere"]), "start"),
    (McpServer(url="http://127.0.0.1:9/mcp"), "connect"),
    (McpServer([sys.executable, "-c", "import time; time.sleep(30)"], timeout=1), "initialize"),
])  # fmt: skip
def test_servers_that_do_not_answer(server, stage):
    with pytest.raises(ServerFailed) as caught, server:
        pass
    assert caught.value.stage == stage


@pytest.mark.parametrize("given", [{}, {"command": ["a"], "url": "http://a"}, {"command": "a b"}])
def test_a_server_is_reached_in_one_way(given):
    with pytest.raises(UsageError, match="either a list of words"):
        McpServer(**given)


def test_secrets_are_not_shown():
    server = McpServer(["serve", "--token", "hunter2hunter2"])
    assert server.reached == "serve --token '***'"
    with pytest.raises(UsageError, match="with"):
        Toolset([server])
