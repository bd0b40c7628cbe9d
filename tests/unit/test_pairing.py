"""Which result answers which call: exact ids first, then names, then places."""

import pytest

import toolcanon as tc
from tests.tables import table
from toolcanon.conversations.read_write import write_messages
from toolcanon.conversations.repair_history import Terms
from toolcanon.conversations.repair_history.pairs import find_pairs, result_at
from toolcanon.conversations.switch import switch
from toolcanon.dialect.history import HistoryRules
from toolcanon.formats.wire.odd_members import id_text

FAMILIES = ("openai", "openai-responses", "anthropic", "gemini", "bedrock")
every_target = table("target", FAMILIES)


def asked(*calls):
    parts = [{"functionCall": {"name": name, "args": {"n": n}, **({"id": id_} if id_ else {})}}
             for n, (name, id_) in enumerate(calls)]  # fmt: skip
    return [{"role": "user", "parts": [{"text": "go"}]}, {"role": "model", "parts": parts}]


def answered(*results):
    parts = [{"functionResponse": {"name": name, "response": {"output": text},
                                   **({"id": id_} if id_ else {})}}
             for name, id_, text in results]  # fmt: skip
    return [{"role": "user", "parts": parts}]


def paired(done, family):
    """The words of the result of each call, by the number among the arguments of the call."""
    read = tc.read_conversation(done.payload, source=family)
    calls = [part for message in read.messages for part in message.calls]
    results = [part for message in read.messages for part in message.results]
    if any(call.id is None for call in calls):  # at home, where nothing has to be changed
        pairs = find_pairs(read, Terms(HistoryRules(), family, by_place=True))
        assert not pairs.orphans
        assert not pairs.again
        return {p.call.arguments["n"]: result_at(read, p.answer).content[0].text for p in pairs.all}
    by_id = {result.call_id: result.content[0].text for result in results}
    assert len(by_id) == len(results) == len(calls)
    return {call.arguments["n"]: by_id[call.id] for call in calls}


GEMINI = [
    ("an id takes its own result before a result without one takes its call",
     [("f", "k1"), ("f", None)], [("f", None, "TWO"), ("f", "k1", "ONE")], ["ONE", "TWO"]),
    ("ids in reverse", [("f", "k1"), ("f", "k2")], [("f", "k2", "B"), ("f", "k1", "A")],
     ["A", "B"]),
    ("names take theirs before places do",
     [("f", None), ("g", None)], [("x", None, "G"), ("f", None, "F")], ["F", "G"]),
    ("names in reverse", [("f", None), ("g", None)], [("g", None, "G"), ("f", None, "F")],
     ["F", "G"]),
    ("one name twice goes by place", [("f", None), ("f", None)],
     [("f", None, "A"), ("f", None, "B")], ["A", "B"]),
    ("an id that only the result has", [("f", None), ("g", None)],
     [("g", "new", "G"), ("f", None, "F")], ["F", "G"]),
    ("ids and names mixed", [("f", "k1"), ("g", None), ("f", None)],
     [("f", None, "C"), ("g", None, "B"), ("f", "k1", "A")], ["A", "B", "C"]),
]  # fmt: skip


@every_target
@table(("calls", "results", "wanted"), [row[1:] for row in GEMINI],
                         ids=[row[0] for row in GEMINI])  # fmt: skip
def test_ids_then_names_then_places(calls, results, wanted, target):
    done = switch(asked(*calls) + answered(*results), target, source="gemini")
    assert paired(done, target) == dict(enumerate(wanted))
    assert not {r.code for r in done.repairs} & {"R101", "R102", "R103"}


@every_target
def test_a_result_of_another_id_is_never_a_calls(target):
    history = asked(("f", "k1")) + answered(("f", "k9", "not mine"))
    done = switch(history, target, source="gemini")
    assert {"R101", "R102"} <= {repair.code for repair in done.repairs}
    (found,) = paired(done, target).values()
    assert "not mine" not in found


@every_target
@table("ids", [False, True])
@table("key", ["tool_name", "name"])
def test_results_without_ids_go_by_the_name_of_their_tool(target, ids, key):
    calls = [
        {"type": "function", "function": {"name": name, "arguments": f'{{"n": {n}}}'},
         **({"id": f"c{n}"} if ids else {})}
        for n, name in enumerate(["a", "b", "a"])
    ]  # fmt: skip
    results = [
        {"role": "tool", key: name, "content": text}
        for name, text in [("b", "B"), ("a", "first A"), ("a", "second A")]
    ]
    history = [{"role": "user", "content": "go"},
               {"role": "assistant", "content": None, "tool_calls": calls}, *results]  # fmt: skip
    done = switch(history, target, source="openai")
    assert paired(done, target) == {0: "first A", 1: "B", 2: "second A"}


# --- equal ids


def in_openai(calls, results, id_):
    named = {} if id_ is None else {"tool_call_id": id_}
    own = {} if id_ is None else {"id": id_}
    asked_ = [
        [{"type": "function", "function": {"name": name, "arguments": f'{{"n": {n}}}'}, **own}
         for n, name in turn]
        for turn in calls
    ]  # fmt: skip
    return [
        {"role": "user", "content": "go"},
        *({"role": "assistant", "content": None, "tool_calls": turn} for turn in asked_),
        *({"role": "tool", "content": text, **named, **({"name": name} if name else {})}
          for name, text in results),
    ]  # fmt: skip


def in_gemini(calls, results, id_):
    own = {} if id_ is None else {"id": id_}
    return [
        {"role": "user", "parts": [{"text": "go"}]},
        *({"role": "model", "parts": [
            {"functionCall": {"name": name, "args": {"n": n}, **own}} for n, name in turn]}
          for turn in calls),
        {"role": "user", "parts": [
            {"functionResponse": {"name": name or "?", "response": {"output": text}, **own}}
            for name, text in results]},
    ]  # fmt: skip


def in_vercel(calls, results, id_):
    own = {} if id_ is None else {"toolCallId": id_}
    return [
        {"role": "user", "content": "go"},
        *({"role": "assistant", "content": [
            {"type": "tool-call", "toolName": name, "input": {"n": n}, **own} for n, name in turn]}
          for turn in calls),
        {"role": "tool", "content": [
            {"type": "tool-result", "output": {"type": "text", "value": text}, **own,
             **({"toolName": name} if name else {})}
            for name, text in results]},
    ]  # fmt: skip


EQUAL = [
    ("names in reverse", [[(0, "a"), (1, "b")]], [("b", "1"), ("a", "0")]),
    ("no names, by place", [[(0, "a"), (1, "b")]], [(None, "0"), (None, "1")]),
    ("a name behind none", [[(0, "a"), (1, "b")]], [(None, "1"), ("a", "0")]),
    ("one name twice", [[(0, "a"), (1, "b"), (2, "a")]], [("b", "1"), ("a", "0"), ("a", "2")]),
    ("a name of no call", [[(0, "a"), (1, "b")]], [("x", "1"), ("a", "0")]),
    ("names that have to change", [[(0, "a.b"), (1, "c d")]], [("c d", "1"), ("a.b", "0")]),
    ("messages in a row", [[(0, "a")], [(1, "b")]], [("b", "1"), ("a", "0")]),
]  # fmt: skip


@every_target
@table(("calls", "results"), [row[1:] for row in EQUAL],
                         ids=[row[0] for row in EQUAL])  # fmt: skip
def test_names_decide_among_calls_of_one_id(calls, results, target):
    for make, source in ((in_openai, "openai"), (in_gemini, "gemini"), (in_vercel, "vercel")):
        for id_ in ("x", "", None):
            if id_ is None and {name for name, _ in results} & {"x"}:
                continue  # whose name is no call's, and which no id gives to one
            done = switch(make(calls, results, id_), target, source=source)
            wanted = {n: str(n) for turn in calls for n, _ in turn}
            assert paired(done, target) == wanted, (source, id_)


@pytest.mark.parametrize("id_", ["x", "", None, 7])
def test_ids_are_written_back_as_they_were(id_):
    for make, source in ((in_openai, "openai"), (in_gemini, "gemini"), (in_vercel, "vercel")):
        if source != "gemini" or id_ != 7:
            history = make([[(0, "a"), (1, "b")]], [("b", "1"), ("a", "0")], id_)
            read = tc.read_conversation(history, source=source)
            assert write_messages(read, source).payload == history


def test_a_name_of_an_earlier_turn_takes_the_call_of_that_turn():
    first = in_openai([[(0, "a")]], [], "x")
    later = in_openai([[(1, "b")]], [("a", "0"), ("b", "1")], "x")
    for target in ("openai-responses", "anthropic", "bedrock"):  # where no two turns share an id
        assert paired(switch(first + later, target, source="openai"), target) == {0: "0", 1: "1"}


def test_results_before_calls_of_one_id_go_by_name():
    request, calls, *results = in_openai([[(0, "a"), (1, "b")]], [("b", "1"), ("a", "0")], "x")
    done = switch([request, *results, calls], "anthropic", source="openai")
    assert paired(done, "anthropic") == {0: "0", 1: "1"}


def test_a_result_with_an_empty_id_answers_a_call_without_one():
    request, calls, *_ = in_openai([[(0, "a"), (1, "b")]], [], None)
    _, *results = in_openai([], [("b", "1"), ("a", "0")], "")
    done = switch([request, calls, *results], "anthropic", source="openai")
    assert paired(done, "anthropic") == {0: "0", 1: "1"}


# --- nothing left


ORPHANS = {
    "openai": [{"role": "tool", "tool_call_id": "x", "content": "r"}],
    "openai-responses": [{"type": "function_call_output", "call_id": "x", "output": "r"}],
    "anthropic": [{"role": "user", "content": [
        {"type": "tool_result", "tool_use_id": "x", "content": "r"}]}],
    "gemini": answered(("f", None, "r")),
    "bedrock": [{"role": "user", "content": [
        {"toolResult": {"toolUseId": "x", "content": [{"text": "r"}]}}]}],
}  # fmt: skip


def request(family, history, **settings):
    key = {"openai-responses": "input", "gemini": "contents"}.get(family, "messages")
    return {key: history, **settings}


@every_target
@table("source", FAMILIES)
def test_a_request_of_orphans_alone_is_not_empty(source, target):
    done = switch(request(source, ORPHANS[source]), target, source=source)
    assert [repair.code for repair in done.repairs] == ["R102", "R110"]
    assert "r" in str(done.repairs[0].before)
    (message,) = tc.read_conversation(done.payload, source=target).messages
    assert message.role == "user"
    assert message.text


@pytest.mark.parametrize("setting", ["previous_response_id", "conversation", "prompt"])
def test_a_request_that_continues_what_is_stored_needs_no_messages(setting):
    body = {"input": [], "model": "m", setting: "x"}
    assert switch(body, "openai-responses", source="openai-responses").payload == body


def test_a_system_message_is_enough_where_it_is_one_of_the_messages():
    said = [{"role": "system", "content": "Be terse."}]
    for family in ("openai", "openai-responses"):
        body = request(family, said)
        assert switch(body, family, source=family).payload == body
    alone = {"instructions": "Be terse.", "input": []}
    made = switch(alone, "openai-responses", source="openai-responses")
    assert len(made.payload["input"]) == 1
    assert [repair.code for repair in made.repairs] == ["R110"]


@table("target", ["anthropic", "gemini", "bedrock", "openai-responses"])
@table("id_", [1, 1.5, True, {"a": 1}, [2]], ids=repr)
def test_ids_that_are_no_strings_are_reported_and_come_home(id_, target):
    call = {"id": id_, "type": "function", "function": {"name": "f", "arguments": "{}"}}
    history = [
        {"role": "user", "content": "hi"},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": id_, "content": "1"},
    ]
    there = tc.switch(history, target)
    (told,) = (repair for repair in there.repairs if repair.code == "R106")
    assert (told.at, told.before) == (("messages", "1", "parts", "0", "id"), id_)
    home = tc.switch(there.payload, "openai", receipt=there.receipt()).payload
    sent = tc.switch(history, "openai").payload  # there it cannot stay what it was
    assert [message.get("tool_call_id") for message in home] == [None, None, id_text(id_)]
    assert home[1]["tool_calls"][0]["id"] == id_text(id_) == sent[1]["tool_calls"][0]["id"]


def test_a_result_whose_id_alone_is_no_string_is_reported():
    history = [
        {"role": "user", "content": "hi"},
        {"role": "assistant", "content": None, "tool_calls": [
            {"id": "7", "type": "function", "function": {"name": "f", "arguments": "{}"}}]},
        {"role": "tool", "tool_call_id": 7, "content": "1"},
    ]  # fmt: skip
    (told,) = tc.switch(history, "anthropic").repairs
    assert (told.code, told.before, told.after) == ("R106", 7, "7")
