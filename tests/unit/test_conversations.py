"""Whose message, whose list, whose body: odd cases that were read wrongly once, and their kin."""

from dataclasses import fields

import pytest

import toolcanon as tc
from tests.tables import table
from toolcanon.errors import NotAConversation
from toolcanon.ir.conversation import Conversation, Message, ToolChoice

PLAIN = {"role": "user", "content": "hello"}
CHAT = {
    "role": "assistant",
    "content": "so",
    "tool_calls": [
        {"id": "c1", "type": "function", "function": {"name": "f", "arguments": '{"a":1}'}}
    ],
}
CALL = {"type": "function_call", "call_id": "c1", "name": "f", "arguments": '{"a":1}'}
CLAUDE = {
    "role": "assistant",
    "content": [{"type": "tool_use", "id": "c1", "name": "f", "input": {"a": 1}}],
}
GEMINI = {"role": "model", "parts": [{"functionCall": {"name": "f", "args": {"a": 1}}}]}
CONVERSE = {
    "role": "assistant",
    "content": [{"toolUse": {"toolUseId": "c1", "name": "f", "input": {"a": 1}}}],
}
OWN = {
    "openai": CHAT,
    "openai-responses": CALL,
    "anthropic": CLAUDE,
    "gemini": GEMINI,
    "bedrock": CONVERSE,
}


@table("one", OWN)
@table("other", OWN)
def test_a_call_is_found_in_anybodys_list(one, other):
    mixed = [PLAIN, OWN[one], OWN[other], PLAIN]
    for source in (None, one, other):
        read = tc.read_conversation(mixed, source=source)
        calls = [call for message in read for call in message.calls]
        assert [(call.name, call.arguments) for call in calls] == [("f", {"a": 1})] * 2
        assert [message.text for message in read][:: len(read.messages) - 1] == ["hello"] * 2


@table(
    "item, words",
    [
        ({"role": "user", "parts": [{"text": "x"}]}, ["x"]),
        ({"role": "user", "content": [{"text": "x"}]}, ["x"]),
        ({"role": "user", "content": [{"type": "text", "text": "x"}]}, ["x"]),
        ({"role": "user", "content": [{"type": "input_text", "text": "x"}]}, ["x"]),
        ({"role": "user", "content": "x"}, ["x"]),
        ({"role": "assistant", "content": "x", "phase": "final_answer"}, ["x"]),
    ],
)
@table("family", OWN)
def test_words_are_found_in_anybodys_list(item, words, family):
    read = tc.read_conversation([OWN[family], item, OWN[family]])
    assert [message.text for message in read if message.text not in {"", "so"}] == words


def test_a_result_with_the_role_of_the_old_days_is_its_writers():
    """Two providers once had results with the role "function"."""
    held = {"functionResponse": {"name": "f", "response": {"output": "x"}}}
    read = tc.read_conversation([CHAT, {"role": "function", "parts": [held]}, CHAT])
    assert [part.text for part in read.messages[1].results[0].content] == ["x"]
    read = tc.read_conversation([CHAT, {"role": "function", "name": "f", "content": "x"}])
    assert [part.text for part in read.messages[1].results[0].content] == ["x"]


@pytest.mark.parametrize(
    "item",
    [
        {"type": "tool_search_output", "call_id": None, "execution": "server", "tools": []},
        {"type": "mcp_list_tools", "id": "m", "server_label": "s", "tools": []},
        {"type": "compaction_trigger"},
        {"type": "configuration_update"},
        {"role": "assistant", "content": "x", "phase": "commentary"},
    ],
)
def test_items_of_one_provider_stay_its_own_among_plain_words(item):
    items = [PLAIN, item, PLAIN]
    body = {"model": "m", "input": items}
    assert tc.write_conversation(tc.read_conversation(body), "openai-responses").payload == body
    read = tc.read_conversation(items)
    assert read.format == "openai-responses"
    assert tc.write_messages(read, "openai-responses").payload == items
    for other, call in OWN.items():
        mixed = tc.read_conversation([call, call, call, *items])
        assert call in tc.write_messages(mixed, other).payload


def test_many_plain_words_do_not_outvote_what_only_one_provider_writes():
    items = [*[PLAIN] * 50, CALL, {"type": "function_call_output", "call_id": "c1", "output": "x"}]
    assert tc.read_conversation(items).format == "openai-responses"


@pytest.mark.parametrize(
    "body, family",
    [
        ({"contents": []}, "gemini"),
        ({"messages": [], "system": [{"text": "x"}]}, "bedrock"),
        ({"messages": [], "system": [{"type": "text", "text": "x"}]}, "anthropic"),
        ({"messages": [], "system": "x"}, "anthropic"),
        ({"messages": [{"role": "user", "content": [{"text": "x"}]}], "system": [{"text": "s"}]},
         "bedrock"),
        ({"messages": [PLAIN], "system": [{"type": "text", "text": "s"}]}, "anthropic"),
        ({"messages": []}, "openai"),
    ],
)  # fmt: skip
def test_whose_body_it_is(body, family):
    read = tc.read_conversation(body)
    assert read.format == family
    assert tc.write_conversation(read, family).payload == body


def test_a_named_body_is_read_as_a_body_however_odd():
    read = tc.read_conversation({"messages": [{"role": "bard"}], "x": 1}, source="bedrock")
    assert len(read.messages) == 1
    assert tc.write_conversation(read, "bedrock").payload == {
        "messages": [{"role": "bard"}],
        "x": 1,
    }


def test_the_other_alphabet_of_base64_is_read_and_written_back():
    """One SDK writes bytes in the alphabet of addresses; no one else accepts that."""
    part = {"inlineData": {"data": "-_8-", "mimeType": "image/png"}}
    body = {"contents": [{"role": "user", "parts": [part]}]}
    read = tc.read_conversation(body)
    assert read.messages[0].parts[0].data == "+/8+"
    assert tc.write_conversation(read, "gemini").payload == body
    sent = tc.write_conversation(read, "anthropic").payload["messages"][0]["content"][0]
    assert sent["source"]["data"] == "+/8+"
    read.messages[0].parts[0].data = "aGk+"
    changed = tc.write_conversation(read, "gemini").payload["contents"][0]["parts"][0]
    assert changed["inlineData"]["data"] == "aGk-"


@pytest.mark.parametrize("payload", [3, {"a": 1}, [{"type": "function", "name": "f"}], "3", {}])
def test_what_is_no_conversation_is_refused(payload):
    with pytest.raises(NotAConversation):
        tc.read_conversation(payload)


@pytest.mark.parametrize("blank", ["", " \n", None])
def test_blank_arguments_are_none_wherever_they_come_from(blank):
    bodies = [
        {"messages": [{"role": "assistant", "content": None, "tool_calls": [
            {"id": "c", "type": "function", "function": {"name": "f", "arguments": blank}}]}]},
        {"messages": [{"role": "assistant", "content": [
            {"type": "tool_use", "id": "c", "name": "f", "input": blank}]}]},
        {"messages": [{"role": "assistant", "content": [
            {"toolUse": {"toolUseId": "c", "name": "f", "input": blank}}]}]},
    ]  # fmt: skip
    for body, source in zip(bodies, ("openai", "anthropic", "bedrock"), strict=True):
        read = tc.read_conversation(body, source=source)
        for target in {"anthropic", "bedrock"} - {source}:
            text = str(tc.write_conversation(read, target)[0])
            assert "'input': {}" in text, (source, target)
        if source != "openai":
            assert "'arguments': '{}'" in str(tc.write_conversation(read, "openai")[0]), source


def test_a_copy_of_a_conversation_differs_in_the_named_fields_alone() -> None:
    given = Conversation(
        [Message("user")], Message("system"), [{"name": "f"}], ToolChoice("auto"), True, "m", "a",
        {"a": {"b": 1}},
    )  # fmt: skip
    assert all(getattr(given, field.name) for field in fields(given))
    assert given.copy_with() == given
    made = given.copy_with(model="n", tools=None)
    changed = {
        field.name
        for field in fields(given)
        if getattr(made, field.name) is not getattr(given, field.name)
    }
    assert changed == {"model", "tools"}
    assert (given.model, given.tools) == ("m", [{"name": "f"}])
