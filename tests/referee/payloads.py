"""Is this list of tools one that a provider accepts in one request?"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from tests.referee import facts, shapes
from tests.referee.envelopes import Member, members, tool_faults
from tests.referee.facts import COLUMNS, Column
from tests.referee.faults import Fault, below
from tests.referee.limits import field_limits, size_of, usage_limits
from tests.referee.walk import token

# Names of tools nobody calls by name may repeat.
_NAMELESS = frozenset(("langchain", "json-schema"))
_COMPACT: dict[str, Any] = {"ensure_ascii": False, "separators": (",", ":")}


def judge_tool(tool: Any, envelope: str, dialect: str) -> list[Fault]:
    """What is wrong with one element of the provider's list of tools."""
    return list(tool_faults(tool, envelope, COLUMNS[dialect]))


def judge_payload(payload: Any, envelope: str, dialect: str) -> list[Fault]:
    """What is wrong with the tools of one request: a list, its wrapper, or one tool."""
    column = COLUMNS[dialect]
    at, tools = _tools_of(payload, envelope)
    if tools is None:
        return judge_tool(payload, envelope, dialect)
    faults = list(_wrapper_faults(payload, envelope, column))
    for index, tool in enumerate(tools):
        faults += below(f"{at}/{index}", tool_faults(tool, envelope, column))
    faults += below(at, _request_faults(tools, envelope, column))
    return faults


def _tools_of(payload: Any, envelope: str) -> tuple[str, list[Any] | None]:
    if isinstance(payload, list):
        return "", payload
    if not isinstance(payload, dict) or payload.get("type") == "namespace":
        return "", None
    path = ("toolConfig", "tools") if "toolConfig" in payload else ("tools",)
    holder: Any = payload
    for key in path:
        holder = holder.get(key) if isinstance(holder, dict) else None
    if isinstance(holder, list) and envelope != "json-schema":
        return "".join(map(token, path)), holder
    return "", None


def _wrapper_faults(payload: Any, envelope: str, column: Column) -> Iterator[Fault]:
    if envelope == "mcp" and isinstance(payload, dict):
        version = column.version or COLUMNS["mcp"].version
        yield from shapes.mcp_list(version).faults(payload)


def _request_faults(tools: list[Any], envelope: str, column: Column) -> Iterator[Fault]:
    most = facts.MOST_TOOLS.get(column.id, facts.MOST_TOOLS.get(envelope))
    if most is not None and len(tools) > most:
        yield Fault("", "limit-tools", f"{len(tools)}, at most {most}")
    if envelope == "bedrock" and not tools:
        yield Fault("", "limit-tools", "at least one")
    listed = [
        (f"/{index}", member)
        for index, tool in enumerate(tools)
        for member in members(tool, envelope)
    ]
    if envelope not in _NAMELESS:
        yield from _repeated_names(listed)
    strict = [item for _, item in listed if column.strict or item.strict is True]
    if envelope in ("anthropic", "bedrock"):
        yield from usage_limits([size_of(item.schema) for item in strict])
    most = facts.MOST_SCHEMA_BYTES.get(column.id)
    for at, item in listed:
        if most is not None and (size := len(json.dumps(item.schema, **_COMPACT).encode())) > most:
            yield Fault(at + item.schema_at, "limit-bytes", f"{size}, at most {most}")
    if column.limits == "fields":
        yield from field_limits([size_of(item.schema) for item in strict])
    judged = COLUMNS.get(f"{envelope}/strict", column)
    if judged.all_or_none and len({item.strict is True for _, item in listed}) > 1:
        yield Fault("", "some-strict", "all tools of a request are strict, or none")


def _repeated_names(listed: list[tuple[str, Member]]) -> Iterator[Fault]:
    seen: list[tuple[Any, Any]] = []
    for at, member in listed:
        called = (member.namespace, member.name)
        if called in seen and member.name is not None:
            yield Fault(at + member.name_at, "repeated-name", f"{member.name!r} names two tools")
        seen.append(called)
