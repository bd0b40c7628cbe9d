"""What older drafts and OpenAPI 3.0 spell differently, one rule each; catalogs are in ``loose``.

A rule looks at one node and yields its rewrites: ``(before, after, step)``, where ``step`` names
the one keyword that changed, or is None when the whole node was rebuilt.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Final, TypeAlias

from toolcanon.jsonio.types import Json, JsonObject
from toolcanon.schema.keywords import (
    ANNOTATIONS,
    LATEST_URI,
    POSITIONS,
    TYPES,
    DraftMeaning,
    Position,
    declares_older,
)
from toolcanon.schema.upgrade.catalogs import (
    HOLDERS,
    Rewrite,
    choices_as_remark,
    choices_guessed,
    choices_in_text,
    has_flags,
    has_texts,
    holds_text,
    listed_items,
    listed_members,
    member_texts,
    open_words,
    required_as_remark,
    required_contradicted,
    required_flags,
    required_in_text,
    schema_texts,
    type_texts,
    type_texts_guessed,
    type_words,
)
from toolcanon.schema.values import without

Rule: TypeAlias = Callable[[JsonObject, DraftMeaning], Iterable[Rewrite]]
Trigger: TypeAlias = Callable[[Json, DraftMeaning], bool]

_RENAMED: Final[dict[str, str]] = {
    "additional_properties": "additionalProperties",
    "any_of": "anyOf",
    "all_of": "allOf",
    "one_of": "oneOf",
    "max_items": "maxItems",
    "max_length": "maxLength",
    "max_properties": "maxProperties",
    "min_items": "minItems",
    "min_length": "minLength",
    "min_properties": "minProperties",
    "property_ordering": "propertyOrdering",
    "divisibleBy": "multipleOf",
    "$recursiveRef": "$dynamicRef",
}

_COUNTS = frozenset(
    {"minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties"}
)
BOUNDS: Final = _COUNTS | {
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "multipleOf",
}
_DOCUMENTS = frozenset({"$schema", "$defs", "definitions"})
_NAME = re.compile(r"#[A-Za-z_][A-Za-z0-9._-]*")
_NUMBER = re.compile(r"-?\d{1,19}(\.\d{1,19})?")

_MAP: Final = Position.SCHEMA_MAP
_UNSAID: Final = frozenset({"$defs", "definitions", "if", "not", "propertyNames"})

LEGACY_KEYWORDS: Final[frozenset[str]] = frozenset(_RENAMED) | {
    "nullable",
    "dependencies",
    "additionalItems",
    "example",
    "$recursiveAnchor",
}


def declared_dialect(node: JsonObject, _draft: DraftMeaning) -> Iterator[Rewrite]:
    if declares_older(node.get("$schema")):
        yield node["$schema"], LATEST_URI, "$schema"


def ref_siblings_read(node: JsonObject, draft: DraftMeaning) -> Iterator[Rewrite]:
    """Keep members beside a reference, which the draft ignores: the author means both."""
    reference = node.get("$ref")
    if draft > DraftMeaning.D7 or not isinstance(reference, str) or not reference.startswith("#"):
        return
    if not _declares(without(node, "$ref")):
        return
    parts = node.get("allOf")
    new = without(node, "$ref", "id", "$id", "allOf", "additionalProperties")
    new["allOf"] = [{"$ref": reference}, *(parts if isinstance(parts, list) else ())]
    if _declares(node.get("additionalProperties")):  # other than those of the reference, too
        new["unevaluatedProperties"] = node["additionalProperties"]
    yield node, new, None


def _declares(schema: Json) -> bool:
    """Return whether a schema declares members, at any depth."""
    if not isinstance(schema, dict):
        return False
    if schema.get("properties") or schema.get("patternProperties") or "$ref" in schema:
        return True
    return any(
        _declares(below)
        for key, value in schema.items()
        if key in POSITIONS and key not in _UNSAID
        for below in _schemas(value, POSITIONS[key])
    )


def _schemas(value: Json, position: Position) -> Iterable[Json]:
    if isinstance(value, list):
        return value
    return value.values() if isinstance(value, dict) and position is _MAP else (value,)


def ref_siblings(node: JsonObject, draft: DraftMeaning) -> Iterator[Rewrite]:
    reference = node.get("$ref")
    if draft > DraftMeaning.D7 or not isinstance(reference, str) or not reference.startswith("#"):
        return  # what points elsewhere cannot be followed, and the rest is all there is
    # Definitions stay: they are not keywords of the reference but a place that others refer to. So
    # do annotations, which authors write there and which change nothing.
    kept = {
        key: value
        for key, value in node.items()
        if key in ANNOTATIONS or key in {"$ref", "$schema", "definitions", "$defs"}
    }
    if len(kept) < len(node):
        yield node, kept, None


def renamed_keywords(node: JsonObject, draft: DraftMeaning) -> Iterator[Rewrite]:
    new: JsonObject = {}
    for key, value in node.items():
        name, inner = _RENAMED.get(key, key), value
        if key == "id" and isinstance(value, str) and (draft <= DraftMeaning.D4 or is_name(value)):
            name = "$id"
        elif key == "$recursiveAnchor" and value is True:
            name, inner = "$dynamicAnchor", "recursion"
        elif key == "$recursiveRef":
            inner = "#recursion"
        elif key == "example" and "examples" not in node:
            name, inner = "examples", [value]
        if name in new or (name != key and name in node):
            name, inner = key, value  # both spellings present: neither is touched
        new[name] = inner
    new = _without_fragment(new)
    if new.keys() != node.keys() or new.get("$id") != node.get("$id"):
        yield node, new, None


def is_name(identifier: Json, _draft: DraftMeaning | None = None) -> bool:
    """Return whether an identifier is a name within the document, as drafts up to 07 have it."""
    return identifier.__class__ is str and _NAME.fullmatch(identifier) is not None


def has_fragment(identifier: Json, _draft: DraftMeaning | None = None) -> bool:
    """Return whether an identifier has more than an address; in 2020-12 only anchors have."""
    return identifier.__class__ is str and "#" in identifier[:-1]


def _without_fragment(node: JsonObject) -> JsonObject:
    """Return the node with a name as its anchor; a pointer is left out, as the place is known.

    The address before a name is the document's own, unless the schema looks like a document.
    """
    identifier = node.get("$id")
    if not has_fragment(identifier):
        return node
    address, _, fragment = str(identifier).partition("#")
    new: JsonObject = {}
    for key, value in node.items():
        if key != "$id":
            new[key] = value
        elif is_name(f"#{fragment}"):
            new |= {"$id": address} if address and not _DOCUMENTS.isdisjoint(node) else {}
            new.setdefault("$anchor", fragment)
    return new


def nullable(node: JsonObject, _draft: DraftMeaning) -> Iterator[Rewrite]:
    if not isinstance(node.get("nullable"), bool):
        return
    new = without(node, "nullable")
    if node["nullable"]:
        kind = new.get("type")
        if isinstance(kind, str) and kind != "null":
            new["type"] = [kind, "null"]
        elif isinstance(kind, list) and "null" not in kind:
            new["type"] = [*kind, "null"]
        for union in ("anyOf", "oneOf"):
            branches = new.get(union)
            if isinstance(branches, list) and {"type": "null"} not in branches:
                new[union] = [*branches, {"type": "null"}]
        if "$ref" in new and "type" not in new:
            new = {"anyOf": [new, {"type": "null"}]}
        values = new.get("enum")
        if isinstance(values, list) and None not in values:
            new["enum"] = [*values, None]
    yield node, new, None


def exclusive_bounds(node: JsonObject, _draft: DraftMeaning) -> Iterator[Rewrite]:
    new = node
    for limit, flag in (("minimum", "exclusiveMinimum"), ("maximum", "exclusiveMaximum")):
        if not isinstance(node.get(flag), bool):
            continue
        new = without(new, flag)
        if node[flag] and limit in new:
            new[flag] = new.pop(limit)
    if new is not node:
        yield node, new, None


def tuple_items(node: JsonObject, _draft: DraftMeaning) -> Iterator[Rewrite]:
    items = node.get("items")
    if isinstance(items, list) and "prefixItems" not in node:
        new: JsonObject = {}
        for key, value in node.items():
            if key == "items":
                new["prefixItems"] = value
            elif key == "additionalItems":
                new["items"] = value
            else:
                new[key] = value
        yield node, new, None
    elif "additionalItems" in node and not isinstance(items, list):
        # Without positional items the keyword never meant anything.
        yield node, without(node, "additionalItems"), None


def dependencies(node: JsonObject, _draft: DraftMeaning) -> Iterator[Rewrite]:
    table = node.get("dependencies")
    if not isinstance(table, dict) or not all(
        isinstance(v, (list, dict, bool, str)) for v in table.values()
    ):
        return
    new = without(node, "dependencies")
    names = {
        k: [v] if isinstance(v, str) else v for k, v in table.items() if isinstance(v, (list, str))
    }
    schemas = {k: v for k, v in table.items() if isinstance(v, (dict, bool))}
    for key, found in (("dependentRequired", names), ("dependentSchemas", schemas)):
        present = new.get(key, {})
        if not isinstance(present, dict):
            return  # malformed beyond our business
        if found:
            new[key] = {**found, **present}
    yield node, new, None


def numbers_in_text(node: JsonObject, _draft: DraftMeaning) -> Iterator[Rewrite]:
    for key in sorted(BOUNDS.intersection(node)):
        value = node[key]
        if isinstance(value, str) and _NUMBER.fullmatch(value):
            if "." not in value:
                yield value, int(value), key
            elif key not in _COUNTS:
                yield value, float(value), key


def _always(_value: Json, _draft: DraftMeaning) -> bool:
    return True


def _odd_type(value: Json, _draft: DraftMeaning) -> bool:
    return value.__class__ is not str or value not in TYPES


def _of(*kinds: type) -> Trigger:
    """Return the trigger of values of some types."""
    return lambda value, _: value.__class__ in kinds


_is_text, _is_list, _is_text_or_map = _of(str), _of(list), _of(str, dict)


def _may_have_flags(value: Json, draft: DraftMeaning) -> bool:
    return has_flags(value) or has_texts(value) or _is_list(value, draft)


RULES: Final[tuple[tuple[str, Rule, Mapping[str, Trigger]], ...]] = (
    ("L116", ref_siblings_read, {"$ref": lambda _, draft: draft <= DraftMeaning.D7}),
    ("L106", ref_siblings, {"$ref": lambda _, draft: draft <= DraftMeaning.D7}),
    (
        "L107",
        renamed_keywords,
        dict.fromkeys((*_RENAMED, "example", "$recursiveAnchor"), _always)
        | {
            "id": lambda value, draft: draft <= DraftMeaning.D4 or is_name(value),
            "$id": has_fragment,
        },
    ),
    ("L116", open_words, {"type": _odd_type}),
    ("L101", type_words, {"type": _odd_type}),
    ("L116", type_texts_guessed, {"type": _odd_type}),
    ("L111", type_texts, {"type": _odd_type}),
    ("L114", choices_in_text, {"enum": _is_text}),
    ("L116", choices_guessed, {"enum": _is_text}),
    ("L119", choices_as_remark, {"enum": _is_text}),
    ("L116", listed_items, {"items": _is_list}),
    (
        "L117",
        schema_texts,
        dict.fromkeys(sorted(HOLDERS), lambda value, _: holds_text(value))
        | dict.fromkeys(_RENAMED, _always),
    ),
    ("L102", nullable, {"nullable": _always}),
    (
        "L104",
        exclusive_bounds,
        dict.fromkeys(("exclusiveMinimum", "exclusiveMaximum"), _of(bool)),
    ),
    (
        "L103",
        tuple_items,
        {"items": _is_list, "additionalItems": _always},
    ),
    ("L105", dependencies, {"dependencies": _always}),
    ("L115", listed_members, {"properties": _is_list}),
    ("L113", member_texts, {"properties": lambda value, _: has_texts(value)}),
    ("L116", required_contradicted, {"properties": _may_have_flags}),
    ("L118", required_in_text, {"required": _is_text_or_map}),
    ("L119", required_as_remark, {"required": _is_text_or_map}),
    ("L108", required_flags, {"properties": _may_have_flags}),
    (
        "L109",
        numbers_in_text,
        dict.fromkeys(BOUNDS, _of(str)) | dict.fromkeys(_RENAMED, _always),
    ),
    ("L110", declared_dialect, {"$schema": declares_older}),
)
"""In the order in which they apply, each with the keywords that call for it and when: names before
values, values before structure."""

_TRIGGERS: Final[dict[str, tuple[tuple[int, Trigger], ...]]] = {
    key: tuple((1 << i, keys[key]) for i, (_, _, keys) in enumerate(RULES) if key in keys)
    for key in sorted(frozenset().union(*(keys for _, _, keys in RULES)))
}
_BY_MASK: dict[int, tuple[tuple[str, Rule], ...]] = {}


def triggered(node: JsonObject, draft: DraftMeaning) -> tuple[tuple[str, Rule], ...]:
    """Return the rules that a node's keywords call for, in order."""
    mask = 0
    for key, value in node.items():
        if key in _TRIGGERS:
            for bit, trigger in _TRIGGERS[key]:
                if trigger(value, draft):
                    mask |= bit
    rules = _BY_MASK.get(mask)
    if rules is None:
        rules = tuple((code, rule) for i, (code, rule, _) in enumerate(RULES) if mask >> i & 1)
        _BY_MASK[mask] = rules
    return rules
