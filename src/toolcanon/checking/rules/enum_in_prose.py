"""Q104: a description lists the allowed values, and the schema allows any."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from toolcanon.checking.rule import Hit, Rule
from toolcanon.checking.subject import Subject
from toolcanon.diagnostics import Fix
from toolcanon.jsonio.types import Json, JsonObject
from toolcanon.text import safe_json

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


def _look(subject: Subject) -> Iterator[Hit]:
    for parameter in subject.parameters:
        schema = parameter.schema
        if schema.get("type") != "string" or not _SETTLED.isdisjoint(schema):
            continue
        values = _listed(schema)
        if values:
            shown = safe_json(values, indent=None)
            fix = Fix("add the enum", {**schema, "enum": values})
            yield Hit(
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


RULE = Rule(
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
    look=_look,
)
