"""What each dialect accepts, one column of the facts per row here: only what is refused,
required or limited. What is merely a hint, ignored or unknown is not a fault.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from keyword import kwlist
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
    says_strict: bool = True  # each strict tool, not the request
    all_or_none: bool = False  # of the tools of a request are strict
    limits: Literal["none", "sizes", "usage", "fields"] = "none"
    anything_goes: bool = False  # a document format that nobody serves
    version: str = ""
    declares: str = ""  # the draft whose documents it takes, by the address of its meta-schema
    root: Literal["object", "describes-object"] = "object"
    may_be_null: frozenset[str] = frozenset()  # at the root
    refused: frozenset[str] = frozenset()
    refused_at_root: frozenset[str] = frozenset()
    refused_below_root: frozenset[str] = frozenset()
    known: frozenset[str] | None = None  # where set, any other keyword is refused
    booleans: Literal["any", "none", "not-as-member"] = "any"
    type_lists: Literal["any", "scalars", "none"] = "any"
    any_case_types: bool = False
    typed_by: frozenset[str] = frozenset()  # where set, a node needs one of these
    typed_branches: bool = False  # each branch of a union says its type
    enum: Literal["any", "primitives", "strings"] = "any"
    items_required: bool = False
    tuples: bool = True
    formats: frozenset[str] | None = None
    refused_in_patterns: frozenset[str] = frozenset()
    closed: bool = False
    says_open: bool = False  # an object that declares nothing says whether it takes anything
    all_required: bool = False
    some_required: bool = False
    required_known: bool = False
    empty_properties: bool = True
    empty_objects: Literal["any", "root", "none"] = "any"
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
    limits="sizes",
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
    limits="usage",
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
    type_lists="none",
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
# Cohere's list of what its structured outputs do not support; of the rest nothing is said.
_COHERE_STRICT = Column(
    id="cohere/strict",
    vendor="cohere",
    strict=True,
    says_strict=False,
    all_or_none=True,
    limits="fields",
    refused=words(
        "oneOf allOf not uniqueItems minimum maximum minLength maxLength minItems maxItems"
    ),
    refused_at_root=words("anyOf oneOf allOf not enum const"),
    formats=words("date-time uuid date time"),
    refused_in_patterns=words("anchor look-around"),
    some_required=True,
    empty_objects="none",
)
# Only what the server's own types hold reaches the model; a title is not worth a fault.
_OLLAMA = Column(
    id="ollama",
    vendor="ollama",
    known=words("type properties items required enum anyOf description title"),
    booleans="none",
)
_DEEPSEEK_STRICT = Column(
    id="deepseek/strict",
    vendor="deepseek",
    strict=True,
    all_or_none=True,
    refused=_NEVER_STRICT | words("allOf minLength maxLength minItems maxItems"),
    refused_at_root=words("anyOf oneOf allOf not"),
    booleans="none",
    type_lists="scalars",
    typed_by=words("type anyOf $ref"),
    typed_branches=True,
    tuples=False,
    formats=words("email hostname ipv4 ipv6 uuid"),
    closed=True,
    all_required=True,
    required_known=True,
    empty_objects="root",
)
_SAME_ENVELOPE = (
    Column(id="mistral", vendor="mistral"),
    replace(
        _OPENAI_STRICT_COLUMN,
        id="mistral/strict",
        vendor="mistral",
        limits="none",
        refused=_OPENAI_STRICT | words("minLength maxLength pattern format"),
    ),
    Column(id="cohere", vendor="cohere"),
    _COHERE_STRICT,
    _OLLAMA,
    Column(id="xai", vendor="xai", recursion="none", says_open=True),
    Column(id="xai/strict", vendor="xai", strict=True, recursion="none", says_open=True),
    Column(id="deepseek", vendor="deepseek"),
    _DEEPSEEK_STRICT,
    Column(id="groq", vendor="groq"),
    Column(
        id="groq/strict",
        vendor="groq",
        strict=True,
        closed=True,
        all_required=True,
        required_known=True,
    ),
)
# Engines that a server of one's own runs; what they make of each word was measured.
_ENGINE = Column(id="", vendor="openai", strict=True, ref_siblings="none")
_PLAIN = words("look-around back-reference word-boundary")
_ENGINES = (
    replace(
        _ENGINE,
        id="openai/llguidance",
        refused=_NEVER_STRICT - words("patternProperties prefixItems") | words("$dynamicRef"),
        formats=_OPENAI_FORMATS | {"uri"},
        refused_in_patterns=_PLAIN,
        refs="definitions",
    ),
    replace(
        _ENGINE,
        id="openai/outlines",
        refused=_NEVER_STRICT - words("uniqueItems") | words("allOf pattern $ref $dynamicRef"),
        booleans="none",
        type_lists="none",
        typed_by=words("type anyOf enum const"),
        formats=words("date email uri uuid"),
        closed=True,
        all_required=True,
        required_known=True,
        property_names=PropertyNames(re.compile(r'[^"\\\x00-\x1f]{1,1000}'), top_only=False),
    ),
)
_GEMINI_THROUGH_LITELLM = replace(
    _GEMINI_OPENAPI,
    id="gemini/openapi/litellm",
    formats=words("enum date-time"),
    refused_at_root=words("title description"),
)
_MCP = Column(id="mcp", vendor="mcp", version="2026-07-28")
# Hosts of the protocol: what is known of each beyond it. All Claude hosts send to one API.
_CLIENTS = (
    replace(_MCP, id="mcp/cursor"),
    replace(_MCP, id="mcp/vscode", version="2025-11-25", booleans="not-as-member"),
    replace(_MCP, id="mcp/claude-desktop", property_names=_ANTHROPIC.property_names),
    replace(
        _MCP,
        id="mcp/claude-code",
        refused_at_root=_ANTHROPIC.refused_at_root,
        property_names=_ANTHROPIC.property_names,
    ),
    replace(_MCP, id="mcp/windsurf"),
)
_FRAMEWORKS = (
    Column(id="vercel", vendor="vercel"),
    Column(id="huggingface", vendor="huggingface"),
    Column(
        id="llamaindex",
        vendor="llamaindex",
        refused_at_root=words("anyOf oneOf allOf not enum const"),
    ),
    Column(
        id="smolagents",
        vendor="smolagents",
        known=words(
            "type properties items prefixItems required enum anyOf title description default"
        ),
        booleans="none",
        property_names=PropertyNames(re.compile("[a-zA-Z_][a-zA-Z0-9_]*"), top_only=True),
    ),
    Column(id="utcp", vendor="utcp", booleans="none"),
)

# Drafts of JSON Schema, the words that came after each, newest first.
_SINCE_2020 = words("prefixItems $dynamicRef $dynamicAnchor")
_SINCE_2019 = _SINCE_2020 | words(
    "$defs $anchor dependentRequired dependentSchemas minContains maxContains unevaluatedItems "
    "unevaluatedProperties $recursiveRef $recursiveAnchor"
)
_SINCE_7 = _SINCE_2019 | words("if then else")
_SINCE_6 = _SINCE_7 | words("const contains propertyNames $id")
_DRAFTS = (
    Column(
        id="json-schema/2020-12",
        vendor="json-schema",
        declares="https://json-schema.org/draft/2020-12/schema",
        refused=words("$recursiveRef $recursiveAnchor"),
    ),
    Column(
        id="json-schema/2019-09",
        vendor="json-schema",
        declares="https://json-schema.org/draft/2019-09/schema",
        refused=_SINCE_2020,
    ),
    *(
        Column(
            id=f"json-schema/draft-{number}",
            vendor="json-schema",
            declares=f"http://json-schema.org/draft-{number}/schema#",
            refused=later,
            ref_siblings="none",
        )
        for number, later in (("07", _SINCE_2019), ("06", _SINCE_7), ("04", _SINCE_6))
    ),
)

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
        _GEMINI_THROUGH_LITELLM,
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
        *_SAME_ENVELOPE,
        *_ENGINES,
        *_CLIENTS,
        *_FRAMEWORKS,
        Column(id="langchain", vendor="langchain", anything_goes=True),
        Column(id="json-schema", vendor="json-schema", anything_goes=True),
        *_DRAFTS,
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
    "cohere": re.compile(r"[a-zA-Z_][a-zA-Z0-9_]*"),
    "deepseek": _SIXTY_FOUR,
    "groq": _SIXTY_FOUR,
    "mistral": _SIXTY_FOUR,
    "gemini": re.compile(r"[a-zA-Z_][a-zA-Z0-9_.:-]{0,127}"),
    "mcp": re.compile(r"[a-zA-Z0-9_.-]{1,128}"),
    # Clients count more than the name; a server's own is at least one character.
    "mcp/cursor": re.compile(r"[a-zA-Z0-9_-]{1,58}"),
    "mcp/vscode": re.compile(r"[a-zA-Z0-9_-]{1,58}"),
    "mcp/claude-desktop": _SIXTY_FOUR,
    "mcp/claude-code": re.compile(r"[a-zA-Z0-9_-]{1,56}"),
    "llamaindex": _SIXTY_FOUR,
    "smolagents": re.compile(rf"(?!(?:{'|'.join(kwlist)})$)[a-zA-Z_][a-zA-Z0-9_]*"),
}
MCP_NAMES_SINCE = "2025-11-25"

MOST_TOOLS = {
    "groq": 128,
    "openai": 128,
    "openai-responses": 128,
    "mcp/cursor": 80,
    "mcp/vscode": 128,
    "mcp/claude-desktop": 256,
    "mcp/windsurf": 100,
}
MOST_SCHEMA_BYTES = {"mcp/claude-desktop": 16_384}
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

# Cohere strict, per request.
MOST_FIELDS = 200
