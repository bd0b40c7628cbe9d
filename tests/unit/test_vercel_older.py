"""Histories of AI SDK 3 and 4: recognised, whole elsewhere, the same JSON at home."""

import copy

import pytest

import toolcanon as tc
from tests.tables import table

GO = {"role": "user", "content": "go"}
CALL = {"type": "tool-call", "toolCallId": "c1", "toolName": "read", "args": {"a": 1}}
RESULT = {"type": "tool-result", "toolCallId": "c1", "toolName": "read"}
DONE = {"state": "result", "toolCallId": "c1", "toolName": "read", "args": {"a": 1}, "result": "R"}
SECOND = {**DONE, "toolCallId": "c2", "step": 1, "result": {"x": 1}}


def asked(*parts, **result):
    return [
        GO,
        {"role": "assistant", "content": [*parts, CALL]},
        {"role": "tool", "content": [{**RESULT, **result}]},
    ]


def page(*parts, **more):
    return [
        {"id": "1", "role": "user", "content": "go", "parts": [{"type": "text", "text": "go"}]},
        {"id": "2", "role": "assistant", "content": "done", "parts": list(parts), **more},
    ]


def invoked(held, **more):
    return {"type": "tool-invocation", "toolInvocation": held, **more}


TEXT = {"type": "text", "text": "done"}
THOUGHT = {"type": "reasoning", "reasoning": "hm", "details": [{"type": "text", "text": "hm"}]}
FLAT = [
    {"id": "1", "role": "user", "content": "go", "createdAt": "2025-01-01T00:00:00Z"},
    {"id": "2", "role": "assistant", "content": "done", "toolInvocations": [DONE]},
    {"id": "3", "role": "user", "content": "thanks"},
]
HISTORIES = [
    asked(result="R"),
    asked({"type": "text", "text": "ok"}, result={"x": 1}),
    asked(result="no file", isError=True),
    asked(result=None, isError=False),
    asked(result=[1], experimental_content=[{"type": "text", "text": "1"}]),
    page({"type": "step-start"}, invoked(DONE), {"type": "step-start"}, TEXT),
    page(invoked(DONE), THOUGHT, TEXT),
    page(invoked(DONE), invoked(SECOND), TEXT, toolInvocations=[DONE, SECOND]),
    page(invoked({**DONE, "step": 0}, more=1)),
    FLAT,
    [FLAT[0], {**FLAT[1], "content": ""}],
    [FLAT[0], {**FLAT[1], "toolInvocations": [DONE, SECOND]}],
]
every_history = table("history", HISTORIES)


@every_history
def test_older_histories_are_recognised_and_the_same_at_home(history):
    before = copy.deepcopy(history)
    for given in (history, {"messages": history}):
        read = tc.read_conversation(given)
        assert read.format == "vercel"
        assert (tc.write_conversation(read, "vercel").payload["messages"]) == history
        done = tc.switch(given, "vercel")
        assert done.payload == given
        assert not done.repairs
    assert history == before


@every_history
@table("target", ["openai", "anthropic", "gemini", "vercel/ui", "vercel/model"])
def test_calls_and_results_of_older_histories_are_whole_elsewhere(history, target):
    source = tc.read_conversation(history)
    done = tc.switch(history, target)
    there = tc.read_conversation(done.payload, source=target.partition("/")[0])
    called = [one for message in there.messages for one in message.calls]
    answered = [one for message in there.messages for one in message.results]
    assert [(one.name, one.arguments) for one in called][:1] == [("read", {"a": 1})]
    results = [one for message in source.messages for one in message.results]
    assert len(called) == len(answered) == len(results)
    assert [bool(one.is_error) for one in answered] == [bool(one.is_error) for one in results]
    assert not any(repair.code == "R101" for repair in done.repairs)
    if target.startswith("vercel"):
        roles = [message.role for message in source.messages]
        assert [message.role for message in there.messages] == roles
        assert not {"args", "result", "toolInvocation", "toolInvocations"} & keys(done.payload)


def keys(value):
    if isinstance(value, dict):
        return value.keys() | {key for one in value.values() for key in keys(one)}
    return {key for one in value for key in keys(one)} if isinstance(value, list) else set()


def test_text_after_an_invocation_follows_its_result():
    for history in (page(invoked(DONE), TEXT), FLAT[:2]):
        roles = [message.role for message in tc.read_conversation(history).messages]
        assert roles == ["user", "assistant", "tool", "assistant"]
    steps = page(invoked(DONE), invoked(SECOND), TEXT)
    roles = [message.role for message in tc.read_conversation(steps).messages]
    assert roles == ["user", "assistant", "tool", "assistant", "tool", "assistant"]


def test_an_invocation_without_a_result_is_open():
    held = {"state": "call", "toolCallId": "c1", "toolName": "read", "args": {"a": 1}}
    for history in (page(invoked(held)), [FLAT[0], {**FLAT[1], "toolInvocations": [held]}]):
        assert [repair.code for repair in tc.switch(history, "openai").repairs] == ["R101"]
    cut = tc.read_conversation(page(invoked({**held, "state": "partial-call"})))
    assert [one.arguments for one in cut.messages[1].calls] == [None], "some of them are not all"


def test_what_is_changed_in_an_older_history_is_what_is_written():
    read = tc.read_conversation(page(invoked(DONE)))
    read.messages[2].results[0].content = [tc.Text("changed")]
    (part,) = tc.write_messages(read, "vercel").payload[1]["parts"]
    assert part == invoked({**DONE, "result": "changed"})
    read.messages[2].results[0].is_error = True
    (part,) = tc.write_messages(read, "vercel").payload[1]["parts"]
    assert (part["state"], part["errorText"]) == ("output-error", "changed"), "no older word for it"


@pytest.mark.parametrize(
    "part",
    [
        {"type": "file", "data": "aGk=", "mimeType": "application/pdf", "filename": "n.pdf"},
        {"type": "image", "image": "aGk=", "mimeType": "image/png"},
    ],
)
def test_the_older_word_for_a_media_type_is_read(part):
    history = [{"role": "user", "content": [part]}]
    read = tc.read_conversation(history)
    assert read.format == "vercel"
    assert read.messages[0].parts[0].mime == part["mimeType"]
    assert tc.write_messages(read, "vercel").payload == history
    shown = [{"id": "1", "role": "user", "parts": [{"type": "file", "data": "aGk=",
                                                    "mimeType": "image/png"}]}]  # fmt: skip
    again = tc.read_conversation(shown)
    assert again.messages[0].parts[0].mime == "image/png"
    assert tc.write_messages(again, "vercel").payload == shown


@pytest.mark.parametrize(
    ("said", "content", "failed"),
    [
        ({"output": "R"}, [tc.Text("R")], False),
        ({"output": {"x": 1}}, [tc.Data({"x": 1})], False),
        ({"output": {"type": "file", "at": 1}}, [tc.Data({"type": "file", "at": 1})], False),
        ({"output": [1]}, [tc.Data([1])], False),
        ({"output": None}, [tc.Data(None)], False),
        ({"output": "no file", "isError": True}, [tc.Text("no file")], True),
        ({"output": {"type": "json"}}, [], False),
        ({"output": {"type": "error-json"}}, [], True),
        ({}, [], False),
    ],
)  # fmt: skip
def test_an_output_without_a_type_is_the_value(said, content, failed):
    history = asked(**said)
    (read,) = tc.read_conversation(history).messages[2].results
    assert (read.content, bool(read.is_error)) == (content, failed)
    assert tc.switch(history, "vercel").payload == history
    for target in ("anthropic", "vercel/ui", "vercel/model"):
        done = tc.switch(history, target)
        assert "R101" not in [repair.code for repair in done.repairs]
    output = done.payload[2]["content"][0]["output"]
    assert output["type"].startswith("error-") is failed
    assert "value" in output


def test_a_changed_value_without_a_type_is_what_is_written():
    read = tc.read_conversation(asked(output={"x": 1}))
    read.messages[2].results[0].content = [tc.Text("changed")]
    assert tc.write_messages(read, "vercel").payload == asked(output="changed")
    void = tc.read_conversation(asked())
    void.messages[2].results[0].content = [tc.Text("changed")]
    (part,) = tc.write_messages(void, "vercel").payload[2]["content"]
    assert part["output"] == {"type": "text", "value": "changed"}
