"""Docker's registry of MCP servers: ``arguments`` is a list of ``{name, type, desc, optional}``.

What is not marked optional is required. A schema that a list cannot say is written whole, in its
place.
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
from toolcanon.formats.wire.annotations import ANNOTATIONS, read_annotations, write_annotations
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
from toolcanon.ir import CanonicalTool
from toolcanon.jsonio.types import Json, JsonObject

ID = "docker-registry"
PARTS: Final = ("arguments",)
ROW = reading({"name": ("name", str), "description": ("description", str)})
OPTIONAL, DESC = "optional", "desc"

_DESCRIBED = Match(0.9, "'arguments' is a list of parameters with 'desc'")
_TYPED = Match(0.6, "'arguments' is a list of parameters with a type")
_EMPTY = Match(0.3, "'arguments' is an empty list")
_ANNOTATED = Match(0.2, "'annotations', and no arguments at all")


def sniff(definition: JsonObject) -> Match | None:
    if "name" not in definition:
        return None
    listed = definition.get("arguments")
    if isinstance(listed, list):
        return _match(listed)
    # Elsewhere a schema would stand beside them.
    alone = definition.keys() <= {"name", "description", ANNOTATIONS}
    return _ANNOTATED if alone and isinstance(definition.get(ANNOTATIONS), dict) else None


def _match(listed: list[Json]) -> Match | None:
    if not listed:
        return _EMPTY
    first = listed[0]
    if not isinstance(first, dict) or "name" not in first:
        return None
    if DESC in first:
        return _DESCRIBED
    return _TYPED if "type" in first else None  # a prompt's arguments have no type


def read(definition: JsonObject) -> CanonicalTool:
    said, left, noted = take(without(definition, PARTS), ROW, ID)
    if ANNOTATIONS in left:
        read_annotations(left, said, noted)
    said["inputs"], repeated = _unfold(definition)
    for at in repeated:
        guess(noted, at, "a second argument of that name; the first is taken")
    note_spelling(noted, definition, _fold(said["inputs"]), PARTS)
    return build(ID, said, left, noted, definition)


def _unfold(row: JsonObject) -> tuple[JsonObject, list[str]]:
    """The schema of a row, and where a name stands for the second time."""
    if isinstance(row.get("arguments"), (dict, str)):
        return object_at(row, "arguments", ID), []
    members: JsonObject = {}
    required: list[str] = []
    repeated: list[str] = []
    for at, name, argument in entries_at(row, "arguments", ID):
        if name in members:
            repeated.append(at)
            continue
        if argument.pop(OPTIONAL, False) is not True:
            required.append(name)
        if DESC in argument and "description" not in argument:
            argument["description"] = argument.pop(DESC)
        members[name] = argument
    return object_schema(members, required), repeated


def _fold(inputs: JsonObject) -> JsonObject:
    """A schema as a row has it: a list where that says it all; nothing where there is none."""
    found = members_of(inputs) if inputs else ({}, [])
    if found is None:
        return {"arguments": inputs}
    members, required = found
    needed = set(required)
    ordered = [name for name in members if name in needed] == required
    if not ordered or any({"name", DESC, OPTIONAL} & member.keys() for member in members.values()):
        return {"arguments": inputs}
    listed = []
    for name, member in members.items():
        argument = {"name": name} | {
            DESC if key == "description" else key: value for key, value in member.items()
        }
        listed.append(argument if name in needed else {**argument, OPTIONAL: True})
    return {"arguments": listed} if listed else {}


def write(tool: CanonicalTool, wire: Wire) -> JsonObject:
    said = tool.__dict__
    own = own_extras(tool, ID)
    out: JsonObject = {"name": wire.name}
    if description := said.get("description"):
        out["description"] = description
    parts = _fold(wire.inputs)
    if wire.verbatim:
        parts = respell(parts, own, lambda row: _unfold(row)[0] == wire.inputs)
    out |= parts
    write_annotations(tool, own, out, verbatim=wire.verbatim)
    return restore_extras(out, own, {}, verbatim=wire.verbatim) if own else out


FORMAT = Format(
    id=ID,
    title="Docker MCP registry",
    sources=(
        Source(
            "github.com/docker/mcp-registry internal/mcp/types.go",
            "2026-11",
            "fields; optional is left out where it is false",
        ),
    ),
    signals=frozenset({"arguments", ANNOTATIONS}),
    sniff=sniff,
    read=read,
    write=write,
)
