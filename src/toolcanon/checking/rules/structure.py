"""Rules about the size and the structure of a schema."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from toolcanon.checking.rule import Rule, RuleHit
from toolcanon.ir.walk import ToolView
from toolcanon.jsonio import Pointer
from toolcanon.jsonio.types import JsonObject
from toolcanon.schema.keywords import ANNOTATIONS, TYPES
from toolcanon.schema.values import has_type, is_number
from toolcanon.text import safe, safe_json

_PAIRS: Final = (
    ("minimum", "maximum"),
    ("exclusiveMinimum", "maximum"),
    ("minimum", "exclusiveMaximum"),
    ("minLength", "maxLength"),
    ("minItems", "maxItems"),
    ("minProperties", "maxProperties"),
)
_LOWS: Final = frozenset(low for low, _ in _PAIRS)
_LONGEST: Final = 60
_SHOWN: Final = 3


def _find_schema_contradictory(subject: ToolView) -> Iterator[RuleHit]:
    for at, node in subject.nodes:
        if not _LOWS.isdisjoint(node):
            yield from _bounds(node, at)
        if node.get("enum") == []:
            yield RuleHit(at / "enum", "no value is valid: the enum is empty")
        elif "enum" in node or "const" in node:
            yield from _values(node, at)


def _bounds(node: JsonObject, at: Pointer) -> Iterator[RuleHit]:
    for low, high in _PAIRS:
        least, most = node.get(low), node.get(high)
        if least is None or most is None or not (is_number(least) and is_number(most)):
            continue
        if least > most:
            yield RuleHit(at / low, f"no value is valid: {low} {least} is more than {high} {most}")


def _values(node: JsonObject, at: Pointer) -> Iterator[RuleHit]:
    stated = node.get("type")
    types = [stated] if isinstance(stated, str) else stated
    if not isinstance(types, list) or not types or not TYPES.issuperset(map(str, types)):
        return
    word = "const" if "const" in node else "enum"
    values = [node["const"]] if word == "const" else node.get("enum")
    if not isinstance(values, list):
        return
    wrong = [value for value in values if value is not None and not has_type(value, types)]
    if wrong:
        shown = ", ".join(safe(safe_json(value, indent=None), _LONGEST) for value in wrong[:_SHOWN])
        none = len(wrong) == len(values)
        yield RuleHit(
            at / word,
            f"{'no value is valid' if none else 'never accepted'}: {shown} in the {word} is not of "
            f"type {' or '.join(map(str, types))}",
            level=None if none else "info",
        )


SCHEMA_CONTRADICTORY_RULE = Rule(
    code="Q116",
    name="schema-contradictory",
    level="warning",
    says="a schema contradicts itself",
    why="Every value there is rejected, by the provider or by the tool.",
    remedy="correct the bounds, the values or the type",
    wrong=(
        {
            "name": "pick",
            "description": "Picks a card.",
            "inputSchema": {
                "type": "object",
                "properties": {"n": {"type": "integer", "minimum": 9, "maximum": 1}},
            },
        },
        {
            "name": "pick",
            "description": "Picks a card.",
            "inputSchema": {
                "type": "object",
                "properties": {"n": {"type": "string", "enum": [1, 2, 3]}},
            },
        },
        {
            "name": "pick",
            "description": "Picks a card.",
            "inputSchema": {
                "type": "object",
                "properties": {"n": {"type": "integer", "enum": []}},
            },
        },
    ),
    right=(
        {
            "name": "pick",
            "description": "Picks a card.",
            "inputSchema": {
                "type": "object",
                "properties": {"n": {"type": "integer", "minimum": 1, "maximum": 9}},
            },
        },
        {
            "name": "pick",
            "description": "Picks a card.",
            "inputSchema": {
                "type": "object",
                "properties": {"n": {"type": "integer", "enum": [1, 2, 3]}},
            },
        },
    ),
    look=_find_schema_contradictory,
)


# Keywords beside ``properties`` that may declare a member.
_ELSEWHERE: Final = frozenset(
    {"$ref", "$dynamicRef", "allOf", "anyOf", "oneOf", "if", "patternProperties",
     "dependentSchemas"}
)  # fmt: skip
_BRANCHES: Final = frozenset({"allOf", "anyOf", "oneOf", "if", "then", "else", "not"})


def _find_required_undeclared(subject: ToolView) -> Iterator[RuleHit]:
    for at, node in subject.nodes:
        required, members = node.get("required"), node.get("properties")
        if not required or not isinstance(required, list) or not isinstance(members, dict):
            continue
        if not (_ELSEWHERE.isdisjoint(node) and _BRANCHES.isdisjoint(at)):
            continue
        for index, name in enumerate(required):
            if isinstance(name, str) and name not in members:
                shown = safe(name, _LONGEST)
                is_closed = node.get("additionalProperties") is False
                yield RuleHit(
                    at / "required" / index,
                    f"{shown} is required and not allowed: no call is valid"
                    if is_closed
                    else f"{shown} is required and not declared",
                )


REQUIRED_UNDECLARED_RULE = Rule(
    code="Q112",
    name="required-undeclared",
    level="warning",
    says="a required member is not declared",
    why="Often a parameter was renamed in one place only. Models do not know what to send, and "
    "strict modes reject the schema.",
    remedy="declare it under `properties`, or remove it from `required`",
    wrong=(
        {
            "name": "greet",
            "description": "Greets a user.",
            "inputSchema": {
                "type": "object",
                "properties": {"name": {"type": "string", "description": "Whom."}},
                "required": ["user_name"],
            },
        },
    ),
    right=(
        {
            "name": "greet",
            "description": "Greets a user.",
            "inputSchema": {
                "type": "object",
                "properties": {"name": {"type": "string", "description": "Whom."}},
                "required": ["name"],
            },
        },
    ),
    look=_find_required_undeclared,
)


# The schema around a branch may declare the type.


def _find_parameter_untyped(subject: ToolView) -> Iterator[RuleHit]:
    for parameter in subject.parameters:
        if parameter.schema.keys() <= ANNOTATIONS and _BRANCHES.isdisjoint(parameter.at):
            name = safe(parameter.name, _LONGEST)
            yield RuleHit(parameter.at, f"no type is declared for {name}")


PARAMETER_UNTYPED_RULE = Rule(
    code="Q110",
    name="parameter-untyped",
    level="info",
    says="a parameter has no type",
    why="A model may send a text, a number or an object. Strict modes reject the schema or turn "
    "it into text.",
    remedy="declare a `type`, or an `anyOf` of the accepted types",
    wrong=(
        {
            "name": "wait",
            "description": "Waits a while.",
            "inputSchema": {"type": "object", "properties": {"s": {"description": "Seconds."}}},
        },
    ),
    right=(
        {
            "name": "wait",
            "description": "Waits a while.",
            "inputSchema": {
                "type": "object",
                "properties": {"s": {"type": "number", "description": "Seconds."}},
            },
        },
    ),
    look=_find_parameter_untyped,
)


_MOST: Final = 25
_AT: Final = Pointer(("inputs", "properties"))


def _find_too_many_parameters(subject: ToolView) -> Iterator[RuleHit]:
    members = subject.schema.get("properties")
    if isinstance(members, dict) and len(members) > _MOST:
        yield RuleHit(_AT, f"the tool has {len(members)} parameters")


def _of(count: int) -> JsonObject:
    return {
        "name": "report",
        "description": "Writes a report.",
        "inputSchema": {
            "type": "object",
            "properties": {
                f"part_{number}": {"type": "string", "description": "A part."}
                for number in range(count)
            },
        },
    }


TOO_MANY_PARAMETERS_RULE = Rule(
    code="Q109",
    name="too-many-parameters",
    level="info",
    says="a tool has too many parameters",
    why="Models leave out or confuse parameters when there are dozens, and some providers limit "
    "their number.",
    remedy="split the tool by task, or group related parameters in objects",
    wrong=(_of(_MOST + 1),),
    right=(_of(3),),
    look=_find_too_many_parameters,
)


_DEEPEST: Final = 5


def _find_nesting_deep(subject: ToolView) -> Iterator[RuleHit]:
    deepest = max(subject.parameters, key=lambda parameter: parameter.level, default=None)
    if deepest is not None and deepest.level > _DEEPEST:
        yield RuleHit(deepest.at, f"parameters are nested {deepest.level} objects deep")


def _nested(depth: int) -> JsonObject:
    schema: JsonObject = {"type": "string", "description": "The text."}
    for _ in range(depth):
        schema = {"type": "object", "properties": {"part": schema}, "description": "A part."}
    return schema


NESTING_DEEP_RULE = Rule(
    code="Q119",
    name="nesting-deep",
    level="info",
    says="parameters are nested too deeply",
    why="Models lose track of brackets and of which member belongs where, and strict modes limit "
    "the depth.",
    remedy="use flat parameters, or ids of what another tool created",
    wrong=({"name": "draw", "description": "Draws.", "inputSchema": _nested(_DEEPEST + 1)},),
    right=({"name": "draw", "description": "Draws.", "inputSchema": _nested(2)},),
    look=_find_nesting_deep,
)


RULES = (
    NESTING_DEEP_RULE,
    PARAMETER_UNTYPED_RULE,
    REQUIRED_UNDECLARED_RULE,
    SCHEMA_CONTRADICTORY_RULE,
    TOO_MANY_PARAMETERS_RULE,
)
