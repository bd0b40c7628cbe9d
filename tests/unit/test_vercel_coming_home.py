"""Messages of the AI SDK to another provider and back: whole with the receipt."""

import copy
import json

import pytest

import toolcanon as tc
from toolcanon.errors import BadReceipt

OTHERS = ["anthropic", "openai", "openai-responses", "gemini", "bedrock"]
TOOL = {
    "type": "dynamic-tool",
    "toolName": "weather",
    "toolCallId": "c:1",
    "state": "output-available",
    "input": {"city": "Oslo"},
    "output": {"degrees": 4},
    "callProviderMetadata": {"x": {"y": 1}},
}
PAGE = [
    {"id": "s", "role": "system", "parts": [{"type": "text", "text": "Be brief."}]},
    {
        "id": "u1",
        "role": "user",
        "metadata": {"at": 1},
        "parts": [{"type": "text", "text": "Oslo?"}, {"type": "data-place", "data": {"a": 1}}],
    },
    {
        "id": "msg_3",
        "role": "assistant",
        "metadata": {"tokens": 7},
        "parts": [
            {"type": "step-start"},
            {"type": "reasoning", "text": "hm"},
            TOOL,
            {"type": "step-start"},
            {"type": "text", "text": "4 °C", "state": "done"},
        ],
    },
]
OPTIONS = {"providerOptions": {"x": {"y": 1}}}
ASKED = [
    {"role": "user", "content": [{"type": "text", "text": "Oslo?", **OPTIONS}]},
    {"role": "assistant", "content": [
        {"type": "tool-call", "toolCallId": "c1", "toolName": "weather", "input": {}, **OPTIONS},
    ]},
    {"role": "tool", "content": [
        {"type": "tool-result", "toolCallId": "c1", "toolName": "weather",
         "output": {"type": "json", "value": {"degrees": 4}}},
    ]},
]  # fmt: skip


def away(history, target):
    done = tc.switch(history, target)
    return json.loads(json.dumps(done.payload)), json.loads(json.dumps(done.receipt()))


@pytest.mark.parametrize("target", OTHERS)
def test_messages_come_back_whole_with_the_receipt(target):
    for history, homes in ((PAGE, ["vercel/ui", "vercel"]), (ASKED, ["vercel"])):
        before = copy.deepcopy(history)
        there, receipt = away(history, target)
        for home in homes:
            back = tc.switch(there, home, source=target, receipt=receipt)
            assert back.payload == history
            assert back.system is None
            assert tc.switch({"messages": history}, home, receipt=receipt).payload == {
                "messages": history
            }
        assert history == before


def test_what_was_added_gets_ids_that_no_message_had():
    there, receipt = away(PAGE, "openai")
    there += [{"role": "user", "content": "Bergen?"}, {"role": "assistant", "content": "5 °C"}]
    back = tc.switch(there, "vercel/ui", receipt=receipt).payload
    assert back[:3] == PAGE
    ids = [message["id"] for message in back]
    assert len(set(ids)) == len(ids) == 5


def test_what_was_changed_elsewhere_is_what_is_written():
    there, receipt = away(PAGE, "openai")
    there[1]["content"] = "Bergen?"
    result = next(message for message in there if message["role"] == "tool")
    result["content"] = "5 °C"
    back = tc.switch(there, "vercel/ui", receipt=receipt).payload
    assert [part.get("text") for part in back[1]["parts"]] == ["Bergen?"]
    assert back[1]["id"] not in {message["id"] for message in PAGE}
    tool = next(part for part in back[2]["parts"] if "toolCallId" in part)
    assert tool["output"] == "5 °C"
    assert {key: back[2][key] for key in ("id", "metadata")} == {
        "id": "msg_3",
        "metadata": {"tokens": 7},
    }


def test_an_answer_that_another_provider_finished_keeps_what_it_was():
    page = [*PAGE[:2], {**PAGE[2], "parts": PAGE[2]["parts"][:3]}]
    there, receipt = away(page, "openai")
    there.append({"role": "assistant", "content": "4 °C"})
    back = tc.switch(there, "vercel/ui", receipt=receipt).payload
    assert (back[2]["id"], back[2]["metadata"]) == ("msg_3", {"tokens": 7})
    assert TOOL in back[2]["parts"]
    assert back[2]["parts"][-1] == {"type": "text", "text": "4 °C"}


def test_a_receipt_with_damaged_messages_is_refused():
    there, receipt = away(PAGE, "openai")
    for damaged in ({"a": 1}, "x", [1]):
        with pytest.raises(BadReceipt):
            tc.switch(there, "vercel/ui", receipt={**receipt, "messages": damaged})


def test_receipts_of_others_hold_no_messages():
    assert "messages" not in tc.switch([{"role": "user", "content": "Hi"}], "gemini").receipt()
    said = tc.Conversation([tc.Message("user", [tc.Text("Hi")])])
    assert "messages" not in tc.switch(said, "gemini", system="Be brief.").receipt()
