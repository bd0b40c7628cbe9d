"""What is left out of a history can be found in the report of it, at its former place."""

import pytest

from tests.tables import table
from toolcanon.conversations.switch import switch

FAMILIES = ("openai-responses", "anthropic", "gemini", "bedrock")
STRANGE = {"type": "strange", "x": "precious"}
IMAGE = {"type": "image", "source": {"type": "url", "url": "https://e.org/precious"}}


def result(content):
    block = {"type": "tool_result", "tool_use_id": "nobody", "content": content}
    return {"role": "user", "content": [block]}


@table("part", [STRANGE, IMAGE], ids=["unknown", "media"])
@table("target", ["openai", *FAMILIES])
def test_a_result_that_is_left_out_is_shown_whole(part, target):
    text = {"type": "text", "text": "words"}
    done = switch([result([text, part])], target, source="anthropic")
    (dropped,) = [repair for repair in done.repairs if repair.code == "R102"]
    assert "words" in dropped.before["text"]
    assert "precious" in repr(dropped.before["content"])


@pytest.mark.parametrize("target", FAMILIES)
def test_an_empty_message_does_not_move_the_places_of_reports(target):
    call = {"id": "a", "type": "function", "function": {"name": "f", "arguments": "{}"}}
    history = [
        {"role": "system"},
        {"role": "user", "content": "go"},
        {"role": "assistant", "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "a", "content": "1"},
        {"role": "user", "content": [STRANGE]},
    ]
    done = switch(history, target, source="openai")
    (lost,) = [loss for loss in done.losses if loss.code == "L307"]
    assert tuple(lost.at) == ("messages", "4", "parts", "0")


@table("target", ["openai", "openai-responses", "anthropic", "gemini", "bedrock"])
@table("source", ["openai", "openai-responses", "anthropic", "gemini", "bedrock"])
def test_a_message_without_known_keys_is_not_dropped_as_if_it_were_empty(source, target):
    done = switch([{"role": "user", "said": "precious"}], target, source=source)
    reports = [loss for loss in done.losses if "precious" in repr(loss.before)]
    assert "precious" in repr(done.payload) or reports
    assert all(tuple(loss.at)[:2] == ("messages", "0") for loss in reports)


def test_keys_of_messages_that_are_joined_are_reported():
    first, second = (
        {"role": "user", "content": [{"text": "a"}]},
        {"role": "user", "content": [{"text": "b"}]},
    )
    done = switch([{**first, "x": "precious"}, second], "bedrock", source="bedrock")
    assert len(done.payload) == 1
    (lost,) = done.losses
    assert (lost.code, tuple(lost.at)) == ("L308", ("messages", "0", "extras"))
    assert lost.before == {"bedrock": {"x": "precious"}}


def test_keys_of_a_message_whose_results_are_moved_are_reported():
    call = {"id": "a", "type": "function", "function": {"name": "f", "arguments": "{}"}}
    history = [
        {"role": "user", "content": "go"},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "user", "content": "wait"},
        {"role": "tool", "tool_call_id": "a", "content": "1", "x": "precious"},
    ]
    done = switch(history, "openai", source="openai")
    assert [message["role"] for message in done.payload] == ["user", "assistant", "tool", "user"]
    assert "precious" in repr(done.payload) or "precious" in repr(list(done.losses))


@table("calls", [{"custom": {"input": "precious"}}, "precious", ["precious"]])
@table("target", FAMILIES)
def test_what_is_in_place_of_calls_is_never_a_mere_hint(target, calls):
    said = {"role": "assistant", "content": "well", "tool_calls": calls}
    done = switch([{"role": "user", "content": "go"}, said], target, source="openai")
    (lost,) = [loss for loss in done.losses if "precious" in repr(loss.before)]
    assert lost.code == "L307"


@pytest.mark.parametrize("target", ["openai", "openai-responses", "anthropic", "gemini"])
def test_an_unreadable_call_is_not_reported_as_run(target):
    call = {"toolUse": {"toolUseId": "c1", "name": None, "input": {"x": "precious"}}}
    history = [
        {"role": "user", "content": [{"text": "go"}]},
        {"role": "assistant", "content": [{"text": "well"}, call]},
    ]
    done = switch(history, target, source="bedrock")
    assert "Ran" not in repr(done.payload)
    (lost,) = [loss for loss in done.losses if loss.code == "L307"]
    assert lost.before == call


def test_a_request_is_never_left_without_messages():
    history = [
        {"role": "user", "parts": [{"strange": 1}]},
        {"role": "model", "parts": []},
        {"role": "model", "parts": [{"strange": 2}]},
    ]
    done = switch({"contents": history}, "openai", source="gemini")
    assert done.payload["messages"]
    assert "R110" in {repair.code for repair in done.repairs}


@pytest.mark.parametrize("target", ["vercel", "vercel/ui"])
def test_the_other_layouts_show_what_they_leave_out(target):
    parts = [{"type": "text", "text": "go", "x": "keys"}, STRANGE]
    done = switch([{"role": "user", "content": parts}], target, source="openai")
    found = {loss.code: loss.before for loss in done.losses}
    assert found["L307"] == STRANGE
    assert found["L308"] == {"openai": {"x": "keys"}}


@pytest.mark.parametrize("target", ["openai", "openai-responses"])
def test_an_empty_system_message_is_enough_at_home(target):
    key = "messages" if target == "openai" else "input"
    body = {key: [{"role": "system", "content": ""}]}
    assert switch(body, target, source=target).payload == body


def test_a_request_for_a_page_is_never_left_without_messages():
    body = {"messages": [{"role": "user", "content": ""}]}
    assert switch(body, "vercel", source="openai").payload["messages"]
