"""Histories as ``model_dump()`` of the SDKs gives them: with a null for whatever is not there."""

import json

import pytest

import toolcanon as tc
from tests.referee.bodies import sdk_faults
from tests.referee.histories import certain_faults
from tests.tables import table
from tests.wire_histories import FAMILIES
from toolcanon.conversations.switch import switch

ASKED = {"role": "user", "content": "go"}
CALL = {"id": "c1", "type": "function", "function": {"name": "f", "arguments": "{}"}}


def chat():
    from openai.types.chat import ChatCompletionMessage

    calling = {"role": "assistant", "content": None, "tool_calls": [CALL]}
    said = {"role": "assistant", "content": "hi"}
    calling, said = (ChatCompletionMessage.model_validate(one) for one in (calling, said))
    result = {"role": "tool", "tool_call_id": "c1", "content": "ok"}
    return [ASKED, calling.model_dump(), result, said.model_dump(), ASKED]


def responses():
    from openai.types.responses import Response

    text = {"type": "output_text", "text": "hi", "annotations": []}
    search = {"type": "search", "query": "q"}
    output = [
        {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "e"},
        {"type": "web_search_call", "id": "ws_1", "status": "completed", "action": search},
        {"type": "mcp_call", "id": "mcp_1", "name": "x", "arguments": "{}", "server_label": "s"},
        {"type": "code_interpreter_call", "id": "ci_1", "code": "1", "container_id": "x",
         "status": "completed", "outputs": None},
        {"type": "function_call", "id": "fc_1", "call_id": "c1", "name": "f", "arguments": "{}"},
        {"type": "message", "id": "msg_1", "role": "assistant", "status": "completed",
         "content": [text]},
    ]  # fmt: skip
    answer = {"id": "r", "created_at": 1, "model": "m", "object": "response", "output": output,
              "parallel_tool_calls": True, "tool_choice": "auto", "tools": []}  # fmt: skip
    items = [item.model_dump() for item in Response.model_validate(answer).output]
    return [ASKED, *items, {"type": "function_call_output", "call_id": "c1", "output": "ok"}]


def claude():
    from anthropic.types import Message

    found = {"type": "web_search_result", "title": "t", "url": "u", "encrypted_content": "e"}
    cited = {"type": "char_location", "cited_text": "c", "document_index": 0,
             "document_title": None, "start_char_index": 0, "end_char_index": 1}  # fmt: skip
    content = [
        {"type": "text", "text": "a", "citations": [cited]},
        {"type": "text", "text": "b"},
        {"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search",
         "input": {"query": "q", "near": None}},
        {"type": "web_search_tool_result", "tool_use_id": "srvtoolu_1", "content": [found]},
        {"type": "tool_use", "id": "c1", "name": "f", "input": {"a": None}},
    ]  # fmt: skip
    answer = {"id": "m", "type": "message", "role": "assistant", "model": "c", "content": content,
              "stop_reason": "tool_use", "stop_sequence": None,
              "usage": {"input_tokens": 1, "output_tokens": 1}}  # fmt: skip
    said = Message.model_validate(answer).model_dump()["content"]
    result = {"type": "tool_result", "tool_use_id": "c1", "content": "ok"}
    return [ASKED, {"role": "assistant", "content": said}, {"role": "user", "content": [result]}]


def gemini():
    from google.genai.types import Content

    called = {
        "role": "model",
        "parts": [{"text": "x"}, {"functionCall": {"name": "f", "args": {}}}],
    }
    result = {"functionResponse": {"name": "f", "response": {"output": "ok"}}}
    contents = [{"role": "user", "parts": [{"text": "go"}]}, called,
                {"role": "user", "parts": [result]}]  # fmt: skip
    return [Content.model_validate(one).model_dump() for one in contents]


DUMPS = {"openai": chat, "openai-responses": responses, "anthropic": claude, "gemini": gemini}
MADE_OUT = {
    # the nulls that the provider does not take
    "openai": {"annotations", "tool_calls"},
    "openai-responses": {"async_", "status", "content", "namespace", "logprobs", "action.queries",
                         "action.sources"},
    "anthropic": {"caller", "citations.0.file_id"},
    "gemini": set(),
}  # fmt: skip


@pytest.mark.parametrize("family", DUMPS)
def test_nulls_that_the_provider_refuses_are_left_out_and_reported(family):
    history = DUMPS[family]()
    was = json.dumps(history)
    done = switch(history, family, source=family)
    assert {repair.code for repair in done.repairs} <= {"R131"}
    assert {key for repair in done.repairs for key in repair.before} == MADE_OUT[family]
    assert not [*sdk_faults(family, done.payload), *certain_faults(family, done.payload)]
    assert not switch(done.payload, family, source=family).repairs
    found = tc.lint(history, family, source=family)
    assert [finding.name for finding in found] == ["member-misshapen"] * len(done.repairs)
    assert json.dumps(history) == was


def test_nulls_within_values_of_users_are_kept():
    done = switch(claude(), "anthropic", source="anthropic")
    blocks = done.payload[1]["content"]
    assert blocks[2]["input"] == {"query": "q", "near": None}
    assert blocks[4]["input"] == {"a": None}


@table("family", DUMPS)
@table("to", FAMILIES)
def test_nulls_are_no_keys_that_another_provider_misses(family, to):
    done = switch(DUMPS[family](), to, source=family)
    assert not [*sdk_faults(to, done.payload), *certain_faults(to, done.payload)]
    lost = [loss.before for loss in done.losses if loss.code == "L308"]
    assert None not in [value for keys in lost for kept in keys.values() for value in kept.values()]
