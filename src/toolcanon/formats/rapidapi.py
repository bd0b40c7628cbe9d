"""RapidAPI as ToolBench collected it: required and optional parameters in two lists.

``tool_name`` groups the endpoints of one service and is their namespace. A schema that says more
than members and which of them are required is written whole, under ``parameters``.
"""

from __future__ import annotations

from typing import Final

from toolcanon.dialect import Source
from toolcanon.formats.wire import (
    Format,
    Match,
    Wire,
    build,
    own_extras,
    reading,
    restore_extras,
    take,
)
from toolcanon.formats.wire.catalog import (
    entries_at,
    guess,
    members_of,
    note_spelling,
    object_at,
    object_schema,
    respell,
    without,
)
from toolcanon.formats.wire.extras import KEYS, SPELLING
from toolcanon.ir import CanonicalTool
from toolcanon.jsonio.types import JsonObject

ID = "rapidapi"
LISTS: Final = ("required_parameters", "optional_parameters")
PARTS: Final = (*LISTS, "parameters")
ROW = reading(
    {
        "api_name": ("name", str),
        "api_description": ("description", str),
        "tool_name": ("namespace", str),
        "category_name": ("category", str),
    }
)
SHORT: Final = {"api_name": "name", "api_description": "description"}
"""In a service's own list of endpoints the keys go without their prefix."""

_LISTS = Match(1.0, "'api_name' with lists of required or optional parameters")
_ENDPOINT = Match(0.9, "'name' with lists of required or optional parameters")
_SCHEMA = Match(0.9, "'api_name' and 'tool_name' beside 'parameters'")


def sniff(definition: JsonObject) -> Match | None:
    named, whole = "api_name" in definition, "parameters" in definition
    if any(isinstance(definition.get(key), list) for key in LISTS):
        if named:
            return _LISTS
        return _ENDPOINT if "name" in definition and not whole else None
    return _SCHEMA if named and whole and "tool_name" in definition else None


def read(definition: JsonObject) -> CanonicalTool:
    row = without(definition, PARTS)
    renamed = {ours: key for ours, key in SHORT.items() if key in row and ours not in row}
    known = {key: ours for ours, key in renamed.items()}
    said, left, noted = take({known.get(key, key): row[key] for key in row}, ROW, ID)
    if renamed:
        noted[KEYS] = renamed
    if SPELLING in noted:  # noted by our names; it goes back as it came
        noted[SPELLING] = {renamed.get(key, key): v for key, v in noted[SPELLING].items()}
    said["inputs"], repeated = _unfold(definition)
    for at in repeated:
        guess(noted, at, "a second parameter of that name; the first is taken")
    note_spelling(noted, definition, _fold(said["inputs"]), PARTS)
    return build(ID, said, left, noted, definition, name_key=renamed.get("api_name", "api_name"))


def _unfold(row: JsonObject) -> tuple[JsonObject, list[str]]:
    """The schema of a row, and where a name stands for the second time."""
    if row.get("parameters"):
        return object_at(row, "parameters", ID), []
    members: JsonObject = {}
    required: list[str] = []
    repeated: list[str] = []
    for key in LISTS:
        for at, name, member in entries_at(row, key, ID):
            if name in members:
                repeated.append(at)
                continue
            members[name] = member
            if key == LISTS[0]:
                required.append(name)
    return object_schema(members, required), repeated


def _fold(inputs: JsonObject) -> JsonObject:
    """A schema as a row has it: lists where those say it all."""
    found = members_of(inputs) if inputs else ({}, [])
    if found is None or any("name" in member for member in found[0].values()):
        return {"parameters": inputs}
    members, required = found
    optional = [name for name in members if name not in set(required)]
    return {
        key: [{"name": name, **members[name]} for name in names]
        for key, names in zip(LISTS, (required, optional), strict=True)
    }


def write(tool: CanonicalTool, wire: Wire) -> JsonObject:
    said = tool.__dict__
    own = own_extras(tool, ID)
    out: JsonObject = {"api_name": wire.name}
    for key, field in (
        ("api_description", "description"),
        ("tool_name", "namespace"),
        ("category_name", "category"),
    ):
        if value := said.get(field):
            out[key] = value
    parts = _fold(wire.inputs)
    if wire.verbatim:
        parts = respell(parts, own, lambda row: _unfold(row)[0] == wire.inputs)
    out |= parts
    return restore_extras(out, own, {}, verbatim=wire.verbatim) if own else out


FORMAT = Format(
    id=ID,
    title="RapidAPI catalog of ToolBench",
    sources=(Source("github.com/THUNLP-MT/StableToolBench", "2026-11", "keys of its endpoints"),),
    signals=frozenset({*LISTS, "api_name"}),
    sniff=sniff,
    containers=(("api_list",),),
    read=read,
    write=write,
    namespaces=True,
)
