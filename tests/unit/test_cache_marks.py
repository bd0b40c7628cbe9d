"""Marks for a provider's cache: translated where both sides have them, reported elsewhere."""

import json

import pytest

from tests.loopback import FAMILIES
from tests.referee.bodies import sdk_faults
from tests.referee.histories import certain_faults
from toolcanon import lint, switch
from toolcanon.diagnostics import Effect

MARKED = ("anthropic", "bedrock")


def mark(ttl=None, word="ephemeral"):
    said = {"type": word} if ttl is None else {"type": word, "ttl": ttl}
    return {"cache_control": said} if word == "ephemeral" else {"cachePoint": said}


def point(ttl=None):
    return mark(ttl, "default")


def text(words, **more):
    return {"type": "text", "text": words, **more}


SCHEMA = {"type": "object", "properties": {}}
CALL = {"id": "t1", "name": "f", "input": {}}
# The same request in the words of each, with a mark in every place that can have one.
SAME = {
    "anthropic": {
        "system": [text("S", **mark("1h")), text("T")],
        "tools": [{"name": "f", "description": "d", "input_schema": SCHEMA},
                  {"name": "g", "description": "d", "input_schema": SCHEMA, **mark("5m")}],
        "messages": [
            {"role": "user", "content": [text("a", **mark()), text("b")]},
            {"role": "assistant", "content": [text("c"), {"type": "tool_use", **CALL, **mark()}]},
            {"role": "user", "content": [
                {"type": "tool_result", "tool_use_id": "t1", "content": [text("r")], **mark("5m")},
                text("d")]},
        ],
    },
    "bedrock": {
        "system": [{"text": "S"}, point("1h"), {"text": "T"}],
        "toolConfig": {"tools": [
            {"toolSpec": {"name": "f", "description": "d", "inputSchema": {"json": SCHEMA}}},
            {"toolSpec": {"name": "g", "description": "d", "inputSchema": {"json": SCHEMA}}},
            point("5m")]},
        "messages": [
            {"role": "user", "content": [{"text": "a"}, point(), {"text": "b"}]},
            {"role": "assistant", "content": [
                {"text": "c"}, {"toolUse": {"toolUseId": "t1", "name": "f", "input": {}}},
                point()]},
            {"role": "user", "content": [
                {"toolResult": {"toolUseId": "t1", "content": [{"text": "r"}]}}, point("5m"),
                {"text": "d"}]},
        ],
    },
}  # fmt: skip
PLACES = ["/messages/0/parts/0", "/messages/1/parts/1", "/messages/2/parts/0", "/system/parts/0",
          "/tools"]  # fmt: skip


@pytest.mark.parametrize("source", MARKED)
def test_cache_marks_are_translated_between_those_who_have_them(source):
    (target,) = {*MARKED} - {source}
    before = json.dumps(SAME[source])
    done = switch(SAME[source], target, source=source)
    assert done.payload == SAME[target]
    assert not done.losses
    assert json.dumps(SAME[source]) == before
    assert sdk_faults(target, done.payload["messages"]) == []
    assert certain_faults(target, done.payload, model="m") == []
    listed = switch(SAME[source]["messages"], target, source=source)
    assert listed.payload == SAME[target]["messages"]


@pytest.mark.parametrize("source", MARKED)
@pytest.mark.parametrize("target", [family for family in FAMILIES if family not in MARKED])
def test_cache_marks_are_reported_where_the_target_has_none(source, target):
    done = switch(SAME[source], target, source=source)
    lost = [loss for loss in done.losses if loss.code == "L334"]
    assert sorted(str(loss.at) for loss in lost) == PLACES
    assert {loss.effect for loss in lost} == {Effect.HINT_LOST}
    assert not {"L307", "L308", "L009", "L015"} & {loss.code for loss in done.losses}
    assert "cache" not in json.dumps(done.payload)


def test_marks_within_and_between_results_become_one_behind_them():
    results = [
        {"type": "tool_result", "tool_use_id": "t1", "content": [text("r", **mark())]},
        {"type": "tool_result", "tool_use_id": "t2", "content": "s", **mark()},
    ]
    calls = [{"type": "tool_use", **CALL, "id": id_} for id_ in ("t1", "t2")]
    said = [{"role": "user", "content": "go"}, {"role": "assistant", "content": calls},
            {"role": "user", "content": [*results, text(" ", **mark()), text("d")]}]  # fmt: skip
    done = switch(said, "bedrock", source="anthropic")
    kinds = [next(iter(block)) for block in done.payload[2]["content"]]
    assert kinds == ["toolResult", "toolResult", "cachePoint", "text"]
    assert "L309" not in [loss.code for loss in done.losses]


def test_marks_go_to_what_can_carry_them():
    thought = {"reasoningContent": {"reasoningText": {"text": "hm", "signature": "c2ln"}}}
    said = [{"role": "user", "content": [{"text": "go"}]},
            {"role": "assistant", "content": [{"text": "a"}, thought, point()]},
            {"role": "user", "content": [point(), {"text": "on"}]}]  # fmt: skip
    done = switch(said, "anthropic", source="bedrock")
    assert done.payload[1]["content"] == [text("a", **mark())]
    assert done.payload[2]["content"] == [text("on")]
    lost = [str(loss.at) for loss in done.losses if loss.code == "L334"]
    assert lost == ["/messages/2"]


def test_further_members_of_a_mark_are_reported():
    for said in ({"type": "ephemeral", "ttl": "24h"}, {"type": "ephemeral", "scope": "global"}):
        body = {"role": "user", "content": [text("a", cache_control=said)]}
        done = switch([body], "bedrock", source="anthropic")
        assert done.payload[0]["content"] == [{"text": "a"}, point()]
        (loss,) = done.losses
        assert (loss.code, loss.before) == ("L334", said)
    done = switch([{"role": "user", "content": [text("a", cache_control=None)]}], "bedrock",
                  source="anthropic")  # fmt: skip
    assert (done.payload[0]["content"], list(done.losses)) == ([{"text": "a"}], [])


def test_a_mark_neither_ends_a_turn_nor_is_a_turn():
    end = [{"role": "user", "content": "go"}, {"role": "assistant", "content": [
        text("a", **mark())]}]  # fmt: skip
    done = switch(end, "bedrock", source="anthropic", model="claude-opus-4-6")
    assert "R141" in [repair.code for repair in done.repairs]
    kept = switch(end, "bedrock", source="anthropic", repair=False).payload
    found = lint({"modelId": "claude-opus-4-6", "messages": kept}, "bedrock", source="bedrock")
    assert [finding.name for finding in found] == ["ends-with-assistant"]
    orphan = {"type": "tool_result", "tool_use_id": "gone", "content": "r", **mark()}
    said = [{"role": "user", "content": [orphan]}, {"role": "assistant", "content": "a"},
            {"role": "user", "content": "b"}]  # fmt: skip
    done = switch(said, "bedrock", source="anthropic")
    assert all(set().union(*one["content"]) != {"cachePoint"} for one in done.payload)
    assert certain_faults("bedrock", {"messages": done.payload}, model="m") == []
