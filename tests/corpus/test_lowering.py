"""Every definition of the corpus, lowered to every dialect: does it conform, is anything lost?

Three judges: a referee that knows nothing of this package, the laws of the lens on sampled
arguments, and plain book-keeping of parameters and keywords.
"""

from __future__ import annotations

import copy
import os
from collections import Counter
from itertools import islice

import pytest

import toolcanon as tc
from tests.conftest import LABELS, rows
from tests.lens_laws import MATERIAL, violations
from tests.referee import judge_tool, parameters
from toolcanon.conversion.choice import all_dialects
from toolcanon.ir import Kind
from toolcanon.lowering import lower
from toolcanon.schema.keywords import POSITIONS, Position

pytestmark = pytest.mark.corpus

DIALECTS = {name: d for name, d in all_dialects().items() if not name.startswith("json-schema")}
# Names are the server's own in this protocol, and only should be of certain characters. Annotations
# of a tool may hold more than the specification names.
TOLERATED = {"mcp": {"name", "wrong-value"}}
# Published schemas of configuration files are no tools: some hold what cannot be told apart from
# a distance, so a tag is not required to have a counterexample there.
DOCUMENTS = {"jsonschema"}


def tools(label):
    every = 1 if label not in DOCUMENTS or os.environ.get("TOOLCANON_CORPUS_ALL") else 6
    for row in islice(rows(label), None, None, every):
        try:
            found = tc.read(row["definition"])
        except tc.ToolcanonError:
            continue  # the reading tests say which and why
        for tool in found:
            if tool.kind is Kind.FUNCTION:
                yield row.get("id", ""), tool


def keywords(node, at=()):
    """Every keyword of a schema with its place."""
    if not isinstance(node, dict):
        return
    for key, value in node.items():
        yield (*at, key)
        position = POSITIONS.get(key)
        if position is Position.SCHEMA:
            yield from keywords(value, (*at, key))
        elif position is Position.SCHEMAS and isinstance(value, list):
            for index, item in enumerate(value):
                yield from keywords(item, (*at, key, index))
        elif position is Position.SCHEMA_MAP and isinstance(value, dict):
            for name, item in value.items():
                yield from keywords(item, (*at, key, name))


def lost_parameters(tool, item, losses):
    """Names of parameters that are nowhere in what was written."""
    if any(loss.code == "L205" for loss in losses):
        return []  # inside a text, with the schema told
    if tool.source_format == "json-schema" and any(loss.code == "L207" for loss in losses):
        return []  # conditions inside conditions, told as left out
    renamed = {loss.before: loss.after for loss in losses if loss.code == "L226"}
    try:
        written = {path[-1] for path in parameters(item.wire.inputs) if path}
        return [
            path
            for path in parameters(tool.input_schema)
            if path and renamed.get(path[-1], path[-1]) not in written
        ]
    except OverflowError:
        return []


def untold_keywords(tool, item, losses):
    """Keywords that are gone from their place although nothing says so."""
    places = {loss.at[1:] for loss in losses if loss.at[:1] == ("inputs",)}
    kept = Counter(path[-1] for path in keywords(item.wire.inputs))
    for path in keywords(tool.input_schema):
        if any(path[:size] in places for size in range(len(path) + 1)):
            continue
        if kept[path[-1]] > 0:
            kept[path[-1]] -= 1
        else:
            yield path


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("label", LABELS)
def test_lowered_definitions_conform_and_lose_nothing_silently(label, dialect):
    envelope = dialect.partition("/")[0]
    for where, tool in tools(label):
        before = copy.deepcopy(tool.inputs)
        bound = tc.bind(tool, envelope, dialect=dialect)
        (item,) = bound.bound
        losses = bound.losses
        assert tool.inputs == before, (where, "changed what was given")
        faults = [
            fault
            for fault in judge_tool(bound.payload, envelope, item.wire.dialect.id)
            if fault.rule not in TOLERATED.get(envelope, ())
        ]
        assert not faults, (where, tool.name, faults[:3])
        assert not lost_parameters(tool, item, losses), (where, tool.name)
        assert not list(untold_keywords(tool, item, losses)), (where, tool.name)
        if DIALECTS[dialect].strict:
            told = [loss for loss in losses if loss.code == "L237"]
            assert item.wire.strict or told, (where, "neither strict nor a reason")


LAWFUL = [name for name in DIALECTS if not name.startswith(("openai-responses", "mcp/", "bedrock"))]


@pytest.mark.parametrize("dialect", LAWFUL)
@pytest.mark.parametrize("label", LABELS)
def test_laws_hold_for_sampled_arguments(label, dialect, record_property):
    spoken = DIALECTS[dialect]
    exact = total = 0
    for where, tool in tools(label):
        schema = tool.input_schema or {"type": "object", "properties": {}}
        lowered = lower(schema, spoken)
        found = violations(schema, lowered, spoken)
        if label in DOCUMENTS:
            found = [item for item in found if not item[0].startswith("never")]
        assert not found, (where, tool.name, found[0])
        total += 1
        exact += not lowered.effect & MATERIAL
    share = f"{dialect}: {exact} of {total} exact on {label}"
    record_property("exact", share)
    print(share)  # noqa: T201 - shown with -s and in reports
