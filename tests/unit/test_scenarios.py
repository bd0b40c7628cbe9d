"""The scenarios that break sessions in the field, by the numbers under which they were collected.

Each is a function of its number; together they are all there are, and a test counts them.
"""

import copy
import json
import time
from itertools import permutations

import pytest

import toolcanon as tc
from tests.referee.histories import certain_faults
from tests.tables import table
from tests.unit.test_switch import FAMILIES, call, codes, facts, result, says, user
from toolcanon.conversations.read_write import codec_of
from toolcanon.conversations.switch import switch
from toolcanon.ir.response import ToolResponse

SCENARIOS = {}
PAIRS = list(permutations(FAMILIES, 2))


def scenario(number):
    def enter(function):
        assert number not in SCENARIOS
        SCENARIOS[number] = function
        return function

    return enter


@table("number", range(1, 48))
def test_scenario(number):
    SCENARIOS[number]()


def taken(history, target, source="openai", **known):
    """Switched, accepted by every judge, the same again, nothing given changed."""
    before = copy.deepcopy(history)
    done = switch(history, target, source=source, **known)
    assert history == before
    model = known.get("model")
    assert not [f for f in certain_faults(target, done.payload, model=model)
                if f.rule != "no-messages"]  # fmt: skip
    found = tc.lint(done.payload, target, source=target)
    assert not [finding for finding in found if finding.level == "error"]
    assert switch(history, target, source=source, **known).payload == done.payload
    return done


def everywhere(history, source="openai"):
    return {target: taken(history, target, source) for target in FAMILIES}


def read(done):
    return tc.read_conversation(done.payload, source=done.target)


def results_of(done):
    return {id_: text for id_, text, _ in facts(read(done))[1]}


def parts_of(done, kind):
    return [p for m in read(done).messages for p in m.parts if isinstance(p, kind)]


TWO = [user("go"), call(("c1", "f", '{"a":1}'), ("c2", "f", '{"a":2}')), result("c2", "two"),
       result("c1", "one"), says("done"), user("on")]  # fmt: skip


@scenario(1)
def parallel_calls_answered_in_reverse():
    for source, target in PAIRS:
        first = switch(TWO, source, source="openai").payload
        done = taken(first, target, source)
        assert results_of(done) == {"c1": "one", "c2": "two"}


@scenario(2)
def a_missing_result():
    three = call(("c1", "f", "{}"), ("c2", "f", "{}"), ("c3", "f", "{}"))
    for tail in ([], [says("hm"), user("on")]):
        history = [user("go"), three, result("c1"), result("c3"), *tail]
        for done in everywhere(history).values():
            assert set(results_of(done)) == {"c1", "c2", "c3"}
            assert "R101" in codes(done)
            assert [is_error for id_, _, is_error in facts(read(done))[1] if id_ == "c2"] == [True]


@scenario(3)
def an_orphan_in_front():
    for done in everywhere([result("c0", "old"), user("go"), says("hi")]).values():
        assert codes(done)[0] == "R102"
        assert done.repairs[0].before["text"] == "old"


@scenario(4)
def words_between_call_and_result():
    late = [user("go"), call(("c1", "f", "{}")), user("wait"), result("c1"), says("x"), user("y")]
    later = [user("go"), call(("c1", "f", "{}")), user("hm"), says("x"), user("z"), result("c1")]
    for history in (late, later):
        for target, done in everywhere(history).items():
            assert ("R104" in codes(done)) is (target != "openai-responses")
            assert "wait" in json.dumps(done.payload) or history is later


@scenario(5)
def words_of_the_assistant_in_between():
    items = [
        {"role": "user", "content": "go"},
        {"type": "function_call", "call_id": "c1", "name": "f", "arguments": "{}"},
        {"role": "assistant", "content": "one moment"},
        {"type": "function_call_output", "call_id": "c1", "output": "ok"},
    ]
    for done in everywhere(items, "openai-responses").values():
        assert results_of(done) == {"c1": "ok"}
        assert "one moment" in json.dumps(done.payload)


@scenario(6)
def a_result_behind_words_in_one_message():
    history = [
        {"role": "user", "content": "go"},
        {"role": "assistant", "content": [{"type": "tool_use", "id": "t", "name": "f",
                                           "input": {}}]},
        {"role": "user", "content": [{"type": "text", "text": "see"},
                                     {"type": "tool_result", "tool_use_id": "t",
                                      "content": "ok"}]},
    ]  # fmt: skip
    for target, done in everywhere(history, "anthropic").items():
        assert results_of(done) == {"t": "ok"}
        assert target == "openai-responses" or "R104" in codes(done)


@scenario(7)
def ids_that_are_used_again():
    again = [user("go")]
    for turn in range(3):
        again += [call(("call_0", "f", f'{{"n":{turn}}}')), result("call_0", str(turn))]
    twice = [user("go"), call(("x", "f", "{}"), ("x", "g", "{}")), result("x", "F"),
             result("x", "G")]  # fmt: skip
    for target, done in everywhere(again).items():
        calls, _ = facts(read(done))
        texts = [p.content[0].text for p in parts_of(done, tc.Result)]
        assert [arguments["n"] for *_, arguments in calls] == [0, 1, 2]
        assert texts == ["0", "1", "2"]
        assert len({id_ for id_, *_ in calls}) == (1 if target in {"openai", "gemini"} else 3)
    for done in everywhere(twice).values():
        calls, _ = facts(read(done))
        said = results_of(done)
        assert [(name, said[id_]) for id_, name, _ in calls] == [("f", "F"), ("g", "G")]


@scenario(8)
def ids_of_all_kinds():
    ids = ["a.b", "a:b", "a_b", "i" * 300, "", "ü", "0"]
    history = [user("go"), call(*((id_, "f", "{}") for id_ in ids)),
               *(result(id_, str(n)) for n, id_ in enumerate(ids))]  # fmt: skip
    for done in everywhere(history).values():
        calls, _ = facts(read(done))
        said = results_of(done)
        assert [said[id_] for id_, *_ in calls] == [str(n) for n in range(len(ids))]
    number = [user("go"), {"role": "assistant", "content": None, "tool_calls": [
        {"id": 7, "type": "function", "function": {"name": "f", "arguments": "{}"}}]},
        {"role": "tool", "tool_call_id": 7, "content": "ok"}]  # fmt: skip
    for target in FAMILIES:
        done = switch(number, target, source="openai")
        assert len(facts(read(done))[1]) == 1


def gemini(*contents):
    return [{"role": "user", "parts": [{"text": "go"}]}, *contents]


@scenario(9)
def calls_without_ids():
    calls = {"role": "model", "parts": [
        {"functionCall": {"name": "f", "args": {"n": 1}}},
        {"functionCall": {"name": "g", "args": {}}},
        {"functionCall": {"name": "f", "args": {"n": 2}}}]}  # fmt: skip
    answers = {"role": "user", "parts": [
        {"functionResponse": {"name": "g", "response": {"output": "G"}}},
        {"functionResponse": {"name": "f", "response": {"output": "F1"}}},
        {"functionResponse": {"name": "f", "response": {"output": "F2"}}}]}  # fmt: skip
    for target, done in everywhere(gemini(calls, answers), "gemini").items():
        if target != "gemini":
            said = results_of(done)
            found = [(name, said[id_]) for id_, name, _ in facts(read(done))[0]]
            assert found == [("f", "F1"), ("g", "G"), ("f", "F2")]


@scenario(10)
def responses_of_functions_in_every_form():
    for response, is_error in (({"error": "x"}, True), ({"output": 1}, False),
                               ({"result": []}, False), ({}, False),
                               ({"ok": False, "why": "x"}, False)):  # fmt: skip
        history = gemini(
            {"role": "model", "parts": [{"functionCall": {"name": "f", "args": {}}}]},
            {"role": "user", "parts": [{"functionResponse": {"name": "f", "response": response}}]},
        )
        for target, done in everywhere(history, "gemini").items():
            (found,) = parts_of(done, tc.Result)
            assert bool(found.is_error) is is_error, target
            back = switch(done.payload, "gemini", source=target)
            (again,) = parts_of(back, tc.Result)
            assert bool(again.is_error) is is_error


@scenario(11)
def arguments_of_all_kinds():
    deep = "[" * 500 + "]" * 500
    for text in ("", "null", "{}", "[]", '"{}"', '{"a": "unfin', '{"a":1,"a":2}', '{"a":1e400}',
                 '{"a":9223372036854775808}', f'{{"a":{deep}}}', '{"a":"\\ud800"}'):  # fmt: skip
        history = [user("go"), call(("c1", "f", text)), result("c1")]
        for target, done in everywhere(history).items():
            (found,) = parts_of(done, tc.Call)
            assert isinstance(found.arguments, dict), (text[:20], target)
            if text in {"", "null", '"{}"', "{}"}:
                assert found.arguments == {}
            if text.startswith('{"a": "unfin'):
                assert found.arguments == {"arguments": text}


def chunks(*deltas, finish="tool_calls"):
    out = [{"id": "x", "object": "chat.completion.chunk", "created": 1, "model": "m",
            "choices": [{"index": 0, "delta": delta, "finish_reason": None}]}
           for delta in deltas]  # fmt: skip
    last = {"id": "x", "object": "chat.completion.chunk", "created": 1, "model": "m",
            "choices": [{"index": 0, "delta": {}, "finish_reason": finish}]}  # fmt: skip
    return [*out, last]


def started(index, id_, name, arguments=""):
    function = {"name": name, "arguments": arguments}
    return {"tool_calls": [{"index": index, "id": id_, "type": "function", "function": function}]}


def more(index, arguments):
    return {"tool_calls": [{"index": index, "function": {"arguments": arguments}}]}


def spoken(answer):
    """What a program appends to its history, switched to everybody."""
    history = tc.Conversation([tc.Message("user", [tc.Text("go")]), *answer.messages,
                               *[tc.Message("tool", [tc.Result(c.id, [tc.Text("ok")])])
                                 for c in answer.calls]], format=answer.format)  # fmt: skip
    for target in FAMILIES:
        taken_by(history, target)


def taken_by(history, target):
    done = switch(history, target)
    found = tc.lint(done.payload, target, source=target)
    assert not [finding for finding in found if finding.level == "error"]
    return done


@scenario(12)
def a_stream_without_arguments():
    answer = tc.accumulate(chunks(started(0, "c1", "now")), source="openai")
    spoken(answer)
    done = taken_by(tc.Conversation(answer.messages, format="openai"), "anthropic")
    assert facts(read(done))[0] == [("c1", "now", {})]


@scenario(13)
def a_stream_that_is_cut():
    from toolcanon.errors import CutStream

    with pytest.raises(CutStream) as caught:
        tc.accumulate(chunks(started(0, "c1", "f"), more(0, '{"a":'))[:-1], source="openai")
    spoken(caught.value.partial)
    spoken(tc.accumulate(chunks(started(0, "c1", "f"), more(0, '{"a":'), finish="length")))


@scenario(14)
def deltas_that_are_mixed():
    answer = tc.accumulate(chunks(started(0, "c1", "f"), started(1, "c2", "g"), more(0, '{"a"'),
                                  more(1, "{}"), more(0, ":1}")), source="openai")  # fmt: skip
    spoken(answer)
    assert [(c.name, c.arguments) for c in answer.calls] == [("f", {"a": 1}), ("g", {})]


@scenario(15)
def calls_that_finish_with_stop():
    spoken(tc.accumulate(chunks(started(0, "c1", "f", "{}"), finish="stop"), source="openai"))


@scenario(16)
def events_in_pieces():
    events = chunks(started(0, "c1", "f", '{"a":"[DONE]"}'))
    text = ": hello\r\n\r\n" + "".join(f"data: {json.dumps(e)}\r\n\r\n" for e in events)
    raw = (text + "data: [DONE]\r\n\r\n").encode()
    answer = tc.accumulate((raw[at : at + 1] for at in range(len(raw))), source="openai")
    assert answer.calls[0].arguments == {"a": "[DONE]"}
    spoken(answer)


@scenario(17)
def names_at_the_boundary():
    grep, rip = (tc.CanonicalTool(name=name) for name in ("grep", "ripgrep"))
    history = [user("go"), call(("c1", "ripgrep", "{}"), ("c2", "Foo", "{}")), result("c1"),
               result("c2")]  # fmt: skip
    with pytest.raises(tc.ToolcanonError, match="ripgrep"):
        switch(history, "anthropic", tools=[grep, rip], naming="claude-code")
    done = taken(history, "anthropic", tools=[grep], naming="claude-code")
    assert [c.name for c in parts_of(done, tc.Call)] == ["ripgrep", "Foo"]
    bound = tc.bind([tc.CanonicalTool(name="read")], "anthropic", naming="claude-code")
    assert bound.restore("read", {}).name == bound.restore("Read", {}).name == "read"
    with pytest.raises(tc.ToolcanonError):
        bound.restore("Foo", {})
    other = [tc.CanonicalTool(name=name) for name in ("Read", "read")]
    with pytest.raises(tc.ToolcanonError, match="Read"):
        tc.bind(other, "anthropic", naming="claude-code")


@scenario(18)
def values_that_look_like_names():
    history = [
        user("read"),
        call(("c1", "read", '{"name":"read"}')),
        result("c1", '{"name":"read"}'),
    ]
    done = taken(history, "anthropic", naming="claude-code")
    (found,), (answer,) = parts_of(done, tc.Call), parts_of(done, tc.Result)
    assert (found.name, found.arguments) == ("Read", {"name": "read"})
    assert answer.content[0].text == '{"name":"read"}'


@scenario(19)
def one_name_in_every_place_of_a_request():
    body = {"messages": [user("go"), call(("c1", "read", "{}")), result("c1")],
            "tools": tc.bind([tc.CanonicalTool(name="read")], "openai").payload,
            "tool_choice": {"type": "function", "function": {"name": "read"}}}  # fmt: skip
    for target in FAMILIES:
        text = json.dumps(switch(body, target, naming="pascal").payload)
        assert '"Read"' in text
        assert '"read"' not in text


@scenario(20)
def choices():
    tools = tc.bind([tc.CanonicalTool(name="a.b")], "mcp").payload
    body = {"messages": [user("go")], "tools": tools,
            "tool_choice": {"type": "function", "function": {"name": "a.b"}}}  # fmt: skip
    assert taken(body, "anthropic").payload["tool_choice"] == {"type": "tool", "name": "a_b"}
    body["tool_choice"]["function"]["name"] = "nobody"
    assert "R118" in codes(taken(body, "anthropic"))
    forced = {"model": "m", "max_tokens": 1, "thinking": {"type": "enabled", "budget_tokens": 9},
              "messages": [user("go")], "tools": [{"name": "f", "input_schema": {}}],
              "tool_choice": {"type": "any"}}  # fmt: skip
    assert taken(forced, "anthropic", "anthropic").payload["tool_choice"] == {"type": "auto"}
    none = {**body, "tool_choice": "none"}
    done = taken(none, "bedrock")
    assert "R140" in codes(done)
    assert "toolConfig" not in done.payload


@scenario(21)
def calls_without_tools():
    done = taken({"messages": TWO, "tools": []}, "bedrock")
    assert "R119" in codes(done)
    assert done.payload["toolConfig"]["tools"][0]["toolSpec"]["name"] == "f"


def thinking(model="claude-1"):
    return {"model": model, "max_tokens": 1, "messages": [
        user("go"),
        {"role": "assistant", "content": [
            {"type": "thinking", "thinking": "hm", "signature": "c2VhbA=="},
            {"type": "tool_use", "id": "t", "name": "f", "input": {}}]},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t",
                                      "content": "ok"}]}],
        "tools": [{"name": "f", "input_schema": {"type": "object"}}]}  # fmt: skip


@scenario(22)
def seals_and_models():
    same = switch(thinking(), "anthropic", model="claude-1").payload
    assert json.dumps(same) == json.dumps(switch(thinking(), "anthropic").payload)
    assert same == thinking()
    other = taken(thinking(), "anthropic", "anthropic", model="claude-2")
    assert "c2VhbA" not in json.dumps(other.payload)


@scenario(23)
def a_lost_thought_while_thinking_is_on():
    body = {**thinking(), "thinking": {"type": "enabled", "budget_tokens": 1024}}
    done = taken(body, "anthropic", "anthropic", model="claude-2")
    assert codes(done) == ["R114", "R117"]


def reasoned(**thought):
    return {"model": "gpt-5", "input": [
        {"role": "user", "content": "go"},
        {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "eA==", **thought},
        {"type": "function_call", "id": "fc_1", "call_id": "c1", "name": "f", "arguments": "{}"},
        {"type": "function_call_output", "call_id": "c1", "output": "ok"}]}  # fmt: skip


@scenario(24)
def reasoning_items():
    kept = taken(reasoned(), "openai-responses", "openai-responses")
    assert kept.payload == reasoned()
    gone = taken(reasoned(), "openai-responses", "openai-responses", model="gpt-6")
    assert codes(gone) == ["R114", "R115"]
    assert "fc_1" not in json.dumps(gone.payload)
    alone = reasoned()
    del alone["input"][2:]
    assert codes(taken(alone, "openai-responses", "openai-responses")) == ["R114"]


@scenario(25)
def the_word_for_a_missing_seal():
    for model, count in (("gemini-3-pro", 1), ("gemini-2.5-pro", 0)):
        done = taken(thinking(), "gemini", "anthropic", model=model)
        assert json.dumps(done.payload).count("skip_thought_signature_validator") == count
        assert "c2VhbA" not in json.dumps(done.payload)


@scenario(26)
def there_and_back_with_a_seal():
    history = gemini(
        {"role": "model", "parts": [{"functionCall": {"name": "f", "args": {}, "id": "1"},
                                     "thoughtSignature": "c2VhbA=="}]},
        {"role": "user", "parts": [{"functionResponse": {"name": "f", "id": "1",
                                                         "response": {"output": "x"}}}]},
    )  # fmt: skip
    there = taken(history, "anthropic", "gemini")
    assert "L308" in [loss.code for loss in there.losses]
    back = taken(there.payload, "gemini", "anthropic", model="gemini-3-pro")
    assert "skip_thought_signature_validator" in json.dumps(back.payload)


@scenario(27)
def errors_there_and_back():
    history = [user("go"), {"role": "assistant", "content": [
        {"type": "tool_use", "id": "t", "name": "f", "input": {}}]},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t", "is_error": True,
                                      "content": "no such file"}]}]  # fmt: skip
    for target, done in everywhere(history, "anthropic").items():
        (back,) = parts_of(switch(done.payload, "anthropic", source=target), tc.Result)
        assert back.is_error is True
        assert back.content[0].text == "no such file"
    fine = [user("go"), call(("c1", "f", "{}")), result("c1", "Error: none")]
    for done in everywhere(fine).values():
        assert not parts_of(done, tc.Result)[0].is_error


@scenario(28)
def envelopes():
    inner = json.dumps({"ok": True, "data": {"ok": False, "error": "x"}})
    for text in (inner, '{"ok":"true"}', '{"ok":true,"error":"x"}', '{"ok":false,"error":1}'):
        history = [user("go"), call(("c1", "f", "{}")), result("c1", text)]
        for done in everywhere(history).values():
            (found,) = parts_of(done, tc.Result)
            assert not found.is_error
    failed = ToolResponse.failure("x").to_dict()
    history = [user("go"), call(("c1", "f", "{}")), result("c1", json.dumps(failed))]
    assert parts_of(taken(history, "anthropic"), tc.Result)[0].is_error


@scenario(29)
def results_that_say_nothing():
    for content in ("", [], " ", [{"type": "text", "text": ""}]):
        for flag in ({}, {"is_error": True}):
            block = {"type": "tool_result", "tool_use_id": "t", "content": content, **flag}
            history = [user("go"), {"role": "assistant", "content": [
                {"type": "tool_use", "id": "t", "name": "f", "input": {}}]},
                {"role": "user", "content": [block]}]  # fmt: skip
            for done in everywhere(history, "anthropic").values():
                assert bool(parts_of(done, tc.Result)[0].is_error) is bool(flag)


@scenario(30)
def media_in_results():
    png = {"type": "image", "source": {"type": "base64", "media_type": "image/png",
                                       "data": "iVBORw=="}}  # fmt: skip
    url = {"type": "image", "source": {"type": "url", "url": "https://example.com/a.png"}}
    pdf = {"type": "document", "source": {"type": "base64", "media_type": "application/pdf",
                                          "data": "JVBERg=="}}  # fmt: skip
    for media in ([png], [url], [pdf], [png, {"type": "text", "text": "see"}]):
        history = [user("go"), {"role": "assistant", "content": [
            {"type": "tool_use", "id": "a", "name": "f", "input": {}},
            {"type": "tool_use", "id": "b", "name": "f", "input": {}}]},
            {"role": "user", "content": [
                {"type": "tool_result", "tool_use_id": "a", "content": media},
                {"type": "tool_result", "tool_use_id": "b", "content": "plain"}]}]  # fmt: skip
        for target, done in everywhere(history, "anthropic").items():
            kept = "iVBORw" in json.dumps(done.payload) or media[0] is not png
            told = {loss.code for loss in done.losses} & {"L302", "L303"}
            assert kept or told, target


@scenario(31)
def results_of_mcp_servers():
    from toolcanon.formats.mcp.results import read_result

    for answer in (
        {"content": [], "structuredContent": [1]},
        {"content": [{"type": "text", "text": "a"}], "structuredContent": {"b": 1}},
        {"content": [], "isError": True},
        {"content": [{"type": "resource_link", "uri": "file:///a", "name": "a"}]},
    ):
        found = read_result(answer)
        found.call_id = "c1"
        history = tc.Conversation([tc.Message("user", [tc.Text("go")]),
                                   tc.Message("assistant", [tc.Call("f", {}, "c1")]),
                                   tc.Message("tool", [found])], format="openai")  # fmt: skip
        for target in FAMILIES:
            taken_by(history, target)


@scenario(32)
def tools_of_the_provider():
    search = [
        {
            "type": "server_tool_use",
            "id": "srvtoolu_1",
            "name": "web_search",
            "input": {"query": "x"},
        },
        {"type": "web_search_tool_result", "tool_use_id": "srvtoolu_1", "content": []},
    ]
    history = [
        user("go"),
        {"role": "assistant", "content": [*search, {"type": "text", "text": "ok"}]},
    ]
    for target, done in everywhere(history, "anthropic").items():
        assert target == "anthropic" or "L307" in [loss.code for loss in done.losses]
    orphan = [
        user("go"),
        {"role": "assistant", "content": [search[1], {"type": "text", "text": "ok"}]},
    ]
    assert codes(taken(orphan, "anthropic", "anthropic")) == ["R123"]


@scenario(33)
def calls_in_free_text():
    patch = "*** {not: json}"
    items = [
        {"role": "user", "content": "go"},
        {"type": "custom_tool_call", "call_id": "c1", "name": "apply_patch", "input": patch},
        {"type": "custom_tool_call_output", "call_id": "c1", "output": "ok"},
    ]
    for target, done in everywhere(items, "openai-responses").items():
        (found,) = parts_of(done, tc.Call)
        assert (found.text if found.is_text else found.arguments["input"]) == patch
        assert found.is_text or "L312" in [loss.code for loss in done.losses], target


@scenario(34)
def instructions_everywhere():
    system = {"role": "system", "content": "Be brief."}
    developer = {"role": "developer", "content": "And kind."}
    history = [system, developer, user("go"), call(("c1", "f", "{}")), system, result("c1"),
               says("x"), developer, user("y")]  # fmt: skip
    for done in everywhere(history).values():
        text = json.dumps([done.payload, done.system])
        assert text.count("Be brief.") == 2
        assert text.count("And kind.") == 2


@scenario(35)
def beginnings_and_ends():
    pending = [user("go"), call(("c1", "f", "{}"))]
    for history in ([says("hi"), user("go")], [user("go"), says("hi")], pending, [],
                    [user("a"), user("b")]):  # fmt: skip
        for done in everywhere(history).values():
            said = json.dumps(done.payload)
            assert all(str(m["content"]) in said for m in history if m["content"])


@scenario(36)
def blanks_everywhere():
    use = {"type": "tool_use", "id": "t", "name": "f", "input": {}}
    answer = {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t",
                                           "content": ""}]}  # fmt: skip
    for blank in ("", " ", "\n\n"):
        text = {"type": "text", "text": blank}
        for history in (
            [user("go"), {"role": "assistant", "content": [text, use]}, answer],
            [user("go"), {"role": "assistant", "content": [text]}, user("on")],
            [user("go"), {"role": "assistant", "content": blank}, user("on")],
            [user(blank), user("go")],
            [{"role": "user", "content": []}, user("go")],
            [{"role": "user", "content": [text]}, user("go")],
        ):
            everywhere(history, "anthropic")
        body = {"system": [{"type": "text", "text": blank}], "messages": [user("go")],
                "max_tokens": 1, "model": "m"}  # fmt: skip
        everywhere(body, "anthropic")


@scenario(37)
def cache_marks():
    mark = {"cache_control": {"type": "ephemeral"}}
    history = [{"role": "user", "content": [{"type": "text", "text": t, **mark}
                                            for t in ("a", "", "b")]}]  # fmt: skip
    for target, done in everywhere(history, "anthropic").items():
        lost = [loss.code for loss in done.losses].count("L334")
        assert lost == (0 if target in {"anthropic", "bedrock"} else 3)
        assert ("cache_control" in json.dumps(done.payload)) is (target == "anthropic")


@scenario(38)
def names_of_all_kinds():
    names = ["n" * 65, "n" * 128, "n" * 200, "9lives", "a.b", "a:b", "grüße", "a_b"]
    history = [user("go"), call(*((f"c{n}", name, "{}") for n, name in enumerate(names))),
               *(result(f"c{n}") for n in range(len(names)))]  # fmt: skip
    for target, done in everywhere(history).items():
        found = [c.name for c in parts_of(done, tc.Call)]
        assert len(set(found)) == len(names)
        back = switch(done.payload, "openai", source=target, receipt=done.receipt())
        legal = [name for name in names if len(name) <= 64 and name.isascii() and "." not in name]
        assert {"a_b", "9lives"} <= {c.name for c in parts_of(back, tc.Call)} or not legal


@scenario(39)
def arguments_in_other_shapes():
    schema = {"type": "object", "properties": {"map": {"type": "object", "additionalProperties":
                                                        {"type": "integer"}},
                                               "n": {"type": "integer"}},
              "required": ["map"]}  # fmt: skip
    tool = tc.CanonicalTool(name="f", inputs=schema)
    strict = tc.bind([tool], "openai", strict=True)
    for arguments in ({"map": {"a": 1}}, {"map": {}, "n": 2}, {"map": {}, "extra": 1}, {}):
        wire = strict.render("f", arguments)[1]
        history = [user("go"), call(("c1", "f", json.dumps(wire))), result("c1")]
        there = taken(history, "anthropic", source_binding=strict)
        assert parts_of(there, tc.Call)[0].arguments == arguments
        back = taken(there.payload, "openai", "anthropic", binding=strict)
        assert parts_of(back, tc.Call)[0].arguments == wire
    old = tc.bind([tc.CanonicalTool(name="g")], "openai", strict=True)
    unknown = taken(history, "anthropic", source_binding=old)
    assert "R121" in codes(unknown)


@scenario(40)
def all_pairs_there_and_back():
    for source, target in PAIRS:
        first = switch(TWO, source, source="openai").payload
        there = taken(first, target, source)
        again = switch(there.payload, target, source=target)
        assert (again.payload, again.repairs) == (there.payload, ())
        back = taken(there.payload, source, target)
        assert facts(read(back)) == facts(tc.read_conversation(first, source=source))


@scenario(41)
def long_histories_and_large_results():
    def cost(turns):
        history = [user("go")]
        for turn in range(turns):
            history += [call((f"c{turn % 7}", "f", "{}")), user("wait"), result(f"c{turn % 7}")]
        start = time.process_time()
        switch(history, "anthropic", source="openai")
        return time.process_time() - start

    cost(50)
    small, large = min(cost(400) for _ in range(3)), min(cost(3200) for _ in range(3))
    assert large < small * 8 * 4
    big = "A" * 20_000_000
    image = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": big}}
    history = [user("go"), {"role": "assistant", "content": [
        {"type": "tool_use", "id": "t", "name": "f", "input": {}}]},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t",
                                      "content": [image]}]}]  # fmt: skip
    done = switch(history, "gemini", source="anthropic")
    part = done.payload[2]["parts"][0]["functionResponse"]["parts"][0]
    assert part["inlineData"]["data"] is big


@scenario(42)
def tools_that_come_and_go():
    added = {"role": "system", "content": [
        {"type": "tool_addition", "tool": {"type": "tool_reference", "name": "f"}}]}  # fmt: skip
    history = [user("go"), added, {"role": "assistant", "content": [
        {"type": "tool_use", "id": "t", "name": "f", "input": {}}]},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t",
                                      "content": "ok"}]}]  # fmt: skip
    for done in everywhere(history, "anthropic").values():
        assert results_of(done) == {"t": "ok"}
    body = {"messages": TWO, "tools": tc.bind([tc.CanonicalTool(name="other")], "openai").payload}
    assert "R121" in codes(taken(body, "anthropic"))


@scenario(43)
def calls_in_namespaces():
    items = [{"role": "user", "content": "go"}]
    for number, space in enumerate(["browser", None]):
        made = {"type": "function_call", "call_id": f"c{number}", "name": "click",
                "arguments": "{}"}  # fmt: skip
        items += [
            {**made, "namespace": space} if space else made,
            {"type": "function_call_output", "call_id": f"c{number}", "output": "ok"},
        ]
    for target, done in everywhere(items, "openai-responses").items():
        found = [(c.namespace, c.name) for c in parts_of(done, tc.Call)]
        assert len(set(found)) == 2
        back = switch(done.payload, "openai-responses", source=target, receipt=done.receipt())
        again = [(c.namespace, c.name) for c in parts_of(back, tc.Call)]
        assert again == [("browser", "click"), (None, "click")], target


@scenario(44)
def attempts_that_are_repeated():
    body = {"messages": [user("go"), call(("c1", "read", "{}")), result("c1")],
            "tools": tc.bind([tc.CanonicalTool(name="read")], "openai").payload}  # fmt: skip
    first = switch(body, "anthropic", naming="claude-code").payload
    assert switch(body, "anthropic", naming="claude-code").payload == first
    assert switch(first, "anthropic", naming="claude-code").payload == first


@scenario(45)
def approvals_and_calls_that_take_their_time():
    items = [{"role": "user", "content": "go"},
             {"type": "mcp_approval_request", "id": "mcpr_1", "name": "f", "arguments": "{}",
              "server_label": "s"},
             {"type": "function_call", "call_id": "c1", "name": "f", "arguments": "{}",
              "async": True}]  # fmt: skip
    done = everywhere(items, "openai-responses")
    assert codes(done["openai-responses"]) == []
    assert "R101" in codes(done["anthropic"])
    assert "L307" in [loss.code for loss in done["anthropic"].losses]


@scenario(46)
def two_results_that_differ():
    history = [user("go"), call(("c1", "f", "{}")), result("c1", "first"), result("c1", "second"),
               says("x"), user("y")]  # fmt: skip
    for done in everywhere(history).values():
        assert results_of(done) == {"c1": "first"}
        assert [r.before["text"] for r in done.repairs if r.code == "R103"] == ["second"]


@scenario(47)
def the_same_ids_every_time():
    history = gemini(
        {"role": "model", "parts": [{"functionCall": {"name": "f", "args": {}}}]},
        {"role": "user", "parts": [{"functionResponse": {"name": "f", "response": {}}}]},
    )
    grown = [*history, {"role": "model", "parts": [{"text": "ok"}]}]
    for target in FAMILIES:
        short = switch(history, target, source="gemini").payload
        assert switch(grown, target, source="gemini").payload[: len(short)] == short
        assert codec_of(target).id == target


# What only its provider says of a text: the text goes along, the rest is reported.
_GUARDED = {"guardContent": {"text": {"text": "Words.", "qualifiers": ["query"]}}}
_CITED = {"citationsContent": {"content": [{"text": "Words."}], "citations": [{"title": "T"}]}}
_FOUND = {
    "searchResult": {"source": "https://e.org", "title": "T", "content": [{"text": "Words."}]}
}
_SEARCHED = {"type": "search_result", "source": "https://e.org", "title": "T",
             "content": [{"type": "text", "text": "Words."}]}  # fmt: skip


@table(
    "family, block", [("bedrock", _GUARDED), ("bedrock", _CITED), ("bedrock", _FOUND),
                      ("anthropic", _SEARCHED)],
)  # fmt: skip
@table("to", ["openai", "openai-responses", "anthropic", "gemini", "bedrock"])
def test_annotations_of_a_text_are_reported_and_the_text_carried(family, block, to):
    role = "assistant" if block is _CITED else "user"
    said = [{"role": "user", "content": [block]}]
    if role == "assistant":
        ask = {"role": "user", "content": [{"text": "?"}]}
        said = [ask, {"role": "assistant", "content": [block]}, ask]
    done = tc.switch(said, to, source=family)
    assert "Words." in str(done.payload) or "V29yZHMu" in str(done.payload)  # a file of words
    lost = [loss for loss in done.losses if loss.code == "L308"]
    assert bool(lost) == (to != family)
    if to == family:
        assert done.payload == said
    nothing = {"citationsContent": {"content": [{"text": "Words."}], "citations": []}}
    plain = tc.switch([{"role": "user", "content": [nothing]}], to, source="bedrock")
    assert not [loss for loss in plain.losses if loss.code == "L308"]
