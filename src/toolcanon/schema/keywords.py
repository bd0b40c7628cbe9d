"""Keywords that hold schemas, and the drafts of JSON Schema.

A walker that follows it never takes a *parameter* called ``type`` or ``$ref`` for a keyword.
"""

from __future__ import annotations

import re
from enum import IntEnum
from functools import lru_cache
from typing import Final

from toolcanon.jsonio.types import Json, JsonObject


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
IN_PLACE: Final = frozenset("allOf anyOf oneOf not if then else dependentSchemas".split())
"""Keywords whose schemas apply to the same value as the schema that holds them."""
OTHER_MEMBERS: Final = frozenset({"additionalProperties", "unevaluatedProperties"})
"""Keywords for members that no other keyword names."""
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
"""The types that a keyword applies to; it ignores values of others."""

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


class DraftMeaning(IntEnum):
    """The dialects that differ in what a keyword means."""

    D3 = 3
    D4 = 4
    D6 = 6
    D7 = 7
    D2019 = 8
    LATEST = 9


LATEST_URI: Final = "https://json-schema.org/draft/2020-12/schema"
URIS: Final[dict[DraftMeaning, str]] = {
    DraftMeaning.D4: "http://json-schema.org/draft-04/schema#",
    DraftMeaning.D6: "http://json-schema.org/draft-06/schema#",
    DraftMeaning.D7: "http://json-schema.org/draft-07/schema#",
    DraftMeaning.D2019: "https://json-schema.org/draft/2019-09/schema",
    DraftMeaning.LATEST: LATEST_URI,
}
"""What a document of each draft declares."""
_LATEST: Final = DraftMeaning.LATEST  # looking a member up costs a call
_DRAFTS = {
    "draft-03": DraftMeaning.D3,
    "draft-04": DraftMeaning.D4,
    "draft-05": DraftMeaning.D4,
    "draft-06": DraftMeaning.D6,
    "draft-07": DraftMeaning.D7,
    "2019-09": DraftMeaning.D2019,
}
_HOST: Final = "json-schema.org"
_ADDRESS: Final = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:.")
LATEST_MARK: Final = "2020-12"
OLDER: Final = tuple(_DRAFTS)
"""The parts of addresses that name older drafts."""


def draft_of(schema: JsonObject) -> DraftMeaning:
    """Return the draft a schema declares; undeclared means the latest."""
    declared = schema.get("$schema")
    return _draft_named(declared) if isinstance(declared, str) else _LATEST


@lru_cache(maxsize=256)
def _draft_named(declared: str) -> DraftMeaning:
    for mark, draft in _DRAFTS.items():
        if mark in declared:
            return draft
    return DraftMeaning.LATEST


def is_label(declared: Json) -> bool:
    """Return whether a ``$schema`` is credible: a known draft, or a dialect of another author.

    >>> is_label(LATEST_URI), is_label("http://json-schema.org/schema#"), is_label("draft")
    (True, False, False)
    """
    if declared.__class__ is not str:
        return False
    own = any(mark in declared for mark in (*OLDER, LATEST_MARK))
    return own or (_ADDRESS.match(declared) is not None and _HOST not in declared)


def is_latest(declared: Json) -> bool:
    """Return whether a ``$schema`` names the draft that everything is rewritten to."""
    return (
        declared.__class__ is str and _draft_named(declared) is _LATEST and LATEST_MARK in declared
    )


def declares_older(declared: Json, _draft: DraftMeaning | None = None) -> bool:
    """Return whether a ``$schema`` names an older draft than 2020-12."""
    return declared.__class__ is str and _draft_named(declared) is not _LATEST
