"""Keyword tables to start from."""

from __future__ import annotations

from typing import Final

from toolcanon.dialect.support import Support

_WORDS: Final = {
    "core": "$schema $id $ref $defs $anchor $dynamicRef $dynamicAnchor $vocabulary $comment",
    "applicators": (
        "allOf anyOf oneOf not if then else dependentSchemas prefixItems items contains "
        "properties patternProperties additionalProperties propertyNames"
    ),
    "unevaluated": "unevaluatedItems unevaluatedProperties",
    "assertions": (
        "type enum const multipleOf maximum exclusiveMaximum minimum exclusiveMinimum maxLength "
        "minLength pattern maxItems minItems uniqueItems maxContains minContains maxProperties "
        "minProperties required dependentRequired"
    ),
    "annotations": "title description default deprecated readOnly writeOnly examples",
    "formats": "format contentEncoding contentMediaType contentSchema",
}

JSON_SCHEMA: Final[tuple[str, ...]] = tuple(
    keyword for words in _WORDS.values() for keyword in words.split()
)
"""Every keyword of 2020-12."""


def table(start: Support, **changes: str) -> dict[str, Support]:
    """All keywords of 2020-12 treated alike, but for those listed under a support's name.

    >>> table(Support.ACCEPTED, rejected="not oneOf")["not"].name
    'REJECTED'
    """
    made = dict.fromkeys(JSON_SCHEMA, start)
    for name, keywords in changes.items():
        made |= dict.fromkeys(keywords.split(), Support[name.upper()])
    return made
