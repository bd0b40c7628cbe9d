"""Switching provider: what is repaired, what is reported, what comes back."""

import copy
import json
import pickle

import pytest

import toolcanon as tc
from tests.tables import table
from toolcanon.conversations.read_write import codec_of
from toolcanon.conversations.repair_history.ids import original, spelled_out
from toolcanon.conversations.switch import switch
from toolcanon.conversations.trim import trim
from toolcanon.errors import (
    BadReceipt,
    NotAConversation,
    ProfileCollision,
    UnknownFormat,
    UnknownProfile,
    UsageError,
)
from toolcanon.jsonio import loads

FAMILIES = ("openai", "openai-responses", "anthropic", "gemini", "bedrock")
STRICT = ("openai", "anthropic", "gemini", "bedrock")


def user(text):
    return {"role": "user", "content": text}


def says(text):
    return {"role": "assistant", "content": text}


def call(*calls, text=None):
    """An assistant's message; a call is (id, name, arguments)."""
    made = [
        {"id": id_, "type": "function", "function": {"name": name, "arguments": arguments}}
        for id_, name, arguments in calls
    ]
    return {"role": "assistant", "content": text, "tool_calls": made}


def result(id_, text="ok"):
    return {"role": "tool", "tool_call_id": id_, "content": text}


READ = ("c1", "read", '{"path":"a"}')
LIST = ("c2", "ls", "{}")
WHOLE = [user("go"), call(READ, LIST), result("c1", "A"), result("c2", "B"), says("done")]


def codes(done):
    return [repair.code for repair in done.repairs]


def errors(done, **known):
    found = tc.lint(done.payload, done.target, source=done.target)
    return [finding.name for finding in found if finding.level == "error"]


def facts(conversation):
    """Calls and results, of any family."""
    parts = [part for message in conversation.messages for part in message.parts]
    calls = [(p.id, p.name, p.arguments) for p in parts if isinstance(p, tc.Call)]
    results = [
        (p.call_id, "".join(c.text for c in p.content if isinstance(c, tc.Text)), bool(p.is_error))
        for p in parts
        if isinstance(p, tc.Result)
    ]
    return calls, sorted(results)


# --- each repair: history, target, the exact codes with the places they are told at

REPAIRS = [
    ("nothing to do", WHOLE, "anthropic", []),
    ("no result in the middle", [user("go"), call(READ, LIST), result("c2"), says("x"), user("y")],
     "anthropic", ["R101 /messages/1/parts/0"]),
    ("no result at the end", [user("go"), call(READ)], "openai", ["R101 /messages/1/parts/0"]),
    ("no result, for one that looks later", [user("go"), call(READ), user("y")],
     "openai-responses", ["R101 /messages/1/parts/0"]),
    ("a result of nothing", [result("c9"), user("go")], "bedrock", ["R102 /messages/0/parts/0"]),
    ("two results", [user("go"), call(READ), result("c1", "A"), result("c1", "B"), user("y")],
     "gemini", ["R103 /messages/3/parts/0"]),
    ("words between", [user("go"), call(READ), user("wait"), result("c1"), says("x")],
     "openai", ["R104 /messages/3/parts/0"]),
    ("a system message between", [user("go"), call(READ), {"role": "system", "content": "s"},
                                  result("c1"), says("x")],
     "openai", ["R104 /messages/3/parts/0"]),
    ("a whole exchange between", [user("go"), call(READ), user("hm"), says("x"), result("c1"),
                                  user("y")],
     "anthropic", ["R104 /messages/4/parts/0"]),
    ("a result before its call", [user("go"), result("c1"), call(READ), user("y")],
     "openai-responses", ["R104 /messages/1/parts/0"]),
    ("later is fine there", [user("go"), call(READ), user("wait"), result("c1"), says("x")],
     "openai-responses", []),
    ("a turn in several messages", [user("go"), call(READ), says("a"), says("b"), result("c1")],
     "openai", ["R105 /messages/2", "R105 /messages/3"]),
    ("an id of other letters", [user("go"), call(("a.b", "read", "{}")), result("a.b")],
     "anthropic", ["R106 /messages/1/parts/0/id"]),
    ("the same id in every turn", [user("go"), call(("0", "f", "{}")), result("0", "A"),
                                   call(("0", "f", "{}")), result("0", "B")],
     "anthropic", ["R106 /messages/3/parts/0/id"]),
    ("the same id in every turn, where that is taken",
     [user("go"), call(("0", "f", "{}")), result("0", "A"), call(("0", "f", "{}")),
      result("0", "B")], "gemini", []),
    ("an empty user", [user("go"), says("x"), user(""), user("y")], "anthropic",
     ["R109 /messages/2"]),
    ("a blank user", [user("go"), says("x"), user(" "), user("y")], "anthropic",
     ["R108 /messages/2/parts/0", "R109 /messages/2"]),
    ("a blank beside a call", [user("go"), call(READ, text=" "), result("c1")], "anthropic", []),
    ("a blank beside a call, refused", [user("go"), call(READ, text=" "), result("c1")], "bedrock",
     ["R108 /messages/1/parts/0"]),
    ("a blank result", [user("go"), call(READ), result("c1", " ")], "bedrock",
     ["R108 /messages/2/parts/0/content/0"]),
    ("the assistant first", [says("hello"), user("go")], "bedrock", ["R110 /messages/0"]),
    ("the assistant first, calling", [call(READ), result("c1"), user("go")], "gemini",
     ["R110 /messages/0"]),
    ("the assistant first, where that is taken", [says("hello"), user("go")], "openai", []),
    ("an error without words", [user("go"), call(READ), result("c1", '{"ok":false,"error":""}')],
     "anthropic", ["R111 /messages/2/parts/0"]),
    ("arguments that are cut", [user("go"), call(("c1", "f", '{"a": ')), result("c1")], "gemini",
     ["R112 /messages/1/parts/0/arguments"]),
    ("arguments that are a list", [user("go"), call(("c1", "f", "[1]")), result("c1")], "bedrock",
     ["R112 /messages/1/parts/0/arguments"]),
    ("no arguments at all", [user("go"), call(("c1", "f", "")), result("c1")], "anthropic",
     ["R112 /messages/1/parts/0/arguments"]),
    ("a key twice", [user("go"), call(("c1", "f", '{"x":1,"x":2}')), result("c1")], "anthropic",
     ["R129 /messages/1/parts/0/arguments"]),
    ("a key twice, for one that takes texts",
     [user("go"), call(("c1", "f", '{"x":{"y":1, "y":2}}')), result("c1")],
     "openai-responses", ["R129 /messages/1/parts/0/arguments"]),
    ("a key twice, spelled otherwise", [user("go"), call(("c1", "f", r'{"x":1,"\u0078":"\u003a"}')),
                                        result("c1")],
     "gemini", ["R129 /messages/1/parts/0/arguments"]),
    ("a key twice beside a large number",
     [user("go"), call(("c1", "f", '{"x":98765432109876543210,"x":2}')), result("c1")],
     "bedrock", ["R129 /messages/1/parts/0/arguments"]),
    ("a key twice, at home", [user("go"), call(("c1", "f", '{"x":1,"x":2}')), result("c1")],
     "openai", []),
    ("no key twice", [user("go"), call(("c1", "f", '{"a": "b: c", "d": {"e": [{"e": ":"}]}}')),
                      result("c1")], "anthropic", []),
    ("half a character in arguments", [user("go"), call(("c1", "f", r'{"x":"\ud800"}')),
                                       result("c1")],
     "anthropic", ["R112 /messages/1/parts/0/arguments"]),
    ("half a character in the text of arguments",
     [user("go"), call(("c1", "f", '{"x":"\ud800"}')), result("c1")],
     "openai-responses", ["R128 /messages/1/parts/0/text", "R112 /messages/1/parts/0/arguments"]),
    ("half a character in words", [user("q\ud800"), says("é"), user("y")], "gemini",
     ["R128 /messages/0/parts/0/text"]),
    ("half a character in a result", [user("go"), call(READ), result("c1", "\udc80")], "bedrock",
     ["R128 /messages/2/parts/0/content/0/text"]),
    ("half a character in an id", [user("go"), call(("\ud800", "f", "{}")), result("\ud800")],
     "gemini", ["R106 /messages/1/parts/0/id"]),
    ("no ids at all, where that is taken",
     [user("go"), call((None, "f", "{}"), (None, "g", "{}")), result(None, "A"), result(None, "B")],
     "gemini", ["R127 /messages/2/parts/0/name", "R127 /messages/3/parts/0/name"]),
    ("an id that is too long for some", [user("go"), call(("A" * 70, "f", "{}")), result("A" * 70)],
     "openai", ["R106 /messages/1/parts/0/id"]),
    ("an id that only some take", [user("go"), call(("é", "f", "{}")), result("é")],
     "openai-responses", ["R106 /messages/1/parts/0/id"]),
    ("ids that spell each other", [user("go"), call(("a b", "f", "{}")), result("a b", "A"),
                                   call(("tcid_YSBi", "f", "{}")), result("tcid_YSBi", "B")],
     "gemini", []),
    ("ids that spell each other, where one is refused",
     [user("go"), call(("a b", "f", "{}")), result("a b", "A"), call(("tcid_YSBi", "f", "{}")),
      result("tcid_YSBi", "B")], "anthropic", ["R106 /messages/1/parts/0/id"]),
    ("a name of other letters", [user("go"), call(("c1", "a.b", "{}")), result("c1")], "anthropic",
     ["R120 /messages/1/parts/0/name"]),
]  # fmt: skip


@table(("history", "target", "told"), [row[1:] for row in REPAIRS],
                         ids=[row[0] for row in REPAIRS])  # fmt: skip
def test_repairs_are_reported_with_their_places(history, target, told):
    before = copy.deepcopy(history)
    done = switch(history, target, source="openai")
    assert [f"{repair.code} {repair.at}" for repair in done.repairs] == told
    found = {finding.name for finding in tc.lint(done.payload, target, source=target)}
    assert found <= {"ends-with-assistant"}
    assert loads(json.dumps(done.payload, ensure_ascii=False)).value == done.payload
    assert history == before
    assert all(tc.Repair(**vars_of(repair)) == repair for repair in done.repairs)


def vars_of(repair):
    return {name: getattr(repair, name) for name in repair.__slots__}


@table("name", [row[0] for row in REPAIRS])
@table("target", FAMILIES)
def test_every_such_history_is_taken_everywhere(name, target):
    history = next(row[1] for row in REPAIRS if row[0] == name)
    done = switch({"model": "m", "messages": history}, target, source="openai")
    assert not errors(done)
    again = switch(done.payload, target, source=target)
    assert (again.repairs, again.payload) == ((), done.payload)


def test_what_is_left_out_is_in_the_report():
    done = switch([result("c9", "precious"), user("go")], "openai", source="openai")
    assert done.repairs[0].before == {"call_id": "c9", "text": "precious"}
    assert done.payload == [user("go")]


def test_an_added_result_is_an_error_with_a_reason():
    done = switch([user("go"), call(READ), user("y")], "anthropic", source="openai")
    (block, words) = done.payload[2]["content"]
    assert block["is_error"] is True
    assert "interrupted" in block["content"][0]["text"]
    assert words["text"] == "y"
    cut = switch([user("go"), call(("c", "f", '{"a"'))], "anthropic", source="openai")
    assert "could not be read" in cut.payload[2]["content"][0]["content"][0]["text"]


def test_without_repair_it_is_only_reported():
    history = [user("go"), call(READ), user("wait"), result("c1")]
    done = switch(history, "openai", source="openai", repair=False)
    assert codes(done) == ["R104"]
    assert done.payload == history
    assert not done.is_repaired
    assert errors(done) == ["result-too-late"]


def test_names_are_no_matter_of_repair():
    history = [user("go"), call(("a.b", "c.d", "{}")), result("a.b")]
    done = switch(history, "anthropic", source="openai", repair=False)
    assert [repair.code for repair in done.made] == ["R120"]
    assert codes(done) == ["R106"]
    assert done.payload[1]["content"][0]["name"] == "c_d"
    assert (done.names, done.ids) == ({"c_d": "c.d"}, {})
    back = switch(done.payload, "gemini", receipt=done.receipt())
    assert back.payload[1]["parts"][0]["functionCall"]["name"] == "c.d"
    assert not switch(history, "anthropic", source="openai").made


def test_a_tool_that_is_not_declared_is_not_bound():
    body = {"messages": WHOLE}
    assert switch(body, "bedrock", source="openai").binding is not None
    told = switch(body, "bedrock", source="openai", repair=False)
    assert set(codes(told)) == {"R119"}
    assert (told.binding, "toolConfig" in told.payload) == (None, False)


def test_lists_give_lists_and_bodies_give_bodies():
    history = [{"role": "system", "content": "Be brief."}, *WHOLE]
    for target in FAMILIES:
        listed = switch(history, target, source="openai")
        body = switch({"messages": history}, target, source="openai").payload
        codec = codec_of(target)
        assert listed.payload == body[codec.history]
        if codec.system:
            assert listed.system == body.get(codec.system)
        else:
            assert listed.system is None
    assert switch([], "gemini", source="openai").payload == []


def test_an_answer_and_one_message_are_messages():
    answer = {"choices": [{"message": says("hi"), "finish_reason": "stop", "index": 0}],
              "object": "chat.completion", "model": "m", "id": "x", "created": 1}  # fmt: skip
    assert switch(answer, "gemini").payload == [{"role": "model", "parts": [{"text": "hi"}]}]
    assert switch(tuple(WHOLE), "openai", source="openai").payload == WHOLE


def test_places_of_losses_lead_into_what_was_given():
    audio = {"type": "input_audio", "input_audio": {"data": "UklGRg==", "format": "wav"}}
    history = [result("c9"), user("go"), user([{"type": "text", "text": "hear"}, audio])]
    done = switch(history, "anthropic", source="openai")
    assert [str(loss.at) for loss in done.losses if loss.code == "L302"] == ["/messages/2/parts/1"]


def test_what_raises():
    with pytest.raises(UnknownFormat):
        switch(WHOLE, "claude")
    with pytest.raises(UnknownFormat):
        switch(WHOLE, "mcp")
    with pytest.raises(NotAConversation):
        switch({"a": 1}, "openai")
    with pytest.raises(UnknownProfile):
        switch(WHOLE, "openai", naming="nobody")
    with pytest.raises(BadReceipt):
        switch(WHOLE, "openai", receipt={"toolcanon-switch": 2, "ids": {}, "names": {}})
    with pytest.raises(BadReceipt):
        switch(WHOLE, "openai", receipt={"toolcanon-switch": 1, "ids": {"a": 1}, "names": {}})


# --- ids


@pytest.mark.parametrize("id_", ["", "a.b", "a:b", "é", "x y", "\ud800", "tcid_YS5i", "/", "=" * 9])
def test_ids_are_spelled_out_and_read_again(id_):
    assert original(spelled_out(id_)) == id_
    assert original(spelled_out(id_, 7)) == id_


@pytest.mark.parametrize("id_", ["call_1", "tc", "tcid", "tcid_!", "tcid_YS5", "tcid_YQ=="])
def test_ids_of_others_are_left_alone(id_):
    assert original(id_) == id_


@pytest.mark.parametrize("target", FAMILIES)
def test_ids_stay_apart_and_come_back(target):
    ids = ["a.b", "a:b", "a_b", "é", "x" * 300, "y" * 300, "call_1", "", "tcid_YS5i"]
    history = [user("go"), call(*((id_, "f", "{}") for id_ in ids)), *map(result, ids)]
    there = switch(history, target, source="openai")
    calls, results = facts(tc.read_conversation(there.payload, source=target))
    assert len({id_ for id_, *_ in calls}) == len(ids)
    assert sorted(id_ for id_, *_ in calls) == [id_ for id_, *_ in results]
    assert not errors(there)
    back = switch(there.payload, "openai", source=target, receipt=there.receipt())
    short = {id_ for id_ in ids if 0 < len(id_) <= 40}
    assert short <= {
        id_ for id_, *_ in facts(tc.read_conversation(back.payload, source="openai"))[0]
    }
    assert there.payload == switch(history, target, source="openai").payload


def test_short_ids_come_back_without_a_receipt():
    history = [user("go"), call(("fn.read:0", "f", "{}")), result("fn.read:0")]
    there = switch(history, "anthropic", source="openai")
    assert there.payload[1]["content"][0]["id"] == spelled_out("fn.read:0")
    assert switch(there.payload, "openai", source="anthropic").payload == history


def test_calls_without_ids_get_some_and_lose_them_again():
    given = [
        {"role": "user", "parts": [{"text": "go"}]},
        {"role": "model", "parts": [{"functionCall": {"name": "f", "args": {"a": 1}}},
                                    {"functionCall": {"name": "f", "args": {"a": 2}}}]},
        {"role": "user", "parts": [
            {"functionResponse": {"name": "f", "response": {"output": "1"}}},
            {"functionResponse": {"name": "f", "response": {"output": "2"}}}]},
    ]  # fmt: skip
    for target in FAMILIES:
        there = switch(given, target, source="gemini")
        calls, results = facts(tc.read_conversation(there.payload, source=target))
        assert [arguments for *_, arguments in calls] == [{"a": 1}, {"a": 2}]
        if target != "gemini":
            assert [id_ for id_, *_ in calls] == [id_ for id_, *_ in results]
        assert switch(there.payload, "gemini", source=target).payload == given


ALIKE = ["a b", "tcid_YSBi", "tcid2_YSBi", "tcid2_dGNpZF9ZU0Jp", "a_b", "é", "tcid_w6k"]


@table("target", FAMILIES)
@table("order", [1, -1])
def test_ids_that_spell_others_out_stay_apart(target, order):
    ids = ALIKE[::order]
    history = [user("go")]
    for id_ in ids:
        history += [call((id_, "f", "{}")), result(id_, f"of {id_}")]
    there = switch(history, target, source="openai")
    calls, results = facts(tc.read_conversation(there.payload, source=target))
    assert len({id_ for id_, *_ in calls}) == len(ids)
    answers = {id_: text for id_, text, _ in results}
    assert [answers[id_] for id_, *_ in calls] == [f"of {id_}" for id_ in ids]
    back = switch(there.payload, "openai", source=target, receipt=there.receipt())
    assert back.payload == history
    alone = switch(there.payload, "openai", source=target)  # nobody says which was which
    calls, _ = facts(tc.read_conversation(alone.payload, source="openai"))
    assert len({id_ for id_, *_ in calls}) == len(ids)


def test_a_receipt_lists_what_is_undone():
    """An id of the new model's own that looks like ours is its own."""
    history = [user("go"), call(("a b", "f", "{}")), result("a b"), call(("a b", "f", "{}")),
               result("a b", "B")]  # fmt: skip
    there = switch(history, "anthropic", source="openai")
    receipt = there.receipt()
    assert receipt["ids"] == {"tcid_YSBi": "a b", "tcid2_YSBi": "a b"}
    assert switch(there.payload, "openai", receipt=receipt).payload == history
    grown = copy.deepcopy(there.payload)
    for block in (*grown[1]["content"], *grown[2]["content"]):
        block["id" if "id" in block else "tool_use_id"] = "tcid_eA"
    back = switch(grown, "openai", receipt=receipt).payload
    assert back[1]["tool_calls"][0]["id"] == "tcid_eA"
    assert switch(grown, "openai").payload[1]["tool_calls"][0]["id"] == "x"


def test_one_id_of_many_turns_comes_back():
    history = [user("go"), call(("0", "f", "{}")), result("0", "A"), call(("0", "f", "{}")),
               result("0", "B")]  # fmt: skip
    there = switch(history, "anthropic", source="openai")
    assert there.receipt()["ids"] == {"tcid2_MA": "0", "0": "0"}
    assert switch(there.payload, "openai", receipt=there.receipt()).payload == history
    calls, _ = facts(tc.read_conversation(switch(there.payload, "openai").payload, source="openai"))
    assert [id_ for id_, *_ in calls] == ["0", "tcid2_MA"]


def test_an_id_that_was_left_out_is_nobodys():
    """Gemini needs none; what is left out is not listed under the name of nothing."""
    history = [user("go"), call(("tcnone_1_0", "f", "{}")), result("tcnone_1_0")]
    there = switch(history, "gemini", source="openai")
    assert "id" not in there.payload[1]["parts"][0]["functionCall"]
    assert there.receipt()["ids"] == {}


# --- what JSON and UTF-8 cannot hold


@pytest.mark.parametrize("target", FAMILIES)
def test_lone_surrogates_are_never_written(target):
    half = "\udc80"
    arguments = {half: [half, 2**70], "b": {"c": half}}
    parts = [tc.Refusal(half), tc.Call(f"f{half}", arguments, half)]
    content = [tc.Text(half), tc.Data({half: half})]
    messages = [
        tc.Message("user", [tc.Text(f"é{half}"), tc.Media("document", "text/plain", text=half)],
                   half, {target: {"note": half}}),
        tc.Message("assistant", parts),
        tc.Message("tool", [tc.Result(half, content, f"f{half}")]),
    ]  # fmt: skip
    given = tc.Conversation(messages, system=tc.Message("system", [tc.Text(half)]), format="openai")
    before = copy.deepcopy(given)
    done = switch(given, target)
    json.dumps(done.payload, ensure_ascii=False).encode()
    assert given == before
    told = [str(repair.at) for repair in done.repairs if repair.code == "R128"]
    assert {
        "/system/parts/0/text",
        "/messages/0/parts/0/text",
        "/messages/0/name",
        "/messages/1/parts/1/arguments",
        "/messages/2/parts/0/content/1/value",
    } <= set(told)
    assert r"\udc80" in json.dumps(done.payload, ensure_ascii=False)
    assert not [repair for repair in switch(done.payload, target).repairs if repair.code == "R128"]


def test_arguments_that_cannot_be_sent_keep_their_text():
    text = r'{"x":"\ud800"}'
    done = switch([user("go"), call(("c1", "f", text)), result("c1")], "anthropic", source="openai")
    assert done.payload[1]["content"][0]["input"] == {"arguments": text}
    assert done.repairs[0].before == text


def test_keys_that_stand_twice():
    text = '{"x":1, "x":2}'
    history = [user("go"), call(("c1", "f", text)), result("c1")]
    done = switch(history, "anthropic", source="openai")
    assert [(r.code, r.before, r.after) for r in done.repairs] == [("R129", text, {"x": 2})]
    assert switch(history, "openai", source="openai").payload == history
    bound = tc.bind([tc.CanonicalTool(name="f")], "openai")
    for known in ({"source_binding": bound}, {"receipt": bound.receipt()}, {"tools": bound.tools}):
        done = switch(history, "openai", source="openai", **known)
        assert codes(done) == ["R129"]
        assert done.payload[1]["tool_calls"][0]["function"]["arguments"] == '{"x":2}'
    only = switch(history, "anthropic", source="openai", repair=False)
    assert [repair.code for repair in only.made] == ["R129"]


# --- tools, names, arguments

TOOLS = [
    tc.CanonicalTool(
        name="read",
        description="Reads. See `list_all`.",
        inputs={"type": "object", "properties": {"path": {"type": "string"},
                                                 "lines": {"type": "integer"}},
                "required": ["path"]},
    ),
    tc.CanonicalTool(name="list_all", inputs={"type": "object", "properties": {}}),
]  # fmt: skip


def test_tools_of_a_body_are_bound_for_the_target():
    body = {"messages": WHOLE, "tools": tc.bind(TOOLS, "openai").payload, "tool_choice": "required"}
    done = switch(body, "anthropic")
    assert [tool["name"] for tool in done.payload["tools"]] == ["read", "list_all"]
    assert done.payload["tool_choice"] == {"type": "any"}
    assert done.binding.restore("read", {"path": "x"}).ok


def test_arguments_come_back_by_the_source_and_go_out_by_the_target():
    strict = tc.bind(TOOLS, "openai", strict=True)
    wire = json.dumps(strict.render("read", {"path": "a"})[1])
    assert json.loads(wire) == {"path": "a", "lines": None}
    history = [user("go"), call(("c1", "read", wire)), result("c1")]
    done = switch(history, "anthropic", source="openai", source_binding=strict)
    assert done.payload[1]["content"][0]["input"] == {"path": "a"}
    again = switch(done.payload, "openai", source="anthropic", binding=strict)
    assert json.loads(again.payload[1]["tool_calls"][0]["function"]["arguments"]) == {
        "path": "a", "lines": None,
    }  # fmt: skip
    by_receipt = switch(history, "anthropic", source="openai", source_binding=strict.receipt())
    assert by_receipt.payload == done.payload


def test_a_tool_that_was_not_given_passes_with_a_note():
    history = [user("go"), call(("c1", "gone", '{"a": 1}')), result("c1")]
    done = switch(history, "anthropic", source="openai", tools=TOOLS)
    assert codes(done) == ["R121"]
    assert done.payload[1]["content"][0]["input"] == {"a": 1}


def test_names_go_out_and_come_back_by_a_profile():
    body = {"messages": [user("read it"), call(("c1", "read", '{"path": "read"}')),
                         result("c1", "read")],
            "tools": tc.bind(TOOLS, "openai").payload,
            "tool_choice": {"type": "function", "function": {"name": "read"}}}  # fmt: skip
    done = switch(body, "anthropic", naming="claude-code")
    block = done.payload["messages"][1]["content"][0]
    assert (block["name"], block["input"]) == ("Read", {"path": "read"})
    assert done.payload["tool_choice"] == {"type": "tool", "name": "Read"}
    assert [tool["name"] for tool in done.payload["tools"]] == ["Read", "ListAll"]
    back = switch(done.payload, "openai", source="anthropic", receipt=done.receipt())
    assert back.payload["messages"][1]["tool_calls"][0]["function"]["name"] == "read"
    assert back.payload["tool_choice"]["function"]["name"] == "read"


def test_collisions_are_errors_that_name_both():
    both = [tc.CanonicalTool(name="grep"), tc.CanonicalTool(name="ripgrep")]
    for make in (
        lambda: switch(WHOLE, "anthropic", tools=both, naming="claude-code"),
        lambda: tc.bind(both, "anthropic", naming="claude-code"),
    ):
        with pytest.raises(ProfileCollision) as caught:
            make()
        assert {caught.value.first, caught.value.second} == {"grep", "ripgrep"}
    one = [tc.CanonicalTool(name="grep")]
    history = [user("go"), call(("1", "ripgrep", "{}"), ("2", "grep", "{}")), result("1"),
               result("2")]  # fmt: skip
    done = switch(history, "anthropic", source="openai", tools=one, naming="claude-code")
    assert [block["name"] for block in done.payload[1]["content"]] == ["ripgrep", "Grep"]


def test_bound_tools_under_a_profile():
    tools = [*TOOLS, tc.CanonicalTool(name="finish")]
    bound = tc.bind(tools, "anthropic", naming="claude-code")
    assert bound.names == {"read": "Read", "list_all": "ListAll"}
    assert [tool["name"] for tool in bound.payload] == ["Read", "ListAll"]
    assert [loss.code for loss in bound.losses if loss.tool == "finish"] == ["L015"]
    for name in ("Read", "read"):
        assert bound.restore(name, {"path": "a"}).name == "read"
    assert bound.render("read", {"path": "a"})[0] == "Read"
    alone = tc.bind(tools[0], "openai", naming="pascal")
    assert alone.payload["function"]["name"] == "Read"
    converted = tc.convert(tools[0].to_dict(), "anthropic", naming={"read": "Lesen"})
    assert converted.payload["name"] == "Lesen"
    assert tc.read(converted.payload, receipt=converted.receipt())[0].name == "read"
    assert (
        tc.bind(tc.CanonicalTool(name="ls"), "mcp", naming="pascal").restore("LS", {}).name == "ls"
    )


def test_rows_go_by_a_profile_too():
    converter = tc.Converter("mcp", naming="pascal")
    rows = [{"name": "list_all", "input_schema": {"type": "object"}}]
    again = pickle.loads(pickle.dumps(converter))  # noqa: S301 - our own
    assert again.batch(rows) == [{"name": "ListAll", "inputSchema": {"type": "object"}}]
    with pytest.raises(UnknownProfile):
        tc.Converter("mcp", naming="nobody")


def test_numbers_that_json_cannot_hold():
    infinite = [
        {"role": "user", "content": "go"},
        {"role": "assistant", "content": [
            {"type": "tool_use", "id": "t", "name": "f", "input": {"a": [float("inf")]}}]},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t"}]},
    ]  # fmt: skip
    done = switch(infinite, "gemini", source="anthropic")
    assert codes(done) == ["R113"]
    assert done.payload[1]["parts"][0]["functionCall"]["args"] == {"a": ["Infinity"]}
    deep = value = {}
    for _ in range(3000):
        value["a"] = value = {}
    value["b"] = float("nan")
    infinite[1]["content"][0]["input"] = deep
    switch(infinite, "gemini", source="anthropic")


def test_a_conversation_of_nobodys_format():
    messages = [tc.Message("user", [tc.Text("go")]),
                tc.Message("assistant", [tc.Call("f", {}, "a.b"), tc.Call("f", {})])]  # fmt: skip
    for target in FAMILIES:
        done = switch(tc.Conversation(messages), target)
        assert not errors(done)
        assert codes(done).count("R101") == 2


def test_a_binding_from_a_receipt_renders_messages():
    receipt = tc.bind(TOOLS, "anthropic", naming="pascal").receipt()
    bound = tc.Binding.from_receipt(receipt)
    done = switch(WHOLE, "anthropic", source="openai", binding=bound)
    assert done.payload[1]["content"][0]["name"] == "Read"
    with pytest.raises(UsageError):
        switch({"messages": WHOLE}, "anthropic", source="openai", binding=bound)


def test_mentions_are_rewritten_when_asked_and_come_back():
    table = {"style": "pascal", "mentions": True}
    bound = tc.bind(TOOLS, "anthropic", naming=table)
    assert bound.payload[0]["description"] == "Reads. See `ListAll`."
    assert "L405" in [loss.code for loss in bound.losses if loss.tool == "read"]
    back = tc.read(bound.payload, receipt=bound.receipt())
    assert back[0].description == TOOLS[0].description
    quiet = tc.bind(TOOLS, "anthropic", naming={"style": "pascal"})
    assert quiet.payload[0]["description"] == TOOLS[0].description


def test_internal_calls_are_not_replayed():
    history = [user("go"), call(READ, ("f", "finish", "{}")), result("c1"), result("f"), user("y")]
    done = switch(history, "anthropic", source="openai", naming="claude-code")
    assert "R122" in codes(done)
    assert "finish" not in json.dumps(done.payload)
    assert not errors(done)


def test_a_choice_that_cannot_be_kept():
    tools = tc.bind(TOOLS, "openai").payload
    other = {"type": "function", "function": {"name": "nobody"}}
    done = switch({"messages": WHOLE, "tools": tools, "tool_choice": other}, "anthropic")
    assert "R118" in codes(done)
    assert done.payload["tool_choice"] == {"type": "auto"}
    bare = switch({"messages": WHOLE, "tool_choice": "auto"}, "anthropic", source="openai")
    assert "tool_choice" not in bare.payload


def test_tools_are_declared_where_a_history_with_calls_demands_it():
    done = switch({"messages": WHOLE}, "bedrock", source="openai")
    assert codes(done) == ["R119", "R119"]
    names = [tool["toolSpec"]["name"] for tool in done.payload["toolConfig"]["tools"]]
    assert names == ["read", "ls"]
    assert codes(switch(WHOLE, "bedrock", source="openai")) == []


def test_duplicate_tools_and_undeclared_tools():
    tools = tc.bind(TOOLS, "openai").payload
    done = switch({"messages": WHOLE, "tools": [*tools, tools[0], {"x": 1}]}, "anthropic")
    assert [repair.code for repair in done.repairs if repair.code != "R121"] == ["R125", "R124"]
    assert len(done.payload["tools"]) == 2


def test_the_model_of_another_provider_is_left_out_and_reported():
    done = switch({"model": "gpt-x", "messages": WHOLE}, "anthropic", source="openai")
    assert "model" not in done.payload
    assert [loss.before for loss in done.losses if loss.code == "L318"] == ["gpt-x"]
    named = switch({"model": "gpt-x", "messages": WHOLE}, "anthropic", source="openai", model="c")
    assert named.payload["model"] == "c"


# --- thoughts

SEAL = "c2lnbmVk"


def thinking(model):
    return {
        "model": model,
        "max_tokens": 1,
        "thinking": {"type": "enabled", "budget_tokens": 1024},
        "messages": [
            {"role": "user", "content": "go"},
            {"role": "assistant", "content": [
                {"type": "thinking", "thinking": "hm", "signature": SEAL},
                {"type": "tool_use", "id": "t1", "name": "f", "input": {}}]},
            {"role": "user", "content": [
                {"type": "tool_result", "tool_use_id": "t1", "content": "ok"}]},
        ],
        "tools": [{"name": "f", "input_schema": {"type": "object"}}],
    }  # fmt: skip


def test_reasoning_stays_with_its_model():
    body = thinking("claude-a-1")
    assert switch(body, "anthropic").payload == body
    assert switch(body, "anthropic", model="claude-a-1").payload == body
    other = switch(body, "anthropic", model="claude-b-1")
    assert codes(other) == ["R114", "R117"]
    assert SEAL not in json.dumps(other.payload)
    assert "thinking" not in other.payload
    assert not errors(other)
    away = switch(body, "openai")
    assert "L301" in [loss.code for loss in away.losses]
    assert "hm" not in json.dumps(away.payload)


def test_newer_models_get_the_word_for_a_missing_seal():
    history = [user("go"), call(READ, LIST), result("c1"), result("c2"), call(("c3", "ls", "{}")),
               result("c3")]  # fmt: skip
    word = "skip_thought_signature_validator"
    done = switch(history, "gemini", source="openai", model="gemini-3-pro")
    signed = [
        [part.get("thoughtSignature") for part in content["parts"] if "functionCall" in part]
        for content in done.payload
        if content["role"] == "model"
    ]
    assert signed == [[word, None], [word]]
    assert codes(done) == ["R116", "R116"]
    assert word not in json.dumps(switch(history, "gemini", model="gemini-2.5-pro").payload)
    back = switch(done.payload, "openai", source="gemini")
    assert back.payload == history


# --- trimming


def test_trimming_never_parts_a_pair():
    history = [user("a"), call(READ), result("c1"), says("b"), user("c"), call(LIST), result("c2"),
               says("d")]  # fmt: skip
    for most in range(1, 12):
        left = trim(history, messages=most, source="openai")
        assert left.payload == history[left.cut :]
        assert not [f for f in tc.lint(left.payload, "openai") if f.level == "error"]
    assert trim(history, turns=1).payload == history[4:]
    assert trim(history, turns=9).cut == 0
    assert trim(history, messages=6).payload == history[4:]
    assert trim(history, messages=2).payload == history[7:]


def test_trimming_keeps_the_system_and_the_last_exchange_whole():
    history = [{"role": "system", "content": "s"}, user("a"), says("b"), user("c"), call(READ),
               result("c1")]  # fmt: skip
    left = trim(history, messages=1, source="openai")
    assert left.payload == [history[0], *history[4:]]
    assert left.repairs[0].code == "R130"
    assert left.repairs[0].before == {"messages": 3, "calls": 0, "results": 0}
    body = {"model": "m", "messages": history, "temperature": 1}
    assert trim(body, messages=4).payload == {**body, "messages": [history[0], *history[3:]]}


def test_trimming_by_tokens():
    history = [user("x" * 400), says("y" * 400), user("z" * 400), says("w" * 40)]
    left = trim(history, tokens=150, source="openai")
    assert left.payload == history[2:]
    assert 100 < left.tokens < 150


def test_trimming_refuses_nothing_and_nonsense():
    with pytest.raises(UsageError):
        trim(WHOLE)
    with pytest.raises(UsageError):
        trim(WHOLE, messages=0)


def test_a_cut_that_begins_with_the_assistant_is_repaired_where_rejected():
    body = switch({"messages": [user("a"), call(READ), result("c1"), call(LIST), result("c2")]},
                  "bedrock", source="openai").payload  # fmt: skip
    left = trim(body, messages=2)
    assert [repair.code for repair in left.repairs] == ["R130", "R110"]
    assert left.payload["messages"][0]["role"] == "user"
    assert not [f for f in tc.lint(left.payload) if f.level == "error"]


# --- allow-lists


def _allowing(mode, *names):
    tools = [
        {"type": "function", "function": {"name": name, "parameters": {"type": "object"}}}
        for name in ("read.a", "write", "drop")
    ]
    listed = [{"type": "function", "function": {"name": name}} for name in names]
    asked = {"id": "c1", "type": "function", "function": {"name": "drop", "arguments": "{}"}}
    return {
        "messages": [
            {"role": "user", "content": "Go."},
            {"role": "assistant", "content": None, "tool_calls": [asked]},
            {"role": "tool", "tool_call_id": "c1", "content": "done"},
        ],
        "tools": tools,
        "tool_choice": {
            "type": "allowed_tools",
            "allowed_tools": {"mode": mode, "tools": listed},
        },
    }


@pytest.mark.parametrize("mode", ["auto", "required"])
@pytest.mark.parametrize("family", ["anthropic", "bedrock"])
def test_an_allow_list_limits_the_declared_tools_where_no_choice_can(family, mode):
    """The model may call the same tools as before, and the history keeps its names."""
    done = tc.switch(_allowing(mode, "read.a", "write"), family)
    read = tc.read_conversation(done.payload, source=family)
    assert [tool.name for tool in tc.read(read.tools)] == ["read_a", "write"]
    assert read.tool_choice.mode == mode
    assert [call.name for message in read.messages for call in message.calls] == ["drop"]
    assert "R140" in [repair.code for repair in done.repairs]
    assert "L316" not in [loss.code for loss in done.losses]
    assert done.binding.restore("drop", {}).ok
    one = tc.read_conversation(tc.switch(_allowing(mode, "write"), family).payload, source=family)
    names = [tool.name for tool in tc.read(one.tools)]
    assert names == (["write"] if mode == "auto" else ["read_a", "write", "drop"])
    assert one.tool_choice.names == ([] if mode == "auto" else ["write"])


_FLAT = [
    {"type": "function", "name": name, "parameters": {"type": "object", "properties": {}}}
    for name in ("a", "b")
]
_LISTS = {  # what a list holds -> what may be called elsewhere
    "a and a built-in": ([{"type": "function", "name": "a"}, {"type": "web_search"}], {"a"}),
    "a and an unknown": ([{"type": "function", "name": n} for n in ("a", "nobody")], {"a"}),
    "a built-in": ([{"type": "web_search"}], set()),
    "a server": ([{"type": "mcp", "server_label": "x"}], set()),
    "an unknown": ([{"type": "function", "name": "nobody"}], set()),
    "unknowns": ([{"type": "function", "name": n} for n in ("nobody", "nothing")], set()),
    "nothing": ([], set()),
}


def _callable(body, family):
    """The tools that the model may call."""
    read = tc.read_conversation(body, source=family)
    names = {tool.name for tool in tc.read(read.tools or [])}
    choice = read.tool_choice
    if choice is None or choice.mode in ("auto", "required"):
        return names
    return set() if choice.mode == "none" else names.intersection(choice.names)


@table("mode", ["auto", "required"])
@table("family", ["anthropic", "bedrock", "gemini", "openai", "vercel"])
@table(("listed", "allowed"), _LISTS.values(), ids=_LISTS)
def test_an_allow_list_never_allows_more_elsewhere(listed, allowed, family, mode):
    tools = [*_FLAT, {"type": "web_search"}]
    choice = {"type": "allowed_tools", "mode": mode, "tools": listed}
    body = {"input": "Go.", "tools": tools, "tool_choice": choice}
    done = tc.switch(body, family)
    assert _callable(done.payload, family) == allowed
    if not allowed:
        assert "R118" in [repair.code for repair in done.repairs]
    assert tc.switch(body, "openai-responses").payload == body


@table("family", ["anthropic", "bedrock", "openai", "vercel"])
@table("mode", ["AUTO", "ANY", "VALIDATED", "NONE"])
@table("names", [["nobody"], ["nobody", "nothing"], ["a"], ["a", "nobody"]])
def test_allowed_function_names_never_allow_more_elsewhere(names, mode, family):
    config = {"functionCallingConfig": {"mode": mode, "allowedFunctionNames": names}}
    declared = [{"functionDeclarations": [{"name": "a"}, {"name": "b"}]}]
    contents = [{"role": "user", "parts": [{"text": "Go."}]}]
    body = {"contents": contents, "tools": declared, "toolConfig": config}
    allowed = {"a"} & set(names) if mode != "NONE" else set()
    assert _callable(tc.switch(body, family).payload, family) == allowed
    assert tc.switch(body, "gemini").payload == body


@table("mode", ["auto", "required"])
@table("family", ["anthropic", "bedrock", "gemini", "openai", "vercel"])
@table("listed", [given for given, _ in _LISTS.values()], ids=_LISTS)
def test_an_allow_list_and_the_tools_it_leaves_out_come_back(listed, family, mode):
    tools = [{**tool, "strict": None} for tool in _FLAT]
    choice = {"type": "allowed_tools", "mode": mode, "tools": listed}
    body = {"input": "Go.", "tools": [*tools, {"type": "web_search"}], "tool_choice": choice}
    there = tc.switch(body, family)
    receipt = json.loads(json.dumps(there.receipt()))
    home = tc.switch(there.payload, "openai-responses", receipt=receipt, source=family)
    assert home.payload["tools"] == body["tools"]
    assert home.payload["tool_choice"] == choice


@pytest.mark.parametrize("way", [("anthropic", "bedrock"), ("bedrock", "gemini", "anthropic")])
@pytest.mark.parametrize("choice", ["list", "none"])
def test_an_allow_list_comes_back_through_several_switches(way, choice):
    body = _allowing("auto", "write")
    if choice == "none":
        body["tool_choice"] = "none"
    done, receipt, source = body, None, "openai"
    for family in (*way, "openai"):
        made = tc.switch(done, family, receipt=receipt, source=source)
        done, receipt, source = made.payload, json.loads(json.dumps(made.receipt())), family
    assert done["tool_choice"] == body["tool_choice"]
    assert [tool["function"]["name"] for tool in done["tools"]] == ["read_a", "write", "drop"]


def test_a_choice_made_since_then_stays():
    there = tc.switch(_allowing("auto", "read.a"), "anthropic")
    edited = {**there.payload, "tool_choice": {"type": "any"}}
    home = tc.switch(edited, "openai", receipt=there.receipt())
    assert home.payload["tool_choice"] == "required"


def test_a_damaged_choice_in_a_receipt_is_refused():
    there = tc.switch(_allowing("auto", "read.a"), "anthropic")
    for damaged in ({}, [], {"choice": {}, "sent": {}, "tools": []}):
        with pytest.raises(BadReceipt):
            tc.switch(there.payload, "openai", receipt={**there.receipt(), "withheld": damaged})


def test_a_renamed_allow_list_keeps_its_built_in_tools():
    listed = [{"type": "function", "name": "a"}, {"type": "web_search"}]
    choice = {"type": "allowed_tools", "mode": "auto", "tools": listed}
    body = {"input": "Go.", "tools": [*_FLAT, {"type": "web_search"}], "tool_choice": choice}
    done = tc.switch(body, "openai-responses", naming="pascal")
    renamed = [{"type": "function", "name": "A"}, {"type": "web_search"}]
    assert done.payload["tool_choice"]["tools"] == renamed


def test_no_tools_are_declared_where_calls_cannot_be_forbidden():
    body = {**_allowing("auto", "write"), "tool_choice": "none"}
    done = tc.switch(body, "bedrock")
    (stub,) = done.payload["toolConfig"]["tools"]  # which the history calls
    assert stub["toolSpec"]["name"] == "drop"
    assert {"R119", "R140"} <= {repair.code for repair in done.repairs}
    del body["messages"][1:]
    assert "toolConfig" not in tc.switch(body, "bedrock").payload


@pytest.mark.parametrize("family", ["openai-responses", "gemini"])
def test_an_allow_list_stays_one_where_the_choice_can_say_it(family):
    done = tc.switch(_allowing("required", "read.a", "write"), family)
    read = tc.read_conversation(done.payload, source=family)
    assert len(tc.read(read.tools)) == 3
    assert read.tool_choice.mode == "subset"
    assert set(read.tool_choice.names) < {tool.name for tool in tc.read(read.tools)}


def test_a_choice_that_states_less_is_reported_as_widened():
    """Without the tools bound, nothing can be left out of them."""
    told = tc.write_conversation(
        tc.read_conversation(_allowing("auto", "write", "drop")), "bedrock"
    )
    (loss,) = [loss for loss in told.losses if loss.code == "L316"]
    assert loss.effect is tc.Effect.WIDENED


# --- deferred tools

_SEARCH = {"type": "tool_search_tool_bm25_20251119", "name": "tool_search_tool_bm25"}


def _deferring(*others):
    tools = [{**tool, "strict": None, "defer_loading": True} for tool in _FLAT]
    return {"input": "Go.", "tools": [*tools, *others]}


@pytest.mark.parametrize("search", [{"type": "tool_search"},
                                    {"type": "tool_search", "execution": "server"}])  # fmt: skip
def test_a_search_tool_becomes_that_of_the_target(search):
    body = _deferring(search)
    there = tc.switch(body, "anthropic")
    assert there.payload["tools"][-1] == _SEARCH
    assert all(tool["defer_loading"] for tool in there.payload["tools"][:-1])
    assert "R146" in codes(there)
    assert "L015" not in [loss.code for loss in there.losses]
    home = tc.switch(there.payload, "openai-responses", receipt=there.receipt())
    assert home.payload["tools"] == [*body["tools"][:-1], {"type": "tool_search"}]
    regex = {"type": "tool_search_tool_regex", "name": "tool_search_tool_regex"}
    both = {**there.payload, "tools": [*there.payload["tools"], regex]}
    once = tc.switch(both, "openai-responses")
    assert once.payload["tools"][2:] == [{"type": "tool_search"}]


_CLIENT = {"type": "tool_search", "execution": "client", "parameters": {"type": "object"}}


@pytest.mark.parametrize("others", [(), (_CLIENT,)])
def test_deferred_tools_that_no_tool_finds_are_loaded_at_once(others):
    done = tc.switch(_deferring(*others), "anthropic")
    assert not any("defer_loading" in tool for tool in done.payload["tools"])
    lost = [(loss.tool, str(loss.at)) for loss in done.losses if loss.code == "L007"]
    assert lost == [("a", "/hints/deferred"), ("b", "/hints/deferred")]


# --- names through several switches

_ODD_NAMES = [["1tool", "z"], ["1tool", "_1tool"], ["a.b", "a_b"], ["x" * 70, "x" * 71], ["a b"]]


@table("names", _ODD_NAMES, ids=lambda names: names[0][:8])
@table("given", ["receipt", "tools", "binding"])
@table("is_list", [False, True])
def test_a_tool_has_one_name_through_several_switches(names, given, is_list):
    """Names that only one provider has for a tool are known as the tool's."""
    tools = [tc.CanonicalTool(name=name) for name in names]
    declared = [{"type": "function", "function": {"name": name}} for name in names]
    asked = call(*((f"c{number}", name, "{}") for number, name in enumerate(names)))
    answers = [result(f"c{number}") for number in range(len(names))]
    body = {"messages": [user("go"), asked, *answers], "tools": declared}
    there = switch(body["messages"] if is_list else body, "gemini", source="openai")
    binding = tc.bind(tools, "anthropic")
    options = {"receipt": there.receipt(), "tools": tools, "binding": binding}
    done = switch(there.payload, "anthropic", source="gemini", **{given: options[given]})
    read = tc.read_conversation(done.payload, source="anthropic")
    called = [item.name for message in read.messages for item in message.calls]
    assert called == list(binding.names.values())
    assert "R121" not in codes(done)
    if not is_list:
        assert [tool.name for tool in tc.read(read.tools)] == called


# --- the end of a history

ENDS = [  # model -> what is done about a history that ends with the model's words
    ("anthropic", None, "L331"),
    ("anthropic", "claude-opus-4-6", "R141"),
    ("anthropic", "claude-sonnet-4-6-20260217", "R141"),
    ("anthropic", "claude-sonnet-5", "R141"),
    ("anthropic", "claude-opus-4-10", "R141"),
    ("anthropic", "claude-sonnet-4-5-20250929", ""),
    ("anthropic", "claude-opus-4-20250514", ""),
    ("anthropic", "claude-3-7-sonnet-latest", ""),
    ("anthropic", "somebody-elses", "L331"),
    ("bedrock", None, "L331"),
    ("bedrock", "us.anthropic.claude-opus-4-6-v1", "R141"),
    ("bedrock", "anthropic.claude-3-5-sonnet-20241022-v2:0", ""),
    ("bedrock", "amazon.nova-lite-v1:0", ""),
    ("openai", "gpt-5", ""),
    ("gemini", "gemini-3-pro", ""),
    ("openai-responses", None, ""),
]


@table(("family", "model", "code"), ENDS)
def test_a_history_that_ends_with_the_model_is_repaired_or_reported(family, model, code):
    history = [user("go"), says("Well,")]
    for given in (history, {"messages": history}):
        done = switch(given, family, source="openai", model=model)
        told = [*codes(done), *(loss.code for loss in done.losses)]
        assert [one for one in told if one in {"L331", "R141"}] == ([code] if code else [])
        read = tc.read_conversation(done.payload, source=family).messages
        assert read[-1].role == ("user" if code == "R141" else "assistant")
    found = tc.lint(done.payload, family, source=family)  # of the request, which names the model
    levels = {one.level for one in found if one.name == "ends-with-assistant"}
    assert levels == ({"warning"} if code == "L331" else set())
    asked = switch([*history, user("so?")], family, source="openai", model=model)
    assert not {"L331", "R141"} & {*codes(asked), *(loss.code for loss in asked.losses)}


# --- tools that are loaded while the conversation runs


def _function(name, **more):
    city = {"type": "object", "properties": {"city": {"type": "string"}}}
    return {"type": "function", "name": name, "parameters": city, **more}


def _called(name, **more):
    return [
        {"type": "function_call", "call_id": "c1", "name": name, "arguments": "{}", **more},
        {"type": "function_call_output", "call_id": "c1", "output": "4"},
    ]


def _names(done):
    read = tc.read_conversation(done.payload, source=done.target)
    called = [call.name for message in read.messages for call in message.calls]
    return [tool.name for tool in tc.read(read.tools)], called


@pytest.mark.parametrize("family", STRICT)
def test_a_call_in_a_namespace_of_its_own_name_is_named_like_the_tool(family):
    said = [{"role": "user", "content": "go"}, *_called("weather", namespace="weather")]
    loaded = {"input": said, "tools": [_function("weather", defer_loading=True)]}
    assert _names(switch(loaded, family)) == (["weather"], ["weather"])
    # A namespace that is one stays part of the name.
    space = {"type": "namespace", "name": "weather", "description": "", "tools": [
        _function("weather")]}  # fmt: skip
    (tool,), (call_,) = _names(switch({"input": said, "tools": [space]}, family))
    assert tool == call_ != "weather"


def test_a_call_in_a_namespace_of_its_own_name_is_run_and_goes_back_as_it_was():
    said = [{"role": "user", "content": "go"}, *_called("weather", namespace="weather")]
    tool = _function("weather", defer_loading=True)
    bound = tc.bind(tc.read([tool]), "openai-responses")
    assert bound.restore("weather:weather", {"city": "Oslo"}).name == "weather"
    again = switch(said, "openai-responses", source="openai-responses", binding=bound)
    assert again.payload[1]["namespace"] == "weather"


@pytest.mark.parametrize("family", STRICT)
def test_tools_that_the_history_declares_are_declared_with_the_request(family):
    later = {"type": "additional_tools", "role": "developer", "tools": [_function("weather")]}
    found = {"type": "tool_search_output", "call_id": "s", "execution": "server",
             "status": "completed", "tools": [_function("rain"), _function("weather")]}  # fmt: skip
    said = [{"role": "user", "content": "go"}, later, found, *_called("weather")]
    done = switch({"input": said}, family)
    assert _names(done) == (["weather", "rain"], ["weather"])
    assert "No longer offered" not in json.dumps(done.payload)
    assert codes(done) == ["R142", "R142"]
    beside = switch({"input": said, "tools": [_function("other")]}, family)
    assert _names(beside) == (["other", "weather", "rain"], ["weather"])
    assert switch(said, family).binding.names == {"weather": "weather", "rain": "rain"}
    given = switch({"input": said}, family, tools=[_function("weather")])
    assert _names(given)[0] == ["weather"]
    assert "L307" in [loss.code for loss in given.losses], "what is given is all there is"
    at_home = {"input": said}
    assert switch(at_home, "openai-responses").payload["input"] == said


@pytest.mark.parametrize("family", FAMILIES)
def test_integers_that_lose_digits_are_reported(family):
    sent = {"a": 2**53, "b": [2**53 + 1, {"c": -(2**63) + 1}], "d": 2**60}
    said = [user("go"), call(("c1", "f", json.dumps(sent))), result("c1")]
    done = switch(said, family, source="openai")
    told = [(str(loss.at), loss.before) for loss in done.losses if loss.code == "L332"]
    at = "/messages/1/parts/0/arguments/b"
    lost = [(f"{at}/0", 2**53 + 1), (f"{at}/1/c", -(2**63) + 1)]  # powers of two are exact
    assert told == (lost if family == "gemini" else [])
    held = tc.Message("tool", [tc.Result("c1", [tc.Data({"n": 2**53 + 1})], "f")])
    asked = tc.Message("assistant", [tc.Call("f", {}, "c1")])
    again = switch(tc.Conversation([tc.Message("user", [tc.Text("go")]), asked, held]), family)
    places = [str(loss.at) for loss in again.losses if loss.code == "L332"]
    assert places == (["/messages/2/parts/0/content/0/n"] if family == "gemini" else [])
    held.parts[0].content.insert(0, tc.Text("so"))  # beside words a value is sent as text
    again = switch(tc.Conversation([tc.Message("user", [tc.Text("go")]), asked, held]), family)
    assert "L332" not in [loss.code for loss in again.losses]
    huge = [user("go"), call(("c1", "f", '{"x":' + "9" * 400 + "}")), result("c1")]
    losses = switch(huge, family, source="openai").losses
    found = [loss.after for loss in losses if loss.code == "L332"]
    assert found == ([None] if family == "gemini" else [])


MIDDLE = [{"role": "system", "content": "S0"}, user("U1"), says("A1"), user("U2"),
          {"role": "system", "content": "S1"}, call(READ), result("c1"),
          {"role": "developer", "content": "S2"}, says("A2"), user("U3"),
          {"role": "developer", "content": "S3"}]  # fmt: skip
IN_PLACE = ["S0", "U1", "A1", "U2", "S1", "call", "result", "S2", "A2", "U3", "S3"]


def spoken_order(payload, family):
    """The texts, the system prompt first; calls and results by their kind."""
    found = []
    for message in tc.read_conversation(payload, source=family).everything():
        for part in message.parts:
            kinds = {tc.Call: "call", tc.Result: "result"}
            found.append(kinds.get(type(part)) or part.text)
    return found


@table("source", ["openai", "openai-responses"])
@table(
    "family, model, is_kept",
    [
        ("openai", None, True),
        ("openai-responses", None, True),
        ("anthropic", "claude-opus-4-8", True),
        ("anthropic", "claude-opus-5-20260901", True),
        ("anthropic", "claude-opus-4-20250514", False),
        ("anthropic", "claude-sonnet-5", False),
        ("anthropic", None, False),
        ("bedrock", "anthropic.claude-opus-5-v1:0", False),
        ("gemini", None, False),
    ],
)
def test_system_messages_of_the_middle_stay_where_the_target_takes_them(
    source, family, model, is_kept
):
    given = switch({"messages": MIDDLE}, source, source="openai").payload
    done = switch(given, family, source=source, model=model)
    order = spoken_order(done.payload, family)
    moved = [str(loss.at) for loss in done.losses if loss.code in {"L310", "L311"}]
    if is_kept:
        assert order == IN_PLACE
        assert not [loss for loss in done.losses if loss.code == "L311"]
    elif family == "gemini":  # in place, in the user's name
        assert order == IN_PLACE
        assert {"/messages/4", "/messages/7", "/messages/10"} <= set(moved)
    else:
        assert [word for word in order if word not in {"S1", "S2", "S3"}] == [
            word for word in IN_PLACE if word not in {"S1", "S2", "S3"}
        ]
        assert order[:4] == ["S0", "S1", "S2", "S3"]
        assert {"/messages/4", "/messages/7", "/messages/10"} <= set(moved)
    assert "error" not in [found.level for found in tc.lint(done.payload, family, source=family)]


def test_a_system_message_before_any_user_joins_the_prompt():
    said = [says("A"), {"role": "system", "content": "S"}, says("B")]
    done = switch(said, "anthropic", source="openai", model="claude-opus-5", repair=False)
    assert done.system == [{"type": "text", "text": "S"}]
    assert [one["role"] for one in done.payload] == ["assistant"]
    assert "L311" in [loss.code for loss in done.losses]
    done = switch([*said, user("U")], "anthropic", source="openai", model="claude-opus-5")
    assert [one["role"] for one in done.payload][-2:] == ["user", "system"]
    assert "L311" in [loss.code for loss in done.losses]


HOME = [user("U"), {"role": "system", "content": "S"}, says("A"), user("V")]


@pytest.mark.parametrize(
    "model, is_moved",
    [
        ("claude-sonnet-4-5-20250929", True),
        ("claude-opus-4-20250514", True),
        ("claude-opus-4-7", True),
        ("claude-haiku-4-5", True),
        ("claude-opus-4-8-20260528", False),
        ("claude-opus-5", False),
        ("claude-fable-5", False),
        (None, False),
    ],
)
def test_own_system_messages_move_for_models_that_refuse_them(model, is_moved):
    for given in (HOME, {"messages": HOME, "system": "P"}):
        done = switch(given, "anthropic", source="anthropic", model=model)
        messages = done.payload if given is HOME else done.payload["messages"]
        system = done.system if given is HOME else done.payload["system"]
        assert ("R143" in codes(done)) is is_moved
        assert ("system" in [one["role"] for one in messages]) is not is_moved
        if is_moved:
            assert "S" in [block["text"] for block in system]
            again = switch(done.payload, "anthropic", source="anthropic", model=model)
            assert not codes(again)
        found = {one.name for one in tc.lint({"messages": HOME, "model": model or ""}, "anthropic",
                                             source="anthropic")}  # fmt: skip
        assert ("system-misplaced" in found) is is_moved
    lead = [{"role": "system", "content": "S"}, user("U")]
    found = [one.name for one in tc.lint(lead, "anthropic", source="anthropic")]
    assert found == ["system-misplaced"]
    done = switch({"messages": lead, "max_tokens": 1}, "anthropic", source="anthropic", model=model)
    assert codes(done) == ["R143"]
    assert done.payload["system"] == [{"type": "text", "text": "S"}]
    assert [one["role"] for one in done.payload["messages"]] == ["user"]


def test_a_setting_that_the_target_needs_is_reported_where_it_is_missing():
    said = [{"role": "user", "content": "hi"}]
    for body in (
        {"model": "m", "messages": said},
        {"model": "m", "max_tokens": 5, "messages": said},
    ):
        done = tc.switch(body, "anthropic", source="openai")
        found = [(loss.code, str(loss.at)) for loss in done.losses if loss.code == "L335"]
        assert found == ([] if "max_tokens" in done.payload else [("L335", "/max_tokens")])
        for other in ("gemini", "bedrock", "openai"):
            assert "L335" not in {loss.code for loss in tc.switch(body, other).losses}
    assert "L335" not in {loss.code for loss in tc.switch(said, "anthropic").losses}
    assert "L335" not in {loss.code for loss in tc.switch({"messages": said}, "anthropic").losses}


def test_a_trimmed_history_does_not_begin_with_a_system_message():
    said = [user("U"), says("A"), user("V"), {"role": "system", "content": "S"}, says("B")]
    for most in range(1, 5):
        left = tc.trim(said, messages=most, source="anthropic").payload
        assert left[0]["role"] != "system"
        found = tc.lint(left, "anthropic", source="anthropic")
        assert "system-misplaced" not in [one.name for one in found]


def test_a_binding_for_another_provider_is_rejected():
    """Its arguments and names would not be those of the target's model."""
    tools = [{"name": "f", "inputSchema": {"type": "object"}}]
    history = [{"role": "user", "content": "hi"}]
    for binding, wrong in ((tc.bind(tools, "openai"), "is for openai"), ("x", "not str")):
        with pytest.raises(tc.ToolcanonError, match=wrong):
            tc.switch(history, "anthropic", binding=binding)
    assert tc.switch(history, "openai", source="openai", binding=tc.bind(tools, "groq")).payload
