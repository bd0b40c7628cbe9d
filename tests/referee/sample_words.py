"""Keywords and formats, one by one, with the dialects that take or refuse them."""

from tests.referee.sample_schemas import TEXT

# dialect, keywords (or formats) it takes, and those it refuses, on a member that is a text
KEYWORDS = [
    (
        "openai",
        """
        oneOf allOf not if then else const default pattern format minLength uniqueItems nullable
        contains propertyNames dependentRequired examples deprecated $comment x-y minimum
        """,
        "",
    ),
    (
        "openai/strict",
        """
        const minimum maximum exclusiveMinimum exclusiveMaximum multipleOf minLength maxLength
        minItems maxItems title description anyOf examples $schema nullable
        """,
        """
        oneOf allOf not if then else dependentRequired dependentSchemas dependencies default
        patternProperties propertyNames unevaluatedProperties unevaluatedItems minProperties
        maxProperties uniqueItems prefixItems additionalItems contains minContains maxContains
        contentEncoding contentMediaType contentSchema $id $anchor $dynamicRef $dynamicAnchor
        $recursiveRef $recursiveAnchor
        """,
    ),
    (
        "anthropic/strict",
        "const default title description anyOf allOf examples $schema minItems pattern nullable",
        """
        oneOf not if then else dependentRequired dependentSchemas dependencies patternProperties
        propertyNames unevaluatedProperties unevaluatedItems minProperties maxProperties minimum
        maximum exclusiveMinimum exclusiveMaximum multipleOf minLength maxLength maxItems
        uniqueItems prefixItems contains minContains maxContains
        """,
    ),
    (
        "gemini/openapi",
        """
        default description example maxItems maxLength maxProperties maximum minItems minLength
        minProperties minimum nullable pattern propertyOrdering title max_items property_ordering
        """,
        """
        $ref ref $defs defs $schema $id $comment const oneOf allOf not if exclusiveMinimum
        exclusiveMaximum multipleOf uniqueItems prefixItems contains examples deprecated readOnly
        patternProperties propertyNames contentEncoding discriminator additionalProperties x-y
        """,
    ),
    ("gemini", "const oneOf allOf not exclusiveMinimum default examples pattern nullable", ""),
    ("mcp", "const oneOf allOf not if default examples x-y contentEncoding $anchor", ""),
    *(
        (dialect, "const oneOf allOf not if default examples x-y minimum uniqueItems", "")
        for dialect in ("mistral", "cohere", "xai", "xai/strict", "deepseek", "groq")
    ),
    (
        "cohere/strict",
        "const pattern title description anyOf multipleOf if default contains prefixItems",
        "oneOf allOf not uniqueItems minimum maximum minLength maxLength minItems maxItems",
    ),
    (
        "mistral/strict",
        "const minimum multipleOf maxItems title anyOf",
        "minLength maxLength pattern format oneOf allOf default not uniqueItems",
    ),
    (
        "deepseek/strict",
        "const minimum maximum exclusiveMinimum multipleOf default pattern title",
        "minLength maxLength minItems maxItems oneOf allOf not patternProperties prefixItems",
    ),
    (
        "ollama",
        "description anyOf title",
        """
        $ref $defs const oneOf allOf not if additionalProperties minimum minLength pattern format
        default examples x-y uniqueItems prefixItems
        """,
    ),
    ("bedrock", "const oneOf allOf not if default examples x-y minimum maxItems", ""),
    ("anthropic", "const oneOf allOf not if default examples x-y minimum maxItems", ""),
]
FORMATS = [
    (
        "openai/strict",
        "date-time time date duration email hostname ipv4 ipv6 uuid",
        "uri regex int32 iri json-pointer",
    ),
    (
        "anthropic/strict",
        "date-time time date duration email hostname ipv4 ipv6 uuid uri",
        "regex int32 uri-reference",
    ),
    ("gemini/openapi", "enum date-time int32 int64 float double", "date time email uri uuid"),
    ("cohere/strict", "date-time date time uuid", "email uri duration"),
    ("deepseek/strict", "email hostname ipv4 ipv6 uuid", "uri date-time date"),
    ("openai", "uri anything", ""),
    ("gemini", "uri anything", ""),
]

_SCHEMA = "not if then else contains contentSchema propertyNames additionalItems unevaluatedItems"
_MAP = "patternProperties dependentSchemas dependencies $defs defs"


def value_for(keyword):
    """Something that may stand beside the keyword."""
    if keyword in ("anyOf", "allOf", "oneOf", "prefixItems"):
        return [TEXT]
    if keyword in _SCHEMA.split():
        return TEXT
    if keyword in _MAP.split():
        return {"x": TEXT}
    if keyword in ("additionalProperties", "unevaluatedProperties"):
        return False
    return "x" if keyword in ("$id", "$anchor", "$ref", "pattern", "title", "description") else 1
