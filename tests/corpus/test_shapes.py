"""Shapes of real results: everything that recorded conversations hold of what tools answered."""

from __future__ import annotations

import json
import random
import sys
from collections import defaultdict
from functools import cache

import jsonschema_rs
import pytest

import toolcanon as tc
from tests.conftest import ROOT, rows
from toolcanon.drift.shapes import Shape, compare_shapes
from toolcanon.errors import NotAConversation

pytestmark = pytest.mark.corpus

LABELS = ("openai_chat", "openai_responses", "anthropic", "gemini", "bedrock")


@cache
def results():
    """Results by the name of the tool that gave them, each once."""
    found = defaultdict(dict)
    for label in LABELS:
        for row in rows(label, "conversations"):
            body = row["body"].get("request")
            try:
                read = None if body is None else tc.read_conversation(body)
            except NotAConversation:
                continue
            for message in read.messages if read is not None else ():
                for part in message.parts:
                    if isinstance(part, tc.Result):
                        key = repr([getattr(one, "text", one) for one in part.content])
                        found[part.name or label][key] = part
    return {name: list(parts.values()) for name, parts in found.items()}


def strings(value):
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for inner in value.values():
            yield from strings(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from strings(inner)


def values(part):
    for one in part.content:
        if isinstance(one, tc.Text):
            yield one.text
        elif isinstance(one, tc.Data):
            yield from strings(one.value)


def test_there_is_something_to_learn_from(record_property):
    count = sum(map(len, results().values()))
    record_property("results", f"{count} of {len(results())} tools")
    sys.stdout.write(f"\n{count} results of {len(results())} tools\n")
    assert count > 50


def test_real_results_follow_the_laws():
    text = (ROOT / "docs" / "schemas" / "shape.v1.json").read_text(encoding="utf-8")
    published = jsonschema_rs.validator_for(json.loads(text))
    for name, parts in results().items():
        whole = Shape.learn(parts)
        document = whole.to_dict()
        published.validate(document)
        assert Shape.from_dict(json.loads(json.dumps(document))) == whole
        half = len(parts) // 2
        assert Shape.learn(parts[half:]).merge(Shape.learn(parts[:half])) == whole, name
        assert compare_shapes(whole, whole).changes == ()


def test_no_text_of_a_real_result_is_kept():
    for name, parts in results().items():
        said = json.dumps(Shape.learn(parts).to_dict(), ensure_ascii=False)
        for part in parts:
            for value in values(part):
                assert len(value) < 12 or value not in said, (name, value)


def test_halves_of_one_history_raise_few_alarms(record_property):
    """Real answers of one tool, shuffled and halved: whatever is reported then is a false alarm."""
    alarms, trials = [], 0
    for name, parts in results().items():
        if len(parts) < 8:
            continue
        for seed in range(20):
            mixed = list(parts)
            random.Random(seed).shuffle(mixed)  # noqa: S311 - a split
            half = len(mixed) // 2
            found = compare_shapes(Shape.learn(mixed[:half]), Shape.learn(mixed[half:]))
            trials += 1
            alarms += [(name, one.name) for one in found.changes if one.is_alarm]
    record_property("false alarms", f"{len(alarms)} of {trials}")
    sys.stdout.write(f"\nfalse alarms: {len(alarms)} of {trials}: {sorted(set(alarms))}\n")
    assert len(alarms) <= 0.05 * trials
