"""Conversations of the AI SDK: both layouts read and written, approvals, streams, switching."""

import copy
import json

import pytest

import toolcanon as tc
from tests.codec_laws import a, answer_comes_back, is_refused_at, request_comes_back, sort, tool, u
from tests.tables import table
from toolcanon.conversations.read_write import codec_of, layouts
from toolcanon.errors import CutStream, NotAConversation, UnknownDialect
from toolcanon.formats.wire.codec import WriteLog
from toolcanon.registry import registry

CODEC = codec_of("vercel")
OTHERS = ("openai", "openai-responses", "anthropic", "gemini", "bedrock")
TARGETS = (*OTHERS, "vercel", "vercel/ui", "vercel/model")


def call(call_id="c1", name="read", given=None, **more):
    return {"type": "tool-call", "toolCallId": call_id, "toolName": name,
            "input": {"a": 1} if given is None else given, **more}  # fmt: skip


def result(output, call_id="c1", name="read", **more):
    return {"type": "tool-result", "toolCallId": call_id, "toolName": name, "output": output,
            **more}  # fmt: skip


def asks(*parts):
    return {"role": "assistant", "content": list(parts)}


def answers(*parts):
    return {"role": "tool", "content": list(parts)}


def says(text="go", number="1"):
    return {"id": number, "role": "user", "parts": [{"type": "text", "text": text}]}


def page(*parts, number="2", **more):
    return {"id": number, "role": "assistant", "parts": list(parts), **more}


def shown(state, call_id="c1", name="tool-read", **more):
    return {"type": name, "toolCallId": call_id, "state": state, "input": {"a": 1}, **more}


GO = {"role": "user", "content": "go"}
TEXT = {"type": "text", "value": "4 °C"}
STEP = {"type": "step-start"}
OPTIONS = {"providerOptions": {"anthropic": {"cacheControl": {"type": "ephemeral"}}}}
REQUESTED = {"type": "tool-approval-request", "approvalId": "ap", "toolCallId": "c1"}
NO = {"type": "tool-approval-response", "approvalId": "ap", "approved": False, "reason": "not now"}
YES = {"type": "tool-approval-response", "approvalId": "ap", "approved": True}

# Each content of a message, and each output of a tool, must come back as it was.
CONTENTS = [
    "words",
    "",
    [],
    [{"type": "text", "text": "w"}],
    [{"type": "text", "text": "w", **OPTIONS}, {"type": "text", "text": ""}],
    [{"type": "image", "image": "https://e.org/a.png"}],
    [{"type": "image", "image": "data:image/png;base64,aGk=", "mediaType": "image/png"}],
    [{"type": "image", "image": "data:;base64,aGk="}],
    [{"type": "image", "image": {"openai": "file-1", "google": "f2"}}],
    [{"type": "file", "data": "aGk=", "mediaType": "application/pdf", "filename": "a.pdf"}],
    [{"type": "file", "data": "aGk=", "mediaType": "image/*", **OPTIONS}],
    [{"type": "file", "data": {"type": "data", "data": "aGk="}, "mediaType": "text/plain"}],
    [{"type": "file", "data": {"type": "url", "url": "https://e.org/a"}, "mediaType": "image"}],
    [{"type": "file", "data": {"type": "text", "text": "w"}, "mediaType": "text/plain"}],
    [{"type": "file", "data": {"type": "reference", "reference": {"x": "f"}}, "mediaType": "a/b"}],
    [{"type": "file", "data": {"type": "odd"}, "mediaType": "a/b"}, {"type": "file"}],
    [{"type": "reasoning", "text": "hm", **OPTIONS}, {"type": "custom", "kind": "a.b"}],
    [{"type": "what"}, {"type": 3}, {}, None, 1, "x"],
    [call(), call("c2", given="free words"), call("c3", given=[1]), call("c4", given=None)],
    [{"type": "tool-call", "toolCallId": "c1", "toolName": "f"}, call("c2", given='{"a": 1}')],
    [{"type": "tool-call", "toolCallId": 1, "toolName": "f"}, {"type": "tool-call"}],
    [call(providerExecuted=True), result({"type": "json", "value": [1]})],
    [call(), REQUESTED],
]
OUTPUTS = [
    TEXT,
    {"type": "text", "value": "", **OPTIONS},
    {"type": "text", "value": 1},
    {"type": "json", "value": {"x": [1]}},
    {"type": "json", "value": None},
    {"type": "error-text", "value": "no file"},
    {"type": "error-json", "value": {"code": 1}},
    {"type": "execution-denied"},
    {"type": "execution-denied", "reason": "no", **OPTIONS},
    {"type": "content", "value": []},
    {"type": "content", "value": [{"type": "text", "text": "w", **OPTIONS}]},
    {"type": "content", "value": [{"type": "text", "text": '{"ok":false,"error":"x"}'}]},
    {"type": "content", "value": [
        {"type": "text", "text": "w"},
        {"type": "file", "data": {"type": "data", "data": "aGk="}, "mediaType": "image/png"},
        {"type": "file-data", "data": "aGk=", "mediaType": "a/b", "filename": "f"},
        {"type": "file-url", "url": "https://e.org/a"},
        {"type": "image-data", "data": "aGk=", "mediaType": "image/png"},
        {"type": "image-url", "url": "https://e.org/a.png"},
        {"type": "image-file-id", "fileId": "f1"},
        {"type": "file-id", "fileId": {"x": "f1"}},
        {"type": "file-reference", "providerReference": {"x": "f1"}},
        {"type": "media", "data": "aGk=", "mediaType": "image/png"},
        {"type": "custom", **OPTIONS},
        7,
    ]},
    {"type": "odd", "value": 1},
    None,
]  # fmt: skip
STATES = [
    shown("input-streaming"),
    shown("input-streaming", rawInput='{"a":1', inputEncoding="json"),
    {
        "type": "tool-read",
        "toolCallId": "c1",
        "state": "output-error",
        "rawInput": '{"a":',
        "errorText": "no JSON",
    },
    {
        "type": "tool-read",
        "toolCallId": "c1",
        "state": "output-error",
        "rawInput": {"a": 1},
        "input": None,
        "errorText": "not valid",
    },
    {"type": "tool-read", "toolCallId": "c1", "state": "input-streaming"},
    shown("input-available", title="Read", callProviderMetadata={"x": {"y": 1}}),
    shown("approval-requested", approval={"id": "ap"}),
    shown("approval-responded", approval={"id": "ap", "approved": True}),
    shown("approval-responded", approval={"id": "ap", "approved": False, "reason": "no"}),
    shown("output-available", output="4 °C"),
    shown("output-available", output={"x": [1]}, preliminary=True),
    shown("output-available", output=None),
    shown("output-available", output={"type": "content", "value": [{"type": "text", "text": "w"}]}),
    shown("output-available"),
    shown("output-error", errorText="no file", rawInput="x"),
    shown("output-error", errorText=1),
    shown("output-error"),
    shown("output-denied", approval={"id": "ap", "approved": False}),
    shown("output-denied", approval={"id": "ap", "approved": False, "reason": "no"}),
    shown("output-available", name="dynamic-tool", toolName="read", output=1),
    shown("output-available", name="tool-a-b", output=1, providerExecuted=True),
    shown("odd", output=1),
    {"type": "dynamic-tool", "toolCallId": "c1", "state": "output-available", "output": 1},
    {**shown("output-available", output=1), "input": "free words"},
]
PARTS = [
    {"type": "text", "text": "w", "state": "done", "providerMetadata": {"x": {}}},
    {"type": "reasoning", "text": "hm", "state": "streaming", "id": "r"},
    {
        "type": "file",
        "mediaType": "image/png",
        "url": "data:image/png;base64,aGk=",
        "filename": "f",
    },
    {"type": "file", "mediaType": "image/png", "url": "https://e.org/a", "providerReference": {}},
    {"type": "file", "mediaType": "image/png"},
    {"type": "source-url", "sourceId": "s", "url": "https://e.org"},
    {"type": "source-document", "sourceId": "s", "mediaType": "a/b", "title": "t"},
    {"type": "data-weather", "id": "d", "data": {"x": 1}},
    {"type": "steering-message", "id": "s", "parts": [{"type": "text", "text": "faster"}]},
    {**STEP, "more": 1},
    STEP,
    {"type": "what"},
    None,
]


@pytest.mark.parametrize("role", ["system", "user", "assistant", "tool", "bard"])
def test_every_content_comes_back(role):
    history = [{"role": role, "content": copy.deepcopy(content)} for content in CONTENTS]
    history += [{"role": role}, {"role": role, "content": 5}, {"content": "x", **OPTIONS}]
    comes_back(history)


def test_every_output_comes_back():
    comes_back([m for o in OUTPUTS for m in (asks(call()), answers(result(o, **OPTIONS)))])


@table("state", STATES)
def test_every_state_of_a_tool_comes_back(state):
    comes_back([says(), page(STEP, state, STEP, {"type": "text", "text": "so"})])
    comes_back([page(state, PARTS[0]), says()])


@pytest.mark.parametrize("role", ["system", "user", "assistant", "bard"])
def test_every_part_of_a_page_comes_back(role):
    for parts in ([], PARTS, PARTS[::-1], *([part] for part in PARTS)):
        comes_back([{"id": "1", "role": role, "parts": parts, "metadata": {"x": 1}}, says()])
    comes_back([{"id": "1", "role": role, "parts": 5}, {"parts": []}])


def comes_back(history):
    before = copy.deepcopy(history)
    read = tc.Conversation(CODEC.read_messages(history, None), format="vercel")
    written = tc.write_messages(read, "vercel")
    assert sort(written.payload) == sort(history)
    assert sort(history) == sort(before)
    assert not written.losses
    again = tc.Conversation.from_dict(json.loads(json.dumps(read.to_dict())))
    assert sort(tc.write_messages(again, "vercel").payload) == sort(history)


def test_requests_and_answers_come_back():
    request_comes_back(CODEC, {
        "model": "m", "instructions": "be kind", "messages": [GO], "maxOutputTokens": 3,
        "tools": {"f": {"inputSchema": {}}}, "toolChoice": {"type": "tool", "toolName": "f"},
    })  # fmt: skip
    prompt = {"role": "system", "content": "x", **OPTIONS}
    for system in ("x", prompt, [prompt, {"role": "system", "content": "y"}], [], 5, ["x"]):
        for key in ("instructions", "system"):
            request_comes_back(CODEC, {key: system, "messages": [GO]})
    for choice in ("auto", "none", "required", {"type": "auto"}, {"type": "odd"}, "odd"):
        body = {"messages": [GO], "tools": [{"inputSchema": {}}], "toolChoice": choice}
        request_comes_back(CODEC, body)
    request_comes_back(CODEC, {"id": "chat", "messages": [says()], "trigger": "submit-message"})
    for reason in ("stop", "odd", {"unified": "tool-calls", "raw": "tool_use"}, None):
        answer_comes_back(CODEC, {
            "content": [{"type": "text", "text": "w"}, call(), call("c2", given='{"a": 1}')],
            "finishReason": reason, "usage": {"inputTokens": 1}, "warnings": [],
            "response": {"id": "r", "modelId": "m", "timestamp": "t"},
        })  # fmt: skip
    answer_comes_back(CODEC, page(STEP, {"type": "text", "text": "w"}, metadata={"x": 1}))
    is_refused_at(CODEC.read_answer, {"finishReason": "stop"}, "/content")
    is_refused_at(CODEC.read_request, {"messages": 5}, "/messages")
    is_refused_at(CODEC.read_request, {"messages": [5]}, "/messages/0")


def test_input_given_as_text_becomes_an_object_in_the_history():
    body = {"content": [call(given='{"a": 1}')], "finishReason": "tool-calls"}
    message = tc.read_answer(body).messages[0]
    assert CODEC.write_messages([message], WriteLog())[0]["content"] == [call()]


MODEL = [GO, asks({"type": "text", "text": "ok"}, call()), answers(result(TEXT)),
         {"role": "assistant", "content": "It is cold."}]  # fmt: skip
PAGE = [
    says(),
    page(STEP, {"type": "text", "text": "ok"}, shown("output-available", output="4 °C"), STEP,
         {"type": "text", "text": "It is cold."}),
]  # fmt: skip


@table("history", [MODEL, PAGE], ids=["model", "ui"])
@table("target", TARGETS)
def test_a_history_of_the_sdk_is_recognised_and_whole_everywhere(history, target):
    assert tc.read_conversation(history).format == "vercel"
    assert tc.read_conversation({"messages": history}).format == "vercel"
    done = tc.switch(history, target)
    family = target.partition("/")[0]
    read = tc.read_conversation(done.payload, source=family)
    assert [(c.name, c.arguments, c.id) for m in read.messages for c in m.calls] == [
        ("read", {"a": 1}, "c1")
    ]
    found = [part for message in read.messages for part in message.results]
    assert [(one.call_id, one.content[0].text) for one in found] == [("c1", "4 °C")]
    assert [m.text for m in read.messages if m.text] == ["go", "ok", "It is cold."]
    assert not done.repairs
    assert not [f for f in tc.lint(done.payload, family) if f.level == "error"]


@pytest.mark.parametrize("source", OTHERS)
def test_histories_of_others_get_either_layout(source):
    theirs = tc.switch(MODEL, source).payload
    there = tc.switch(theirs, "vercel", source=source)
    assert there.payload == MODEL
    assert not there.repairs
    shown_there = tc.switch(theirs, "vercel/ui", source=source).payload
    assert [message.pop("id") for message in shown_there] == ["msg_0", "msg_1"]
    assert shown_there == [{k: v for k, v in m.items() if k != "id"} for m in PAGE]


def test_layouts_become_each_other():
    assert tc.switch(PAGE, "vercel/model").payload == MODEL
    assert tc.write_messages(tc.read_conversation(PAGE), "vercel/model").payload == MODEL
    assert tc.switch(PAGE, "vercel").payload == PAGE
    assert tc.switch(MODEL, "vercel").payload == MODEL
    with pytest.raises(UnknownDialect, match="vercel/ui"):
        tc.switch(PAGE, "vercel/uj")


def test_a_message_of_others_takes_the_layout_of_its_neighbours():
    read = tc.read_conversation(PAGE)
    read.messages.append(u(tc.Text("and now?")))
    written = tc.write_messages(read, "vercel").payload
    assert written[:2] == PAGE
    assert written[2] == {"id": "msg_2", "role": "user",
                          "parts": [{"type": "text", "text": "and now?"}]}  # fmt: skip


def test_what_is_changed_in_a_page_is_what_is_written():
    read = tc.read_conversation(PAGE)
    read.messages[2].parts[0].content[0].text = "5 °C"
    read.messages[1].calls[0].arguments = {"a": 2}
    part = tc.write_messages(read, "vercel").payload[1]["parts"][2]
    assert part == {**shown("output-available", output="5 °C"), "input": {"a": 2}}
    read.messages[2].parts[0].is_error = True
    part = tc.write_messages(read, "vercel").payload[1]["parts"][2]
    assert part == {**shown("output-error", errorText="5 °C"), "input": {"a": 2}}
    del read.messages[2]
    part = tc.write_messages(read, "vercel").payload[1]["parts"][2]
    assert part == {**shown("input-available"), "input": {"a": 2}}


@pytest.mark.parametrize(
    ("output", "words", "is_error"),
    [
        ({"type": "json", "value": {"x": 1}}, {"x": 1}, False),
        ({"type": "error-text", "value": "no file"}, "no file", True),
        ({"type": "error-json", "value": {"x": 1}}, {"x": 1}, True),
        ({"type": "execution-denied", "reason": "no"}, "no", True),
        ({"type": "execution-denied"}, "Tool call execution denied.", True),
    ],
)
def test_values_errors_and_denials_keep_their_meaning(output, words, is_error):
    history = [GO, asks(call()), answers(result(output))]
    part = tc.read_conversation(history).messages[2].results[0]
    assert bool(part.is_error) is is_error
    assert getattr(part.content[0], "text", None) or part.content[0].value == words
    for target in OTHERS:
        there = tc.switch(history, target)
        back = tc.switch(there.payload, "vercel", source=target)
        kind = back.payload[2]["content"][0]["output"]["type"]
        assert kind.startswith("error") is is_error
        back = tc.switch(there.payload, "vercel", source=target, receipt=there.receipt())
        assert back.payload == history


@pytest.mark.parametrize("target", OTHERS)
def test_a_denied_call_has_a_result_that_states_it(target):
    layouts = (
        [GO, asks(call(), REQUESTED), answers(NO)],
        [says(), page(shown("approval-responded", approval={"id": "ap", "approved": False,
                                                            "reason": "not now"}))],
    )  # fmt: skip
    for history in layouts:
        done = tc.switch(history, target)
        found = [
            r for m in tc.read_conversation(done.payload, source=target).messages for r in m.results
        ]
        assert [(one.is_error, one.content[0].text) for one in found] == [(True, "not now")]
        assert "R101" not in {repair.code for repair in done.repairs}


@pytest.mark.parametrize("answer", [[], [answers(YES)]], ids=["asked", "allowed"])
def test_a_call_that_waits_for_approval_is_left_alone_at_home(answer):
    history = [GO, asks(call(), REQUESTED), *answer]
    assert tc.switch(history, "vercel").payload == history
    assert tc.lint(history, "vercel") == []
    state = {"id": "ap", **({"approved": True} if answer else {})}
    waiting = shown("approval-responded" if answer else "approval-requested", approval=state)
    assert tc.switch([says(), page(waiting)], "vercel").payload == [says(), page(waiting)]
    page_of = tc.switch(history, "vercel/ui").payload
    assert page_of[1]["parts"][1] == waiting
    assert tc.switch(page_of, "vercel/model").payload == history
    assert [r.code for r in tc.switch(history, "anthropic").repairs] == ["R101"]


def test_an_approval_that_the_user_talked_past_is_over():
    history = [GO, asks(call(), REQUESTED), {"role": "user", "content": "never mind"}]
    assert [f.name for f in tc.lint(history, "vercel")] == ["call-without-result"]
    assert [r.code for r in tc.switch(history, "vercel").repairs] == ["R101"]


def test_a_call_that_still_streams_is_never_whole():
    part = shown("input-streaming", rawInput='{"a": 1, "b"')
    found = tc.read_conversation([says(), page(part)]).messages[1].calls[0]
    assert (found.arguments, found.text, found.problem) == (None, '{"a": 1, "b"', "not-json")


def test_what_only_the_sdk_has_is_reported():
    parts = [PARTS[5], PARTS[7], shown("output-available", output=1, providerExecuted=True)]
    told = tc.switch([says(), page(*parts, PARTS[0])], "openai").losses
    found = [(loss.code, str(loss.at)) for loss in told if loss.code in {"L307", "L333"}]
    assert sorted(found) == [
        (code, f"/messages/1/parts/{number}")
        for number, code in enumerate(["L307", "L307", "L333"])
    ]
    thought = asks({"type": "reasoning", "text": "hm"}, {"type": "text", "text": "w"})
    assert "L301" in {loss.code for loss in tc.switch([GO, thought], "gemini").losses}


def test_what_others_say_is_written_or_reported():
    told = WriteLog()
    image = tc.Media("image", "image/png", "aGk=")
    written = CODEC.write_messages(
        [
            u(tc.Text("look"), image, tc.Media("file", file_id="f1")),
            a(tc.Call("f", {"x": 1}), tc.Call("g", None, "c2", "words", is_text=True)),
            tool(tc.Result(None, [tc.Text("one"), image], "f", is_error=True)),
            u(tc.Result("c2", []), tc.Text("go on")),
        ],
        told,
    )
    assert [message["role"] for message in written] == [
        "user", "assistant", "tool", "user"]  # fmt: skip
    assert written[1]["content"][1]["input"] == "words"
    made = written[1]["content"][0]["toolCallId"]
    first, second = written[2]["content"]
    assert (first["toolCallId"], first["toolName"], first["output"]["type"]) == (
        made, "f", "content")  # fmt: skip
    assert second == result({"type": "text", "value": ""}, "c2", "g")
    assert sorted(loss.code for loss in told.losses) == ["L302", "L304", "L322"]


def test_the_system_prompt_goes_beside_the_messages():
    """The SDK refuses system messages in the list, unless an option trusts them."""
    history = [{"role": "system", "content": "be kind"}, {"role": "user", "content": "go"}]
    done = tc.switch(history, "vercel", source="openai")
    assert (done.system, done.payload) == ("be kind", [GO])
    assert tc.switch(history, "vercel/ui", source="openai").system == "be kind"
    assert done.system_key == "instructions"
    kept = tc.switch([*MODEL, {"role": "system", "content": "x"}], "vercel").payload
    assert kept[-1] == {"role": "system", "content": "x"}


CHUNKS = [
    {"type": "start", "messageId": "m1", "messageMetadata": {"x": 1}},
    {"type": "start-step"},
    {"type": "reasoning-start", "id": "0"},
    {"type": "reasoning-delta", "id": "0", "delta": "hm"},
    {"type": "reasoning-end", "id": "0", "providerMetadata": {"x": {"signature": "s"}}},
    {"type": "text-start", "id": "0"},
    {"type": "text-delta", "id": "0", "delta": "o"},
    {"type": "tool-input-start", "toolCallId": "c1", "toolName": "read"},
    {"type": "text-delta", "id": "0", "delta": "k"},
    {"type": "tool-input-delta", "toolCallId": "c1", "inputTextDelta": '{"a":'},
    {"type": "text-end", "id": "0"},
    {"type": "data-x", "id": "d", "data": 1},
    {"type": "data-x", "id": "d", "data": 2},
    {"type": "data-y", "data": 2, "transient": True},
    {"type": "tool-input-delta", "toolCallId": "c1", "inputTextDelta": "1}"},
    {"type": "tool-input-available", "toolCallId": "c1", "toolName": "read", "input": {"a": 1}},
    {"type": "tool-input-available", "toolCallId": "c2", "toolName": "d", "input": {},
     "dynamic": True},
    {"type": "tool-input-error", "toolCallId": "c3", "toolName": "e", "input": "{",
     "errorText": "?"},
    {"type": "tool-approval-request", "approvalId": "ap", "toolCallId": "c1"},
    {"type": "finish-step"},
    {"type": "finish", "finishReason": "tool-calls", "messageMetadata": {"y": 2}},
]  # fmt: skip
STREAMED = page(
    STEP,
    {"type": "reasoning", "id": "0", "text": "hm", "state": "done",
     "providerMetadata": {"x": {"signature": "s"}}},
    {"type": "text", "text": "ok", "state": "done"},
    shown("approval-requested", approval={"id": "ap"}),
    {"type": "data-x", "id": "d", "data": 2},
    {**shown("input-available", "c2", "dynamic-tool", toolName="d"), "input": {}},
    {**shown("output-error", "c3", "tool-e", errorText="?"), "input": "{"},
    number="m1", metadata={"x": 1, "y": 2},
)  # fmt: skip


def sse(chunks):
    lines = [f"data: {json.dumps(chunk)}\n\n" for chunk in chunks]
    return "".join([*lines, "data: [DONE]\n\n"]).encode()


def test_streams_become_the_message_that_a_page_shows():
    for stream in (CHUNKS, sse(CHUNKS), [bytes([byte]) for byte in sse(CHUNKS)]):
        answer = tc.accumulate(stream)
        assert (answer.format, answer.stop.reason) == ("vercel", "tool_call")
        assert sort(tc.write_answer(answer, "vercel").payload) == sort(STREAMED)
    assert [one.name for one in answer.calls] == ["read", "d"], "the third has its result"


@pytest.mark.parametrize(
    ("more", "states"),
    [
        ([{"type": "tool-output-available", "output": 1}], {"state": "output-available",
                                                            "output": 1}),
        ([{"type": "tool-output-available", "output": 1, "preliminary": True},
          {"type": "tool-output-error", "errorText": "?"}],
         {"state": "output-error", "errorText": "?"}),
        ([{"type": "tool-approval-response", "approvalId": "ap", "approved": False}],
         {"state": "approval-responded"}),
        ([{"type": "tool-approval-response", "approvalId": "ap", "approved": False},
          {"type": "tool-output-denied"}], {"state": "output-denied"}),
    ],
)  # fmt: skip
def test_results_in_a_stream_go_to_their_calls(more, states):
    said = [{"toolCallId": "c1", **chunk} for chunk in more]
    answer = tc.accumulate([*CHUNKS[:-2], *said, {"type": "finish"}])
    part = tc.write_answer(answer, "vercel").payload["parts"][3]
    assert {key: part[key] for key in states} == states
    assert "c1" not in [one.id for one in answer.calls]


@pytest.mark.parametrize(
    "chunks",
    [
        CHUNKS[:-1],
        CHUNKS[:10],
        [*CHUNKS[:10], {"type": "error", "errorText": "overloaded"}, CHUNKS[-1]],
        [*CHUNKS[:10], {"type": "abort", "reason": "user"}],
        [CHUNKS[0], {"type": "text-delta", "id": "9", "delta": "x"}, CHUNKS[-1]],
        [CHUNKS[0], {"type": "tool-output-available", "toolCallId": "c9"}, CHUNKS[-1]],
    ],
)
def test_streams_that_break_off_are_refused(chunks):
    with pytest.raises(CutStream) as error:
        tc.accumulate(chunks, source="vercel")
    partial = error.value.partial
    assert partial.format == "vercel"
    if chunks[:10] == CHUNKS[:10] and len(chunks) < 13:
        assert [(one.arguments, one.text) for one in partial.calls] == [(None, '{"a":')]


@pytest.mark.parametrize("family", OTHERS)
def test_streams_of_others_become_chunks_and_back(family):
    plain = [chunk for chunk in CHUNKS if not chunk["type"].startswith(("data-", "tool-approval"))]
    plain = [chunk for chunk in plain if chunk.get("toolCallId") != "c3"]
    theirs = list(tc.translate_stream(plain, family))
    ours = list(tc.translate_stream(theirs, "vercel", source=family))
    answer = tc.accumulate(ours)
    assert [(c.name, c.id, c.arguments) for c in answer.calls] == [
        ("read", "c1", {"a": 1}), ("d", "c2", {})]  # fmt: skip
    assert answer.messages[0].text == "ok"
    assert ours[-1] == {"type": "finish", "finishReason": "tool-calls"}
    raw = b"".join(tc.translate_stream(theirs, "vercel", source=family, as_bytes=True))
    assert raw.endswith(b"data: [DONE]\n\n")
    assert tc.accumulate(raw).calls == answer.calls


@pytest.mark.parametrize(
    "history",
    [
        [{"role": "assistant", "blocks": [{"type": "tool"}]}],
        [{"speaker": "user", "words": "hi"}],
        [GO, {"role": "assistant", "said": [{"x": 1}]}],
        {"messages": [GO, {"role": "assistant", "said": [{"x": 1}]}]},
    ],
)
def test_a_message_in_no_known_shape_is_refused(history):
    with pytest.raises(NotAConversation):
        tc.read_conversation(history)
    assert tc.read_conversation(history, source="openai").format == "openai", "named, it is read"


def test_a_loop_keeps_every_answer_through_two_switches():
    def weather(city: str) -> str:
        """How warm it is."""
        return f"4 °C in {city}"

    tools = tc.Toolset([weather])
    step = {"content": [call("c1", "weather", {"city": "Oslo"})], "finishReason": "tool-calls"}
    history = [GO]
    bound = tools.bind("vercel")
    for answer in (step, {"content": [{"type": "text", "text": "4"}], "finishReason": "stop"}):
        history += bound.run(answer)
    assert [message["role"] for message in history] == ["user", "assistant", "tool", "assistant"]
    there = tc.switch(history, "anthropic", system="Be brief.")
    back = tc.switch(there.payload, "vercel/ui", receipt=there.receipt())
    assert back.system == "Be brief."
    _, answered = back.payload
    assert [part["type"] for part in answered["parts"]] == [
        "step-start", "tool-weather", "step-start", "text"]  # fmt: skip
    assert (answered["parts"][1]["output"], answered["parts"][3]["text"]) == ("4 °C in Oslo", "4")
    shown_ = page(STEP, shown("input-available", name="tool-weather") | {"input": {"city": "Rome"}})
    (ran,) = tools.bind("vercel").run(shown_)
    assert ran["parts"][1]["output"] == "4 °C in Rome", "a page gets its result in place"


def test_a_name_with_a_slash_means_one_thing():
    owners = {name.partition("/")[0] for name in layouts()}
    for name in owners:
        assert {dialect.id for dialect in registry().formats[name].dialects} == {name}
    for odd in ("vercel/what", "vercel/strict"):
        with pytest.raises(UnknownDialect) as error:
            tc.switch([GO], odd)
        assert "vercel/ui" in error.value.known


def test_results_of_calls_that_share_an_id_stay_with_them():
    first, second = shown("output-available", output=1), shown("output-available", output=2)
    for parts in ([STEP, first, STEP, second], [first, second], [shown("input-available"), second]):
        history = [says(), page(*parts)]
        read = tc.read_conversation(history)
        assert tc.write_messages(read, "vercel").payload == history
    there = tc.switch([says(), page(STEP, first, STEP, second)], "openai").payload
    said = [(one["role"], one.get("content")) for one in there if one["role"] == "tool"]
    assert said == [("tool", "1"), ("tool", "2")]


def test_only_words_are_read_from_a_system_message():
    """A result in it would leave its call without one wherever system messages go apart."""
    history = [GO, asks(call()), {"role": "system", "content": [result(TEXT)]}]
    assert not tc.read_conversation(history, source="vercel").messages[2].results
    assert "R101" in {repair.code for repair in tc.switch(history, "bedrock").repairs}


@pytest.mark.parametrize(
    "more",
    [
        {},
        {"id": "m1"},
        {"id": "m1", "createdAt": "2026-01-01", "threadId": "t", "type": "tool-call"},
        {"providerOptions": {}},
    ],
)
def test_messages_that_a_program_stored_with_keys_of_its_own_are_recognised(more):
    history = [
        {**GO, **more},
        {**asks({"type": "text", "text": "ok"}, call()), **more},
        {**answers(result(TEXT)), **more},
    ]
    for given in (history, history[1:], history[1:2], {"id": "chat", "messages": history}):
        read = tc.read_conversation(given)
        assert read.format == "vercel"
        assert [one.name for message in read.messages for one in message.calls] == ["read"]
    assert tc.switch(history, "vercel").payload == history
    assert tc.switch(history, "anthropic").payload[2]["content"][0]["type"] == "tool_result"


@pytest.mark.parametrize(("state", "failed"), [("output-available", False), ("output-error", True)])
def test_a_tool_that_gave_nothing_is_a_call_with_an_empty_answer(state, failed):
    history = [says(), page(STEP, shown(state))]
    (answer,) = tc.read_conversation(history).messages[2].results
    assert (answer.content, bool(answer.is_error)) == ([], failed)
    for target in ("openai", "anthropic", "vercel/model"):
        there = tc.read_conversation(
            tc.switch(history, target).payload, source=target.partition("/")[0]
        )
        calls = [one for message in there.messages for one in message.calls]
        results = [one for message in there.messages for one in message.results]
        assert [(one.id, one.arguments) for one in calls] == [("c1", {"a": 1})]
        assert [(one.call_id, bool(one.is_error)) for one in results] == [("c1", failed)]
    assert tc.switch(history, "vercel/ui").payload == history


@pytest.mark.parametrize("given", [7, 1.5, True, None, "7"])
def test_calls_and_results_pair_by_any_scalar_id(given):
    other = {"given": {"b": 2}, "call_id": 8, "name": "write"}
    model = [GO, asks(call(given), call(**other)), answers(result(TEXT, given), result(TEXT, 8))]
    ui = [says(), page(STEP, shown("output-available", given, output="4 °C"))]
    for history in (model, ui):
        read = tc.read_conversation(history)
        assert tc.write_messages(read, "vercel").payload == history
        assert not tc.write_messages(read, "vercel").losses
        for target in ("openai", "anthropic", "vercel/model", "vercel/ui"):
            done = tc.switch(history, target)
            assert "R101" not in [repair.code for repair in done.repairs]
            there = tc.read_conversation(done.payload, source=target.partition("/")[0]).messages
            calls = [one for message in there for one in message.calls]
            results = [one for message in there for one in message.results]
            assert [one.call_id for one in results] == [one.id for one in calls]
            assert all(isinstance(one.id, str) for one in calls)
            assert calls[0].arguments == {"a": 1}


@pytest.mark.parametrize("state", ["call", "result"])
def test_an_invocation_without_an_id_comes_back(state):
    held = {"state": state, "toolName": "read", "args": {"a": 1}}
    history = [says(), page({"type": "tool-invocation", "toolInvocation": held})]
    assert tc.write_messages(tc.read_conversation(history), "vercel").payload == history


@pytest.mark.parametrize("state", ["input-available", "input-streaming"])
def test_a_call_at_the_end_of_a_page_stays_open_on_the_page(state):
    done = shown("output-available", "c0", name="dynamic-tool", toolName="read", output="x")
    history = [says(), page(STEP, done, shown(state))]
    for given in (history, {"messages": history}):
        kept = tc.switch(given, "vercel/ui")
        assert (kept.payload, kept.repairs) == (given, ())
    for other in ("vercel", "vercel/model", "openai"):  # which ask a model
        assert "R101" in [repair.code for repair in tc.switch(history, other).repairs]


@pytest.mark.parametrize(
    "history",
    [
        [says(), page(STEP, shown("input-available")), says("so?", "3")],
        [says(), page(STEP, shown("input-available")), GO],
        [says(), page(STEP, shown("input-available"), STEP, {"type": "text", "text": "so"})],
    ],
)
def test_a_call_that_the_conversation_went_past_is_answered(history):
    assert [repair.code for repair in tc.switch(history, "vercel/ui").repairs] == ["R101"]
