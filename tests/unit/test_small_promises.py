"""Promises that one line of the source keeps and no larger test would miss."""

from collections import Counter
from dataclasses import replace

import toolcanon as tc
from tests.unit.test_steps import codes
from toolcanon.checking.outcome import key_of, without
from toolcanon.conversion.target import find_dialect
from toolcanon.diagnostics import Effect
from toolcanon.lowering import lower
from toolcanon.lowering.steps.lists import apply, restore
from toolcanon.watch.alerting import _verdict

PLACES = {"names": ["item_1", "item_2"], "rest": "rest"}


def test_a_tool_that_is_sent_is_not_internal_by_an_alias():
    profile = tc.Profile("p", aliases={"finish": "done"}, internal=frozenset({"done"}))
    assert profile.is_internal("finish")
    assert not profile.is_internal("finish", own=["finish"])


def test_a_rest_keeps_the_places_before_it():
    troubles = []
    assert restore({"item_1": "a", "rest": [3]}, PLACES, troubles) == ["a", None, 3]
    assert [trouble.at for trouble in troubles] == [("item_2",)]


def test_a_list_without_a_rest_gets_none():
    assert apply(["a"], PLACES, []) == {"item_1": "a"}
    assert apply(["a", "b", 3], PLACES, []) == {"item_1": "a", "item_2": "b", "rest": [3]}


def test_a_least_number_of_members_counts_repeated_keys():
    numbers = {"type": "object", "additionalProperties": {"type": "integer"}, "minProperties": 2}
    schema = {"type": "object", "properties": {"m": numbers}, "required": ["m"]}
    found = lower(schema, find_dialect("openai/strict")).losses("f", "inputs")
    (loss,) = [one for one in found if one.at[-1] == "minProperties"]
    assert loss.effect & Effect.WIDENED


def test_a_constant_of_two_branches_stays_refused():
    apart = {"oneOf": [{"const": "a"}, {"enum": ["b", "c"]}]}
    shared = {"oneOf": [{"const": "a"}, {"enum": ["a", "b"]}]}
    assert "L238" in codes(apart, "typed=True")
    assert "L238" not in codes(shared, "typed=True")


def test_responses_that_look_otherwise_are_an_unknown_change():
    assert _verdict((), answers=True) == "unknown"
    assert _verdict((), answers=False) != "unknown"


def test_one_finding_more_than_the_baseline_has_is_new():
    dangling = {"type": "object", "properties": {"a": {"$ref": "#/$defs/b"}}}
    report = tc.check(
        {"name": "add", "description": "Adds.", "inputSchema": dangling}, select=["C"]
    )
    finding = report.findings[0]
    twice = replace(report, findings=(finding, finding))
    left = without(twice, Counter({key_of(finding): 1}))
    assert left.findings == (finding,)
    assert left.suppressed[-1] == finding


def test_a_call_is_no_definition():
    call = {"type": "function", "function": {"name": "f", "arguments": "{}"}}
    found = tc.detect(call)
    assert found.format == "raw"
    assert {name for name, score in found.confidence.items() if score} == {"raw"}
    assert tc.detect({"type": "function", "function": {"name": "f"}}).format != "raw"
