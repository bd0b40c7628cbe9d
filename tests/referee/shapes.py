"""The keys of wire objects: which there are, which must be there, and what they hold."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from tests.referee.faults import Fault
from tests.referee.walk import token

Check = Callable[[Any], bool]


def text(value: Any) -> bool:
    return isinstance(value, str)


def flag(value: Any) -> bool:
    return isinstance(value, bool)


def mapping(value: Any) -> bool:
    return isinstance(value, dict)


def listing(value: Any) -> bool:
    return isinstance(value, list)


def or_null(check: Check) -> Check:
    return lambda value: value is None or check(value)


def one_of(*values: str) -> Check:
    return lambda value: isinstance(value, str) and value in values


def list_of(check: Check) -> Check:
    return lambda value: isinstance(value, list) and all(map(check, value))


def non_negative(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


@dataclass(frozen=True, slots=True)
class Shape:
    required: dict[str, Check]
    optional: dict[str, Check] = field(default_factory=dict)
    refused: frozenset[str] | None = None
    """The keys that are faults; without a set, every key that is not known."""

    def __call__(self, value: Any) -> bool:
        """A shape is itself a check, for objects within objects."""
        return mapping(value) and not any(self.faults(value))

    def faults(self, value: dict[str, Any], at: str = "") -> Iterator[Fault]:
        known = {**self.required, **self.optional}
        for key in self.required:
            if key not in value:
                yield Fault(at, "missing-key", f"{key} is required")
        for key, item in value.items():
            if key not in known:
                if self.refused is None or key in self.refused:
                    yield Fault(at + token(key), "unknown-key", f"{key} is not known here")
            elif not known[key](item):
                yield Fault(at + token(key), "wrong-value", f"{key} cannot hold this")


# OpenAI Chat Completions.
CHAT_TOOL = Shape({"type": one_of("function"), "function": mapping})
CHAT_FUNCTION = Shape(
    {"name": text},
    {"description": text, "parameters": mapping, "strict": or_null(flag)},
)
PLAIN_TEXT = Shape({"type": one_of("text")})
GRAMMAR = {"syntax": one_of("lark", "regex"), "definition": text}
CHAT_GRAMMAR = Shape({"type": one_of("grammar"), "grammar": Shape(GRAMMAR)})
CHAT_CUSTOM = Shape({"type": one_of("custom"), "custom": mapping})
CHAT_CUSTOM_BODY = Shape(
    {"name": text},
    {"description": text, "format": lambda value: PLAIN_TEXT(value) or CHAT_GRAMMAR(value)},
)

# Those who took over the envelope: what each knows of a function, and the types it runs itself.
_NAMED: dict[str, Check] = {"name": text}
_WITH_SCHEMA: dict[str, Check] = {**_NAMED, "parameters": mapping}
_TOLD: dict[str, Check] = {"description": text}
_TOLD_STRICT: dict[str, Check] = {**_TOLD, "strict": flag}
SAME_ENVELOPE = {
    "mistral": Shape(_WITH_SCHEMA, {**_TOLD, "strict": or_null(flag)}),
    "cohere": Shape(_WITH_SCHEMA, _TOLD),
    "ollama": Shape(_NAMED, {**_TOLD, "parameters": mapping}),
    "xai": Shape(_NAMED, {**_TOLD_STRICT, "parameters": mapping}),
    "deepseek": Shape(_NAMED, {**_TOLD_STRICT, "parameters": mapping}),
    "groq": Shape(_NAMED, {**_TOLD_STRICT, "parameters": mapping}),
    "huggingface": Shape(_NAMED, {**_TOLD, "parameters": mapping, "return": mapping}),
    "llamaindex": Shape(_WITH_SCHEMA, _TOLD),
}
RUN_BY_PROVIDER = {
    "mistral": frozenset(("connector", "document_library", "image_generation")),
    "groq": frozenset(("browser_search", "code_interpreter")),
    "xai": frozenset(("x_search", "web_search")),
    "vercel": frozenset(("provider", "provider-defined")),
}

# OpenAI Responses.
_LOADING: dict[str, Check] = {
    "description": or_null(text),
    "defer_loading": flag,
    "allowed_callers": or_null(list_of(one_of("direct", "programmatic"))),
    "async": flag,
}
_CONTRACT: dict[str, Check] = {"parameters": or_null(mapping), "strict": or_null(flag)}
RESPONSES_FUNCTION = Shape(
    {"type": one_of("function"), "name": text, **_CONTRACT},
    {**_LOADING, "output_schema": or_null(mapping)},
)
NAMESPACED_FUNCTION = Shape(
    {"type": one_of("function"), "name": text},
    {**_LOADING, **_CONTRACT, "output_schema": or_null(mapping)},
)
RESPONSES_GRAMMAR = Shape({"type": one_of("grammar"), **GRAMMAR})
RESPONSES_CUSTOM = Shape(
    {"type": one_of("custom"), "name": text},
    {**_LOADING, "format": lambda value: PLAIN_TEXT(value) or RESPONSES_GRAMMAR(value)},
)
NAMESPACE = Shape(
    {"type": one_of("namespace"), "name": text, "description": text, "tools": listing}
)
RESPONSES_BUILT_IN = frozenset(
    "file_search computer computer_use_preview web_search mcp code_interpreter "
    "programmatic_tool_calling image_generation local_shell shell tool_search "
    "web_search_preview apply_patch".split()
)

# Anthropic Messages.
ANTHROPIC_TOOL = Shape(
    {"name": text, "input_schema": mapping},
    {
        "description": text,
        "type": or_null(one_of("custom")),
        "strict": flag,
        "cache_control": or_null(Shape({"type": one_of("ephemeral")}, {"ttl": one_of("5m", "1h")})),
        "input_examples": list_of(mapping),
        "defer_loading": flag,
        "allowed_callers": list_of(
            one_of(
                "direct",
                "code_execution_20250825",
                "code_execution_20260120",
                "code_execution_20260521",
            )
        ),
        "eager_input_streaming": or_null(flag),
    },
)

# Gemini; both spellings are read, so keys are compared in camel case.
GEMINI_SPELLINGS = {
    "parameters_json_schema": "parametersJsonSchema",
    "response_json_schema": "responseJsonSchema",
    "function_declarations": "functionDeclarations",
}
GEMINI_DECLARATION = Shape(
    {"name": text},
    {
        "description": or_null(text),
        "parameters": mapping,
        "parametersJsonSchema": lambda value: isinstance(value, (dict, bool)),
        "response": mapping,
        "responseJsonSchema": lambda value: isinstance(value, (dict, bool)),
        "behavior": one_of("UNSPECIFIED", "BLOCKING", "NON_BLOCKING"),
    },
)
GEMINI_BUILT_IN = frozenset(
    "googlesearch googlesearchretrieval urlcontext codeexecution googlemaps filesearch "
    "computeruse retrieval mcpservers enterprisewebsearch parallelaisearch exaaisearch".split()
)

# Bedrock Converse.
BEDROCK_SPEC = Shape(
    {"name": text, "inputSchema": Shape({"json": mapping})},
    {"description": lambda value: text(value) and value != "", "strict": flag},
)
BEDROCK_MEMBERS: dict[str, Check] = {
    "toolSpec": mapping,  # looked into by itself
    "systemTool": Shape({"name": lambda value: text(value) and value != ""}),
    "cachePoint": Shape({"type": one_of("default")}, {"ttl": one_of("5m", "1h")}),
}

# The Model Context Protocol: what each version has, oldest first.
_MCP_ICON = Shape(
    {"src": text}, {"mimeType": text, "sizes": list_of(text), "theme": one_of("light", "dark")}
)
_MCP_ANNOTATIONS = Shape(
    {},
    {
        "title": text,
        "readOnlyHint": flag,
        "destructiveHint": flag,
        "idempotentHint": flag,
        "openWorldHint": flag,
    },
)
_MCP_EXECUTION = Shape({}, {"taskSupport": one_of("forbidden", "optional", "required")})
_MCP_FIELDS: dict[str, tuple[Check, str, str]] = {  # check, first version, last version
    "description": (text, "2024-11-05", "9"),
    "annotations": (_MCP_ANNOTATIONS, "2025-03-26", "9"),
    "title": (text, "2025-06-18", "9"),
    "outputSchema": (lambda value: isinstance(value, (dict, bool)), "2025-06-18", "9"),
    "_meta": (mapping, "2025-06-18", "9"),
    "icons": (list_of(_MCP_ICON), "2025-11-25", "9"),
    "execution": (_MCP_EXECUTION, "2025-11-25", "9"),  # an extension since 2026-07-28
}


def mcp_tool(version: str) -> Shape:
    """A tool of the protocol, which allows other keys, but no field of a later version."""
    return Shape(
        {"name": text, "inputSchema": mapping},
        {
            key: check
            for key, (check, first, last) in _MCP_FIELDS.items()
            if first <= version <= last
        },
        refused=frozenset(_MCP_FIELDS),
    )


def mcp_list(version: str) -> Shape:
    fields: dict[str, Check] = {"tools": listing}
    if version >= "2026-07-28":
        fields |= {
            "resultType": one_of("complete"),
            "ttlMs": non_negative,
            "cacheScope": one_of("public", "private"),
        }
    return Shape(fields, {"nextCursor": text, "_meta": mapping})


# LangChain has no wire format; these are the fields a tool is made from.
LANGCHAIN_TOOL = Shape(
    {"name": text, "args_schema": mapping},
    {
        "description": text,
        "return_direct": flag,
        "response_format": one_of("content", "content_and_artifact"),
        "tags": or_null(list_of(text)),
        "metadata": or_null(mapping),
        "extras": or_null(mapping),
    },
)
