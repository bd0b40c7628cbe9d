"""Tools and requests a provider accepts, each beside one that a rule refuses."""

from tests.referee.sample_schemas import TEXT, closed, obj, optional


def chat(**fields):
    return {"type": "function", "function": {"name": "f", "parameters": obj(a=TEXT), **fields}}


def flat(**fields):
    return {"type": "function", "name": "f", "parameters": obj(a=TEXT), "strict": False, **fields}


def claude(**fields):
    return {"name": "f", "input_schema": obj(a=TEXT), **fields}


def declared(**fields):
    return {"name": "f", "parametersJsonSchema": obj(a=TEXT), **fields}


def spec(**fields):
    return {"toolSpec": {"name": "f", "inputSchema": {"json": obj(a=TEXT)}, **fields}}


def served(**fields):
    return {"name": "f", "inputSchema": obj(a=TEXT), **fields}


def without(tool, *keys):
    return {key: value for key, value in tool.items() if key not in keys}


GRAMMAR = {"syntax": "lark", "definition": "start: WORD"}
UNION = obj(a={"oneOf": [TEXT]})

# rule, envelope, dialect, a tool that passes, a tool that is faulted for it
TOOLS = [
    ("malformed", "openai", "openai", chat(), "f"),
    (
        "missing-key",
        "openai",
        "openai",
        {"type": "function", "function": {"name": "f"}},
        {"function": {"name": "f"}},
    ),
    ("unknown-key", "openai", "openai", chat(strict=None), chat(title="F")),
    ("wrong-value", "openai", "openai", chat(strict=False), chat(strict="yes")),
    (
        "wrong-value",
        "openai",
        "openai",
        {
            "type": "custom",
            "custom": {"name": "f", "format": {"type": "grammar", "grammar": GRAMMAR}},
        },
        {"type": "custom", "custom": {"name": "f", "format": {"type": "grammar", **GRAMMAR}}},
    ),
    ("name", "openai", "openai", chat(name="a-B_1"), chat(name="a.b")),
    ("name", "openai", "openai", chat(name="a" * 64), chat(name="a" * 65)),
    ("name", "openai", "gemini/openapi", chat(name="a1"), chat(name="1a")),
    (
        "strict-flag",
        "openai",
        "openai/strict",
        chat(strict=True, parameters=closed()),
        chat(parameters=closed()),
    ),
    ("open-object", "openai", "openai", chat(), chat(strict=True)),
    (
        "missing-key",
        "openai-responses",
        "openai-responses",
        flat(parameters=None),
        without(flat(), "parameters"),
    ),
    (
        "missing-key",
        "openai-responses",
        "openai-responses",
        flat(strict=None),
        without(flat(), "strict"),
    ),
    (
        "unknown-key",
        "openai-responses",
        "openai-responses",
        flat(**{"async": True, "output_schema": {}}),
        flat(function={}),
    ),
    (
        "wrong-value",
        "openai-responses",
        "openai-responses",
        flat(allowed_callers=["programmatic"]),
        flat(allowed_callers=["code"]),
    ),
    (
        "wrong-value",
        "openai-responses",
        "openai-responses",
        {"type": "custom", "name": "f", "format": {"type": "grammar", **GRAMMAR}},
        {"type": "custom", "name": "f", "format": {"type": "grammar", "grammar": GRAMMAR}},
    ),
    (
        "wrong-value",
        "openai-responses",
        "openai-responses",
        {"type": "web_search_2025_08_26"},
        {"type": "search"},
    ),
    (
        "keyword",
        "openai-responses",
        "openai-responses",
        flat(parameters=UNION),
        flat(parameters=UNION, strict=None),
    ),
    (
        "missing-key",
        "openai-responses",
        "openai-responses",
        {"type": "namespace", "name": "n", "description": "", "tools": [without(flat(), "strict")]},
        {"type": "namespace", "name": "n", "description": "", "tools": [{"type": "custom"}]},
    ),
    (
        "name",
        "openai-responses",
        "openai-responses",
        {"type": "namespace", "name": "n", "description": "", "tools": [flat()]},
        {"type": "namespace", "name": "n", "description": "", "tools": [flat(name="a b")]},
    ),
    (
        "malformed",
        "anthropic",
        "anthropic/strict",
        claude(strict=True, input_schema={**closed(), "properties": None, "required": None}),
        "f",
    ),
    ("missing-key", "anthropic", "anthropic", claude(), {"name": "f"}),
    ("unknown-key", "anthropic", "anthropic", claude(type="custom"), claude(inputSchema={})),
    (
        "wrong-value",
        "anthropic",
        "anthropic",
        claude(cache_control={"type": "ephemeral", "ttl": "1h"}),
        claude(cache_control={"type": "ephemeral", "ttl": "2h"}),
    ),
    ("name", "anthropic", "anthropic", claude(name="f"), claude(name="")),
    (
        "wrong-value",
        "anthropic",
        "anthropic",
        {"type": "bash_20250124", "name": "bash"},
        claude(type="bash"),
    ),
    ("root-type", "anthropic", "anthropic", claude(), claude(input_schema={})),
    ("exclusive-keys", "gemini", "gemini", declared(), declared(parameters=obj(a=TEXT))),
    ("missing-key", "gemini", "gemini", {"google_search": {}}, {}),
    (
        "unknown-key",
        "gemini",
        "gemini",
        {"name": "f", "parameters_json_schema": obj()},
        declared(strict=True),
    ),
    (
        "unknown-key",
        "gemini",
        "gemini",
        {"functionDeclarations": [declared()]},
        {"functions": [declared()]},
    ),
    (
        "wrong-value",
        "gemini",
        "gemini",
        declared(behavior="NON_BLOCKING"),
        declared(behavior="ASYNC"),
    ),
    (
        "wrong-field",
        "gemini",
        "gemini/openapi",
        {"name": "f", "parameters": {"type": "OBJECT"}},
        declared(),
    ),
    (
        "keyword",
        "gemini",
        "gemini",
        declared(responseJsonSchema={"const": 1}),
        {"name": "f", "response": {"const": 1}},
    ),
    ("name", "gemini", "gemini", declared(name="_a.b:c-" + "d" * 121), declared(name="1a")),
    (
        "limit-tools",
        "gemini",
        "gemini",
        {"functionDeclarations": [declared()] * 512},
        {"functionDeclarations": [declared()] * 513},
    ),
    ("missing-key", "mcp", "mcp", served(), {"name": "f"}),
    ("unknown-key", "mcp", "mcp/2025-06-18", served(title="F"), served(icons=[])),
    ("unknown-key", "mcp", "mcp/2024-11-05", served(description="d"), served(annotations={})),
    ("wrong-value", "mcp", "mcp/2025-11-25", served(execution={}), served(execution="x")),
    (
        "wrong-value",
        "mcp",
        "mcp/2025-11-25",
        served(execution={"taskSupport": "optional"}),
        served(execution={"taskSupport": "no"}),
    ),
    (
        "wrong-value",
        "mcp",
        "mcp/2025-03-26",
        served(annotations={"readOnlyHint": True}),
        served(annotations={"readOnlyHint": "yes"}),
    ),
    ("root-type", "mcp", "mcp/2025-11-25", served(outputSchema=obj()), served(outputSchema=TEXT)),
    (
        "ref-remote",
        "mcp",
        "mcp",
        served(outputSchema=TEXT),
        served(outputSchema={"$ref": "http://x"}),
    ),
    ("name", "mcp", "mcp", served(name="a.b"), served(name="a/b")),
    ("name", "mcp", "mcp/2025-06-18", served(name="a/b"), served(name="")),
    (
        "exclusive-keys",
        "bedrock",
        "bedrock",
        {"cachePoint": {"type": "default"}},
        {**spec(), "cachePoint": {"type": "default"}},
    ),
    ("unknown-key", "bedrock", "bedrock", {"systemTool": {"name": "s"}}, served()),
    ("wrong-value", "bedrock", "bedrock", spec(description="d"), spec(description="")),
    ("wrong-value", "bedrock", "bedrock", spec(strict=False), spec(inputSchema=obj())),
    (
        "strict-flag",
        "bedrock",
        "bedrock/strict",
        spec(strict=True, inputSchema={"json": closed()}),
        spec(inputSchema={"json": closed()}),
    ),
    *(
        (
            "missing-key",
            envelope,
            envelope,
            chat(),
            {"type": "function", "function": {"name": "f"}},
        )
        for envelope in ("mistral", "cohere")
    ),
    *(
        ("missing-key", envelope, envelope, {"type": "function", "function": {"name": "f"}}, {})
        for envelope in ("ollama", "xai", "deepseek", "groq")
    ),
    *(
        ("unknown-key", envelope, envelope, chat(description="d"), chat(title="F"))
        for envelope in ("mistral", "cohere", "ollama", "xai", "deepseek", "groq")
    ),
    ("unknown-key", "cohere", "cohere", chat(), chat(strict=True)),
    ("unknown-key", "ollama", "ollama", chat(), chat(strict=True)),
    ("wrong-value", "mistral", "mistral", chat(strict=None), chat(strict=1)),
    ("wrong-value", "groq", "groq", {"type": "browser_search"}, {"type": "search"}),
    ("wrong-value", "xai", "xai", {"type": "x_search"}, {"type": "search", "function": {}}),
    ("name", "cohere", "cohere", chat(name="a_1"), chat(name="1a")),
    ("name", "deepseek", "deepseek", chat(name="a" * 64), chat(name="a" * 65)),
    ("name", "mistral", "mistral", chat(name="a-1"), chat(name="a.1")),
    *(
        (
            "strict-flag",
            envelope,
            f"{envelope}/strict",
            chat(strict=True, parameters=closed(a=TEXT)),
            chat(parameters=closed(a=TEXT)),
        )
        for envelope in ("mistral", "xai", "deepseek", "groq")
    ),
    ("open-object", "groq", "groq", chat(), chat(strict=True)),
    ("missing-key", "langchain", "langchain", {"name": "f", "args_schema": {}}, {"name": "f"}),
    ("missing-key", "langchain", "langchain", {"title": "F", "properties": {}}, {"title": "F"}),
    ("malformed", "json-schema", "json-schema", {"$ref": "https://x.test/y"}, []),
]


def many(make, count, **fields):
    return [make(name=f"f{number}", **fields) for number in range(count)]


STRICT = {"strict": True, "input_schema": optional(a=TEXT, b=TEXT)}

# rule, envelope, dialect, a request that passes, a request that is faulted for it
PAYLOADS = [
    ("limit-tools", "openai", "openai", many(chat, 128), many(chat, 129)),
    ("limit-tools", "openai-responses", "openai-responses", many(flat, 128), many(flat, 129)),
    ("limit-tools", "bedrock", "bedrock", {"toolConfig": {"tools": [spec()]}}, {"tools": []}),
    (
        "limit-strict-tools",
        "anthropic",
        "anthropic",
        many(claude, 21),
        many(claude, 21, strict=True, input_schema=closed()),
    ),
    (
        "limit-optional",
        "anthropic",
        "anthropic/strict",
        many(claude, 12, **STRICT),
        many(claude, 13, **STRICT),
    ),
    (
        "limit-unions",
        "bedrock",
        "bedrock/strict",
        many(spec, 1, strict=True, inputSchema={"json": closed(a={"anyOf": [TEXT]})}),
        many(spec, 17, strict=True, inputSchema={"json": closed(a={"anyOf": [TEXT]})}),
    ),
    ("limit-tools", "groq", "groq", many(chat, 128), many(chat, 129)),
    (
        "limit-fields",
        "cohere",
        "cohere/strict",
        many(chat, 200, parameters=closed(a=TEXT)),
        many(chat, 201, parameters=closed(a=TEXT)),
    ),
    (
        "some-strict",
        "deepseek",
        "deepseek",
        many(chat, 2, strict=True, parameters=closed(a=TEXT)),
        [chat(strict=True, parameters=closed(a=TEXT)), chat(name="g")],
    ),
    ("repeated-name", "openai", "openai", many(chat, 2), [chat(), chat()]),
    (
        "repeated-name",
        "gemini",
        "gemini",
        [{"functionDeclarations": many(declared, 2)}],
        [{"functionDeclarations": [declared(), declared()]}],
    ),
    (
        "missing-key",
        "mcp",
        "mcp",
        {"tools": [], "resultType": "complete", "ttlMs": 0, "cacheScope": "public"},
        {"tools": []},
    ),
    (
        "unknown-key",
        "mcp",
        "mcp/2025-11-25",
        {"tools": [served()], "nextCursor": "x"},
        {"tools": [], "ttlMs": 0},
    ),
    ("name", "anthropic", "anthropic", claude(), claude(name="a b")),
]
