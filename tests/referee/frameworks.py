"""How frameworks wrap tools: the AI SDK, agents in Python, a protocol of call templates."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from tests.referee.facts import Column
from tests.referee.faults import Fault
from tests.referee.shapes import (
    Shape,
    flag,
    list_of,
    mapping,
    non_negative,
    one_of,
    text,
)
from tests.referee.walk import token

SDK_FUNCTION = Shape(
    {"type": one_of("function"), "name": text, "inputSchema": mapping},
    {
        "description": text,
        "strict": flag,
        "inputExamples": list_of(Shape({"input": mapping})),
        "providerOptions": mapping,
    },
)
SDK_PROVIDED = Shape(
    {"type": one_of("provider", "provider-defined"), "id": text, "name": text, "args": mapping}
)

INPUT_WORDS = tuple("string boolean integer number image audio array object any null".split())
AGENT_TOOL = Shape(
    {"name": text, "description": text, "inputs": mapping, "output_type": one_of(*INPUT_WORDS)},
    {"output_schema": mapping},
)

# The library wants a call template as well, which only whoever serves the tool can know.
TEMPLATED_TOOL = Shape(
    {"name": text},
    {
        "description": text,
        "inputs": mapping,
        "outputs": mapping,
        "tags": list_of(text),
        "average_response_size": non_negative,
        "tool_call_template": lambda value: (
            mapping(value) and text(value.get("call_template_type"))
        ),
    },
)


def _sdk(tool: dict[str, Any], column: Column) -> Iterator[Fault]:
    provided = tool.get("type") != "function" and "inputSchema" not in tool
    yield from (SDK_PROVIDED if provided else SDK_FUNCTION).faults(tool)


def _agents(tool: dict[str, Any], column: Column) -> Iterator[Fault]:
    yield from AGENT_TOOL.faults(tool)
    for name, entry in _entries(tool):
        at = "/inputs" + token(name)
        if not isinstance(entry, dict):
            yield Fault(at, "wrong-value", "an input is an object")
            continue
        for key in ("type", "description"):
            if key not in entry:
                yield Fault(at, "missing-key", f"{key} is required")
        for branch in [entry, *_branches(entry)]:
            kinds = branch.get("type") if isinstance(branch, dict) else None
            for kind in kinds if isinstance(kinds, list) else [kinds]:
                if kind not in INPUT_WORDS:
                    yield Fault(at, "wrong-value", f"{kind!r} is no type of an input")


def _entries(tool: dict[str, Any]) -> list[tuple[str, Any]]:
    inputs = tool.get("inputs")
    return list(inputs.items()) if isinstance(inputs, dict) else []


def _branches(entry: dict[str, Any]) -> list[Any]:
    union = entry.get("anyOf")
    return union if isinstance(union, list) else []


def arguments(tool: dict[str, Any]) -> dict[str, Any]:
    """What the agents' library makes of ``inputs``: nullable ones may be left out."""
    members = {
        name: {
            key: _untyped(value) if key == "anyOf" else value
            for key, value in entry.items()
            if key != "nullable" and (key, value) != ("type", "any")
        }
        for name, entry in _entries(tool)
        if isinstance(entry, dict)
    }
    required = [name for name, e in _entries(tool) if isinstance(e, dict) and not e.get("nullable")]
    return {"type": "object", "properties": members, "required": required}


def _untyped(union: Any) -> Any:
    if not isinstance(union, list):
        return union
    return [
        {key: value for key, value in branch.items() if (key, value) != ("type", "any")}
        if isinstance(branch, dict)
        else branch
        for branch in union
    ]


def _templated(tool: dict[str, Any], column: Column) -> Iterator[Fault]:
    yield from TEMPLATED_TOOL.faults(tool)


WRAPPINGS: dict[str, Callable[[dict[str, Any], Column], Iterator[Fault]]] = {
    "vercel": _sdk,
    "smolagents": _agents,
    "utcp": _templated,
}
