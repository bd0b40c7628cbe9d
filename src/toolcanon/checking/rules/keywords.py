"""Rules about keywords whose meaning had to be guessed or repaired."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from toolcanon.checking.rule import Rule, RuleHit
from toolcanon.formats.wire.format import BESIDE, GUESSES, KEYS, NOTES, TEXT, notes
from toolcanon.ir.walk import ToolView
from toolcanon.jsonio import Pointer
from toolcanon.jsonio.types import Json
from toolcanon.schema.keywords import ANNOTATIONS, TYPES
from toolcanon.schema.malformed import flaw, malformed, wanted
from toolcanon.text import safe, safe_json

_LONGEST: Final = 60


def _find_keyword_malformed(subject: ToolView) -> Iterator[RuleHit]:
    for at, node in (*subject.nodes, *subject.answers):
        for key in malformed(node):
            if key == "type":  # C207 checks types
                continue
            needed = wanted(key)
            shown = safe(safe_json(node[key], indent=None), _LONGEST)
            yield RuleHit(
                at / key,
                f"{key} must be {needed}, found {shown}",
                remedy=f"write {needed}, or remove {key}",
                level="warning" if key in ANNOTATIONS else None,
            )


KEYWORD_MALFORMED_RULE = Rule(
    code="C209",
    name="keyword-malformed",
    level="error",
    says="a keyword has a value that JSON Schema does not allow",
    why="Clients that compile the schema reject the tool. Conversion drops the keyword, so it "
    "limits nothing.",
    remedy="correct the value, or remove the keyword",
    wrong=(
        {
            "name": "tag",
            "description": "Adds tags.",
            "inputSchema": {
                "type": "object",
                "properties": {"tags": {"type": "array", "maxItems": -1}},
            },
        },
        {
            "name": "tag",
            "description": "Adds tags.",
            "inputSchema": {"type": "object", "properties": {"tags": {"enum": {}}}},
        },
        {
            "name": "tag",
            "description": "Adds tags.",
            "inputSchema": {"type": "object"},
            "outputSchema": {"type": "object", "anyOf": []},
        },
    ),
    right=(
        {
            "name": "tag",
            "description": "Adds tags.",
            "inputSchema": {
                "type": "object",
                "properties": {"tags": {"type": "array", "maxItems": 8}},
            },
        },
    ),
    look=_find_keyword_malformed,
)


def _find_pattern_broken(subject: ToolView) -> Iterator[RuleHit]:
    for at, node in subject.nodes:
        pattern, names = node.get("pattern"), node.get("patternProperties")
        places = [(at / "pattern", pattern)] if isinstance(pattern, str) else []
        if isinstance(names, dict):
            places += [(at / "patternProperties" / name, name) for name in names]
        for place, text in places:
            if found := flaw(text):
                shown = safe(text, _LONGEST)
                yield RuleHit(
                    place, f"the pattern {shown} is not a regular expression: {safe(found)}"
                )


PATTERN_BROKEN_RULE = Rule(
    code="C206",
    name="pattern-broken",
    level="error",
    says="a `pattern` is not a regular expression",
    why="It cannot be validated. Providers that compile patterns reject the whole request.",
    remedy="correct the pattern, or leave it out",
    wrong=(
        {
            "name": "greet",
            "description": "Greets a user.",
            "inputSchema": {
                "type": "object",
                "properties": {"name": {"type": "string", "pattern": "^(a|b$"}},
            },
        },
        {
            "name": "greet",
            "description": "Greets a user.",
            "inputSchema": {
                "type": "object",
                "patternProperties": {"[z-a]": {"type": "string"}},
            },
        },
    ),
    right=(
        {
            "name": "greet",
            "description": "Greets a user.",
            "inputSchema": {
                "type": "object",
                "properties": {"name": {"type": "string", "pattern": "^(a|b)$"}},
            },
        },
    ),
    look=_find_pattern_broken,
)


def _find_type_unknown(subject: ToolView) -> Iterator[RuleHit]:
    for at, node in (*subject.nodes, *subject.answers):
        if "type" in node and not _is_known(node["type"]):
            shown = safe(safe_json(node["type"], indent=None), _LONGEST)
            yield RuleHit(
                at / "type", f"{shown} is not a type; it is dropped, and any value is valid"
            )


def _is_known(stated: Json) -> bool:
    if isinstance(stated, str):
        return stated in TYPES
    is_list = isinstance(stated, list) and bool(stated)
    return is_list and all(isinstance(word, str) and word in TYPES for word in stated)


TYPE_UNKNOWN_RULE = Rule(
    code="C207",
    name="type-unknown",
    level="warning",
    says="a schema has a type that does not exist",
    why="Providers reject it unchanged. Conversion drops it, so a model may send a value of any "
    "type.",
    remedy="write one of array, boolean, integer, null, number, object, string",
    wrong=(
        {
            "name": "paint",
            "description": "Paints a wall.",
            "inputSchema": {"type": "object", "properties": {"c": {"type": "colour"}}},
        },
        {
            "name": "paint",
            "description": "Paints a wall.",
            "inputSchema": {"type": "object", "properties": {"c": {"type": ["string", "paint"]}}},
        },
    ),
    right=(
        {
            "name": "paint",
            "description": "Paints a wall.",
            "inputSchema": {"type": "object", "properties": {"c": {"type": "string"}}},
        },
    ),
    look=_find_type_unknown,
)


def _find_reading_guessed(subject: ToolView) -> Iterator[RuleHit]:
    for format_id, own in subject.tool.__dict__.get("extras", {}).items():
        for number, guessed in enumerate(notes(own).get(GUESSES, ())):
            place, why = (safe(str(guessed[key])) for key in ("at", "why"))
            at = Pointer(("extras", format_id, NOTES, GUESSES, number))
            yield RuleHit(at, f"guessed at {place or '/'}: {why}")


READING_GUESSED_RULE = Rule(
    code="Q120",
    name="reading-guessed",
    level="info",
    says="the reader guessed something",
    why="The definition is ambiguous or contradicts itself. The likeliest reading was taken, and "
    "the result does not show it.",
    remedy="write the definition so that it can be read in one way only",
    wrong=(
        {
            "api_name": "greet",
            "api_description": "Greets a user.",
            "required_parameters": [
                {"name": "name", "type": "STRING", "description": "Whom."},
                {"name": "name", "type": "NUMBER", "description": "How often."},
            ],
        },
    ),
    right=(
        {
            "api_name": "greet",
            "api_description": "Greets a user.",
            "required_parameters": [
                {"name": "name", "type": "STRING", "description": "Whom."},
                {"name": "times", "type": "NUMBER", "description": "How often."},
            ],
        },
    ),
    look=_find_reading_guessed,
)


def _find_reading_repaired(subject: ToolView) -> Iterator[RuleHit]:
    for format_id, own in subject.tool.__dict__.get("extras", {}).items():
        noted = notes(own)
        at = Pointer(("extras", format_id, NOTES))
        for key in noted.get(TEXT, ()):
            yield RuleHit(
                at / TEXT / key, f"{_shown(key)} is a text; it was read as the JSON in it"
            )
        for key, names in noted.get(BESIDE, {}).items():
            beside = ", ".join(map(_shown, names))
            yield RuleHit(
                at / BESIDE / key, f"{beside} beside {_shown(key)} was read as a part of it"
            )
        for key, other in noted.get(KEYS, {}).items():
            yield RuleHit(at / KEYS / key, f"{_shown(other)} was read as {_shown(key)}")


def _shown(key: object) -> str:
    return safe(str(key), _LONGEST)


READING_REPAIRED_RULE = Rule(
    code="C213",
    name="reading-repaired",
    level="info",
    says="the reader repaired a definition",
    why="It does not follow its format. The meaning was clear, so it was read, but other readers "
    "may reject it or miss a part of it.",
    remedy="follow the format; converting it to its own format does",
    wrong=(
        {
            "name": "greet",
            "description": "Greets a user.",
            "inputSchema": '{"type": "object", "properties": {"name": {"type": "string"}}}',
        },
        {
            "name": "greet",
            "description": "Greets a user.",
            "title": "Greet",
            "input_schema": {"type": "object", "properties": {"name": {"type": "string"}}},
        },
        {
            "name": "greet",
            "description": "Greets a user.",
            "inputSchema": {"type": "object", "properties": {"name": {"type": "string"}}},
            "required": ["name"],
        },
    ),
    right=(
        {
            "name": "greet",
            "description": "Greets a user.",
            "inputSchema": {"type": "object", "properties": {"name": {"type": "string"}}},
        },
    ),
    look=_find_reading_repaired,
)


RULES = (
    KEYWORD_MALFORMED_RULE,
    PATTERN_BROKEN_RULE,
    READING_GUESSED_RULE,
    READING_REPAIRED_RULE,
    TYPE_UNKNOWN_RULE,
)
