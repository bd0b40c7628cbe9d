"""Rules about defaults, examples and enums."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from toolcanon.checking.rule import Rule, RuleHit, refusal
from toolcanon.diagnostics import Fix
from toolcanon.ir.walk import ToolView
from toolcanon.jsonio import Pointer
from toolcanon.jsonio.types import Json, JsonObject
from toolcanon.schema.values import identity
from toolcanon.text import safe, safe_json

_DEFAULT_SHOWN: Final = 60


def _find_default_breaks_schema(subject: ToolView) -> Iterator[RuleHit]:
    nulls: list[Pointer] = []
    for at, node in subject.nodes:
        if "default" not in node:
            continue
        value = node["default"]
        reason = refusal(value, node, subject.schema)
        if reason is None:
            continue
        if value is None:  # what many generators write for "absent"
            nulls.append(at / "default")
        else:
            shown = safe(safe_json(value, indent=None), _DEFAULT_SHOWN)
            yield RuleHit(at / "default", f"the default {shown} breaks its own schema: {reason}")
    if nulls:
        more = f", here and in {len(nulls) - 1} more places" if len(nulls) > 1 else ""
        yield RuleHit(
            nulls[0],
            f"the default is null, which the schema rejects{more}",
            "leave out the default, or allow null",
            "info",
        )


DEFAULT_BREAKS_SCHEMA_RULE = Rule(
    code="Q105",
    name="default-breaks-schema",
    level="warning",
    says="a default breaks its own schema",
    why="Models and clients send defaults unchanged, and this one is rejected.",
    remedy="correct the default, or loosen the schema",
    wrong=(
        {
            "name": "list_files",
            "description": "Lists files.",
            "inputSchema": {
                "type": "object",
                "properties": {"limit": {"type": "integer", "default": "10"}},
            },
        },
        {
            "name": "list_files",
            "description": "Lists files.",
            "inputSchema": {
                "type": "object",
                "properties": {"limit": {"type": "integer", "maximum": 5, "default": 10}},
            },
        },
    ),
    right=(
        {
            "name": "list_files",
            "description": "Lists files.",
            "inputSchema": {
                "type": "object",
                "properties": {"limit": {"type": "integer", "default": 10}},
            },
        },
    ),
    look=_find_default_breaks_schema,
)


_EXAMPLE_SHOWN: Final = 60
_MOST_EXAMPLES: Final = 20


def _find_example_breaks_schema(subject: ToolView) -> Iterator[RuleHit]:
    for at, node in subject.nodes:
        if "examples" in node and isinstance(node["examples"], list):
            for index, value in enumerate(node["examples"][:_MOST_EXAMPLES]):
                if (reason := refusal(value, node, subject.schema)) is not None:
                    yield _hit(Pointer((*at, "examples", index)), value, reason)
    whole = subject.tool.__dict__.get("examples")
    if whole and subject.is_function:
        for index, value in enumerate(whole[:_MOST_EXAMPLES]):
            if (reason := refusal(value, subject.schema, subject.schema)) is not None:
                yield _hit(Pointer(("examples", index)), value, reason)


def _hit(at: Pointer, value: Json, reason: str) -> RuleHit:
    shown = safe(safe_json(value, indent=None), _EXAMPLE_SHOWN)
    return RuleHit(at, f"the example {shown} breaks the schema: {reason}")


EXAMPLE_BREAKS_SCHEMA_RULE = Rule(
    code="Q106",
    name="example-breaks-schema",
    level="warning",
    says="an example breaks its own schema",
    why="Models imitate examples more readily than they read schemas, and such a call is rejected.",
    remedy="correct the example, or the schema",
    wrong=(
        {
            "name": "weather",
            "description": "Returns the weather.",
            "inputSchema": {
                "type": "object",
                "properties": {"days": {"type": "integer", "examples": ["three"]}},
            },
        },
    ),
    right=(
        {
            "name": "weather",
            "description": "Returns the weather.",
            "inputSchema": {
                "type": "object",
                "properties": {"days": {"type": "integer", "examples": [3]}},
            },
        },
    ),
    look=_find_example_breaks_schema,
)


_LONGEST: Final = 600
_SETTLED: Final = frozenset(
    {"enum", "const", "pattern", "format", "$ref", "anyOf", "oneOf", "allOf"}
)
_MARKS: Final = ("'", '"', "`")
_VALUE: Final = r"[\w.+-]{1,40}"
_BETWEEN: Final = r"(?:\s*[,/|]\s*(?:or\s+|and\s+)?|\s+or\s+|\s+and\s+)"
_QUOTED: Final = re.compile(
    rf"(?P<mark>['\"`]){_VALUE}(?P=mark)(?:{_BETWEEN}(?P=mark){_VALUE}(?P=mark))+"
)
_BARE: Final = re.compile(
    rf"\b(?:(?:one of(?: the)?(?: following)?|options|choices|enum|"
    rf"(?:allowed|valid|possible|accepted|supported) (?:values?|options?))(?: are| is)?\s*:\s*"
    rf"(?P<values>{_VALUE}(?:{_BETWEEN}{_VALUE})+)|either (?P<pair>{_VALUE} or {_VALUE}))",
    re.IGNORECASE,
)
# Text before a list that introduces it as complete.
_WHOLE: Final = re.compile(
    r"(?:\b(?:one of|either|must be|should be|can be|values?|options?|choices|allowed|valid|"
    r"supported|accepted|possible|are|is|in)\b[^.;'\"`]{0,24}|[:(=]\s*)$",
    re.IGNORECASE,
)
_SOME: Final = re.compile(
    r"\b(?:e\.?g|examples?|such as|like|instance|includ\w+|comma|separated|lists?|multiple|"
    r"combin\w+|more of|prefix\w*|starts?|contain\w*|separator|delimiter|default\w*|not|"
    r"operators?|between|format\w*|syntax|column\w*|field\w*|key\w*|common\w*|good|bad)\b|"
    r"\bFor [^.:]{1,40}:|(?:,|\bor)\s*$",
    re.IGNORECASE,
)
# Text anywhere that mentions further values.
_OTHERS: Final = re.compile(
    r"\b(?:regex\w*|custom|etc|others|and more|any (?:other|string|value|text)|wildcards?|"
    r"or (?:any|other|a|an)\b)|\.\.\.|…",
    re.IGNORECASE,
)
_ENDED: Final = re.compile(r"\s*(?:\(default\b[^)]*\)\s*)?(?:$|[.;)\]\n]|-\s|- )")
_PLAIN: Final = re.compile(_VALUE)
_FEWEST: Final = 2
_MOST: Final = 30


def _find_enum_in_prose(subject: ToolView) -> Iterator[RuleHit]:
    for parameter in subject.parameters:
        schema = parameter.schema
        if schema.get("type") != "string" or not _SETTLED.isdisjoint(schema):
            continue
        values = _listed(schema)
        if values:
            shown = safe_json(values, indent=None)
            fix = Fix("add the enum", {**schema, "enum": values})
            yield RuleHit(
                parameter.at,
                f"the description lists the values, the schema accepts any text: {shown}",
                f'add to the schema: "enum": {shown}',
                fix=fix if subject.schema is subject.tool.inputs else None,
            )


def _listed(schema: JsonObject) -> list[Json]:
    text = schema.get("description")
    if not isinstance(text, str):
        return []
    text = text[:_LONGEST]
    if any(mark in text for mark in _MARKS):
        for match in _QUOTED.finditer(text):
            before = text[: match.start()]
            if not before.strip() or _WHOLE.search(before[-60:]):
                return _closed(text, match.start(), match.end(), schema)
    if (":" in text or "ither" in text) and (bare := _BARE.search(text)) is not None:
        start = max(bare.start("values"), bare.start("pair"))
        return _closed(text, start, bare.end(), schema)
    return []


def _closed(text: str, start: int, end: int, schema: JsonObject) -> list[Json]:
    """Return the values of a list if it is complete, with none left out or added."""
    sentence = max(text.rfind(". ", 0, start), text.rfind("\n", 0, start)) + 1
    if _SOME.search(text, sentence, start) or not _ENDED.match(text, end) or _OTHERS.search(text):
        return []
    found = [item for item in _PLAIN.findall(text[start:end]) if item not in {"or", "and"}]
    values = list(dict.fromkeys(item.rstrip(".") for item in found))
    if not _FEWEST <= len(values) <= _MOST or any("." in value for value in values):
        return []
    return [*values] if schema.get("default", values[0]) in values else []


def _tool(**order: Json) -> JsonObject:
    schema = {"type": "object", "properties": {"order": {"type": "string", **order}}}
    return {"name": "sort", "description": "Sorts the rows of a table.", "inputSchema": schema}


ENUM_IN_PROSE_RULE = Rule(
    code="Q104",
    name="enum-in-prose",
    level="info",
    says="a description lists the allowed values, and the schema allows any",
    why="A list in a text is a request. An `enum` is a rule that providers enforce, so a model "
    "cannot send another value.",
    remedy='list them in the schema: "enum": […]',
    wrong=(
        _tool(description="Must be 'asc' or 'desc'."),
        _tool(description="One of: up, down"),
    ),
    right=(
        _tool(description="Which way.", enum=["asc", "desc"]),
        _tool(description="A column, e.g. 'a' or 'b'"),
    ),
    look=_find_enum_in_prose,
)


_REPEATED_SHOWN: Final = 60


def _find_values_repeated(subject: ToolView) -> Iterator[RuleHit]:
    for at, node in subject.nodes:
        for word in ("required", "enum"):
            values = node.get(word)
            if not isinstance(values, list) or len(values) < 2:  # noqa: PLR2004 - two make a pair
                continue
            once = list({identity(value): value for value in values}.values())
            if len(once) < len(values):
                shown = safe(safe_json(_repeated(values), indent=None), _REPEATED_SHOWN)
                fix = Fix("keep it once", once, is_safe=True)
                is_verbatim = subject.schema is subject.tool.inputs
                message = f"{shown} occurs twice in {word}"
                yield RuleHit(at / word, message, fix=fix if is_verbatim else None)


def _repeated(values: list[Json]) -> Json:
    seen = set()
    for value in values:
        key = identity(value)
        if key in seen:
            return value
        seen.add(key)
    return None


VALUES_REPEATED_RULE = Rule(
    code="Q118",
    name="values-repeated",
    level="info",
    says="a value occurs twice in a list of unique values",
    why="JSON Schema requires the values of `enum` and `required` to differ, and some providers "
    "reject a schema where they do not.",
    remedy="keep it once",
    wrong=(
        {
            "name": "greet",
            "description": "Greets a user.",
            "inputSchema": {
                "type": "object",
                "properties": {"name": {"type": "string", "description": "Whom."}},
                "required": ["name", "name"],
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
    look=_find_values_repeated,
)


_TRUTHS: Final = {"true", "false"}


def _find_boolean_as_text(subject: ToolView) -> Iterator[RuleHit]:
    for at, node in subject.nodes:
        values = node.get("enum")
        if (
            isinstance(values, list)
            and len(values) == len(_TRUTHS)
            and all(isinstance(value, str) for value in values)
            and {value.lower() for value in values} == _TRUTHS
        ):
            yield RuleHit(at / "enum", "a boolean is declared as text")


BOOLEAN_AS_TEXT_RULE = Rule(
    code="Q117",
    name="boolean-as-text",
    level="info",
    says="a boolean is declared as text",
    why='Models understand the parameter and send true instead of "true", which is rejected.',
    remedy='make it {"type": "boolean"}',
    wrong=(
        {
            "name": "list_files",
            "description": "Lists files.",
            "inputSchema": {
                "type": "object",
                "properties": {"hidden": {"type": "string", "enum": ["true", "false"]}},
            },
        },
    ),
    right=(
        {
            "name": "list_files",
            "description": "Lists files.",
            "inputSchema": {"type": "object", "properties": {"hidden": {"type": "boolean"}}},
        },
    ),
    look=_find_boolean_as_text,
)


RULES = (
    BOOLEAN_AS_TEXT_RULE,
    DEFAULT_BREAKS_SCHEMA_RULE,
    ENUM_IN_PROSE_RULE,
    EXAMPLE_BREAKS_SCHEMA_RULE,
    VALUES_REPEATED_RULE,
)
