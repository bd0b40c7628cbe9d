"""RapidAPI as ToolBench collected it: required and optional parameters in two lists.

``tool_name`` groups the endpoints of one service and is their namespace, whether each endpoint has
it or the service once: ``{tool_name, api_list: [endpoint …]}``. Defaults are texts, whatever the
type, and empty where there is none. A schema with more than members and their required flags is
written whole, under ``parameters``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, TypeAlias

from toolcanon.dialect import Source
from toolcanon.errors import UnreadableTool
from toolcanon.formats.wire import (
    Format,
    LoweredTool,
    Match,
    build,
    notes,
    own_extras,
    reading,
    restore_extras,
    take,
)
from toolcanon.formats.wire.format import ABSENT, GROUP, KEYS, NOTES, SPELLING, as_object, located
from toolcanon.formats.wire.unread_parameters import (
    entries_at,
    guess,
    members_of,
    note_spelling,
    object_at,
    object_schema,
    respell,
    says_needed,
    without,
)
from toolcanon.ir import CanonicalTool
from toolcanon.jsonio.types import Json, JsonObject
from toolcanon.schema.upgrade.property_maps import property_map
from toolcanon.schema.upgrade.type_expressions import in_text, read_type
from toolcanon.schema.upgrade.type_words import TYPE_WORDS
from toolcanon.schema.values import has_type, types_of

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
"""In a service's own list of endpoints the keys have no prefix."""
ENDPOINTS: Final = "api_list"
INHERITED: Final = {"tool_name": "namespace", "category_name": "category"}
"""Fields of a service that apply to all of its endpoints without their own."""
_Guesses: TypeAlias = list[tuple[str, str]]
"""Guesses: place and reason."""

_NO_TEXTS: Final = frozenset({"number", "integer", "boolean"})
"""Types whose values a text can express."""

_LISTS = Match(1.0, "'api_name' with lists of required or optional parameters")
_ENDPOINT = Match(0.9, "'name' with lists of required or optional parameters")
_SCHEMA = Match(0.9, "'api_name' and 'tool_name' beside 'parameters'")
_SERVICE = Match(1.0, "'tool_name' beside 'api_list'", many=True)


def sniff(definition: JsonObject) -> Match | None:
    if ENDPOINTS in definition and _is_service(definition):
        return _SERVICE
    named, whole = "api_name" in definition, "parameters" in definition
    if any(isinstance(definition.get(key), list) for key in LISTS):
        if named:
            return _LISTS
        return _ENDPOINT if "name" in definition and not whole else None
    return _SCHEMA if named and whole and "tool_name" in definition else None


def _is_service(definition: JsonObject) -> bool:
    listed = definition.get(ENDPOINTS)
    is_named = isinstance(definition.get("tool_name"), str) and "api_name" not in definition
    return is_named and isinstance(listed, list) and bool(listed)


def read(definition: JsonObject) -> CanonicalTool:
    return _read(definition, definition)


def _read(definition: JsonObject, whole: JsonObject) -> CanonicalTool:
    """Read a row, which may be inside a wrapper that belongs to its definition."""
    row = without(definition, PARTS)
    renamed = {ours: key for ours, key in SHORT.items() if key in row and ours not in row}
    known = {key: ours for ours, key in renamed.items()}
    said, left, noted = take({known.get(key, key): row[key] for key in row}, ROW, ID)
    if renamed:
        noted[KEYS] = renamed
    if SPELLING in noted:  # noted under our names; written back as it was
        noted[SPELLING] = {renamed.get(key, key): v for key, v in noted[SPELLING].items()}
    said["inputs"], guesses = _unfold(definition)
    for at, why in guesses:
        guess(noted, at, why)
    note_spelling(noted, definition, _fold(said["inputs"]), PARTS)
    return build(ID, said, left, noted, whole, name_key=renamed.get("api_name", "api_name"))


def spread(definition: JsonObject) -> list[CanonicalTool]:
    """Return the endpoints of a service; each keeps the name and keys of the service."""
    about = without(definition, {ENDPOINTS})
    tools = []
    for index, item in enumerate(definition[ENDPOINTS]):
        with located(f"/{ENDPOINTS}/{index}"):
            row = as_object(item, ID)
            tool = _read(row, {**about, ENDPOINTS: [row]})
        inherited = {
            key: about[key]
            for key in INHERITED
            if not row.get(key) and isinstance(about.get(key), str) and about[key]
        }
        for key, value in inherited.items():
            setattr(tool, INHERITED[key], value)
        own = own_extras(tool, ID)
        noted = {**notes(own), GROUP: about}
        if inherited:
            noted[ABSENT] = [*noted.get(ABSENT, ()), *inherited]
        tool.extras = {**tool.extras, ID: {**own, NOTES: noted}}
        tools.append(tool)
    return tools


def _unfold(row: JsonObject) -> tuple[JsonObject, _Guesses]:
    """Return the schema of a row, and the guesses."""
    whole = object_at(row, "parameters", ID)
    if whole and not any(row.get(key) for key in LISTS):
        return whole, []
    schema = (property_map(whole) or whole) if whole else object_schema({})
    stated, needed = schema.get("properties"), schema.get("required", [])
    if not isinstance(stated, dict) or not isinstance(needed, list):
        reason = "parameters is a schema that the lists beside it cannot be added to"
        raise UnreadableTool(ID, "/parameters", reason)
    guesses: _Guesses = []
    if whole:
        guesses.append(("/parameters", "a schema beside lists of parameters; taken together"))
    members, required = _listed(row, stated, guesses)
    out = {**schema, "properties": members}
    return ({**out, "required": [*needed, *required]} if required else out), guesses


def _listed(row: JsonObject, stated: JsonObject, guesses: _Guesses) -> tuple[JsonObject, list[str]]:
    """Return the stated members with those of both lists, and the required names."""
    members = dict(stated)
    required: list[str] = []
    for key in LISTS:
        for at, name, entry in entries_at(row, key, ID):
            if name in members:
                guesses.append((at, "a second parameter of that name; the first is taken"))
                continue
            members[name] = member = _with_value(entry)
            if member is not entry:
                guesses.append((f"{at}/default", _why(member)))
            if key == LISTS[0]:
                required.append(name)
            if says_needed(member) is (key != LISTS[0]):
                guesses.append((at, "it is not clear whether it is optional; taken for required"))
    return members, required


def _with_value(member: JsonObject) -> JsonObject:
    """Return a parameter with its default converted to its type; an empty one is dropped."""
    text, kind = member.get("default"), member.get("type")
    if not isinstance(text, str) or not isinstance(kind, str):
        return member
    kinds = _kinds(kind)
    if not kinds or not kinds <= _NO_TEXTS:
        return member
    if not text.strip():
        return without(member, {"default"})
    value = _value(text.strip())
    return {**member, "default": value} if has_type(value, kinds) else member


def _kinds(kind: str) -> frozenset[str]:
    """Return the types that a text names; almost always one."""
    word = TYPE_WORDS.get(kind.lower())
    if word is not None:
        return frozenset({word})
    found = read_type(kind)
    return frozenset() if found is None else types_of(found.schema)


def _value(text: str) -> Json:
    """Return the JSON value of a text; digits with a leading zero are a code and no number."""
    digits = text.removeprefix("-")
    return text if digits[:1] == "0" and digits[1:2].isdigit() else in_text(text)


def _why(member: JsonObject) -> str:
    if "default" in member:
        return "a default written as text; taken for a value of the type"
    return "a default that is empty and not of the type; taken for none"


def _fold(inputs: JsonObject) -> JsonObject:
    """Return a schema as a row has it: lists where they suffice."""
    found = members_of(inputs) if inputs else ({}, [])
    if found is None or any(
        "name" in member or _with_value(member) is not member for member in found[0].values()
    ):
        return {"parameters": inputs}
    members, required = found
    optional = [name for name in members if name not in set(required)]
    return {
        key: [{"name": name, **members[name]} for name in names]
        for key, names in zip(LISTS, (required, optional), strict=True)
    }


def write(tool: CanonicalTool, wire: LoweredTool) -> JsonObject:
    said = tool.__dict__
    own = own_extras(tool, ID)
    noted = notes(own) if wire.verbatim else {}
    about = noted.get(GROUP, {})
    unsaid = {key: about.get(key) for key in noted.get(ABSENT, ())}
    out: JsonObject = {"api_name": wire.name}
    for key, field in (("api_description", "description"), *INHERITED.items()):
        value = said.get(field)
        if value and unsaid.get(key) != value:
            out[key] = value
    parts = _fold(wire.inputs)
    if wire.verbatim:
        parts = respell(parts, own, lambda row: _unfold(row)[0] == wire.inputs)
    out |= parts
    if own:
        out = restore_extras(out, own, {}, verbatim=wire.verbatim)
    return {**about, ENDPOINTS: [out]} if GROUP in noted else out


def assemble(items: Sequence[tuple[CanonicalTool, JsonObject]]) -> Json:
    """Group neighbours of one service in its wrapper; a single service is not a list."""
    out: list[JsonObject] = []
    for _, item in items:
        last = out[-1] if out else {}
        if _is_service(item) and without(item, {ENDPOINTS}) == without(last, {ENDPOINTS}):
            out[-1] = {**last, ENDPOINTS: [*last[ENDPOINTS], *item[ENDPOINTS]]}
        else:
            out.append(item)
    return out[0] if len(out) == 1 and _is_service(out[0]) else out


FORMAT = Format(
    id=ID,
    title="RapidAPI catalog of ToolBench",
    sources=(Source("github.com/THUNLP-MT/StableToolBench", "2026-11", "keys of its endpoints"),),
    signals=frozenset({*LISTS, "api_name", ENDPOINTS}),
    sniff=sniff,
    containers=((ENDPOINTS,),),
    read=read,
    spread=spread,
    write=write,
    assemble=assemble,
    namespaces=True,
    is_catalog=True,
)
