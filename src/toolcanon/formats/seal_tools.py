"""Seal-Tools: ``parameters`` and ``responses`` are maps of members, ``required`` is a list beside.

``field`` is the category. A whole schema may replace a map; that is how a schema with more than
members and their required flags is written.
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
from toolcanon.formats.wire.unread_parameters import (
    from_map,
    guess,
    is_map,
    note_spelling,
    object_at,
    respell,
    says_needed,
    without,
)
from toolcanon.ir import CanonicalTool
from toolcanon.jsonio import Pointer
from toolcanon.jsonio.types import Json, JsonObject

ID = "seal-tools"
ROW = reading(
    {
        "api_name": ("name", str),
        "api_description": ("description", str),
        "field": ("category", str),
    }
)
PARTS: Final = ("parameters", "required", "responses")

_WHOLE = Match(1.0, "'api_name' with 'parameters' and 'field' or 'responses'")
_SHORT = Match(0.8, "'api_name' and 'parameters'")


def sniff(definition: JsonObject) -> Match | None:
    if "api_name" not in definition or "parameters" not in definition:
        return None
    return _WHOLE if "responses" in definition or "field" in definition else _SHORT


def read(definition: JsonObject) -> CanonicalTool:
    said, left, noted = take(without(definition, PARTS), ROW, ID)
    inputs, outputs = _unfold(definition)
    if inputs:
        said["inputs"] = inputs
    if outputs:
        said["outputs"] = outputs
    for at in _contradicted(definition, inputs):
        guess(noted, str(at), "it is not clear whether it is optional; taken for required")
    note_spelling(noted, definition, _fold(inputs, outputs), PARTS)
    return build(ID, said, left, noted, definition, name_key="api_name")


def _unfold(row: JsonObject) -> tuple[JsonObject, JsonObject]:
    """Return the two schemas of a row."""
    inputs: JsonObject = {}
    if "parameters" in row:
        inputs = from_map(object_at(row, "parameters", ID), _names(row.get("required")))
        if "required" in row and "required" not in inputs:
            inputs = {**inputs, "required": row["required"]}
    answers = row.get("responses")
    return inputs, from_map(answers) if isinstance(answers, dict) and answers else {}


def _names(required: Json) -> frozenset[str]:
    listed = required if isinstance(required, list) else []
    return frozenset(name for name in listed if isinstance(name, str))


def _contradicted(row: JsonObject, inputs: JsonObject) -> list[Pointer]:
    """Return the members whose own required flag contradicts the list."""
    members, required = inputs.get("properties"), row.get("required")
    if not isinstance(members, dict) or not isinstance(required, list):
        return []
    is_whole = object_at(row, "parameters", ID).get("properties") == members
    under = Pointer(("parameters", "properties") if is_whole else ("parameters",))
    needed = _names(required)
    return [
        under / name
        for name, member in members.items()
        if says_needed(member) is (name not in needed)
    ]


def _fold(inputs: JsonObject, outputs: JsonObject) -> JsonObject:
    """Return both schemas as a row has them: maps where they suffice."""
    out: JsonObject = {}
    if _is_plain(without(inputs, {"required"})):
        out["parameters"] = inputs["properties"]
        if "required" in inputs:
            out["required"] = inputs["required"]
    else:
        out["parameters"] = inputs
    if outputs:
        out["responses"] = outputs["properties"] if _is_plain(outputs) else outputs
    return out


def _is_plain(schema: JsonObject) -> bool:
    members = schema.get("properties")
    return schema == {"type": "object", "properties": members} and (
        isinstance(members, dict) and is_map(members)
    )


def write(tool: CanonicalTool, wire: LoweredTool) -> JsonObject:
    said = tool.__dict__
    own = own_extras(tool, ID)
    out: JsonObject = {"api_name": wire.name}
    if description := said.get("description"):
        out["api_description"] = description
    if category := said.get("category"):
        out["field"] = category
    parts = _fold(wire.inputs, wire.outputs)
    if wire.verbatim:
        parts = respell(parts, own, lambda row: _unfold(row) == (wire.inputs, wire.outputs))
    out |= parts
    return restore_extras(out, own, {}, verbatim=wire.verbatim) if own else out


FORMAT = Format(
    id=ID,
    title="Seal-Tools catalog",
    sources=(Source("github.com/fairyshine/Seal-Tools", "2026-11", "keys of its tool pool"),),
    signals=frozenset({"api_name"}),
    sniff=sniff,
    read=read,
    write=write,
)
