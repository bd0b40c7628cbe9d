"""Conversations as plain JSON: there and back, the published schema, and garbage."""

import copy
import json
from pathlib import Path

import jsonschema_rs
import pytest
from hypothesis import given
from hypothesis import strategies as st

import toolcanon as tc
from tests.tables import table
from toolcanon.errors import NotAConversation
from toolcanon.ir.conversation import (
    LEAVES,
    LISTS,
    PART_LISTS,
    PARTS,
    RECORDS,
    VERSION,
    from_dict,
    members,
    to_dict,
)

SCHEMA = Path(__file__).parents[2] / "docs" / "schemas" / f"conversation.v{VERSION}.json"
VALIDATOR = jsonschema_rs.validator_for(json.loads(SCHEMA.read_text(encoding="utf-8")))

EVERYTHING = tc.Conversation(
    [
        tc.Message("user", [tc.Text("hello", {"anthropic": {"cache_control": {}}})], "Ann"),
        tc.Message(
            "assistant",
            [
                tc.Reasoning("hm", "c2VhbA==", id="rs_1", provider="anthropic", model="m"),
                tc.Reasoning(seal="c2VhbA==", is_hidden=True),
                tc.Refusal("no"),
                tc.Call("f", {"a": [None, 1.5]}, "c1", '{"a":[null,1.5]}', namespace="n"),
                tc.Call("g", None, "c2", '{"a":', "not-json"),
                tc.Call("h", id="c3", text="free", is_text=True),
                tc.Native("gemini", "executableCode", {"type": "x", "code": None}, "n1"),
            ],
        ),
        tc.Message(
            "tool",
            [
                tc.Result("c1", [tc.Text("t"), tc.Data(None), tc.Data({"a": 0})], "f", False),
                tc.Result(None, [tc.Media("image", "image/png", "aGk=", name="i")], is_error=True),
                tc.Result("c3", [tc.Native("mcp", "block", 1)], is_text=True),
            ],
        ),
        tc.Message("assistant"),
    ],
    tc.Message("system", [tc.Text("")]),
    [{"name": "f"}],
    tc.ToolChoice("subset", ["f", "g"], is_required=True),
    parallel_calls=False,
    model="m",
    format="openai",
    extras={"openai": {"temperature": 0, "$": {"a": 1}}},
)
ANSWER = tc.Answer(
    [tc.Candidate(EVERYTHING.messages[1:2], tc.Stop("tool_call", "tool_use")), tc.Candidate()],
    "m",
    "a1",
    {"input_tokens": 3},
    "anthropic",
)


@pytest.mark.parametrize("thing", [EVERYTHING, ANSWER, tc.Conversation(), tc.Answer()])
def test_there_and_back_it_is_the_same_and_the_schema_takes_it(thing):
    before = copy.deepcopy(thing)
    document = to_dict(thing)
    text = json.dumps(document, allow_nan=False)
    VALIDATOR.validate(document)
    assert from_dict(json.loads(text)) == thing == before
    assert json.dumps(document) == text


def test_returned_values_share_nothing():
    document = to_dict(EVERYTHING)
    read = from_dict(document)
    document["messages"][0]["parts"][0]["extras"]["anthropic"]["cache_control"]["ttl"] = 1
    assert read == EVERYTHING
    assert "ttl" not in json.dumps(to_dict(EVERYTHING)["messages"][0])


def test_parts_are_distinguished_by_name():
    parts = [
        part for message in to_dict(EVERYTHING)["messages"] for part in message.get("parts", ())
    ]
    inner = [part for each in parts for part in each.get("content", ())]
    assert {part["type"] for part in parts + inner} == set(PARTS)
    native = next(part for part in parts if part["type"] == "native")
    assert native == {
        "type": "native",
        "format": "gemini",
        "kind": "executableCode",
        "value": {"type": "x", "code": None},
        "id": "n1",
    }


@pytest.mark.parametrize("text", ['{"a": NaN}', '{"a": -Infinity, "b": [1e400]}'])
def test_numbers_that_json_has_no_words_for_stay_in_the_text(text):
    function = {"name": "f", "arguments": text}
    call = {"id": "c", "type": "function", "function": function}
    found = tc.read_conversation([{"role": "assistant", "tool_calls": [call]}])
    document = json.loads(json.dumps(to_dict(found), allow_nan=False))
    VALIDATOR.validate(document)
    assert repr(from_dict(document)) == repr(found)
    found.messages[0].calls[0].arguments = {"a": 2}
    assert from_dict(to_dict(found)).messages[0].calls[0].arguments == {"a": 2}


HEAD = {"toolcanon-conversation": 1}
GARBAGE = [
    ([], ""),
    ("x", ""),
    ({}, ""),
    ({"messages": []}, ""),
    ({"toolcanon-conversation": 2}, "/toolcanon-conversation"),
    ({"toolcanon-conversation": True}, "/toolcanon-conversation"),
    ({**HEAD, "toolcanon-answer": 1}, "/toolcanon-answer"),
    ({**HEAD, "extra": 1}, "/extra"),
    ({**HEAD, "messages": {}}, "/messages"),
    ({**HEAD, "messages": ["x"]}, "/messages/0"),
    ({**HEAD, "messages": [{}]}, "/messages/0/role"),
    ({**HEAD, "messages": [{"role": "bard"}]}, "/messages/0/role"),
    ({**HEAD, "messages": [{"role": ["user"]}]}, "/messages/0/role"),
    ({**HEAD, "messages": [{"role": "user", "parts": [{}]}]}, "/messages/0/parts/0"),
    ({**HEAD, "messages": [{"role": "user", "parts": ["x"]}]}, "/messages/0/parts/0"),
    ({**HEAD, "messages": [{"role": "user", "parts": [{"type": ["text"]}]}]},
     "/messages/0/parts/0"),
    ({**HEAD, "messages": [{"role": "user", "parts": [{"type": "text"}]}]},
     "/messages/0/parts/0/text"),
    ({**HEAD, "messages": [{"role": "user", "parts": [{"type": "text", "text": 1}]}]},
     "/messages/0/parts/0/text"),
    ({**HEAD, "messages": [{"role": "tool", "parts": [
        {"type": "result", "call_id": "c", "content": [{"type": "call", "name": "f"}]}]}]},
     "/messages/0/parts/0/content/0"),
    ({**HEAD, "system": "be kind"}, "/system"),
    ({**HEAD, "extras": {"a": 1}}, "/extras"),
    ({**HEAD, "parallel_calls": 1}, "/parallel_calls"),
    ({**HEAD, "tool_choice": {"mode": "tool", "names": [1]}}, "/tool_choice/names"),
    ({**HEAD, "messages": [{"role": "user", "a/b": 1}]}, "/messages/0/a~1b"),
]  # fmt: skip


@table("document, place", GARBAGE)
def test_garbage_is_refused_with_its_place_by_reader_and_schema(document, place):
    with pytest.raises(NotAConversation) as refused:
        from_dict(document)
    assert refused.value.at == place
    assert not VALIDATOR.is_valid(document)


def places(value, at=()):
    yield at
    held = value.items() if isinstance(value, dict) else ()
    if isinstance(value, list):
        held = enumerate(value)
    for key, item in held:
        yield from places(item, (*at, key))


WHOLE = to_dict(EVERYTHING)
PLACES = list(places(WHOLE))[1:]


@given(
    st.sampled_from(PLACES),
    st.sampled_from([None, True, 0, 1, "", "x", "text", "call", [], ["x"], {}, {"x": 1}]),
    st.booleans(),
)
def test_reader_and_schema_agree_on_whatever_is_changed(place, value, is_removed):
    document = json.loads(json.dumps(WHOLE))
    holder = document
    for step in place[:-1]:
        holder = holder[step]
    if is_removed:
        del holder[place[-1]]
    else:
        holder[place[-1]] = value
    try:
        found = from_dict(document)
    except NotAConversation:
        assert not VALIDATOR.is_valid(document)
    else:
        assert VALIDATOR.is_valid(document)
        assert from_dict(to_dict(found)) == found


def test_every_annotation_is_known():
    for kind in (*PARTS.values(), tc.Message, tc.Conversation, tc.Answer, tc.Candidate, tc.Stop):
        for member in members(kind).values():
            assert member.annotation in {*LEAVES, *RECORDS, *LISTS, *PART_LISTS}, member
