"""Ids and content of any JSON type: nothing vanishes, and no result goes to another call."""

import json

import pytest

import toolcanon as tc
from tests.referee.bodies import sdk_faults
from tests.referee.histories import certain_faults
from tests.tables import table
from tests.wire_histories import (
    ABSENT,
    FAMILIES,
    LISTS,
    MISSHAPEN,
    UNREADABLE,
    answers,
    asked_for,
    asks,
    chat,
    says,
)
from toolcanon.conversations.read_write import codec_of
from toolcanon.conversations.switch import switch
from toolcanon.formats.wire.codec import WriteLog

every_source = table("source", FAMILIES)
every_target = table("target", FAMILIES)

IDS = [(1, 2), (1.5, 2.5), (True, False), (0, 1), (-1, "x"), ([1], {"a": 1}), (1, "1"), ("1", 1)]


def paired(done, family):
    """The words of the result of each call, by the number among the arguments of the call."""
    read = tc.read_conversation(done.payload, source=family)
    calls = [part for message in read.messages for part in message.calls]
    results = [part for message in read.messages for part in message.results]
    by_id = {result.call_id: result for result in results}
    assert len(by_id) == len(results) == len(calls)
    return {call.arguments["n"]: words(by_id[call.id]) for call in calls}


def words(result):
    return "\n".join(
        part.text if isinstance(part, tc.Text) else json.dumps(part.value)
        for part in result.content
    )


def plain(family, text):
    return {"gemini": {"output": text}, "bedrock": [{"text": text}]}.get(family, text)


@every_source
@every_target
@table("ids", IDS, ids=repr)
def test_ids_of_any_type_pair_calls_and_results(source, target, ids):
    one, two = ids
    history = [
        *asked_for(source),
        *asks(source, [(one, "f", {"n": 1}), (two, "f", {"n": 2})]),
        *answers(source, [(two, "f", plain(source, "TWO")), (one, "f", plain(source, "ONE"))]),
    ]
    done = switch(history, target, source=source)
    assert paired(done, target) == {1: "ONE", 2: "TWO"}
    assert not {r.code for r in done.repairs} & {"R101", "R102", "R103"}


@every_source
@every_target
def test_calls_and_results_without_ids_go_by_place(source, target):
    history = [
        *asked_for(source),
        *asks(source, [(None, "f", {"n": 1}), (ABSENT, "f", {"n": 2})]),
        *answers(source, [(None, "f", plain(source, "A")), (ABSENT, "f", plain(source, "B"))]),
    ]
    done = switch(history, target, source=source)
    if target != "gemini":
        assert paired(done, target) == {1: "A", 2: "B"}
    assert not {r.code for r in done.repairs} & {"R101", "R102", "R103"}


VALUES = [{"sum": 3}, 3, 0, 2.5, True, False, {"type": "object", "x": 1}, [{"id": 1}, {"id": 2}],
          [1, 2], ["a", 1], {"text": 5}]  # fmt: skip


def odd_history(source, content):
    return [
        *asked_for(source),
        *asks(source, [("c1", "f", {"n": 1})]),
        *answers(source, [("c1", "f", content)]),
    ]


@every_source
@every_target
@table("value", VALUES, ids=json.dumps)
def test_a_result_of_any_type_is_a_value(source, target, value):
    """Unless it is one block of the family itself."""
    if source == "bedrock" and value == {"text": 5}:
        value = {"rows": 5}
    done = switch(odd_history(source, value), target, source=source)
    (found,) = paired(done, target).values()
    if target == "gemini" and isinstance(value, dict):
        assert json.loads(found) == value
    else:
        assert json.loads(found) in (value, {"output": value})


BLOCKS = {
    "openai": {"type": "text", "text": "one"},
    "openai-responses": {"type": "input_text", "text": "one"},
    "anthropic": {"type": "text", "text": "one"},
    "bedrock": {"text": "one"},
}


@every_target
@table("source", BLOCKS)
def test_one_block_stands_for_a_list_of_one(source, target):
    done = switch(odd_history(source, BLOCKS[source]), target, source=source)
    assert paired(done, target) == {1: "one"}
    done = switch(says(source, BLOCKS[source]), target, source=source)
    assert tc.read_conversation(done.payload, source=target).messages[0].text == "one"


@every_source
@every_target
@table("content", [{"sum": 3}, 3, 0, False, ["a", {"sum": 3}]], ids=json.dumps)
def test_enums_of_any_type_are_described(source, target, content):
    if source == "gemini" and not isinstance(content, list):
        content = [3]
    if source == "gemini":
        content = [item for item in content if not isinstance(item, dict)]
    done = switch(says(source, content), target, source=source)
    text = tc.read_conversation(done.payload, source=target).messages[0].text
    for item in content if isinstance(content, list) else [content]:
        assert (item if isinstance(item, str) else json.dumps(item, separators=(",", ":"))) in text


SYSTEMS = {
    "anthropic": [{"type": "text", "text": "Be brief"}, 3, ["Be brief"]],
    "bedrock": ["Be brief", {"text": "Be brief"}, ["Be brief"]],
    "openai-responses": [["Be brief"], {"text": "Be brief"}, [{"role": "system",
                         "content": [{"type": "input_text", "text": "Be brief"}]}]],
    "gemini": ["Be brief", ["Be brief"], [{"text": "Be brief"}], {"parts": "Be brief"}],
}  # fmt: skip


@every_target
@table("source", SYSTEMS)
def test_a_system_prompt_of_any_type_goes_along(source, target):
    for system in SYSTEMS[source]:
        body = {LISTS[source]: asked_for(source)}
        body["instructions" if source == "openai-responses" else codec_of(source).system] = system
        done = switch(body, target, source=source)
        assert ("3" if system == 3 else "Be brief") in json.dumps(done.payload), system


@every_target
def test_the_key_that_ollama_has_for_names_is_read(target):
    history = [
        {"role": "user", "content": "go"},
        {"role": "assistant", "content": "", "tool_calls": [
            {"function": {"name": "f", "arguments": {"n": 1}}},
            {"function": {"name": "g", "arguments": {"n": 2}}}]},
        {"role": "tool", "content": "G", "tool_name": "g"},
        {"role": "tool", "content": "F", "tool_name": "f"},
    ]  # fmt: skip
    done = switch(history, target, source="openai")
    if target != "gemini":
        assert paired(done, target) == {1: "F", 2: "G"}
    else:
        said = [part["functionResponse"] for part in done.payload[-1]["parts"]]
        assert {one["name"]: one["response"] for one in said} == {
            "f": {"output": "F"}, "g": {"output": "G"}}  # fmt: skip


@every_source
@table("ids", IDS, ids=repr)
@table("value", VALUES, ids=json.dumps)
def test_odd_shapes_are_written_back_as_they_were(source, ids, value):
    codec = codec_of(source)
    history = [*asks(source, [(ids[0], "f", {})]), *answers(source, [(ids[0], "f", value)]),
               *says(source, [3, "a"])]  # fmt: skip
    told = WriteLog()
    assert codec.write_messages(codec.read_messages(history, None), told) == history
    assert not told.losses


# --- at home: what the provider refuses is repaired and reported


def own_faults(family, history):
    return [*sdk_faults(family, history), *certain_faults(family, history)]


UNJUDGED = {"result of no parts", "a part that is a text", "parts a text", "words of no parts",
            "a name with a blank", "a name of nothing", "a name too long",
            "a user's text of the assistant", "a user's image of the assistant",
            "a part of nothing but a seal"}  # fmt: skip
"""What the types of the SDKs take or turn into something else, and the provider refuses."""


UNTYPED = {"a user's text of the assistant", "a user's image of the assistant"}
"""The provider takes the repaired shape, output_text without an id; its SDK has no type for it."""


@table(("label", "family", "history", "member"), MISSHAPEN)
def test_members_of_another_type_are_repaired_at_home(label, family, history, member):
    assert label in UNJUDGED or own_faults(family, history)
    done = switch(history, family, source=family)
    assert [repair.code for repair in done.repairs] == ["R131"]
    (repair,) = done.repairs
    assert (repair.before or {member: None}).keys() == {member}
    assert label in UNTYPED or not own_faults(family, done.payload)
    assert not switch(done.payload, family, source=family).repairs
    assert [f.name for f in tc.lint(history, family, source=family)] == ["member-misshapen"]
    asis = switch(history, family, source=family, repair=False)
    assert asis.payload == history
    assert asis.repairs == done.repairs


@pytest.mark.parametrize("part", [{}, {"text": None}, {"text": None, "inlineData": None}], ids=str)
def test_a_part_that_holds_nothing_is_left_out(part):
    history = [{"role": "user", "parts": [{"text": "go"}, part]}]
    done = switch(history, "gemini", source="gemini")
    assert done.payload == [{"role": "user", "parts": [{"text": "go"}]}]
    assert [repair.code for repair in done.repairs] == ["R108"]
    assert "member-misshapen" in {f.name for f in tc.lint(history, "gemini", source="gemini")}
    assert switch(history, "gemini", source="gemini", repair=False).payload == history


@pytest.mark.parametrize(("family", "history"), UNREADABLE)
def test_a_call_without_a_name_goes_with_its_result(family, history):
    assert family == "gemini" or own_faults(family, history)  # whose types take it
    done = switch(history, family, source=family)
    assert {repair.code for repair in done.repairs} == {"R102", "R132"}
    assert not own_faults(family, done.payload)
    assert "call-unreadable" in {f.name for f in tc.lint(history, family, source=family)}
    for target in FAMILIES:
        if target != family:
            elsewhere = switch(history, target, source=family)
            assert [repair.code for repair in elsewhere.repairs] == ["R102"]
            (loss,) = [loss for loss in elsewhere.losses if loss.code == "L307"]
            assert "arguments" in json.dumps(loss.before) or "input" in json.dumps(loss.before) or (
                "args" in json.dumps(loss.before))  # fmt: skip


def test_null_arguments_are_a_text_in_chat():
    call = {"id": "c1", "type": "function", "function": {"name": "f", "arguments": None}}
    done = switch(chat([call]), "openai", source="openai")
    assert done.payload[1]["tool_calls"][0]["function"]["arguments"] == "{}"
    assert [repair.code for repair in done.repairs] == ["R112"]


@pytest.mark.parametrize(("family", "message"), [
    ("bedrock", {"role": "user", "content": "go"}),
    ("openai-responses", {"role": "user", "content": None}),
    ("openai-responses", {"role": "user", "content": [{"type": "text", "text": "go"}]}),
    ("anthropic", {"role": "user", "content": [{"text": "go"}]}),
])  # fmt: skip
def test_a_message_in_the_shape_of_another_family_is_written_as_its_own(family, message):
    history = [*asked_for(family), message]
    assert own_faults(family, history)
    assert not own_faults(family, switch(history, family, source=family).payload)


@pytest.mark.parametrize("family", [family for family in FAMILIES if family != "gemini"])
@pytest.mark.parametrize("id_", [ABSENT, None])
def test_an_id_that_is_found_for_a_result_is_reported(family, id_):
    said = [{"text": "ok"}] if family == "bedrock" else "ok"
    history = [*asked_for(family), *asks(family, [("c1", "f", {})])]
    history += answers(family, [(id_, "f", said)])
    done = switch(history, family, source=family)
    assert not own_faults(family, done.payload)
    (repair,) = done.repairs
    assert repair.code == "R131"
    assert set(repair.before.values()) <= {None}
    assert [*repair.after.values()] == ["c1"]


def test_a_system_prompt_of_media_alone_is_read_again():
    image = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}}
    said = [{"role": "system", "content": [image]}, {"role": "user", "content": "go"}]
    done = switch(said, "gemini", source="openai")
    assert done.system == {"parts": [{"inlineData": {"mimeType": "image/png", "data": "AAAA"}}]}
    assert tc.read_conversation(done.payload, source="gemini").system.parts[0].data == "AAAA"
