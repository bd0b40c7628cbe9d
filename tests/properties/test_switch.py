"""Laws of switching, for histories that no person would write and machines do."""

import copy
import sys
from unittest import mock

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import toolcanon as tc
from tests.referee.histories import certain_faults
from toolcanon.conversations.read_write import codec_of
from toolcanon.conversations.repair_history.ids import original, spelled_out
from toolcanon.conversations.switch import switch
from toolcanon.conversations.trim import trim
from toolcanon.formats.wire.blocks import Hand
from toolcanon.formats.wire.codec import WriteLog

FAMILIES = ("openai", "openai-responses", "anthropic", "gemini", "bedrock")
every_target = pytest.mark.parametrize("target", [*FAMILIES, "vercel/model", "vercel/ui"])

TEXTS = st.sampled_from(["go", "", " ", "\n", "Error: x", '{"ok":false,"error":"x"}', "é"])
IDS = st.sampled_from(["c1", "c2", "c3", "a.b", "a:b", "a_b", "", "x" * 90, "ü", "tcid_YS5i",
                       "tcid2_YzE", "tcnone_1_0"])  # fmt: skip
NAMES = st.sampled_from(["f", "g", "a.b", "9x", "n" * 90, "ü"])
ARGUMENTS = st.one_of(
    st.just({}),
    st.dictionaries(st.sampled_from("ab"), st.sampled_from([1, "x", None, float("inf"), [1.5]]),
                    max_size=2),
)  # fmt: skip
BROKEN = st.sampled_from(["", "null", "[]", '"{}"', '{"a":', "{}{}"])


@st.composite
def calls(draw):
    id_ = draw(st.one_of(st.none(), IDS))
    if draw(st.booleans()):
        return tc.Call(draw(NAMES), draw(ARGUMENTS), id_)
    text = draw(BROKEN)
    from toolcanon.formats.wire.codec import read_arguments

    value, problem = read_arguments(text)
    return tc.Call(draw(NAMES), value, id_, text, problem)


@st.composite
def results(draw):
    content = draw(st.lists(st.one_of(TEXTS.map(tc.Text), st.just(tc.Data({"a": float("nan")}))),
                            max_size=2))  # fmt: skip
    name = draw(st.one_of(st.none(), NAMES))
    flag = draw(st.sampled_from([None, True, False]))
    return tc.Result(draw(st.one_of(st.none(), IDS)), content, name, flag)


THOUGHTS = st.builds(tc.Reasoning, text=TEXTS, seal=st.sampled_from([None, "c2VhbA=="]),
                     provider=st.sampled_from(FAMILIES))  # fmt: skip
WORDS = TEXTS.map(tc.Text)
MESSAGES = st.one_of(
    st.builds(lambda parts: tc.Message("user", parts), st.lists(st.one_of(WORDS, results()),
                                                                max_size=3)),
    st.builds(lambda parts: tc.Message("assistant", parts),
              st.lists(st.one_of(WORDS, calls(), THOUGHTS), max_size=3)),
    st.builds(lambda part: tc.Message("tool", [part]), results()),
    st.builds(lambda part: tc.Message("system", [part]), WORDS),
)  # fmt: skip
HISTORIES = st.lists(MESSAGES, min_size=1, max_size=8)


def conversation(messages, source="openai"):
    return tc.Conversation(messages, format=source)


@every_target
@given(messages=HISTORIES)
@settings(max_examples=150)
def test_whatever_is_given_is_taken(target, messages):
    given_ = conversation(messages)
    before = copy.deepcopy(given_)
    done = switch(given_, target)
    assert repr(given_) == repr(before)
    found = tc.lint(done.payload, target, source=target)
    assert not [finding for finding in found if finding.level == "error"]
    assert not certain_faults(target.partition("/")[0], done.payload)
    again = switch(given_, target)
    assert (again.payload, again.repairs) == (done.payload, done.repairs)


@every_target
@given(messages=HISTORIES)
@settings(max_examples=80)
def test_twice_is_once(target, messages):
    done = switch(conversation(messages), target)
    again = switch(done.payload, target, source=target)
    assert again.payload == done.payload
    assert not again.repairs


@every_target
@given(messages=HISTORIES)
@settings(max_examples=80)
def test_without_repair_nothing_is_changed(target, messages):
    given_ = conversation(messages)
    plain = switch(given_, target, repair=False)
    assert plain.made + plain.repairs == switch(given_, target).repairs
    assert "R120" not in {repair.code for repair in plain.repairs}


ASKS = st.sampled_from([tc.Text("go"), tc.Call("f", {}, "c1"), tc.Call("f", {}, "c2")])
SAYS = st.sampled_from([tc.Text("go"), tc.Result("c1"), tc.Result("c2")])
ORDERLY = st.lists(
    st.one_of(
        st.builds(tc.Message, st.just("assistant"), st.lists(ASKS, max_size=2)),
        st.builds(tc.Message, st.sampled_from(["tool", "user"]), st.lists(SAYS, max_size=2)),
        st.builds(
            tc.Message, st.sampled_from(["system", "developer"]), st.lists(WORDS, max_size=1)
        ),
    ),
    max_size=6,
)


@pytest.mark.parametrize("target", ["anthropic", "bedrock"])
@given(messages=st.one_of(ORDERLY, HISTORIES), lifts=st.booleans())
@settings(max_examples=300)
def test_the_fast_path_to_turns_equals_the_general_path(target, messages, lifts):
    write = tc.write_conversation if lifts else _messages_alone
    short = write(conversation(messages), target)
    with mock.patch.object(Hand, "_write_straight", return_value=None):
        assert repr(write(conversation(messages), target)) == repr(short)


def _messages_alone(read, target):
    """Written where system messages keep their place in the list."""
    told = WriteLog()
    return codec_of(target).write_messages(read.messages, told), told.losses


@every_target
@given(ids=st.lists(st.text(min_size=1, max_size=60), unique=True, min_size=1, max_size=6))
@settings(max_examples=80)
def test_ids_are_injective_and_come_back(target, ids):
    messages = [
        tc.Message("user", [tc.Text("go")]),
        tc.Message("assistant", [tc.Call("f", {}, id_) for id_ in ids]),
        tc.Message("tool", [tc.Result(id_, [tc.Text(str(n))]) for n, id_ in enumerate(ids)]),
    ]
    there = switch(conversation(messages, "gemini"), target)
    read = tc.read_conversation(there.payload, source=target)
    made = [part.id for message in read.messages for part in message.calls]
    assert len(set(made)) == len(ids)
    answers = {p.call_id: p.content[0].text for m in read.messages for p in m.results}
    assert [answers[id_] for id_ in made] == [str(n) for n in range(len(ids))]
    back = switch(there.payload, "gemini", source=target, receipt=there.receipt()).payload
    again = tc.read_conversation(back, source="gemini")
    assert [part.id for message in again.messages for part in message.calls] == ids


PLAIN = st.sampled_from(["a b", "c1", "é", "0", "x" * 45, "y" * 70, ""])
OURS = st.recursive(
    st.one_of(PLAIN, st.text(max_size=4)),
    lambda ids: st.builds(spelled_out, ids, st.sampled_from([0, 2, 3])),
    max_leaves=3,
)


@every_target
@pytest.mark.parametrize("source", FAMILIES)
@given(ids=st.lists(OURS, unique=True, min_size=1, max_size=6), apart=st.booleans())
@settings(max_examples=40)
def test_no_two_ids_become_one(source, target, ids, apart):
    turns = [[id_] for id_ in ids] if apart else [ids]
    messages = [tc.Message("user", [tc.Text("go")])]
    for turn in turns:
        messages.append(tc.Message("assistant", [tc.Call("f", {}, id_) for id_ in turn]))
        messages.append(tc.Message("tool", [tc.Result(id_, [tc.Text("x")]) for id_ in turn]))
    there = switch(conversation(messages, source), target)
    assert len(set(called(there, target))) == len(ids)
    assert len(set(called(switch(there.payload, source, source=target), source))) == len(ids)
    back = called(switch(there.payload, source, source=target, receipt=there.receipt()), source)
    at_home = called(switch(conversation(messages, source), source), source)
    assert [one for one, two in zip(back, ids, strict=True) if one != two] == [
        one for one, two, home in zip(back, ids, at_home, strict=True) if two != home
    ]  # all come back, but for those that are refused at home


def called(done, family):
    read = tc.read_conversation(done.payload, source=family)
    return [part.id for message in read.messages for part in message.calls]


@given(st.text(), st.integers(0, 99))
def test_spelling_out_is_undone(text, number):
    assert original(spelled_out(text, number)) == text


@given(messages=HISTORIES, most=st.integers(1, 9))
@settings(max_examples=150)
def test_trimming_never_parts_a_pair(messages, most):
    given_ = conversation(messages)
    left = trim(given_, messages=most).payload
    whole = {id(part) for message in messages for part in message.parts}
    kept = [part for message in left.messages for part in message.parts if id(part) in whole]
    gone = whole - {id(part) for part in kept}
    from toolcanon.conversations.repair_history import Terms
    from toolcanon.conversations.repair_history.pairs import find_pairs, result_at
    from toolcanon.dialect.history import HistoryRules

    for pair in find_pairs(given_, Terms(HistoryRules(), "openai", by_place=True)).all:
        if pair.answer is not None:
            answer = result_at(given_, pair.answer)
            assert (id(pair.call) in gone) is (id(answer) in gone)


# --- linear, counted in calls of functions


def counted(history, target):
    total = 0

    def count(frame, event, argument):
        nonlocal total
        total += event == "call"

    switch(history, target, source="openai")
    sys.setprofile(count)
    try:
        switch(history, target, source="openai")
    finally:
        sys.setprofile(None)
    return total


def broken(turns):
    """Everything is wrong in every turn."""
    out = []
    for turn in range(turns):
        name = f"f.{turn % 3}"
        made = [{"id": id_, "type": "function", "function": {"name": name, "arguments": "{"}}
                for id_ in ("call_0", "call_0", f"a.{turn}")]  # fmt: skip
        out += [
            {"role": "assistant", "content": " ", "tool_calls": made},
            {"role": "user", "content": "wait"},
            {"role": "tool", "tool_call_id": f"a.{turn}", "content": ""},
            {"role": "tool", "tool_call_id": "nobody", "content": "x"},
            {"role": "tool", "tool_call_id": f"a.{turn}", "content": "again"},
        ]
    return out


@every_target
def test_the_worst_history_costs_its_length(target):
    small, large = counted(broken(50), target), counted(broken(400), target)
    assert large < small * 8 * 1.3


@every_target
def test_many_calls_of_one_turn(target):
    def made(count):
        parts = [{"functionCall": {"name": "f", "args": {}}}] * count
        answers = [{"functionResponse": {"name": "g", "response": {}}}] * count
        return [{"role": "model", "parts": parts}, {"role": "user", "parts": answers}]

    body = {codec_of("gemini").history: made(4000)}
    done = switch(body, target, source="gemini")
    assert not [f for f in tc.lint(done.payload, target, source=target) if f.level == "error"]
