"""ACEBench: ``arguments`` is the schema, ``results`` that of the result, ``tags`` the domain.

Some rows have another key (``_arguments``), and some have none.
"""

from __future__ import annotations

from toolcanon.dialect import Source
from toolcanon.formats.wire import (
    Format,
    LoweredTool,
    Match,
    build,
    is_spelled,
    own_extras,
    reading,
    restore_extras,
    take,
)
from toolcanon.formats.wire.format import ABSENT, KEYS, no_parameters
from toolcanon.formats.wire.unread_parameters import holds_parameters
from toolcanon.ir import CanonicalTool
from toolcanon.jsonio.types import Json, JsonObject
from toolcanon.schema.keywords import ANNOTATIONS, APPLIES, PLAIN, POSITIONS
from toolcanon.schema.upgrade.property_maps import property_map

ID = "acebench"
ARGUMENTS = "arguments"
ROW = reading(
    {
        "name": ("name", str),
        "description": ("description", str),
        ARGUMENTS: ("inputs", dict),
        "results": ("outputs", dict),
        "tags": ("tags", list),
    }
)

_UNIONS = frozenset({"$ref", "anyOf", "oneOf", "allOf"})
_KEYWORDS = _UNIONS | {*POSITIONS, *APPLIES, *PLAIN, *ANNOTATIONS, "enum", "$schema", "$id"}

_WITH_RESULTS = Match(0.9, "'arguments' is a schema, beside 'results' or 'tags'")
_SCHEMA = Match(0.7, "'arguments' is a schema")
_NOTHING = Match(0.6, "'results' and 'tags' without any arguments")


def sniff(definition: JsonObject) -> Match | None:
    if "name" not in definition:
        return None
    key = _key_of_arguments(definition)
    catalogued = isinstance(definition.get("tags"), list)
    answers = isinstance(definition.get("results"), dict)
    if key is None:
        return _NOTHING if catalogued and answers else None
    # A call has a name and arguments as well, but no schema.
    if not _is_schema(definition[key]) and not (catalogued and not definition[key]):
        return None
    return _WITH_RESULTS if catalogued or answers else _SCHEMA


def _key_of_arguments(definition: JsonObject) -> str | None:
    if ARGUMENTS in definition:
        return ARGUMENTS
    for key in definition:
        if str(key).strip("_ ").lower() == ARGUMENTS:
            return key
    return None


def _is_schema(value: Json) -> bool:
    if not isinstance(value, dict):
        return False
    if isinstance(value.get("properties"), dict):
        return isinstance(value.get("type", ""), str)
    if value.get("type") == "object" or not _UNIONS.isdisjoint(value):
        return _KEYWORDS.issuperset(value)  # a schema without members
    if any(isinstance(member, str) for member in value.values()) or not holds_parameters(value):
        return False
    return property_map(value) is not None


def read(definition: JsonObject) -> CanonicalTool:
    key = _key_of_arguments(definition)
    source = definition
    if key is not None and key != ARGUMENTS:
        source = {ARGUMENTS if name == key else name: value for name, value in definition.items()}
    said, left, noted = take(source, ROW, ID)
    if key is None:
        noted[ABSENT] = [ARGUMENTS]
    elif key != ARGUMENTS:
        noted[KEYS] = {ARGUMENTS: key}
    if not all(isinstance(tag, str) for tag in said.get("tags", ())):
        left["tags"] = said.pop("tags")
    return build(ID, said, left, noted, definition)


def write(tool: CanonicalTool, wire: LoweredTool) -> JsonObject:
    said = tool.__dict__
    own = own_extras(tool, ID)
    out: JsonObject = {"name": wire.name}
    if description := said.get("description"):
        out["description"] = description
    if wire.inputs:
        out[ARGUMENTS] = wire.inputs
    elif not (wire.verbatim and is_spelled(own, ARGUMENTS)):
        out[ARGUMENTS] = no_parameters()
    if wire.outputs:
        out["results"] = wire.outputs
    if tags := said.get("tags"):
        out["tags"] = tags
    return restore_extras(out, own, {}, verbatim=wire.verbatim) if own else out


FORMAT = Format(
    id=ID,
    title="ACEBench catalog",
    sources=(Source("github.com/ACEBench/ACEBench", "2026-11", "keys of its functions"),),
    signals=frozenset({ARGUMENTS, f"_{ARGUMENTS}", ARGUMENTS.capitalize(), "results"}),
    sniff=sniff,
    read=read,
    write=write,
)
