"""Schemas a dialect accepts, each beside one that a rule refuses."""

TEXT = {"type": "string"}


def obj(**members):
    return {"type": "object", "properties": members}


def closed(**members):
    return {**obj(**members), "additionalProperties": False, "required": list(members)}


def optional(**members):
    return {**obj(**members), "additionalProperties": False}


def nested(levels):
    schema = closed(leaf=TEXT)
    for _ in range(levels - 1):
        schema = closed(inner=schema)
    return schema


def with_defs(schema, **definitions):
    return {**schema, "$defs": definitions}


def ref(name):
    return {"$ref": f"#/$defs/{name}"}


NODE = obj(next=ref("Node"))
REQUIRED_NODE = {**NODE, "required": ["next"]}
KEYWORDS_AS_NAMES = closed(
    a=closed(**{"type": TEXT, "$ref": TEXT, "const": TEXT, "oneOf": TEXT, "enum": TEXT})
)

# rule, dialect, a schema that passes, a schema that is faulted for it
SCHEMAS = [
    ("malformed", "openai", obj(a=TEXT), obj(a="string")),
    ("malformed", "openai", obj(a=TEXT), obj(a={"type": "str"})),
    ("malformed", "gemini", obj(a=TEXT), obj(a={"type": "STRING"})),
    ("malformed", "gemini/openapi", obj(a={"type": "STRING"}), obj(a={"type": "text"})),
    ("malformed", "bedrock", {**obj(a=TEXT), "required": ["a"]}, {**obj(a=TEXT), "required": True}),
    ("malformed", "anthropic", {**obj(a=TEXT), "required": None}, obj(a={**TEXT, "enum": None})),
    ("malformed", "json-schema", {"type": "str"}, []),
    ("malformed", "json-schema/draft-07", {"enum": [1, 1]}, {"required": ["a", "a"]}),
    ("malformed", "json-schema/draft-04", {"additionalItems": True}, {"items": True}),
    ("keyword", "json-schema/2020-12", {"prefixItems": [TEXT]}, {"$recursiveRef": "#"}),
    ("keyword", "json-schema/2019-09", {"items": [TEXT]}, {"prefixItems": [TEXT]}),
    ("keyword", "json-schema/draft-06", {"contains": TEXT}, {"not": {"then": TEXT}}),
    (
        "ref-siblings",
        "json-schema/draft-07",
        {"$ref": "#/definitions/a", "definitions": {"a": TEXT}},
        {"items": {"$ref": "#", "minLength": 1}},
    ),
    ("format", "gemini/openapi/litellm", obj(a=TEXT), obj(a={**TEXT, "format": "int64"})),
    (
        "root-keyword",
        "gemini/openapi/litellm",
        obj(a={**TEXT, "title": "A"}),
        {**obj(a=TEXT), "title": "A"},
    ),
    ("malformed", "langchain", {"$ref": "http://x"}, None),
    *(
        ("root-keyword", "anthropic", obj(**{keyword: TEXT}), {**obj(), keyword: [obj()]})
        for keyword in ("oneOf", "allOf")
    ),
    (
        "malformed",
        "anthropic",
        {"type": "object", "properties": None},
        obj(a={"type": "object", "properties": None}),
    ),
    ("untyped", "anthropic/strict", closed(a={"const": 1}), closed(a={"title": "A"})),
    ("untyped", "anthropic/strict", closed(a={"anyOf": [TEXT]}), closed(a={"anyOf": [{}]})),
    *(
        ("pattern", "anthropic/strict", closed(), closed(a={**TEXT, "pattern": pattern}))
        for pattern in ("a(?=b)", r"(a)\1")
    ),
    (
        "tuple-items",
        "gemini/openapi",
        {**obj(a={"type": "ARRAY", "items": {"type": "STRING"}}), "required": ["a"]},
        obj(a={"type": "ARRAY", "items": [TEXT]}),
    ),
    ("root-type", "openai", obj(), {"properties": {}}),
    ("root-type", "anthropic", obj(), {"type": ["object", "null"]}),
    ("root-type", "bedrock", obj(), {}),
    ("root-type", "mcp", {"type": "object"}, {"anyOf": [obj()]}),
    ("root-type", "gemini", with_defs(ref("X"), X=obj()), with_defs(ref("X"), X=TEXT)),
    ("root-type", "gemini", {"anyOf": [obj(), obj()]}, {"anyOf": [obj(), TEXT]}),
    ("root-type", "gemini/openapi", {"type": "OBJECT"}, {"type": "ARRAY", "items": TEXT}),
    *(
        ("root-keyword", dialect, closed(**{keyword: TEXT}), {**obj(), keyword: [obj()]})
        for dialect in ("openai", "openai/strict", "openai-responses", "anthropic/strict")
        for keyword in ("anyOf", "oneOf", "allOf", "not", "enum", "const")
    ),
    ("root-keyword", "anthropic", {**obj(), "not": TEXT}, {**obj(), "anyOf": [obj()]}),
    ("boolean-schema", "openai/strict", closed(a=TEXT), closed(a=True)),
    ("boolean-schema", "anthropic/strict", closed(a=TEXT), closed(a=False)),
    ("boolean-schema", "gemini/openapi", obj(a=TEXT), obj(a=True)),
    ("boolean-schema", "mcp/2025-11-25", obj(a=obj(b=True)), obj(a=True)),
    *(
        ("keyword", dialect, KEYWORDS_AS_NAMES, closed(a={**TEXT, keyword: 1}))
        for dialect in ("openai/strict", "openai-responses/strict", "anthropic/strict")
        for keyword in "not if patternProperties propertyNames uniqueItems contains oneOf".split()
    ),
    (
        "keyword",
        "openai/strict",
        closed(a={"type": "integer", "minimum": 1}),
        closed(a={**TEXT, "default": ""}),
    ),
    ("keyword", "openai/strict", {"$id": "x", **closed()}, closed(a={"$id": "y", **TEXT})),
    ("keyword", "openai/strict", closed(a=TEXT), closed(a={"allOf": [TEXT]})),
    (
        "keyword",
        "openai/strict",
        closed(a={**TEXT, "maxLength": 3}),
        closed(a={**TEXT, "contentEncoding": "x"}),
    ),
    (
        "keyword",
        "anthropic/strict",
        closed(a={**TEXT, "default": ""}),
        closed(a={**TEXT, "maxLength": 3}),
    ),
    ("keyword", "anthropic/strict", closed(a=TEXT), closed(a={"type": "integer", "minimum": 1})),
    (
        "keyword",
        "bedrock/strict",
        closed(a=TEXT),
        closed(a={"type": "array", "items": TEXT, "maxItems": 2}),
    ),
    *(
        (
            "keyword",
            "gemini/openapi",
            obj(const=TEXT, anyOf=TEXT, type=TEXT),
            obj(a={**TEXT, keyword: "x"}),
        )
        for keyword in "const $ref ref $schema examples oneOf exclusiveMinimum x-y".split()
    ),
    ("keyword", "gemini/openapi", obj(a=TEXT), {**obj(a=TEXT), "additionalProperties": False}),
    (
        "keyword",
        "gemini/openapi",
        obj(a={**TEXT, "min_length": 1}),
        obj(a={**TEXT, "multiple_of": 1}),
    ),
    (
        "type-list",
        "gemini/openapi",
        obj(a={**TEXT, "nullable": True}),
        obj(a={"type": ["string", "null"]}),
    ),
    ("untyped", "openai/strict", closed(a={"anyOf": [TEXT]}), closed(a={"description": "d"})),
    ("untyped", "openai/strict", closed(a={**TEXT, "enum": ["x"]}), closed(a={"enum": ["x"]})),
    (
        "untyped",
        "openai/strict",
        closed(a={"type": "array", "items": TEXT}),
        closed(a={"type": "array", "items": {}}),
    ),
    ("untyped", "anthropic/strict", closed(a={"enum": ["x"]}), closed(a={})),
    ("untyped", "gemini/openapi", obj(a={"anyOf": [TEXT]}), obj(a={"description": "d"})),
    ("enum", "anthropic/strict", closed(a={"enum": [1, None, "x"]}), closed(a={"enum": [{}]})),
    ("enum", "gemini/openapi", obj(a={**TEXT, "enum": ["x"]}), obj(a={**TEXT, "enum": [1]})),
    ("enum", "gemini/openapi", obj(a={**TEXT, "enum": ["x"]}), obj(a={**TEXT, "enum": [""]})),
    ("enum", "gemini/openapi", obj(enum=TEXT), obj(a={"enum": ["x"]})),
    ("array-items", "openai", obj(a={"type": "array", "items": {}}), obj(a={"type": "array"})),
    (
        "array-items",
        "openai",
        obj(a=TEXT),
        obj(a={"type": ["array", "null"], "prefixItems": [TEXT]}),
    ),
    (
        "array-items",
        "openai/strict",
        closed(a={"type": "array", "items": TEXT}),
        closed(a={"type": "array"}),
    ),
    ("array-items", "gemini/openapi", obj(a=TEXT), obj(a={"anyOf": [{"type": "ARRAY"}]})),
    (
        "tuple-items",
        "openai/strict",
        closed(a={"type": "array", "items": TEXT}),
        closed(a={"type": "array", "items": [TEXT]}),
    ),
    (
        "tuple-items",
        "anthropic/strict",
        closed(items=TEXT),
        closed(a={"type": "array", "items": [TEXT]}),
    ),
    (
        "min-items",
        "anthropic/strict",
        closed(a={"type": "array", "minItems": 1}),
        closed(a={"type": "array", "minItems": 2}),
    ),
    (
        "format",
        "openai/strict",
        closed(a={**TEXT, "format": "uuid"}),
        closed(a={**TEXT, "format": "uri"}),
    ),
    (
        "format",
        "anthropic/strict",
        closed(a={**TEXT, "format": "uri"}),
        closed(a={**TEXT, "format": "regex"}),
    ),
    (
        "format",
        "gemini/openapi",
        obj(a={**TEXT, "format": "date-time"}),
        obj(a={**TEXT, "format": "date"}),
    ),
    (
        "pattern",
        "openai/strict",
        closed(a={**TEXT, "pattern": r"\ba\1"}),
        closed(a={**TEXT, "pattern": "^(?!a)"}),
    ),
    (
        "pattern",
        "anthropic/strict",
        closed(a={**TEXT, "pattern": r"[\b](?:a)"}),
        closed(a={**TEXT, "pattern": r"\ba"}),
    ),
    ("pattern", "bedrock/strict", closed(pattern=TEXT), closed(a={**TEXT, "pattern": r"(a)\1"})),
    ("open-object", "openai/strict", closed(), obj()),
    (
        "open-object",
        "anthropic/strict",
        closed(a={**optional(), "type": ["object", "null"]}),
        closed(a={"type": ["object", "null"]}),
    ),
    ("open-object", "bedrock/strict", closed(a=closed()), closed(a={"anyOf": [obj()]})),
    ("map", "openai/strict", closed(), {**obj(), "additionalProperties": TEXT}),
    ("map", "anthropic/strict", closed(), {**obj(), "additionalProperties": True}),
    (
        "optional-member",
        "openai/strict",
        closed(a=TEXT, b=TEXT),
        {**closed(a=TEXT, b=TEXT), "required": ["a"]},
    ),
    (
        "required-unknown",
        "openai/strict",
        closed(a=TEXT),
        {**closed(a=TEXT), "required": ["a", "b"]},
    ),
    ("required-unknown", "gemini/openapi", obj(a=TEXT), {**obj(a=TEXT), "required": ["b"]}),
    ("empty-properties", "gemini/openapi", {"type": "object"}, obj()),
    ("property-name", "anthropic", obj(**{"a.b-c": obj(**{"d e": TEXT})}), obj(**{"d e": TEXT})),
    ("property-name", "anthropic/strict", closed(**{"a" * 64: TEXT}), closed(**{"a" * 65: TEXT})),
    ("property-name", "gemini/openapi", obj(_a1=TEXT), obj(a=obj(**{"b-c": TEXT}))),
    (
        "union-siblings",
        "gemini/openapi",
        obj(a={"description": "d", "nullable": True, "anyOf": [TEXT]}),
        obj(a={**TEXT, "anyOf": [TEXT]}),
    ),
    (
        "all-of-ref",
        "anthropic/strict",
        closed(a={"allOf": [TEXT]}),
        with_defs(closed(a={"allOf": [ref("X")]}), X=TEXT),
    ),
    (
        "ref-remote",
        "openai",
        with_defs(obj(a=ref("X")), X=TEXT),
        obj(a={"$ref": "https://x.test/y.json"}),
    ),
    (
        "ref-remote",
        "mcp",
        {"$id": "https://x.test/y", **obj(a={"$ref": "y#/properties/b"}, b=TEXT)},
        obj(a={"$ref": "y"}),
    ),
    (
        "ref-missing",
        "bedrock",
        obj(a={"$ref": "#/properties/b~1c"}, **{"b/c": TEXT}),
        obj(a=ref("X")),
    ),
    (
        "ref-missing",
        "gemini",
        obj(a={"$ref": "#x"}, b={"$anchor": "x", **TEXT}),
        obj(a={"$ref": "#y"}),
    ),
    (
        "ref-target",
        "openai/strict",
        closed(a={"$ref": "#"}),
        closed(a=TEXT, b={"$ref": "#/properties/a"}),
    ),
    (
        "ref-siblings",
        "openai/strict",
        with_defs(closed(a=ref("X")), X=TEXT),
        with_defs(closed(a={**ref("X"), "description": "d"}), X=TEXT),
    ),
    (
        "ref-siblings",
        "gemini",
        with_defs(obj(a={**ref("X"), "$comment": "c"}), X=TEXT),
        with_defs(obj(a={**ref("X"), "description": "d"}), X=TEXT),
    ),
    (
        "recursion",
        "anthropic/strict",
        with_defs(closed(a=ref("X"), b=ref("X")), X=closed()),
        with_defs(closed(a=ref("X")), X=closed(b=ref("X"))),
    ),
    (
        "recursion",
        "gemini",
        with_defs(obj(a=ref("Node")), Node=NODE),
        with_defs(obj(a=ref("Node")), Node=REQUIRED_NODE),
    ),
    (
        "mcp-header",
        "mcp",
        obj(a={**TEXT, "x-mcp-header": "A"}),
        obj(a={"type": "number", "x-mcp-header": "A"}),
    ),
    (
        "mcp-header",
        "mcp",
        obj(a=obj(b={**TEXT, "x-mcp-header": "A"})),
        obj(a={"anyOf": [{**TEXT, "x-mcp-header": "A"}]}),
    ),
    ("mcp-header", "mcp/2025-11-25", obj(a={**TEXT, "x-mcp-header": "a b"}), None),
    (
        "mcp-header",
        "mcp",
        obj(),
        obj(a={**TEXT, "x-mcp-header": "A"}, b={**TEXT, "x-mcp-header": "a"}),
    ),
    ("limit-levels", "openai/strict", nested(10), nested(11)),
    (
        "limit-properties",
        "openai/strict",
        closed(**{f"p{n}": TEXT for n in range(5000)}),
        closed(**{f"p{n}": TEXT for n in range(5001)}),
    ),
    (
        "limit-enum-values",
        "openai/strict",
        closed(a={"type": "integer", "enum": [*range(1000)]}),
        closed(a={"type": "integer", "enum": [*range(1001)]}),
    ),
    (
        "limit-enum-text",
        "openai/strict",
        closed(a={**TEXT, "enum": [f"{n:060}" for n in range(250)]}),
        closed(a={**TEXT, "enum": [f"{n:060}" for n in range(251)]}),
    ),
    (
        "limit-text",
        "openai/strict",
        closed(a={**TEXT, "const": "x" * 119_999}),
        closed(a={**TEXT, "const": "x" * 120_000}),
    ),
    (
        "limit-optional",
        "anthropic/strict",
        optional(**{f"p{n}": TEXT for n in range(24)}),
        optional(**{f"p{n}": TEXT for n in range(25)}),
    ),
    (
        "limit-unions",
        "anthropic/strict",
        closed(**{f"p{n}": {"type": ["string", "null"]} for n in range(16)}),
        closed(**{f"p{n}": {"anyOf": [TEXT]} for n in range(17)}),
    ),
]


# Dialects that follow another one's column.
TWINS = {
    "openai": ("openai-responses",),
    "openai/strict": ("openai-responses/strict",),
    "anthropic/strict": ("bedrock/strict",),
    "mcp/2025-11-25": ("mcp/2025-06-18", "mcp/2025-03-26", "mcp/2024-11-05"),
}
