"""Schemas that are only the map of their members: ``{"city": {"type": "string"}}``.

Read by the letter they are empty: every member is a keyword nobody knows. Catalogs mean an object
with these members, and some write ``"type": "object"`` beside them. It is told by what stands
there, and only of a whole schema, never inside one. What else stands there is a keyword and vetoes
nothing; null says nothing, since tables have a column for whatever any row has.
"""

from __future__ import annotations

from typing import Final

from toolcanon.jsonio.types import Json, JsonObject
from toolcanon.schema.keywords import ANNOTATIONS, APPLIES, PLAIN, POSITIONS, TYPES
from toolcanon.schema.legacy import LEGACY_KEYWORDS
from toolcanon.schema.type_texts import read_type
from toolcanon.schema.type_words import TYPE_WORDS

_NEVER_OBJECTS: Final = frozenset(
    "type title description format pattern enum required examples deprecated readOnly writeOnly "
    "minLength maxLength minItems maxItems minimum maximum exclusiveMinimum exclusiveMaximum "
    "multipleOf uniqueItems minProperties maxProperties nullable id anyOf oneOf allOf prefixItems "
    "$schema $id $ref $comment $anchor $dynamicRef $dynamicAnchor $recursiveRef".split()
)
"""Keywords that no schema can be the value of, so that it is a member's."""
_ONLY_IN_SCHEMAS: Final = frozenset(
    "additionalProperties additional_properties additionalItems patternProperties propertyNames "
    "unevaluatedItems unevaluatedProperties dependentSchemas dependentRequired contentSchema "
    "externalDocs $defs $vocabulary".split()
)
"""Keywords after which nobody calls a parameter."""
_KEYWORDS: Final = frozenset(
    {*POSITIONS, *APPLIES, *PLAIN, *ANNOTATIONS, *LEGACY_KEYWORDS, *_NEVER_OBJECTS}
    | {*_ONLY_IN_SCHEMAS, "xml", "discriminator", "extends", "disallow"}
)
_SAYING: Final = frozenset(
    {"type", "description", "enum", "anyOf", "oneOf", "allOf", "$ref", "properties", "items"}
)
"""Keywords by which one knows a schema."""
_SHAPING: Final = _SAYING - {"description"}
_BESIDE: Final = ANNOTATIONS | {"type", "required"}
"""What may stand beside members that are texts."""


def property_map(schema: JsonObject) -> JsonObject | None:
    """The object schema that a bare map of members stands for; None for anything else.

    >>> property_map({"city": {"type": "string"}, "required": ["city"]})
    {'type': 'object', 'required': ['city'], 'properties': {'city': {'type': 'string'}}}
    >>> property_map({"properties": {"city": {"type": "string"}}})
    """
    kind, stated = schema.get("type"), schema.get("properties")
    is_said = isinstance(kind, (str, list))
    if is_said:
        if stated or not _is_object(kind):
            return None
    elif stated and not _is_member(stated):
        return None
    if not schema or isinstance(schema.get("$ref"), str) or not _may_hold_members(schema):
        return None
    return _wrapped(schema, is_said=is_said)


def _may_hold_members(schema: JsonObject) -> bool:
    """Whether there is more than keywords without schemas, as a tool without parameters has."""
    for key, value in schema.items():
        if (value and value.__class__ is dict) if key in _KEYWORDS else value is not None:
            return True
    return False


def _wrapped(schema: JsonObject, *, is_said: bool) -> JsonObject | None:
    """The same of what may be one; ``is_said`` tells that it calls itself an object."""
    needed = _names(schema.get("required"))
    members: JsonObject = {}
    rest: JsonObject = {}
    is_certain = False
    for key, value in schema.items():
        is_needed = key in needed
        if value is None:
            if is_needed:
                members[key] = {}
        elif _names_member(key, value, is_said=is_said):
            members[key] = value
            is_certain = is_certain or is_needed or _tells(key, value, is_said=is_said)
        elif key != "properties" or value:
            rest[key] = value
    if not members or not (is_certain or _is_alone(members, rest, is_said=is_said)):
        return None
    shared = {key: members[key] for key in _led_to(schema) if key in members}
    if shared and not POSITIONS.keys().isdisjoint(rest):  # what others use, and no members
        unshared = {key: value for key, value in schema.items() if key not in shared}
        found = _wrapped(unshared, is_said=is_said)
        return found and {**found, **shared}
    return {"type": "object", **rest, **shared, "properties": members}


def _led_to(schema: JsonObject) -> dict[str, None]:
    """The keys of the root that references lead to, so that their values must stay there."""
    found: dict[str, None] = {}
    waiting: list[Json] = [schema]
    seen: set[int] = set()  # Python objects may share parts, and hold themselves
    while waiting:
        node = waiting.pop()
        if not isinstance(node, (dict, list)) or id(node) in seen:
            continue
        seen.add(id(node))
        if isinstance(node, dict):
            ref = node.get("$ref")
            if isinstance(ref, str) and ref[:2] == "#/":
                step = ref[2:].partition("/")[0]
                found[step.replace("~1", "/").replace("~0", "~")] = None
            waiting += node.values()
        else:
            waiting += node
    return found


def holds_members(value: JsonObject) -> bool:
    """Whether a field that is a map by definition is one: every entry can be a member."""
    return all(
        isinstance(member, dict)
        and (key not in _KEYWORDS or (key not in _ONLY_IN_SCHEMAS and _says_what(member)))
        for key, member in value.items()
    )


def _is_object(kind: Json) -> bool:
    if isinstance(kind, list):
        return any(isinstance(word, str) and _is_object(word) for word in kind)
    return kind == "object" or TYPE_WORDS.get(kind.strip().lower()) == "object"


def _names(required: Json) -> frozenset[str]:
    """The names in a list of them."""
    if not isinstance(required, list):
        return frozenset()
    return frozenset(name for name in required if isinstance(name, str))


def _names_member(key: str, value: Json, *, is_said: bool) -> bool:
    """Whether it is a member, if any of them is."""
    if key in _NEVER_OBJECTS:
        return _is_schema(value)
    if key in _KEYWORDS:
        return key not in _ONLY_IN_SCHEMAS and _is_member(value)
    if isinstance(value, dict):
        return not _is_extension(key) or _is_schema(value)
    if not isinstance(value, str):
        return False
    return not (is_said or _is_extension(key)) or _is_type(value)


def _tells(key: str, value: Json, *, is_said: bool) -> bool:
    """Whether a member can be nothing else, so that its neighbours are members, too."""
    if not _is_schema(value):
        return False
    if key in _NEVER_OBJECTS or (key == "properties" and not is_said):
        return True
    if key in _KEYWORDS:  # a schema below does not say whether it is required
        found = None if value["type"] in TYPES else read_type(value["type"])
        return found is not None and found.required is not None
    if _is_extension(key):
        return not is_said and "description" in value and _is_member(value)
    if not is_said or ("description" in value and _KEYWORDS.issuperset(value)):
        return True
    return not _SHAPING.isdisjoint(value) and _is_type(value.get("type") or "any")


def _is_alone(members: JsonObject, rest: JsonObject, *, is_said: bool) -> bool:
    """Whether there is nothing but members: ``{"city": "string", "days": "int"}``."""
    if not _KEYWORDS.isdisjoint(members) or all(map(_is_extension, members)):
        return False
    if rest.keys() <= {"required"}:
        return True
    # One such text beside a type may be a remark for a generator of code.
    return (
        len(members) > is_said
        and not any(key in _KEYWORDS and key not in _BESIDE for key in rest)
        and all(isinstance(value, str) and _is_type(value) for value in members.values())
    )


def _is_extension(key: str) -> bool:
    """Whether it is a name as keywords of vendors have it; headers and filters do as well."""
    return str(key)[:2] == "x-" or str(key)[:1] == "$"


def _is_schema(value: Json) -> bool:
    """Whether a value can only be a schema."""
    if not isinstance(value, dict) or _SAYING.isdisjoint(value):
        return False
    kind, description = value.get("type"), value.get("description")
    return (
        (kind is None or isinstance(kind, (str, list)))
        and (description is None or isinstance(description, str))
        and any(value.get(key) is not None for key in _SAYING)
    )


def _says_what(value: JsonObject) -> bool:
    """Whether it says as text what it is, which no map of schemas does."""
    return _is_schema(value) and isinstance(value.get("type") or value.get("description"), str)


def _is_member(value: Json) -> bool:
    """Whether it is a schema where others may stand as well: it must name a type that is known."""
    return (
        _is_schema(value)
        and _KEYWORDS.issuperset(value)
        and isinstance(value.get("type"), str)
        and _is_type(value["type"])
    )


def _is_type(kind: Json) -> bool:
    """Whether a text, or a list of them, says a type that we know."""
    if isinstance(kind, list):
        return bool(kind) and all(isinstance(word, str) and _is_type(word) for word in kind)
    return isinstance(kind, str) and (
        kind in TYPES or kind.strip().lower() in TYPE_WORDS or read_type(kind) is not None
    )
