"""Anthropic conversations: odd shapes survive, fields are the truth, foreign histories fit in."""

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
    become_turns,
    places,
    request_comes_back,
    tool,
    u,
    written,
)
from tests.tables import table
from toolcanon.errors import CutStream, NotAConversation
from toolcanon.formats.anthropic.messages import CODEC
from toolcanon.formats.wire.codec import WriteLog

write = partial(written, CODEC)

PNG = {"type": "base64", "media_type": "image/png", "data": "aGk="}


def read_one(block, role="user"):
    (message,) = CODEC.read_messages([{"role": role, "content": [block]}], "claude-x")
    return message.parts[0]


# block -> the part it becomes, without extras
BLOCKS = [
    ({"type": "text", "text": "a"}, tc.Text("a")),
    ({"type": "text", "text": "a", "cache_control": {"type": "ephemeral"}}, tc.Text("a")),
    ({"type": "text", "text": "", "citations": None}, tc.Text("")),
    (
        {"type": "text", "text": None},
        tc.Text(""),
    ),
    (
        {"type": "tool_use", "id": "t", "name": "f", "input": {"a": 1}, "caller": {"type": "x"}},
        tc.Call("f", {"a": 1}, "t"),
    ),
    (
        {"type": "tool_use", "id": "t", "name": "f", "input": [1]},
        tc.Call("f", [1], "t", problem="not-an-object"),
    ),
    (
        {"type": "tool_use", "id": "t", "name": "f"},
        tc.Call("f", None, "t", problem="not-an-object"),
    ),
    ({"type": "tool_result", "tool_use_id": "t"}, tc.Result("t")),
    ({"type": "tool_result", "tool_use_id": "t", "content": ""}, tc.Result("t", [tc.Text("")])),
    ({"type": "tool_result", "tool_use_id": "t", "content": []}, tc.Result("t")),
    (
        {"type": "tool_result", "tool_use_id": "t", "content": {"a": 1}},
        tc.Result("t", [tc.Data({"a": 1})]),
    ),
    ({"type": "tool_result", "tool_use_id": "t", "is_error": None}, tc.Result("t")),
    (
        {"type": "tool_result", "tool_use_id": "t", "content": "no", "is_error": True},
        tc.Result("t", [tc.Text("no")], is_error=True),
    ),
    (
        {
            "type": "tool_result",
            "tool_use_id": "t",
            "content": [{"type": "tool_reference", "tool_name": "f"}],
            "is_error": False,
        },
        tc.Result(
            "t",
            [
                tc.Native(
                    "anthropic", "tool_reference", {"type": "tool_reference", "tool_name": "f"}
                )
            ],
            is_error=False,
        ),
    ),
    ({"type": "image", "source": PNG}, tc.Media("image", "image/png", "aGk=")),
    (
        {"type": "image", "source": {"type": "url", "url": "https://x"}},
        tc.Media("image", url="https://x"),
    ),
    (
        {"type": "image", "source": {"type": "file", "file_id": "file_1", "x": 1}},
        tc.Media("image", file_id="file_1"),
    ),
    (
        {
            "type": "document",
            "source": {"type": "base64", "media_type": "application/pdf", "data": "aGk="},
            "title": "T",
            "context": "C",
            "citations": {"enabled": True},
        },
        tc.Media("document", "application/pdf", "aGk=", name="T"),
    ),
    (
        {"type": "document", "source": {"type": "text", "media_type": "text/plain", "data": "w"}},
        tc.Media("document", "text/plain", text="w"),
    ),
    (
        {
            "type": "document",
            "source": {"type": "content", "content": [{"type": "text", "text": "w"}]},
            "title": None,
        },
        tc.Media("document", "text/plain", text="w"),
    ),
    (
        {"type": "document", "source": {"type": "url", "url": "https://x/a.pdf"}},
        tc.Media("document", url="https://x/a.pdf"),
    ),
    (
        {
            "type": "search_result",
            "source": "s",
            "title": "T",
            "content": [{"type": "text", "text": "w"}],
            "citations": {"enabled": True},
        },
        tc.Media("document", "text/plain", text="w", name="T"),
    ),
    (
        {"type": "thinking", "thinking": "hm", "signature": "s=="},
        tc.Reasoning("hm", "s==", provider="anthropic", model="claude-x"),
    ),
    (
        {"type": "thinking", "thinking": "hm", "signature": None},
        tc.Reasoning("hm", provider="anthropic", model="claude-x"),
    ),
    (
        {"type": "redacted_thinking", "data": "d"},
        tc.Reasoning(None, "d", is_hidden=True, provider="anthropic", model="claude-x"),
    ),
    (
        {"type": "server_tool_use", "id": "s", "name": "web_search", "input": {}},
        tc.Native(
            "anthropic",
            "server_tool_use",
            {"type": "server_tool_use", "id": "s", "name": "web_search", "input": {}},
            "s",
        ),
    ),
    (
        {"type": "of the future", "x": [1]},
        tc.Native("anthropic", "of the future", {"type": "of the future", "x": [1]}),
    ),
    ({"type": 7}, tc.Text('{"type":7}')),
    ("no block at all", tc.Text("no block at all")),
    (None, tc.Text("")),
]


@table(("block", "part"), BLOCKS)
def test_blocks_become_parts_and_come_back(block, part):
    given_block = copy.deepcopy(block)
    read = read_one(block)
    if not isinstance(read, tc.Native):
        read.extras = None
    assert read == part
    for role in ("user", "assistant", "system"):
        message = {"role": role, "content": [block]}
        assert write(CODEC.read_messages([message], None)) == ([message], [])
    assert block == given_block


MESSAGES = [
    {"role": "user", "content": "text"},
    {"role": "user", "content": ""},
    {"role": "assistant", "content": []},
    {"role": "assistant", "content": None},
    {"role": "assistant"},
    {"content": "who"},
    {"role": "narrator", "content": "x"},
    {"role": "tool", "content": "x"},
    {"role": ["x"], "content": {"a": 1}},
    {"role": "system", "content": "be brief", "clear_at": "next_user_message"},
    {"role": "system", "content": [{"type": "tool_addition", "tool": {"type": "tool_reference"}}]},
    {"role": "user", "content": "x", "$": {"content": "blocks"}},
    {"role": "user", "content": [{"type": "text", "text": "x", "$": {"forged": True}}]},
]


@table("message", MESSAGES)
def test_messages_come_back(message):
    assert write(CODEC.read_messages([message, message], None)) == ([message, message], [])


@pytest.mark.parametrize(
    ("messages", "at"), [([1], "/0"), ([{"role": "user", "content": "x"}, None], "/1")]
)
def test_what_is_no_message_is_refused_with_its_place(messages, at):
    with pytest.raises(NotAConversation) as error:
        CODEC.read_messages(messages, None)
    assert error.value.at == at


BODIES = [
    {"model": "m", "max_tokens": 1, "messages": []},
    {"messages": [], "system": "s"},
    {"messages": [], "system": []},
    {"messages": [], "system": [{"type": "text", "text": "s", "cache_control": {"type": "x"}}]},
    {"messages": [], "system": None, "model": None, "tools": None, "tool_choice": None},
    {"messages": [], "tools": [], "metadata": {"user_id": "u"}, "thinking": {"type": "adaptive"}},
    {"messages": [], "tools": [{"name": "f"}], "tool_choice": {"type": "auto"}},
    {"messages": [], "tool_choice": {"type": "any", "disable_parallel_tool_use": True}},
    {
        "messages": [],
        "tool_choice": {"type": "tool", "name": "f", "disable_parallel_tool_use": False},
    },
    {"messages": [], "tool_choice": {"type": "none", "disable_parallel_tool_use": True}},
    {"messages": [], "tool_choice": {"type": "tool"}},
    {"messages": [], "tool_choice": {"type": "auto", "name": "f", "x": 1}},
    {"messages": [], "tool_choice": "auto", "$": 1},
]


@table("body", BODIES)
def test_requests_come_back(body):
    request_comes_back(CODEC, body)


def test_requests_are_understood():
    body = {
        "model": "claude-x",
        "max_tokens": 5,
        "system": "s",
        "tools": [{"name": "f", "input_schema": {}}],
        "tool_choice": {"type": "tool", "name": "f", "disable_parallel_tool_use": True},
        "messages": [{"role": "assistant", "content": [{"type": "thinking", "thinking": "t"}]}],
    }
    read = CODEC.read_request(body)
    assert (read.model, read.format, read.tools) == ("claude-x", "anthropic", body["tools"])
    assert read.system.text == "s"
    assert (read.tool_choice.mode, read.tool_choice.names) == ("tool", ["f"])
    assert read.parallel_calls is False
    assert read.extras == {"anthropic": {"max_tokens": 5}}
    assert read.messages[0].parts[0].model == "claude-x"


@pytest.mark.parametrize("messages", [None, {}, "hello", 5])
def test_a_request_needs_messages(messages):
    with pytest.raises(NotAConversation) as error:
        CODEC.read_request({"model": "m", "messages": messages})
    assert error.value.at == "/messages"


def edit(block, change, role="user"):
    messages = CODEC.read_messages([{"role": role, "content": [block]}], None)
    change(messages[0].parts[0])
    return CODEC.write_messages(messages, WriteLog())[0]["content"][0]


EDITS = [
    (
        {"type": "text", "text": "a"},
        lambda p: setattr(p, "text", "b"),
        {"type": "text", "text": "b"},
    ),
    (
        {"type": "tool_use", "id": "t", "name": "f", "input": [1]},
        lambda p: setattr(p, "arguments", {"a": 2}),
        {"type": "tool_use", "id": "t", "name": "f", "input": {"a": 2}},
    ),
    (
        {"type": "tool_result", "tool_use_id": "t", "content": "a", "is_error": None},
        lambda p: setattr(p, "is_error", True),
        {"type": "tool_result", "tool_use_id": "t", "content": "a", "is_error": True},
    ),
    (
        {"type": "tool_result", "tool_use_id": "t"},
        lambda p: p.content.append(tc.Text("b")),
        {"type": "tool_result", "tool_use_id": "t", "content": [{"type": "text", "text": "b"}]},
    ),
    (
        {"type": "tool_result", "tool_use_id": "t", "content": "a"},
        lambda p: p.content.clear(),
        {"type": "tool_result", "tool_use_id": "t", "content": []},
    ),
    (
        {"type": "document", "source": {"type": "content", "content": "old"}, "title": "T"},
        lambda p: setattr(p, "text", "new"),
        {
            "type": "document",
            "source": {"type": "text", "media_type": "text/plain", "data": "new"},
            "title": "T",
        },
    ),
    (
        {"type": "search_result", "source": "s", "title": "T", "content": []},
        lambda p: setattr(p, "text", "new"),
        {
            "type": "search_result",
            "source": "s",
            "title": "T",
            "content": [{"type": "text", "text": "new"}],
        },
    ),
]


@pytest.mark.parametrize(("block", "change", "expected"), EDITS)
def test_fields_are_the_truth(block, change, expected):
    assert edit(block, change) == expected


def test_a_string_gives_way_to_what_is_added():
    messages = CODEC.read_messages([{"role": "user", "content": "a"}], None)
    messages[0].parts.append(tc.Text("b"))
    assert write(messages)[0][0]["content"] == [
        {"type": "text", "text": "a"},
        {"type": "text", "text": "b"},
    ]


def test_reasoning_stays_with_the_model_that_wrote_it():
    body = {
        "model": "claude-a-4-20250101",
        "messages": [
            {
                "role": "assistant",
                "content": [
                    {"type": "thinking", "thinking": "t", "signature": "s"},
                    {"type": "text", "text": "x"},
                ],
            }
        ],
    }
    for model, kept in (("claude-a-4", True), ("claude-a-4-latest", True), ("claude-a-4-1", False)):
        read, told = CODEC.read_request(body), WriteLog()
        read.model = model
        content = CODEC.write_request(read, told)["messages"][0]["content"]
        assert (len(content) == 2) is kept
        assert [loss.code for loss in told.losses] == ([] if kept else ["L301"])


def said(text):
    return {"type": "text", "text": text}


def used(id_, name="f", **arguments):
    return {"type": "tool_use", "id": id_, "name": name, "input": arguments}


def got(id_, *content, **more):
    return {"type": "tool_result", "tool_use_id": id_, "content": list(content), **more}


# messages of others -> what is written, and what is told
FOREIGN = {
    "results of one turn go together": (
        [
            a(tc.Call("f", {}, "1"), tc.Call("f", {}, "2")),
            tool(tc.Result("2")),
            tool(tc.Result("1")),
        ],
        [["assistant", used("1"), used("2")], ["user", got("2"), got("1")]],
        [],
    ),
    "results come before words": (
        [
            a(tc.Call("f", {}, "1")),
            u(tc.Text("wait"), tc.Result("1", [tc.Text("ok")])),
            u(tc.Text("more")),
        ],
        [["assistant", used("1")], ["user", got("1", said("ok")), said("wait"), said("more")]],
        ["L309"],
    ),
    "a late result goes to its call": (
        [
            a(tc.Call("f", {}, "1"), tc.Call("f", {}, "2")),
            tool(tc.Result("1")),
            a(tc.Text("so")),
            u(tc.Text("?")),
            tool(tc.Result("2")),
        ],
        [
            ["assistant", used("1"), used("2")],
            ["user", got("1"), got("2")],
            ["assistant", said("so")],
            ["user", said("?")],
        ],
        ["L309"],
    ),
    "neighbours of one role are one turn": (
        [u(tc.Text("a")), u(tc.Text("b")), a(tc.Text("c")), a(tc.Call("f", {}, "1"))],
        [["user", said("a"), said("b")], ["assistant", said("c"), used("1")]],
        [],
    ),
    "calls without ids are paired by name and order": (
        [
            a(tc.Call("f", {}), tc.Call("g", {}), tc.Call("f", {"n": 1})),
            tool(tc.Result(None, name="g"), tc.Result(None, name="f"), tc.Result(None, name="f")),
        ],
        [
            ["assistant", used("call_0_0"), used("call_0_1", "g"), used("call_0_2", n=1)],
            ["user", got("call_0_1"), got("call_0_0"), got("call_0_2")],
        ],
        ["L322", "L322", "L322", "L325", "L325", "L325"],
    ),
    "empty words are left out, and turns that say nothing": (
        [u(tc.Text("a")), a(tc.Text("")), u(tc.Text(" ")), a(tc.Text(""), tc.Call("f", {}, "1"))],
        [["user", said("a")], ["assistant", used("1")]],
        [],
    ),
    "an error says something": (
        [a(tc.Call("f", {}, "1")), tool(tc.Result("1", [tc.Text(" ")], is_error=True))],
        [
            ["assistant", used("1")],
            ["user", got("1", said("The tool failed without a message."), is_error=True)],
        ],
        [],
    ),
    "thoughts, natives and keys of others": (
        [
            a(
                tc.Reasoning("t", "s", provider="gemini"),
                tc.Native("openai", "x", {}),
                tc.Text("a", {"gemini": {"thoughtSignature": "s"}}),
                tc.Text("b", {"openai": {"$": {"k": 1}}}),
            )
        ],
        [["assistant", said("a"), said("b")]],
        ["L301", "L307", "L308"],
    ),
    "unsigned thoughts": (
        [a(tc.Reasoning("t", provider="anthropic"), tc.Text("a"))],
        [["assistant", said("a")]],
        ["L301"],
    ),
    "free text, namespaces, broken arguments": (
        [
            a(
                tc.Call("patch", None, "1", text="*** x", is_text=True),
                tc.Call("go", {}, "2", namespace="web"),
                tc.Call("f", None, "3", text='{"a": ', problem="not-json"),
                tc.Call("f", [1], "4", text="[1]", problem="not-an-object"),
            )
        ],
        [
            [
                "assistant",
                used("1", "patch", input="*** x"),
                used("2", "web_go"),
                used("3", arguments='{"a": '),
                used("4", arguments="[1]"),
            ]
        ],
        ["L312", "L315", "L313", "L313"],
    ),
    "values, refusals, speakers": (
        [tc.Message("user", [tc.Data({"a": 1})], name="Ann"), a(tc.Refusal("no"))],
        [["user", said('{"a":1}')], ["assistant", said("no")]],
        ["L314", "L305", "L319"],
    ),
    "media": (
        [
            u(
                tc.Media("image", "image/png", "aGk="),
                tc.Media("image", "image/bmp", "aGk="),
                tc.Media("audio", "audio/wav", "aGk="),
                tc.Media("file", "application/pdf", "aGk=", name="a.pdf"),
                tc.Media("document", "text/csv", "aGk="),
                tc.Media("image", url="data:image/gif;base64,aGk="),
                tc.Media("image", file_id="file-1"),
                tc.Media("document", url="s3://b/k"),
            )
        ],
        [
            [
                "user",
                {"type": "image", "source": PNG},
                said("[image image/bmp]"),
                said("[audio audio/wav]"),
                {
                    "type": "document",
                    "source": {"type": "base64", "media_type": "application/pdf", "data": "aGk="},
                    "title": "a.pdf",
                },
                {
                    "type": "document",
                    "source": {"type": "text", "media_type": "text/plain", "data": "hi"},
                },
                {
                    "type": "image",
                    "source": {"type": "base64", "media_type": "image/gif", "data": "aGk="},
                },
                said("[image: file-1]"),
                said("[document: s3://b/k]"),
            ]
        ],
        ["L302", "L302", "L302", "L302"],
    ),
    "a system message waits for the user's turn to end": (
        [
            u(tc.Text("a")),
            tc.Message("developer", [tc.Text("s")]),
            u(tc.Text("b")),
            a(tc.Text("c")),
        ],
        [["user", said("a"), said("b")], ["system", said("s")], ["assistant", said("c")]],
        ["L310", "L311"],
    ),
}


@table("case", FOREIGN)
def test_foreign_messages(case):
    become_turns(CODEC, *FOREIGN[case])


def test_ids_that_are_refused_are_rewritten_without_meeting():
    messages = [
        a(*(tc.Call("f", {}, id_) for id_ in ("a.b", "a:b", "a_b", "é" * 300))),
        tool(*(tc.Result(id_) for id_ in ("a:b", "a.b", "a_b", "é" * 300))),
    ]
    (asked, answered), told = write(messages)
    ids = [block["id"] for block in asked["content"]]
    assert len(set(ids)) == 4
    assert ids[2] == "a_b"
    assert [block["tool_use_id"] for block in answered["content"]] == [ids[1], ids[0], *ids[2:]]
    assert all(len(id_) <= 64 and id_.replace("_", "a").isascii() for id_ in ids)
    assert told == ["L322"] * 3


def test_own_and_foreign_messages_mix():
    own = [
        {"role": "user", "content": "a"},
        {"role": "assistant", "content": [used("1"), used("2")]},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "1", "content": "x"}]},
    ]
    messages = CODEC.read_messages(own, None)
    written, told = write([*messages, tool(tc.Result("2")), a(tc.Text("b"))])
    assert written[:2] == own[:2]
    assert written[2]["content"] == [own[2]["content"][0], got("2")]
    assert written[3] == {"role": "assistant", "content": [said("b")]}
    assert not told


def test_foreign_requests():
    foreign = tc.Conversation(
        [
            tc.Message("system", [tc.Text("first")]),
            tc.Message("developer", [tc.Text("second"), tc.Text(" ")]),
            u(tc.Text("a")),
            tc.Message("system", [tc.Text("third")]),
            a(tc.Call("f", {}, "1")),
        ],
        tc.Message("system", [tc.Text("apart"), tc.Media("image", "image/png", "aGk=")]),
        tools=[{"name": "f"}],
        tool_choice=tc.ToolChoice("subset", ["f", "g"], is_required=True),
        parallel_calls=False,
        model="claude-x",
        format="openai",
        extras={"openai": {"temperature": 1}},
    )
    told = WriteLog()
    body = CODEC.write_request(foreign, told)
    assert body == {
        "model": "claude-x",
        "system": [
            said(word) for word in ("apart", "[image image/png]", "first", "second", "third")
        ],
        "messages": [
            {"role": "user", "content": [said("a")]},
            {"role": "assistant", "content": [used("1")]},
        ],
        "tools": [{"name": "f"}],
        "tool_choice": {"type": "any", "disable_parallel_tool_use": True},
    }
    assert sorted(loss.code for loss in told.losses) == ["L302", "L310", "L311", "L316", "L318"]


@pytest.mark.parametrize(
    ("choice", "parallel", "expected"),
    [
        (None, None, None),
        (None, True, None),
        (None, False, {"type": "auto", "disable_parallel_tool_use": True}),
        (tc.ToolChoice("none"), False, {"type": "none"}),
        (tc.ToolChoice("required"), True, {"type": "any"}),
        (tc.ToolChoice("tool", ["f"]), None, {"type": "tool", "name": "f"}),
        (tc.ToolChoice("subset", ["f"], is_required=True), None, {"type": "tool", "name": "f"}),
        (tc.ToolChoice("subset", ["f"]), None, {"type": "auto"}),
    ],
)
def test_choices(choice, parallel, expected):
    asked = tc.Conversation(tools=[{}], tool_choice=choice, parallel_calls=parallel)
    assert CODEC.write_request(asked, WriteLog()).get("tool_choice") == expected


ANSWER = {
    "id": "msg_1",
    "type": "message",
    "role": "assistant",
    "model": "claude-x",
    "content": [{"type": "thinking", "thinking": "t", "signature": "s"}, used("1")],
    "stop_reason": "tool_use",
    "stop_sequence": None,
    "usage": {"input_tokens": 1, "output_tokens": 2},
    "container": None,
}


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"stop_reason": None},
        {"stop_reason": "of the future"},
        {"usage": None},
        {"model": 1},
        {"content": []},
        {"type": "else", "role": "user"},
        {"content": [None, {"type": "x"}]},
    ],
)
def test_answers_come_back(changes):
    answer_comes_back(CODEC, {**ANSWER, **changes})


def test_answers_are_understood():
    answer = CODEC.read_answer(ANSWER)
    assert (answer.id, answer.model, answer.stop) == (
        "msg_1",
        "claude-x",
        tc.Stop("tool_call", "tool_use"),
    )
    assert answer.calls == [tc.Call("f", {}, "1")]
    assert answer.messages[0].parts[0].model == "claude-x"
    # What came back goes into the next request as it is.
    assert write(answer.messages)[0] == [{"role": "assistant", "content": ANSWER["content"]}]


@pytest.mark.parametrize("body", [{}, {"type": "error", "error": {}}, {"input_tokens": 3}])
def test_what_is_no_answer_is_refused(body):
    with pytest.raises(NotAConversation):
        CODEC.read_answer(body)


def test_foreign_answers():
    told = WriteLog()
    answer = tc.Answer(
        [
            tc.Candidate(
                [a(tc.Text("x")), a(tc.Call("f", {}, "1"))], tc.Stop("bad_call", "MALFORMED")
            ),
            tc.Candidate(),
        ],
        "gemini-x",
        "r1",
        {"totalTokenCount": 1},
        "gemini",
    )
    assert CODEC.write_answer(answer, told) == {
        "type": "message",
        "role": "assistant",
        "id": "r1",
        "model": "gemini-x",
        "content": [said("x"), used("1")],
        "stop_reason": "end_turn",
    }
    assert sorted(loss.code for loss in told.losses) == ["L308", "L320", "L321"]


# Streams.

START = {
    "type": "message_start",
    "message": {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": "claude-x",
        "content": [],
        "stop_reason": None,
        "stop_sequence": None,
        "usage": {"input_tokens": 5, "output_tokens": 1},
    },
}
STOP = {"type": "message_stop"}


def start(index, **block):
    return {"type": "content_block_start", "index": index, "content_block": block}


def delta(index, kind, **values):
    return {"type": "content_block_delta", "index": index, "delta": {"type": kind, **values}}


def stop(index):
    return {"type": "content_block_stop", "index": index}


def ended(reason="end_turn", **more):
    return {
        "type": "message_delta",
        "delta": {"stop_reason": reason, "stop_sequence": None, **more},
        "usage": {"output_tokens": 9, "input_tokens": None},
    }


def call_start(index=0, id_="t1"):
    return start(index, type="tool_use", id=id_, name="f", input={})


def pieces(index, *texts):
    return [delta(index, "input_json_delta", partial_json=text) for text in texts]


def accumulate(events):
    stream = CODEC.accumulate()
    for event in events:
        stream.feed(event)
    return stream.finish()


WHOLE = [
    START,
    {"type": "ping"},
    start(0, type="thinking", thinking="", signature=""),
    delta(0, "thinking_delta", thinking="so "),
    delta(0, "thinking_delta", thinking="what"),
    delta(0, "signature_delta", signature="sig=="),
    stop(0),
    start(1, type="text", text=""),
    delta(1, "text_delta", text="He"),
    {"type": "ping"},
    delta(1, "text_delta", text="llo"),
    delta(1, "citations_delta", citation={"type": "page_location", "n": 1}),
    delta(1, "citations_delta", citation={"type": "page_location", "n": 2}),
    stop(1),
    start(2, type="server_tool_use", id="s", name="web_search", input={}),
    *pieces(2, "", '{"query": ', '"x"}'),
    stop(2),
    start(3, type="web_search_tool_result", tool_use_id="s", content=[{"url": "u"}]),
    stop(3),
    start(4, type="compaction", content=None),
    delta(4, "compaction_delta", content="sum", encrypted_content="e"),
    stop(4),
    call_start(5),
    *pieces(5, "", '{"a": {"b', '": "\\u00', 'e9"}', "}"),
    stop(5),
    call_start(6, "t2"),
    stop(6),
    ended("tool_use", container={"id": "c"}),
    STOP,
]


def test_a_whole_stream():
    answer = accumulate(WHOLE)
    assert CODEC.write_answer(answer, WriteLog()) == {
        **START["message"],
        "content": [
            {"type": "thinking", "thinking": "so what", "signature": "sig=="},
            {
                "type": "text",
                "text": "Hello",
                "citations": [{"type": "page_location", "n": 1}, {"type": "page_location", "n": 2}],
            },
            {"type": "server_tool_use", "id": "s", "name": "web_search", "input": {"query": "x"}},
            {"type": "web_search_tool_result", "tool_use_id": "s", "content": [{"url": "u"}]},
            {"type": "compaction", "content": "sum", "encrypted_content": "e"},
            used("t1", a={"b": "é"}),
            used("t2"),
        ],
        "stop_reason": "tool_use",
        "container": {"id": "c"},
        "usage": {"input_tokens": 5, "output_tokens": 9},
    }
    assert [call.text for call in answer.calls] == ['{"a": {"b": "\\u00e9"}}', None]
    assert answer.messages[0].parts[0].model == "claude-x"


@table("length", range(len(WHOLE)))
def test_a_cut_stream_is_never_an_answer(length):
    with pytest.raises(CutStream) as error:
        accumulate(WHOLE[:length])
    for call in error.value.partial.calls:
        is_whole = call.id == "t1" and length > WHOLE.index(stop(5))
        is_whole |= call.id == "t2" and length > WHOLE.index(stop(6))
        assert (call.problem is None) is is_whole
        assert (call.arguments is None) is not is_whole


def test_errors_cut_a_stream():
    broken = {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}
    with pytest.raises(CutStream, match="Overloaded"):
        accumulate([*WHOLE[:-1], broken, STOP])
    with pytest.raises(CutStream, match="not open"):
        accumulate([START, delta(3, "text_delta", text="x"), ended(), STOP])


@pytest.mark.parametrize(
    ("events", "reason", "arguments", "text", "problem"),
    [
        ([], "tool_use", {}, None, None),
        (pieces(0, ""), "tool_use", {}, None, None),
        (pieces(0, "{}"), "tool_use", {}, "{}", None),
        (pieces(0, '{"a": 1'), "tool_use", None, '{"a": 1', "not-json"),
        (pieces(0, '{"a": 1'), "max_tokens", None, '{"a": 1', "not-json"),
        ([], "max_tokens", None, "", "not-json"),
        ([], "refusal", None, "", "not-json"),
        (pieces(0, "[1]"), "tool_use", [1], "[1]", "not-an-object"),
    ],
)
def test_arguments_of_a_stream(events, reason, arguments, text, problem):
    (call,) = accumulate([START, call_start(), *events, stop(0), ended(reason), STOP]).calls
    assert (call.arguments, call.text, call.problem) == (arguments, text, problem)


def test_a_stream_that_begins_anew_and_whole_input_at_the_start():
    given = start(0, type="tool_use", id="t", name="f", input={"a": 1})
    events = [
        START,
        call_start(),
        *pieces(0, '{"b'),
        START,
        given,
        stop(0),
        ended("tool_use"),
        STOP,
    ]
    assert accumulate(events).calls == [tc.Call("f", {"a": 1}, "t")]


def test_interleaved_blocks():
    events = [
        START,
        call_start(0),
        call_start(1, "t2"),
        *pieces(1, '{"b":'),
        *pieces(0, '{"a":'),
        *pieces(1, "2}"),
        *pieces(0, "1}"),
        stop(1),
        stop(0),
        ended("tool_use"),
        STOP,
    ]
    assert [call.arguments for call in accumulate(events).calls] == [{"a": 1}, {"b": 2}]


# Whatever happens to a body, it comes back or is refused with a place.

JUNK = [
    None,
    True,
    0,
    "",
    "$",
    [],
    {},
    [None],
    {"$": {"content": "text"}},
    {"type": []},
    {"type": "text", "text": 1},
    {"type": "tool_result"},
    {"role": "tool"},
    "developer",
]
SAMPLES = [
    {
        "model": "m",
        "system": "s",
        "tools": [],
        "tool_choice": {"type": "auto"},
        "messages": [{"role": "user", "content": [block for block, _ in BLOCKS]}],
    },
    {
        "messages": [
            *MESSAGES[:4],
            {"role": "assistant", "content": [used("1", a=1)]},
            {"role": "user", "content": [got("1", said("x"), {"type": "image", "source": PNG})]},
        ]
    },
]


@settings(max_examples=400)
@given(st.data())
def test_damaged_bodies_come_back_or_are_refused(data):
    body = copy.deepcopy(data.draw(st.sampled_from(SAMPLES)))
    at = data.draw(st.sampled_from([place for place in places(body) if place]))
    holder = body
    for step in at[:-1]:
        holder = holder[step]
    holder[at[-1]] = copy.deepcopy(data.draw(st.sampled_from(JUNK)))
    given_body = json.dumps(body)
    try:
        read = CODEC.read_request(body)
    except NotAConversation as error:
        assert error.at.startswith("/messages")  # noqa: PT017 - any other error is the failure
        return
    assert CODEC.write_request(read, WriteLog()) == body
    assert json.dumps(body) == given_body


@settings(max_examples=100)
@given(st.data())
def test_damaged_streams_never_crash(data):
    events = copy.deepcopy(WHOLE)
    at = data.draw(st.sampled_from([place for place in places(events) if place]))
    holder = events
    for step in at[:-1]:
        holder = holder[step]
    holder[at[-1]] = copy.deepcopy(data.draw(st.sampled_from(JUNK)))
    try:
        answer = accumulate(events)
    except CutStream as error:
        answer = error.partial
    CODEC.write_answer(answer, WriteLog())


@pytest.mark.parametrize(
    ("message", "low", "high"),
    [
        ({"role": "user", "content": [got("1")]}, 1, 1),
        ({"role": "assistant", "content": [used("1")]}, 1, 1),
        ({"role": "user", "content": "x"}, 0.3, 0.6),
        ({"role": "user", "content": [said("x")]}, 0.3, 0.6),
        ({"role": "assistant", "content": None, "tool_calls": []}, 0, 0),
        ({"role": "user", "content": [{"text": "x"}]}, 0, 0.2),
        ({"role": "user", "parts": []}, 0, 0),
        ({"type": "function_call"}, 0, 0),
    ],
)
def test_sniffing(message, low, high):
    assert low <= CODEC.sniff(message) <= high


def test_a_result_alone():
    block = got("1", said("x"), is_error=True)
    assert CODEC.read_result(block) == tc.Result("1", [tc.Text("x")], is_error=True)
    with pytest.raises(NotAConversation):
        CODEC.read_result(said("x"))
