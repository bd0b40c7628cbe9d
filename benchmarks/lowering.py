"""Schemas lowered to what a target accepts: ours, and what LiteLLM and pydantic-ai do alike.

Runs in the peers' environment, so that all ratios come from one run. Then: is it linear?
"""

from __future__ import annotations

import copy
import gc
import os
import platform
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.metadata import version
from typing import Any

import orjson
from convert import definitions
from ratios import Contestant, measure, table

import toolcanon as tc
from toolcanon.conversion.choice import find_dialect
from toolcanon.lowering import cache, lower
from toolcanon.schema import judge

TARGETS: dict[str, tuple[str, dict[str, Any]]] = {
    "openai": ("openai", {}),
    "anthropic": ("anthropic", {}),
    "gemini/openapi": ("gemini", {"dialect": "gemini/openapi"}),
    "openai/strict": ("openai", {"strict": True}),
}
SIZES = (100, 1_000, 10_000)


@contextmanager
def unknown() -> Iterator[None]:
    """Nothing is remembered by content, and nothing stays; a dialect's own plans do."""
    kept, held = cache._kept, cache._held[0]  # noqa: SLF001
    cache._kept, cache._held[0] = {}, 0  # noqa: SLF001
    judge._judge_of.cache_clear()  # noqa: SLF001
    try:
        yield
    finally:
        cache._kept, cache._held[0] = kept, held  # noqa: SLF001


def ours(tools: dict[int, tc.CanonicalTool]) -> list[Contestant]:
    found = []
    for name, (target, options) in TARGETS.items():

        def payload(row: Any, target: str = target, options: Any = options) -> Any:
            return tc.bind(tools[id(row)], target, **options).payload

        def everything(row: Any, target: str = target, options: Any = options) -> Any:
            binding = tc.bind(tools[id(row)], target, **options)
            return binding.payload, binding.losses, [item.lens for item in binding.bound]

        found += [
            Contestant(f"bind {name}: payload", payload),
            Contestant(f"bind {name}: payload, losses, lens", everything),
            Contestant(f"bind {name}: payload, first time", payload, within=unknown),
            Contestant(f"bind {name}: all three, first time", everything, within=unknown),
        ]
    for name, (target, options) in TARGETS.items():

        def converted(row: Any, target: str = target, options: Any = options) -> Any:
            return tc.convert(row, target, **options).payload

        found += [
            Contestant(f"convert to {name}", converted),
            Contestant(f"convert to {name}, first time", converted, within=unknown),
        ]
    return found


def peers(tools: dict[int, tc.CanonicalTool]) -> list[Contestant]:
    """They change what they are given, so LiteLLM gets a fresh copy: the cheapest, by orjson."""
    os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"  # or the import asks the network
    from litellm import AnthropicConfig, VertexGeminiConfig  # noqa: PLC0415
    from litellm.llms.vertex_ai.common_utils import build_vertex_schema  # noqa: PLC0415
    from pydantic_ai.profiles.google import (  # noqa: PLC0415
        GoogleJsonSchemaTransformer,
        GoogleOpenAPISchemaTransformer,
    )
    from pydantic_ai.profiles.openai import OpenAIJsonSchemaTransformer  # noqa: PLC0415

    anthropic, gemini = AnthropicConfig(), VertexGeminiConfig()
    schemas = {key: tool.input_schema for key, tool in tools.items()}
    schema_texts = {key: orjson.dumps(schema) for key, schema in schemas.items()}
    tool_texts = {
        key: orjson.dumps([{"type": "function", "function": {
            "name": tool.name, "description": tool.description, "parameters": schemas[key]}}])
        for key, tool in tools.items()
    }  # fmt: skip
    return [
        Contestant(
            "litellm: schema for Vertex",
            lambda row: build_vertex_schema(orjson.loads(schema_texts[id(row)])),
        ),
        Contestant(
            "litellm: openai to gemini",
            lambda row: gemini.map_function(orjson.loads(tool_texts[id(row)]), {}),
        ),
        Contestant(
            "litellm: openai to anthropic",
            lambda row: anthropic.map_tools(orjson.loads(tool_texts[id(row)])),
        ),
        Contestant(
            "pydantic-ai: OpenAI, strict",
            lambda row: OpenAIJsonSchemaTransformer(schemas[id(row)], strict=True).walk(),
        ),
        Contestant(
            "pydantic-ai: Google, JSON Schema",
            lambda row: GoogleJsonSchemaTransformer(schemas[id(row)]).walk(),
        ),
        Contestant(
            "pydantic-ai: Google, OpenAPI",
            lambda row: GoogleOpenAPISchemaTransformer(schemas[id(row)]).walk(),
        ),
        Contestant("copy.deepcopy of the schema", lambda row: copy.deepcopy(schemas[id(row)])),
    ]


LEAVES: tuple[dict[str, Any], ...] = (
    {"type": "string", "description": "A text.", "minLength": 1},
    {"type": ["integer", "null"], "minimum": 0},
    {"enum": [1, 2, 3]},
    {"type": "object", "additionalProperties": {"type": "number"}},
    {"oneOf": [{"type": "string"}, {"const": False}]},
    {"type": "array", "items": {"type": "string", "format": "uri"}},
)


def leaf(number: int) -> dict[str, Any]:
    return copy.deepcopy(LEAVES[number % len(LEAVES)])


def flat(size: int) -> dict[str, Any]:
    """One object with many members."""
    members = {f"p{i}": leaf(i) for i in range(size * 2 // 3)}
    return {"type": "object", "properties": members}


def nested(size: int) -> dict[str, Any]:
    """Objects of eight members within each other, with the same leaves."""
    level = [flat(9) for _ in range(max(1, size // 11))]
    while len(level) > 1:
        groups = (level[i : i + 8] for i in range(0, len(level), 8))
        level = [
            {"type": "object", "properties": {f"o{i}": inner for i, inner in enumerate(group)}}
            for group in groups
        ]
    return level[0]


def deep(size: int) -> dict[str, Any]:
    """A thin tower of forty levels, repeated until it is large enough."""

    def tower(height: int) -> dict[str, Any]:
        inner = {"next": tower(height - 1)} if height else {}
        return {"type": "object", "properties": {"value": leaf(height), **inner}}

    towers = {f"t{i}": tower(40) for i in range(max(1, size // 100))}
    return {"type": "object", "properties": towers}


def referring(size: int) -> dict[str, Any]:
    """Many members of few types: ten definitions, each used all over."""
    kinds = {
        f"K{i}": {"type": "object", "properties": {"a": leaf(i), "b": leaf(i + 1)}}
        for i in range(10)
    }
    members = {f"p{i}": {"$ref": f"#/$defs/K{i % 10}"} for i in range(size)}
    return {"type": "object", "properties": members, "$defs": kinds}


def nodes(value: Any) -> int:
    """Every object of the document counts."""
    if isinstance(value, dict):
        return 1 + sum(map(nodes, value.values()))
    return sum(map(nodes, value)) if isinstance(value, list) else 0


def per_node(run: Callable[[], Any], count: int) -> float:
    best = float("inf")
    gc.collect()
    gc.disable()
    for _ in range(7):
        begin = time.process_time_ns()
        run()
        best = min(best, time.process_time_ns() - begin)
    gc.enable()
    return best / count / 1000


def growth() -> str:
    lines = [
        "| shape | dialect | " + " | ".join(f"{size:,}" for size in SIZES) + " | last / first |",
        "| --- | --- |" + " ---: |" * (len(SIZES) + 1),
    ]
    for shape in (flat, nested, deep, referring):
        for name in ("openai/strict", "gemini/openapi"):
            dialect = find_dialect(name)
            took = []
            for size in SIZES:
                schema = shape(size)
                took.append(per_node(lambda s=schema, d=dialect: lower(s, d), nodes(schema)))
            cells = " | ".join(f"{each:.1f}" for each in took)
            lines.append(f"| {shape.__name__} | {name} | {cells} | {took[-1] / took[0]:.2f} |")
    return "\n".join(lines)


if __name__ == "__main__":
    rows = definitions()
    tools = {id(row): tc.read(row)[0] for row in rows}
    size = sum(len(orjson.dumps(row)) for row in rows) / len(rows)
    print(
        f"{len(rows)} definitions of {size:.0f} bytes on average; "
        f"CPython {platform.python_version()}, orjson {orjson.__version__}, "
        f"litellm {version('litellm')}, pydantic-ai {version('pydantic-ai-slim')}"
    )
    print(table(measure(rows, ours(tools) + peers(tools))))
    print(f"\n{len(cache._kept)} schemas remembered at the end")  # noqa: SLF001
    print("\nMicroseconds per schema node, about so many nodes:\n")
    print(growth())
