"""Schemas that are only the map of their members: ``{"city": {"type": "string"}}``.

Read literally they are empty: every member is an unknown keyword. Catalogs mean an object with
these members, and some write ``"type": "object"`` beside them. They are recognized by their
members, and only as a whole schema, never inside one. Other keywords do not prevent it; null means
absent, since tables have a column for every key of any row. Fields that hold such a map by
definition are the opposite case: there only a keyword makes the value a schema.
"""

from __future__ import annotations

import re
from collections.abc import Set as AbstractSet
from typing import Final

from toolcanon.jsonio.types import Json, JsonObject
from toolcanon.schema.keywords import ANNOTATIONS, APPLIES, PLAIN, POSITIONS, TYPES
from toolcanon.schema.upgrade.drafts import LEGACY_KEYWORDS
from toolcanon.schema.upgrade.type_expressions import read_type
from toolcanon.schema.upgrade.type_words import TYPE_WORDS

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
"""Keywords that no catalog uses as the name of a parameter."""
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
_VALUES: Final = frozenset({"default", "const", "enum", "example", "examples"})
"""Keywords that may have any text for a value, the name of a type among them."""
_REMARKS: Final = ANNOTATIONS | _VALUES
_NEVER_TYPES: Final = frozenset({"id", "format"})
"""Keywords that never have the name of a type; some catalogs write ``items`` like that."""
_NOTHING_BUT_A_TYPE: Final = re.compile(
    r"(?:str|string|int|integer|float|number|bool|boolean|list|array|dict|object)\b"
    r"|(?:list|dict|set|tuple|optional|union|literal)\[",
    re.IGNORECASE,
)
"""Beginnings of texts that are neither title nor description; *path* and *date* may be either."""
_SAID: Final = (dict, str, type(None))
"""What members are as a rule."""
_SENTENCE: Final = re.compile(r"[A-Z][a-z]+[,:]?\s")


def property_map(schema: JsonObject) -> JsonObject | None:
    """Return the object schema that a bare map of members stands for; None for anything else.

    >>> property_map({"city": {"type": "string"}, "required": ["city"]})
    {'type': 'object', 'required': ['city'], 'properties': {'city': {'type': 'string'}}}
    >>> property_map({"properties": {"city": {"type": "string"}}})
    """
    kind, stated = schema.get("type"), schema.get("properties")
    is_said = isinstance(kind, (str, list))
    if is_said:
        if not _is_object(kind):
            return _typed_texts(schema)
        if stated:
            return None
    elif stated and not _is_member(stated):
        return None
    if not schema or isinstance(schema.get("$ref"), str) or not _may_hold_members(schema):
        return None
    return _wrapped(schema, is_said=is_said)


def _may_hold_members(schema: JsonObject) -> bool:
    """Return whether there is more than keywords without schemas, so that members are possible."""
    for key, value in schema.items():
        if key not in _KEYWORDS:
            if value is not None:
                return True
        elif value.__class__ is str:
            if key != "type" and _NOTHING_BUT_A_TYPE.match(value):
                return True
        elif value and value.__class__ is dict:
            return True
    return False


def _typed_texts(schema: JsonObject) -> JsonObject | None:
    """Return the members of a map of texts that are all types, one of them called ``type``.

    None for what keywords alone can express: that is a schema of a value, not of an object.
    """
    if schema.get("properties"):
        return None
    members = {key: value for key, value in schema.items() if isinstance(value, str) and value}
    rest = {key: schema[key] for key in schema if key not in members and schema[key] is not None}
    if not all(value == "" or key == "required" for key, value in rest.items()):
        return None
    tells = any(_is_telling(key) and _NOTHING_BUT_A_TYPE.match(members[key]) for key in members)
    if not tells or not all(_names_type(key, value) for key, value in members.items()):
        return None
    return {**rest, "type": "object", "properties": members}


def _names_type(key: str, text: str) -> bool:
    """Return whether a text under a keyword's name is a type of a member; titles have capitals."""
    if not _may_be_called(key) or not text.strip():
        return False
    if key in _REMARKS and _SENTENCE.match(text):
        return False
    if key in _REMARKS and not _NOTHING_BUT_A_TYPE.match(text):
        return TYPE_WORDS.get(text.strip().lower()) not in {None, "null"} and not text.istitle()
    return _is_type(text)


def _is_telling(key: str) -> bool:
    """Return whether a text with a type makes a member, even beside the type of a schema.

    Code generators leave annotations such as ``goType``.
    """
    return key in _NEVER_TYPES or not (
        key in _KEYWORDS or _is_extension(key) or str(key)[-4:].lower() == "type"
    )


def _is_of_texts(schema: JsonObject) -> bool:
    """Return whether there are only texts, one of them a type under a key that is not a keyword."""
    return all(
        value is None or isinstance(value, str) or key == "required"
        for key, value in schema.items()
    ) and any(
        key not in _KEYWORDS and isinstance(value, str) and _is_type(value)
        for key, value in schema.items()
    )


def _wrapped(schema: JsonObject, *, is_said: bool) -> JsonObject | None:
    """Return the members of a possible map; ``is_said``: it declares itself an object."""
    needed = _names(schema.get("required"))
    members: JsonObject = {}
    rest: JsonObject = {}
    is_certain = False
    is_of_texts = not is_said and _is_of_texts(schema)
    for key, value in schema.items():
        is_needed = key in needed
        if value is None:
            if is_needed:
                members[key] = {}
        elif _names_member(key, value, is_said=is_said) or (
            is_of_texts and key not in _BESIDE and key not in _VALUES and _may_be_called(key)
        ):
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
    """Return the keys of the root that references lead to, so that their values must stay there."""
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


def defined_map(value: JsonObject, named: AbstractSet[str] = frozenset()) -> JsonObject | None:
    """Return the members of a field that is a map by definition; None for a schema.

    Every value there is a member then, even if it is not a schema. ``named`` are names of members
    that are known from elsewhere.

    >>> defined_map({"title": "the title", "days": ["int"]})
    {'type': 'object', 'properties': {'title': 'the title', 'days': ['int']}}
    >>> defined_map({"type": "object", "description": "a string"})
    """
    if named >= value.keys() or all(
        one.__class__ is dict and key not in _KEYWORDS for key, one in value.items()
    ):
        return {"type": "object", "properties": value}
    if any(_is_used(key, one) for key, one in value.items()) and _typed_texts(value) is None:
        found = property_map(value)
        return found if found == {"type": "object", "properties": value} else None
    members: JsonObject = {}
    rest: JsonObject = {}
    for key, member in value.items():
        is_known = key in named or not _is_beside(key, member, value)
        (members if is_known else rest)[key] = member
    if members.keys() <= _KEYWORDS and not all(map(_is_sure, members, members.values())):
        return None
    if not any(key in named or isinstance(one, _SAID) for key, one in members.items()):
        return None  # nothing suggests members
    return {"type": "object", **rest, "properties": members} if members else None


def _is_sure(key: str, member: Json) -> bool:
    """Return whether a key with the name of a keyword is a member nevertheless."""
    if isinstance(member, str):
        return _names_type(key, member)
    return isinstance(member, dict) and _says_what(member)


def _is_used(key: str, value: Json) -> bool:
    """Return whether it can be nothing but a keyword of a schema, and one that shapes it."""
    if key not in _KEYWORDS or key == "required":
        return False
    if key in _ONLY_IN_SCHEMAS:
        return not isinstance(value, bool)
    if isinstance(value, dict):
        return not _says_what(value)
    if isinstance(value, list):
        if key == "type":
            return _is_type(value)
        return key not in POSITIONS or all(isinstance(one, (dict, bool)) for one in value)
    return isinstance(value, str) and (key == "$ref" or (key == "type" and _is_type(value)))


def _is_beside(key: str, value: Json, whole: JsonObject) -> bool:
    """Return whether a key belongs to the whole map: a list of names, a flag, an annotation."""
    if key == "required":
        return isinstance(value, list)
    if key in _ONLY_IN_SCHEMAS:
        return True
    if _is_extension(key):
        return not (isinstance(value, dict) or (isinstance(value, str) and _is_type(value)))
    if key not in ANNOTATIONS or not isinstance(value, str) or _names_type(key, value):
        return False
    others = [other for name, other in whole.items() if name not in _KEYWORDS]
    return any(isinstance(one, dict) or (isinstance(one, str) and _is_type(one)) for one in others)


def _is_object(kind: Json) -> bool:
    if isinstance(kind, list):
        return any(isinstance(word, str) and _is_object(word) for word in kind)
    return kind == "object" or TYPE_WORDS.get(kind.strip().lower()) == "object"


def _names(required: Json) -> frozenset[str]:
    """Return the names in a list of them."""
    if not isinstance(required, list):
        return frozenset()
    return frozenset(name for name in required if isinstance(name, str))


def _may_be_called(key: str) -> bool:
    """Return whether a parameter may have this name."""
    return key not in _ONLY_IN_SCHEMAS and not _is_extension(key)


def _names_member(key: str, value: Json, *, is_said: bool) -> bool:
    """Return whether it is a member, if any of them is."""
    if isinstance(value, str) and key in _KEYWORDS:
        return key != "type" and _names_type(key, value)
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
    """Return whether a member can be nothing else, so that its neighbours are members, too."""
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
    """Return whether there is nothing but members: ``{"city": "string", "days": "int"}``."""
    keywords = _KEYWORDS.intersection(members)
    if not all(isinstance(members[key], str) for key in keywords):
        return False
    is_bare = rest.keys() <= {"required"}
    if all(key in keywords or _is_extension(key) for key in members):
        return is_bare and _are_types(members, keywords)
    if is_bare:
        return True
    # One such text beside a type may be an annotation of a code generator.
    is_enough = not is_said or len(members) - len(keywords) > 1
    if not is_enough and not (len(members) > 1 and any(map(_is_telling, members))):
        return False
    return not any(
        key in _KEYWORDS
        and key not in _BESIDE
        and not (_is_extension(key) and isinstance(value, str))
        for key, value in rest.items()
    ) and all(isinstance(value, str) and _is_type(value) for value in members.values())


def _are_types(members: JsonObject, keywords: frozenset[str]) -> bool:
    """Return whether texts under names of keywords, and no others, are types beyond doubt."""
    return bool(keywords - _VALUES) and all(
        _NOTHING_BUT_A_TYPE.match(members[key]) and not members[key].istitle() for key in keywords
    )


def _is_extension(key: str) -> bool:
    """Return whether it has the name of a vendor's keyword; headers and filters have such names."""
    return str(key)[:2] == "x-" or str(key)[:1] == "$"


def _is_schema(value: Json) -> bool:
    """Return whether a value can only be a schema."""
    if not isinstance(value, dict) or _SAYING.isdisjoint(value):
        return False
    kind, description = value.get("type"), value.get("description")
    return (
        (kind is None or isinstance(kind, (str, list)))
        and (description is None or isinstance(description, str))
        and any(value.get(key) is not None for key in _SAYING)
    )


def _says_what(value: JsonObject) -> bool:
    """Return whether it has a text about what it is, which no map of schemas has."""
    return _is_schema(value) and isinstance(value.get("type") or value.get("description"), str)


def _is_member(value: Json) -> bool:
    """Return whether it is a schema among other values: its type must be a known one."""
    return (
        _is_schema(value)
        and _KEYWORDS.issuperset(value)
        and isinstance(value.get("type"), str)
        and _is_type(value["type"])
    )


def _is_type(kind: Json) -> bool:
    """Return whether a text, or a list of them, has a known type."""
    if isinstance(kind, list):
        return bool(kind) and all(isinstance(word, str) and _is_type(word) for word in kind)
    return isinstance(kind, str) and (
        kind in TYPES or kind.strip().lower() in TYPE_WORDS or read_type(kind) is not None
    )
