"""Samples of tools for frameworks and for clients of a protocol."""

from tests.referee.sample_schemas import TEXT, obj
from tests.referee.sample_tools import chat, many, served, without


def sdk(**fields):
    return {"type": "function", "name": "f", "inputSchema": obj(a=TEXT), **fields}


def agents(**fields):
    tool = {"name": "f", "description": "d", "inputs": {"a": entry()}, "output_type": "any"}
    return {**tool, **fields}


def entry(**fields):
    return {"type": "string", "description": "", **fields}


def templated(**fields):
    template = {"call_template_type": "http"}
    return {"name": "f", "inputs": obj(a=TEXT), "tool_call_template": template, **fields}


# rule, dialect, a schema that passes, a schema that is faulted for it
SCHEMAS = [
    ("property-name", "mcp/claude-desktop", obj(**{"a.b": TEXT}), obj(**{"a b": TEXT})),
    ("root-keyword", "mcp/claude-code", obj(a={"anyOf": [TEXT]}), {**obj(a=TEXT), "anyOf": [{}]}),
    ("root-keyword", "llamaindex", obj(a={"anyOf": [TEXT]}), {**obj(a=TEXT), "anyOf": [{}]}),
    ("property-name", "smolagents", obj(a_1=TEXT), obj(**{"1a": TEXT})),
    ("boolean-schema", "utcp", obj(a={}), obj(a=True)),
]

# rule, envelope, dialect, a tool that passes, a tool that is faulted for it
TOOLS = [
    ("name", "mcp", "mcp/cursor", served(name="a-b_" + "c" * 54), served(name="c" * 59)),
    ("name", "mcp", "mcp/cursor", served(name="a-b"), served(name="a.b")),
    ("name", "mcp", "mcp/vscode", served(name="c" * 58), served(name="c" * 59)),
    ("name", "mcp", "mcp/claude-desktop", served(name="c" * 64), served(name="c" * 65)),
    ("name", "mcp", "mcp/claude-code", served(name="c" * 56), served(name="c" * 57)),
    ("name", "mcp", "mcp/windsurf", served(name="a.b"), served(name="")),
    ("root-type", "mcp", "mcp/vscode", served(outputSchema=obj()), served(outputSchema=TEXT)),
    ("missing-key", "vercel", "vercel", sdk(), without(sdk(), "inputSchema")),
    ("unknown-key", "vercel", "vercel", sdk(strict=True), sdk(parameters={})),
    (
        "wrong-value",
        "vercel",
        "vercel",
        sdk(inputExamples=[{"input": {"a": "x"}}]),
        sdk(inputExamples=[{"a": "x"}]),
    ),
    (
        "missing-key",
        "vercel",
        "vercel",
        {"type": "provider", "id": "a.b", "name": "b", "args": {}},
        {"type": "provider", "name": "b", "args": {}},
    ),
    ("wrong-value", "huggingface", "huggingface", chat(**{"return": {}}), chat(**{"return": "a"})),
    ("unknown-key", "huggingface", "huggingface", chat(description="d"), chat(strict=True)),
    ("unknown-key", "llamaindex", "llamaindex", chat(), chat(**{"return": {}})),
    ("name", "llamaindex", "llamaindex", chat(name="a-b"), chat(name="a[b]")),
    ("missing-key", "smolagents", "smolagents", agents(), without(agents(), "output_type")),
    (
        "missing-key",
        "smolagents",
        "smolagents",
        agents(inputs={"a": entry(nullable=True)}),
        agents(inputs={"a": {"type": "string"}}),
    ),
    ("wrong-value", "smolagents", "smolagents", agents(output_type="image"), agents(output_type=1)),
    (
        "wrong-value",
        "smolagents",
        "smolagents",
        agents(inputs={"a": entry(type=["string", "null"])}),
        agents(inputs={"a": entry(type="text")}),
    ),
    (
        "wrong-value",
        "smolagents",
        "smolagents",
        agents(inputs={"a": entry(type="any", anyOf=[TEXT, {"type": "any", "anyOf": [TEXT]}])}),
        agents(inputs={"a": entry(type="any", anyOf=[TEXT, {"anyOf": [TEXT]}])}),
    ),
    ("wrong-value", "smolagents", "smolagents", agents(inputs={}), agents(inputs={"a": "string"})),
    ("name", "smolagents", "smolagents", agents(name="classes"), agents(name="class")),
    ("keyword", "smolagents", "smolagents", agents(), agents(inputs={"a": entry(pattern="a")})),
    ("unknown-key", "utcp", "utcp", templated(tags=["a"]), templated(parameters={})),
    ("wrong-value", "utcp", "utcp", templated(outputs={}), templated(tool_call_template={})),
]

# What 16,384 bytes hold beside the description.
ROOM = 16_384 - len('{"type":"object","description":""}')

# rule, envelope, dialect, a request that passes, a request that is faulted for it
PAYLOADS = [
    ("limit-tools", "mcp", "mcp/cursor", many(served, 80), many(served, 81)),
    ("limit-tools", "mcp", "mcp/vscode", many(served, 128), many(served, 129)),
    ("limit-tools", "mcp", "mcp/claude-desktop", many(served, 256), many(served, 257)),
    ("limit-tools", "mcp", "mcp/windsurf", many(served, 100), many(served, 101)),
    (
        "limit-bytes",
        "mcp",
        "mcp/claude-desktop",
        [served(inputSchema={"type": "object", "description": "d" * ROOM})],
        [served(inputSchema={"type": "object", "description": "d" * (ROOM + 1)})],
    ),
    ("repeated-name", "vercel", "vercel", many(sdk, 2), [sdk(), sdk()]),
]
