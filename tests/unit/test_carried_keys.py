"""Keys beside a wrapped function: carried to whom they are meant for, or lost as hints."""

import json

import pytest

import toolcanon as tc
from tests.tables import table

SCHEMA = {"type": "object", "properties": {"a": {"type": "string"}}}
FUNCTION = {"name": "f", "description": "d", "parameters": SCHEMA}
MARK = {"type": "ephemeral", "ttl": "1h"}
MARKED = {
    "beside": {"type": "function", "function": FUNCTION, "cache_control": MARK},
    "inside": {"type": "function", "function": {**FUNCTION, "cache_control": MARK}},
    "flat": {"type": "function", **FUNCTION, "cache_control": MARK},
}


@pytest.mark.parametrize("definition", MARKED.values(), ids=MARKED)
def test_cache_marks_reach_the_provider_they_are_meant_for(definition):
    for payload in (definition, [definition], {"tools": [definition]}):
        converted = tc.convert(payload, "anthropic")
        (sent,) = converted.payload if isinstance(converted.payload, list) else [converted.payload]
        assert sent["cache_control"] == MARK
        assert {loss.effect for loss in converted.losses} <= {tc.Effect.EXACT}


@table("definition", MARKED.values(), ids=MARKED)
@table("target", ["openai", "gemini", "bedrock", "mistral"])
def test_cache_marks_are_lost_as_hints(definition, target):
    converted = tc.convert(definition, target)
    assert "cache_control" not in json.dumps(converted.payload)
    (lost,) = [loss for loss in converted.losses if loss.at[-1] == "cache_control"]
    assert (lost.before, lost.effect) == (MARK, tc.Effect.HINT_LOST)


def test_marks_that_the_provider_refuses_are_not_carried():
    for mark in ("ephemeral", {"type": "forever"}, None):
        sent = tc.convert({**MARKED["beside"], "cache_control": mark}, "anthropic").payload
        assert "cache_control" not in sent


def test_own_mark_is_preferred():
    (tool,) = tc.read({"name": "f", "input_schema": SCHEMA, "cache_control": {"type": "ephemeral"}})
    extras = {**tool.extras, "openai": {"cache_control": MARK}}
    sent = tc.convert(tool.model_copy(update={"extras": extras}), "anthropic").payload
    assert sent["cache_control"] == {"type": "ephemeral"}


@pytest.mark.parametrize("target", ["openai", "anthropic", "gemini"])
def test_keys_beside_a_wrapped_function_are_lost_as_hints(target):
    definition = {"type": "function", "function": FUNCTION, "owner": "us", "empty": None}
    losses = tc.convert(definition, target).losses
    (lost,) = [loss for loss in losses if loss.effect == tc.Effect.HINT_LOST]
    assert (lost.at[-1], lost.before) == ("owner", "us")


def test_missing_type_is_a_spelling():
    losses = tc.convert({"function": FUNCTION}, "openai").losses
    assert {loss.effect for loss in losses} == {tc.Effect.EXACT}


def test_marked_tools_come_back_as_they_were():
    for definition in MARKED.values():
        (tool,) = tc.read(definition)
        assert tc.convert(tool, tool.source_format, lower=False).payload == definition
        converted = tc.convert(definition, "anthropic")
        (back,) = tc.read(
            converted.payload, source="anthropic", receipt=converted.binding.receipt()
        )
        assert back.extras == tool.extras
