"""Members of a dialect that calls them independent become in a whole what they become alone."""

from __future__ import annotations

import copy

import orjson

from tests.tables import table
from tests.unit.test_templates import SCHEMAS
from toolcanon.conversion.target import all_dialects
from toolcanon.lowering import lower
from toolcanon.lowering.limits import members_are_independent, surely_fits
from toolcanon.schema.measure import measure

DIALECTS = {name: found for name, found in all_dialects().items() if members_are_independent(found)}
REFERS = ("$ref", "$defs", "$id", "$schema")
MEMBERS = {
    f"m{number}": copy.deepcopy(member)  # places are those of objects, none of which is twice
    for number, member in enumerate(
        member
        for schema in SCHEMAS.values()
        for member in schema.get("properties", {}).values()
        if isinstance(member, dict) and not any(word in str(member) for word in REFERS)
    )
    if "required" not in member or isinstance(member["required"], list)
}


def lowered(members, dialect, required=()):
    schema = {"type": "object", "properties": members}
    return lower(schema | ({"required": [*required]} if required else {}), dialect)


@table("name", DIALECTS)
def test_members_become_in_a_whole_what_they_become_alone(name):
    dialect = DIALECTS[name]
    required = [*MEMBERS][::2]
    whole = lowered(MEMBERS, dialect, required)
    expected, losses = {}, []
    for key, member in MEMBERS.items():
        alone = lowered({key: member}, dialect, {key} & {*required})
        expected |= alone.schema["properties"]
        losses += [
            loss for loss in alone.losses("f", "inputs") if loss.at[1:3] == ("properties", key)
        ]
    assert whole.schema["properties"] == expected
    found = [loss for loss in whole.losses("f", "inputs") if loss.at[1:2] == ("properties",)]
    kinds = [sorted((loss.code, str(loss.at)) for loss in some) for some in (found, losses)]
    assert kinds[0] == kinds[1]


def test_some_dialects_are_independent_and_some_are_not():
    assert {"anthropic", "anthropic/strict", "gemini/openapi", "openai/strict"} <= DIALECTS.keys()
    assert "cohere/strict" not in DIALECTS


def grown(size):
    """A schema with more of everything: members, levels, unions, values."""
    leaf = {"anyOf": [{"type": "string", "enum": [f"v{n}" for n in range(size)]}, {"type": "null"}]}
    for _ in range(size // 4):
        leaf = {"type": "object", "properties": {"a": leaf}, "additionalProperties": False}
    members = {
        f"m{number}": leaf if number % 3 == 0 else {"type": "string"} for number in range(size)
    }
    return {"type": "object", "properties": members}


@table("name", [name for name, found in all_dialects().items() if found.strict])
def test_what_surely_fits_is_within_all_limits(name):
    dialect = all_dialects()[name]
    limits = dialect.limits
    for size in range(1, 200, 3):
        schema = grown(size)
        if not surely_fits(orjson.dumps(schema), dialect):
            break
        found = measure(schema)
        values, characters = found.largest_enum
        for most, many in (
            (limits.depth, found.depth),
            (limits.properties, found.properties),
            (limits.members, found.properties),
            (limits.optional, found.optional),
            (limits.unions, found.unions),
            (limits.enum_values, found.enum_values),
            (limits.characters, found.name_chars),
        ):
            assert most is None or many <= most, size
        assert limits.large_enum is None or characters <= limits.large_enum[1], (size, values)
    is_more_than_size = dialect.some_required or not (
        dialect.empty_objects and dialect.nested_unions
    )
    is_unlimited = limits.said().keys() <= {"tools", "schema_bytes"}
    assert is_more_than_size or is_unlimited or 1 < size < 190
