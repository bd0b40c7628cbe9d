"""A whole response in a history, where a program should have appended the message within."""

import toolcanon as tc
from tests.tables import table
from toolcanon.conversations.switch import switch

CHAT_CALL = {"id": "c1", "type": "function", "function": {"name": "f", "arguments": "{}"}}
CLAUDE_CALL = {"type": "tool_use", "id": "c1", "name": "f", "input": {}}
ITEM = {"type": "function_call", "call_id": "c1", "name": "f", "arguments": "{}"}
# Family: the user's message, the response, the result.
HISTORIES = {
    "openai": [
        {"role": "user", "content": "go"},
        {
            "id": "x",
            "object": "chat.completion",
            "created": 1,
            "model": "m",
            "choices": [
                {
                    "index": 0,
                    "finish_reason": "tool_calls",
                    "message": {"role": "assistant", "content": None, "tool_calls": [CHAT_CALL]},
                }
            ],
        },
        {"role": "tool", "tool_call_id": "c1", "content": "done"},
    ],
    "openai-responses": [
        {"role": "user", "content": "go"},
        {"id": "r", "object": "response", "model": "m", "output": [ITEM]},
        {"type": "function_call_output", "call_id": "c1", "output": "done"},
    ],
    "anthropic": [
        {"role": "user", "content": "go"},
        {
            "id": "msg_1",
            "type": "message",
            "role": "assistant",
            "model": "m",
            "content": [{"type": "text", "text": "well"}, CLAUDE_CALL],
            "stop_reason": "tool_use",
            "stop_sequence": None,
            "usage": {"input_tokens": 1, "output_tokens": 1},
        },
        {
            "role": "user",
            "content": [{"type": "tool_result", "tool_use_id": "c1", "content": "done"}],
        },
    ],
    "gemini": [
        {"role": "user", "parts": [{"text": "go"}]},
        {
            "candidates": [
                {
                    "content": {
                        "role": "model",
                        "parts": [{"functionCall": {"id": "c1", "name": "f", "args": {}}}],
                    },
                    "finishReason": "STOP",
                }
            ],
            "modelVersion": "m",
        },
        {
            "role": "user",
            "parts": [
                {"functionResponse": {"id": "c1", "name": "f", "response": {"output": "done"}}}
            ],
        },
    ],
    "bedrock": [
        {"role": "user", "content": [{"text": "go"}]},
        {
            "output": {
                "message": {
                    "role": "assistant",
                    "content": [{"toolUse": {"toolUseId": "c1", "name": "f", "input": {}}}],
                }
            },
            "stopReason": "tool_use",
            "usage": {"inputTokens": 1},
        },
        {
            "role": "user",
            "content": [{"toolResult": {"toolUseId": "c1", "content": [{"text": "done"}]}}],
        },
    ],
}


@table("target", HISTORIES)
@table("source", HISTORIES)
@table("named", [True, False])
def test_a_response_in_a_list_is_read_as_its_messages(source, target, named):
    done = switch(HISTORIES[source], target, source=source if named else None)
    assert not done.repairs
    read = tc.read_conversation(done.payload, source=target)
    assert [message.role for message in read.messages[:2]] == ["user", "assistant"]
    (call,) = read.messages[-2].calls
    (result,) = read.messages[-1].results
    assert (call.name, result.call_id) == ("f", call.id)
    assert "done" in repr(result.content)


@table("other", HISTORIES)
@table("source", HISTORIES)
def test_a_response_of_another_provider_in_a_list(source, other):
    opening, _, result = HISTORIES[source]
    read = tc.read_conversation([opening, HISTORIES[other][1], result], source=source)
    assert [len(message.calls) for message in read.messages if message.calls] == [1]


def test_items_of_type_message_are_no_responses():
    said = {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "a"}]}
    answer = {"type": "message", "role": "assistant", "content": [
        {"type": "output_text", "text": "b", "annotations": []}]}  # fmt: skip
    chat = {"role": "tool", "tool_call_id": "c1", "content": "c"}
    read = tc.read_conversation([said, answer, chat], source="openai")
    assert [message.text for message in read.messages[:2]] == ["a", "b"]
    assert read.messages[0].role == "user"
