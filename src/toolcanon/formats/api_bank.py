"""API-Bank: rows of a table with a signature and Python text that describes the parameters.

``api_info`` assigns ``description``, ``input_parameters`` and ``output_parameters``;
``input_parameters`` beside it is the signature, which tells what may be left out. The other columns
have Chinese names. All of it is parsed and none of it is run.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from toolcanon.dialect import Source
from toolcanon.errors import UnreadableTool
from toolcanon.formats.wire import (
    Format,
    Match,
    Wire,
    build,
    notes,
    own_extras,
    reading,
    restore_extras,
    take,
)
from toolcanon.formats.wire.assigned import assigned
from toolcanon.formats.wire.catalog import (
    guess,
    members_of,
    note_spelling,
    object_schema,
    respell,
    without,
)
from toolcanon.formats.wire.extras import ABSENT
from toolcanon.formats.wire.maps import from_map, is_map
from toolcanon.formats.wire.texts import Parameter, is_name, signature
from toolcanon.ir import CanonicalTool
from toolcanon.jsonio.types import JsonObject

ID = "api-bank"
INFO, SIGNATURE, CALL = "api_info", "input_parameters", "expressions"
PARTS: Final = (INFO, SIGNATURE, CALL)
CLASS_NAME: Final = "类名"
ROW = reading(
    {
        "name": ("name", str),
        "API名称": ("title", str),
        "应用场景": ("category", str),
    }
)

_WHOLE = Match(1.0, "'api_info' is Python text")
_SIGNATURE = Match(0.8, "'input_parameters' is a signature")


class _Told(NamedTuple):
    """What the Python text of a row says of a tool."""

    inputs: JsonObject
    outputs: JsonObject
    description: str


def sniff(definition: JsonObject) -> Match | None:
    info, shown = definition.get(INFO), definition.get(SIGNATURE)
    if isinstance(info, str) and SIGNATURE in info:
        return _WHOLE
    if isinstance(shown, str) and shown[:1] == "(" and shown[-1:] == ")":
        return _SIGNATURE
    return None


def read(definition: JsonObject) -> CanonicalTool:
    said, left, noted = take(without(definition, PARTS), ROW, ID)
    told = _unfold(definition, noted)
    said |= {field: value for field, value in told._asdict().items() if value}
    if "name" not in definition:
        said["name"] = definition.get(CLASS_NAME) or _called(definition)
    note_spelling(noted, definition, _fold(str(said.get("name")), told), PARTS)
    if "name" not in definition:
        noted[ABSENT] = [*noted.get(ABSENT, ()), "name"]
    return build(ID, said, left, noted, definition)


def _called(row: JsonObject) -> str:
    """The name before the parenthesis of the call."""
    shown = row.get(CALL)
    return shown.partition("(")[0].strip() if isinstance(shown, str) else ""


def _unfold(row: JsonObject, noted: JsonObject) -> _Told:
    """What the Python text of a row says."""
    parameters = _parameters(row, SIGNATURE, noted)
    if parameters is None:
        parameters = _parameters(row, CALL, noted)
    info = _assigned(row, noted, needed=parameters is None)
    stated = info.get(SIGNATURE)
    inputs = from_map(stated) if isinstance(stated, dict) else object_schema({})
    if parameters is not None and inputs is not stated:
        inputs = _completed(inputs["properties"], parameters, noted)
    answers = info.get("output_parameters")
    outputs = from_map(answers) if isinstance(answers, dict) and answers else {}
    description = info.get("description")
    return _Told(inputs, outputs, description if isinstance(description, str) else "")


def _parameters(row: JsonObject, key: str, noted: JsonObject) -> list[Parameter] | None:
    """Those of a signature."""
    text = row.get(key)
    if not isinstance(text, str) or not text:
        return None
    try:
        return signature(text)[1]
    except ValueError:
        guess(noted, f"/{key}", "no Python that can be read as data; left aside")
        return None


def _assigned(row: JsonObject, noted: JsonObject, *, needed: bool) -> JsonObject:
    """What a row assigns; ``needed`` tells that parameters stand nowhere else."""
    text = row.get(INFO)
    found, unread = assigned(text if isinstance(text, str) else "")
    parts = [f"{part!r} is no data that can be read; left aside" for part in unread]
    if found.get(SIGNATURE) and not isinstance(found[SIGNATURE], dict):
        parts.append(f"{SIGNATURE} is no map of parameters; left aside")
    is_lost = bool(parts) and not isinstance(found.get(SIGNATURE), dict)
    if needed and (is_lost or not found):
        reason = "neither assignments nor a signature can be read"
        raise UnreadableTool(ID, f"/{INFO}", reason)
    for why in parts:
        guess(noted, f"/{INFO}", why)
    return found


def _completed(described: JsonObject, parameters: list[Parameter], noted: JsonObject) -> JsonObject:
    """The described members, with what only the signature tells."""
    members = dict(described)
    for name, kind, default in parameters:
        member = members.get(name, {})
        if described and name not in described:
            guess(noted, f"/{SIGNATURE}", f"{name!r} stands in the signature alone")
        if isinstance(member, dict):
            if kind is not None and "type" not in member:
                member = {**member, "type": kind}
            if default and default != (None,) and "default" not in member:
                member = {**member, "default": default[0]}
        members[name] = member
    known = {parameter.name for parameter in parameters}
    for name in described:
        if name not in known:
            guess(noted, f"/{INFO}", f"{name!r} is not in the signature, so it is optional")
    return object_schema(members, [one.name for one in parameters if not one.default])


def _fold(name: str, told: _Told) -> JsonObject:
    """The Python text that says this: a map and a signature, or the whole schema in its place."""
    shown = _signature(told.inputs)
    stated = told.inputs if shown is None else told.inputs.get("properties", {})
    lines = [f"description = {told.description!r}", f"{SIGNATURE} = {stated!r}"]
    if told.outputs:
        answers = told.outputs.get("properties")
        plain = isinstance(answers, dict) and answers and from_map(answers) == told.outputs
        lines.append(f"output_parameters = {answers if plain else told.outputs!r}")
    out: JsonObject = {INFO: "\n".join(lines)}
    return out if shown is None else {**out, SIGNATURE: shown, CALL: f"{name}{shown}"}


def _signature(inputs: JsonObject) -> str | None:
    """The signature of a function with these members; None where there can be none."""
    found = members_of(inputs) if inputs else ({}, [])
    if found is None or not is_map(found[0]) or not all(map(is_name, found[0])):
        return None
    members, required = found
    optional = [name for name in members if name not in set(required)]
    shown = [_typed(name, members[name]) for name in required]
    shown += [f"{_typed(name, members[name])} = None" for name in optional]
    return f"({', '.join(shown)})"


def _typed(name: str, member: JsonObject) -> str:
    kind = member.get("type")
    return f"{name}: {kind}" if isinstance(kind, str) and is_name(kind) else name


def write(tool: CanonicalTool, wire: Wire) -> JsonObject:
    said = tool.__dict__
    own = own_extras(tool, ID)
    out: JsonObject = {"name": wire.name}
    if title := said.get("title"):
        out["API名称"] = title
    if category := said.get("category"):
        out["应用场景"] = category
    told = _Told(wire.inputs, wire.outputs, said.get("description", ""))
    parts = _fold(wire.name, told)
    if wire.verbatim:
        parts = respell(parts, own, lambda row: _unfold(row, {}) == told)
        if "name" in notes(own).get(ABSENT, ()):
            del out["name"]
    out |= parts
    return restore_extras(out, own, {}, verbatim=wire.verbatim) if own else out


FORMAT = Format(
    id=ID,
    title="API-Bank catalog",
    sources=(
        Source(
            "github.com/AlibabaResearch/DAMO-ConvAI api-bank", "2026-11", "columns of its table"
        ),
    ),
    signals=frozenset({INFO, SIGNATURE}),
    sniff=sniff,
    read=read,
    write=write,
)
