"""Docker's registry of MCP servers: ``arguments`` is a list of ``{name, type, desc, optional}``.

Arguments are required unless marked optional; the mark may be text, or the opposite under
``required``. A schema that a list cannot express is written whole instead.
"""

from __future__ import annotations

from typing import Final

from toolcanon.dialect import Source
from toolcanon.formats.wire import (
    Format,
    LoweredTool,
    Match,
    build,
    own_extras,
    reading,
    restore_extras,
    take,
)
from toolcanon.formats.wire.flat_reader import ANNOTATIONS, read_annotations, write_annotations
from toolcanon.formats.wire.unread_parameters import (
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
OPTIONAL, REQUIRED, DESC = "optional", "required", "desc"

_SAID: Final = {"true": True, "yes": True, "false": False, "no": False}
_NEEDED: Final = {"required": True, "mandatory": True, "optional": False}

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
    # In other formats there is a schema beside them.
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
    said["inputs"], guesses = _unfold(definition)
    for at, why in guesses:
        guess(noted, at, why)
    note_spelling(noted, definition, _fold(said["inputs"]), PARTS)
    return build(ID, said, left, noted, definition)


def _unfold(row: JsonObject) -> tuple[JsonObject, list[tuple[str, str]]]:
    """Return the schema of a row, and the guesses: place and reason."""
    if isinstance(row.get("arguments"), (dict, str)):
        return object_at(row, "arguments", ID), []
    members: JsonObject = {}
    required: list[str] = []
    guesses: list[tuple[str, str]] = []
    for at, name, argument in entries_at(row, "arguments", ID):
        if name in members:
            guesses.append((at, "a second argument of that name; the first is taken"))
            continue
        marks = _marks(argument)
        if marks != {False}:
            required.append(name)
        if None in marks or len(marks) > 1:
            guesses.append((at, "it is not clear whether it is optional; taken for required"))
        if DESC in argument and "description" not in argument:
            argument["description"] = argument.pop(DESC)
        members[name] = argument
    return object_schema(members, required), guesses


def _marks(argument: JsonObject) -> set[bool | None]:
    """Remove and return what an argument states about being required; None for unknown text."""
    marks: set[bool | None] = set()
    needed = _needed(REQUIRED, argument.get(REQUIRED))
    if needed is not None:  # otherwise it is a keyword of the schema
        del argument[REQUIRED]
        marks.add(needed)
    if (mark := argument.pop(OPTIONAL, None)) is not None and mark != "":
        marks.add(_needed(OPTIONAL, mark))
    return marks


def _needed(key: str, stated: Json) -> bool | None:
    """Return whether a mark makes the argument required; None for an unknown mark."""
    word = stated.strip().lower() if isinstance(stated, str) else None
    if word in _NEEDED:
        return _NEEDED[word]
    said = _SAID.get(word) if word is not None else stated
    if not isinstance(said, bool):
        return None
    return not said if key == OPTIONAL else said


def _fold(inputs: JsonObject) -> JsonObject:
    """Return a schema as a row has it: a list where that suffices; empty for no schema."""
    found = members_of(inputs) if inputs else ({}, [])
    if found is None:
        return {"arguments": inputs}
    members, required = found
    needed = set(required)
    ordered = [name for name in members if name in needed] == required
    if not ordered or any(map(_is_marked, members.values())):
        return {"arguments": inputs}
    listed = []
    for name, member in members.items():
        argument = {"name": name} | {
            DESC if key == "description" else key: value for key, value in member.items()
        }
        listed.append(argument if name in needed else {**argument, OPTIONAL: True})
    return {"arguments": listed} if listed else {}


def _is_marked(member: JsonObject) -> bool:
    """Return whether a keyword of a member has another meaning in a list."""
    marks = any(key in member for key in ("name", DESC, OPTIONAL))
    return marks or _needed(REQUIRED, member.get(REQUIRED)) is not None


def write(tool: CanonicalTool, wire: LoweredTool) -> JsonObject:
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
