"""Converse conversations: odd shapes survive, bytes stay what they were, foreign histories fit."""

import copy
from functools import partial

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import toolcanon as tc
from tests.codec_laws import (
    a,
    answer_comes_back,
    become_turns,
    places,
    request_comes_back,
    tool,
    u,
    written,
)
from tests.tables import table
from toolcanon.errors import CutStream, NotAConversation
from toolcanon.formats.bedrock.messages import CODEC
from toolcanon.formats.wire.codec import WriteLog

write = partial(written, CODEC)


def thought(*args, **kwargs):
    return tc.Reasoning(*args, provider="bedrock", model="m", **kwargs)


def native(block, tag, id_=None):
    return block, tc.Native("bedrock", tag, block, id_)


# block -> the part it becomes, without extras
BLOCKS = [
    ({"text": "a"}, tc.Text("a")),
    ({"text": "a", "type": "text"}, tc.Text("a")),
    ({"text": None}, tc.Text("")),
    (
        {"toolUse": {"toolUseId": "t", "name": "f", "input": {"a": 1}}},
        tc.Call("f", {"a": 1}, "t"),
    ),
    (
        {"toolUse": {"toolUseId": "t", "name": "f", "input": "x", "k": 1}, "beside": 2},
        tc.Call("f", "x", "t", problem="not-an-object"),
    ),
    (
        {"toolUse": {"toolUseId": "t", "name": "f"}},
        tc.Call("f", None, "t", problem="not-an-object"),
    ),
    native(
        {"toolUse": {"toolUseId": "t", "name": "f", "input": {}, "type": "server_tool_use"}},
        "toolUse",
        "t",
    ),
    (
        {"toolUse": {"toolUseId": "t", "name": "f", "input": {}, "type": "tool_use"}},
        tc.Call("f", {}, "t"),
    ),
    native({"toolResult": {"toolUseId": "t", "content": [], "type": "x"}}, "toolResult", "t"),
    ({"toolResult": {"toolUseId": "t", "content": [], "type": "tool_result"}}, tc.Result("t")),
    ({"toolResult": {"toolUseId": "t", "content": []}}, tc.Result("t")),
    ({"toolResult": {"toolUseId": "t"}}, tc.Result("t")),
    (
        {"toolResult": {"toolUseId": "t", "content": "x", "status": "odd"}},
        tc.Result("t", [tc.Text("x")]),
    ),
    (
        {"toolResult": {"toolUseId": "t", "content": [{"text": "x"}], "status": "error"}},
        tc.Result("t", [tc.Text("x")], is_error=True),
    ),
    (
        {"toolResult": {"toolUseId": "t", "content": [{"json": {"a": 1}}], "status": "success"}},
        tc.Result("t", [tc.Data({"a": 1})], is_error=False),
    ),
    (
        {"toolResult": {"toolUseId": "t", "content": [{"json": [1]}]}},
        tc.Result("t", [tc.Data([1])]),
    ),
    (
        {"image": {"format": "png", "source": {"bytes": "aGk="}}},
        tc.Media("image", "image/png", "aGk="),
    ),
    (
        {"image": {"format": "png", "source": {"bytes": b"hi"}}},
        tc.Media("image", "image/png", "aGk="),
    ),
    ({"image": {"format": "tiff", "source": {"bytes": b"hi"}}}, tc.Media("image", None, "aGk=")),
    (
        {
            "video": {
                "format": "mpg",
                "source": {"s3Location": {"uri": "s3://b/k", "bucketOwner": "1"}},
            }
        },
        tc.Media("video", "video/mpeg", url="s3://b/k"),
    ),
    (
        {"audio": {"format": "mp3", "source": {"bytes": b"hi"}, "error": {"message": "m"}}},
        tc.Media("audio", "audio/mpeg", "aGk="),
    ),
    (
        {"document": {"format": "pdf", "name": "N", "source": {"bytes": b"hi"}, "context": "c"}},
        tc.Media("document", "application/pdf", "aGk=", name="N"),
    ),
    (
        {"document": {"name": "N", "source": {"text": "w"}}},
        tc.Media("document", text="w", name="N"),
    ),
    (
        {"document": {"name": "N", "format": "md", "source": {"content": [{"text": "w"}]}}},
        tc.Media("document", "text/markdown", text="w", name="N"),
    ),
    native({"image": {"format": "png", "source": {"bytes": 1}}}, "image"),
    native({"image": {"format": "png", "source": {"bytes": "", "text": ""}}}, "image"),
    (
        {"searchResult": {"source": "s", "title": "T", "content": [{"text": "a"}, {"text": "b"}]}},
        tc.Media("document", "text/plain", text="a\nb", name="T"),
    ),
    (
        {"citationsContent": {"content": [{"text": "a"}, {"text": "b"}], "citations": [{}]}},
        tc.Text("ab"),
    ),
    ({"guardContent": {"text": {"text": "a", "qualifiers": ["query"]}}}, tc.Text("a")),
    (
        {"guardContent": {"image": {"format": "png", "source": {"bytes": b"x"}}}},
        tc.Media("image", "image/png", "eA=="),
    ),
    native({"guardContent": {"image": {"format": "png", "source": 1}}}, "guardContent"),
    native({"cachePoint": {"type": "default"}}, "cachePoint"),
    native({"toolAddition": {"tool": {"name": "f"}}}, "toolAddition"),
    (
        {"reasoningContent": {"reasoningText": {"text": "t", "signature": "s"}}},
        thought("t", "s"),
    ),
    ({"reasoningContent": {"reasoningText": {"text": "t"}}}, thought("t")),
    (
        {"reasoningContent": {"redactedContent": b"hi"}},
        thought(None, "aGk=", is_hidden=True),
    ),
    (
        {"reasoningContent": {"redactedContent": "aGk="}},
        thought(None, "aGk=", is_hidden=True),
    ),
    native({"text": "a", "toolUse": {}}, "text"),
    native({}, ""),
    native({"of the future": 1}, "of the future"),
    ("no block", tc.Text("no block")),
    (None, tc.Text("")),
]


@table(("block", "part"), BLOCKS)
def test_blocks_become_parts_and_come_back(block, part):
    before = copy.deepcopy(block)
    (message,) = CODEC.read_messages([{"role": "assistant", "content": [block]}], "m")
    (read,) = message.parts
    if not isinstance(read, tc.Native):
        read.extras = None
    for inner in getattr(read, "content", ()):
        inner.extras = None
    assert read == part
    for role in ("user", "assistant", "system"):
        message = {"role": role, "content": [block]}
        written, told = write(CODEC.read_messages([message], None))
        assert (written, told) == ([message], [])
        assert repr(written) == repr(
            CODEC.write_messages(CODEC.read_messages(written, None), WriteLog())
        )
    assert block == before


MESSAGES = [
    {"role": "user", "content": "a string is refused, but people write it"},
    {"role": "assistant", "content": []},
    {"role": "assistant", "content": None},
    {"role": "assistant"},
    {"content": [{"text": "who"}]},
    {"role": "tool", "content": [{"text": "x"}], "extra": 1},
    {"role": {"x": 1}, "content": {"a": 1}},
    {"role": "system", "content": [{"toolAddition": {"tool": {"name": "f"}}}]},
    {"role": "user", "content": [{"text": "x"}], "$": {"content": "text"}},
    {"role": "user", "content": [{"text": "x", "$": {"guardContent": {}}}]},
]


@table("message", MESSAGES)
def test_messages_come_back(message):
    assert write(CODEC.read_messages([message, message], None)) == ([message, message], [])


BODIES = [
    {"modelId": "m", "messages": []},
    {"modelId": "arn:prompt", "promptVariables": {"a": {"text": "x"}}},
    {"messages": [], "system": []},
    {"messages": [], "system": [{"text": "s"}, {"cachePoint": {"type": "default"}}]},
    {"messages": [], "system": None, "modelId": None, "toolConfig": None},
    {"messages": [], "toolConfig": {}},
    {"messages": [], "toolConfig": {"tools": None, "toolChoice": None}},
    {"messages": [], "toolConfig": {"tools": [{"toolSpec": {}}], "toolChoice": {"auto": {}}}},
    {"messages": [], "toolConfig": {"tools": [], "toolChoice": {"any": {}}, "x": 1}},
    {"messages": [], "toolConfig": {"tools": [], "toolChoice": {"tool": {"name": "f"}}}},
    {"messages": [], "toolConfig": {"toolChoice": {"tool": {"name": "f", "x": 1}}}},
    {"messages": [], "inferenceConfig": {"maxTokens": 1}, "$": {"toolConfig": 1}},
]


@table("body", BODIES)
def test_requests_come_back(body):
    request_comes_back(CODEC, body)


def test_requests_are_understood():
    tools = [{"toolSpec": {"name": "f", "inputSchema": {"json": {}}}}]
    body = {
        "modelId": "m",
        "system": [{"text": "s"}],
        "messages": [],
        "toolConfig": {"tools": tools, "toolChoice": {"any": {}}},
        "inferenceConfig": {"maxTokens": 5},
    }
    read = CODEC.read_request(body)
    assert (read.model, read.format, read.tools, read.system.text) == ("m", "bedrock", tools, "s")
    assert read.tool_choice == tc.ToolChoice("required")
    assert read.extras["bedrock"]["inferenceConfig"] == {"maxTokens": 5}


@pytest.mark.parametrize("body", [{}, {"messages": 1}, {"messages": [1]}, {"contents": []}])
def test_what_is_no_request_is_refused(body):
    with pytest.raises(NotAConversation) as error:
        CODEC.read_request(body)
    assert error.value.at.startswith("/messages")


EDITS = [
    ({"text": "a"}, lambda p: setattr(p, "text", "b"), {"text": "b"}),
    (
        {"citationsContent": {"content": [{"text": "a"}], "citations": [1]}},
        lambda p: setattr(p, "text", "b"),
        {"citationsContent": {"content": [{"text": "b"}], "citations": [1]}},
    ),
    (
        {"guardContent": {"text": {"text": "a", "qualifiers": []}}},
        lambda p: setattr(p, "text", "b"),
        {"guardContent": {"text": {"text": "b", "qualifiers": []}}},
    ),
    (
        {"toolUse": {"toolUseId": "t", "name": "f", "input": None}},
        lambda p: setattr(p, "arguments", {"a": 1}),
        {"toolUse": {"toolUseId": "t", "name": "f", "input": {"a": 1}}},
    ),
    (
        {"toolResult": {"toolUseId": "t", "content": [{"text": "a"}], "status": "odd"}},
        lambda p: setattr(p, "is_error", True),
        {"toolResult": {"toolUseId": "t", "content": [{"text": "a"}], "status": "error"}},
    ),
    (
        {"image": {"format": "png", "source": {"bytes": b"hi"}}},
        lambda p: (setattr(p, "data", "aG8="), setattr(p, "mime", "image/gif")),
        {"image": {"format": "gif", "source": {"bytes": b"ho"}}},
    ),
    (
        {"document": {"format": "md", "name": "N", "source": {"content": [{"text": "a"}]}}},
        lambda p: setattr(p, "text", "b"),
        {"document": {"format": "md", "name": "N", "source": {"content": [{"text": "b"}]}}},
    ),
]


@pytest.mark.parametrize(("block", "change", "expected"), EDITS)
def test_fields_are_the_truth(block, change, expected):
    messages = CODEC.read_messages([{"role": "user", "content": [block]}], None)
    change(messages[0].parts[0])
    assert CODEC.write_messages(messages, WriteLog())[0]["content"] == [expected]


@pytest.mark.parametrize(
    ("model", "kept"), [("us.anthropic.x-v1:0", True), ("anthropic.y-v1:0", False), (None, True)]
)
def test_reasoning_stays_with_the_model_that_wrote_it(model, kept):
    block = {"reasoningContent": {"reasoningText": {"text": "t", "signature": "s"}}}
    body = {"modelId": "anthropic.x-v1:0", "messages": [{"role": "assistant", "content": [block]}]}
    read, told = CODEC.read_request(body), WriteLog()
    read.model = model
    assert CODEC.write_request(read, told)["messages"][0]["content"] == ([block] if kept else [])
    assert [loss.code for loss in told.losses] == ([] if kept else ["L301"])


def said(text):
    return {"text": text}


def used(id_, name="f", **arguments):
    return {"toolUse": {"toolUseId": id_, "name": name, "input": arguments}}


def got(id_, *content, **more):
    return {"toolResult": {"toolUseId": id_, "content": list(content), **more}}


# messages of others -> what is written, and what is told
FOREIGN = {
    "results go together, before words, and roles alternate": (
        [
            u(tc.Text("a")),
            u(tc.Text("b")),
            a(tc.Text("c")),
            a(tc.Call("f", {}, "1"), tc.Call("f", {}, "2")),
            u(tc.Text("wait")),
            tool(tc.Result("2", [tc.Data({"x": 1})])),
            tool(tc.Result("1", [tc.Data([1])], is_error=False)),
        ],
        [
            ["user", said("a"), said("b")],
            ["assistant", said("c"), used("1"), used("2")],
            [
                "user",
                got("2", {"json": {"x": 1}}),
                got("1", said("[1]"), status="success"),
                said("wait"),
            ],
        ],
        ["L305", "L309"],
    ),
    "blank words are refused everywhere": (
        [
            u(tc.Text("a"), tc.Text(" ")),
            a(tc.Text(""), tc.Call("f", {}, "1"), tc.Call("f", {}, "2")),
            tool(tc.Result("1", [tc.Text("")]), tc.Result("2", [tc.Text("\n")], is_error=True)),
        ],
        [
            ["user", said("a")],
            ["assistant", used("1"), used("2")],
            [
                "user",
                got("1"),
                got("2", said("The tool failed without a message."), status="error"),
            ],
        ],
        [],
    ),
    "a turn that says nothing does not break alternation": (
        [u(tc.Text("a")), a(tc.Text("")), u(tc.Text("b"))],
        [["user", said("a"), said("b")]],
        [],
    ),
    "thoughts, natives, refusals, values and keys of others": (
        [
            a(
                tc.Reasoning("t", "s", provider="anthropic"),
                tc.Native("anthropic", "server_tool_use", {}),
                tc.Refusal("no"),
                tc.Data({"a": 1}),
                tc.Text("x", {"anthropic": {"cache_control": {}}}),
            )
        ],
        [["assistant", said("no"), said('{"a":1}'), said("x")]],
        ["L301", "L305", "L307", "L308", "L319"],
    ),
    "calls": (
        [
            a(
                tc.Call("p", None, "1", text="*** x", is_text=True),
                tc.Call("go", {}, "2", namespace="web"),
                tc.Call("f", None, "3", text='{"a": ', problem="not-json"),
                tc.Call("f", {}),
            ),
            tool(tc.Result(None, name="f")),
        ],
        [
            [
                "assistant",
                used("1", "p", input="*** x"),
                used("2", "web_go"),
                used("3", arguments='{"a": '),
                used("call_0_3"),
            ],
            ["user", got("call_0_3")],
        ],
        ["L312", "L313", "L315", "L322", "L325"],
    ),
    "media": (
        [
            u(
                tc.Media("image", "image/png", "aGk="),
                tc.Media("image", "image/bmp", "aGk="),
                tc.Media("image", url="https://x/a.png"),
                tc.Media("document", "application/pdf", "aGk=", name="my  file.pdf"),
                tc.Media("document", "text/plain", text="w"),
                tc.Media("file", "text/csv", url="s3://b/k.csv"),
                tc.Media("document", file_id="f1"),
                tc.Media("audio", "audio/wav", "aGk="),
            ),
            a(tc.Media("image", "image/png", "aGk=")),
        ],
        [
            [
                "user",
                {"image": {"format": "png", "source": {"bytes": "aGk="}}},
                said("[image image/bmp]"),
                said("[image: https://x/a.png]"),
                {"document": {"format": "pdf", "name": "my file-pdf", "source": {"bytes": "aGk="}}},
                {"document": {"format": "txt", "name": "document", "source": {"text": "w"}}},
                {
                    "document": {
                        "format": "csv",
                        "name": "document",
                        "source": {"s3Location": {"uri": "s3://b/k.csv"}},
                    }
                },
                said("[document: f1]"),
                {"audio": {"format": "wav", "source": {"bytes": "aGk="}}},
            ],
            ["assistant", said("[image image/png]")],
        ],
        ["L302"] * 4,
    ),
    "a document needs words beside it": (
        [u(tc.Media("document", "application/pdf", "aGk=", name="N"))],
        [
            [
                "user",
                {"document": {"format": "pdf", "name": "N", "source": {"bytes": "aGk="}}},
                said("[N]"),
            ]
        ],
        [],
    ),
    "sounds have no place in results": (
        [a(tc.Call("f", {}, "1")), tool(tc.Result("1", [tc.Media("audio", "audio/wav", "aGk=")]))],
        [["assistant", used("1")], ["user", got("1", said("[audio audio/wav]"))]],
        ["L302"],
    ),
}


@pytest.mark.parametrize("case", FOREIGN)
def test_foreign_messages(case):
    become_turns(CODEC, *FOREIGN[case])


def test_ids_are_legal_and_do_not_meet():
    ids = ["a b", "a/b", "a.b:c", "x" * 300]
    messages = [a(*(tc.Call("f", {}, id_) for id_ in ids)), tool(*(tc.Result(id_) for id_ in ids))]
    (asked, answered), told = write(messages)
    written = [block["toolUse"]["toolUseId"] for block in asked["content"]]
    assert written == [block["toolResult"]["toolUseId"] for block in answered["content"]]
    assert len(set(written)) == 4
    assert written[2] == "a.b:c"
    assert max(map(len, written)) <= 64
    assert told == ["L322"] * 3


def test_own_and_foreign_messages_alternate():
    own = [{"role": "user", "content": [said("a")]}, {"role": "assistant", "content": [used("1")]}]
    written, told = write(
        [*CODEC.read_messages(own, None), a(tc.Text("b")), tool(tc.Result("1")),
         *CODEC.read_messages([{"role": "user", "content": [said("c")]}], None)]
    )  # fmt: skip
    assert written == [
        own[0],
        {"role": "assistant", "content": [used("1"), said("b")]},
        {"role": "user", "content": [got("1"), said("c")]},
    ]
    assert not told


@pytest.mark.parametrize(
    ("choice", "tools", "expected", "codes"),
    [
        (tc.ToolChoice("auto"), [{}], {"auto": {}}, []),
        (tc.ToolChoice("required"), [{}], {"any": {}}, []),
        (tc.ToolChoice("tool", ["f"]), [{}], {"tool": {"name": "f"}}, []),
        (tc.ToolChoice("subset", ["f"], is_required=True), [{}], {"tool": {"name": "f"}}, []),
        (tc.ToolChoice("subset", ["f", "g"], is_required=True), [{}], {"any": {}}, ["L316"]),
        (tc.ToolChoice("subset", ["f", "g"]), [{}], None, ["L316"]),
        (tc.ToolChoice("none"), [{}], None, ["L316"]),
        (tc.ToolChoice("required"), None, None, ["L316"]),
    ],
)
def test_choices(choice, tools, expected, codes):
    told = WriteLog()
    body = CODEC.write_request(tc.Conversation(tools=tools, tool_choice=choice), told)
    assert body.get("toolConfig", {}).get("toolChoice") == expected
    assert ("toolConfig" in body) is (tools is not None)
    assert [loss.code for loss in told.losses] == codes


def test_foreign_requests():
    foreign = tc.Conversation(
        [
            tc.Message("system", [tc.Text("first")]),
            u(tc.Text("a")),
            tc.Message("developer", [tc.Text("later")]),
            a(tc.Text("b")),
        ],
        tc.Message("system", [tc.Text("apart"), tc.Text("")]),
        parallel_calls=False,
        model="m",
        format="openai",
        extras={"openai": {"temperature": 1}},
    )
    told = WriteLog()
    assert CODEC.write_request(foreign, told) == {
        "modelId": "m",
        "system": [said("apart"), said("first"), said("later")],
        "messages": [
            {"role": "user", "content": [said("a")]},
            {"role": "assistant", "content": [said("b")]},
        ],
    }
    assert sorted(loss.code for loss in told.losses) == ["L310", "L311", "L317", "L318"]


ANSWER = {
    "output": {"message": {"role": "assistant", "content": [said("x"), used("1")]}},
    "stopReason": "tool_use",
    "usage": {"inputTokens": 1, "outputTokens": 1, "totalTokens": 2},
    "metrics": {"latencyMs": 3},
}


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"stopReason": None},
        {"stopReason": "of the future"},
        {"usage": None, "ResponseMetadata": {"RequestId": "r"}},
        {"output": {"message": {"role": "assistant"}, "x": 1}},
        {"output": {"message": {"role": "user", "content": [None]}}},
    ],
)
def test_answers_come_back(changes):
    answer_comes_back(CODEC, {**ANSWER, **changes})


@pytest.mark.parametrize("body", [{}, {"message": "x"}, {"output": {}}, {"output": {"message": 1}}])
def test_what_is_no_answer_is_refused(body):
    with pytest.raises(NotAConversation):
        CODEC.read_answer(body)


def test_foreign_answers():
    told = WriteLog()
    answer = tc.Answer(
        [
            tc.Candidate(
                [a(tc.Text("x")), a(tc.Call("f", {}, "1"))], tc.Stop("length", "MAX_TOKENS")
            )
        ],
        "model",
        "id",
        {"tokens": 1},
        "gemini",
    )
    assert CODEC.write_answer(answer, told) == {
        "output": {"message": {"role": "assistant", "content": [said("x"), used("1")]}},
        "stopReason": "max_tokens",
    }
    assert [loss.code for loss in told.losses] == ["L308"] * 3


# Streams.


def event(kind, index=None, **values):
    at = {} if index is None else {"contentBlockIndex": index}
    return {kind: {**at, **values}}


def delta(index, **value):
    return event("contentBlockDelta", index, delta=value)


def call_start(index, id_="t1", **more):
    start = {"toolUse": {"toolUseId": id_, "name": "f", **more}}
    return event("contentBlockStart", index, start=start)


def pieces(index, *texts):
    return [delta(index, toolUse={"input": text}) for text in texts]


def stop(index):
    return event("contentBlockStop", index)


def accumulate(events):
    stream = CODEC.accumulate()
    for item in events:
        stream.feed(item)
    return stream.finish()


END = event("messageStop", stopReason="tool_use", additionalModelResponseFields={"x": 1})
WHOLE = [
    event("messageStart", role="assistant"),
    delta(0, reasoningContent={"text": "so "}),
    delta(0, reasoningContent={"text": "what"}),
    delta(0, reasoningContent={"signature": "g"}),
    stop(0),
    delta(1, reasoningContent={"redactedContent": b"h"}),
    delta(1, reasoningContent={"redactedContent": b"i"}),
    stop(1),
    event("contentBlockStart", 2, start={}),
    delta(2, text="He"),
    delta(2, text="llo"),
    stop(2),
    delta(3, text="c"),
    delta(3, citation={"title": "T"}),
    stop(3),
    call_start(4, "s", type="server_tool_use"),
    *pieces(4, '{"q": 1}'),
    stop(4),
    event("contentBlockStart", 5, start={"toolResult": {"toolUseId": "s", "type": "r"}}),
    delta(5, toolResult=[{"json": {}}]),
    stop(5),
    call_start(6),
    *pieces(6, '{"a": {"b', '": "\\u00', 'e9"}', "}"),
    stop(6),
    call_start(7, "t2"),
    stop(7),
    END,
    {"metadata": {"usage": {"totalTokens": 3}, "metrics": {"latencyMs": 1}}},
]


def test_a_whole_stream():
    answer = accumulate(WHOLE)
    assert CODEC.write_answer(answer, WriteLog()) == {
        "output": {
            "message": {
                "role": "assistant",
                "content": [
                    {"reasoningContent": {"reasoningText": {"text": "so what", "signature": "g"}}},
                    {"reasoningContent": {"redactedContent": b"hi"}},
                    said("Hello"),
                    {
                        "citationsContent": {
                            "content": [said("c")],
                            "citations": [{"title": "T"}],
                        }
                    },
                    {
                        "toolUse": {
                            "toolUseId": "s",
                            "name": "f",
                            "type": "server_tool_use",
                            "input": {"q": 1},
                        }
                    },
                    {
                        "toolResult": {
                            "toolUseId": "s",
                            "type": "r",
                            "content": [{"json": {}}],
                        }
                    },
                    used("t1", a={"b": "é"}),
                    used("t2"),
                ],
            }
        },
        "stopReason": "tool_use",
        "additionalModelResponseFields": {"x": 1},
        "usage": {"totalTokens": 3},
        "metrics": {"latencyMs": 1},
    }
    assert [call.text for call in answer.calls] == ['{"a": {"b": "\\u00e9"}}', None]


def test_the_counts_may_come_first_or_never():
    reordered = [*WHOLE[:-2], WHOLE[-1], WHOLE[-2]]
    assert accumulate(reordered) == accumulate(WHOLE)
    assert accumulate(WHOLE[:-1]).usage is None


@table("length", range(WHOLE.index(END) + 1))
def test_a_cut_stream_is_never_an_answer(length):
    with pytest.raises(CutStream) as error:
        accumulate(WHOLE[:length])
    for call in error.value.partial.calls:
        is_whole = length > WHOLE.index(stop(6 if call.id == "t1" else 7))
        assert (call.problem is None) is is_whole
        assert (call.arguments is None) is not is_whole


def test_errors_cut_a_stream():
    broken = {"throttlingException": {"message": "slow down"}}
    with pytest.raises(CutStream, match="slow down"):
        accumulate([*WHOLE, broken])
    with pytest.raises(CutStream, match="not open"):
        accumulate([*pieces(0, "{}"), END])


@pytest.mark.parametrize(
    ("events", "reason", "arguments", "text", "problem"),
    [
        ([], "tool_use", {}, None, None),
        (pieces(0, ""), "tool_use", {}, None, None),
        (pieces(0, '{"a": 1'), "tool_use", None, '{"a": 1', "not-json"),
        (pieces(0, '{"a": 1'), "max_tokens", None, '{"a": 1', "not-json"),
        (pieces(0, '{"a": 1}'), "max_tokens", {"a": 1}, '{"a": 1}', None),
        ([], "max_tokens", None, "", "not-json"),
        (pieces(0, "[1]"), "tool_use", [1], "[1]", "not-an-object"),
    ],
)
def test_arguments_of_a_stream(events, reason, arguments, text, problem):
    end = event("messageStop", stopReason=reason)
    (call,) = accumulate([call_start(0), *events, stop(0), end]).calls
    assert (call.arguments, call.text, call.problem) == (arguments, text, problem)


def test_base64_pieces_are_put_together_as_bytes():
    events = [delta(0, reasoningContent={"redactedContent": text}) for text in ("aA==", "aQ==")]
    assert accumulate([*events, stop(0), END]).messages[0].parts[0].seal == "aGk="


JUNK = [None, True, 0, "", "$", [], {}, [None], b"x", {"$": {"content": "text"}}, {"text": 1},
        {"toolResult": {}}, {"bytes": 1}, "developer"]  # fmt: skip
SAMPLES = [
    {"modelId": "m", "system": [said("s")], "toolConfig": {"tools": [], "toolChoice": {"auto": {}}},
     "messages": [{"role": "user", "content": [block for block, _ in BLOCKS]}]},
    {"messages": [*MESSAGES[:4], {"role": "assistant", "content": [used("1", a=1)]},
                  {"role": "user", "content": [got("1", said("x"), {"json": {}})]}]},
]  # fmt: skip


def damage(data, value):
    value = copy.deepcopy(value)
    at = data.draw(st.sampled_from([place for place in places(value) if place]))
    holder = value
    for step in at[:-1]:
        holder = holder[step]
    holder[at[-1]] = copy.deepcopy(data.draw(st.sampled_from(JUNK)))
    return value


@settings(max_examples=400)
@given(st.data())
def test_damaged_bodies_come_back_or_are_refused(data):
    body = damage(data, data.draw(st.sampled_from(SAMPLES)))
    before = repr(body)
    try:
        read = CODEC.read_request(body)
    except NotAConversation as error:
        assert error.at.startswith("/messages")  # noqa: PT017 - any other error is the failure
        return
    assert CODEC.write_request(read, WriteLog()) == body
    assert repr(body) == before


@settings(max_examples=100)
@given(st.data())
def test_damaged_streams_never_crash(data):
    try:
        answer = accumulate(damage(data, WHOLE))
    except CutStream as error:
        answer = error.partial
    CODEC.write_answer(answer, WriteLog())


@pytest.mark.parametrize(
    ("message", "low", "high"),
    [
        ({"role": "user", "content": [got("1")]}, 1, 1),
        ({"role": "user", "content": [said("x")]}, 0.8, 0.95),
        ({"role": "user", "content": "x"}, 0, 0),
        ({"role": "user", "content": [{"type": "text", "text": "x"}]}, 0, 0),
        ({"role": "user", "parts": [said("x")]}, 0, 0),
        ({"role": "model", "content": [said("x")]}, 0, 0),
    ],
)
def test_sniffing(message, low, high):
    assert low <= CODEC.sniff(message) <= high


def test_a_result_alone():
    block = got("1", said("x"), status="error")
    assert CODEC.read_result(block) == tc.Result("1", [tc.Text("x")], is_error=True)
    assert CODEC.read_result(block["toolResult"]) == CODEC.read_result(block)
    with pytest.raises(NotAConversation):
        CODEC.read_result(said("x"))
