"""A third party's codec has its own streams and answers; nothing is looked up."""

import pytest

from tests.unit.test_registry import run

PLUGIN = """
from dataclasses import replace

from toolcanon.formats.anthropic.stream import FLOW
from toolcanon.formats.anthropic.messages import CODEC
from toolcanon.formats.anthropic.stream import PATCH
from toolcanon.formats.anthropic.tools import FORMAT

def format(id_, **said):
    return replace(FORMAT, id=id_, rank=99, codec=lambda: replace(CODEC, id=id_, **said))

ACME = format("acme", flow=lambda: FLOW, patch=lambda: PATCH)
MUTE = format("mute", flow=None, patch=None)
"""
POINTS = """
[toolcanon.formats]
acme = talking_plugin:ACME
mute = talking_plugin:MUTE
"""


@pytest.fixture
def plugins(tmp_path):
    (tmp_path / "talking_plugin.py").write_text(PLUGIN, encoding="utf-8")
    info = tmp_path / "talking_plugin-1.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: talking-plugin\nVersion: 1\n")
    (info / "entry_points.txt").write_text(POINTS)
    return tmp_path


def test_streams_go_by_the_flow_that_a_plugin_brings(plugins):
    out = run(
        plugins,
        """
        import toolcanon as tc
        said = {"content": {"parts": [{"text": "Hi"}]}, "finishReason": "STOP"}
        events = list(tc.translate_stream([{"candidates": [said]}], "acme", source="gemini"))
        print([event["type"] for event in events][:3])
        back = tc.translate_stream(events, "gemini", source="acme")
        print([c["content"]["parts"] for e in back for c in e["candidates"] if "content" in c][0])
        """,
    )
    assert out.splitlines() == [
        "['message_start', 'content_block_start', 'content_block_delta']",
        "[{'text': 'Hi'}]",
    ]


def test_answers_are_changed_by_the_patch_that_a_plugin_brings(plugins):
    out = run(
        plugins,
        """
        import json
        from toolcanon.boundary.rewriter import Rewriter
        tool = {"name": "a.b", "input_schema": {"type": "object"}}
        said = {"messages": [{"role": "user", "content": "Go."}], "tools": [tool]}
        exchange = Rewriter("acme").request(json.dumps(said).encode())
        print(json.loads(exchange.body)["tools"][0]["name"])
        call = {"type": "tool_use", "id": "1", "name": "a_b", "input": {}}
        print(json.loads(exchange.answer(json.dumps({"content": [call]}).encode())))
        """,
    )
    assert out.splitlines() == [
        "a_b",
        "{'content': [{'type': 'tool_use', 'id': '1', 'name': 'a.b', 'input': {}}]}",
    ]


def test_a_codec_without_them_reports_it(plugins):
    out = run(
        plugins,
        """
        import toolcanon as tc
        from toolcanon.boundary.rewriter import Rewriter
        from toolcanon.errors import UnknownFormat
        for ask in (lambda: tc.translate_stream([], "mute"), lambda: Rewriter("mute")):
            try:
                ask()
            except UnknownFormat as error:
                print(error.requested, "|", error.trouble, "|", "acme" in error.known)
        """,
    )
    assert out.splitlines() == [
        "mute | its codec does not describe streams | True",
        "mute | its answers cannot be rewritten | True",
    ]
