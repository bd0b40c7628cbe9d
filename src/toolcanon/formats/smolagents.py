"""smolagents: ``inputs`` by name with ``type`` and ``description``, and the type of the result.

An argument is optional if it is ``nullable``; there is no list of required ones and no field for
constraints of all arguments together. Live tools are recognised by their attributes.
"""

from __future__ import annotations

from keyword import kwlist
from typing import Any

from toolcanon.dialect import Dialect, NamePolicy, ReferenceRules, Source, Support, table
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
from toolcanon.formats.wire.format import ABSENT, SPELLING, one_of
from toolcanon.ir import CanonicalTool
from toolcanon.jsonio import LONGEST_NAME
from toolcanon.jsonio.types import Json, JsonObject

ID = "smolagents"
INPUTS, ANSWER, ANSWER_SCHEMA = "inputs", "output_type", "output_schema"
ANY = "any"
WORDS = frozenset("string boolean integer number array object null image audio any".split())
JSON_WORDS = WORDS - {"image", "audio", ANY}

TOOL = reading(
    {
        "name": ("name", str),
        "description": ("description", str),
        INPUTS: ("inputs", dict),
        ANSWER_SCHEMA: ("outputs", dict),
    }
)
KNOWN = {ANSWER: one_of(*sorted(WORDS))}

_TOOL = Match(1.0, "'inputs' and 'output_type'")


def sniff(definition: JsonObject) -> Match | None:
    inputs = definition.get(INPUTS)
    if "name" in definition and isinstance(inputs, dict) and ANSWER in definition:
        return _TOOL
    return None


def read(definition: JsonObject) -> CanonicalTool:
    said, left, noted = take(definition, TOOL, ID)
    spelled = noted.get(SPELLING, {})
    if spelled.get("description") == "":  # how this format states no description
        del spelled["description"]
    entries = definition.get(INPUTS)
    if isinstance(entries, dict):
        spelled.pop(INPUTS, None)
        said["inputs"] = _schema(entries)
        if _entries(said["inputs"]) != entries:
            spelled = {**spelled, INPUTS: entries}
    noted = {SPELLING: spelled} if spelled else {}
    absent = [key for key in ("description", INPUTS, ANSWER) if key not in definition]
    if absent:
        noted[ABSENT] = absent
    _read_answer(said, left)
    return build(ID, said, left, noted, definition)


def _schema(entries: JsonObject) -> JsonObject:
    """Return the arguments as a schema, without required names for optional ones."""
    members: JsonObject = {}
    required = []
    for name, entry in entries.items():
        if not isinstance(entry, dict):
            raise UnreadableTool(ID, f"/{INPUTS}/{name}", "an input must be an object")
        if entry.get("nullable") is not True:
            required.append(name)
        member = {
            key: value
            for key, value in entry.items()
            if (key, value) not in (("nullable", True), ("type", ANY), ("description", ""))
        }
        if isinstance(union := member.get("anyOf"), list):
            member["anyOf"] = [_untyped(branch) for branch in union]
        members[name] = member
    return {"type": "object", "properties": members, "required": required}


def _untyped(branch: Json) -> Json:
    if isinstance(branch, dict) and branch.get("type") == ANY:
        return {key: value for key, value in branch.items() if key != "type"}
    return branch


def _entries(schema: JsonObject) -> JsonObject:
    """Return the entries of a schema. The order of required names follows that of all."""
    stated = schema.get("properties")
    members = stated if isinstance(stated, dict) else {}
    listed = schema.get("required")
    listed = [name for name in listed if isinstance(name, str)] if isinstance(listed, list) else []
    required = [name for name in dict.fromkeys(listed) if name in members]
    queue = iter(required)
    order = [next(queue) if name in required else name for name in members]
    return {name: _entry(members[name], required=name in required) for name in order}


def _entry(member: Json, *, required: bool) -> JsonObject:
    """Return an entry with a type and a description, which are required, also in branches."""
    if not isinstance(member, dict):  # true, false, or no schema
        member = {"not": {}} if member is False else {}
    entry = {"type": ANY, "description": "", **member}
    if isinstance(union := entry.get("anyOf"), list):
        entry["anyOf"] = [
            {"type": ANY, **branch} if isinstance(branch, dict) else branch for branch in union
        ]
    return entry if required else {**entry, "nullable": True}


def _read_answer(said: JsonObject, left: JsonObject) -> None:
    """Read the type of the result; it is kept aside where a schema contradicts it."""
    word = left.get(ANSWER)
    if "outputs" not in said and isinstance(word, str) and word in JSON_WORDS:
        said["outputs"] = {"type": word}
    if ANSWER in left and word == _word(said.get("outputs", {})):
        del left[ANSWER]


def _word(outputs: JsonObject) -> str:
    stated = outputs.get("type")
    return stated if isinstance(stated, str) and stated in WORDS else ANY


def write(tool: CanonicalTool, wire: LoweredTool) -> JsonObject:
    own = own_extras(tool, ID)
    noted = notes(own) if wire.verbatim else {}
    stated = own.get(ANSWER)
    keeps = ANSWER in own and (wire.verbatim or KNOWN[ANSWER](stated))
    word = stated if keeps else _word(wire.outputs)
    out: JsonObject = {
        "name": wire.name,
        "description": tool.__dict__.get("description") or "",
        INPUTS: _entries(wire.inputs),
        ANSWER: word,
    }
    if wire.outputs and wire.outputs != {"type": word}:
        out[ANSWER_SCHEMA] = wire.outputs
    if not own:
        return out
    for key in (*noted.get(ABSENT, ()), *noted.get(SPELLING, ())):
        out.pop(key, None)
    return restore_extras(out, own, KNOWN, verbatim=wire.verbatim)


def adopt(thing: Any) -> JsonObject | None:
    """Return the definition of a live tool; None for other objects."""
    if isinstance(thing, type) or not all(
        hasattr(thing, name) for name in ("name", INPUTS, ANSWER, "forward")
    ):
        return None
    out: JsonObject = {
        "name": thing.name,
        "description": thing.description,
        INPUTS: thing.inputs,
        ANSWER: thing.output_type,
    }
    if (schema := getattr(thing, ANSWER_SCHEMA, None)) is not None:
        out[ANSWER_SCHEMA] = schema
    return out


def _identifiers() -> NamePolicy:
    return NamePolicy("a-zA-Z0-9_", LONGEST_NAME, first="a-zA-Z_", reserved=frozenset(kwlist))


DEFAULT = Dialect(
    id=ID,
    version="2026-11",
    title="inputs",
    sources=(
        Source("smolagents 1.26.0 Tool.validate_arguments", "2026-11", "types, names, members"),
        Source("smolagents 1.26.0 get_tool_json_schema", "2026-11", "nullable is not required"),
        Source("smolagents 1.26.0 get_json_schema", "2026-11", "the keywords it writes itself"),
    ),
    keywords=table(
        Support.REJECTED,
        accepted="type properties items prefixItems required enum anyOf title description default",
    ),
    others=Support.REJECTED,
    references=ReferenceRules(keep=False),
    booleans=False,
    union_siblings=False,  # a union is flattened into its types, with any siblings
    root_unions=False,
    root_properties=True,
    maps=False,
    members=_identifiers(),
)

FORMAT = Format(
    id=ID,
    title="smolagents",
    sources=(Source("smolagents 1.26.0 Tool", "2026-11", "attributes, executed"),),
    signals=frozenset({ANSWER}),
    sniff=sniff,
    rank=3,
    containers=(("tools",),),
    adopt=adopt,
    read=read,
    write=write,
    dialects=(DEFAULT,),
    names=_identifiers(),
)
