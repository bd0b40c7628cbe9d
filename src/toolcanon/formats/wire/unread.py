"""What a reader did not take: parameters under a key that is not the format's, or no tool at all.

A tool without parameters is legal, and so are keys that nobody knows. A tool that lost its
parameters is a lie. So the two are told apart by what stands under the keys left over.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from toolcanon.formats.wire.extras import AROUND, NOTES, notes
from toolcanon.formats.wire.texts import object_in_text
from toolcanon.ir import CanonicalTool
from toolcanon.jsonio import Pointer
from toolcanon.jsonio.types import Json, JsonObject
from toolcanon.schema.keywords import TYPES
from toolcanon.schema.type_words import TYPE_WORDS

PARAMETERS: Final = frozenset(
    "parameters parameter params param arguments argument args arg inputs inputparameters "
    "inputparams inputschema argsschema argumentsschema parametersschema parametersjsonschema "
    "requiredparameters optionalparameters".split()
)
"""Keys that speak of nothing but parameters, in small letters and without signs."""
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
    """Whether a name comes with the arguments of a call where a definition has its schema.

    Nobody describes a tool when calling it.
    """
    if "arguments" not in inner or any(key in inner for key in _DEFINING):
        return False
    sent = inner["arguments"]
    found = object_in_text(sent) if isinstance(sent, str) else sent
    if found is None:
        return isinstance(sent, str) and not sent.strip()
    return isinstance(found, dict) and not holds_parameters(found) and not _is_open(found)


def _is_open(value: JsonObject) -> bool:
    """``{"type": "object"}`` says that there are no parameters, or none that are known."""
    return value.get("type") == "object"


def instead_of_a_tool(definition: JsonObject) -> str:
    """What it is that has a name and is no definition; nothing for what may be one."""
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
    """Where a definition keeps what looks like parameters and was not read as such.

    A schema that says by itself that there are none is refuted by another one alone.
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
    """Whether a schema of arguments speaks of none at all.

    >>> takes_nothing({"type": "object", "properties": {}}), takes_nothing({"$ref": "#/$defs/a"})
    (True, False)
    """
    return all(not value or value is True or key in _SAYS_NOTHING for key, value in schema.items())


def letters_of(key: object) -> str:
    """A key in small letters and without signs, as people spell keys in many ways."""
    return _SIGNS.sub("", str(key).lower())


def _is_the_schema(key: str, value: Json) -> bool:
    """Whether parameters stand under a key that is meant for them."""
    found = object_in_text(value) if isinstance(value, str) else value
    return letters_of(key) in _MAYBE and holds_parameters(found)


def speaks_of_parameters(key: str, value: Json) -> bool:
    """Whether a member of a definition looks like its parameters."""
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
    """Whether it is a schema with members, a map of them, or a list of parameters by name."""
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
    """Where the very same value stands; readers hand on what they do not know as it is.

    What they made themselves, or took from further down in a document, is no key of a tool.
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
