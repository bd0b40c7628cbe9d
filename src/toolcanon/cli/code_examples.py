"""Short examples of the codes that a conversion reports, each before and after conversion.

Only the inputs are written here; the results are computed when an example is shown. A test checks
that each example reports its code.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, TypeAlias

from toolcanon.conversations.switch import switch
from toolcanon.conversion import convert, read
from toolcanon.jsonio.types import Json, JsonObject
from toolcanon.text import safe, safe_json

Example: TypeAlias = tuple[str, Json]
"""The target and the input."""

_SHOWN: Final = 600


def _of(member: Json, more: JsonObject | None = None) -> JsonObject:
    """Return a schema with one required member, and other keywords beside it."""
    return {"type": "object", "properties": {"x": member}, "required": ["x"], **(more or {})}


SCHEMAS: Final[dict[str, Example]] = {
    "L101": ("openai", _of({"type": "float"})),
    "L102": ("openai", _of({"type": "string", "nullable": True})),
    "L103": ("openai", _of({"type": "array", "items": [{"type": "string"}, {"type": "integer"}]})),
    "L104": ("openai",
        _of({"type": "number", "minimum": 0, "exclusiveMinimum": True},
        {"$schema": "http://json-schema.org/draft-04/schema#"})),
    "L105": ("openai",
        {"$schema": "http://json-schema.org/draft-07/schema#", "type": "object",
        "properties": {"a": {"type": "string"}, "b": {"type": "string"}},
        "dependencies": {"a": ["b"]}}),
    "L106": ("openai",
        {"$schema": "http://json-schema.org/draft-07/schema#", "type": "object",
        "properties": {"x": {"$ref": "#/definitions/N", "minimum": 1}},
        "definitions": {"N": {"type": "integer"}}}),
    "L107": ("openai", _of({"type": "integer", "divisibleBy": 2})),
    "L108": ("openai",
        {"type": "object", "properties": {"x": {"type": "string", "required": True}}}),
    "L109": ("openai", _of({"type": "integer", "minimum": "1"})),
    "L110": ("openai",
        _of({"type": "string"}, {"$schema": "http://json-schema.org/draft-07/schema#"})),
    "L111": ("openai", _of({"type": "List[str]"})),
    "L112": ("openai", {"x": {"type": "string"}}),
    "L113": ("openai", {"type": "object", "properties": {"x": "string"}}),
    "L114": ("openai", _of({"type": "string", "enum": "one of a, b"})),
    "L115": ("openai", {"type": "object", "properties": [{"name": "x", "type": "string"}]}),
    "L116": ("openai", _of({"type": "json"})),
    "L117": ("openai", _of({"type": "array", "items": "string"})),
    "L118": ("openai",
        {"type": "object", "properties": {"x": {"type": "string"}}, "required": "x"}),
    "L119": ("openai", _of({"type": "string", "enum": "any string"})),
    "L201": ("gemini/openapi", _of({"$ref": "#/$defs/N"}, {"$defs": {"N": {"type": "integer"}}})),
    "L202": ("openai/strict",
        {"type": "object", "properties": {"x": {"$ref": "#/properties/y"}, "y": {"type": "object",
        "properties": {"z": {"type": "integer"}}, "required": ["z"],
        "additionalProperties": False}}, "required": ["x", "y"], "additionalProperties": False}),
    "L203": ("gemini/openapi", _of({"$ref": "#/$defs/N"}, {"$defs": {"N": {"type": "integer"}}})),
    "L204": ("openai/strict", _of({"$ref": "https://example.com/n.json"})),
    "L205": ("gemini/openapi",
        _of({"$ref": "#/$defs/T"}, {"$defs": {"T": {"type": "object",
        "properties": {"below": {"type": "array", "items": {"$ref": "#/$defs/T"}}}}}})),
    "L206": ("openai/strict", _of({"allOf": [{"type": "integer"}, {"minimum": 1}]})),
    "L207": ("openai/strict",
        _of({"allOf": [{"type": "string", "pattern": "^a"}, {"pattern": "z$"}]})),
    "L208": ("openai", {"type": "string"}),
    "L209": ("openai",
        {"type": "object", "anyOf": [{"properties": {"id": {"type": "integer"}},
        "required": ["id"]}, {"properties": {"name": {"type": "string"}}, "required": ["name"]}]}),
    "L210": ("openai/strict",
        {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"],
        "if": {"properties": {"a": {"const": "x"}}},
        "then": {"properties": {"b": {"type": "string"}}, "required": ["b"]}}),
    "L211": ("openai/strict",
        _of({"oneOf": [{"type": "integer"}, {"type": "number", "minimum": 0}]})),
    "L212": ("gemini/openapi", _of({"const": "a"})),
    "L213": ("gemini/openapi", _of({"type": "integer", "enum": [1, 2]})),
    "L214": ("openai/strict", _of({"type": "string", "enum": [1, 2]})),
    "L215": ("gemini/openapi", _of({"minimum": 1})),
    "L216": ("openai/strict", _of({})),
    "L217": ("gemini/openapi", _of({"type": ["string", "integer"]})),
    "L218": ("gemini/openapi", _of({"type": ["string", "null"]})),
    "L219": ("openai/strict",
        _of({"type": "array", "prefixItems": [{"type": "string"}, {"type": "integer"}],
        "items": False, "minItems": 2})),
    "L220": ("openai/strict",
        _of({"type": "array", "prefixItems": [{"type": "integer"}, {"type": "integer"}],
        "items": False, "minItems": 2})),
    "L221": ("openai/strict",
        _of({"type": "object", "additionalProperties": {"type": "integer"}})),
    "L222": ("openai/strict", _of({"type": "string"})),
    "L223": ("openai/strict", {"type": "object", "properties": {"x": {"type": "string"}}}),
    "L224": ("openai/strict",
        {"type": "object", "properties": {"x": {"type": ["string", "null"]}}}),
    "L225": ("openai/strict",
        {"type": "object", "properties": {"x": {"type": ["string", "null"], "default": None}}}),
    "L226": ("anthropic", {"type": "object", "properties": {"$top": {"type": "integer"}}}),
    "L227": ("openai", _of({"type": "array"})),
    "L228": ("openai/strict", _of({"type": "string", "pattern": "^(?!test)[a-z]+$"})),
    "L229": ("openai/strict", _of({"type": "string", "examples": ["a"]})),
    "L230": ("openai/strict", _of({"type": "string", "format": "phone"})),
    "L231": ("openai/strict",
        _of({"anyOf": [{"type": "object", "additionalProperties": {"type": "integer"}},
        {"type": "array", "items": {"type": "object", "properties": {"key": {"type": "string"},
        "value": {"type": "integer"}}, "required": ["key", "value"],
        "additionalProperties": False}}]})),
    "L232": ("gemini/openapi", _of(True)),
    "L233": ("openai", _of({"type": "string", "maxLength": "many"})),
    "L234": ("openai/strict", _of({"type": "string", "enum": ["a", 1]})),
    "L235": ("openai/strict", {}),
    "L236": ("openai/strict", {"type": "object", "properties": {}, "required": ["x"]}),
    "L238": ("openai/strict", _of({"anyOf": [{"const": "a"}, {"const": "b"}]})),
    "L245": ("openai/strict", _of({"type": "string"}, {"unevaluatedProperties": False})),
    "L247": ("gemini/openapi",
        _of({"description": "d", "anyOf": [{"type": "string"}, {"type": "integer"}]})),
}  # fmt: skip
"""Schemas of a tool's arguments."""

DEFINITIONS: Final[dict[str, Example]] = {
    "L001": ("openai", {"name": "issues.create", "inputSchema": {"type": "object"}}),
    "L002": ("anthropic",
        {"type": "namespace", "name": "mail", "description": "", "tools": [{"type": "function",
        "name": "send", "parameters": {"type": "object"}}]}),
    "L003": ("openai", {"name": "f", "title": "Send a mail", "inputSchema": {"type": "object"}}),
    "L005": ("openai",
        {"name": "f", "inputSchema": {"type": "object"}, "outputSchema": {"type": "object",
        "properties": {"id": {"type": "integer"}}}}),
    "L006": ("openai",
        {"name": "f", "input_schema": {"type": "object"}, "input_examples": [{"x": 1}]}),
    "L007": ("openai",
        {"name": "f", "inputSchema": {"type": "object"}, "annotations": {"readOnlyHint": True}}),
    "L009": ("openai",
        {"name": "f", "input_schema": {"type": "object"}, "cache_control": {"type": "ephemeral"}}),
    "L010": ("openai",
        {"type": "function", "function": {"name": "f", "parameters": {"type": "object"},
        "vendor": 1}}),
    "L011": ("openai", {"name": "f", "parameters": {"type": "object"}}),
    "L012": ("anthropic", {"type": "function", "function": {"name": "f"}}),
    "L013": ("anthropic", {"type": "custom", "name": "run", "description": "Run SQL."}),
    "L014": ("anthropic",
        {"type": "custom", "name": "run", "format": {"type": "grammar", "syntax": "regex",
        "definition": "[0-9]+"}}),
    "L015": ("anthropic", {"type": "web_search"}),
    "L020": ("openai",
        {"name": "f", "description": "A", "inputSchema": {"type": "object"},
        "input_schema": {"type": "object", "properties": {"x": {"type": "string"}}}}),
}  # fmt: skip
"""Definitions in any format."""

MESSAGES: Final[dict[str, Example]] = {
    "L301": ("openai",
        [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": [{"type": "thinking",
        "thinking": "Hm.", "signature": "s"}, {"type": "tool_use", "id": "t1", "name": "f",
        "input": {}}]}, {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t1",
        "content": "1"}]}]),
    "L303": ("openai",
        [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": [{"type": "tool_use",
        "id": "t1", "name": "f", "input": {}}]}, {"role": "user",
        "content": [{"type": "tool_result", "tool_use_id": "t1", "content": [{"type": "image",
        "source": {"type": "base64", "media_type": "image/png", "data": "iVBORw0KGgo="}}]}]}]),
    "L304": ("openai",
        [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": [{"type": "tool_use",
        "id": "t1", "name": "f", "input": {}}]}, {"role": "user",
        "content": [{"type": "tool_result", "tool_use_id": "t1", "content": "no",
        "is_error": True}]}]),
    "L307": ("openai",
        [{"role": "user", "content": "Hi"}, {"role": "assistant",
        "content": [{"type": "server_tool_use", "id": "s1", "name": "web_search",
        "input": {"query": "a"}}, {"type": "web_search_tool_result", "tool_use_id": "s1",
        "content": []}]}, {"role": "user", "content": "Hi"}]),
    "L308": ("openai",
        [{"role": "user", "content": [{"type": "text", "text": "Hi", "citations": []}]}]),
    "L309": ("openai",
        [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": [{"type": "tool_use",
        "id": "t1", "name": "f", "input": {}}, {"type": "text", "text": "Wait."}]},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t1",
        "content": "1"}]}]),
    "L310": ("anthropic",
        [{"role": "developer", "content": "Be brief."}, {"role": "user", "content": "Hi"}]),
    "L311": ("anthropic",
        [{"role": "user", "content": "Hi"}, {"role": "system", "content": "Be brief."},
        {"role": "user", "content": "Hi"}]),
    "L312": ("anthropic",
        [{"role": "user", "content": "Hi"}, {"role": "assistant", "tool_calls": [{"id": "c1",
        "type": "custom", "custom": {"name": "run", "input": "ls"}}]}, {"role": "tool",
        "tool_call_id": "c1", "content": "1"}]),
    "L314": ("anthropic", [{"role": "user", "name": "ann", "content": "Hi"}]),
    "L317": ("gemini",
        {"model": "m", "messages": [{"role": "user", "content": "Hi"}],
        "tools": [{"type": "function", "function": {"name": "f", "parameters": {"type": "object",
        "properties": {}}}}], "parallel_tool_calls": False}),
    "L318": ("anthropic",
        {"model": "m", "messages": [{"role": "user", "content": "Hi"}], "logprobs": True}),
    "L319": ("anthropic",
        [{"role": "user", "content": "Hi"}, {"role": "assistant", "refusal": "No."},
        {"role": "user", "content": "Hi"}]),
    "L331": ("anthropic",
        [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Once upon"}]),
    "L332": ("gemini",
        [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": None,
        "tool_calls": [{"id": "c1", "type": "function", "function": {"name": "f",
        "arguments": '{"n": 9007199254740993}'}}]}, {"role": "tool", "tool_call_id": "c1",
        "content": "1"}]),
    "L334": ("openai",
        [{"role": "user", "content": [{"type": "text", "text": "Hi",
        "cache_control": {"type": "ephemeral"}}]}]),
    "R101": ("anthropic",
        [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": None,
        "tool_calls": [{"id": "c1", "type": "function", "function": {"name": "f",
        "arguments": "{}"}}]}, {"role": "user", "content": "And?"}]),
    "R102": ("anthropic",
        [{"role": "tool", "tool_call_id": "c1", "content": "1"}, {"role": "user",
        "content": "Hi"}]),
    "R103": ("anthropic",
        [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": None,
        "tool_calls": [{"id": "c1", "type": "function", "function": {"name": "f",
        "arguments": "{}"}}]}, {"role": "tool", "tool_call_id": "c1", "content": "1"},
        {"role": "tool", "tool_call_id": "c1", "content": "2"}]),
    "R104": ("openai",
        [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": None,
        "tool_calls": [{"id": "c1", "type": "function", "function": {"name": "f",
        "arguments": "{}"}}]}, {"role": "user", "content": "And?"}, {"role": "tool",
        "tool_call_id": "c1", "content": "1"}]),
    "R106": ("anthropic",
        [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": None,
        "tool_calls": [{"id": "call.1", "type": "function", "function": {"name": "f",
        "arguments": "{}"}}]}, {"role": "tool", "tool_call_id": "call.1", "content": "1"}]),
    "R107": ("openai",
        [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": None,
        "tool_calls": [{"id": None, "type": "function", "function": {"name": "f",
        "arguments": "{}"}}]}, {"role": "tool", "content": "1"}]),
    "R108": ("anthropic",
        [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": [{"type": "text",
        "text": ""}, {"type": "text", "text": "a"}]}, {"role": "user", "content": "Hi"}]),
    "R109": ("anthropic",
        [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": ""}, {"role": "user",
        "content": "Hi"}]),
    "R111": ("anthropic",
        [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": [{"type": "tool_use",
        "id": "t1", "name": "f", "input": {}}]}, {"role": "user",
        "content": [{"type": "tool_result", "tool_use_id": "t1", "content": "",
        "is_error": True}]}]),
    "R112": ("anthropic",
        [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": None,
        "tool_calls": [{"id": "c1", "type": "function", "function": {"name": "f",
        "arguments": '"{}"'}}]}, {"role": "tool", "tool_call_id": "c1", "content": "1"}]),
    "R131": ("openai",
        [{"role": "user", "content": "Hi"}, {"role": "assistant", "tool_calls": [{"id": "c1",
        "type": "function", "function": {"name": "f", "arguments": {}}}]}, {"role": "tool",
        "tool_call_id": "c1", "content": "1"}]),
}  # fmt: skip
"""Messages or request bodies of another provider."""


def codes() -> Iterator[str]:
    """Yield every code that has an example."""
    yield from (*SCHEMAS, *DEFINITIONS, *MESSAGES)


def converted(code: str) -> tuple[Json, Json, set[str]]:
    """Convert the example of a code; return what is given, the result, and the reported codes."""
    if code in MESSAGES:
        to, given = MESSAGES[code]
        done = switch(given, to)
        return given, done.payload, {item.code for item in (*done.losses, *done.repairs)}
    if code in SCHEMAS:
        to, given = SCHEMAS[code]
        made = convert({"name": "f", "description": "", "inputSchema": given}, to, source="mcp")
        (tool,) = read(made.payload)
        return given, tool.inputs, {loss.code for loss in made.losses}
    to, given = DEFINITIONS[code]
    made = convert(given, to)
    return given, made.payload, {loss.code for loss in made.losses}


def example_lines(code: str) -> Iterator[str]:
    """Yield the example of a code as lines of text; none where it has no example."""
    known = SCHEMAS.get(code) or DEFINITIONS.get(code) or MESSAGES.get(code)
    if known is None:
        return
    before, after, _ = converted(code)
    yield f"  Example, to {known[0]}:"
    yield f"    before: {safe(safe_json(before, indent=None), _SHOWN)}"
    yield f"    after:  {safe(safe_json(after, indent=None), _SHOWN)}"
