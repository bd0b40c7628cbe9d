"""Which result answers which call: exact ids first, then names, then places."""

import pytest

import toolcanon as tc
from toolcanon.conversion.repairs import Terms
from toolcanon.conversion.repairs.pairs import find_pairs, result_at
from toolcanon.conversion.switching import switch
from toolcanon.dialect.history import HistoryRules

FAMILIES = ("openai", "openai-responses", "anthropic", "gemini", "bedrock")
every_target = pytest.mark.parametrize("target", FAMILIES)


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
    read = tc.read_conversation(done.payload, family)
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
@pytest.mark.parametrize(("calls", "results", "wanted"), [row[1:] for row in GEMINI],
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
@pytest.mark.parametrize("ids", [False, True])
@pytest.mark.parametrize("key", ["tool_name", "name"])
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
@pytest.mark.parametrize("source", FAMILIES)
def test_a_request_of_orphans_alone_still_says_something(source, target):
    done = switch(request(source, ORPHANS[source]), target, source=source)
    assert [repair.code for repair in done.repairs] == ["R102", "R110"]
    assert "r" in str(done.repairs[0].before)
    (message,) = tc.read_conversation(done.payload, target).messages
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
