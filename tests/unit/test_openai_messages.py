"""Chat Completions: odd shapes come back, fields are the truth, streams are put together."""

import copy
import json
from functools import partial

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import toolcanon as tc
from tests.codec_laws import (
    a,
    answer_comes_back,
    are_written,
    is_refused_at,
    sort,
    tool,
    u,
    written,
)
from tests.tables import table
from toolcanon.errors import CutStream, NotAConversation
from toolcanon.formats.openai.messages import CODEC
from toolcanon.formats.wire.codec import WriteLog

write = partial(written, CODEC)

FUNCTION = {"name": "f", "arguments": '{"a": 1}'}
CALL = {"id": "c1", "type": "function", "function": FUNCTION}
ENVELOPE = '{"ok":false,"error":"no such file"}'
PNG = "data:image/png;base64,AAAA"


def called(call):
    return {"role": "assistant", "content": None, "tool_calls": [call]}


ODD = {
    "content as text": {"role": "user", "content": "hi"},
    "content empty": {"role": "user", "content": ""},
    "content as one part": {"role": "user", "content": [{"type": "text", "text": "hi"}]},
    "no parts": {"role": "system", "content": []},
    "content absent": {"role": "user"},
    "content null": {"role": "developer", "content": None},
    "content a number": {"role": "user", "content": 5},
    "an empty part": {"role": "user", "content": [{"type": "text", "text": ""}]},
    "null as a part": {"role": "user", "content": [None]},
    "a part without text": {"role": "user", "content": [{"type": "text"}]},
    "marks on a part": {"role": "user", "content": [{"type": "text", "text": "a", "cache": {}}]},
    "name": {"role": "user", "content": "a", "name": "ann"},
    "name of another type": {"role": "user", "content": "a", "name": 1},
    "a key that looks like our notes": {"role": "user", "content": "a", "$": {"content": "list"}},
    "image": {"role": "user", "content": [{"type": "image_url", "image_url": {"url": PNG}}]},
    "image with detail": {
        "role": "user",
        "content": [{"type": "image_url", "image_url": {"url": "https://x", "detail": "low"}}],
    },
    "image as text": {"role": "user", "content": [{"type": "image_url", "image_url": "https://x"}]},
    "image without a type in its uri": {
        "role": "user",
        "content": [{"type": "image_url", "image_url": {"url": "data:;base64,AA"}}],
    },
    "sound": {
        "role": "user",
        "content": [{"type": "input_audio", "input_audio": {"data": "AA", "format": "flac"}}],
    },
    "file": {
        "role": "user",
        "content": [{"type": "file", "file": {"file_data": "AAAA", "filename": "a.pdf"}}],
    },
    "file by id": {"role": "user", "content": [{"type": "file", "file": {"file_id": "file-1"}}]},
    "file with null": {"role": "user", "content": [{"type": "file", "file": {"file_id": None}}]},
    "assistant without anything": {"role": "assistant"},
    "assistant null": {"role": "assistant", "content": None},
    "assistant empty": {"role": "assistant", "content": ""},
    "calls null": {"role": "assistant", "content": "a", "tool_calls": None},
    "calls empty": {"role": "assistant", "content": "a", "tool_calls": []},
    "calls, content null": called(CALL),
    "calls, content empty": {**called(CALL), "content": ""},
    "calls, content absent": {"role": "assistant", "tool_calls": [CALL]},
    "call without type": called({"id": "c1", "function": FUNCTION}),
    "call without id": called({"type": "function", "function": FUNCTION}),
    "call with a number as id": called({**CALL, "id": 7}),
    "call with an index and a signature": called(
        {**CALL, "index": 0, "extra_content": {"google": {"thought_signature": "s"}}}
    ),
    "arguments as object": called({**CALL, "function": {"name": "f", "arguments": {"a": 1}}}),
    "arguments null": called({**CALL, "function": {"name": "f", "arguments": None}}),
    "arguments absent": called({**CALL, "function": {"name": "f"}}),
    "arguments empty": called({**CALL, "function": {"name": "f", "arguments": ""}}),
    "arguments cut": called({**CALL, "function": {"name": "f", "arguments": '{"a":'}}),
    "arguments infinite": called({**CALL, "function": {"name": "f", "arguments": '{"a": 1e999}'}}),
    "arguments with NaN": called({**CALL, "function": {"name": "f", "arguments": '{"a": NaN}'}}),
    "a call of an unknown type": called({**CALL, "type": "TOOL_CALL_TYPE_WEB"}),
    "a call without a name": called({**CALL, "function": {}}),
    "free text": called({"id": "c1", "type": "custom", "custom": {"name": "t", "input": "{ x"}}),
    "legacy call": {"role": "assistant", "content": None, "function_call": FUNCTION},
    "legacy call null": {"role": "assistant", "content": "a", "function_call": None},
    "legacy result": {"role": "function", "name": "f", "content": "1"},
    "legacy result null": {"role": "function", "name": "f", "content": None},
    "refusal": {"role": "assistant", "content": None, "refusal": "no"},
    "refusal null": {"role": "assistant", "content": "a", "refusal": None},
    "refusal in content": {"role": "assistant", "content": [{"type": "refusal", "refusal": "no"}]},
    "audio": {"role": "assistant", "content": None, "audio": {"id": "a1"}},
    "audio with data": {
        "role": "assistant",
        "content": None,
        "audio": {"id": "a1", "data": "AA", "transcript": "hi", "expires_at": 1},
    },
    "reasoning_content": {"role": "assistant", "content": "a", "reasoning_content": "hm"},
    "reasoning": {"role": "assistant", "content": "a", "reasoning": "hm", "reasoning_details": []},
    "result": {"role": "tool", "tool_call_id": "c1", "content": "1"},
    "result with a name": {"role": "tool", "tool_call_id": "c1", "name": "f", "content": "1"},
    "result as parts": {
        "role": "tool",
        "tool_call_id": "c1",
        "content": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}],
    },
    "result with an image": {
        "role": "tool",
        "tool_call_id": "c1",
        "content": [{"type": "image_url", "image_url": {"url": PNG}}],
    },
    "result without id": {"role": "tool", "content": "1"},
    "result empty": {"role": "tool", "tool_call_id": "c1", "content": ""},
    "failure": {"role": "tool", "tool_call_id": "c1", "content": ENVELOPE},
    "failure, spaced": {
        "role": "tool", "tool_call_id": "c1", "content": '{ "error": "x", "ok": false }'},
    "an envelope among texts": {
        "role": "tool", "tool_call_id": "c1",
        "content": [{"type": "text", "text": ENVELOPE}, {"type": "text", "text": "b"}]},
    "an envelope as a part": {
        "role": "tool", "tool_call_id": "c1", "content": [{"type": "text", "text": ENVELOPE}]},
    "an envelope with a mark": {
        "role": "tool", "tool_call_id": "c1",
        "content": [{"type": "text", "text": ENVELOPE, "cache": {}}]},
    "unknown role": {"role": "ROLE_USER", "content": [{"text": "a"}]},
    "no role": {"content": "a"},
    "role of another type": {"role": ["user"], "content": "a"},
}  # fmt: skip


@table("message", ODD.values(), ids=list(ODD))
def test_a_message_comes_back_as_it_was(message):
    for history in ([message], [message, message], [ODD["calls, content null"], message]):
        before = copy.deepcopy(history)
        written, losses = write(CODEC.read_messages(history, "m"))
        assert json.dumps(history) == json.dumps(before)
        assert sort(written) == sort(before)
        assert not losses


def one(message):
    return CODEC.read_messages([message], "m")[0]


def test_what_is_read():
    assert one(ODD["calls, content null"]) == a(tc.Call("f", {"a": 1}, "c1", '{"a": 1}'))
    assert one(ODD["failure"]).results[0].is_error is True
    assert one(ODD["failure"]).results[0].content == [tc.Text("no such file")]
    assert one(ODD["arguments cut"]).calls[0].problem == "not-json"
    assert one(ODD["arguments cut"]).calls[0].arguments is None
    assert one(ODD["arguments as object"]).calls[0].arguments == {"a": 1}
    assert one(ODD["free text"]).calls[0] == tc.Call("t", None, "c1", "{ x", is_text=True)
    thought = one(ODD["reasoning_content"]).parts[0]
    assert thought == tc.Reasoning("hm", provider="openai", model="m")
    assert one(ODD["legacy result"]).results[0].name == "f"
    assert one(ODD["legacy call"]).calls[0].id is None
    image = one(ODD["image"]).parts[0]
    assert (image.mime, image.data, image.url) == ("image/png", "AAAA", None)


@pytest.mark.parametrize(
    "text",
    [
        '{"ok": true, "error": "x"}', '{"ok": "false", "error": "x"}', '{"ok": false}',
        '{"ok": false, "error": null}', '{"ok": false, "error": "x", "details": 1}',
        '{"error": "x"}', "Error: x", '{"ok": 0, "error": "x"}', '[{"ok": false, "error": "x"}]',
    ],
)  # fmt: skip
def test_what_only_resembles_an_envelope_is_the_tools_own(text):
    result = one({"role": "tool", "tool_call_id": "c", "content": text}).results[0]
    assert result.is_error is None
    assert result.content == [tc.Text(text)]


def test_fields_are_the_truth():
    history = [ODD["calls, content empty"], ODD["failure, spaced"], ODD["result as parts"],
               ODD["marks on a part"], ODD["arguments cut"]]  # fmt: skip
    read = CODEC.read_messages(history)
    read[0].calls[0].arguments = {"a": 2}
    read[0].parts.insert(0, tc.Text("well"))
    read[1].results[0].content[0].text = "gone"
    read[2].results[0].is_error = True
    read[3].parts[0].text = "b"
    read[4].calls[0].name = "g"
    written, losses = write(read)
    assert written[0]["content"] == "well"
    assert written[0]["tool_calls"][0]["function"]["arguments"] == '{"a":2}'
    assert written[1]["content"] == '{"ok":false,"error":"gone"}'
    assert written[2]["content"] == '{"ok":false,"error":"a\\nb"}'
    assert written[3]["content"] == [{"type": "text", "text": "b", "cache": {}}]
    assert written[4]["tool_calls"][0]["function"] == {"name": "g", "arguments": '{"a":'}
    assert losses == ["L304", "L304"]
    read[4].calls[0].arguments = {"a": 3}
    assert write(read)[0][4]["tool_calls"][0]["function"]["arguments"] == '{"a":3}'
    read[1].results[0].is_error = False
    assert write(read)[0][1]["content"] == "gone"


IMAGE = tc.Media("image", "image/png", "AAAA")
FOREIGN = {"elsewhere": {"cache_control": 1}}
MOVED = {"role": "user", "content": [
    {"type": "text", "text": "image from tool call c1:"},
    {"type": "image_url", "image_url": {"url": PNG}},
]}  # fmt: skip
CROSS = {
    "turns spread over messages are one": (
        [a(tc.Text("a")), a(tc.Call("f", {}, "c1")),
         a(tc.Call("g", {}, "c2"))],
        [{"role": "assistant", "content": "a", "tool_calls": [
            {"id": "c1", "type": "function", "function": {"name": "f", "arguments": "{}"}},
            {"id": "c2", "type": "function", "function": {"name": "g", "arguments": "{}"}}]}],
        [],
    ),
    "results first, one each, media behind all of them": (
        [u(tc.Result("c1", [tc.Text("a"), IMAGE]), tc.Result("c2", [tc.Text("b")]), tc.Text("x"))],
        [{"role": "tool", "tool_call_id": "c1", "content": [
            {"type": "text", "text": "a"},
            {"type": "text", "text": "[image: in the next user message]"}]},
         {"role": "tool", "tool_call_id": "c2", "content": "b"},
         MOVED,
         {"role": "user", "content": "x"}],
        ["L303"],
    ),
    "media behind results in several messages": (
        [tool(tc.Result("c1", [IMAGE])), tool(tc.Result("c2", [tc.Text("b")]))],
        [{"role": "tool", "tool_call_id": "c1", "content": "[image: in the next user message]"},
         {"role": "tool", "tool_call_id": "c2", "content": "b"}, MOVED],
        ["L303"],
    ),
    "text before a result": (
        [u(tc.Text("x"), tc.Result("c1", [tc.Text("a")]))],
        [{"role": "tool", "tool_call_id": "c1", "content": "a"}, {"role": "user", "content": "x"}],
        ["L309"],
    ),
    "an error is told in text": (
        [tool(tc.Result("c1", [tc.Text("no such file")], is_error=True))],
        [{"role": "tool", "tool_call_id": "c1", "content": ENVELOPE}],
        ["L304"],
    ),
    "a value is told as text, a name by the id": (
        [tool(tc.Result("c1", [tc.Data({"a": 1})], name="f"))],
        [{"role": "tool", "tool_call_id": "c1", "content": '{"a":1}'}],
        ["L305", "L325"],
    ),
    "thoughts, blocks and keys of others stay behind": (
        [tc.Message("assistant", [tc.Reasoning("hm", "s", provider="elsewhere"),
                                  tc.Native("elsewhere", "web_search", {}),
                                  tc.Text("a", FOREIGN)], None, FOREIGN)],
        [{"role": "assistant", "content": "a"}],
        ["L301", "L307", "L308", "L308"],
    ),
    "a turn of nothing but foreign thoughts is no message": (
        [a(tc.Reasoning("hm", provider="elsewhere"))], [], ["L301"],
    ),
    "calls and results without ids are paired by place and name": (
        [a(tc.Call("f", {}), tc.Call("g", {})),
         tool(tc.Result(None, [tc.Text("2")], "g"), tc.Result(None, [tc.Text("1")], "f"))],
        [{"role": "assistant", "content": None, "tool_calls": [
            {"id": "call_0_0", "type": "function", "function": {"name": "f", "arguments": "{}"}},
            {"id": "call_0_1", "type": "function", "function": {"name": "g", "arguments": "{}"}}]},
         {"role": "tool", "tool_call_id": "call_0_1", "content": "2"},
         {"role": "tool", "tool_call_id": "call_0_0", "content": "1"}],
        ["L322", "L322", "L325", "L325"],
    ),
    "text behind a call": (
        [a(tc.Call("f", {}, "c1"), tc.Text("a"))],
        [{"role": "assistant", "content": "a", "tool_calls": [
            {"id": "c1", "type": "function", "function": {"name": "f", "arguments": "{}"}}]}],
        ["L309"],
    ),
    "a namespace becomes part of the name": (
        [a(tc.Call("click", {}, "c1", namespace="browser"))],
        [{"role": "assistant", "content": None, "tool_calls": [
            {"id": "c1", "type": "function",
             "function": {"name": "browser_click", "arguments": "{}"}}]}],
        ["L315"],
    ),
    "a refusal has a field": (
        [a(tc.Refusal("no"))],
        [{"role": "assistant", "content": None, "refusal": "no"}],
        [],
    ),
    "what a user may not show is described": (
        [u(tc.Media("video", "video/mp4", "AA"), tc.Media("file", file_id="f1"))],
        [{"role": "user", "content": [{"type": "text", "text": "[video video/mp4]"},
                                      {"type": "text", "text": "[file: f1]"}]}],
        ["L302", "L302"],
    ),
    "an assistant shows nothing": (
        [a(IMAGE)],
        [{"role": "assistant", "content": "[image image/png]"}],
        ["L302"],
    ),
}  # fmt: skip


@table("messages, expected, losses", CROSS.values(), ids=list(CROSS))
def test_what_others_wrote_is_written_and_reported(messages, expected, losses):
    are_written(CODEC, messages, expected, losses)


def test_an_error_comes_back_as_one():
    written, _ = write([tool(tc.Result("c1", [tc.Text("boom")], is_error=True))])
    result = CODEC.read_messages(written)[0].results[0]
    assert (result.is_error, result.content) == (True, [tc.Text("boom")])


CHOICES = {
    '"auto"': tc.ToolChoice("auto"),
    '"none"': tc.ToolChoice("none"),
    '"required"': tc.ToolChoice("required"),
    '"any"': tc.ToolChoice("required"),
    '{"type":"function","function":{"name":"f"}}': tc.ToolChoice("tool", ["f"]),
    '{"type":"custom","custom":{"name":"f"}}': tc.ToolChoice("tool", ["f"]),
    '{"type":"allowed_tools","allowed_tools":{"mode":"required","tools":'
    '[{"type":"function","function":{"name":"f"}},{"type":"custom","custom":{"name":"g"}}]}}':
    tc.ToolChoice("subset", ["f", "g"], True),
}  # fmt: skip


@pytest.mark.parametrize("text, expected", CHOICES.items())
def test_choices(text, expected):
    body = {"messages": [], "tool_choice": json.loads(text), "parallel_tool_calls": False}
    conversation = CODEC.read_request(body)
    choice = conversation.tool_choice
    assert (choice.mode, choice.names, choice.is_required) == (
        expected.mode, expected.names, expected.is_required)  # fmt: skip
    assert CODEC.write_request(conversation, WriteLog()) == body
    choice.mode, choice.names = "tool", ["other"]
    written = CODEC.write_request(conversation, WriteLog())["tool_choice"]
    assert written == {"type": "function", "function": {"name": "other"}}


@table(
    "left",
    [
        {"tool_choice": None}, {"tool_choice": {"type": "mcp"}}, {"tool_choice": 5},
        {"tools": None}, {"tools": {}}, {"parallel_tool_calls": None}, {"model": None},
        {"functions": [{"name": "f"}], "function_call": "auto"},
        {"functions": [{"name": "f"}], "function_call": {"name": "f"}},
        {"tools": [], "functions": [], "tool_choice": "auto", "function_call": "none"},
        {"model": "m", "temperature": 0.5, "stream": True, "$": 1},
    ],
)  # fmt: skip
def test_requests_keep_what_is_not_about_tools(left):
    body = {"messages": [{"role": "user", "content": "a"}], **left}
    assert CODEC.write_request(CODEC.read_request(body), WriteLog()) == body


def test_requests_of_others():
    conversation = tc.Conversation(
        [u(tc.Text("a"))],
        tc.Message("system", [tc.Text("be brief")]),
        None,
        tc.ToolChoice("auto"),
        False,
        "m",
        "elsewhere",
        {"elsewhere": {"max_tokens": 1}},
    )
    told = WriteLog()
    body = CODEC.write_request(conversation, told)
    assert body == {
        "model": "m",
        "messages": [
            {"role": "system", "content": "be brief"},
            {"role": "user", "content": "a"},
        ],
    }
    assert [loss.code for loss in told.losses] == ["L316", "L317", "L318"]
    conversation.tools = [{"type": "function", "function": {"name": "f"}}]
    body = CODEC.write_request(conversation, WriteLog())
    assert (body["tool_choice"], body["parallel_tool_calls"]) == ("auto", False)


@pytest.mark.parametrize(
    "read, value, at",
    [
        (CODEC.read_request, {}, "/messages"),
        (CODEC.read_request, {"messages": {}}, "/messages"),
        (CODEC.read_request, {"messages": [{}, 1]}, "/messages/1"),
        (CODEC.read_request, [], ""),
        (CODEC.read_messages, [None], "/0"),
        (CODEC.read_answer, {}, "/choices"),
        (CODEC.read_answer, {"choices": [1]}, "/choices/0"),
        (CODEC.read_answer, [], ""),
    ],
)
def test_what_is_no_conversation_is_refused_with_its_place(read, value, at):
    is_refused_at(read, value, at)


def answer(**choice):
    whole = {"index": 0, "message": {"role": "assistant", "content": "a"}, "finish_reason": "stop"}
    return {
        "id": "x", "object": "chat.completion", "created": 1, "model": "m",
        "choices": [{**whole, **choice}],
    }  # fmt: skip


@table(
    "body, reason",
    [
        (answer(), "end"),
        (answer(finish_reason="length"), "length"),
        (answer(finish_reason="content_filter"), "filter"),
        (answer(finish_reason="eos"), "unknown"),
        (answer(finish_reason="stop", message=called(CALL)), "tool_call"),
        (answer(finish_reason="tool_calls", message=called(CALL)), "tool_call"),
        (answer(finish_reason=None), None),
        (answer(index=3, logprobs=None), "end"),
        (answer(message=None), "end"),
        (answer(message={}), "end"),
        ({**answer(), "usage": None}, "end"),
        ({**answer(), "object": "other", "created": "now", "id": None}, "end"),
        ({"choices": answer()["choices"]}, "end"),
        ({"choices": []}, None),
        ({"error": {"message": "no"}}, None),
    ],
)
def test_responses(body, reason):
    stop = answer_comes_back(CODEC, body).stop
    assert (stop.reason if stop else None) == reason


def test_several_choices_are_several_candidates():
    body = answer()
    body["choices"].append({**answer()["choices"][0], "index": 1, "message": called(CALL)})
    found = CODEC.read_answer(body)
    assert [len(c.messages[0].calls) for c in found.candidates] == [0, 1]
    found.candidates[0].stop = tc.Stop("length")
    assert CODEC.write_answer(found, WriteLog())["choices"][0]["finish_reason"] == "length"


def test_an_answer_of_another_provider():
    turn = [
        a(tc.Text("a")),
        a(tc.Call("f", {}, "c1")),
    ]
    told = WriteLog()
    body = CODEC.write_answer(
        tc.Answer(
            [tc.Candidate(turn, tc.Stop("pause", "pause_turn"))], "m", "x", {"in": 1}, "elsewhere"
        ),
        told,
    )
    assert body["choices"][0]["message"]["content"] == "a"
    assert len(body["choices"][0]["message"]["tool_calls"]) == 1
    assert [loss.code for loss in told.losses] == ["L321", "L308"]


# Streams.


def chunk(finish=None, **delta):
    return {"id": "x", "object": "chat.completion.chunk", "created": 1, "model": "m",
            "choices": [{"index": 0, "delta": delta, "finish_reason": finish}]}  # fmt: skip


def piece(arguments=None, name=None, **more):
    inner = {} if arguments is None else {"arguments": arguments}
    return {**more, "function": {**({} if name is None else {"name": name}), **inner}}


F, G = ("f", "c1", {"a": 1}), ("g", "c2", {"b": 2})
STREAMS = {
    "as documented": (
        [[piece("", "f", index=0, id="c1", type="function")], [piece('{"a"', index=0)],
         [piece(": 1}", index=0)]], [F]),
    "interleaved": (
        [[piece("", "f", index=0, id="c1"), piece("", "g", index=1, id="c2")],
         [piece('{"b":', index=1)], [piece('{"a":', index=0)], [piece("2}", index=1)],
         [piece("1}", index=0)]], [F, G]),
    "second call first": (
        [[piece('{"b":2}', "g", index=1, id="c2")], [piece('{"a":1}', "f", index=0, id="c1")]],
        [F, G]),
    "id in every chunk": (
        [[piece("", "f", index=0, id="c1")], [piece('{"a":', index=0, id="c1")],
         [piece("1}", index=0, id="c1")]], [F]),
    "id and name in every chunk": (
        [[piece("", "f", index=0, id="c1")], [piece('{"a":', "f", index=0, id="c1")],
         [piece("1}", "f", index=0, id="c1")]], [F]),
    "id empty later on": (
        [[piece("", "f", index=0, id="c1")], [piece('{"a":1}', "", index=0, id="")]], [F]),
    "index always 0": (
        [[piece('{"a":1}', "f", index=0, id="c1")], [piece('{"b":2}', "g", index=0, id="c2")]],
        [F, G]),
    "index always 0, in pieces": (
        [[piece('{"a"', "f", index=0, id="c1")], [piece(":1}", index=0)],
         [piece('{"b"', "g", index=0, id="c2")], [piece(":2}", index=0)]], [F, G]),
    "no index": (
        [[piece('{"a":', "f", id="c1")], [piece("1}")], [piece('{"b":', "g", id="c2")],
         [piece("2}")]], [F, G]),
    "no index, whole at once": (
        [[piece('{"a":1}', "f", id="c1"), piece('{"b":2}', "g", id="c2")]], [F, G]),
    "neither index nor id": (
        [[piece('{"a":1}', "f")], [piece('{"b":2}', "g")]], [("f", None, F[2]), ("g", None, G[2])]),
    "name in pieces": (
        [[piece(None, "get_", index=0, id="c1")], [piece(None, "weather", index=0)],
         [piece("{}", index=0)]], [("get_weather", "c1", {})]),
    "arguments as object": ([[piece({"a": 1}, "f", index=0, id="c1")]], [F]),
    "no arguments at all": ([[piece(None, "f", index=0, id="c1")]], [("f", "c1", None)]),
}  # fmt: skip


@table("end", ["tool_calls", "stop"])
@table("deltas, expected", STREAMS.values(), ids=list(STREAMS))
def test_streamed_calls(deltas, expected, end):
    accumulator = CODEC.accumulate()
    accumulator.feed(chunk(role="assistant", content=None))
    for delta in deltas:
        accumulator.feed(chunk(tool_calls=delta))
        with pytest.raises(CutStream):
            accumulator.finish()
    accumulator.feed(chunk(end))
    accumulator.feed({"id": "x", "choices": [], "usage": {"total_tokens": 3}})
    found = accumulator.finish()
    assert [(call.name, call.id, call.arguments) for call in found.calls] == expected
    assert found.stop.reason == "tool_call"
    assert found.usage == {"total_tokens": 3}
    assert CODEC.write_answer(found, WriteLog())["object"] == "chat.completion"


def test_streamed_words():
    accumulator = CODEC.accumulate()
    for delta in (
        {"role": "assistant", "content": "", "reasoning_content": "h"},
        {"reasoning_content": "m", "channel": "analysis"},
        {"content": "wo", "channel": "analysis"}, {"content": "rd"}, {"refusal": "n"},
        {"refusal": "o"}, {"content": None}, {"audio": {"id": "a", "data": "AA"}},
        {"audio": {"data": "BB"}},
    ):  # fmt: skip
        accumulator.feed(chunk(**delta))
    accumulator.feed(chunk("stop"))
    parts = accumulator.finish().messages[0].parts
    thought, text, refusal, sound = parts
    assert (thought.text, thought.model, text.text, refusal.text) == ("hm", "m", "word", "no")
    assert (sound.data, sound.file_id) == ("AABB", "a")


def test_streamed_legacy_call():
    accumulator = CODEC.accumulate()
    for delta in ({"name": "f", "arguments": ""}, {"arguments": '{"a"'}, {"arguments": ": 1}"}):
        accumulator.feed(chunk(function_call=delta))
    accumulator.feed(chunk("function_call"))
    found = accumulator.finish()
    body = CODEC.write_answer(found, WriteLog())
    assert body["choices"][0]["message"]["function_call"] == FUNCTION


def test_streamed_choices_are_kept_apart():
    accumulator = CODEC.accumulate()
    for index in (1, 0, 1, 0):
        event = chunk(content=f"{index}")
        event["choices"][0]["index"] = index
        accumulator.feed(event)
    accumulator.feed(chunk("stop"))
    with pytest.raises(CutStream):
        accumulator.finish()
    event = chunk("length")
    event["choices"][0]["index"] = 1
    accumulator.feed(event)
    found = accumulator.finish()
    assert [c.messages[0].text for c in found.candidates] == ["00", "11"]


def test_a_cut_stream_has_what_arrived_and_makes_nothing_up():
    accumulator = CODEC.accumulate()
    with pytest.raises(CutStream):
        accumulator.finish()
    accumulator.feed(chunk(tool_calls=[piece('{"a":', "f", index=0, id="c1")]))
    with pytest.raises(CutStream) as cut:
        accumulator.finish()
    call = cut.value.partial.calls[0]
    assert (call.text, call.arguments, call.problem) == ('{"a":', None, "not-json")


def test_a_failure_in_the_stream():
    accumulator = CODEC.accumulate()
    accumulator.feed(chunk(content="a"))
    accumulator.feed({"error": {"message": "overloaded"}})
    found = accumulator.finish()
    assert found.extras["openai"]["error"] == {"message": "overloaded"}
    accumulator.feed(chunk(tool_calls=[piece('{"a":', "f", index=0, id="c1")]))
    with pytest.raises(CutStream, match="overloaded"):
        accumulator.finish()


@pytest.mark.parametrize("event", [None, 1, "[DONE]", []])
def test_an_event_is_an_object(event):
    with pytest.raises(NotAConversation):
        CODEC.accumulate().feed(event)


junk = st.recursive(
    st.sampled_from([None, True, 0, 1.5, "", "x", "text", "assistant", "tool", "function", "c1",
                     PNG, ENVELOPE]),
    lambda inner: st.lists(inner, max_size=2)
    | st.dictionaries(
        st.sampled_from(["type", "text", "id", "name", "arguments", "function", "url", "$", "role",
                         "content", "index"]), inner, max_size=4),
    max_leaves=6,
)  # fmt: skip
KEYS = """role content tool_calls function_call refusal audio name reasoning_content reasoning
tool_call_id $ extra""".split()
hostile = st.dictionaries(st.sampled_from(KEYS), junk, max_size=6) | st.builds(
    lambda role, more: {**more, "role": role},
    st.sampled_from(["user", "assistant", "tool", "function", "system"]),
    st.dictionaries(st.sampled_from(KEYS), junk, max_size=6),
)


@settings(max_examples=300)
@given(st.lists(hostile, max_size=3))
def test_whatever_objects_are_messages_come_back(messages):
    before = sort(messages)
    read = CODEC.read_messages(messages, "m")
    assert sort(write(read)[0]) == before == sort(messages)
    for message in messages:
        assert 0.0 <= CODEC.sniff(message) <= 1.0


hostile_choices = st.dictionaries(
    st.sampled_from(["index", "delta", "finish_reason"]), junk | hostile, max_size=3
)
hostile_chunks = st.dictionaries(
    st.sampled_from(["id", "choices", "error", "model", "usage"]),
    junk | st.lists(hostile_choices, max_size=2),
    max_size=3,
)


@settings(max_examples=300)
@given(st.lists(hostile_chunks, max_size=5))
def test_no_event_breaks_the_accumulator(events):
    accumulator = CODEC.accumulate()
    for event in events:
        accumulator.feed(event)
    try:
        found = accumulator.finish()
    except CutStream as cut:
        found = cut.partial
    assert CODEC.write_answer(found, WriteLog())["object"] == "chat.completion"


@pytest.mark.parametrize(
    "message, least",
    [
        (ODD["calls, content null"], 1.0), (ODD["result"], 1.0), (ODD["legacy result"], 0.8),
        (ODD["image"], 1.0), (ODD["content as text"], 0.5),
    ],
)  # fmt: skip
def test_sniffing(message, least):
    assert CODEC.sniff(message) >= least


def test_sniffing_others():
    assert CODEC.sniff({"type": "function_call", "name": "f"}) == 0.0
    assert CODEC.sniff({"role": "user", "content": [{"type": "tool_result"}]}) < 0.2
    assert CODEC.sniff({"role": "model", "parts": []}) == 0.0
