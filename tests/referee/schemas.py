"""Is this schema one that the dialect accepts?"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import jsonschema_rs

from tests.referee import facts
from tests.referee.facts import COLUMNS, Column
from tests.referee.faults import Fault
from tests.referee.limits import schema_limits
from tests.referee.patterns import features
from tests.referee.walk import (
    MISSING,
    REMOTE,
    Place,
    References,
    cycle,
    is_object,
    is_text,
    token,
    type_names,
    walk,
)

Faults = Iterator[Fault]


def judge_schema(schema: Any, dialect: str) -> list[Fault]:
    """What is wrong with the schema of a tool's parameters; nothing, if it is accepted."""
    return list(schema_faults(schema, COLUMNS[dialect]))


def schema_faults(schema: Any, column: Column, *, of_parameters: bool = True) -> Faults:
    """The faults of one schema, which describes parameters or an output."""
    if not isinstance(schema, (dict, bool)):
        yield Fault("", "malformed", "a schema is an object")
    elif column.declares:
        yield from _document(schema, column)
    elif not column.anything_goes:
        if of_parameters:
            yield from _root(schema, column)
        yield from _nodes(schema, column)
        yield from _recursion(schema, column)
        yield from schema_limits(schema, column)


def _document(schema: Any, column: Column) -> Faults:
    """A document of its draft by its meta-schema, and without a later keyword."""
    if isinstance(schema, dict):
        try:
            jsonschema_rs.meta.validate({**schema, "$schema": column.declares})
        except jsonschema_rs.ValidationError as error:
            yield Fault("".join(map(token, map(str, error.instance_path))), "malformed", str(error))
    for place in walk(schema):
        if not isinstance(place.node, dict):
            continue
        yield from _keywords(place, column)
        siblings = place.node.keys() - {"$ref", "$schema", "$comment", "definitions"}
        if column.ref_siblings == "none" and "$ref" in place.node and siblings:
            says = f"{', '.join(sorted(siblings))} beside $ref goes unread"
            yield Fault(place.at + "/$ref", "ref-siblings", says)


def _nodes(schema: Any, column: Column) -> Faults:
    spellings = facts.OPENAPI_SPELLINGS if column.known else None
    for place in walk(schema, spellings):
        if isinstance(place.node, bool):
            yield from _boolean(place, column)
        elif not isinstance(place.node, dict):
            yield Fault(place.at, "malformed", "a schema is an object or a boolean")
        else:
            for rule in _RULES:
                yield from rule(place, column)
    # The dialect without references has refused the keyword already.
    if not column.known:
        yield from _references(schema, column)
    if column.vendor == "mcp" and column.version >= "2026-07-28":
        yield from _headers(schema)


def _root(schema: Any, column: Column) -> Faults:
    if column.root == "describes-object":
        fits = _describes_object(schema, References(schema), frozenset())
    else:
        named = schema.get("type") if isinstance(schema, dict) else None
        if column.any_case_types and is_text(named):
            named = named.lower()
        fits = named == "object"
    if not fits:
        yield Fault("", "root-type", "the root is an object")
    if isinstance(schema, dict):
        for keyword in schema:
            if keyword in column.refused_at_root:
                yield Fault(token(keyword), "root-keyword", f"no {keyword} at the root")


def _describes_object(schema: Any, references: References, seen: frozenset[int]) -> bool:
    if not isinstance(schema, dict) or id(schema) in seen:
        return False
    if "type" in schema:
        return bool(schema["type"] == "object")
    if is_text(reference := schema.get("$ref")):
        target = references.target(reference)
        return _describes_object(target, references, seen | {id(schema)})
    for union in ("anyOf", "oneOf"):
        if isinstance(branches := schema.get(union), list) and branches:
            return all(_describes_object(item, references, seen) for item in branches)
    return "properties" in schema


def _boolean(place: Place, column: Column) -> Faults:
    as_member = place.via == "properties" and place.at.count("/") == 2
    if column.booleans == "none" or (column.booleans == "not-as-member" and as_member):
        yield Fault(place.at, "boolean-schema", "a boolean is no schema here")


def _malformed(place: Place, column: Column) -> Faults:
    for keyword, value in place.node.items():
        if value is None and place.is_root and keyword in column.may_be_null:
            continue
        fine = keyword not in _SHAPES or _SHAPES[keyword](value)
        if keyword == "type" and fine:
            fine = _is_type(value, column)
        if not fine:
            yield Fault(place.at + token(keyword), "malformed", f"{keyword} is no such thing")


def _is_map(value: Any) -> bool:
    return isinstance(value, dict)


def _is_list(value: Any) -> bool:
    return isinstance(value, list)


def _is_union(value: Any) -> bool:
    return isinstance(value, list) and bool(value)


def _is_name_list(value: Any) -> bool:
    return isinstance(value, list) and all(map(is_text, value))


def _is_type_list(value: Any) -> bool:
    return is_text(value) or _is_name_list(value)


_SHAPES: dict[str, Callable[[Any], bool]] = {
    **dict.fromkeys(("properties", "patternProperties", "$defs", "definitions"), _is_map),
    **dict.fromkeys(("anyOf", "oneOf", "allOf"), _is_union),
    **dict.fromkeys(("description", "$ref", "format", "pattern"), is_text),
    "enum": _is_list,
    "required": _is_name_list,
    "type": _is_type_list,
}


def _is_type(value: Any, column: Column) -> bool:
    named = value if isinstance(value, list) else [value]
    spelled = {item.lower() for item in named} if column.any_case_types else set(named)
    return len(spelled) == len(named) > 0 and spelled <= facts.TYPES


def _keywords(place: Place, column: Column) -> Faults:
    for keyword in place.node:
        refused = (
            keyword in column.refused
            or (keyword in column.refused_below_root and not place.is_root)
            or (column.known is not None and keyword not in column.known)
        )
        if refused:
            yield Fault(place.at + token(keyword), "keyword", f"{keyword} is refused")


def _types(place: Place, column: Column) -> Faults:
    node = place.node
    if isinstance(named := node.get("type"), list) and (
        column.type_lists == "none"
        or (column.type_lists == "scalars" and ("object" in named or "array" in named))
    ):
        yield Fault(place.at + "/type", "type-list", "one type only")
    if column.typed_by and not column.typed_by & node.keys():
        needs = ", ".join(sorted(column.typed_by))
        yield Fault(place.at, "untyped", f"a schema says one of {needs}")
    if column.typed_branches and place.via == "anyOf" and "type" not in node:
        rule = "limit-nested-unions" if "anyOf" in node else "untyped"
        yield Fault(place.at, rule, "a branch of a union says its type")


def _enum(place: Place, column: Column) -> Faults:
    values = place.node.get("enum")
    if not isinstance(values, list) or column.enum == "any":
        return
    if column.enum == "primitives":
        if any(isinstance(value, (dict, list)) for value in values):
            yield Fault(place.at + "/enum", "enum", "primitive values only")
        return
    if not all(is_text(value) and value for value in values):
        yield Fault(place.at + "/enum", "enum", "texts only, and none of them empty")
    if type_names(place.node) != ["string"]:
        yield Fault(place.at + "/enum", "enum", "only beside the type STRING")


def _array(place: Place, column: Column) -> Faults:
    node = place.node
    items = node.get("items")
    if isinstance(items, list) and not column.tuples:
        yield Fault(place.at + "/items", "tuple-items", "one schema for all items")
    missing = "items" not in node or isinstance(items, list)
    if column.items_required and "array" in type_names(node) and missing:
        yield Fault(place.at, "array-items", "an array says what its items are")
    least = node.get("minItems")
    if column.min_items is not None and least is not None and least not in (0, column.min_items):
        yield Fault(place.at + "/minItems", "min-items", f"at most {column.min_items}")


def _text(place: Place, column: Column) -> Faults:
    named, pattern = place.node.get("format"), place.node.get("pattern")
    if is_text(named) and column.formats is not None and named not in column.formats:
        yield Fault(place.at + "/format", "format", f"{named!r} is not a known format")
    if is_text(pattern):
        for feature in sorted(features(pattern) & column.refused_in_patterns):
            yield Fault(place.at + "/pattern", "pattern", f"no {feature}")


def _members(place: Place, column: Column) -> Faults:
    node = place.node
    if not is_object(node):
        return
    members, required = node.get("properties"), node.get("required")
    known = members.keys() if isinstance(members, dict) else set()
    named = set(filter(is_text, required)) if isinstance(required, list) else set()
    if column.some_required and known and not named & known:
        yield Fault(place.at, "nothing-required", "an object requires some member")
    bare = column.empty_objects == "none" or (column.empty_objects == "root" and not place.is_root)
    if bare and not known:
        yield Fault(place.at, "limit-no-members", "an object has members")
    if column.says_open and not node.keys() & _ABOUT_MEMBERS:
        yield Fault(place.at, "unsaid-members", "closed, unless it says otherwise")


_ABOUT_MEMBERS = frozenset(
    "properties patternProperties additionalProperties unevaluatedProperties required anyOf oneOf "
    "allOf $ref if dependentSchemas enum const".split()
)


def _object(place: Place, column: Column) -> Faults:
    node = place.node
    if not is_object(node):
        return
    members = node.get("properties")
    required = node.get("required")
    members = members if isinstance(members, dict) else {}
    required = list(filter(is_text, required)) if isinstance(required, list) else []
    if column.closed and node.get("additionalProperties") is not False:
        rule = "map" if "additionalProperties" in node else "open-object"
        yield Fault(place.at, rule, "an object says additionalProperties: false")
    if column.all_required:
        for name in members:
            if name not in required:
                yield Fault(place.at, "optional-member", f"{name!r} is not required")
    if column.required_known:
        for name in required:
            if name not in members:
                yield Fault(place.at + "/required", "required-unknown", f"no member {name!r}")
    if not column.empty_properties and node.get("properties") == {}:
        yield Fault(place.at + "/properties", "empty-properties", "leave it out when empty")


def _member_names(place: Place, column: Column) -> Faults:
    rule, members = column.property_names, place.node.get("properties")
    if rule is None or not isinstance(members, dict) or (rule.top_only and not place.is_root):
        return
    for name in members:
        if not rule.pattern.fullmatch(name):
            at = place.at + "/properties" + token(name)
            yield Fault(at, "property-name", f"{name!r} does not match {rule.pattern.pattern}")


def _unions(place: Place, column: Column) -> Faults:
    node = place.node
    if "anyOf" in node and not column.union_siblings:
        for keyword in sorted(node.keys() - facts.UNION_COMPANIONS):
            yield Fault(place.at + token(keyword), "union-siblings", f"{keyword} beside anyOf")
    branches = node.get("allOf")
    if isinstance(branches, list) and not column.all_of_refs:
        for index, branch in enumerate(branches):
            if isinstance(branch, dict) and "$ref" in branch:
                yield Fault(f"{place.at}/allOf/{index}", "all-of-ref", "no $ref under allOf")


_RULES: tuple[Callable[[Place, Column], Faults], ...] = (
    _malformed,
    _keywords,
    _types,
    _enum,
    _array,
    _text,
    _object,
    _members,
    _member_names,
    _unions,
)


def _references(schema: Any, column: Column) -> Faults:
    references = References(schema)
    for place in walk(schema):
        reference = place.node.get("$ref") if isinstance(place.node, dict) else None
        if not is_text(reference):
            continue
        at = place.at + "/$ref"
        target = references.target(reference)
        if target is REMOTE:
            yield Fault(at, "ref-remote", f"{reference!r} is elsewhere")
        elif target is MISSING:
            yield Fault(at, "ref-missing", f"{reference!r} leads nowhere")
        elif column.refs == "definitions" and not _is_definition(reference):
            yield Fault(at, "ref-target", "only # and top-level definitions")
        siblings = place.node.keys() - {"$ref"}
        if column.ref_siblings == "dollar":
            siblings = {key for key in siblings if not key.startswith("$")}
        if siblings and column.ref_siblings != "any":
            yield Fault(at, "ref-siblings", f"{', '.join(sorted(siblings))} beside $ref")


def _is_definition(reference: str) -> bool:
    steps = reference.split("/")
    return reference == "#" or (
        len(steps) == 3 and steps[0] == "#" and steps[1] in ("$defs", "definitions")
    )


def _recursion(schema: Any, column: Column) -> Faults:
    if column.recursion == "any":
        return
    at = cycle(schema, optional_members_break_it=column.recursion == "optional")
    if at is not None:
        how = "only through members that are not required" if column.recursion == "optional" else ""
        yield Fault(at, "recursion", f"a schema contains itself {how}".rstrip())


def _headers(schema: Any) -> Faults:
    """Members that become HTTP headers: tokens, unique, on plain members of a simple type."""
    seen: set[str] = set()
    for place in walk(schema):
        if not isinstance(place.node, dict) or "x-mcp-header" not in place.node:
            continue
        header = place.node["x-mcp-header"]
        fine = (
            is_text(header)
            and facts.HTTP_TOKEN.fullmatch(header)
            and header.lower() not in seen
            and place.plain
            and not place.is_root
            and place.node.get("type") in ("integer", "string", "boolean")
        )
        if not fine:
            yield Fault(place.at + "/x-mcp-header", "mcp-header", f"{header!r} cannot be a header")
        if is_text(header):
            seen.add(header.lower())
