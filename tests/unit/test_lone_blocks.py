"""Content that is one block, where its provider has a list of blocks."""

import pytest

import toolcanon as tc
from tests.tables import table
from toolcanon.conversations.read_write import write_messages
from toolcanon.conversations.switch import switch

FAMILIES = ("openai", "openai-responses", "anthropic", "gemini", "bedrock", "vercel")

LONE = {
    "anthropic": (
        "messages",
        {"role": "user", "content": "q"},
        {"role": "assistant", "content":
            {"type": "tool_use", "id": "x", "name": "search", "input": {"q": 1}}},
        {"role": "user", "content":
            {"type": "tool_result", "tool_use_id": "x", "content": "found"}},
    ),
    "bedrock": (
        "messages",
        {"role": "user", "content": {"text": "q"}},
        {"role": "assistant", "content":
            {"toolUse": {"toolUseId": "x", "name": "search", "input": {"q": 1}}}},
        {"role": "user", "content":
            {"toolResult": {"toolUseId": "x", "content": [{"text": "found"}]}}},
    ),
    "gemini": (
        "contents",
        {"role": "user", "parts": {"text": "q"}},
        {"role": "model", "parts":
            {"functionCall": {"id": "x", "name": "search", "args": {"q": 1}}}},
        {"role": "user", "parts":
            {"functionResponse": {"id": "x", "name": "search", "response": {"output": "found"}}}},
    ),
    "vercel": (
        "messages",
        {"role": "user", "content": "q"},
        {"role": "assistant", "content":
            {"type": "tool-call", "toolCallId": "x", "toolName": "search", "input": {"q": 1}}},
        {"role": "tool", "content":
            {"type": "tool-result", "toolCallId": "x", "toolName": "search",
             "output": {"type": "text", "value": "found"}}},
    ),
}  # fmt: skip


@table("target", FAMILIES)
@table("source", LONE)
def test_a_lone_block_shows_whose_history_it_is(source, target):
    key, *history = LONE[source]
    for given in (history, {key: history, "model": "m"}):
        done = switch(given, target)
        assert done.source == source
        messages = done.payload if given is history else done.payload[done.history_key]
        read = tc.read_conversation(messages, source=target)
        _, call, result = [part for message in read.messages for part in message.parts]
        assert (call.name, call.arguments, call.id) == ("search", {"q": 1}, result.call_id)
        assert result.content[0].text == "found"


@pytest.mark.parametrize("source", LONE)
def test_a_lone_block_is_written_back_as_it_was(source):
    _, *history = LONE[source]
    assert write_messages(tc.read_conversation(history), source).payload == history


@pytest.mark.parametrize(("family", "block"), [
    ("openai", {"type": "image_url", "image_url": {"url": "https://a.example/b.png"}}),
    ("openai-responses", {"type": "input_text", "text": "q"}),
    ("vercel", {"type": "image", "image": "https://a.example/b.png"}),
    ("bedrock", {"text": "q"}),
    ("anthropic", {"type": "text", "text": "q"}),
])  # fmt: skip
def test_a_lone_part_is_known_as_one_in_a_list(family, block):
    alone = tc.read_conversation([{"role": "user", "content": block}])
    listed = tc.read_conversation([{"role": "user", "content": [block]}])
    assert alone.format == listed.format == family
    assert alone.messages[0].parts == listed.messages[0].parts
    assert write_messages(alone, family).payload == [{"role": "user", "content": block}]
