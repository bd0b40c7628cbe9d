"""Loose catalogs, row by row: every parameter read, every refusal with a reason, nothing stolen.

Parameters are counted a second time here, from the rows themselves and with nothing of ours.
"""

from __future__ import annotations

import copy
import re
from itertools import islice

import pytest

import toolcanon as tc
from tests.conftest import LABELS, chosen_targets, rows
from tests.laws import TARGETS, check_pair, check_predicted_losses
from tests.lens_laws import violations
from tests.referee import judge_tool
from tests.tables import table, tried
from toolcanon.conversion.target import find_dialect
from toolcanon.errors import NoTools, UnreadableTool
from toolcanon.lowering import lower
from toolcanon.schema.keywords import TYPES

pytestmark = pytest.mark.corpus

# Corpus label -> the format its rows are read as.
CATALOGS = {
    "acebench_raw": "acebench",
    "api_bank": "api-bank",
    "docker_registry": "docker-registry",
    "rapidapi": "rapidapi",
    "seal_tools": "seal-tools",
}
LOOSE = {**CATALOGS, "bfcl_raw": "openai", "openai_functions": "openai", "mcp": "mcp"}
DIALECTS = ("openai/strict", "anthropic", "gemini/openapi")
FEW = 24


def few(label):
    found = list(rows(label))
    return found[:: max(1, len(found) // FEW)]


def read(row):
    """The tool, or nothing where the row is refused with a place and a reason."""
    try:
        return tc.read(row["definition"])[0]
    except (NoTools, UnreadableTool):
        return None


def from_schema(schema, beside):
    """Names of the members and of the required ones, of a schema or of a bare map of members."""
    members = schema.get("properties")
    if not isinstance(members, dict) or isinstance(members.get("type"), str):
        members = {} if "type" in schema else schema
    inside = members.get("required")
    stated = [*schema.get("required", []), *(beside or [])]
    stated += inside if isinstance(inside, list) else []
    members = {
        name: one
        for name, one in members.items()
        if isinstance(one, (dict, bool, str)) and (members is not schema or name[0] != "$")
    }
    return set(members), {name for name in stated if name in members}


def expected(label, row):
    """Return what a row states of its parameters, worked out anew."""
    if label == "rapidapi":
        needed = {entry["name"] for entry in row["required_parameters"]}
        return needed | {entry["name"] for entry in row["optional_parameters"]}, needed
    if label == "docker_registry":
        listed = row.get("arguments") or []
        needed = {entry["name"] for entry in listed if not entry.get("optional")}
        return {entry["name"] for entry in listed}, needed
    if label == "api_bank":
        names = set(re.findall(r"(\w+)\s*:", row["input_parameters"]))
        return names, names - set(re.findall(r"(\w+)\s*:[^,=]*=", row["input_parameters"]))
    if label == "seal_tools":
        return set(row["parameters"]), set(row["required"])
    key = {"acebench_raw": "arguments", "mcp": "inputSchema"}.get(label, "parameters")
    schema = row.get(key) or row.get(f"_{key}") or {}
    return from_schema(schema, row.get("required") if label == "mcp" else None)


def kinds_of(node):
    """Every type a schema names."""
    if isinstance(node, dict):
        for key, value in node.items():
            if key == "type" and isinstance(value, (str, list)):
                yield from [value] if isinstance(value, str) else value
            elif key not in {"default", "enum", "const", "examples"}:
                yield from kinds_of(list(value.values()) if key == "properties" else value)
    elif isinstance(node, list):
        for item in node:
            yield from kinds_of(item)


@pytest.mark.parametrize("label", LOOSE)
def test_every_row_is_read_or_refused_for_a_reason(label):
    found = [read(row) for row in rows(label)]
    assert found.count(None) <= 0.005 * len(found)


@pytest.mark.parametrize("label", LOOSE)
def test_every_parameter_is_present_and_required_as_in_the_row(label):
    for row in rows(label):
        before = copy.deepcopy(row["definition"])
        tool = read(row)
        assert row["definition"] == before, row["id"]
        if tool is None:
            continue
        names, needed = expected(label, row["definition"])
        schema = tool.input_schema
        assert names == schema.get("properties", {}).keys(), row["id"]
        stated = set(schema.get("required", ()))
        assert stated == needed if label in CATALOGS else needed <= stated, row["id"]
        assert tool.name
        assert set(kinds_of(schema)) <= TYPES, row["id"]


@pytest.mark.parametrize("label", CATALOGS)
def test_written_back_verbatim_it_is_the_same_json(label):
    for row in rows(label):
        tool = read(row)
        if tool is not None and tool.source_format == CATALOGS[label]:
            tool.original_definition = {}  # writers may not lean on it
            bound = tc.bind(tool, CATALOGS[label], lower=False)
            assert bound.payload == row["definition"], row["id"]


@pytest.mark.parametrize("label", CATALOGS)
def test_there_and_back(label, subtests):
    for row in few(label):
        (tool,) = tc.read(row["definition"], source=CATALOGS[label])
        for target in chosen_targets(row["definition"], TARGETS):
            with tried(subtests, f"{row['id']} to {target}"):
                check_pair(tool, row["definition"], CATALOGS[label], target, row["id"])
                if tc.detect(row["definition"]).format != "raw":
                    check_predicted_losses(row["definition"], target, row["id"])


@table("dialect", DIALECTS)
@table("label", CATALOGS)
def test_lowered_they_are_what_providers_accept(label, dialect):
    envelope = dialect.partition("/")[0]
    for row in rows(label):
        tool = read(row)
        if tool is None:
            continue
        bound = tc.bind(tool, envelope, dialect=dialect)
        (item,) = bound._bound
        faults = judge_tool(bound.payload, envelope, item.wire.dialect.id)
        assert not faults, (row["id"], faults[:3])
        written = item.wire.inputs.get("properties", {})
        renamed = {loss.before: loss.after for loss in bound.losses if loss.code == "L226"}
        for name in expected(label, row["definition"])[0]:
            assert renamed.get(name, name) in written, (row["id"], name)


@table("dialect", DIALECTS)
@table("label", CATALOGS)
def test_laws_hold_for_sampled_arguments(label, dialect):
    spoken = find_dialect(dialect)
    for row in few(label):
        tool = read(row)
        if tool is not None and tool.inputs:
            schema = tool.input_schema
            found = violations(schema, lower(schema, spoken), spoken)
            assert not found, (row["id"], found[0])


@pytest.mark.parametrize("label", CATALOGS)
def test_catalogs_are_recognised(label):
    for row in rows(label):
        found = tc.detect(row["definition"]).format
        alone = row["definition"].keys() <= {"name", "description"}  # nobody's and everybody's
        assert found == ("raw" if alone else CATALOGS[label]), row["id"]


@table("label", LABELS)
def test_catalogs_claim_nothing_of_others(label):
    for row in islice(rows(label), 2000):
        assert tc.detect(row["definition"]).format not in CATALOGS.values(), row["id"]
