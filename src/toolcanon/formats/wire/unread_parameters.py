"""Catalogs of tools, and parameters under keys that no reader knows.

A tool without parameters is legal, and so are unknown keys. A tool that lost its parameters is
wrong. The values of left-over keys distinguish the two. A reader reads one of several candidates;
which one the author meant cannot be known. The others are found among the left-over keys, so no
format has to search for them.

A reader builds the schema. A writer splits it again where it has only members and required names;
any other schema is written whole, so nothing is lost. The spelling of a definition is stored where
writing would change it, and restored while it has the tool's meaning.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Iterable, Iterator
from collections.abc import Set as AbstractSet
from typing import Final, Literal, NamedTuple, TypeAlias

from toolcanon.errors import UnreadableTool
from toolcanon.formats.wire.format import ABSENT, AROUND, GUESSES, NOTES, WRITTEN, notes
from toolcanon.formats.wire.text_data import object_in_text
from toolcanon.ir import CanonicalTool, Kind, stated_hints
from toolcanon.jsonio import Pointer
from toolcanon.jsonio.types import Json, JsonObject
from toolcanon.schema.keywords import TYPES
from toolcanon.schema.upgrade.catalogs import required_flags
from toolcanon.schema.upgrade.property_maps import defined_map
from toolcanon.schema.upgrade.type_expressions import read_type
from toolcanon.schema.upgrade.type_words import TYPE_WORDS

PARAMETERS: Final = frozenset(
    "parameters parameter params param arguments argument args arg inputs inputparameters "
    "inputparams inputschema argsschema argumentsschema parametersschema parametersjsonschema "
    "requiredparameters optionalparameters".split()
)
"""Keys with no other meaning than parameters, in small letters and without signs."""
_MAYBE: Final = PARAMETERS | {"input", "schema", "jsonschema", "signature"}
_ABOUT_ELSE: Final = re.compile(
    r"output|result|respon|return|answer|example|sample|error|config|settings|meta"
)
"""Keys whose schema describes something else than arguments."""
_SIGNS: Final = re.compile(r"[^a-z]")
_LEADING_WORD: Final = re.compile(r"\s*([A-Za-z]\w*)")
_TYPED_NAME: Final = re.compile(r"\w\s*:\s*[\"'{\w]")
_SIGNATURE: Final = re.compile(r"\s*[\w.]*\(\s*\*{0,2}\w+\s*:\s*\w")
_UNIONS: Final = frozenset({"$ref", "anyOf", "oneOf", "allOf"})
_TELLING: Final = _UNIONS | {"properties", "enum", "items"}
_SAYS_NOTHING: Final = frozenset("type title description $schema $id $defs definitions".split())
_KEPT: Final = "extras"  # of our own documents, whose parameters are where they belong
_DEEPEST: Final = 3  # a key of a tool in the list of a wrapper

_DEFINING: Final = ("parameters", "input_schema", "inputSchema", "properties", "description")
_CALLS: Final = frozenset(
    "function_call tool_call tool-call custom_tool_call "
    "tool_use server_tool_use mcp_tool_use".split()
)
_ANSWERS: Final = frozenset("tool_result tool-result function_response mcp_tool_result".split())
_ROLES: Final = frozenset("user assistant system developer tool function model".split())
_SAYING: Final = ("content", "parts", "tool_calls")


def is_call(inner: JsonObject) -> bool:
    """Return whether a definition has the arguments of a call in place of a schema.

    Such an object is a call, not a tool.
    """
    if "arguments" not in inner or any(key in inner for key in _DEFINING):
        return False
    sent = inner["arguments"]
    found = object_in_text(sent) if isinstance(sent, str) else sent
    if found is None:
        return isinstance(sent, str) and not sent.strip()
    return isinstance(found, dict) and not holds_parameters(found) and not _is_open(found)


def _is_open(value: JsonObject) -> bool:
    """Return whether it is ``{"type": "object"}``: no parameters, or none that are known."""
    return value.get("type") == "object"


def instead_of_a_tool(definition: JsonObject) -> str:
    """Return what an object with a name is instead of a definition; None for a possible one."""
    kind, role = definition.get("type"), definition.get("role")
    if isinstance(role, str) and role in _ROLES and any(key in definition for key in _SAYING):
        return "a message of a conversation"
    has_id = "call_id" in definition or "id" in definition
    if isinstance(kind, str):
        if kind in _CALLS or (kind.endswith("_call") and has_id):
            return "a call of a tool"
        if kind in _ANSWERS or (kind.endswith("_call_output") and has_id):
            return "the answer to a call"
    inner = definition.get("function")
    if isinstance(inner, dict):
        return "a call of a tool" if is_call(inner) else ""
    sent = definition.get("arguments")
    says_some = bool(sent) or isinstance(sent, str)  # {} by itself may be a tool without any
    return "a call of a tool" if (says_some or has_id) and is_call(definition) else ""


def unread_parameters(tool: CanonicalTool, definition: JsonObject) -> Pointer | None:
    """Return where a definition has what looks like parameters and was not read as such.

    A schema that declares that there are none is contradicted by another schema only.
    """
    speaks = _is_the_schema if tool.__dict__.get("inputs") else speaks_of_parameters
    for key, value in _left_over(tool):
        if speaks(key, value):
            place = _place(value, definition, Pointer(), _DEEPEST)
            if place and place[-1] == key and place[0] != _KEPT:
                return place
    return None


def _left_over(tool: CanonicalTool) -> Iterator[tuple[str, Json]]:
    for own in tool.__dict__.get("extras", {}).values():
        for key, value in (*own.items(), *notes(own).get(AROUND, {}).items()):
            if key != NOTES:
                yield key, value


def takes_nothing(schema: JsonObject) -> bool:
    """Return whether a schema of arguments has no parameters.

    >>> takes_nothing({"type": "object", "properties": {}}), takes_nothing({"$ref": "#/$defs/a"})
    (True, False)
    """
    return all(not value or value is True or key in _SAYS_NOTHING for key, value in schema.items())


def letters_of(key: object) -> str:
    """Return a key in small letters and without signs, as people spell keys in many ways."""
    return _SIGNS.sub("", str(key).lower())


def _is_the_schema(key: str, value: Json) -> bool:
    """Return whether parameters stand under a key that is meant for them."""
    found = object_in_text(value) if isinstance(value, str) else value
    return letters_of(key) in _MAYBE and holds_parameters(found)


def speaks_of_parameters(key: str, value: Json) -> bool:
    """Return whether a member of a definition looks like its parameters."""
    word = letters_of(key)
    if not value or _ABOUT_ELSE.search(word):
        return False
    if isinstance(value, str):
        return _SIGNATURE.match(value) is not None or _speaks_in_text(word, value)
    if holds_parameters(value):
        return True
    if word not in PARAMETERS:
        return False
    if isinstance(value, dict):
        return not _is_open(value)
    return isinstance(value, list)


def _speaks_in_text(word: str, text: str) -> bool:
    found = object_in_text(text)
    if found is not None:
        return speaks_of_parameters(word, found)
    if word in PARAMETERS:
        return bool(text.strip("(){}[] \n"))
    return word in _MAYBE and _TYPED_NAME.search(text) is not None


def holds_parameters(value: Json) -> bool:
    """Return whether it is a schema with members, a map of them, or a list of named parameters."""
    if isinstance(value, list):
        return any(
            isinstance(item, dict) and isinstance(item.get("name"), str) and _is_typed(item)
            for item in value
        )
    if not isinstance(value, dict):
        return False
    members = value.get("properties")
    if isinstance(members, (dict, list)) and members:
        return True
    if any(isinstance(value.get(key), (list, str)) and value[key] for key in _UNIONS):
        return True
    return any(_is_typed(member) for member in value.values())


def _is_typed(member: Json) -> bool:
    if not isinstance(member, dict):
        return False
    kind = member.get("type")
    if isinstance(kind, str):
        word = _LEADING_WORD.match(kind)
        return word is not None and bool(TYPE_WORDS.get(word[1].lower()) or word[1] == "any")
    if isinstance(kind, list):
        return all(isinstance(item, str) and item in TYPES for item in kind)
    schema = member.get("schema")
    return not _TELLING.isdisjoint(member) or (isinstance(schema, dict) and "type" in schema)


def _place(wanted: Json, inside: Json, at: Pointer, deeper: int) -> Pointer | None:
    """Return the place of the same object; readers keep unknown values themselves, not copies.

    What they made, or took from further down in a document, is not a key of a tool.
    """
    if inside is wanted:
        return at
    if deeper and isinstance(inside, (dict, list)):
        members = inside.items() if isinstance(inside, dict) else enumerate(inside)
        for key, value in members:
            found = _place(wanted, value, at / key, deeper - 1)
            if found is not None:
                return found
    return None


Field: TypeAlias = Literal["name", "description", "inputs", "outputs", "hint"]
_RESULTS: Final = frozenset({"outputschema", "returnschema", "resultschema", "responseschema"})
_WRAPPERS: Final = ({"json"}, {"jsonSchema"}, {"schema"})
_TEXTS: Final[tuple[Literal["name", "description"], ...]] = ("name", "description")


class Rival(NamedTuple):
    """A part of a definition that was not read, because another one contradicts it."""

    at: tuple[str, ...]
    """Its place in the canonical tool."""
    field: Field
    """What it is about."""
    value: Json


def rivals(tool: CanonicalTool) -> Iterator[Rival]:
    """Yield the parts that differ from what was read."""
    said = tool.__dict__
    if "extras" not in said or said.get("kind", Kind.FUNCTION) is not Kind.FUNCTION:
        return
    for format_id, own in said["extras"].items():
        at = ("extras", format_id)
        for key, value in own.items():
            if key != NOTES and (field := _schema_field(key, value, said)):
                yield Rival((*at, key), field, value)
        for key, value in notes(own).get(AROUND, {}).items():
            place = (*at, NOTES, AROUND, key)
            if field := _schema_field(key, value, said):
                yield Rival(place, field, value)
            elif key in _TEXTS and isinstance(value, str) and value not in {"", said.get(key)}:
                yield Rival(place, key, value)
            elif value.__class__ is bool and stated_hints(tool).get(key, value) is not value:
                yield Rival(place, "hint", value)


def may_rival(key: str) -> bool:
    """Return whether a leftover key, by its name, may give a schema a second time."""
    letters = letters_of(key)
    return letters in PARAMETERS or letters in _RESULTS


def _schema_field(key: str, value: Json, said: JsonObject) -> Field | None:
    letters = letters_of(key)
    field: Field = "inputs" if letters in PARAMETERS else "outputs"
    if field == "outputs" and letters not in _RESULTS:
        return None
    schema = _schema(value)
    if not isinstance(schema, dict):
        return None
    if schema.get("type") != "object" and not holds_parameters(schema):
        return None
    return field if schema != said.get(field) else None


def _schema(value: Json) -> Json:
    """Return the schema itself, without the wrapper or the text that it may be in."""
    found = object_in_text(value) if isinstance(value, str) else value
    if isinstance(found, dict) and found.keys() in _WRAPPERS:
        (found,) = found.values()
    return found


_PARTS: Final = frozenset({"type", "properties", "required"})


def object_schema(members: JsonObject, required: list[Json] | None = None) -> JsonObject:
    """Return the schema of an object with these members."""
    schema: JsonObject = {"type": "object", "properties": members}
    if required:
        schema["required"] = required
    return schema


def members_of(schema: JsonObject) -> tuple[JsonObject, list[str]] | None:
    """Return members and required names, in order; None for a schema with anything else."""
    members, required = schema.get("properties"), schema.get("required", ())
    if not schema.keys() <= _PARTS or schema.get("type") != "object":
        return None
    if not isinstance(members, dict) or not all(isinstance(one, dict) for one in members.values()):
        return None
    if "required" in schema and not _names_some(required, members):
        return None
    return members, list(required)


def _names_some(required: Json, members: JsonObject) -> bool:
    """Return whether it is a list of members, none of them twice and not empty."""
    return (
        isinstance(required, list)
        and bool(required)
        and all(isinstance(name, str) and name in members for name in required)
        and len(set(required)) == len(required)
    )


def object_at(row: JsonObject, key: str, format_id: str) -> JsonObject:
    """Return the object under a key, also one spelled as text; None where there is none."""
    value = row.get(key)
    found = object_in_text(value) if isinstance(value, str) else value
    if isinstance(found, dict):
        return found
    if value:
        raise UnreadableTool(format_id, f"/{key}", f"{key} must be an object of parameters")
    return {}


def entries_at(row: JsonObject, key: str, format_id: str) -> Iterator[tuple[str, str, JsonObject]]:
    """Yield the parameters of a list: the place, the name, and the other members of each."""
    entries = row.get(key) or []
    if not isinstance(entries, list):
        raise UnreadableTool(format_id, f"/{key}", f"{key} must be a list of parameters")
    for index, entry in enumerate(entries):
        at = f"/{key}/{index}"
        if not isinstance(entry, dict):
            raise UnreadableTool(format_id, at, "a parameter must be an object")
        name = entry.get("name")
        if not isinstance(name, str) or not name:
            reason = "a parameter needs a name that is not empty"
            raise UnreadableTool(format_id, f"{at}/name", reason)
        yield at, name, {word: value for word, value in entry.items() if word != "name"}


def guess(noted: JsonObject, at: str, why: str) -> None:
    """Tell what had to be guessed, and where."""
    noted.setdefault(GUESSES, []).append({"at": at, "why": why})


def without(row: JsonObject, keys: Container[str]) -> JsonObject:
    """Return the rest of a row."""
    return {key: value for key, value in row.items() if key not in keys}


def note_spelling(
    noted: JsonObject, definition: JsonObject, written: JsonObject, keys: Iterable[str]
) -> None:
    """Keep what writing would spell differently."""
    absent = [key for key in keys if key in written and key not in definition]
    spelled = {
        key: definition[key]
        for key in keys
        if key in definition and (key not in written or definition[key] != written[key])
    }
    if absent:
        noted[ABSENT] = absent
    if spelled:
        noted[WRITTEN] = spelled


def respell(
    written: JsonObject, own: JsonObject, still_says: Callable[[JsonObject], bool]
) -> JsonObject:
    """Return the definition's own spelling, unless its meaning has changed since."""
    noted = notes(own)
    absent, spelled = noted.get(ABSENT, ()), noted.get(WRITTEN, {})
    if not absent and not spelled:
        return written
    before = {key: value for key, value in written.items() if key not in absent} | spelled
    return before if still_says(before) else written


def from_map(value: JsonObject, named: AbstractSet[str] = frozenset()) -> JsonObject:
    """Return the schema of a map of members; one that is a schema already stays as it is.

    ``named`` are names of members that are known from elsewhere.

    >>> from_map({"items": {"type": "str"}})
    {'type': 'object', 'properties': {'items': {'type': 'str'}}}
    """
    return defined_map(value, named) or value


def is_map(value: JsonObject) -> bool:
    """Return whether it is a map of members and no schema."""
    return defined_map(value) == object_schema(value)


def says_needed(member: Json) -> bool | None:
    """Return whether a member's own flag makes it required; None without a flag.

    >>> says_needed({"type": "str, optional"}), says_needed({"required": "yes"}), says_needed({})
    (False, True, None)
    """
    member = {"type": member} if isinstance(member, str) else member
    if not isinstance(member, dict):
        return None
    if member.get("required") is not None:
        moved = [after for _, after, _ in required_flags({"properties": {"it": member}}, None)]
        return "required" in moved[0] if moved else None
    kind = member.get("type")
    if not isinstance(kind, str) or kind.lower() in TYPE_WORDS:
        return None
    found = read_type(kind)
    return None if found is None else found.required
