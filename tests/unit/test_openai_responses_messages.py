"""The Responses API: odd items come back, fields are the truth, streams are put together."""

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
    request_comes_back,
    sort,
    tool,
    u,
    written,
)
from tests.tables import table
from toolcanon.errors import CutStream, NotAConversation
from toolcanon.formats.openai_responses.messages import CODEC
from toolcanon.formats.wire.codec import WriteLog

write = partial(written, CODEC)

PNG = "data:image/png;base64,AAAA"
ENVELOPE = '{"ok":false,"error":"no such file"}'
CALL = {"type": "function_call", "call_id": "c1", "name": "f", "arguments": '{"a": 1}'}
TEXT_CALL = {"type": "custom_tool_call", "call_id": "c1", "name": "t", "input": "{ x"}
OUTPUT = {"type": "function_call_output", "call_id": "c1", "output": "1"}
SAID = {
    "type": "message", "id": "msg_1", "status": "completed", "role": "assistant",
    "content": [{"type": "output_text", "text": "a", "annotations": [], "logprobs": []}],
}  # fmt: skip


def shown(*parts):
    return {"role": "user", "content": list(parts)}


ODD = {
    "plain": {"role": "user", "content": "hi"},
    "typed": {"type": "message", "role": "user", "content": "hi"},
    "type null": {"type": None, "role": "user", "content": "hi"},
    "content empty": {"role": "user", "content": ""},
    "content absent": {"role": "user"},
    "content null": {"role": "system", "content": None},
    "content an object": {"role": "developer", "content": {}},
    "no parts": shown(),
    "one part": shown({"type": "input_text", "text": "a"}),
    "marks on a part": shown({"type": "input_text", "text": "a", "prompt_cache_breakpoint": {}}),
    "a part without type": shown({"text": "a"}),
    "null as a part": shown(None),
    "image": shown({"type": "input_image", "image_url": PNG, "detail": "auto"}),
    "image without detail": shown({"type": "input_image", "image_url": "https://x"}),
    "image by id": shown({"type": "input_image", "file_id": "file-1", "image_url": None}),
    "image of nothing": shown({"type": "input_image"}),
    "file": shown({"type": "input_file", "file_data": PNG, "filename": "a.png"}),
    "bare file": shown({"type": "input_file", "file_data": "AAAA"}),
    "file by url": shown({"type": "input_file", "file_url": "https://x/a.pdf"}),
    "file by id": shown({"type": "input_file", "file_id": "file-1"}),
    "file of nothing": shown({"type": "input_file"}),
    "sound": shown({"type": "input_audio", "input_audio": {"data": "AA", "format": "mp3"}}),
    "output": SAID,
    "output with a phase": {**SAID, "phase": "commentary"},
    "output without id": {k: v for k, v in SAID.items() if k != "id"},
    "output with citations": {
        **SAID,
        "content": [{"type": "output_text", "text": "a", "annotations": [{"type": "url"}]}],
    },
    "refusal": {**SAID, "content": [{"type": "refusal", "refusal": "no"}]},
    "plain assistant": {"role": "assistant", "content": "a"},
    "assistant with input": {"role": "assistant", "content": [{"type": "input_text", "text": "a"}]},
    "call": CALL,
    "call with item id": {**CALL, "id": "fc_1", "status": "completed"},
    "call in a namespace": {**CALL, "namespace": "ns", "caller": {"type": "direct"}},
    "call without call_id": {k: v for k, v in CALL.items() if k != "call_id"},
    "call_id a number": {**CALL, "call_id": 1},
    "arguments absent": {k: v for k, v in CALL.items() if k != "arguments"},
    "arguments an object": {**CALL, "arguments": {"a": 1}},
    "arguments null": {**CALL, "arguments": None},
    "arguments cut": {**CALL, "arguments": '{"a":'},
    "call without name": {k: v for k, v in CALL.items() if k != "name"},
    "free text": TEXT_CALL,
    "free text without input": {k: v for k, v in TEXT_CALL.items() if k != "input"},
    "free text null": {**TEXT_CALL, "input": None},
    "result": OUTPUT,
    "result empty": {**OUTPUT, "output": ""},
    "result absent": {"type": "function_call_output", "call_id": "c1"},
    "result an object": {**OUTPUT, "output": {"a": 1}},
    "result with a name": {**OUTPUT, "name": "f", "status": "completed", "id": "fco_1"},
    "result without call_id": {"type": "function_call_output", "output": "1"},
    "result as one part": {**OUTPUT, "output": [{"type": "input_text", "text": "a"}]},
    "result with an image": {
        **OUTPUT,
        "output": [{"type": "input_image", "image_url": PNG, "detail": "low"}],
    },
    "refusal in a result": {**OUTPUT, "output": [{"type": "refusal", "refusal": "no"}]},
    "free text result": {"type": "custom_tool_call_output", "call_id": "c1", "output": "1"},
    "failure": {**OUTPUT, "output": ENVELOPE},
    "failure, spaced": {**OUTPUT, "output": '{ "error": "x", "ok": false }'},
    "failure with an image": {
        **OUTPUT,
        "output": [
            {"type": "input_text", "text": ENVELOPE},
            {"type": "input_image", "image_url": PNG, "detail": "low"},
        ],
    },
    "sealed": {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "s"},
    "summary": {
        "type": "reasoning",
        "id": "rs_1",
        "summary": [{"type": "summary_text", "text": "a"}, {"type": "summary_text", "text": "b"}],
        "encrypted_content": None,
    },
    "thoughts in full": {
        "type": "reasoning",
        "id": "rs_1",
        "summary": [],
        "content": [{"type": "reasoning_text", "text": "a"}],
        "status": "completed",
    },
    "no summary": {"type": "reasoning", "id": "rs_1"},
    "no id": {"type": "reasoning", "summary": [], "encrypted_content": "s"},
    "built-in": {"type": "web_search_call", "id": "ws_1", "status": "completed", "action": {}},
    "built-in output": {"type": "shell_call_output", "call_id": "c1", "output": []},
    "approval": {"type": "mcp_approval_response", "approval_request_id": "x", "approve": True},
    "reference": {"type": "item_reference", "id": "msg_1"},
    "reference without type": {"id": "msg_1"},
    "an envelope among texts": {
        **OUTPUT,
        "output": [{"type": "input_text", "text": ENVELOPE}, {"type": "input_text", "text": "b"}],
    },
    "an envelope as a part": {**OUTPUT, "output": [{"type": "input_text", "text": ENVELOPE}]},
    "an envelope with a mark": {
        **OUTPUT,
        "output": [{"type": "input_text", "text": ENVELOPE, "prompt_cache_breakpoint": {}}],
    },
    "unknown role": {"role": "tool", "tool_call_id": "c1", "content": "1"},
    "a type of another type": {"type": 5, "role": "user"},
    "a key that looks like our notes": {**CALL, "$": {"value": True}},
}


def one(item):
    (message,) = CODEC.read_messages([item], "m")
    (part,) = message.parts
    return part


@table("item", ODD.values(), ids=list(ODD))
def test_an_item_comes_back_as_it_was(item):
    for items in ([item], [item, item]):
        before = copy.deepcopy(items)
        read = CODEC.read_messages(items, "m")
        assert len(read) == len(items)
        written, losses = write(read)
        assert sort(written) == sort(before) == sort(items)
        assert not losses


def test_what_is_read():
    assert one(ODD["call with item id"]) == tc.Call(
        "f", {"a": 1}, "c1", '{"a": 1}',
        extras={"openai-responses": {"id": "fc_1", "status": "completed"}})  # fmt: skip
    assert one(ODD["call in a namespace"]).namespace == "ns"
    assert one(TEXT_CALL) == tc.Call("t", None, "c1", "{ x", is_text=True)
    assert one(ODD["free text result"]) == tc.Result("c1", [tc.Text("1")], is_text=True)
    assert one(ODD["failure"]).is_error is True
    assert one(ODD["failure"]).content == [tc.Text("no such file")]
    assert one(ODD["arguments cut"]).problem == "not-json"
    assert one(ODD["arguments absent"]).arguments is None
    assert one(ODD["sealed"]) == tc.Reasoning(None, "s", True, "rs_1", "openai-responses", "m")
    assert one(ODD["summary"]).text == "a\n\nb"
    assert one(ODD["thoughts in full"]).text == "a"
    built_in = one(ODD["built-in"])
    assert (built_in.type, built_in.id) == ("item.web_search_call", "ws_1")
    image = one(ODD["image"])
    assert (image.mime, image.data) == ("image/png", "AAAA")
    assert one(ODD["file by url"]).kind == "document"


def test_fields_are_the_truth():
    items = [ODD["call with item id"], ODD["failure, spaced"], ODD["output"], ODD["summary"],
             ODD["result as one part"], ODD["free text"]]  # fmt: skip
    read = CODEC.read_messages(items)
    read[0].calls[0].arguments = {"a": 2}
    read[1].results[0].content[0].text = "gone"
    read[2].parts[0].text = "b"
    read[3].parts[0].text = "c"
    read[4].results[0].is_error = True
    read[5].calls[0].text = "y"
    written, losses = write(read)
    assert written[0] == {**items[0], "arguments": '{"a":2}'}
    assert written[1]["output"] == '{"ok":false,"error":"gone"}'
    assert written[2]["content"][0] == {**SAID["content"][0], "text": "b"}
    assert written[3]["summary"] == [{"type": "summary_text", "text": "c"}]
    assert written[4]["output"] == [{"type": "input_text", "text": '{"ok":false,"error":"a"}'}]
    assert written[5]["input"] == "y"
    assert losses == ["L304", "L304"]


IMAGE = tc.Media("image", "image/png", "AAAA")
FOREIGN = {"elsewhere": {"cache_control": 1}}
CROSS = {
    "parts become items in their order": (
        [a(tc.Text("a"), tc.Call("f", {}, "c1"), tc.Text("b"), tc.Text("c"))],
        [{"role": "assistant", "content": "a"},
         {"type": "function_call", "call_id": "c1", "name": "f", "arguments": "{}"},
         {"role": "assistant", "content": "b"}, {"role": "assistant", "content": "c"}],
        [],
    ),
    "results and words of one message": (
        [u(tc.Result("c1", [tc.Text("a"), IMAGE]), tc.Result("c2", []), tc.Text("x"), IMAGE)],
        [{"type": "function_call_output", "call_id": "c1", "output": [
            {"type": "input_text", "text": "a"},
            {"type": "input_image", "image_url": PNG, "detail": "auto"}]},
         {"type": "function_call_output", "call_id": "c2", "output": ""},
         {"role": "user", "content": [
            {"type": "input_text", "text": "x"},
            {"type": "input_image", "image_url": PNG, "detail": "auto"}]}],
        [],
    ),
    "an error is told in text": (
        [tool(tc.Result("c1", [tc.Text("no such file")], is_error=True))],
        [{"type": "function_call_output", "call_id": "c1", "output": ENVELOPE}],
        ["L304"],
    ),
    "the answer to a free-text call is one": (
        [a(tc.Call("t", None, "c1", "x", is_text=True)),
         tool(tc.Result("c1", [tc.Text("1")]))],
        [{"type": "custom_tool_call", "call_id": "c1", "name": "t", "input": "x"},
         {"type": "custom_tool_call_output", "call_id": "c1", "output": "1"}],
        [],
    ),
    "ids are invented": (
        [a(tc.Call("f", {})), tool(tc.Result(None, [tc.Text("1")]))],
        [{"type": "function_call", "call_id": "call_0_0", "name": "f", "arguments": "{}"},
         {"type": "function_call_output", "call_id": "call_0_0", "output": "1"}],
        ["L322"],
    ),
    "thoughts, blocks, keys and names of others stay behind": (
        [tc.Message("assistant", [tc.Reasoning("hm", "s", provider="elsewhere"),
                                  tc.Native("elsewhere", "web_search", {}),
                                  tc.Text("a", FOREIGN)], "ann")],
        [{"role": "assistant", "content": "a"}],
        ["L301", "L307", "L308", "L314"],
    ),
    "values, refusals, sounds": (
        [tool(tc.Result("c1", [tc.Data([1])], "f")), a(tc.Refusal("no")),
         u(tc.Media("audio", "audio/wav", "AA"))],
        [{"type": "function_call_output", "call_id": "c1", "output": "[1]"},
         {"role": "assistant", "content": "no"},
         {"role": "user", "content": "[audio audio/wav]"}],
        ["L305", "L325", "L319", "L302"],
    ),
    "documents": (
        [u(tc.Media("document", "application/pdf", "AA"),
           tc.Media("document", url="https://x/a.pdf"), tc.Media("file", file_id="f1"))],
        [{"role": "user", "content": [
            {"type": "input_file", "file_data": "data:application/pdf;base64,AA",
             "filename": "file.pdf"},
            {"type": "input_file", "file_url": "https://x/a.pdf"},
            {"type": "input_text", "text": "[file: f1]"}]}],
        ["L302"],
    ),
}  # fmt: skip


@pytest.mark.parametrize("messages, expected, losses", CROSS.values(), ids=list(CROSS))
def test_what_others_wrote_is_written_and_reported(messages, expected, losses):
    are_written(CODEC, messages, expected, losses)


CHOICES = {
    '"auto"': tc.ToolChoice("auto"),
    '"none"': tc.ToolChoice("none"),
    '"required"': tc.ToolChoice("required"),
    '{"type":"function","name":"f"}': tc.ToolChoice("tool", ["f"]),
    '{"type":"custom","name":"f"}': tc.ToolChoice("tool", ["f"]),
    '{"type":"allowed_tools","mode":"auto","tools":[{"type":"function","name":"f"},'
    '{"type":"custom","name":"g"}]}': tc.ToolChoice("subset", ["f", "g"]),
}  # fmt: skip


@pytest.mark.parametrize("text, expected", CHOICES.items())
def test_choices(text, expected):
    body = {"input": "a", "tool_choice": json.loads(text), "parallel_tool_calls": True}
    conversation = CODEC.read_request(body)
    choice = conversation.tool_choice
    assert (choice.mode, choice.names) == (expected.mode, expected.names)
    assert CODEC.write_request(conversation, WriteLog()) == body
    choice.mode, choice.names = "tool", ["other"]
    written = CODEC.write_request(conversation, WriteLog())["tool_choice"]
    assert written == {"type": "function", "name": "other"}


@table(
    "body",
    [
        {"input": "a"}, {"input": ""}, {"input": []}, {"input": [ODD["plain"]]},
        {"previous_response_id": "r"}, {"prompt": {}, "input": None},
        {"input": "a", "instructions": "be brief"}, {"input": "a", "instructions": ""},
        {"input": "a", "instructions": None}, {"input": "a", "instructions": [ODD["plain"]]},
        {"input": "a", "tool_choice": {"type": "file_search"}}, {"input": "a", "tools": None},
        {"input": "a", "tool_choice": {"type": "allowed_tools", "mode": "auto", "tools": [{}]}},
        {"input": "a", "tools": [{"type": "web_search"}], "model": "m", "store": False, "$": 1},
    ],
)  # fmt: skip
def test_requests_come_back(body):
    request_comes_back(CODEC, body)


def test_the_input_as_text_stays_one_only_as_long_as_it_is():
    conversation = CODEC.read_request({"input": "a"})
    conversation.messages[0].parts[0].text = "b"
    assert CODEC.write_request(conversation, WriteLog()) == {"input": "b"}
    conversation.messages.append(a(tc.Text("c")))
    assert len(CODEC.write_request(conversation, WriteLog())["input"]) == 2


def test_requests_of_others():
    system = tc.Message("system", [tc.Text("be"), tc.Text("brief", FOREIGN)])
    conversation = tc.Conversation(
        [u(tc.Text("a"))], system, None, tc.ToolChoice("auto"), False, "m", "elsewhere",
        {"elsewhere": {"max_tokens": 1}})  # fmt: skip
    told = WriteLog()
    assert CODEC.write_request(conversation, told) == {
        "model": "m", "instructions": "be\n\nbrief",
        "input": [{"role": "user", "content": "a"}]}  # fmt: skip
    assert [loss.code for loss in told.losses] == ["L308", "L316", "L317", "L318"]


@pytest.mark.parametrize(
    "read, value, at",
    [
        (CODEC.read_request, {}, "/input"),
        (CODEC.read_request, {"input": {}}, "/input"),
        (CODEC.read_request, {"input": [{}, 1]}, "/input/1"),
        (CODEC.read_request, [], ""),
        (CODEC.read_messages, [None], "/0"),
        (CODEC.read_answer, {}, "/output"),
        (CODEC.read_answer, {"output": [1]}, "/output/0"),
        (CODEC.read_answer, [], ""),
    ],
)
def test_what_is_no_conversation_is_refused_with_its_place(read, value, at):
    is_refused_at(read, value, at)


def incomplete(reason):
    return {"status": "incomplete", "incomplete_details": {"reason": reason}, "output": []}


@table(
    "body, reason",
    [
        ({"status": "completed", "output": [SAID]}, "end"),
        ({"status": "completed", "output": [CALL]}, "tool_call"),
        ({"status": "completed", "output": [TEXT_CALL]}, "tool_call"),
        ({"status": "completed", "output": [{"role": "assistant", "content": "a"}]}, "end"),
        (incomplete("max_output_tokens"), "length"),
        (incomplete("content_filter"), "filter"),
        (incomplete("max_messages"), "too_many"),
        (incomplete("steered"), "unknown"),
        ({"status": "failed", "error": {"code": "x"}, "output": []}, "unknown"),
        ({"status": "in_progress", "output": [], "id": None}, None),
        ({"output": [], "usage": None}, None),
        ({"error": {"message": "no"}}, None),
    ],
)
def test_responses(body, reason):
    stop = answer_comes_back(CODEC, body).stop
    assert (stop.reason if stop else None) == reason


def test_why_it_stopped_can_be_changed():
    found = CODEC.read_answer({"status": "completed", "output": [SAID]})
    found.candidates[0].stop = tc.Stop("length")
    body = CODEC.write_answer(found, WriteLog())
    assert body["status"] == "incomplete"
    assert body["incomplete_details"] == {"reason": "max_output_tokens"}


def test_an_answer_of_another_provider():
    turn = [a(tc.Text("a"), tc.Refusal("no"), tc.Call("f", {}, "c1"))]
    candidate = tc.Candidate(turn, tc.Stop("stop_text", "stop_sequence"))
    told = WriteLog()
    body = CODEC.write_answer(tc.Answer([candidate] * 2, "m", "x", {"in": 1}, "elsewhere"), told)
    assert [item["type"] for item in body["output"]] == ["message", "function_call"]
    assert [part["type"] for part in body["output"][0]["content"]] == ["output_text", "refusal"]
    assert [loss.code for loss in told.losses] == ["L320", "L321", "L308"]


# Streams.

START = {"type": "response.created", "response": {"id": "r", "model": "m", "output": []}}


def ended(kind="completed", **fields):
    response = {"id": "r", "model": "m", "status": kind, "output": [], **fields}
    return {"type": f"response.{kind}", "response": response}


def added(item, at=0, step="added"):
    return {"type": f"response.output_item.{step}", "output_index": at, "item": item}


def delta(kind, text, at=0, step="delta", key="delta", **more):
    return {"type": f"response.{kind}.{step}", "output_index": at, key: text, **more}


ARGUMENTS = "function_call_arguments"
OPEN = {**CALL, "id": "fc_1", "arguments": ""}
OTHER = {**OPEN, "id": "fc_2", "call_id": "c2", "name": "g"}
STREAMS = {
    "pieces": (
        [added(OPEN), delta(ARGUMENTS, '{"a"'), delta(ARGUMENTS, ": 1}")],
        [("f", "c1", '{"a": 1}')]),
    "interleaved": (
        [added(OPEN), added(OTHER, 1), delta(ARGUMENTS, "{", 1), delta(ARGUMENTS, "[", 0),
         delta(ARGUMENTS, "}", 1), delta(ARGUMENTS, "]", 0)],
        [("f", "c1", "[]"), ("g", "c2", "{}")]),
    "by item id": (
        [{"type": "response.output_item.added", "item": OPEN},
         {"type": "response.output_item.added", "item": OTHER},
         {"type": f"response.{ARGUMENTS}.delta", "item_id": "fc_1", "delta": "[]"},
         {"type": f"response.{ARGUMENTS}.delta", "item_id": "fc_2", "delta": "{}"}],
        [("f", "c1", "[]"), ("g", "c2", "{}")]),
    "what is done counts": (
        [added(OPEN), delta(ARGUMENTS, "{"),
         delta(ARGUMENTS, "{}", step="done", key="arguments", name="h")], [("h", "c1", "{}")]),
    "the item at its end counts": (
        [added(OPEN), delta(ARGUMENTS, "{"), added(CALL, step="done")], [("f", "c1", '{"a": 1}')]),
    "free text": (
        [added({**TEXT_CALL, "input": ""}), delta("custom_tool_call_input", "{ "),
         delta("custom_tool_call_input", "x")], [("t", "c1", "{ x")]),
    "no arguments at all": ([added(OPEN)], [("f", "c1", "")]),
}  # fmt: skip


@pytest.mark.parametrize("events, expected", STREAMS.values(), ids=list(STREAMS))
def test_streamed_calls(events, expected):
    accumulator = CODEC.accumulate()
    accumulator.feed(START)
    for event in events:
        accumulator.feed(event)
        with pytest.raises(CutStream):
            accumulator.finish()
    with pytest.raises(CutStream) as cut:
        accumulator.finish()
    assert [(c.name, c.id, c.text) for c in cut.value.partial.calls] == expected
    accumulator.feed(ended())
    found = accumulator.finish()
    assert [(c.name, c.id, c.text) for c in found.calls] == expected
    assert found.stop.reason == "tool_call"
    accumulator.feed(ended(output=[SAID]))
    assert accumulator.finish().messages[0].text == "a"


def test_streamed_text_and_reasoning():
    accumulator = CODEC.accumulate()
    for event in (
        START,
        added({"type": "reasoning", "id": "rs_1", "summary": []}),
        delta("reasoning_summary_text", "h", summary_index=0),
        delta("reasoning_summary_text", "m", summary_index=0),
        delta("reasoning_summary_text", "so", summary_index=1),
        added({**SAID, "content": []}, 1),
        {"type": "response.content_part.added", "output_index": 1, "content_index": 0,
         "part": {"type": "output_text", "text": "", "annotations": []}},
        delta("output_text", "wo", 1, content_index=0),
        delta("output_text", "rd", 1, content_index=0),
        {"type": "response.output_text.annotation.added", "output_index": 1, "content_index": 0,
         "annotation": {"type": "url_citation"}},
        delta("refusal", "no", 1, content_index=1),
        ended(),
    ):  # fmt: skip
        accumulator.feed(event)
    thought, said = accumulator.finish().messages
    assert thought.parts[0].text == "hm\n\nso"
    assert said.text == "word"
    assert said.parts[0].extras["openai-responses"]["annotations"] == [{"type": "url_citation"}]
    assert said.parts[1] == tc.Refusal("no")


def test_a_cut_stream_makes_nothing_up():
    accumulator = CODEC.accumulate()
    with pytest.raises(CutStream):
        accumulator.finish()
    for event in (START, added(OPEN), delta(ARGUMENTS, '{"a":')):
        accumulator.feed(event)
    with pytest.raises(CutStream) as cut:
        accumulator.finish()
    call = cut.value.partial.calls[0]
    assert (call.text, call.arguments, call.problem) == ('{"a":', None, "not-json")


@pytest.mark.parametrize(
    "event, reason",
    [
        (ended("failed", error={"code": "x"}), "unknown"),
        (ended("incomplete", incomplete_details={"reason": "max_output_tokens"}), "length"),
        ({"type": "error", "error": {"code": "x"}}, "unknown"),
        ({"type": "error", "code": "x", "message": "no"}, "unknown"),
    ],
)
def test_streams_that_end_badly(event, reason):
    accumulator = CODEC.accumulate()
    accumulator.feed(START)
    accumulator.feed(event)
    assert accumulator.finish().stop.reason == reason


def test_an_error_in_the_middle_of_a_call_is_a_cut():
    accumulator = CODEC.accumulate()
    for event in (START, added(OPEN), {"type": "error", "code": "x"}):
        accumulator.feed(event)
    with pytest.raises(CutStream):
        accumulator.finish()


@pytest.mark.parametrize("event", [None, 1, "[DONE]", []])
def test_an_event_is_an_object(event):
    with pytest.raises(NotAConversation):
        CODEC.accumulate().feed(event)


junk = st.recursive(
    st.sampled_from([None, True, 0, 1.5, "", "x", "input_text", "output_text", "assistant", PNG,
                     "refusal", "input_image", "input_file", ENVELOPE]),
    lambda inner: st.lists(inner, max_size=2)
    | st.dictionaries(
        st.sampled_from(["type", "text", "id", "name", "arguments", "image_url", "$", "refusal",
                         "file_data", "annotations", "output"]), inner, max_size=4),
    max_leaves=6,
)  # fmt: skip
KEYS = """role content id call_id name arguments input output summary encrypted_content namespace
status $ error""".split()
KINDS = """message function_call function_call_output custom_tool_call custom_tool_call_output
reasoning web_search_call mcp_approval_response""".split()
hostile = st.builds(
    lambda kind, more: {**more, "type": kind} if kind else more,
    st.sampled_from([None, 5, *KINDS]),
    st.dictionaries(st.sampled_from(KEYS), junk | st.sampled_from(["user", "system"]), max_size=6),
)


@settings(max_examples=300)
@given(st.lists(hostile, max_size=3))
def test_whatever_objects_are_items_come_back(items):
    before = sort(items)
    assert sort(write(CODEC.read_messages(items, "m"))[0]) == before == sort(items)
    for item in items:
        assert 0.0 <= CODEC.sniff(item) <= 1.0


NAMES = ["output_item.added", "output_item.done", "function_call_arguments.delta", "created",
         "output_text.delta", "content_part.added", "output_text.annotation.added", "completed",
         "function_call_arguments.done", "reasoning_summary_text.delta", "failed"]  # fmt: skip
events = st.builds(
    lambda kind, more: {**more, "type": kind},
    st.sampled_from([*(f"response.{name}" for name in NAMES), "error", 3]),
    st.dictionaries(
        st.sampled_from(["output_index", "item_id", "content_index", "delta", "part", "item",
                         "response", "arguments", "annotation", "error"]),
        junk | hostile, max_size=4),
)  # fmt: skip


@settings(max_examples=300)
@given(st.lists(events, max_size=5))
def test_no_event_breaks_the_accumulator(events):
    accumulator = CODEC.accumulate()
    for event in events:
        accumulator.feed(event)
    try:
        found = accumulator.finish()
    except CutStream as cut:
        found = cut.partial
    except NotAConversation as error:
        assert error.at.startswith("/output")  # noqa: PT017 - whatever the provider put there
        return
    assert CODEC.write_answer(found, WriteLog()) is not None


@pytest.mark.parametrize(
    "name, least",
    [("call", 1.0), ("result", 1.0), ("sealed", 1.0), ("output", 1.0), ("typed", 0.8),
     ("one part", 1.0), ("built-in", 0.7), ("plain", 0.3)],
)  # fmt: skip
def test_sniffing(name, least):
    assert CODEC.sniff(ODD[name]) >= least


def test_sniffing_others():
    assert CODEC.sniff({"role": "tool", "tool_call_id": "c", "content": "1"}) == 0.0
    assert CODEC.sniff({"role": "user", "content": [{"type": "text", "text": "a"}]}) < 0.2
    assert CODEC.sniff({"type": "tool_use", "id": "x"}) == 0.0
