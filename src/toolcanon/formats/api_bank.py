"""API-Bank: rows of a table with a signature and Python text that describes the parameters.

``api_info`` assigns ``description``, ``input_parameters`` and ``output_parameters``;
``input_parameters`` beside it is the signature, which states what is optional. The other columns
have Chinese names. All of it is parsed and none of it is run.
"""

from __future__ import annotations

from typing import Final, NamedTuple

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
from toolcanon.formats.wire.format import ABSENT
from toolcanon.formats.wire.text_data import SignatureParameter, assigned, is_name, signature
from toolcanon.formats.wire.unread_parameters import (
    from_map,
    guess,
    members_of,
    note_spelling,
    object_schema,
    respell,
    says_needed,
    without,
)
from toolcanon.ir import CanonicalTool
from toolcanon.jsonio.types import Json, JsonObject
from toolcanon.schema.keywords import ANNOTATIONS
from toolcanon.schema.upgrade.type_expressions import read_type
from toolcanon.schema.upgrade.type_words import TYPE_WORDS
from toolcanon.schema.values import has_type, same, types_of

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

_OTHERWISE: Final = "has another {} than described; the described one is taken"

_WHOLE = Match(1.0, "'api_info' is Python text")
_SIGNATURE = Match(0.8, "'input_parameters' is a signature")


class _Told(NamedTuple):
    """The parsed Python text of a row."""

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
    """Return the name before the parenthesis of the call."""
    shown = row.get(CALL)
    return shown.partition("(")[0].strip() if isinstance(shown, str) else ""


def _unfold(row: JsonObject, noted: JsonObject) -> _Told:
    """Parse the Python text of a row."""
    parameters = _parameters(row, SIGNATURE, noted)
    if parameters is None:
        parameters = _parameters(row, CALL, noted)
    info = _assigned(row, noted, needed=parameters is None)
    stated = info.get(SIGNATURE)
    known = frozenset(parameter.name for parameter in parameters or ())
    inputs = from_map(stated, known) if isinstance(stated, dict) else object_schema({})
    if parameters is not None and inputs is not stated:
        inputs = _completed(inputs, parameters, noted)
    answers = info.get("output_parameters")
    outputs = from_map(answers) if isinstance(answers, dict) and answers else {}
    description = info.get("description")
    return _Told(inputs, outputs, description if isinstance(description, str) else "")


def _parameters(row: JsonObject, key: str, noted: JsonObject) -> list[SignatureParameter] | None:
    text = row.get(key)
    if not isinstance(text, str) or not text:
        return None
    try:
        return signature(text)[1]
    except ValueError:
        guess(noted, f"/{key}", "no Python that can be read as data; left aside")
        return None


def _assigned(row: JsonObject, noted: JsonObject, *, needed: bool) -> JsonObject:
    """Return the assignments of a row; ``needed`` if parameters are nowhere else."""
    text = row.get(INFO)
    found, unread = assigned(text if isinstance(text, str) else "")
    parts = [f"{part!r} is no data that can be read; left aside" for part in unread]
    if found.get(SIGNATURE) and not isinstance(found[SIGNATURE], dict):
        parts.append(f"{SIGNATURE} is no map of parameters; left aside")
    is_lost = bool(parts) and not isinstance(found.get(SIGNATURE), dict)
    if needed and (is_lost or not found):
        reason = "neither assignments nor a signature can be parsed"
        raise UnreadableTool(ID, f"/{INFO}", reason)
    for why in parts:
        guess(noted, f"/{INFO}", why)
    return found


def _completed(
    inputs: JsonObject, parameters: list[SignatureParameter], noted: JsonObject
) -> JsonObject:
    """Return the described members, completed by the signature."""
    described = inputs["properties"]
    members = dict(described)
    required: list[str] = []
    for parameter in parameters:
        name = parameter.name
        if described and name not in described:
            guess(noted, f"/{SIGNATURE}", f"{name!r} stands in the signature alone")
        is_needed = _is_needed(name, inputs)
        if is_needed or not parameter.default:
            required.append(name)
        if is_needed is bool(parameter.default):
            why = f"it is not clear whether {name!r} is optional; taken for required"
            guess(noted, f"/{SIGNATURE}", why)
        members[name] = _detailed(members.get(name), parameter, noted)
    known = {parameter.name for parameter in parameters}
    for name in described:
        if name in known:
            continue
        if _is_needed(name, inputs):
            required.append(name)
            guess(noted, f"/{INFO}", f"{name!r} is not in the signature; taken for required")
        else:
            guess(noted, f"/{INFO}", f"{name!r} is not in the signature, so it is optional")
    return {**inputs, **object_schema(members, required)}


def _is_needed(name: str, inputs: JsonObject) -> bool | None:
    """Return whether the description requires a member; None where it does not state it."""
    if name in inputs.get("required", ()):
        return True
    return says_needed(inputs["properties"].get(name))


def _detailed(described: Json, parameter: SignatureParameter, noted: JsonObject) -> Json:
    """Return one member completed by its parameter; contradictions are noted as guesses."""
    name, kind, default = parameter
    member = _as_schema(described)
    if member is None:
        return described
    read = _read(member.get("type"))
    said = {word: value for word, value in (read or {}).items() if word in ANNOTATIONS} | member
    more: JsonObject = {}
    if kind is not None:
        is_finer = _is_finer(kind, member)
        if is_finer is None:
            guess(noted, f"/{SIGNATURE}", f"{name!r} {_OTHERWISE.format('type')}")
        elif is_finer:
            more = {**said, "type": kind}
            if "type" in member and read is None:
                why = f"the type of {name!r} is unknown; that of the signature is taken"
                guess(noted, f"/{INFO}", why)
    if default and default != (None,):
        if "default" not in said:
            more["default"] = default[0]
        elif not same(said["default"], default[0]):
            guess(noted, f"/{SIGNATURE}", f"{name!r} {_OTHERWISE.format('default')}")
    return {**member, **more} if more or described is None else described


def _is_finer(kind: str, member: JsonObject) -> bool | None:
    """Return whether a type is more specific than that of a member; None for a contradiction."""
    stated = member.get("type")
    if stated is None or stated == kind:
        return stated is None
    said, shown = _read(stated), _read(kind)
    if said is None or shown is None:
        return said is None and shown is not None and isinstance(stated, str)
    if isinstance(member.get("enum"), list):
        said = {**said, "enum": member["enum"]}
    if _says_all(said, shown) or not member.keys().isdisjoint(shown.keys() - {"type", "enum"}):
        return False
    return True if _says_all(shown, said) else None


def _as_schema(member: Json) -> JsonObject | None:
    """Return a member as a schema; null is an empty one, None for other values."""
    if isinstance(member, str):
        return {"description" if _read(member) is None else "type": member}
    if member is None:
        return {}
    return member if isinstance(member, dict) else None


def _read(kind: Json) -> JsonObject | None:
    """Return the schema of a type; None for an unknown one."""
    if not isinstance(kind, str):
        return None
    if word := TYPE_WORDS.get(kind):  # the most common case
        return {"type": word}
    found = read_type(kind)
    return None if found is None else found.schema


def _says_all(one: JsonObject, other: JsonObject) -> bool:
    """Return whether a type implies another one; null is an addition."""
    (mine, has_null), (theirs, had_null) = _without_null(one), _without_null(other)
    return has_null >= had_null and _refines(mine, theirs)


def _without_null(schema: JsonObject) -> tuple[JsonObject, bool]:
    """Return a nullable type without null, and whether it was nullable."""
    schema = without(schema, ANNOTATIONS)
    for word, null in (("type", "null"), ("anyOf", {"type": "null"}), ("enum", None)):
        options = schema.get(word)
        if isinstance(options, list) and null in options:
            left = [option for option in options if option != null]
            if len(left) > 1 or word == "enum":
                return {**schema, word: left}, True
            return (left[0] if word == "anyOf" else {**schema, word: left[0]}), True
    return schema, False


def _refines(fine: JsonObject, coarse: JsonObject) -> bool:
    """Return whether one type refines another: ``List[str]`` and ``list``."""
    for word, value in coarse.items():
        found = fine.get(word)
        if word == "type" and found is None and "enum" in fine:
            agrees = all(has_type(one, types_of(coarse)) for one in fine["enum"])
        elif isinstance(found, dict) and isinstance(value, dict):
            agrees = _refines(found, value)
        else:
            agrees = same(found, value)
        if not agrees:
            return False
    return True


def _fold(name: str, told: _Told) -> JsonObject:
    """Return the Python text for it: a map and a signature, or the whole schema instead."""
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
    """Return the signature of a function with these members; None where there can be none."""
    found = members_of(inputs) if inputs else ({}, [])
    if found is None or not all(map(is_name, found[0])):
        return None
    members, required = found
    optional = [name for name in members if name not in set(required)]
    if any(says_needed(members[name]) is (name in optional) for name in members):
        return None  # a signature cannot express this
    shown = [_typed(name, members[name]) for name in required]
    shown += [f"{_typed(name, members[name])} = None" for name in optional]
    return f"({', '.join(shown)})"


def _typed(name: str, member: JsonObject) -> str:
    kind = member.get("type")
    return f"{name}: {kind}" if isinstance(kind, str) and is_name(kind) else name


def write(tool: CanonicalTool, wire: LoweredTool) -> JsonObject:
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
