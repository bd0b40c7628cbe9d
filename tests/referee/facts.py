"""What each dialect accepts, one column of the facts per row here: only what is refused,
required or limited. What is merely a hint, ignored or unknown is not a fault.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Literal


def words(text: str) -> frozenset[str]:
    return frozenset(text.split())


TYPES = words("string number integer boolean array object null")

# What constrained decoding cannot do, at every strict provider alike.
_NEVER_STRICT = words(
    "oneOf not if then else dependentRequired dependentSchemas dependencies patternProperties "
    "propertyNames unevaluatedProperties unevaluatedItems minProperties maxProperties uniqueItems "
    "prefixItems contains minContains maxContains"
)
_OPENAI_STRICT = _NEVER_STRICT | words(
    "allOf additionalItems contentEncoding contentMediaType contentSchema default "
    "$anchor $dynamicRef $dynamicAnchor $recursiveRef $recursiveAnchor"
)
_ANTHROPIC_STRICT = _NEVER_STRICT | words(
    "minimum maximum exclusiveMinimum exclusiveMaximum multipleOf minLength maxLength maxItems"
)

# The whole Schema message less what the developer endpoint refuses: additionalProperties (maps
# arrive empty, and `false` was refused), defs and ref (Vertex only).
_OPENAPI_FIELDS = words(
    "anyOf default description enum example format items maxItems maxLength maxProperties maximum "
    "minItems minLength minProperties minimum nullable pattern properties propertyOrdering "
    "required title type"
)
OPENAPI_SPELLINGS = {
    re.sub("[A-Z]", lambda capital: "_" + capital[0].lower(), field): field
    for field in _OPENAPI_FIELDS
    if not field.islower()
}
UNION_COMPANIONS = words("anyOf description title nullable default")

_OPENAI_FORMATS = words("date-time time date duration email hostname ipv4 ipv6 uuid")


@dataclass(frozen=True, slots=True)
class PropertyNames:
    pattern: re.Pattern[str]
    top_only: bool


@dataclass(frozen=True, slots=True)
class Column:
    """What one dialect refuses, requires and limits."""

    id: str
    vendor: str
    strict: bool = False
    anything_goes: bool = False  # a document format that nobody serves
    version: str = ""
    root: Literal["object", "describes-object"] = "object"
    may_be_null: frozenset[str] = frozenset()  # at the root
    refused: frozenset[str] = frozenset()
    refused_at_root: frozenset[str] = frozenset()
    refused_below_root: frozenset[str] = frozenset()
    known: frozenset[str] | None = None  # where set, any other keyword is refused
    booleans: Literal["any", "none", "not-as-member"] = "any"
    type_lists: bool = True
    any_case_types: bool = False
    typed_by: frozenset[str] = frozenset()  # where set, a node needs one of these
    enum: Literal["any", "primitives", "strings"] = "any"
    items_required: bool = False
    tuples: bool = True
    formats: frozenset[str] | None = None
    refused_in_patterns: frozenset[str] = frozenset()
    closed: bool = False
    all_required: bool = False
    required_known: bool = False
    empty_properties: bool = True
    union_siblings: bool = True
    refs: Literal["local", "definitions"] = "local"
    ref_siblings: Literal["any", "dollar", "none"] = "any"
    all_of_refs: bool = True
    recursion: Literal["any", "optional", "none"] = "any"
    min_items: int | None = None
    property_names: PropertyNames | None = None


_OPENAI = Column(
    id="openai",
    vendor="openai",
    refused_at_root=words("anyOf oneOf allOf not enum const"),
    items_required=True,
)
_OPENAI_STRICT_COLUMN = replace(
    _OPENAI,
    id="openai/strict",
    strict=True,
    refused=_OPENAI_STRICT,
    refused_below_root=words("$id"),
    booleans="none",
    typed_by=words("type anyOf $ref"),
    tuples=False,
    formats=_OPENAI_FORMATS,
    refused_in_patterns=words("look-around"),
    closed=True,
    all_required=True,
    required_known=True,
    refs="definitions",
    ref_siblings="none",
)
_ANTHROPIC = Column(
    id="anthropic",
    vendor="anthropic",
    may_be_null=words("properties required"),
    refused_at_root=words("anyOf oneOf allOf"),
    property_names=PropertyNames(re.compile(r"[a-zA-Z0-9_.-]{1,64}"), top_only=True),
)
_ANTHROPIC_STRICT_COLUMN = replace(
    _ANTHROPIC,
    id="anthropic/strict",
    strict=True,
    refused=_ANTHROPIC_STRICT,
    refused_at_root=words("anyOf oneOf allOf not enum const"),
    booleans="none",
    # The provider's own helper drops the type beside enum and const, so those two count.
    typed_by=words("type anyOf allOf $ref enum const"),
    enum="primitives",
    tuples=False,
    formats=_OPENAI_FORMATS | {"uri"},
    refused_in_patterns=words("look-around back-reference word-boundary"),
    closed=True,
    all_of_refs=False,
    recursion="none",
    min_items=1,
)
_GEMINI = Column(
    id="gemini",
    vendor="gemini",
    root="describes-object",
    ref_siblings="dollar",
    recursion="optional",
)
_GEMINI_OPENAPI = Column(
    id="gemini/openapi",
    vendor="gemini",
    known=_OPENAPI_FIELDS,
    booleans="none",
    type_lists=False,
    any_case_types=True,
    typed_by=words("type anyOf"),
    enum="strings",
    items_required=True,
    tuples=False,
    formats=words("enum date-time int32 int64 float double"),
    required_known=True,
    empty_properties=False,
    union_siblings=False,
    property_names=PropertyNames(re.compile(r"[a-zA-Z_][a-zA-Z0-9_]{0,63}"), top_only=False),
)
_MCP = Column(id="mcp", vendor="mcp", version="2026-07-28")

COLUMNS: dict[str, Column] = {
    column.id: column
    for column in (
        _OPENAI,
        _OPENAI_STRICT_COLUMN,
        replace(_OPENAI, id="openai-responses"),
        replace(_OPENAI_STRICT_COLUMN, id="openai-responses/strict"),
        _ANTHROPIC,
        _ANTHROPIC_STRICT_COLUMN,
        _GEMINI,
        _GEMINI_OPENAPI,
        _MCP,
        *(
            replace(_MCP, id=f"mcp/{version}", version=version, booleans="not-as-member")
            for version in ("2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05")
        ),
        Column(id="bedrock", vendor="bedrock"),
        replace(
            _ANTHROPIC_STRICT_COLUMN,
            id="bedrock/strict",
            vendor="bedrock",
            may_be_null=frozenset(),
        ),
        Column(id="langchain", vendor="langchain", anything_goes=True),
        Column(id="json-schema", vendor="json-schema", anything_goes=True),
    )
}

# The server tries strict mode by itself when a Responses tool does not say; these it then refuses.
REFUSED_WHEN_STRICT_IS_UNSAID = words("oneOf allOf propertyNames")

HTTP_TOKEN = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")

_SIXTY_FOUR = re.compile(r"[a-zA-Z0-9_-]{1,64}")
TOOL_NAMES = {
    "openai": _SIXTY_FOUR,
    "anthropic": _SIXTY_FOUR,  # some copies of the documentation say 128; 64 is safe everywhere
    "bedrock": _SIXTY_FOUR,
    "gemini": re.compile(r"[a-zA-Z_][a-zA-Z0-9_.:-]{0,127}"),
    "mcp": re.compile(r"[a-zA-Z0-9_.-]{1,128}"),
}
MCP_NAMES_SINCE = "2025-11-25"

MOST_TOOLS = {"openai": 128, "openai-responses": 128}
MOST_DECLARATIONS = 512  # per Gemini Tool

# OpenAI strict, per schema.
MOST_LEVELS = 10
MOST_PROPERTIES = 5_000
MOST_ENUM_VALUES = 1_000
MOST_TEXT = 120_000
LARGE_ENUM = 250
MOST_LARGE_ENUM_TEXT = 15_000

# Anthropic strict, per request.
MOST_STRICT_TOOLS = 20
MOST_OPTIONAL = 24
MOST_UNIONS = 16
