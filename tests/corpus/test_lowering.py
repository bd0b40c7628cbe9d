"""Every definition of the corpus, lowered: does it conform, is anything lost?

Each to three dialects chosen by its digest, or to every dialect with the whole corpus.

Three judges: a referee that knows nothing of this package, the laws of the lens on sampled
arguments, and plain book-keeping of parameters and keywords.
"""

from __future__ import annotations

import copy
import json
import os
from collections import Counter
from itertools import islice

import pytest

import toolcanon as tc
from tests.conftest import LABELS, chosen_targets, rows
from tests.lens_laws import MATERIAL, MORE, violations_by_dialect
from tests.lens_laws import lost_parameters as lost_paths
from tests.referee import judge_tool, judged, parameters
from toolcanon.conversion.target import all_dialects
from toolcanon.ir import Kind
from toolcanon.lowering import lower
from toolcanon.schema.keywords import POSITIONS, Position

pytestmark = pytest.mark.corpus

DIALECTS = {
    name: found
    for name, found in judged(all_dialects()).items()
    if not name.startswith("json-schema")
}
# Names are the server's own in this protocol, and only should be of certain characters. Annotations
# of a tool may hold more than the specification names.
TOLERATED = {"mcp": {"name", "wrong-value"}}
# Published schemas of configuration files are no tools: some hold what cannot be told apart from
# a distance, so a tag is not required to have a counterexample there.
DOCUMENTS = {"jsonschema"}


def tools(label):
    every = 1 if label not in DOCUMENTS or os.environ.get("TOOLCANON_CORPUS_ALL") else 6
    for row in islice(rows(label), 0, None, every):
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


def words(schema):
    """The names of all parameters, or None if they are too many, and the place of each keyword."""
    try:
        names = {path[-1] for path in parameters(schema) if path}
    except OverflowError:
        names = None
    return names, list(keywords(schema))


def lost_parameters(tool, names, written, losses):
    """Names of parameters that are nowhere in what was written."""
    if names is None or written is None:
        return set()
    if any(loss.code == "L205" for loss in losses):
        return set()  # inside a text, with the schema told
    if tool.source_format == "json-schema" and any(x.code in {"L207", "L228"} for x in losses):
        return set()  # conditions inside conditions, patterns that recur, told as left out
    renamed = {loss.before: loss.after for loss in losses if loss.code == "L226"}
    return {name for name in names if renamed.get(name, name) not in written}


def untold_keywords(used, written, losses):
    """Keywords that are gone from their place without a report."""
    places = {loss.at[1:] for loss in losses if loss.at[:1] == ("inputs",)}
    kept = Counter(path[-1] for path in written)
    fewer = Counter(path[-1] for path in used) - kept
    for path in used:
        if path[-1] not in fewer or any(path[:size] in places for size in range(len(path) + 1)):
            continue
        if kept[path[-1]] > 0:
            kept[path[-1]] -= 1
        else:
            yield path


def wrongs(tool):
    """What is wrong with one tool as it is written for each dialect."""
    before = copy.deepcopy(tool.inputs)
    names, used = words(tool.input_schema)
    known = {}  # many dialects get the same
    for dialect in chosen_targets(tool.input_schema, DIALECTS):
        spoken = DIALECTS[dialect]
        envelope = dialect.partition("/")[0]
        bound = tc.bind(tool, envelope, dialect=dialect)
        (item,) = bound._bound
        losses = bound.losses
        if tool.inputs != before:
            yield dialect, "changed what was given"
        for fault in judge_tool(bound.payload, envelope, item.wire.dialect.id):
            if fault.rule not in TOLERATED.get(envelope, ()):
                yield dialect, fault
        text = json.dumps(item.wire.inputs)
        if text not in known:
            known[text] = words(item.wire.inputs)
        lost = lost_parameters(tool, names, known[text][0], losses)
        if lost:  # a name may be gone where any value can be said
            lowered = item.lowered or lower(tool.inputs, item.wire.dialect)
            lost &= {path[-1] for path in lost_paths(tool.input_schema, lowered)}
        for name in lost:
            yield dialect, "lost", name
        for path in untold_keywords(used, known[text][1], losses):
            yield dialect, "untold", path
        if spoken.strict and not (item.wire.strict or any(x.code == "L237" for x in losses)):
            yield dialect, "neither strict nor a reason"


@pytest.mark.parametrize("label", LABELS)
def test_lowered_definitions_conform_and_lose_nothing_silently(label):
    found = [(where, tool.name, *wrong) for where, tool in tools(label) for wrong in wrongs(tool)]
    assert not found, (len(found), found[:20])


def offers_any_object(schema):
    """Whether a union has a branch for any object: what another branch no longer takes, it does."""
    if isinstance(schema, list):
        return any(map(offers_any_object, schema))
    if not isinstance(schema, dict):
        return False
    branches = [one for key in ("anyOf", "oneOf") for one in schema.get(key) or ()]
    return any(map(is_any_object, branches)) or any(map(offers_any_object, schema.values()))


def is_any_object(schema):
    return (
        isinstance(schema, dict)
        and schema.get("type") == "object"
        and "properties" not in schema
        and schema.get("additionalProperties", True) in (True, {})
    )


LAWFUL = [name for name in DIALECTS if not name.startswith(("openai-responses", "mcp/", "bedrock"))]


@pytest.mark.parametrize("label", LABELS)
def test_laws_hold_for_sampled_arguments(label, record_property):
    wrong, exact, total = [], Counter(), 0
    patience = MORE if label in DOCUMENTS else None
    for where, tool in tools(label):
        schema = tool.input_schema or {"type": "object", "properties": {}}
        total += 1
        tolerated = {"never narrowed"} if offers_any_object(schema) else set()
        if label in DOCUMENTS:
            tolerated = {"never narrowed", "never widened"}
        chosen = [DIALECTS[name] for name in chosen_targets(schema, LAWFUL)]
        for dialect, lowered, found in violations_by_dialect(schema, chosen, patience=patience):
            exact[dialect.id] += not lowered.effect & MATERIAL
            wrong += [
                (where, tool.name, dialect.id, item) for item in found if item[0] not in tolerated
            ]
    assert not wrong, (len(wrong), wrong[:20])
    share = f"exact of {total} of {label}: {dict(exact)}"
    record_property("exact", share)
    print(share)  # noqa: T201 - shown with -s and in reports
