"""Reports of what is left out show it as its provider wrote it, so that it can be recovered."""

import json

import pytest

import toolcanon as tc
from tests.tables import table
from tests.wire_histories import FAMILIES, asked_for
from toolcanon.conversations.switch import switch
from toolcanon.formats.wire.codec import NOTES

SEARCHED = {"type": "server_tool_use", "id": "s1", "name": "web_search", "input": {"query": "q"}}
MARK = {"cache_control": {"type": "ephemeral"}}
NATIVES = {
    # by source: one block (or item) that no other family has
    "anthropic": ({"role": "assistant", "content": [{"type": "text", "text": "a"}, SEARCHED]},
                  SEARCHED),
    "openai-responses": ({"type": "item_reference", "id": "m1"},
                         {"type": "item_reference", "id": "m1"}),
    "gemini": ({"role": "model", "parts": [{"text": "a"}, {"executableCode": {"code": "1+1"}}]},
               {"executableCode": {"code": "1+1"}}),
    "bedrock": ({"role": "assistant", "content": [{"text": "a"}, {"newBlock": {"x": 1}}]},
                {"newBlock": {"x": 1}}),
    "openai": ({"role": "user", "content": [{"type": "text", "text": "a"},
                                            {"type": "novel", "novel": {"x": 1}}]},
               {"type": "novel", "novel": {"x": 1}}),
}  # fmt: skip
KEYS = {
    # by source: a message with keys that no other family has, and those keys
    "anthropic": ({"role": "user", "content": [{"type": "text", "text": "a", "x_key": 1}]},
                  {"x_key": 1}),
    "openai-responses": ({"type": "message", "role": "user", "content": "a", "x_key": 1},
                         {"x_key": 1}),
    "gemini": ({"role": "user", "parts": [{"text": "a", "x_key": 1}]}, {"x_key": 1}),
    "bedrock": ({"role": "user", "content": [{"text": "a", "x_key": 1}]}, {"x_key": 1}),
    "openai": ({"role": "user", "content": "a", "x_key": 1}, {"x_key": 1}),
}  # fmt: skip
PAIRS = [(source, to) for source in FAMILIES for to in FAMILIES if source != to]


def reported(done, *codes):
    found = [loss for loss in done.losses if loss.code in codes]
    assert NOTES not in json.dumps([loss.before for loss in found])
    return [loss.before for loss in found]


@table(("source", "to"), PAIRS)
def test_a_block_that_is_left_out_is_in_its_report(source, to):
    message, block = NATIVES[source]
    done = switch([*asked_for(source), message], to, source=source)
    assert reported(done, "L307", "L333") == [block]  # left out, or in words


@table(("source", "to"), PAIRS)
def test_keys_that_are_left_out_are_in_their_report(source, to):
    message, keys = KEYS[source]
    assert reported(switch([message], to, source=source), "L308") == [{source: keys}]


@table("to", [to for to in FAMILIES if to != "bedrock"])
@table(("block", "lost"), [
    ({"guardContent": {"text": {"text": "a", "qualifiers": ["query"]}}},
     {"guardContent": {"text": {"text": "a", "qualifiers": ["query"]}}}),
    ({"guardContent": {"image": {"format": "png", "source": {"bytes": "aGk="}}}},
     {"guardContent": {"image": {}}}),
    ({"citationsContent": {"content": [{"text": "a"}], "citations": [{"title": "t"}]}},
     {"citations": [{"title": "t"}]}),
    ({"searchResult": {"source": "s", "title": "t", "content": [{"text": "a"}]}},
     {"source": "s"}),
])  # fmt: skip
def test_guards_citations_and_sources_are_in_their_report(block, lost, to):
    done = switch([{"role": "user", "content": [block]}], to, source="bedrock")
    assert reported(done, "L308") == [{"bedrock": lost}]
    assert not [loss for loss in done.losses if loss.code == "L307"]


@pytest.mark.parametrize("to", [to for to in FAMILIES if to != "bedrock"])
def test_keys_beside_a_call_and_its_result_are_reported(to):
    call = {"toolUse": {"toolUseId": "c1", "name": "f", "input": {}}, "x_key": 1}
    result = {"toolResult": {"toolUseId": "c1", "content": [{"text": "ok"}]}, "x_key": 2}
    history = [
        {"role": "user", "content": [{"text": "go"}]},
        {"role": "assistant", "content": [call]},
        {"role": "user", "content": [result]},
    ]
    done = switch(history, to, source="bedrock")
    assert reported(done, "L308") == [{"bedrock": {"x_key": 1}}, {"bedrock": {"x_key": 2}}]


@table(("source", "to"), PAIRS)
def test_omitted_reasoning_is_in_its_report(source, to):
    thought = {
        "anthropic": {"type": "thinking", "thinking": "hm", "signature": "s"},
        "bedrock": {"reasoningContent": {"reasoningText": {"text": "hm", "signature": "s"}}},
        "gemini": {"text": "hm", "thought": True},
    }
    if source in thought:
        key, role = ("parts", "model") if source == "gemini" else ("content", "assistant")
        said = {"text": "a"} if source != "anthropic" else {"type": "text", "text": "a"}
        said = [{"role": role, key: [thought[source], said]}]
    elif source == "openai":
        said = [{"role": "assistant", "content": "a", "reasoning_content": "hm"}]
    else:
        summary = [{"type": "summary_text", "text": "hm"}]
        said = [{"type": "reasoning", "id": "rs_1", "summary": summary},
                {"role": "assistant", "content": "a"}]  # fmt: skip
    done = switch([*asked_for(source), *said], to, source=source)
    assert reported(done, "L301") == ["hm"]
    assert "hm" not in json.dumps(done.payload)


def test_keys_of_answers_are_in_their_report():
    answer = {"id": "m", "type": "message", "role": "assistant", "model": "c", "x_key": 1,
              "content": [{"type": "text", "text": "a"}], "stop_reason": "end_turn",
              "stop_sequence": None, "usage": {"input_tokens": 1, "output_tokens": 1}}  # fmt: skip
    read = tc.read_answer(answer, source="anthropic")
    for to in FAMILIES:
        if to != "anthropic":
            before = reported(tc.write_answer(read, to), "L308")
            assert any("x_key" in json.dumps(one) for one in before), to
