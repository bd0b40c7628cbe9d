"""Definitions that give a name or a schema twice, and differently: never silently one of them."""

import pytest

import toolcanon as tc
from tests.tables import table
from toolcanon.checking.payloads import check

ONE = {"type": "object", "properties": {"a": {"type": "string"}}}
TWO = {"type": "object", "properties": {"b": {"type": "integer"}}, "required": ["b"]}
NONE = {"type": "object", "properties": {}}
BOTH = tc.Effect.WIDENED | tc.Effect.NARROWED
HINT = tc.Effect.HINT_LOST

AMBIGUOUS = {
    "outer name": ({"name": "o", "function": {"name": "i", "parameters": ONE}}, [HINT], "/name"),
    "outer name of Bedrock": (
        {"name": "o", "toolSpec": {"name": "i", "inputSchema": {"json": ONE}}},
        [HINT],
        "/name",
    ),
    "outer description": (
        {"description": "o", "function": {"name": "i", "description": "i", "parameters": ONE}},
        [HINT],
        "/description",
    ),
    "outer schema": (
        {"inputSchema": TWO, "function": {"name": "i", "parameters": ONE}},
        [BOTH],
        "/inputSchema",
    ),
    "two schemas": ({"name": "f", "inputSchema": ONE, "parameters": TWO}, [BOTH], "/parameters"),
    "three schemas": (
        {"name": "f", "inputSchema": ONE, "input_schema": TWO, "parameters": NONE},
        [BOTH, BOTH],
        "/inputSchema",
    ),
    "a schema without members": (
        {"name": "f", "inputSchema": ONE, "parameters": NONE},
        [BOTH],
        "/parameters",
    ),
    "a schema in text": (
        {"name": "f", "input_schema": ONE, "parameters": '{"type": "object", "required": ["z"]}'},
        [BOTH],
        "/parameters",
    ),
    "two schemas of results": (
        {"name": "f", "inputSchema": ONE, "outputSchema": ONE, "output_schema": TWO},
        [HINT],
        "/output_schema",
    ),
}


@table("case", AMBIGUOUS)
@table("target", ["gemini", "cohere"])
def test_conversion_reports_each_rival_with_its_effect(case, target):
    definition, effects, _ = AMBIGUOUS[case]
    losses = tc.convert(definition, target).losses
    assert [loss.effect for loss in losses if loss.code == "L020"] == effects


@pytest.mark.parametrize("case", AMBIGUOUS)
def test_check_finds_each_rival_at_its_place(case):
    definition, effects, origin = AMBIGUOUS[case]
    found = [one for one in check(definition, "gemini").findings if one.code == "C212"]
    assert sorted(one.level for one in found) == sorted(
        "error" if effect == BOTH else "warning" for effect in effects
    )
    assert origin in {str(one.origin) for one in found}


@pytest.mark.parametrize(
    "definition",
    [
        {"name": "f", "inputSchema": ONE, "parameters": ONE},
        {"name": "f", "inputSchema": ONE, "parameters": {"timeout": 3}},
        {"type": "function", "name": "f", "function": {"name": "f", "parameters": ONE}},
        {"name": "f", "title": "One", "inputSchema": ONE, "annotations": {"title": "Two"}},
    ],
)
def test_parts_that_agree_are_no_rivals(definition):
    assert not [one for one in check(definition, "gemini").findings if one.code == "C212"]
    assert not [loss for loss in tc.convert(definition, "gemini").losses if loss.code == "L020"]


@pytest.mark.parametrize("outer", [True, False])
def test_a_hint_outside_that_differs_from_the_one_inside_is_a_rival(outer):
    inner = {"name": "f", "description": "d", "strict": not outer, "parameters": ONE}
    definition = {"type": "function", "strict": outer, "function": inner}
    (found,) = [one for one in check(definition, "openai").findings if one.code == "C212"]
    read, left = str(not outer).lower(), str(outer).lower()
    assert found.level == "warning"
    assert found.message == f"strict {left} is not read: strict inside is {read}"
    for target in ("openai", "gemini"):
        codes = [loss.code for loss in tc.convert(definition, target).losses]
        assert "L020" in codes
        assert not {"L009", "L010"} & set(codes)
    same = {"type": "function", "strict": not outer, "function": inner}
    assert not [one for one in check(same, "openai").findings if one.code == "C212"]
