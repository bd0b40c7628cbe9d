"""Is this tool wrapped the way the provider unwraps it?"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

from tests.referee import facts, frameworks, shapes
from tests.referee.facts import COLUMNS, Column
from tests.referee.faults import Fault, below
from tests.referee.schemas import schema_faults
from tests.referee.walk import token

Faults = Iterator[Fault]


@dataclass(frozen=True, slots=True)
class Member:
    """One function tool, wherever its parts are on the wire."""

    name_at: str
    name: Any
    schema_at: str = ""
    schema: Any = None
    strict_at: str = ""
    strict: Any = None
    is_function: bool = True
    namespace: Any = None


def tool_faults(tool: Any, envelope: str, column: Column) -> Faults:
    """The faults of one element of the provider's list of tools."""
    if not isinstance(tool, dict):
        yield Fault("", "malformed", "a tool is an object")
        return
    yield from _WRAPPINGS[envelope](tool, column)
    for member in members(tool, envelope):
        yield from _name_faults(member, envelope, column)
        yield from _contract_faults(member, envelope, column)


def members(tool: Any, envelope: str) -> Iterator[Member]:
    """The named tools in one element: none in a built-in, several in a wrapper."""
    if not isinstance(tool, dict):
        return
    if envelope == "gemini":
        yield from _gemini_members(_respelled(tool))
    elif envelope == "openai-responses" and tool.get("type") == "namespace":
        # Called as namespace and name: the inner names are held to the same pattern.
        for index, inner in enumerate(_listed(tool.get("tools"))):
            for member in members(inner, envelope):
                at = f"/tools/{index}"
                yield replace(
                    member,
                    name_at=at + member.name_at,
                    schema_at=at + member.schema_at,
                    strict_at=at + member.strict_at,
                    namespace=tool.get("name"),
                )
    else:
        yield from _ordinary_member(tool, envelope)


# envelope -> (holder of the fields, key of the schema)
_PLACES = {
    "openai": ("/function", "parameters"),
    "openai-responses": ("", "parameters"),
    "anthropic": ("", "input_schema"),
    "mcp": ("", "inputSchema"),
    "bedrock": ("/toolSpec", "inputSchema"),
    "langchain": ("", "args_schema"),
    "vercel": ("", "inputSchema"),
    "utcp": ("", "inputs"),
    **dict.fromkeys(shapes.SAME_ENVELOPE, ("/function", "parameters")),
}


def _ordinary_member(tool: dict[str, Any], envelope: str) -> Iterator[Member]:
    if envelope == "json-schema" or (envelope == "langchain" and "name" not in tool):
        if "title" in tool or envelope == "json-schema":
            yield Member("/title", tool.get("title"), "", tool)
        return
    if envelope == "openai" and isinstance(custom := tool.get("custom"), dict):
        yield Member("/custom/name", custom.get("name"), is_function=False)
    if _is_built_in(tool, envelope):
        return
    if envelope == "smolagents":
        yield Member("/name", tool.get("name"), "/inputs", frameworks.arguments(tool))
        return
    at, key = _PLACES[envelope]
    holder = tool.get(at[1:]) if at else tool
    if not isinstance(holder, dict):
        return
    schema, schema_at = holder.get(key), f"{at}/{key}"
    if envelope == "bedrock":
        schema, schema_at = (
            schema.get("json") if isinstance(schema, dict) else None,
            f"{schema_at}/json",
        )
    is_function = not (envelope == "openai-responses" and tool.get("type") == "custom")
    strict = holder.get("strict")
    yield Member(
        f"{at}/name", holder.get("name"), schema_at, schema, f"{at}/strict", strict, is_function
    )


def _gemini_members(tool: dict[str, Any]) -> Iterator[Member]:
    if "functionDeclarations" in tool:
        for index, declaration in enumerate(_listed(tool["functionDeclarations"])):
            if isinstance(declaration, dict):
                name = declaration.get("name")
                yield Member(f"/functionDeclarations/{index}/name", name)
    elif _is_declaration(tool):
        yield Member("/name", tool.get("name"))


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _respelled(tool: dict[str, Any]) -> dict[str, Any]:
    return {shapes.GEMINI_SPELLINGS.get(key, key): value for key, value in tool.items()}


def _is_declaration(tool: dict[str, Any]) -> bool:
    known = shapes.GEMINI_DECLARATION
    return bool(tool.keys() & (known.required.keys() | known.optional.keys()))


_DATED = re.compile(r"\w+_\d{8}|mcp_toolset|tool_search_tool_(bm25|regex)")


def _is_built_in(tool: dict[str, Any], envelope: str) -> bool:
    kind = tool.get("type")
    if not isinstance(kind, str):
        return False
    if envelope == "anthropic":
        return bool(_DATED.fullmatch(kind))
    if envelope in shapes.RUN_BY_PROVIDER:
        return kind in shapes.RUN_BY_PROVIDER[envelope]
    undated = re.sub(r"_\d{4}_\d{2}_\d{2}$", "", kind)
    return envelope == "openai-responses" and undated in shapes.RESPONSES_BUILT_IN


def _name_faults(member: Member, envelope: str, column: Column) -> Faults:
    if envelope == "json-schema":
        return
    if not isinstance(member.name, str) or not member.name:
        yield Fault(member.name_at, "name", "a tool has a name")
        return
    # The envelope's provider reads the name, and so does the one behind the dialect.
    asking = {column.id, column.vendor, envelope.removesuffix("-responses")}
    if column.vendor == "mcp" and column.version < facts.MCP_NAMES_SINCE:
        asking.discard("mcp")
    for vendor in sorted(asking & facts.TOOL_NAMES.keys()):
        pattern = facts.TOOL_NAMES[vendor]
        if not pattern.fullmatch(member.name):
            yield Fault(member.name_at, "name", f"{member.name!r} is not {pattern.pattern}")
            return


def _contract_faults(member: Member, envelope: str, column: Column) -> Faults:
    """The schema, judged as strictly as the tool asks for."""
    if not member.is_function or envelope == "gemini":
        return
    if column.strict and column.vendor == envelope.removesuffix("-responses"):
        if column.says_strict and member.strict is not True:
            yield Fault(member.strict_at, "strict-flag", "a strict tool says strict: true")
    elif member.strict is True:
        column = COLUMNS.get(f"{column.id}/strict", column)
    elif envelope == "openai-responses" and member.strict is None:
        refused = column.refused | facts.REFUSED_WHEN_STRICT_IS_UNSAID
        column = replace(column, refused=refused)
    if isinstance(member.schema, (dict, bool)):
        yield from below(member.schema_at, schema_faults(member.schema, column))


def _openai(tool: dict[str, Any], column: Column) -> Faults:
    kind = "custom" if tool.get("type") == "custom" else "function"
    outer, inner = {
        "custom": (shapes.CHAT_CUSTOM, shapes.CHAT_CUSTOM_BODY),
        "function": (shapes.CHAT_TOOL, shapes.CHAT_FUNCTION),
    }[kind]
    yield from outer.faults(tool)
    if isinstance(body := tool.get(kind), dict):
        yield from inner.faults(body, token(kind))


def _same_envelope(envelope: str) -> Callable[[dict[str, Any], Column], Faults]:
    def faults(tool: dict[str, Any], column: Column) -> Faults:
        if _is_built_in(tool, envelope):
            return
        yield from shapes.CHAT_TOOL.faults(tool)
        if isinstance(body := tool.get("function"), dict):
            yield from shapes.SAME_ENVELOPE[envelope].faults(body, "/function")

    return faults


def _responses(tool: dict[str, Any], column: Column) -> Faults:
    if _is_built_in(tool, "openai-responses"):
        return
    kind = tool.get("type")
    if kind == "namespace":
        yield from shapes.NAMESPACE.faults(tool)
        name = tool.get("name")
        if isinstance(name, str) and not facts.TOOL_NAMES["openai"].fullmatch(name):
            yield Fault("/name", "name", f"{name!r} cannot name a namespace")
        for index, inner in enumerate(_listed(tool.get("tools"))):
            custom = isinstance(inner, dict) and inner.get("type") == "custom"
            shape = shapes.RESPONSES_CUSTOM if custom else shapes.NAMESPACED_FUNCTION
            if isinstance(inner, dict):
                yield from shape.faults(inner, f"/tools/{index}")
            else:
                yield Fault(f"/tools/{index}", "malformed", "a tool is an object")
        return
    shape = shapes.RESPONSES_CUSTOM if kind == "custom" else shapes.RESPONSES_FUNCTION
    yield from shape.faults(tool)


def _anthropic(tool: dict[str, Any], column: Column) -> Faults:
    if not _is_built_in(tool, "anthropic"):
        yield from shapes.ANTHROPIC_TOOL.faults(tool)


def _gemini(tool: dict[str, Any], column: Column) -> Faults:
    tool = _respelled(tool)
    if _is_declaration(tool):
        yield from _declaration(tool, column)
        return
    if not tool:
        yield Fault("", "missing-key", "a tool has declarations or a built-in")
    for key, value in tool.items():
        if key == "functionDeclarations":
            yield from _declarations(value, column)
        elif key.replace("_", "").lower() not in shapes.GEMINI_BUILT_IN:
            yield Fault(token(key), "unknown-key", f"{key} is not known here")


def _declarations(value: Any, column: Column) -> Faults:
    at = "/functionDeclarations"
    if not isinstance(value, list):
        yield Fault(at, "wrong-value", "declarations are a list")
        return
    if len(value) > facts.MOST_DECLARATIONS:
        yield Fault(at, "limit-tools", f"{len(value)}, at most {facts.MOST_DECLARATIONS}")
    for index, item in enumerate(value):
        if isinstance(item, dict):
            yield from below(f"{at}/{index}", _declaration(_respelled(item), column))
        else:
            yield Fault(f"{at}/{index}", "malformed", "a declaration is an object")


def _declaration(tool: dict[str, Any], column: Column) -> Faults:
    yield from shapes.GEMINI_DECLARATION.faults(tool)
    for plain, json_schema in (
        ("parameters", "parametersJsonSchema"),
        ("response", "responseJsonSchema"),
    ):
        if plain in tool and json_schema in tool:
            yield Fault(token(json_schema), "exclusive-keys", f"{plain} is there too")
    if column.id == "gemini/openapi" and "parametersJsonSchema" in tool:
        yield Fault("/parametersJsonSchema", "wrong-field", "this dialect is said in parameters")
    for key, dialect in (
        ("parameters", "gemini/openapi"),
        ("parametersJsonSchema", "gemini"),
        ("response", "gemini/openapi"),
        ("responseJsonSchema", "gemini"),
    ):
        if isinstance(tool.get(key), (dict, bool)):
            # Each field is its own dialect, unless a foreign one was asked for.
            judged = COLUMNS[dialect] if column.vendor == "gemini" else column
            is_input = key.startswith("parameters")
            faults = schema_faults(tool[key], judged, of_parameters=is_input)
            yield from below(token(key), faults)


def _mcp(tool: dict[str, Any], column: Column) -> Faults:
    version = column.version or COLUMNS["mcp"].version
    yield from shapes.mcp_tool(version).faults(tool)
    output = tool.get("outputSchema")
    if isinstance(output, dict):
        if version < "2026-07-28" and output.get("type") != "object":
            yield Fault("/outputSchema", "root-type", "the root is an object")
        if column.vendor == "mcp":
            faults = schema_faults(output, column, of_parameters=False)
            yield from below("/outputSchema", faults)


def _bedrock(tool: dict[str, Any], column: Column) -> Faults:
    if len(tool) != 1:
        yield Fault("", "exclusive-keys", "exactly one of toolSpec, systemTool, cachePoint")
    yield from shapes.Shape({}, shapes.BEDROCK_MEMBERS).faults(tool)
    if isinstance(spec := tool.get("toolSpec"), dict):
        yield from shapes.BEDROCK_SPEC.faults(spec, "/toolSpec")


def _langchain(tool: dict[str, Any], column: Column) -> Faults:
    if "title" in tool and "name" not in tool:
        if not isinstance(tool.get("properties"), dict):
            yield Fault("", "missing-key", "without properties the parameters vanish")
    else:
        yield from shapes.LANGCHAIN_TOOL.faults(tool)


def _json_schema(tool: dict[str, Any], column: Column) -> Faults:
    yield from ()


_WRAPPINGS: dict[str, Callable[[dict[str, Any], Column], Faults]] = {
    "openai": _openai,
    "openai-responses": _responses,
    "anthropic": _anthropic,
    "gemini": _gemini,
    "mcp": _mcp,
    "bedrock": _bedrock,
    "langchain": _langchain,
    "json-schema": _json_schema,
    **{envelope: _same_envelope(envelope) for envelope in shapes.SAME_ENVELOPE},
    **frameworks.WRAPPINGS,
}
