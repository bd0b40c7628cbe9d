"""Where schemas stand inside schemas: the one table of keyword positions.

A walker that follows it never takes a *parameter* called ``type`` or ``$ref`` for a keyword.
"""

from __future__ import annotations

from enum import IntEnum
from typing import Final


class Position(IntEnum):
    """What the value of a keyword holds."""

    SCHEMA = 1
    SCHEMAS = 2
    SCHEMA_MAP = 3


POSITIONS: Final[dict[str, Position]] = {
    "additionalProperties": Position.SCHEMA,
    "additionalItems": Position.SCHEMA,
    "contains": Position.SCHEMA,
    "contentSchema": Position.SCHEMA,
    "else": Position.SCHEMA,
    "if": Position.SCHEMA,
    "items": Position.SCHEMA,  # a list of schemas up to 2019-09
    "not": Position.SCHEMA,
    "propertyNames": Position.SCHEMA,
    "then": Position.SCHEMA,
    "unevaluatedItems": Position.SCHEMA,
    "unevaluatedProperties": Position.SCHEMA,
    "allOf": Position.SCHEMAS,
    "anyOf": Position.SCHEMAS,
    "oneOf": Position.SCHEMAS,
    "prefixItems": Position.SCHEMAS,
    "$defs": Position.SCHEMA_MAP,
    "definitions": Position.SCHEMA_MAP,
    "dependencies": Position.SCHEMA_MAP,  # lists of names among them, up to draft 07
    "dependentSchemas": Position.SCHEMA_MAP,
    "patternProperties": Position.SCHEMA_MAP,
    "properties": Position.SCHEMA_MAP,
}

TYPES: Final[frozenset[str]] = frozenset(
    {"object", "string", "integer", "number", "boolean", "array", "null"}
)

# Keywords that hold neither a schema nor anything an older draft spelled differently.
PLAIN: Final[frozenset[str]] = frozenset(
    {
        "type",
        "description",
        "title",
        "default",
        "const",
        "format",
        "pattern",
        "examples",
        "deprecated",
        "readOnly",
        "writeOnly",
    }
)

_NUMERIC = frozenset({"number", "integer"})
APPLIES: Final[dict[str, frozenset[str]]] = {
    **dict.fromkeys(
        (
            "minLength",
            "maxLength",
            "pattern",
            "contentEncoding",
            "contentMediaType",
            "contentSchema",
        ),
        frozenset({"string"}),
    ),
    **dict.fromkeys(
        ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"), _NUMERIC
    ),
    **dict.fromkeys(
        (
            "items prefixItems contains minContains maxContains minItems maxItems uniqueItems "
            "unevaluatedItems"
        ).split(),
        frozenset({"array"}),
    ),
    **dict.fromkeys(
        (
            "properties required additionalProperties patternProperties propertyNames "
            "minProperties maxProperties dependentRequired dependentSchemas unevaluatedProperties"
        ).split(),
        frozenset({"object"}),
    ),
}
"""The types that a keyword says something about; the others it leaves alone."""

ANNOTATIONS: Final[frozenset[str]] = frozenset(
    {
        "title",
        "description",
        "default",
        "deprecated",
        "readOnly",
        "writeOnly",
        "examples",
        "$comment",
    }
)
"""What guides a reader and decides nothing."""
