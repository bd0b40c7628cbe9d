"""Schemas made to hurt a comparison: bounded time, an answer, and nothing changed."""

from __future__ import annotations

import copy
import time

import pytest

from tests.tables import table
from toolcanon.diagnostics.change import CHANGES
from toolcanon.drift.diff import diff
from toolcanon.drift.report import DiffReport
from toolcanon.errors import UnreadableTool
from toolcanon.schema.algebra.containment.engine import GOALS
from toolcanon.schema.keywords import ANNOTATIONS, POSITIONS

SECONDS = 20


def tool(schema):
    return {"name": "f", "inputSchema": schema}


def nested(depth, leaf):
    schema = leaf
    for _ in range(depth):
        schema = {"type": "object", "properties": {"a": schema}}
    return schema


def union(width, depth):
    schema = {"type": "string"}
    for level in range(depth):
        branches = [
            {"type": "object", "properties": {f"p{n}_{level}": schema}} for n in range(width)
        ]
        schema = {"anyOf": branches}
    return {"type": "object", "properties": {"u": schema}}


def bomb(count):
    defs = {f"d{n}": {"type": "object", "properties": {
        "l": {"$ref": f"#/$defs/d{n + 1}"}, "r": {"$ref": f"#/$defs/d{n + 1}"}}}
        for n in range(count)}  # fmt: skip
    return {"type": "object", "properties": {"a": {"$ref": "#/$defs/d0"}},
            "$defs": {**defs, f"d{count}": {"type": "string"}}}  # fmt: skip


def with_last(schema, count, last):
    return {**schema, "$defs": {**schema["$defs"], f"d{count}": last}}


def many(count, kind):
    return {"type": "object", "properties": {f"p{n}": {"type": kind} for n in range(count)}}


PATTERN = {"type": "object", "properties": {"a": {"type": "string", "pattern": "^(a+)+$"}}}
WORSE = {"type": "object", "properties": {"a": {"type": "string", "pattern": "^(a|a)*(a|b)+c?$"}}}
HOSTILE = {
    "deep": (nested(90, {"type": "string"}), nested(90, {"type": "integer"})),
    "wide unions": (union(6, 4), union(7, 4)),
    "references that double": (bomb(40), with_last(bomb(40), 40, {"type": "integer"})),
    "patterns": (PATTERN, WORSE),
    "a huge list": (
        {"type": "object", "properties": {"a": {"enum": list(range(20_000))}}},
        {"type": "object", "properties": {"a": {"enum": list(range(1, 20_001))}}},
    ),
    "everything changed": (many(400, "string"), many(400, "integer")),
    "everything is gone": (many(400, "string"), {"type": "object", "properties": {}}),
    "a circle": (
        {"type": "object", "properties": {"a": {"$ref": "#/properties/a"}}},
        {"type": "object", "properties": {"a": {"$ref": "#/properties/b"}, "b": True}},
    ),
}


@pytest.mark.parametrize("case", HOSTILE)
def test_an_answer_in_bounded_time(case):
    before, after = (tool(schema) for schema in HOSTILE[case])
    kept = copy.deepcopy((before, after))
    start = time.process_time()
    report = diff(before, after)
    assert time.process_time() - start < SECONDS
    assert report.verdict in {"breaking", "unknown", "security", "compatible"}
    assert (before, after) == kept
    for change in report.changes:
        assert change.verdict != "unknown" or change.reason


def test_a_long_text_is_compared_in_no_time():
    text = "up to 5 files " * 50_000
    before, after = ({"name": "f", "description": text + end} for end in ("a", "b"))
    start = time.process_time()
    assert diff(before, after).changes
    assert time.process_time() - start < SECONDS


def test_reports_are_the_same_each_time():
    before, after = (tool(schema) for schema in HOSTILE["wide unions"])
    one, other = (diff(before, after) for _ in range(2))
    assert isinstance(one, DiffReport)
    assert one.to_dict() == other.to_dict()


def test_every_code_is_distinct_and_has_its_mirror():
    codes = [entry.code for entry in CHANGES.values()]
    assert len(codes) == len(set(codes))
    for entry in CHANGES.values():
        assert entry.says
        assert entry.why
        if entry.mirror:
            assert CHANGES[entry.mirror].mirror == entry.name


@table("word", sorted({*GOALS, *POSITIONS, *ANNOTATIONS, "$ref", "type"}))
def test_keywords_that_hold_the_wrong_thing_are_compared_all_the_same(word):
    plain = {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]}
    for value in (None, True, -1, 10**400, "x", [None], [[]], {"a": None}, {"(": {"allOf": None}}):
        for odd in ({**plain, word: value}, {**plain, "properties": {"a": {word: value}}}):
            for one, other in ((odd, plain), (plain, odd)):
                try:
                    found = diff(tool(one), tool(other))
                except UnreadableTool:
                    continue
                assert isinstance(found, DiffReport)


TWICE = {
    "p": {"$dynamicAnchor": "x", "type": "integer"},
    "q": {"$id": "https://example.com/q", "$dynamicAnchor": "x", "type": "boolean"},
}


def test_a_reference_with_no_certain_target_is_undecided():
    before = {"type": "object", "properties": {"a": {"type": "string"}}}
    after = {"type": "object", "properties": {"a": {"$dynamicRef": "#x"}}, "$defs": TWICE}
    report = diff(tool(before), tool(after))
    assert report.verdict in {"unknown", "breaking"}
    undecided = [change for change in report.changes if change.name == "input-undecided"]
    assert undecided
    assert "cannot be resolved" in undecided[0].reason
    assert not diff(tool(after), tool(after)).changes
